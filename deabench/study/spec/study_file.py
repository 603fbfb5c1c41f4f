"""Read a study file: whatever is wrong in it is refused before anything runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.generators import GENERATORS
from deabench.study.data.loaders import dataset_names, source_of_name
from deabench.study.learners import LearnerSpec
from deabench.study.learners.fingerprints import fingerprint_dependencies
from deabench.study.spec import schema
from deabench.study.spec.plan import Plan
from deabench.study.spec.settings import StudyContents, make_plan, parse_learner
from deabench.utils.checks import did_you_mean
from deabench.utils.files import check_regular_file, one_line, write_whole

MOST_BYTES = 1 << 20
"""Bytes that a study file may have."""
PRESETS_FOLDER = Path(__file__).parent / "presets"

Options = tuple[tuple[str, Any], ...]


def preset_names() -> list[str]:
    """Return the names of the study files that `deabench study init` writes."""
    return sorted(path.stem for path in PRESETS_FOLDER.glob("*.toml"))


def write_preset(path: str | Path, name: str = "default", *, replace: bool = False) -> None:
    """Write a preset as a study file.

    Raises
    ------
    DataError
        For an unknown preset, or a file that exists (unless `replace`).
    """
    if name not in preset_names():
        raise DataError(f"there is no preset '{name}'; {did_you_mean(name, preset_names())}")
    if Path(path).exists() and not replace:
        raise DataError(f"'{path}' is there already; give another name, or --force to replace it")
    write_whole(path, (PRESETS_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def read_plan(
    path: str | Path, *, allow_imports: bool = False, allow_outside: bool = False
) -> Plan:
    """Read and check a study file.

    The keys `allow_imports` and `allow_outside` of the file are requests of its author. The user
    grants them by the arguments of the same names.

    Raises
    ------
    DataError
        With the file, the key, the value and the nearest valid name.
    """
    path = Path(path)
    text, settings = _read_toml(path)
    prefix = f"'{path.name}': "
    schema.check_keys(prefix, "", settings, schema.STUDY_KEYS)
    for table, keys in schema.table_keys().items():
        schema.check_keys(prefix, f"[{table}]", settings.get(table, {}), keys)
    # paths stay inside the folder of the file
    requests_outside = bool(settings.get("allow_outside"))
    folder = StudyFolder(prefix, path.parent, requests_outside, requests_outside and allow_outside)
    contents = StudyContents(
        _read_datasets(folder, settings),
        _read_learners(folder, settings, permitted=allow_imports),
        settings.get("split"),
        settings.get("preprocess"),
        folder.resolve("store", settings.get("store", f"{path.stem}.sqlite")),
        text=text,
        depends=_read_depends(folder, settings.get("depends", [])),
    )
    return make_plan(prefix, settings, path, contents)


def _read_depends(folder: StudyFolder, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the files and folders beside the study file, and the names of modules."""
    values: list[Any] = []
    for name in names:
        path = folder.resolve("depends", name)
        values.append(path if path.exists() else name)
    fingerprint_dependencies(values)
    return tuple(values)


def _read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of the file and its tables."""
    try:
        check_regular_file(path)
        if path.stat().st_size > MOST_BYTES:
            raise DataError(
                f"'{path}' has more than {MOST_BYTES} bytes; a study file is a page of text"
            )
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise DataError(
            f"cannot read '{path}': {error.strerror}; 'deabench study init {path}' writes a study "
            "file"
        ) from None
    except DataError:
        raise
    except RecursionError:
        raise DataError(f"'{path}' is not TOML that can be read: it is nested too deeply") from None
    # a TOMLDecodeError, bytes that are no UTF-8, or a number of thousands of digits
    except ValueError as error:
        raise DataError(f"'{path}' is not TOML: {one_line(error)}") from None


@dataclass(frozen=True)
class StudyFolder:
    """The folder that a study file's paths must stay in.

    Outside paths need a request in the file (`allow_outside = true`) and the user's consent.
    """

    prefix: str
    path: Path
    requests_outside: bool
    allow_outside: bool

    def resolve(self, key: str, value: str) -> Path:
        """Return a path of the study file.

        Raises
        ------
        DataError
            Where it leads out of the folder, by `..`, from the root or through a link.
        """
        if "\0" in value:
            raise DataError(f"{self.prefix}{key} is {value!r}; a path has no NUL in it")
        resolved = self.path / value
        inside = resolved.resolve().is_relative_to(self.path.resolve())
        if not inside and not self.allow_outside:
            remedy = "say allow_outside = true at the top of the file"
            if self.requests_outside:
                remedy = "pass --allow-outside (from Python allow_outside=True)"
            raise DataError(
                f"{self.prefix}{key} is '{value}', which lies outside the study file's folder; "
                f"if that is meant, {remedy}"
            )
        return resolved


def _read_datasets(folder: StudyFolder, settings: Mapping[str, Any]) -> tuple[DataSpec, ...]:
    prefix = folder.prefix
    data = settings.get("data", {})
    keel_options: Options = ()
    if settings.get("keel_folder"):
        keel_folder = folder.resolve("keel_folder", settings["keel_folder"]).resolve()
        keel_options = (("keel_folder", str(keel_folder)),)
    specs = []
    for name in data.get("names", []):
        schema.check_name(f"{prefix}[data] names: data set", name, dataset_names())
        source = source_of_name(name)
        specs.append(DataSpec(name, source, keel_options if source == "table2" else ()))
    for number, entry in enumerate(data.get("set", []), start=1):
        specs.append(_read_dataset(folder, entry, f"[[data.set]] {number}", keel_options))
    if not specs:
        raise DataError(
            f"{prefix}there are no data sets; name some in [data] names, or describe one in "
            "[[data.set]]"
        )
    # results are stored by name: it must be unique
    names = [spec.name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{prefix}the data set '{name}' is given twice; name it once")
    if settings.get("classes") == "all":
        specs = [replace(spec, options=(*spec.options, ("classes", "all"))) for spec in specs]
    return tuple(specs)


def _read_dataset(
    folder: StudyFolder, entry: dict[str, Any], location: str, keel_options: Options
) -> DataSpec:
    """Return the data set of one table [[data.set]]: a generator, a file, or a known name."""
    prefix = folder.prefix
    if "name" not in entry:
        raise DataError(f"{prefix}{location} has no name; give it one")
    name = entry["name"]
    options = {key: value for key, value in entry.items() if key != "name"}
    generator = options.get("generator")
    if generator is not None:
        schema.check_name(f"{prefix}{location}: generator", generator, list(GENERATORS))
        # the parameters of the generator's function are keys, too
        keys = {key: schema.DATASET_KEYS[key] for key in ("name", "generator", "type")}
        for key, parameter in signature(GENERATORS[generator]).parameters.items():
            is_count = isinstance(parameter.default, int)
            keys[key] = schema.whole_number(0) if is_count else schema.AT_LEAST_0
        schema.check_keys(prefix, location, entry, keys)
        return DataSpec(name, "generator", tuple(sorted(options.items())))
    schema.check_keys(prefix, location, entry, schema.DATASET_KEYS)
    if "file" not in options:
        schema.check_name(f"{prefix}{location}: data set", name, dataset_names())
        options = {**dict(keel_options), **options}
        return DataSpec(name, source_of_name(name), tuple(sorted(options.items())))
    for key in ("file", "test_file"):
        if key in options:
            options[key] = str(folder.resolve(f"{location}: {key}", options[key]).resolve())
    if "nominal" in options:
        options["nominal"] = tuple(options["nominal"])
    if isinstance(options.get("costs"), dict):
        options["costs"] = tuple(sorted(options["costs"].items()))
    return DataSpec(name, "file", tuple(sorted(options.items())))


def _read_learners(
    folder: StudyFolder, settings: Mapping[str, Any], *, permitted: bool
) -> tuple[LearnerSpec, ...]:
    entries = settings.get("classifiers", {})
    if not entries:
        raise DataError(
            f'{folder.prefix}there are no classifiers; name some in [classifiers], as "C4.5" = {{}}'
        )
    import_folder = str(folder.path.resolve()) if settings.get("allow_imports") else None
    return tuple(
        parse_learner(folder.prefix, name, entry, import_folder, permitted=permitted)
        for name, entry in entries.items()
    )

"""The study file: read, and refused where it is wrong, before anything runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from deabench.errors import DataError
from deabench.study.data.dataset import DataSpec
from deabench.study.data.generators import GENERATORS
from deabench.study.data.loaders import known_names, source_of
from deabench.study.data.splits import ONCE, SplitSpec
from deabench.study.learners.prepare import Prepare
from deabench.study.learners.registry import LearnerSpec
from deabench.study.plans import schema
from deabench.study.plans.options import Given, learner_of, planned, prepared
from deabench.study.plans.plan import Plan
from deabench.utils.files import one_line, regular

LARGEST = 1 << 20
"""Bytes that a study file may have."""


def read_plan(path: str | Path) -> Plan:
    """Read and check a study file.

    Raises
    ------
    DataError
        With the file, the key, the value and the nearest valid name.
    """
    path = Path(path)
    content, given = _read(path)
    file = path.name
    schema.check(file, "", given, schema.TOP)
    for part, known in schema.PARTS.items():
        schema.check(file, f"[{part}]", given.get(part, {}), known)
    inside = Inside(file, path.parent, bool(given.get("allow_outside")))
    return planned(
        f"'{file}': ",
        given,
        path,
        Given(
            _data(inside, given),
            _learners(file, path.parent, given),
            _split(file, given.get("split", {})),
            _prepare(file, given),
            inside.path("store", given.get("store", f"{path.stem}.sqlite")),
            text=content,
        ),
    )


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        regular(path)
        if path.stat().st_size > LARGEST:
            raise DataError(
                f"'{path}' has more than {LARGEST} bytes; a study file is a page of text"
            )
        content = path.read_text(encoding="utf-8")
        return content, tomllib.loads(content)
    except OSError as error:
        said = f"cannot read '{path}': {error.strerror}; 'deabench study init {path}' writes a study file"
        raise DataError(said) from None
    except DataError:
        raise
    except RecursionError:
        raise DataError(f"'{path}' is not TOML that can be read: it is nested too deeply") from None
    except (
        ValueError
    ) as error:  # a TOMLDecodeError, bytes that are no UTF-8, a number of thousands of digits
        raise DataError(f"'{path}' is not TOML: {one_line(error)}") from None


@dataclass(frozen=True)
class Inside:
    """The folder that a study file's paths must stay in, unless it says allow_outside = true."""

    file: str
    folder: Path
    free: bool

    def path(self, key: str, value: str) -> Path:
        """A path of the study file.

        Raises
        ------
        DataError
            Where it leads out of the folder, by `..`, from the root or through a link.
        """
        if "\0" in value:
            raise DataError(f"'{self.file}': {key} is {value!r}; a path has no NUL in it")
        found = self.folder / value
        if not self.free and not found.resolve().is_relative_to(self.folder.resolve()):
            raise DataError(
                f"'{self.file}': {key} is '{value}', which lies outside the study file's folder; "
                "if that is meant, say allow_outside = true at the top of the file"
            )
        return found


def _split(file: str, given: Mapping[str, Any]) -> SplitSpec:
    split = SplitSpec(**given)
    if split.kind in ONCE and split.repeats > 1:
        raise DataError(
            f"'{file}': [split] repeats is {split.repeats}; {split.kind} has no other folds to repeat"
        )
    return split


def _prepare(file: str, given: Mapping[str, Any]) -> Prepare:
    asked = given.get("preprocess", {})
    if asked == "columns":
        return prepared(Prepare(columns=True))
    if isinstance(asked, str):
        raise DataError(
            f"'{file}': preprocess is '{asked}'; give a table of numeric, nominal and missing, or \"columns\""
        )
    schema.check(file, "[preprocess]", asked, schema.PREPROCESS)
    return prepared(Prepare(**asked))


def _data(inside: Inside, given: Mapping[str, Any]) -> tuple[DataSpec, ...]:
    file, data = inside.file, given.get("data", {})
    keel_folder = given.get("keel_folder")
    common = (
        (("keel_folder", str(inside.path("keel_folder", keel_folder).resolve())),)
        if keel_folder
        else ()
    )
    specs = []
    for name in data.get("names", []):
        schema.known_name(f"'{file}': ", "[data] names: data set", name, known_names())
        specs.append(DataSpec(name, source_of(name), common if source_of(name) == "table2" else ()))
    for number, entry in enumerate(data.get("set", []), start=1):
        specs.append(_set(inside, entry, number, common))
    if not specs:
        raise DataError(
            f"'{file}': there are no data sets; name some in [data] names, or describe one in [[data.set]]"
        )
    _unique(file, "data set", [spec.name for spec in specs])
    if given.get("classes") == "all":
        specs = [replace(spec, options=(*spec.options, ("classes", "all"))) for spec in specs]
    return tuple(specs)


def _set(
    inside: Inside, entry: dict[str, Any], number: int, common: tuple[tuple[str, Any], ...]
) -> DataSpec:
    file = inside.file
    where = f"[[data.set]] {number}"
    if "name" not in entry:
        raise DataError(f"'{file}': {where} has no name; give it one")
    name, options = entry["name"], {key: value for key, value in entry.items() if key != "name"}
    generator = options.get("generator")
    known = dict(schema.SET)
    if generator is not None:
        schema.known_name(f"'{file}': ", f"{where}: generator", generator, list(GENERATORS))
        known = {key: schema.SET[key] for key in ("name", "generator", "type")}
        known |= {
            key: schema.whole(0) if isinstance(each.default, int) else schema.number(0)
            for key, each in signature(GENERATORS[generator]).parameters.items()
        }
    schema.check(file, where, entry, known)
    if generator is not None:
        return DataSpec(name, "generator", tuple(sorted(options.items())))
    if "file" in options:
        for key in ("file", "test_file"):
            if key in options:
                options[key] = str(inside.path(f"{where}: {key}", options[key]).resolve())
        if "nominal" in options:
            options["nominal"] = tuple(options["nominal"])
        return DataSpec(name, "file", tuple(sorted(options.items())))
    schema.known_name(f"'{file}': ", f"{where}: data set", name, known_names())
    return DataSpec(name, source_of(name), tuple(sorted({**dict(common), **options}.items())))


def _learners(file: str, folder: Path, given: Mapping[str, Any]) -> tuple[LearnerSpec, ...]:
    entries = given.get("classifiers", {})
    if not entries:
        raise DataError(
            f"'{file}': there are no classifiers; name some in [classifiers], as \"C4.5\" = {{}}"
        )
    allowed = str(folder.resolve()) if given.get("allow_imports") else None
    return tuple(learner_of(f"'{file}': ", name, entry, allowed) for name, entry in entries.items())


def _unique(file: str, what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"'{file}': the {what} '{name}' is given twice; name it once")

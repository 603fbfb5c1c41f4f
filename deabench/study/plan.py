"""The study file: read, refused where it is wrong, and turned into tasks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from typing import Any

from deabench.errors import DataError
from deabench.study import schema
from deabench.study.data import Dataset, DataSpec
from deabench.study.generators import GENERATORS
from deabench.study.learners import REGISTRY, LearnerSpec, check_import, parameters
from deabench.study.loaders import known_names, load, source_of
from deabench.study.splits import SplitSpec, fold_count
from deabench.study.tasks import Job, key_of

METRICS = ("TPR", "TNR", "balanced_accuracy", "G-mean", "F1")
"""The outputs of the 2022 paper's section 4.3: sensitivity, specificity, "AUC" (their mean), G-mean, F."""


@dataclass(frozen=True)
class Plan:
    """A study file that was found good.

    Attributes
    ----------
    file : Path
    data : tuple of DataSpec
    learners : tuple of LearnerSpec
    split : SplitSpec
    seed, time_limit, keep : the file's settings
    store : Path
    metrics : tuple of str
    dea, groups, tests : dict
        The tables of those names with their defaults filled in.
    text : str
        The file as it stands, for the record of each run.
    """

    file: Path
    name: str
    data: tuple[DataSpec, ...]
    learners: tuple[LearnerSpec, ...]
    split: SplitSpec
    seed: int
    time_limit: float
    keep: bool
    store: Path
    metrics: tuple[str, ...]
    dea: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, Any] = field(default_factory=dict)
    tests: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    def datasets(self) -> list[Dataset]:
        """Every data set, loaded (files that lack are refused here, before any task runs)."""
        return [load(spec) for spec in self.data]

    def jobs(self) -> list[Job]:
        """Every task of the study, fold by fold, each with its key."""
        jobs = []
        for spec, data in zip(self.data, self.datasets(), strict=True):
            _enough(data, self.split)
            sha256, (repeats, folds) = data.sha256, fold_count(data, self.split)
            for repeat in range(repeats):
                for fold in range(folds):
                    for learner in self.learners:
                        job = Job(spec, learner, self.split, repeat, fold, self.seed, "", self.time_limit, self.keep)
                        jobs.append(replace(job, key=key_of(job, sha256)))
        return jobs


def _enough(data: Dataset, split: SplitSpec) -> None:
    if data.partition is None and split.kind == "kfold" and max(data.y.sum(), (1 - data.y).sum()) < split.folds:
        raise DataError(f"data set '{data.name}' has {len(data.y)} rows, too few for {split.folds} folds")


def read_plan(path: str | Path) -> Plan:
    """Read and check a study file.

    Raises
    ------
    DataError
        With the file, the key, the value and the nearest valid name.
    """
    path = Path(path)
    try:
        content = path.read_text(encoding="utf-8")
        given = tomllib.loads(content)
    except OSError as error:
        said = f"cannot read '{path}': {error.strerror}; 'deabench study init {path}' writes a study file"
        raise DataError(said) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"'{path}' is not TOML: {error}") from None
    file = path.name
    schema.check(file, "", given, schema.TOP)
    for part, known in (("data", schema.DATA), ("split", schema.SPLIT), ("dea", schema.DEA),
                        ("groups", schema.GROUPS), ("tests", schema.TESTS)):
        schema.check(file, f"[{part}]", given.get(part, {}), known)
    learners = _learners(file, given)
    _names_of_learners(file, given, [spec.name for spec in learners])
    return Plan(path, given.get("name", path.stem), _data(file, path.parent, given), learners,
                SplitSpec(**given.get("split", {})), given.get("seed", 0), float(given.get("time_limit", 0)),
                given.get("keep_predictions", True), path.parent / given.get("store", f"{path.stem}.sqlite"),
                tuple(given.get("metrics", METRICS)),
                {"outputs": list(METRICS), "inputs": [], "model": "wei", "returns": None, "orientation": None, "norm": "l1",
                 "reference": None, "tested": [], "target_outputs": ["TPR", "TNR"], "dmus": "classifiers",
                 "panels": {},
                 **given.get("dea", {})},
                {"type": "label", "mixed": "each", "imbalance_ratio": [10, 30], "imbalance_ratio_from": "data",
                 "families": {}, **given.get("groups", {})},
                {"metric": "balanced_accuracy", "alpha": 0.05, "control": None, "kinds": ["friedman", "holm", "anova"],
                 **given.get("tests", {})}, content)


def _data(file: str, folder: Path, given: Mapping[str, Any]) -> tuple[DataSpec, ...]:
    data = given.get("data", {})
    keel_folder = given.get("keel_folder")
    common = (("keel_folder", str((folder / keel_folder).resolve())),) if keel_folder else ()
    specs = []
    for name in data.get("names", []):
        schema.known_name(file, "[data] names: data set", name, known_names())
        specs.append(DataSpec(name, source_of(name), common if source_of(name) == "table2" else ()))
    for number, entry in enumerate(data.get("set", []), start=1):
        specs.append(_set(file, folder, entry, number, common))
    if not specs:
        raise DataError(f"'{file}': there are no data sets; name some in [data] names, or describe one in [[data.set]]")
    _unique(file, "data set", [spec.name for spec in specs])
    return tuple(specs)


def _set(file: str, folder: Path, entry: dict[str, Any], number: int, common: tuple[tuple[str, Any], ...]) -> DataSpec:
    where = f"[[data.set]] {number}"
    if "name" not in entry:
        raise DataError(f"'{file}': {where} has no name; give it one")
    name, options = entry["name"], {key: value for key, value in entry.items() if key != "name"}
    generator = options.get("generator")
    known = dict(schema.SET)
    if generator is not None:
        schema.known_name(file, f"{where}: generator", generator, list(GENERATORS))
        known = {key: schema.SET[key] for key in ("name", "generator", "type")}
        known |= dict.fromkeys(signature(GENERATORS[generator]).parameters, schema.number(0))
    schema.check(file, where, entry, known)
    if generator is not None:
        return DataSpec(name, "generator", tuple(sorted(options.items())))
    if "file" in options:
        for key in ("file", "test_file"):
            if key in options:
                options[key] = str((folder / options[key]).resolve())
        return DataSpec(name, "file", tuple(sorted(options.items())))
    schema.known_name(file, f"{where}: data set", name, known_names())
    return DataSpec(name, source_of(name), tuple(sorted({**dict(common), **options}.items())))


def _learners(file: str, given: Mapping[str, Any]) -> tuple[LearnerSpec, ...]:
    entries = given.get("classifiers", {})
    if not entries:
        raise DataError(f"'{file}': there are no classifiers; name some in [classifiers], as \"C4.5\" = {{}}")
    return tuple(_learner(file, name, entry, bool(given.get("allow_imports"))) for name, entry in entries.items())


def _learner(file: str, name: str, entry: Any, allow_imports: bool) -> LearnerSpec:
    where = f"[classifiers] '{name}'"
    if not isinstance(entry, dict):
        raise DataError(f"'{file}': {where} is {entry!r}; give a table of its parameters, {{}} for none")
    params = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    path, use = params.pop("import", None), str(params.pop("use", name))
    for key, value in entry.items():
        wanted = schema.plain(value)
        if wanted is not None:
            raise DataError(f"'{file}': {where}: {key} is a table; give {wanted}")
    if path is not None:
        return _import(file, where, LearnerSpec(name, str(path), tuple(sorted(params.items())), True), allow_imports)
    schema.known_name(file, "[classifiers]", use, list(REGISTRY))
    for key in params:
        if key not in parameters(use):
            has = ", ".join(f"'{p}'" for p in parameters(use)) or "none"
            raise DataError(f"'{file}': {where} has no parameter '{key}'; it has {has}")
    spec = LearnerSpec(name, use, tuple(sorted(params.items())))
    check_import(spec)
    return spec


def _import(file: str, where: str, spec: LearnerSpec, allowed: bool) -> LearnerSpec:
    if not allowed:
        raise DataError(f"'{file}': {where} is imported from '{spec.use}', which runs code of your choosing; "
                        "if that is meant, say allow_imports = true at the top of the file")
    check_import(spec)
    return spec


def _names_of_learners(file: str, given: Mapping[str, Any], learners: list[str]) -> None:
    for key in ("tested", "reference"):
        for name in given.get("dea", {}).get(key, []):
            schema.known_name(file, f"[dea] {key}: classifier", name, learners)
    for panel, members in given.get("dea", {}).get("panels", {}).items():
        for name in members:
            schema.known_name(file, f"[dea.panels] {panel}: classifier", name, learners)
    for name in given.get("groups", {}).get("families", {}):
        schema.known_name(file, "[groups.families] classifier", name, learners)
    control = given.get("tests", {}).get("control")
    if control is not None:
        schema.known_name(file, "[tests] control: classifier", control, learners)
    for kind in given.get("tests", {}).get("kinds", []):
        schema.known_name(file, "[tests] kinds: test", kind, ["friedman", "holm", "anova"])


def _unique(file: str, what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"'{file}': the {what} '{name}' is given twice; name it once")

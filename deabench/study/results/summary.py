"""The summary of a study: every table that comes out of it, in one result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.samples import Samples
from deabench.models.options import resolve_options
from deabench.study.data.data_type import infer_data_type
from deabench.study.learners.registry import PAPER_FAMILIES
from deabench.study.results import aggregate
from deabench.study.results.aggregate import SummarySettings
from deabench.study.results.frames import describe_errors
from deabench.study.results.maintenance import FOLD, imported_counts
from deabench.study.results.metrics import CELLS, TIMES, StudyMetrics
from deabench.study.results.significance import (
    judge_panels,
    run_tests,
    samples_of_datasets,
    samples_of_folds,
)
from deabench.study.results.status import current_rows
from deabench.study.results.stored_rows import read_arrays
from deabench.study.spec.plan import Plan
from deabench.study.spec.settings import build_model
from deabench.study.spec.tasks import TaskList
from deabench.utils.checks import did_you_mean
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class StudySummary(Result):
    """All tables of a study.

    Attributes
    ----------
    failures : DataFrame
        Index (dataset, classifier, repeat, fold) of failed tasks: status, error_type, error. Read
        it first.
    counts : DataFrame
        The tidy long table: dataset, classifier, repeat, fold, tp, fn, fp, tn, fit_seconds,
        score_seconds, source.
    left_out : tuple of (dataset, classifier)
        Pairs that lack some of their folds, and so are in no table below.
    metrics : DataFrame
        Index (dataset, classifier): metrics of the pooled folds.
    facts : DataFrame
        Index dataset: rows, features, positives, imbalance_ratio, type (the one the groups go by),
        given_type, computed_type and the shares behind it.
    groups : DataFrame
        grouping, group, dataset.
    means : DataFrame
        Index (grouping, group, classifier): mean metrics over a group's data sets.
    per_dataset : DataFrame
        Index (panel, dataset, classifier): efficiency.
    efficiency : DataFrame
        Index (grouping, group, panel, classifier): average_then_dea beside dea_then_average and
        IBA.
    families, recommendation : DataFrame or None
        By approach; None where no classifier has a family.
    tests : Mapping of name to result of `deabench.compare`
        friedman, holm (against the control) and anova (by panel and metric, over the types): those
        of the study file.
    targets : DataFrame or None
        Of the tested classifiers on every data set's frontier.
    pivot : DataFrame or None
        Where the study's DMUs are not its classifiers.
    notes : tuple of str
        What weakens the numbers.
    verdicts : DataFrame or None
        Index (panel, classifier): score, lower, upper, verdict, best_rank, worst_rank and tier over
        the data sets as a sample of data sets like these (of one data set: over its folds); None
        where the notes say why there are none.
    outputs : tuple of str
        The metrics that the efficiencies are made of.
    measure : str
        "efficiency" (1 is best) or "inefficiency" (0 is best), by the model.
    constant : tuple of classifiers
        Those that are no better than to answer with the same class always: their balanced accuracy
        is one over the number of classes, or less, on average over the data sets.
    below_floors : DataFrame
        Index (classifier, metric): value (mean over the data sets) and floor, of the classifiers
        that miss a floor of the study and so are not ranked.
    """

    _frame: ClassVar[str] = "efficiency"
    _text: ClassVar[str] = "study"

    failures: pd.DataFrame
    counts: pd.DataFrame
    left_out: tuple[tuple[str, str], ...]
    metrics: pd.DataFrame
    facts: pd.DataFrame
    groups: pd.DataFrame
    means: pd.DataFrame
    per_dataset: pd.DataFrame
    efficiency: pd.DataFrame
    families: pd.DataFrame | None
    recommendation: pd.DataFrame | None
    tests: Mapping[str, Any] = field(default_factory=dict)
    targets: pd.DataFrame | None = None
    pivot: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()
    verdicts: pd.DataFrame | None = None
    outputs: tuple[str, ...] = ()
    measure: str = "efficiency"
    constant: tuple[str, ...] = ()
    below_floors: pd.DataFrame = field(default_factory=pd.DataFrame)

    def samples(
        self,
        dataset: str | None = None,
        *,
        metrics: Sequence[str] | None = None,
        classifiers: Sequence[str] | None = None,
        ratio: float | None = None,
    ) -> Samples:
        """Return the study's results as samples for `deabench.uncertainty` and `deabench.gate`.

        Parameters
        ----------
        dataset : str, optional
            Its folds, with Nadeau and Bengio's variance; without it the data sets that every
            classifier has.
        metrics : sequence of names, optional
            Better high; the study's outputs without it. Of folds only metrics of counts.
        classifiers : sequence of names, optional
            All without it; the frontier is theirs.
        ratio : number > 0, optional
            Of folds: n_test / n_train.

        Raises
        ------
        DataError
            Where a name is unknown, or a metric undefined on a fold or data set.
        """
        present = list(dict.fromkeys(self.counts["classifier"]))
        for name in classifiers or ():
            if name not in present:
                raise DataError(
                    f"there is no classifier '{name}' in the study; {did_you_mean(name, present)}"
                )
        classifiers = list(classifiers or present)
        metrics = list(self.outputs if metrics is None else metrics)
        if dataset is not None:
            counts = self.counts[self.counts["classifier"].isin(classifiers)]
            return samples_of_folds(counts, dataset, metrics, ratio)
        # samples of data sets use every metric of the summary
        for name in metrics:
            if name not in self.metrics:
                raise DataError(
                    f"there is no metric '{name}' in the summary; "
                    f"{did_you_mean(name, list(self.metrics.columns))}"
                )
        selected = self.metrics.index.get_level_values("classifier").isin(classifiers)
        return samples_of_datasets(self.metrics[selected], metrics, {})

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name, without those that are None, with the tests' numbers."""
        frames = {
            name: value for name, value in vars(self).items() if isinstance(value, pd.DataFrame)
        }
        if "friedman" in self.tests:
            frames["friedman"] = self.tests["friedman"].tests
            frames["mean_ranks"] = self.tests["friedman"].mean_ranks.to_frame()
        if "holm" in self.tests:
            frames["holm"] = self.tests["holm"].pairs.set_index(["first", "second"])
        if "anova" in self.tests:
            frames["anova"] = pd.concat(
                {name: test.table for name, test in self.tests["anova"].items()},
                names=["panel", "metric", "source"],
            )
        return frames


def summarize_plan(plan: Plan) -> StudySummary:
    """Return every table of a study from what its store holds, done or not.

    Raises
    ------
    DataError
        Where the store holds no complete pair of data set and classifier.
    """
    tasks = plan.tasks()
    rows = current_rows(plan, tasks)
    counts, left_out = complete_counts(plan, rows, tasks)
    settings = summary_settings(plan, counts)
    study_metrics = plan.study_metrics
    # everything that some table below needs, computed once
    names = [
        *plan.metrics,
        *settings.outputs,
        *settings.inputs,
        *plan.dea["target_outputs"],
        plan.tests["metric"],
        *plan.floors,
        "balanced_accuracy",
    ]
    if plan.classes == "two":
        names.append("IBA")
    metrics = study_metrics.compute(counts, names, lambda: read_arrays(plan.store, counts["key"]))
    constant = aggregate.constant_classifiers(metrics, counts)
    below_floors = aggregate.classifiers_below_floors(metrics, plan.floors, study_metrics)
    settings = _without_classifiers(settings, below_floors)
    # tables by group, averages before and after DEA
    facts = describe_datasets(plan)
    groups = aggregate.group_datasets(facts, settings)
    means = aggregate.group_means(metrics, groups)
    per_dataset = aggregate.efficiencies_per_dataset(metrics, settings)
    families = None
    recommendation = None
    if settings.families:
        families = aggregate.efficiencies_by_family(metrics, groups, settings)
        if "type and ratio" in families.index.get_level_values("grouping"):
            recommendation = aggregate.recommend_families(
                families, lower_is_best=settings.lower_is_best
            )
    pivot = None
    if plan.dea["dmus"] != "classifiers":
        pivot = aggregate.efficiencies_of_other_dmus(metrics, settings, plan.dea["dmus"])
    # how certain it is
    tests, test_notes = run_tests(plan, metrics, means, settings.panels)
    verdicts, assumptions = judge_panels(metrics, counts, settings)
    failures = rows[rows["status"] != "done"].set_index(FOLD)
    return StudySummary(
        failures=failures[["status", "error_type", "error"]],
        counts=counts.drop(columns=["key", "confusion"]),
        left_out=left_out,
        metrics=metrics,
        facts=facts,
        groups=groups,
        means=means,
        per_dataset=per_dataset,
        efficiency=aggregate.efficiencies_two_ways(means, per_dataset, groups, settings),
        families=families,
        recommendation=recommendation,
        tests=tests,
        targets=_compute_targets(plan, metrics, study_metrics),
        pivot=pivot,
        notes=(
            *plan.data_notes,
            *_notes_on_numbers(settings, names, rows.attrs["damaged"]),
            *metrics.attrs.get("notes", ()),
            *_notes_on_classifiers(constant, below_floors),
            *test_notes,
            *per_dataset.attrs["notes"],
            *assumptions,
        ),
        verdicts=verdicts,
        outputs=tuple(settings.outputs),
        measure="inefficiency" if settings.lower_is_best else "efficiency",
        constant=constant,
        below_floors=below_floors,
    )


def _without_classifiers(settings: SummarySettings, below_floors: pd.DataFrame) -> SummarySettings:
    """Leave classifiers that miss a floor out of panels and families."""
    left_out = set(below_floors.index.get_level_values("classifier"))
    panels = {
        panel: [name for name in members if name not in left_out]
        for panel, members in settings.panels.items()
    }
    panels = {panel: members for panel, members in panels.items() if members}
    if not panels:
        nearest = below_floors.iloc[0]
        name, metric = below_floors.index[0]
        raise DataError(
            f"no classifier reaches the floors: {metric} of '{name}' is {nearest['value']:.3f}, "
            f"the floor {nearest['floor']:g}; give other floors"
        )
    families = {name: family for name, family in settings.families.items() if name not in left_out}
    return replace(settings, panels=panels, families=families)


def _notes_on_classifiers(constant: Sequence[str], below_floors: pd.DataFrame) -> list[str]:
    """Return who is as good as a constant answer, and who misses a floor."""
    notes = [
        f"'{name}' is no better than to answer with the same class always (by its mean balanced "
        "accuracy)"
        for name in constant
    ]
    for (name, metric), row in below_floors.iterrows():
        notes.append(
            f"'{name}' is not ranked: its mean {metric}, {row['value']:.3f}, misses the floor "
            f"{row['floor']:g}"
        )
    return notes


def _notes_on_numbers(settings: SummarySettings, metrics: list[str], damaged: int) -> list[str]:
    """Return what a reader should know of the numbers."""
    notes = []
    if settings.lower_is_best:
        notes.append(
            f"model '{resolve_options(settings.model).name}' gives inefficiencies: 0 is best, and "
            "rank 1 is the lowest"
        )
    times = sorted(set(metrics) & set(TIMES))
    if times:
        notes.append(
            f"{' and '.join(times)} are CPU times of the machine that ran the study, and other "
            "ones on another"
        )
    if damaged:
        notes.append(
            f"{damaged} results of the store are damaged and left out; 'deabench study verify' "
            "names them"
        )
    return notes


def complete_counts(
    plan: Plan, rows: pd.DataFrame, tasks: TaskList
) -> tuple[pd.DataFrame, tuple[tuple[str, str], ...]]:
    """Return the counts of pairs whose folds are all done, imported ones too, and the other pairs.

    A pair is a data set and a classifier.
    """
    # a pair is complete when all of its folds are done
    done = rows[rows["status"] == "done"]
    all_folds = Counter((task.data.name, task.learner.name) for task in tasks)
    pairs = list(zip(done["dataset"].tolist(), done["classifier"].tolist(), strict=True))
    done_folds = Counter(pairs)
    complete = {pair for pair, folds in all_folds.items() if done_folds[pair] == folds}
    is_complete = np.array([pair in complete for pair in pairs], dtype=bool)
    columns = [*FOLD, *CELLS, "fit_seconds", "score_seconds", "key", "confusion"]
    own_rows = done.loc[is_complete, columns].assign(source="study")
    tables = [table for table in (own_rows, imported_counts(plan)) if len(table)]
    if not tables:
        _refuse_empty(plan, rows)
    left_out = tuple(pair for pair in all_folds if pair not in complete)
    return pd.concat(tables, ignore_index=True), left_out


def _refuse_empty(plan: Plan, rows: pd.DataFrame) -> NoReturn:
    """Say why no pair is complete: what failed, or that nothing has run."""
    failed = rows[rows["status"] != "done"]
    reason = f"run 'deabench study run {plan.file}'"
    if len(failed):
        reason = (
            f"{len(failed)} of its {len(rows)} results are failures: {describe_errors(failed)}. "
            "Study.errors() lists them with their tracebacks"
        )
    raise DataError(f"the store '{plan.store}' holds no complete result yet; {reason}")


def summary_settings(plan: Plan, counts: pd.DataFrame) -> SummarySettings:
    """Return the study's [dea] and [groups]; imported classifiers belong to every panel."""
    present = list(dict.fromkeys(counts["classifier"]))
    learners = {spec.name for spec in plan.learners}
    imported = [name for name in present if name not in learners]
    # without panels all classifiers are ranked together
    panels = plan.dea["panels"] or {"all": present}
    outputs = plan.dea["outputs"]
    return SummarySettings(
        outputs=outputs,
        panels={
            panel: list(dict.fromkeys([*members, *imported])) for panel, members in panels.items()
        },
        families=families_of_classifiers(plan, present),
        inputs=plan.dea["inputs"],
        model=build_model(plan.dea),
        mixed=plan.groups["mixed"],
        ratio_edges=plan.groups["imbalance_ratio"],
        complemented=plan.study_metrics.complemented_outputs(outputs),
    )


def families_of_classifiers(plan: Plan, present: Sequence[str]) -> dict[str, str]:
    """Return the family of each classifier: the study's, else the paper's, else an inferred one.

    Imported classifiers have only those that the study names.
    """
    # the paper's names first, then what the pipeline is made of, then what the study says
    families = {}
    for spec in plan.learners:
        in_paper = not spec.imported and spec.use in PAPER_FAMILIES
        families[spec.name] = PAPER_FAMILIES[spec.use] if in_paper else plan.family(spec)
    families |= plan.groups["families"]
    return {name: family for name, family in families.items() if name in present}


def describe_datasets(plan: Plan) -> pd.DataFrame:
    """Return the facts of each data set; its own type label first, else the inferred one."""
    rows = {}
    for data in plan.datasets():
        size = {"rows": len(data.y), "features": data.features}
        if plan.classes == "all":
            # types and shares are defined for a minority: of two classes only
            rows[data.name] = {
                **size,
                "classes": len(data.classes),
                "imbalance_ratio": data.imbalance_ratio,
                "type": data.type,
            }
            continue
        inferred = infer_data_type(data)
        use_label = plan.groups["type"] == "label" and data.type
        use_paper = plan.groups["imbalance_ratio_from"] == "paper"
        rows[data.name] = {
            **size,
            "positives": int(data.y.sum()),
            "imbalance_ratio": data.paper_ir if use_paper else data.imbalance_ratio,
            "type": data.type if use_label else inferred.label,
            "given_type": data.type,
            "computed_type": inferred.label,
            **inferred.shares,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")


def _compute_targets(
    plan: Plan, metrics: pd.DataFrame, study_metrics: StudyMetrics
) -> pd.DataFrame | None:
    tested = list(plan.dea["tested"])
    if not tested:
        return None
    present = list(dict.fromkeys(metrics.index.get_level_values("classifier")))
    outputs = plan.dea["target_outputs"]
    return aggregate.targets_per_dataset(
        metrics,
        tested,
        # without a reference all others span the frontier
        plan.dea["reference"] or [name for name in present if name not in tested],
        outputs=outputs,
        norm=plan.dea["norm"],
        complemented=study_metrics.complemented_outputs(outputs),
    )

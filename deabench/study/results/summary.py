"""The summary of a study: every table that comes out of it, in one result."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.study.data.data_type import data_type
from deabench.study.learners.registry import APPROACH, approach_of
from deabench.study.plans.jobs import Jobs
from deabench.study.plans.options import rank_options
from deabench.study.plans.plan import Plan
from deabench.study.results import aggregate as s
from deabench.study.results import uncertainty, views
from deabench.study.results.measures import TIMES, Measures
from deabench.study.results.outside import imported_counts
from deabench.study.results.status import current_rows
from deabench.study.results.store import read_arrays
from deabench.utils.checks import did_you_mean
from deabench.utils.result import Result

if TYPE_CHECKING:
    from deabench.inference.samples import Samples

IBA = "IBA"


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Result):
    """What came out of a study.

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
        friedman, holm (against the control) and anova (by panel and metric, over the types), as the
        study file asks.
    targets : DataFrame or None
        Of the tested classifiers on every data set's frontier.
    pivot : DataFrame or None
        Where the study's DMUs are not its classifiers.
    notes : tuple of str
        What weakens the numbers.
    verdicts : DataFrame or None
        Index (panel, classifier): score, lower, upper, verdict, best_rank, worst_rank and tier over
        the data sets as a sample of data sets like these (of one data set: over its folds); None
        where there is nothing to judge by, as the notes say.
    outputs : tuple of str
        The metrics that the efficiencies are made of.
    """

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

    def samples(
        self,
        dataset: str | None = None,
        *,
        metrics: Sequence[str] | None = None,
        classifiers: Sequence[str] | None = None,
        ratio: float | None = None,
    ) -> Samples:
        """The study's results as samples for `deabench.uncertainty` and `deabench.gate`.

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
        known = list(dict.fromkeys(self.counts["classifier"]))
        for name in classifiers or ():
            if name not in known:
                raise DataError(
                    f"there is no classifier '{name}' in the study; {did_you_mean(name, known)}"
                )
        chosen, names = (
            list(classifiers or known),
            list(metrics if metrics is not None else self.outputs),
        )
        if dataset is not None:
            return uncertainty.of_folds(
                self.counts[self.counts["classifier"].isin(chosen)], dataset, names, ratio
            )
        for name in names:
            if name not in self.metrics:
                raise DataError(
                    f"there is no metric '{name}' in the summary; {did_you_mean(name, list(self.metrics.columns))}"
                )
        return uncertainty.of_datasets(
            self.metrics[self.metrics.index.get_level_values("classifier").isin(chosen)], names, {}
        )

    def to_frame(self) -> pd.DataFrame:
        """The efficiencies, two ways, by group of data sets."""
        return self.efficiency

    def summary(self) -> str:
        """Failures first, then who leads over all data sets."""
        said = [f"{len(self.failures)} tasks failed"] if len(self.failures) else []
        said += (
            [f"{len(self.left_out)} pairs of data set and classifier are left out"]
            if self.left_out
            else []
        )
        for panel, table in self.efficiency.loc[s.ALL].groupby(level="panel", sort=False):
            one = table.droplevel("panel")
            best = one["dea_then_average"].dropna()
            if len(best):
                place = "" if panel == "all" else f" of panel '{panel}'"
                said.append(
                    f"'{best.idxmax()}' has the highest mean efficiency{place}, {best.max():.3f} over "
                    f"{int(one['datasets'].max())} data sets"
                )
                said += self._proved(str(panel))
        return "; ".join(said)

    def _proved(self, panel: str) -> list[str]:
        """How many of a panel are proved apart."""
        if self.verdicts is None or panel not in self.verdicts.index.get_level_values("panel"):
            return []
        one = self.verdicts.loc[panel]
        first, apart = (
            int((one["best_rank"] == 1).sum()),
            int((one["verdict"] == "dominated").sum()),
        )
        return [f"{apart} of {len(one)} are proved dominated, and {first} could be first"]

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables by name, those that there are; the tests' numbers among them."""
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


def summary(plan: Plan) -> Summary:
    """Every table of a study from what its store holds, done or not.

    Raises
    ------
    DataError
        Where the store holds no complete pair of data set and classifier.
    """
    jobs = plan.jobs()
    rows = current_rows(plan, jobs)
    counts, left_out = complete(plan, rows, jobs)
    settings, measures = settings_of(plan, counts), Measures(plan.classes, plan.declared)
    known = [
        *plan.metrics,
        *settings.outputs,
        *settings.inputs,
        *plan.dea["target_outputs"],
        plan.tests["metric"],
        *([IBA] if plan.classes == "two" else []),
    ]
    metrics = measures.table(counts, known, lambda: read_arrays(plan.store, counts["key"]))
    facts = facts_of(plan)
    groups = s.membership(facts, settings)
    means = s.group_means(metrics, groups)
    single = s.per_dataset(metrics, settings)
    families = s.by_family(metrics, groups, settings) if settings.families else None
    typed = (
        families is not None
        and (families.index.get_level_values("grouping") == "type and ratio").any()
    )
    tests, notes = run_tests(plan, metrics, means, settings.panels)
    judged, assumed = uncertainty.verdicts(metrics, counts, settings)
    failed = rows[rows["status"] != "done"].set_index(["dataset", "classifier", "repeat", "fold"])
    return Summary(
        failed[["status", "error_type", "error"]],
        counts.drop(columns=["key", "confusion"]),
        left_out,
        metrics,
        facts,
        groups,
        means,
        single,
        s.two_ways(means, single, groups, settings),
        families,
        s.recommendation(families, low=settings.low) if typed else None,
        tests,
        _targets(plan, metrics, measures),
        None
        if plan.dea["dmus"] == "classifiers"
        else views.pivot(metrics, settings, plan.dea["dmus"]),
        (
            *plan.data_notes,
            *_measured(settings),
            *_weakens(known, rows),
            *metrics.attrs.get("notes", ()),
            *notes,
            *single.attrs["notes"],
            *assumed,
        ),
        judged,
        tuple(settings.outputs),
    )


def _measured(settings: s.Settings) -> tuple[str, ...]:
    """What the numbers are where they are no efficiencies."""
    return (
        (f"model '{settings.model}' gives inefficiencies: 0 is best, and rank 1 is the lowest",)
        if settings.low
        else ()
    )


def _weakens(metrics: list[str], rows: pd.DataFrame) -> list[str]:
    """What a reader should know of the numbers."""
    times = sorted(set(metrics) & set(TIMES))
    said = (
        [
            f"{' and '.join(times)} are CPU times of the machine that ran the study, and other ones on another"
        ]
        if times
        else []
    )
    if rows.attrs["damaged"]:
        said.append(
            f"{rows.attrs['damaged']} results of the store are damaged and left out; 'deabench study verify' names them"
        )
    return said


def complete(
    plan: Plan, rows: pd.DataFrame, jobs: Jobs
) -> tuple[pd.DataFrame, tuple[tuple[str, str], ...]]:
    """The counts of pairs all of whose folds are done, with outside results; and the pairs left
    out.
    """
    done = rows[rows["status"] == "done"]
    wanted = Counter((job.data.name, job.learner.name) for job in jobs)
    pairs = list(zip(done["dataset"].tolist(), done["classifier"].tolist(), strict=True))
    found = Counter(pairs)
    whole = {pair for pair, tasks in wanted.items() if found[pair] == tasks}
    kept = done[np.array([pair in whole for pair in pairs], dtype=bool)]
    columns = [
        "dataset",
        "classifier",
        "repeat",
        "fold",
        "tp",
        "fn",
        "fp",
        "tn",
        "fit_seconds",
        "score_seconds",
        "key",
        "confusion",
    ]
    parts = [
        part for part in (kept[columns].assign(source="study"), imported_counts(plan)) if len(part)
    ]
    counts = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if counts.empty:
        raise DataError(
            f"the store '{plan.store}' holds no complete result yet; run 'deabench study run {plan.file}'"
        )
    return counts, tuple(pair for pair in wanted if pair not in whole)


def settings_of(plan: Plan, counts: pd.DataFrame) -> s.Settings:
    """The study file's [dea] and [groups] for `deabench.study.results.aggregate`."""
    present = list(dict.fromkeys(counts["classifier"]))
    panels = plan.dea["panels"] or {"all": present}
    outside = [name for name in present if name not in {spec.name for spec in plan.learners}]
    panels = {panel: list(dict.fromkeys([*members, *outside])) for panel, members in panels.items()}
    dea = {name: plan.dea[name] for name in ("outputs", "inputs")}
    lower = Measures(plan.classes, plan.declared).complemented(plan.dea["outputs"])
    return s.Settings(
        panels=panels,
        families=families_of(plan, present),
        mixed=plan.groups["mixed"],
        ratios=plan.groups["imbalance_ratio"],
        lower=lower,
        model=rank_options(plan.dea),
        **dea,
    )


def families_of(plan: Plan, present: Sequence[str]) -> dict[str, str]:
    """The family of each classifier: what the study says, else the paper's, else by what it is made
    of (`approach_of`).

    Results from elsewhere belong to none but what the study says.
    """
    own = {
        spec.name: APPROACH[spec.use]
        if not spec.imported and spec.use in APPROACH
        else approach_of(spec)
        for spec in plan.learners
    }
    return {
        name: family
        for name, family in {**own, **plan.groups["families"]}.items()
        if name in present
    }


def facts_of(plan: Plan) -> pd.DataFrame:
    """What is known of each data set; the user's own label first, the computed one where there is
    none.
    """
    rows = {}
    for data in plan.datasets():
        if plan.classes == "all":
            rows[data.name] = {
                "rows": len(data.y),
                "features": data.features,
                "classes": len(data.classes),
                "imbalance_ratio": data.imbalance_ratio,
                "type": data.type,
            }
            continue
        typed = data_type(data)
        use_given = plan.groups["type"] == "label" and data.type
        paper = plan.groups["imbalance_ratio_from"] == "paper"
        rows[data.name] = {
            "rows": len(data.y),
            "features": data.features,
            "positives": int(data.y.sum()),
            "imbalance_ratio": data.paper_ir if paper else data.imbalance_ratio,
            "type": data.type if use_given else typed.label,
            "given_type": data.type,
            "computed_type": typed.label,
            **typed.shares,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")


def run_tests(
    plan: Plan, metrics: pd.DataFrame, means: pd.DataFrame, panels: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The tests that the study file asks for; one that cannot be done says so among the notes."""
    metric, alpha = plan.tests["metric"], plan.tests["alpha"]
    wide = metrics[metric].unstack("classifier")[
        list(dict.fromkeys(metrics.index.get_level_values("classifier")))
    ]
    wide = wide.dropna()
    known: dict[str, Callable[[], Any]] = {
        "friedman": lambda: _friedman(wide),
        "holm": lambda: _holm(wide, plan.tests["control"], alpha),
    }
    tests, notes = {}, []
    for kind in plan.tests["kinds"]:
        if kind == "anova":
            found, said = _anovas(means, plan.metrics, panels, alpha)
        else:
            found, said = _heard(kind, known[kind])
        notes += said
        if found is not None:
            tests[kind] = found
    return tests, tuple(notes)


def _heard(name: str, test: Callable[[], Any]) -> tuple[Any, list[str]]:
    """A test's result, or None where it cannot be done, and what it warned of or failed for."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DataWarning)
        try:
            found = test()
        except DataError as error:
            return None, [f"no {name}: {error}"]
    return found, [f"{name}: {warning.message}" for warning in heard]


def _friedman(wide: pd.DataFrame) -> Any:
    from deabench.compare import friedman

    return friedman(wide)


def _holm(wide: pd.DataFrame, control: str | None, alpha: float) -> Any:
    """Every classifier against the control (by default the one of the best mean rank), Holm's
    adjustment.
    """
    from deabench.compare import friedman, pairwise

    best = control or str(friedman(wide).mean_ranks.idxmin())
    return pairwise(wide, control=best, adjust="holm", alpha=alpha)


def _anovas(
    means: pd.DataFrame, metrics: tuple[str, ...], panels: Mapping[str, Sequence[str]], alpha: float
) -> tuple[dict[tuple[str, str], Any] | None, list[str]]:
    """The paper's Tables 7 and 8: does the mean of a metric over a panel's classifiers differ
    between types?
    """
    from deabench.compare import anova

    found, notes = {}, []
    if "type" not in means.index.get_level_values("grouping"):
        return None, ["no anova: the data sets have no type"]
    for panel, members in panels.items():
        rows = means.loc["type"]
        rows = rows[rows.index.get_level_values("classifier").isin(members)]
        for metric in metrics:
            groups = {
                str(group): values.to_numpy()
                for group, values in rows[metric].groupby(level="group")
            }
            test, said = _heard(
                f"anova of {metric} (panel {panel})", partial(anova, groups, alpha=alpha)
            )
            notes += said
            if test is not None:
                found[panel, metric] = test
    return found or None, notes


def _targets(plan: Plan, metrics: pd.DataFrame, measures: Measures) -> pd.DataFrame | None:
    tested = list(plan.dea["tested"])
    if not tested:
        return None
    present = list(dict.fromkeys(metrics.index.get_level_values("classifier")))
    reference = plan.dea["reference"] or [name for name in present if name not in tested]
    outputs = plan.dea["target_outputs"]
    return views.frontier_targets(
        metrics,
        tested,
        reference,
        outputs=outputs,
        norm=plan.dea["norm"],
        lower=measures.complemented(outputs),
    )

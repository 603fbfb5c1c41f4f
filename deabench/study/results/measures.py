"""What a study can rank by: metrics of counts, of scores, times, metrics of many classes, and
metrics of the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import DIRECTION, METRICS, SCORE_METRICS, from_counts
from deabench.metrics.score_metrics import find_score_metric
from deabench.tables.vocabulary import look_up_metric
from deabench.utils.checks import did_you_mean

CELLS = ["tp", "fn", "fp", "tn"]
PAIR = ["dataset", "classifier"]
TIMES = ("fit_seconds", "score_seconds")
"""Mean CPU seconds of a fold for fitting and for predicting: better low, and other on another
machine.
"""

DEFAULTS = {
    "two": ("TPR", "TNR", "balanced_accuracy", "G-mean", "F1"),
    "all": ("accuracy", "balanced_accuracy", "macro_F1", "lowest_TPR"),
}
"""Two classes: the outputs of the 2022 paper's section 4.3: sensitivity, specificity, "AUC" (their
mean), G-mean, F.
"""


def _recalls(matrices: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(matrices, axis1=1, axis2=2) / matrices.sum(axis=2))


def _macro_f1(matrices: np.ndarray) -> np.ndarray:
    hits = np.diagonal(matrices, axis1=1, axis2=2)
    return np.asarray((2 * hits / (matrices.sum(axis=1) + matrices.sum(axis=2))).mean(axis=1))


def _kappa(matrices: np.ndarray) -> np.ndarray:
    n = matrices.sum(axis=(1, 2))
    chance = (matrices.sum(axis=1) * matrices.sum(axis=2)).sum(axis=1) / n**2
    return np.asarray((_accuracy(matrices) - chance) / (1 - chance))


def _accuracy(matrices: np.ndarray) -> np.ndarray:
    return np.asarray(np.trace(matrices, axis1=1, axis2=2) / matrices.sum(axis=(1, 2)))


def _mcc(matrices: np.ndarray) -> np.ndarray:
    """Gorodkin's R_K (2004, Computational Biology and Chemistry 28, 367-374)."""
    n, true, said = matrices.sum(axis=(1, 2)), matrices.sum(axis=2), matrices.sum(axis=1)
    cov = np.trace(matrices, axis1=1, axis2=2) * n - (true * said).sum(axis=1)
    return np.asarray(
        cov / np.sqrt((n**2 - (said**2).sum(axis=1)) * (n**2 - (true**2).sum(axis=1)))
    )


MANY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": lambda m: _recalls(m).mean(axis=1),
    "macro_F1": _macro_f1,
    "lowest_TPR": lambda m: _recalls(m).min(axis=1),
    "kappa": _kappa,
    "MCC": _mcc,
}
"""Metrics of confusion matrices (k x k, rows true), all better high; balanced accuracy is the mean
of the recalls.
"""


@dataclass(frozen=True)
class Measures:
    """The metrics of a study: of two classes or of all, and the user's own by name.

    Attributes
    ----------
    classes : str
        "two" or "all".
    declared : mapping of str to metric
        As `deabench.metrics.Metric`, or a function of (y_true, y_pred) whose value is better high
        unless the vocabulary knows its name for one that is better low.
    """

    classes: str = "two"
    declared: Mapping[str, Any] = field(default_factory=dict)

    @property
    def known(self) -> list[str]:
        own = [*METRICS, *SCORE_METRICS] if self.classes == "two" else list(MANY)
        return [*own, *TIMES, *self.declared]

    def check(self, where: str, name: str) -> None:
        """Refuse a name that no metric has.

        Raises
        ------
        DataError
        """
        if name not in self.known and self.of_rows(name) is None:
            of = (
                ""
                if self.classes == "two" or name not in DIRECTION
                else " of more classes than two"
            )
            near = did_you_mean(name, self.known)
            said = (
                near
                if near.startswith("did") or len(self.known) <= 12
                else "see docs/study.md for those there are"
            )
            raise DataError(f"{where}: there is no metric '{name}'{of}; {said}")

    def of_rows(self, name: str) -> Any:
        """What is computed from the kept test rows: a metric of the user's own, or one of scores
        ('brier', 'precision@10').
        """
        if name in self.declared:
            return self.declared[name]
        if self.classes != "two" or name in (*METRICS, *TIMES):
            return None
        return name if name in SCORE_METRICS else find_score_metric(name)

    def ranks(self, where: str, name: str) -> None:
        """Refuse as an output what has no better side, or is better low and has no greatest value.

        Raises
        ------
        DataError
        """
        if self.better(name) == "neither":
            raise DataError(
                f"{where}: metric '{name}' is neither better high nor low; it cannot rank a classifier"
            )
        if self.cost(name):
            raise DataError(
                f"{where}: metric '{name}' is better low and has no greatest value; name it among the inputs"
            )

    def better(self, name: str) -> str:
        """higher, lower or neither: as the user's own metric says, else as the vocabulary knows the
        name.
        """
        own = getattr(self._own(name), "higher_is_better", None)
        if own is not None:
            return "higher" if own else "lower"
        known = look_up_metric(name)
        if known is None or (name in self.declared and known.better == "neither"):
            return "higher"  # a function of one's own: its value is better high
        return known.better

    def highest(self, name: str) -> float:
        """The greatest value that a metric can take; infinity where there is none."""
        own = getattr(self._own(name), "range", None)
        if own is not None:
            return float(own[1])
        known = look_up_metric(name)
        if (
            name in self.declared
        ):  # a rate by its name, as an error rate is; nothing is known of other functions
            return known.high if known is not None and known.better == "lower" else float("inf")
        return known.high if known is not None else 1.0

    def _own(self, name: str) -> Any:
        """The metric of the user's own, or of scores, that knows its direction and range."""
        return self.declared[name] if name in self.declared else self.of_rows(name)

    def cost(self, name: str) -> bool:
        """Whether it is better low and unbounded, so that it can only be an input."""
        return self.better(name) == "lower" and not np.isfinite(self.highest(name))

    def complemented(self, names: list[str]) -> dict[str, float]:
        """The outputs that are better low, each with its greatest value: what `rank` takes as
        lower_is_better.
        """
        return {name: self.highest(name) for name in names if self.better(name) == "lower"}

    def table(
        self, counts: pd.DataFrame, names: list[str], rows: Callable[[], Mapping[str, Any]]
    ) -> pd.DataFrame:
        """Every metric of every data set and classifier.

        Counts are pooled over the folds before a metric is taken; metrics of scores are taken on
        each fold and averaged, as scores of two models are on two scales (Forman and Scholz 2010,
        SIGKDD Explorations 12, 49-57); times are means.

        Parameters
        ----------
        counts : DataFrame
            dataset, classifier, repeat, fold, the counts, the seconds and each task's key.
        rows : function
            Gives the kept test rows by key, if they are asked for.

        Returns
        -------
        DataFrame
            Index (dataset, classifier), in order of first appearance.
        """
        names = list(dict.fromkeys(names))
        parts = [
            self._counted(
                counts,
                [
                    n
                    for n in names
                    if n in (METRICS if self.classes == "two" else MANY) and n not in self.declared
                ],
            )
        ]
        times = [name for name in names if name in TIMES and name not in self.declared]
        if times:
            parts.append(counts.groupby(PAIR, sort=False)[times].mean())
        scored = {name: self.of_rows(name) for name in names if self.of_rows(name) is not None}
        if scored:
            from deabench.study.results.scored import scored_metrics

            parts.append(scored_metrics(counts, scored, rows()))
        attrs = parts[0].attrs
        found = pd.concat(parts, axis=1)[names]
        found.attrs = {
            **attrs,
            "notes": tuple(note for part in parts for note in part.attrs.get("notes", ())),
        }
        return found

    def _counted(self, counts: pd.DataFrame, names: list[str]) -> pd.DataFrame:
        if self.classes == "two":
            pooled = counts.groupby(PAIR, sort=False)[CELLS].sum()
            return from_counts(pooled, metrics=names) if names else pd.DataFrame(index=pooled.index)
        parts = []
        for (dataset, classifier), one in counts.groupby(PAIR, sort=False):
            matrix = np.sum([matrix_of(cells) for cells in one["confusion"]], axis=0)[None]
            with np.errstate(divide="ignore", invalid="ignore"):
                values = {name: float(MANY[name](matrix.astype(float))[0]) for name in names}
            parts.append({"dataset": dataset, "classifier": classifier, **values})
        return pd.DataFrame(parts, columns=[*PAIR, *names]).set_index(PAIR)


def matrix_of(cells: tuple[int, ...]) -> np.ndarray:
    """The confusion matrix of a task, k x k, from its cells row by row."""
    side = round(len(cells) ** 0.5)
    return np.array(cells, dtype=np.int64).reshape(side, side)

"""One table, several frontiers: layers of a table, groups and their meta-frontier, and two periods (Malmquist)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.checks import did_you_mean
from deabench.dea.explain import listed
from deabench.dea.models import ModelName
from deabench.dea.ranking import Ranking, rank
from deabench.errors import DataError, DataWarning
from deabench.results import Result


@dataclass(frozen=True, eq=False, repr=False)
class Layers(Result):
    """Layers of efficient DMUs.

    Attributes
    ----------
    frame : DataFrame
        `layer` of each DMU, 1 the frontier, 2 the frontier of the rest, and so on.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.layers(wine, outputs=["TPR", "TNR"])
    >>> int(answer.frame["layer"].max())
    4
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """How many layers there are, and who is in each."""
        groups = self.frame.groupby("layer").groups
        return f"{len(groups)} layers. " + " ".join(f"{layer}: {listed(who)}." for layer, who in list(groups.items())[:4])


def layers(
    table: pd.DataFrame,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
) -> Layers:
    """The frontier, that of the rest without it, and so on (Seiford, Zhu 2003): a coarse order that needs no weights.

    Parameters
    ----------
    table, outputs, inputs, lower_is_better, model
        As for `deabench.rank`; with model "fdh" a layer is what nobody in the rest dominates.

    Returns
    -------
    Layers

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.layers(wine, outputs=["TPR", "TNR"]).frame["layer"].to_dict()
    {'RUS+SVM': 1, 'CS-MCQP': 1, 'Bagging': 1, 'AdaBoostM1': 2, 'OSS+SVM': 3, 'RBF': 4}
    """
    options: dict[str, Any] = {"outputs": outputs, "inputs": inputs, "lower_is_better": lower_is_better, "model": model}
    ranking = rank(table, **options)
    found, layer, rest, notes = pd.Series(0, index=table.index, name="layer"), 1, table, ranking.notes
    while True:
        found[ranking.scores.index[ranking.efficient]] = layer
        rest = rest.loc[found[rest.index] == 0]
        if not len(rest):
            break
        if not ranking.efficient.any():
            raise DataError(f"nobody of layer {layer} is efficient under model '{ranking.record.name}'; use another model")
        ranking, layer = _quietly(rest, **options), layer + 1
    frame = found.to_frame().sort_values("layer", kind="stable")
    frame.index.name = "classifier"
    return Layers(frame, notes)


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Result):
    """Group frontiers and the meta-frontier.

    Attributes
    ----------
    frame : DataFrame
        `group`; `in_group` and `meta`: efficiency in its group, and among all; `gap` = meta / in_group, at most 1: how near the
        group's frontier comes to everybody's there.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.groups(wine, {name: "SVM" if "SVM" in name else "other" for name in wine.index}, outputs=["TPR", "TNR"])
    >>> answer.frame.loc["RUS+SVM", ["in_group", "meta", "gap"]].round(3).tolist()
    [1.0, 1.0, 1.0]
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """How near each group's frontier comes to the common one."""
        means = self.frame.groupby("group", sort=False)["gap"].mean().sort_values(ascending=False)
        said = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
        return f"Mean gap to the common frontier (1 is none): {said}."


def groups(
    table: pd.DataFrame,
    by: str | Mapping[object, object] | pd.Series,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
) -> Groups:
    """Each DMU in its group and among all: technology gap ratios (O'Donnell, Rao, Battese 2008).

    Parameters
    ----------
    by : column name, or mapping of label to group
        What the groups are: family of the classifier, imbalance of the data, noise.
    table, outputs, inputs, lower_is_better, model
        As for `deabench.rank`.

    Returns
    -------
    Groups

    Raises
    ------
    DataError
        Where a DMU has no group, or as `deabench.rank`.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.groups(wine, {name: "SVM" if "SVM" in name else "other" for name in wine.index}, outputs=["TPR", "TNR"])
    >>> answer.frame["gap"].round(3).to_dict()
    {'RBF': 1.0, 'OSS+SVM': 0.975, 'RUS+SVM': 1.0, 'AdaBoostM1': 1.0, 'CS-MCQP': 1.0, 'Bagging': 1.0}
    """
    if isinstance(by, str):
        if by not in table.columns:
            raise DataError(f"there is no column '{by}' in the table; {did_you_mean(by, list(table.columns))}")
        given, table = table[by], table.drop(columns=by)
    else:
        given = pd.Series(dict(by)).reindex(table.index)
    if given.isna().any():
        raise DataError(f"'{given.index[given.isna()][0]}' has no group; give every classifier one")
    options: dict[str, Any] = {"outputs": outputs, "inputs": inputs, "lower_is_better": lower_is_better, "model": model}
    meta = rank(table, **options)
    own = pd.concat([_quietly(table.loc[given == name], **options).scores for name in dict.fromkeys(given)])
    frame = pd.DataFrame({"group": given, "in_group": own.reindex(table.index), "meta": meta.scores})
    frame["gap"] = frame["meta"] / frame["in_group"]
    frame.index.name = "classifier"
    small = [f"group '{name}' has {count} classifiers: its own frontier says little" for name, count in given.value_counts().items()
             if count < 3 * meta.slacks.shape[1]]
    return Groups(frame, (*meta.notes, *small))


@dataclass(frozen=True, eq=False, repr=False)
class Malmquist(Result):
    """Change between two periods or conditions.

    Attributes
    ----------
    frame : DataFrame
        `index` = `efficiency_change` · `technical_change`, each above 1 where it got better: nearer to the frontier of its own
        period, and the frontier itself further out where it is.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.malmquist(wine, wine, outputs=["TPR", "TNR"])
    >>> answer.frame["index"].round(9).unique().tolist()
    [1.0]
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """How many got better, and what the frontier did."""
        better = int((self.frame["index"] > 1).sum())
        middle = np.exp(np.log(self.frame[["index", "efficiency_change", "technical_change"]]).mean())
        return " ".join([
            f"{better} of {len(self.frame)} got better; in geometric mean {middle['index']:.3f} = "
            f"{middle['efficiency_change']:.3f} "
            f"(nearer to the frontier) times {middle['technical_change']:.3f} (the frontier itself).",
            *(f"{note[:1].upper()}{note[1:]}." for note in self.notes)])


def malmquist(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
) -> Malmquist:
    """The Malmquist index between two tables of the same classifiers (Färe, Grosskopf, Norris, Zhang 1994), constant returns.

    Parameters
    ----------
    before, after : DataFrame
        Two periods, or two conditions as clean and noisy data; classifiers that are in both are compared, all span the frontiers.
    outputs, inputs, lower_is_better
        As for `deabench.rank`.

    Returns
    -------
    Malmquist

    Raises
    ------
    DataError
        Where the two have no classifier in common, or as `deabench.rank`.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> noisy = wine * [0.9, 0.95]
    >>> db.malmquist(wine, noisy, outputs=["TPR", "TNR"]).frame.loc["RBF"].round(3).to_dict()
    {'index': 0.9, 'efficiency_change': 1.0, 'technical_change': 0.9}
    """
    both = before.index.intersection(after.index, sort=False)
    if not len(both):
        raise DataError("the two tables have no classifier in common; give both the same labels")
    model: ModelName = "ccr" if inputs or (not isinstance(lower_is_better, Mapping) and len(lower_is_better)) or (
        isinstance(lower_is_better, Mapping) and "input" in lower_is_better.values()) else "wei"
    options: dict[str, Any] = {"outputs": outputs, "inputs": inputs, "lower_is_better": lower_is_better, "model": model}
    first = rank(before, **options)
    options["outputs"] = list(first.data.outputs.columns)
    second = _quietly(after, **options)
    old_now = _quietly(after.loc[both], reference=before, **options).scores
    now_old = _quietly(before.loc[both], reference=after, **options).scores
    change = second.scores[both] / first.scores[both]
    technical = np.sqrt(old_now / second.scores[both] * first.scores[both] / now_old)
    frame = pd.DataFrame({"index": change * technical, "efficiency_change": change, "technical_change": technical})
    frame.index.name = "classifier"
    left = sorted({str(name) for name in before.index.symmetric_difference(after.index)})
    return Malmquist(frame, (*first.data.notes, *((f"in one of the two only: {listed(left)}",) if left else ())))


def _quietly(table: pd.DataFrame, **options: Any) -> Ranking:
    """`rank` on a part of what was warned of before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return rank(table, **options)

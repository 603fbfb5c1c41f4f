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
from deabench.dea.uncertainty.radius import between_layers
from deabench.errors import DataError, DataWarning
from deabench.results import Result
from deabench.tables.preparation import Missing, beside, complete, grouping, prepared, table_of, without
from deabench.tables.reading import read


@dataclass(frozen=True, eq=False, repr=False)
class Layers(Result):
    """Layers of efficient DMUs.

    Attributes
    ----------
    frame : DataFrame
        `layer` of each DMU, 1 the frontier, 2 the frontier of the rest, and so on; `progress`: its efficiency against the next
        better layer alone (NaN on the first); `attractiveness`: that against the next worse one (NaN on the last, and where that
        does not reach it). Without inputs also `stability`: the share by which its metrics may be off to one side, and all others'
        to the other, until it is in another layer.
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
    table: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
    missing: Missing = "refuse",
) -> Layers:
    """The frontier, that of the rest without it, and so on (Seiford, Zhu 2003): a coarse order that needs no weights.

    Parameters
    ----------
    table, outputs, inputs, lower_is_better, model, missing
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
    ready = prepared(table, outputs=outputs, inputs=inputs, lower_is_better=lower_is_better, missing=complete(missing))
    options: dict[str, Any] = {**ready.given, "model": model}
    rest = ready.table
    first = ranking = rank(rest, **options)
    found, layer, notes = pd.Series(0, index=rest.index, name="layer"), 1, (*ready.notes, *ranking.notes)
    while True:
        found[ranking.scores.index[ranking.efficient]] = layer
        rest = rest.loc[found[rest.index] == 0]
        if not len(rest):
            break
        if not ranking.efficient.any():
            raise DataError(f"nobody of layer {layer} is efficient under model '{ranking.record.name}'; use another model")
        ranking, layer = _quietly(rest, **options), layer + 1
    frame = found.to_frame()
    frame["progress"], frame["attractiveness"] = _against(ready.table, found, -1, options), _against(ready.table, found, 1, options)
    if first.record.name in ("wei", "score") and set(first.data.outputs) <= set(ready.table.columns):  # not quotients
        frame["stability"] = between_layers(first.data.outputs.to_numpy())
    frame = frame.sort_values("layer", kind="stable")
    frame.index.name = "classifier"
    return Layers(frame, notes)


def _against(table: pd.DataFrame, layer: pd.Series, step: int, options: Mapping[str, Any]) -> pd.Series:
    """Scores of each layer's DMUs against the layer one step worse, or better, alone."""
    scores = pd.Series(np.nan, index=table.index)
    for number in sorted(set(layer)):
        own, other = layer.index[layer == number], layer.index[layer == number + step]
        try:
            scores[own] = _quietly(table.loc[own], reference=table.loc[other], **options).scores if len(other) else np.nan
        except DataError:  # a model that takes no reference
            return scores
    return scores


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
    table: object,
    by: str | Mapping[object, object] | pd.Series,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
    missing: Missing = "refuse",
) -> Groups:
    """Each DMU in its group and among all: technology gap ratios (O'Donnell, Rao, Battese 2008).

    Parameters
    ----------
    by : column name, or mapping of label to group
        What the groups are: family of the classifier, imbalance of the data, noise.
    table, outputs, inputs, lower_is_better, model, missing
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
    given, source = _grouped(table, by)
    ready = prepared(source, outputs=outputs, inputs=inputs, lower_is_better=lower_is_better, missing=complete(missing))
    ready = without(ready, by) if isinstance(by, str) else ready
    rows, given = ready.table, given.reindex(ready.table.index)
    if given.isna().any():
        raise DataError(f"'{given.index[given.isna()][0]}' has no group; give every classifier one")
    options: dict[str, Any] = {**ready.given, "model": model}
    meta = rank(rows, **options)
    own = pd.concat([_quietly(rows.loc[given == name], **options).scores for name in dict.fromkeys(given)])
    frame = pd.DataFrame({"group": given, "in_group": own.reindex(rows.index), "meta": meta.scores})
    frame["gap"] = frame["meta"] / frame["in_group"]
    frame.index.name = "classifier"
    small = [f"group '{name}' has {count} classifiers: its own frontier says little" for name, count in given.value_counts().items()
             if count < 3 * meta.slacks.shape[1]]
    return Groups(frame, (*ready.notes, *meta.notes, *small))


def _grouped(table: object, by: str | Mapping[object, object] | pd.Series) -> tuple[pd.Series, object]:
    """The group of every classifier, and the table without it."""
    if not isinstance(by, str):
        return pd.Series(dict(by)), table
    found = grouping(table, by)
    if found is None:
        columns = list(table.columns) if isinstance(table, pd.DataFrame) else [*read(table).to_frame().index]
        raise DataError(f"there is no column '{by}' in the table; {did_you_mean(by, columns)}")
    return found, table.drop(columns=by) if isinstance(table, pd.DataFrame) else table


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
    before: object,
    after: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    missing: Missing = "refuse",
) -> Malmquist:
    """The Malmquist index between two tables of the same classifiers (Färe, Grosskopf, Norris, Zhang 1994), constant returns.

    Parameters
    ----------
    before, after : as `table` of `deabench.rank`
        Two periods, or two conditions as clean and noisy data; classifiers that are in both are compared, all span the frontiers.
    outputs, inputs, lower_is_better, missing
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
    ready = prepared(before, outputs=outputs, inputs=inputs, lower_is_better=lower_is_better, missing=complete(missing))
    old, new, notes = ready.table, table_of(after), ready.notes
    if missing != "refuse":
        new, ready, lacking = beside(new, ready, missing)
        notes = (*notes, *lacking)
    both = old.index.intersection(new.index, sort=False)
    if not len(both):
        raise DataError("the two tables have no classifier in common; give both the same labels")
    costs = ready.given["inputs"] or "input" in ready.given["lower_is_better"].values()
    options: dict[str, Any] = {**ready.given, "model": "ccr" if costs else "wei"}
    first = rank(old, **options)
    second = _quietly(new, **options)
    old_now = _quietly(new.loc[both], reference=old, **options).scores
    now_old = _quietly(old.loc[both], reference=new, **options).scores
    change = second.scores[both] / first.scores[both]
    technical = np.sqrt(old_now / second.scores[both] * first.scores[both] / now_old)
    frame = pd.DataFrame({"index": change * technical, "efficiency_change": change, "technical_change": technical})
    frame.index.name = "classifier"
    left = sorted({str(name) for name in old.index.symmetric_difference(new.index)})
    return Malmquist(frame, (*notes, *first.data.notes, *((f"in one of the two only: {listed(left)}",) if left else ())))


def _quietly(table: pd.DataFrame, **options: Any) -> Ranking:
    """`rank` on a part of what was warned of before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return rank(table, **options)

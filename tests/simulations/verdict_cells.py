"""Cells of known truth for verdicts and intervals, and what each must reach.

Every run draws new data, asks `deabench.uncertainty`, and compares with the true metrics. Run
number i of a cell has a generator of its own, so that runs can be added up in pieces.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtri

from deabench.errors import DataWarning
from deabench.inference.dominance_games import solve_games
from deabench.inference.samples import Samples
from deabench.inference.score_limits import restore_order
from deabench.inference.uncertainty import uncertainty
from deabench.inference.verdicts.domination import decide_analytic
from simulations.samples import latent, names

Array = np.ndarray
Rng = np.random.Generator
EDGE = 1e-9
PIECE = 50
"""Runs between two writings."""
Measure = Callable[["Cell", Samples], dict[str, float]]
Limits = Mapping[str, tuple[float | None, float | None]]


@dataclass(frozen=True)
class Cell:
    """One design with its truth.

    Attributes
    ----------
    truth : array (k, s)
        The true metrics, higher better.
    draw : function of a generator
    must : mapping of measure to (least, most)
    measure : function of the cell and a sample, optional
        By default false and shown verdicts, learned and analytic, and coverage.
    """

    truth: Array
    draw: Callable[[Rng], Samples]
    must: Limits = field(default_factory=dict)
    measure: Measure | None = None

    @cached_property
    def scores(self) -> Array:
        """The true efficiencies: (k,)."""
        ratios = self.truth[None] / self.truth[:, None]
        return np.asarray(solve_games(ratios).value)


def measure_verdicts(cell: Cell, samples: Samples) -> dict[str, float]:
    """Return false and shown verdicts, and whether all intervals cover."""
    answer = uncertainty(samples)
    truth = cell.scores
    is_dominated = truth < 1 - EDGE
    # Limits and critical values are the same for all verdicts, and need no second call.
    analytic = decide_analytic(answer.problem, answer.c_verdict).is_dominated
    called = {
        "learned": (answer.verdicts == "dominated").to_numpy(),
        "A2": restore_order(analytic, answer.rows),
    }
    result = {}
    for name, dominated in called.items():
        result[f"{name} false"] = float(dominated[~is_dominated].any())
        if is_dominated.any():
            result[f"{name} shown"] = float(dominated[is_dominated].mean())
    lower = answer.lower.to_numpy()
    upper = answer.upper.to_numpy()
    result["efficient false"] = float((lower[is_dominated] >= 1 - EDGE).any())
    if not np.isnan(lower).any():
        result["all covered"] = float(((lower <= truth + EDGE) & (truth <= upper + EDGE)).all())
        result["width"] = float((upper - lower).mean())
    return result


def run_cells(
    cells: Mapping[str, Cell], *, runs: int, only: Sequence[str] = (), kept: Path | None = None
) -> pd.DataFrame:
    """Measure cells and put what they must reach beside.

    Parameters
    ----------
    runs : int
        Runs of each cell.
    only : sequence of text
        Cells whose names contain one of them; all by default.
    kept : Path, optional
        A folder of the runs of each cell, to which further runs are appended: a simulation that
        was stopped goes on where it was.

    Returns
    -------
    DataFrame
        cell, measure, measured, error (standard error), least, most, holds (within two standard
        errors), runs.
    """
    rows = []
    for name, cell in cells.items():
        if only and not any(text in name for text in only):
            continue
        table = measure_runs(name, partial(_measure_run, name, cell), runs, kept)
        error = table.std(ddof=1) / np.sqrt(table.notna().sum())
        for column, mean in table.mean().items():
            least, most = cell.must.get(str(column), (None, None))
            margin = 2 * error[column]
            holds = (least is None or mean >= least - margin) and (
                most is None or mean <= most + margin
            )
            rows.append((name, column, mean, error[column], least, most, holds, len(table)))
    columns = ["cell", "measure", "measured", "error", "least", "most", "holds", "runs"]
    return pd.DataFrame(rows, columns=columns)


def measure_runs(
    name: str, measure: Callable[[int], dict[str, float]], runs: int, kept: Path | None = None
) -> pd.DataFrame:
    """Return the measures of the runs 0, 1, ...; those that a folder holds are not done again."""
    path = None if kept is None else kept / (re.sub(r"[^\w.]+", "-", name).strip("-") + ".csv")
    table = pd.DataFrame()
    if path is not None and path.exists():
        table = pd.read_csv(path)
    for start in range(len(table), runs, PIECE):
        piece = pd.DataFrame([measure(i) for i in range(start, min(start + PIECE, runs))])
        table = pd.concat([table, piece], ignore_index=True)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            table.to_csv(path, index=False)
    return table[:runs]


def _measure_run(name: str, cell: Cell, number: int) -> dict[str, float]:
    """Measure one run of a cell, which has a generator of its own."""
    generator = np.random.default_rng([zlib.crc32(name.encode()), number])
    measure = cell.measure or measure_verdicts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return measure(cell, cell.draw(generator))


def draw_classes(
    rng: Rng, rates: Array, n: int, prevalence: float, rho: float, metrics: Sequence[str]
) -> Samples:
    """Draw predictions of classifiers with given TPR and TNR (k, 2), class counts at random."""
    k = len(rates)
    positive = rng.random(n) < prevalence
    # At least two instances of each class, which samples need.
    positive[:2] = True
    positive[2:4] = False
    cuts = ndtri(np.where(positive, rates[:, [0]], rates[:, [1]]))
    right = latent(rng, k, n, rho) < cuts
    predicted = right == positive
    labels = dict(zip(names(k), predicted.astype(int), strict=True))
    return Samples.from_predictions(positive.astype(int), labels, positive=1, metrics=metrics)


def draw_outcomes(rng: Rng, truth: Array, n: int, rho: float) -> Samples:
    """Draw right answers, every metric on n instances of its own."""
    k, s = truth.shape
    frames = {}
    for r in range(s):
        hits = latent(rng, k, n, rho) < ndtri(truth[:, [r]])
        frames[f"m{r}"] = pd.DataFrame(hits.T, columns=names(k))
    return Samples.from_outcomes(frames)


def draw_clusters(
    rng: Rng, truth: Array, sizes: Sequence[int], share: float, rho: float = 0.5
) -> Samples:
    """Draw right answers in clusters; `share` is the intraclass correlation of the latent normals.

    All metrics (k, s) are of the same instances, each with latent normals of its own.
    """
    k, s = truth.shape
    groups = np.repeat(np.arange(len(sizes)), sizes)
    frames = {}
    for r in range(s):
        between = latent(rng, k, len(sizes), rho)[:, groups]
        within = latent(rng, k, len(groups), rho)
        z = np.sqrt(share) * between + np.sqrt(1 - share) * within
        frames[f"m{r}"] = pd.DataFrame((z < ndtri(truth[:, [r]])).T, columns=names(k))
    return Samples.from_outcomes(frames, shared=True, clusters=groups)


def draw_datasets(values: Array) -> Samples:
    """Return samples of data sets with values (J, k) of one metric."""
    blocks, k = values.shape
    frame = pd.DataFrame(
        {
            "classifier": np.tile(names(k), blocks),
            "dataset": np.repeat(np.arange(blocks), k).astype(str),
            "m0": values.ravel(),
        }
    )
    return Samples.from_datasets(frame)


def dominator(k: int, s: int, high: float = 0.9, low: float = 0.8) -> Array:
    """One classifier above all others in every metric: (k, s)."""
    truth = np.full((k, s), low)
    truth[0] = high
    return truth


def geometric_sizes(number: int, total: int) -> list[int]:
    """Sizes of clusters that fall by a fifth each, at least 1."""
    weights = 0.8 ** np.arange(number)
    sizes = np.maximum(np.round(weights / weights.sum() * total), 1)
    return [int(size) for size in sizes]

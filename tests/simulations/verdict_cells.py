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
from deabench.inference.domination import decide_analytic, decide_dominated
from deabench.inference.max_t import choose_critical_values
from deabench.inference.moments import Moments, critical_values
from deabench.inference.samples import Samples
from deabench.inference.samples.from_tables import as_samples
from deabench.inference.samples.sample_set import InstanceDesign
from deabench.inference.score_limits import make_problem, restore_order, tail_probabilities
from deabench.inference.uncertainty import uncertainty
from simulations.learned_batches import dominated_in_runs, runs_together
from simulations.samples import latent, names

Array = np.ndarray
Rng = np.random.Generator
EDGE = 1e-9
ALPHA = 0.05
PIECE = 50
"""Runs between two writings."""
Measure = Callable[["Cell", Rng, int], dict[str, float]]
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
    measure : function of the cell, a generator and the number of the run, optional
        By default false and shown verdicts, learned and analytic, and coverage.
    limits_every : int
        Every so many runs ask for limits too, which cost as much as the verdicts; the others for
        learned verdicts alone.
    hits : function of a generator, optional
        Draws the right answers (k, s, n) that `draw` makes samples of, so that the verdicts of many
        runs are computed together.
    shared : bool
        Whether all metrics are of the same instances.
    """

    truth: Array
    draw: Callable[[Rng], Samples]
    must: Limits = field(default_factory=dict)
    measure: Measure | None = None
    limits_every: int = 1
    hits: Callable[[Rng], Array] | None = None
    shared: bool = False

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
    learned = (answer.verdicts == "dominated").to_numpy()
    result = _verdict_shares("learned", learned, truth)
    result |= _verdict_shares("A2", restore_order(analytic, answer.rows), truth)
    lower = answer.lower.to_numpy()
    upper = answer.upper.to_numpy()
    result["efficient false"] = float((lower[is_dominated] >= 1 - EDGE).any())
    if not np.isnan(lower).any():
        result["all covered"] = float(((lower <= truth + EDGE) & (truth <= upper + EDGE)).all())
        result["width"] = float((upper - lower).mean())
    return result


@dataclass(frozen=True)
class SingleMetricLimits:
    """Limits of scores (k,) at once, and who is dominated by them."""

    lower: Array
    upper: Array
    is_dominated: Array


def single_metric_limits(moments: Moments) -> SingleMetricLimits:
    """Return the analytic limits of scores by one metric, which need no linear program.

    A score is the inverse of the largest ratio to a rival; so are its limits at the corners.
    """
    k = len(moments.logs)
    gap, spread, ridge = (part[:, :, 0] for part in moments.pairs(np.arange(k)))
    tails = [*tail_probabilities(k, 1, ALPHA, every=True), ALPHA / (k * (k - 1))]
    corners = []
    for tail, side in zip(tails, (1, -1, -1), strict=True):
        c = float(critical_values(tail, moments.degrees)[0])
        error = np.sqrt(spread + moments.ridge_weight(c**2 / 4) * ridge)
        corners.append(np.exp(-(gap + side * c * error).max(axis=1)))
    lower, upper, one_sided = corners
    score = np.exp(-gap.max(axis=1))
    return SingleMetricLimits(
        np.minimum(lower, score), np.maximum(upper, score), one_sided < 1 - EDGE
    )


def measure_single_metric(cell: Cell, samples: Samples) -> dict[str, float]:
    """Return what `measure_verdicts` does for one metric, without its detours."""
    result = measure_learned(cell, samples)
    limits = single_metric_limits(samples.moments)
    result |= _verdict_shares("A2", limits.is_dominated, cell.scores)
    is_dominated = cell.scores < 1 - EDGE
    result["efficient false"] = float((limits.lower[is_dominated] >= 1 - EDGE).any())
    covers = (limits.lower <= cell.scores + EDGE) & (cell.scores <= limits.upper + EDGE)
    result["all covered"] = float(covers.all())
    result["width"] = float((limits.upper - limits.lower).mean())
    return result


def measure_learned(cell: Cell, samples: Samples) -> dict[str, float]:
    """Return false and shown verdicts of learned mixes, as `measure_verdicts` does."""
    samples, outputs, inputs = as_samples(samples, None, None)
    problem, metrics, rows = make_problem(samples, outputs, inputs, "vrs", "output")
    _, _, c_verdict, _ = choose_critical_values(problem, ALPHA, "analytic", 0, None)
    domination, _ = decide_dominated(
        samples, problem, metrics, rows, c_verdict, ALPHA, None, "analytic", 0
    )
    return _verdict_shares("learned", restore_order(domination.is_dominated, rows), cell.scores)


def _verdict_shares(name: str, dominated: Array, truth: Array) -> dict[str, float]:
    """Return whether some verdict is false, and the share of the dominated that is shown."""
    is_dominated = truth < 1 - EDGE
    result = {f"{name} false": float(dominated[~is_dominated].any())}
    if is_dominated.any():
        result[f"{name} shown"] = float(dominated[is_dominated].mean())
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
        if cell.hits is None:
            table = measure_runs(name, partial(_measure_run, name, cell), runs, kept)
        else:
            table = append_runs(name, partial(_measure_batch, name, cell), runs, kept)
        number = table.notna().sum()
        error = table.std(ddof=1) / np.sqrt(number)
        for column, mean in table.mean().items():
            least, most = cell.must.get(str(column), (None, None))
            margin = 2 * error[column]
            holds = (least is None or mean >= least - margin) and (
                most is None or mean <= most + margin
            )
            rows.append((name, column, mean, error[column], least, most, holds, number[column]))
    columns = ["cell", "measure", "measured", "error", "least", "most", "holds", "runs"]
    return pd.DataFrame(rows, columns=columns)


def measure_runs(
    name: str, measure: Callable[[int], dict[str, float]], runs: int, kept: Path | None = None
) -> pd.DataFrame:
    """Return the measures of the runs 0, 1, ...; those that a folder holds are not done again."""

    def measure_piece(numbers: range) -> pd.DataFrame:
        return pd.DataFrame([measure(i) for i in numbers])

    return append_runs(name, measure_piece, runs, kept)


def append_runs(
    name: str, measure_piece: Callable[[range], pd.DataFrame], runs: int, kept: Path | None
) -> pd.DataFrame:
    """Return the measures of the runs 0, 1, ..., measured piece by piece and kept in a folder."""
    path = None if kept is None else kept / (re.sub(r"[^\w.]+", "-", name).strip("-") + ".csv")
    table = pd.DataFrame()
    if path is not None and path.exists():
        table = pd.read_csv(path)
    for start in range(len(table), runs, PIECE):
        piece = measure_piece(range(start, min(start + PIECE, runs)))
        table = pd.concat([table, piece], ignore_index=True)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            table.to_csv(path, index=False)
    return table[:runs]


def _generator(name: str, number: int) -> Rng:
    """Return the generator of one run of a cell."""
    return np.random.default_rng([zlib.crc32(name.encode()), number])


def _measure_run(name: str, cell: Cell, number: int) -> dict[str, float]:
    """Measure one run of a cell."""
    rng = _generator(name, number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if cell.measure is not None:
            return cell.measure(cell, rng, number)
        if cell.limits_every == 1 and cell.truth.shape[1] == 1:
            return measure_single_metric(cell, cell.draw(rng))
        if number % cell.limits_every == 0:
            return measure_verdicts(cell, cell.draw(rng))
        return measure_learned(cell, cell.draw(rng))


def _measure_batch(name: str, cell: Cell, numbers: range) -> pd.DataFrame:
    """Measure runs whose learned verdicts are computed together."""
    assert cell.hits is not None  # asked for by the caller
    step = runs_together(*cell.truth.shape)
    rows = []
    for start in range(0, len(numbers), step):
        part = numbers[start : start + step]
        hits = np.array([cell.hits(_generator(name, number)) for number in part])
        for number, dominated in zip(
            part, dominated_in_runs(hits, shared=cell.shared), strict=True
        ):
            row = _verdict_shares("learned", dominated, cell.scores)
            if number % cell.limits_every == 0:
                row = _measure_run(name, cell, number)
            rows.append(row)
    return pd.DataFrame(rows)


def draw_classes(
    rng: Rng,
    rates: Array,
    n: int,
    prevalence: float,
    rho: float,
    metrics: Sequence[str],
    *,
    fixed: bool = False,
    design: InstanceDesign = "rows",
) -> Samples:
    """Draw predictions of classifiers with given TPR and TNR (k, 2); class counts may be fixed."""
    k = len(rates)
    drawn = (np.arange(n) + 0.5) / n if fixed else rng.random(n)
    positive = drawn < prevalence
    # At least two instances of each class, which samples need.
    positive[:2] = True
    positive[2:4] = False
    cuts = ndtri(np.where(positive, rates[:, [0]], rates[:, [1]]))
    right = latent(rng, k, n, rho) < cuts
    predicted = right == positive
    labels = dict(zip(names(k), predicted.astype(int), strict=True))
    return Samples.from_predictions(
        positive.astype(int), labels, positive=1, metrics=metrics, design=design
    )


def draw_hits(rng: Rng, truth: Array, n: int, rho: float) -> Array:
    """Draw right answers (k, s, n), every metric on n instances of its own."""
    k, s = truth.shape
    return np.stack([latent(rng, k, n, rho) < ndtri(truth[:, [r]]) for r in range(s)], axis=1)


def samples_of_hits(hits: Array, *, shared: bool = False) -> Samples:
    """Return samples of right answers (k, s, n)."""
    k, s, _ = hits.shape
    frames = {f"m{r}": pd.DataFrame(hits[:, r].T, columns=names(k)) for r in range(s)}
    return Samples.from_outcomes(frames, shared=shared)


def hits_cell(
    truth: Array,
    hits: Callable[[Rng], Array],
    must: Limits,
    *,
    shared: bool = False,
    limits_every: int = 1,
) -> Cell:
    """Return the cell of right answers that a function draws."""

    def draw(rng: Rng) -> Samples:
        return samples_of_hits(hits(rng), shared=shared)

    return Cell(truth, draw, must, limits_every=limits_every, hits=hits, shared=shared)


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

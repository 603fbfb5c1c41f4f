"""Frontiers of files are those of one table in memory, bit for bit, however the rows come."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sweeps import KINDS, METRICS, same, same_facets, sweep, written

import deabench as db
from deabench.geometry import facet_walk
from deabench.streaming import batches, files, frontier, reduce

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
ENGINES = Path(__file__).parent / "engines"


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_that_of_the_table_in_memory(kind: str, tmp_path: Path) -> None:
    frame = sweep(kind)
    front = db.frontier(written(frame, tmp_path, [900, 901, 2000]), outputs=METRICS)
    same(front, db.frontier(frame.set_index("model"), outputs=METRICS))
    assert front.extreme == front.vertices  # of rows that are alike the first
    db.certify(front)


@pytest.mark.parametrize(
    "kind", ["floats", "every row twice", "grid of a simplex", "a millionth apart"]
)
def test_neither_order_nor_cuts_nor_batches_change_a_bit(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, rng = sweep(kind), np.random.default_rng(1)
    first = db.frontier(frame.set_index("model"), outputs=METRICS)
    for run in range(2):
        monkeypatch.setattr(files, "PARTITION_ROWS", int(rng.integers(50, 3000)))
        monkeypatch.setattr(batches, "BATCH_ROWS", int(rng.integers(20, 1000)))
        mixed = frame.sample(frac=1.0, random_state=run)
        cuts = sorted(rng.choice(np.arange(1, len(frame)), size=run * 5, replace=False).tolist())
        front = db.frontier(
            written(mixed, tmp_path / str(run), cuts, groups=int(rng.integers(30, 900))),
            outputs=METRICS,
        )
        same_facets(front, first)
        same(front, db.frontier(mixed.set_index("model"), outputs=METRICS))


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_files_of_other_engines_have_the_same_bits(engine: str) -> None:
    """Written by DuckDB 2.0.0 and Polars 2.1.0 from rows.csv, which is simulated."""
    frame = pd.read_csv(ENGINES / "rows.csv", index_col=0)
    same(
        db.frontier(ENGINES / f"{engine}.parque[t]", outputs=METRICS),
        db.frontier(frame, outputs=METRICS),
    )


def test_error_rates_are_complemented_with_a_note(tmp_path: Path) -> None:
    frame = sweep()
    frame["error"] = (1 - frame.pop("TPR")).round(6)
    outputs = ["error", "TNR", "AUC"]
    lower = {"error": 1.0}
    front = db.frontier(written(frame, tmp_path), outputs=outputs, lower_is_better=lower)
    table = db.read(frame.set_index("model"), lower_is_better=lower)
    same(front, db.frontier(table, outputs=outputs))
    assert front.notes[0] == "'error' stands for its complement 1 - error: lower is better"


def test_columns_are_classified_by_name_by_default(tmp_path: Path) -> None:
    frame = sweep().assign(seed=3)
    same(db.frontier(written(frame, tmp_path)), db.frontier(frame.set_index("model")))


def test_one_metric_and_small_tables(tmp_path: Path) -> None:
    frame = sweep(n=5)
    for outputs in (["TPR"], ["TPR", "TNR"]):
        same(
            db.frontier(written(frame, tmp_path), outputs=outputs),
            db.frontier(frame.set_index("model"), outputs=outputs),
        )
    front = db.frontier(written(frame[:1], tmp_path / "one"), outputs=METRICS)
    assert front.extreme == ["m0"]
    db.certify(front)


def test_rows_are_named_by_columns_or_by_their_place(tmp_path: Path) -> None:
    frame = sweep(n=400)
    frame["model"] = "rf"
    frame.insert(1, "threshold", np.arange(400) / 2)
    folder = written(frame, tmp_path, [150])
    best = int(np.argmax(frame["TPR"]))
    front = db.frontier(folder, outputs=["TPR"], label=["model", "threshold"])
    assert front.extreme == [f"rf, {best / 2:g}"]
    assert db.frontier(folder, outputs=["TPR"]).extreme == ["rf"]
    several = db.frontier(folder, outputs=METRICS)
    assert (
        "'model' names several rows of the frontier; their file and row tell them apart"
        in several.notes
    )
    assert len(set(several.extreme)) == len(several.extreme)
    frame.drop(columns="model").to_parquet(tmp_path / "bare.parquet")
    bare = db.frontier(str(tmp_path / "bare.parque?"), outputs=["TPR"])
    assert bare.extreme == [f"{tmp_path}/bare.parquet, row {best + 1}"]
    assert "no column of text names the rows; their file and row do" in bare.notes


def test_names_are_texts_of_any_kind_and_never_more(tmp_path: Path) -> None:
    """Dictionaries, dates, markup and lines; an empty name goes by its place, and one file has the
    same names as many.
    """
    frame = sweep(n=30)
    frame["model"] = pd.Categorical([f"<b>{name}</b>\n'x, {{0}}" for name in frame["model"]])
    frame.insert(1, "day", pd.date_range("2026-01-01", periods=30))
    frame.to_parquet(tmp_path / "a.parquet")
    for label in (None, "day", ["day", "model"]):
        front = db.frontier(tmp_path, outputs=METRICS, label=label)
        assert (
            front.extreme
            == db.frontier(tmp_path / "a.parquet", outputs=METRICS, label=label).extreme
        )
        scored = pd.read_parquet(
            db.rank_files(tmp_path, tmp_path / "scores", outputs=METRICS, label=label).path
        )
        named = [label or "model"] if not isinstance(label, list) else label
        pd.testing.assert_frame_equal(scored[named].astype(str), frame[named].astype(str))
    frame["model"] = None
    frame.astype({"model": "string"}).to_parquet(tmp_path / "a.parquet")
    path = tmp_path / "a.parquet"
    assert db.frontier(tmp_path, outputs=["TPR"]).extreme == [
        f"{path}, row {int(frame['TPR'].argmax()) + 1}"
    ]
    assert all(
        name.startswith(f"{path}, row ") for name in db.frontier(tmp_path, outputs=METRICS).extreme
    )


def test_rows_with_a_missing_cell_are_left_out_and_counted(tmp_path: Path) -> None:
    frame = sweep()
    best = db.frontier(frame.set_index("model"), outputs=METRICS).extreme
    frame.loc[frame["model"].isin(best[:2]), "TNR"] = np.nan
    frame.loc[1500:1530, "AUC"] = None
    frame.loc[7, "TPR"] = np.inf
    count = int((~np.isfinite(frame[METRICS].astype(float))).any(axis=1).sum())
    front = db.frontier(
        written(frame, tmp_path, [1500, 1520]), outputs=METRICS, missing="drop-systems"
    )
    same(front, db.frontier(frame.set_index("model"), outputs=METRICS, missing="drop-systems"))
    assert front.notes[0] == f"left out for a missing cell: {count} of 3,000 rows"
    assert front.summary().startswith(
        f"{len(front.extreme)} of {3000 - count:,} systems are extreme on the frontier of "
    )
    db.certify(front)


def test_with_a_tolerance_no_row_is_further_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = np.abs(rng.normal(size=(4000, 3)))
    frame = pd.DataFrame(values / np.linalg.norm(values, axis=1, keepdims=True), columns=METRICS)
    frame.insert(0, "model", [f"m{k}" for k in range(4000)])
    front = db.frontier(
        written(frame, tmp_path, [1000, 2000, 3000]), outputs=METRICS, tolerance=0.02
    )
    assert len(front.extreme) < 500  # of 4,000
    weights = front.facets[METRICS].to_numpy() / front.facets["offset"].to_numpy()[:, None]
    reached = (frame[METRICS].to_numpy() @ weights.T).max()
    assert 1.0 < reached <= 1.02
    assert reduce.count_levels(64) == 3  # parts, eights of them, and all
    assert (1 + reduce.level_tolerance(0.02, 64)) ** 3 == pytest.approx(1.02)
    assert "with tolerance 0.02, rows are left off the frontier whose efficiency" in front.notes[-1]
    db.certify(front)


def test_more_points_than_are_listed_with_facets_are_listed_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontier, "MAX_LISTED", 100)
    monkeypatch.setattr(frontier, "FEW_CANDIDATES", 3)
    frame = sweep("floats")
    front = db.frontier(written(frame, tmp_path), outputs=METRICS)
    assert front.precomputed_hull is None
    assert front.extreme == db.frontier(frame.set_index("model"), outputs=METRICS).extreme
    db.certify(front)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("boxed", [True, False])
def test_a_walk_finds_what_all_facets_give(kind: str, boxed: bool) -> None:
    values = np.unique(sweep(kind, 500)[METRICS].to_numpy(), axis=0)
    hull, _ = facet_walk.cones_of_points(values, 10**6, boxed=boxed)
    assert hull is not None
    rows = np.random.default_rng(2).uniform(0, 1, (2000, 3)) * values.max(axis=0)
    placed = hull.to_coordinates(rows)
    placed = placed[(placed > 0).any(axis=1)]
    original = (placed @ hull.normals.T).max(axis=1)
    facet_index, total, _ = hull.locate(placed)
    assert (facet_index >= 0).mean() > 0.5 or kind in ("one direction", "a millionth apart")
    np.testing.assert_allclose(
        total[facet_index >= 0], original[facet_index >= 0], rtol=1e-9 if boxed else 1e-6
    )
    inside = hull.certainly_inside(rows, 0.9)
    assert ((rows[inside] - hull.origin) / hull.unit @ hull.normals.T).max(
        axis=1
    ).max() <= 0.9 + 1e-12
    assert inside.sum() == len(rows) - (original > 0.9).sum()  # all that are


def test_rows_that_coordinates_leave_in_doubt_are_compared_with_all_facets() -> None:
    """Coordinates that are a thousandth too small, and known to be, let no row inside."""
    values = np.unique(sweep("floats", 500)[METRICS].to_numpy(), axis=0)
    hull, _ = facet_walk.cones_of_points(values, 10**6)
    assert hull is not None
    blurred = dataclasses.replace(
        hull, inverse=hull.inverse * (1 - 1e-3), doubt=np.full_like(hull.doubt, 2e-3)
    )
    directions = np.random.default_rng(2).uniform(0.1, 1, (200, 3))
    scores = (directions @ hull.normals.T).max(axis=1, keepdims=True)
    for score, is_inside in ((0.9 + 5e-4, False), (0.9 - 5e-4, True)):
        moved = hull.origin + hull.unit * directions / scores * score
        assert (blurred.certainly_inside(moved, 0.9) == is_inside).all()


def test_a_frontier_that_lacks_a_row_of_its_files_is_refused(tmp_path: Path, refused) -> None:
    frame = sweep()
    folder = written(frame, tmp_path)
    front = db.frontier(folder, outputs=METRICS)
    db.certify(front)
    for change, message in (
        ({"rows": 2999}, "rows read again"),
        ({"minima": front.source_summary.minima + 0.1}, "least and greatest of a metric"),
        ({"maxima": front.source_summary.maxima * 2}, "least and greatest of a metric"),
        ({"left_out": 3}, "rows read again"),
    ):
        with pytest.raises(db.CertificateError, match=message):
            db.certify(
                dataclasses.replace(
                    front, source_summary=dataclasses.replace(front.source_summary, **change)
                )
            )
    better = frame.assign(**{name: frame[name] * 1.01 for name in METRICS})
    written(better.where(better["model"] == front.extreme[0], frame), tmp_path)
    with refused(
        "'frontier': row of a file beyond it is 0.01, above 1e-09; compute the result again",
        db.CertificateError,
    ):
        db.certify(front)
    (tmp_path / "part-00.parquet").unlink()
    missing_message = f"'{tmp_path}/part-00.parquet' does not exist any more"
    assert front.proof().unclaimed == (
        f"that no row of its files lies beyond it: {missing_message}",
    )

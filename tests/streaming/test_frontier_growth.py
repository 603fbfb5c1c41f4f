"""A frontier that grows is that of all rows together, and says who came and who went."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sweeps import METRICS, same, sweep, written

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize(
    "kind", ["floats", "two decimals", "every row twice", "shell of a simplex"]
)
def test_updates_are_recomputed_frontiers(kind: str) -> None:
    """Sequences of thousands of rows with ties and duplicates, some by one, some by hundreds."""
    frame, rng = sweep(kind, 2400).set_index("model"), np.random.default_rng(3)
    frame.iloc[1200:1500] = frame.iloc[:300].to_numpy()
    ends = [40, *np.sort(rng.choice(np.arange(41, 2400), 3, replace=False)).tolist(), 2400]
    ends = sorted({*ends, *(end + 1 for end in ends if end < 2400)})
    front = db.frontier(frame[: ends[0]], outputs=METRICS)
    for low, high in itertools.pairwise(ends):
        before, front = front, front.update(frame[low:high])
        after = db.frontier(frame[:high], outputs=METRICS)
        assert front.extreme == after.extreme
        assert front.entered == tuple(name for name in after.extreme if name not in before.extreme)
        assert front.removed == tuple(name for name in before.extreme if name not in after.extreme)
        same(front, after)
    assert front.summary().startswith(f"{len(front.extreme)} of 2,400 systems are extreme")
    db.certify(front)
    assert (
        front.proof()
        .unclaimed[0]
        .startswith("that none of the 2,400 rows that it has seen lies beyond it, and which ")
    )


@pytest.mark.parametrize("kind", ["floats", "one decimal", "grid of a simplex"])
def test_merging_is_associative_and_commutative(kind: str) -> None:
    frame = sweep(kind, 900, seed=1).set_index("model")
    a, b, c = (db.frontier(frame[low : low + 300], outputs=METRICS) for low in (0, 300, 600))
    front = db.frontier(frame, outputs=METRICS)
    for merged in (a.merge(b).merge(c), a.merge(b.merge(c))):
        assert merged.extreme == front.extreme
        same(merged, front)
    reversed_merge = c.merge(b).merge(a)
    np.testing.assert_array_equal(reversed_merge.hull.normals, front.hull.normals)
    assert set(reversed_merge.extreme) == set(front.extreme)


def test_files_and_tables_merge(tmp_path: Path) -> None:
    frame = sweep()
    front = db.frontier(written(frame[:2000], tmp_path), outputs=METRICS)
    table = frame.set_index("model")
    same(
        front.merge(db.frontier(table[2000:], outputs=METRICS)), db.frontier(table, outputs=METRICS)
    )
    better = pd.DataFrame(1.0, columns=METRICS, index=["best"])
    best = front.update(better)
    assert (best.extreme, best.entered, best.removed) == (["best"], ("best",), tuple(front.extreme))
    assert (front.entered, front.removed) == ((), ())


@pytest.mark.parametrize("technology", ["convex", "fdh"])
def test_error_rates_costs_and_classifiers_alone(technology: str) -> None:
    frame = (
        sweep(n=300)
        .set_index("model")
        .assign(seconds=np.random.default_rng(0).uniform(1, 9, 300).round(1))
    )
    frame["error"] = 1 - frame.pop("TPR")
    options = {
        "outputs": ["error", "TNR", "AUC"],
        "technology": technology,
    }
    lower = {"error": 1.0}
    first = db.frontier(db.read(frame[:200], lower_is_better=lower), **options)
    grown = first.update(frame[200:])
    front = db.frontier(db.read(frame, lower_is_better=lower), **options)
    assert grown.extreme == front.extreme
    pd.testing.assert_frame_equal(grown.points, front.points, check_exact=True)
    db.certify(grown)
    costly = {"outputs": ["TNR", "AUC"], "inputs": ["seconds"], "technology": technology}
    grown = db.frontier(frame[:200], **costly).update(frame[200:])
    assert grown.extreme == db.frontier(frame, **costly).extreme
    db.certify(grown)


def test_frontiers_and_rows_that_do_not_match_are_refused(refused) -> None:
    frame = sweep(n=60).set_index("model")
    a, b = db.frontier(frame[:30], outputs=METRICS), db.frontier(frame[30:], outputs=METRICS[:2])
    with refused(
        "the frontiers differ in their metrics: TPR, TNR, AUC and TPR, TNR; compute both with the "
        "same options"
    ):
        a.merge(b)
    with pytest.raises(db.DataError, match="differ in their technology: convex and fdh; "):
        a.merge(db.frontier(frame[30:], outputs=METRICS, technology="fdh"))
    low = db.frontier(db.read(frame[30:], lower_is_better={"AUC": 1.0}), outputs=METRICS)
    with pytest.raises(db.DataError, match=r"directions: {} and {'AUC': \(-1.0, 1.0\)}; "):
        a.merge(low)
    name = a.extreme[0]
    with refused(f"'{name}' is on both frontiers; give every system a name of its own"):
        a.merge(a)
    with refused(f"'{name}' is on the frontier already; give every system a name of its own"):
        a.update(frame[:30])
    rows = frame[30:33]
    with refused("metric 'TNR' of 'm31' is -0.5; DEA needs values >= 0"):
        a.update(rows.assign(TNR=[0.1, -0.5, 0.2]))
    with refused(
        "metric 'TNR' of 'm31' is missing; give a finite number, or leave the row or the column out"
    ):
        a.update(rows.assign(TNR=[0.1, np.nan, 0.2]))
    with refused("the points have no column 'AUC'; the frontier is in TPR, TNR, AUC"):
        a.update(rows[["TPR", "TNR"]])


def test_a_grown_frontier_that_names_another_row_does_not_certify() -> None:
    frame = sweep(n=300).set_index("model")
    front = db.frontier(frame[:200], outputs=METRICS).update(frame[200:])
    values = front.data.outputs * 1.001
    with pytest.raises(db.CertificateError):
        db.certify(dataclasses.replace(front, data=dataclasses.replace(front.data, outputs=values)))


def test_a_merged_frontier_has_the_larger_tolerance(tmp_path: Path) -> None:
    frame = sweep(n=600)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    coarse = db.frontier(
        written(frame[:300], tmp_path / "a", [100, 200]), outputs=METRICS, tolerance=0.01
    )
    exact = db.frontier(written(frame[300:], tmp_path / "b", [100, 200]), outputs=METRICS)
    for merged in (coarse.merge(exact), exact.merge(coarse)):
        assert merged.source_summary.tolerance == 0.01
        assert "with tolerance 0.01" in " ".join(merged.notes)

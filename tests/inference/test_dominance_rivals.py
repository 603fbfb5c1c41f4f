"""The table beside others: its truths, and deabench's own rows."""

import numpy as np
from simulations.dominance_rivals import (
    _beaten_by_mixes,
    _beaten_by_one,
    accuracy_and_cost,
    arc,
    near_chain,
    rivals,
)


def test_the_truths():
    """Along the chain everybody is optimal, hardly; below the arc every second one is beaten, by
    mixes if not by one.
    """
    assert not _beaten_by_one(*near_chain(20)).any()
    assert not _beaten_by_mixes(*near_chain(20)).any()
    by_one, mixes = _beaten_by_one(*accuracy_and_cost(20)), _beaten_by_mixes(*accuracy_and_cost(20))
    assert mixes.tolist() == [False, True] * 10
    assert (mixes | ~by_one).all()
    assert _beaten_by_one(*arc(20)).sum() >= 8
    assert not (_beaten_by_one(*arc(20)) & ~_beaten_by_mixes(*arc(20))).any()


def test_own_rows():
    rows = rivals(3).set_index("package")
    deabench_rows = rows[[name.startswith("deabench") for name in rows.index]]
    assert len(deabench_rows) == 6
    assert (deabench_rows["false"] == 0).all()
    assert (deabench_rows["power"].dropna() > 0.4).all()
    assert np.isnan(deabench_rows["power"].iloc[0])

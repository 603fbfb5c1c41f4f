"""Few, equal or skewed data sets: the pooled ridge, betting limits, and what was not seen."""

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.inference.block_limits import (
    BETS,
    MAX_PAIR_BLOCKS,
    betting_lower,
    betting_upper,
    mean_limits,
    missed_share,
    pair_size,
)

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def long(values, key="dataset", names="abcdef"):
    """Return rows of classifier, block and accuracy from values (J, k)."""
    rows = [
        (names[i], f"d{j}", value) for j, row in enumerate(values) for i, value in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["classifier", key, "accuracy"])


def test_the_betting_limit_is_where_the_mixture_reaches_one_over_the_tail():
    x = np.array([0.9, 1.0, 0.6, 0.95, 1.0, 0.8])
    prior = np.append(np.full(40, 0.8 / 40), 0.2)

    def wealth(m):
        return sum(p * np.prod(1 - u + u * x / m) for p, u in zip(prior, BETS, strict=True))

    limit = betting_lower(x[None], 0.025)[0]
    assert wealth(limit) == pytest.approx(40, rel=1e-6)
    assert wealth(limit * 0.99) > 40 > wealth(limit * 1.01)
    assert betting_upper(1 - x[None], 0.025)[0] == pytest.approx(1 - limit, rel=1e-12)


def test_the_betting_limit_is_exact_for_few_coins():
    """The share of samples whose lower limit lies above the mean is at most the tail."""
    samples = (np.arange(32)[:, None] >> np.arange(5)) & 1
    limits = betting_lower(samples.astype(float), 0.1)
    for p in (0.05, 0.3, 0.5, 0.9, 0.99):
        chance = p ** samples.sum(axis=1) * (1 - p) ** (5 - samples.sum(axis=1))
        assert chance[limits > p].sum() <= 0.1


def test_equal_blocks_need_as_many_as_betting_everything():
    """All ones: W(m) = Σ π_u (1 − u + u/m)^J, at most 1/m^J."""
    for blocks in (5, 60):
        limit = betting_lower(np.ones((1, blocks)), 0.025)[0]
        assert 0.025 ** (1 / blocks) * 0.2 ** (1 / blocks) <= limit <= 0.025 ** (1 / blocks)


def test_the_size_of_differences_is_pooled_over_pairs():
    values = np.array([[0.9, 0.8, 0.7], [0.9, 0.9, 0.5], [0.9, 0.7, 0.6]])
    centred = values - values.mean(axis=0)
    d = np.array([centred[:, j] - centred[:, i] for i in range(3) for j in range(i)]).ravel()
    assert pair_size(values) == pytest.approx((np.abs(d) ** 3).sum() / (d**2).sum())
    assert pair_size(np.full((4, 2), 0.8)) == 1
    # So many blocks need no ridge: the limit is the normal one's.
    many = np.random.default_rng(0).random((MAX_PAIR_BLOCKS + 1, 2))
    assert pair_size(many[1:]) > 0
    assert pair_size(many) == 0


@pytest.mark.parametrize("blocks", [2, 5])
def test_equal_data_sets_and_folds_show_nothing(blocks):
    values = np.tile([1.0, 1.0, 0.999], (blocks, 1))
    answer = db.uncertainty(db.Samples.from_datasets(long(values)))
    assert (answer.verdicts == "undecided").all()
    assert answer.lower.max() < 0.9
    folds = db.uncertainty(db.Samples.from_folds(long(np.tile([0.9, 0.89], (blocks, 1)), "fold")))
    assert (folds.verdicts == "undecided").all()


def test_the_summary_says_what_may_not_have_been_seen():
    rng = np.random.default_rng(0)
    answer = db.uncertainty(db.Samples.from_datasets(long(rng.uniform(0.7, 0.9, (20, 3)))))
    assert answer.missed == (
        "a failure that strikes fewer than one in 5.9 of such data sets (17 %) may not have been "
        "seen here"
    )
    assert answer.missed[1:] in answer.summary()
    assert (1 - missed_share(20)) ** 20 == pytest.approx(0.025)


def test_skewed_scores_get_wider_limits_below_and_never_wider_than_betting():
    rng = np.random.default_rng(1)
    values = rng.beta(9, 1, (4, 30))
    low, high = mean_limits(values, 2.5, 0.01, exact=False)
    bet_low, bet_high = mean_limits(values, 2.5, 0.01, exact=True)
    mean = values.mean(axis=1)
    half = 2.5 * values.std(axis=1, ddof=1) / np.sqrt(30)
    assert (low < mean - half).all()
    assert (high > mean).all()
    assert (bet_low <= low).all()
    assert (high <= bet_high).all()


def test_exact_limits_and_verdicts_of_data_sets():
    rng = np.random.default_rng(2)
    values = np.clip(rng.normal([0.9, 0.4, 0.88], 0.05, (120, 3)), 0, 1)
    samples = db.Samples.from_datasets(long(values))
    exact = db.uncertainty(samples, exact=True)
    usual = db.uncertainty(samples)
    assert exact.verdicts.to_dict() == {"a": "undecided", "b": "dominated", "c": "undecided"}
    assert (exact.lower < usual.lower).all()
    band = exact.band["accuracy"]
    np.testing.assert_allclose(band["lower"], betting_lower(values.T, 0.05 / (2 * 3)), rtol=1e-5)


def test_exact_is_refused_for_instances(refused):
    y = np.repeat([1, 0], 20)
    samples = db.Samples.from_predictions(y, {"a": y, "b": 1 - y}, positive=1)
    with refused(
        "exact=True is for data sets and runs; give Samples.from_datasets or from_runs, or "
        "verdicts='exact' for answers on instances"
    ):
        db.uncertainty(samples, exact=True)


def test_clusters_of_data_sets_sum_their_deviations():
    rng = np.random.default_rng(3)
    values = rng.uniform(0.6, 0.9, (30, 3))
    groups = np.repeat(np.arange(12), [1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 5])
    clusters = {f"d{j}": str(group) for j, group in enumerate(groups)}
    samples = db.Samples.from_datasets(long(values), clusters=clusters)
    mean = values.mean(axis=0)
    totals = np.array([(values[groups == g] - mean).sum(axis=0) for g in range(12)])
    expected = totals.T @ totals * 12 / 11 / 30**2 / np.outer(mean, mean)
    np.testing.assert_allclose(samples.moments.sampling[0], expected, rtol=1e-10)
    assert samples.moments.degrees.tolist() == [11]
    assert samples.sizes == {"data sets": 30, "clusters": 12}


def test_cuts_of_one_file_are_named():
    counts = db.datasets.load("keel67")
    samples = db.Samples.from_datasets(counts, metrics=["TPR", "TNR"])
    assert "59 of 67 data sets are cuts of 8 files" in samples.summary()
    clustered = db.Samples.from_datasets(counts, metrics=["TPR", "TNR"], clusters="keel")
    assert clustered.sizes == {"data sets": 67, "clusters": 16}
    assert "are cuts of" not in clustered.summary()

"""The intervals against their definitions, worked out here once more and slowly."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.stats import beta, binom, norm, t
from threadpoolctl import threadpool_limits

import deabench as db
from deabench.inference import max_t
from deabench.inference.score_limits import assign_tiers, point_scores, possible_ranks

TRUTH = np.column_stack([np.linspace(0.7, 0.92, 7), [0.9, 0.8, 0.86, 0.7, 0.8, 0.6, 0.75]])


def score(ratios):
    s = ratios.shape[1]
    return -linprog(-np.ones(s), A_ub=ratios, b_ub=np.ones(len(ratios)), method="highs").fun


def slow_limits(outcomes, alpha=0.05):
    """Compute A2 by loops: paired standard errors of log ratios, the ridge z²/4, two corners."""
    hits = [frame.to_numpy() for frame in outcomes.values()]
    k, s = hits[0].shape[1], len(hits)
    c = norm.isf([alpha / (2 * k * s), alpha / (2 * k * (k - 1))])
    y = np.array([h.mean(axis=0) for h in hits]).T
    lower, upper = np.empty(k), np.empty(k)
    for i in range(k):
        low, up = np.ones((k, s)), np.ones((k, s))
        for j in range(k):
            for r in range(s):
                if i != j:
                    psi = hits[r][:, j] / y[j, r] - hits[r][:, i] / y[i, r]
                    spread = psi.var(ddof=1) / len(psi)
                    flip = (1 / (len(psi) * y[i, r])) ** 2 + (1 / (len(psi) * y[j, r])) ** 2
                    error = np.sqrt(spread + c**2 / 4 * flip)
                    low[j, r] = y[j, r] / y[i, r] * np.exp(c[0] * error[0])
                    up[j, r] = y[j, r] / y[i, r] * np.exp(-c[1] * error[1])
        lower[i], upper[i] = score(low), score(up)
    return lower, upper


def test_the_limits_are_two_corners_of_the_box(answers):
    outcomes = answers(TRUTH)
    uncertainty = db.uncertainty(db.Samples.from_outcomes(outcomes))
    lower, upper = slow_limits(outcomes)
    np.testing.assert_allclose(uncertainty.lower, lower, rtol=1e-10)
    np.testing.assert_allclose(uncertainty.upper, upper, rtol=1e-10)
    np.testing.assert_allclose(
        uncertainty.scores, db.rank(uncertainty.samples.values).scores, rtol=1e-12
    )


def test_one_metric_is_multiple_comparisons_with_the_best(answers):
    """s = 1: log L_i = min(0, min_j (log y_i − log y_j − c_L se)), log U_i = min(0, min_j (log y_i
    − log y_j + c_U se)).
    """
    outcomes = answers([[p] for p in (0.9, 0.88, 0.8, 0.7, 0.72)], n=300)
    hits = outcomes["m0"].to_numpy()
    y, n, k = hits.mean(axis=0), 300, 5
    difference = np.log(y[:, None] / y)
    spread = np.array(
        [
            [(hits[:, i] / y[i] - hits[:, j] / y[j]).var(ddof=1) / n for j in range(k)]
            for i in range(k)
        ]
    )
    flip = (1 / (n * y)) ** 2
    flips = np.where(np.eye(k, dtype=bool), 0, flip[:, None] + flip)
    for simultaneous, tails in (
        (True, (0.05 / 2 / k, 0.05 / 2 / k / (k - 1))),
        (False, (0.05 / 2, 0.05 / 2 / (k - 1))),
    ):
        uncertainty = db.uncertainty(db.Samples.from_outcomes(outcomes), simultaneous=simultaneous)
        low, up = (norm.isf(tail) for tail in tails)
        lower = np.minimum(0, (difference - low * np.sqrt(spread + low**2 / 4 * flips)).min(axis=1))
        upper = np.minimum(0, (difference + up * np.sqrt(spread + up**2 / 4 * flips)).min(axis=1))
        np.testing.assert_allclose(np.log(uncertainty.lower), lower, rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(np.log(uncertainty.upper), upper, rtol=1e-11, atol=1e-14)


def test_two_classifiers_one_metric_by_hand():
    """a is right on 90, b on 70 of 100, both on 68: se² follows from the four cells."""
    a = np.r_[np.ones(90), np.zeros(10)]
    b = np.r_[np.ones(68), np.zeros(22), np.ones(2), np.zeros(8)]
    uncertainty = db.uncertainty(
        db.Samples.from_outcomes({"right": pd.DataFrame({"a": a, "b": b})}), simultaneous=False
    )
    psi = np.repeat([1 / 0.9 - 1 / 0.7, 1 / 0.9, -1 / 0.7, 0], [68, 22, 2, 8])
    z = norm.isf(0.025)
    error = np.sqrt(psi.var(ddof=1) / 100 + z**2 / 4 * (1 / 90**2 + 1 / 70**2))
    assert uncertainty.lower["b"] == pytest.approx(7 / 9 * np.exp(-z * error), rel=1e-12)
    assert uncertainty.upper["b"] == pytest.approx(7 / 9 * np.exp(z * error), rel=1e-12)
    assert uncertainty.upper["a"] == 1
    assert uncertainty.lower["a"] == pytest.approx(min(1, 9 / 7 * np.exp(-z * error)), rel=1e-12)


@pytest.mark.parametrize("method", ["analytic", "max-t"])
def test_nothing_depends_on_the_order_or_on_units(answers, method):
    outcomes = answers(TRUTH)
    milliseconds = pd.Series(range(3, 10), [f"c{i}" for i in range(7)])
    first = db.uncertainty(
        db.Samples.from_outcomes(outcomes).with_costs({"ms": milliseconds}), method=method
    )
    shuffled = {
        name: outcomes[name][["c3", "c0", "c6", "c1", "c2", "c5", "c4"]] for name in ("m1", "m0")
    }
    second = db.uncertainty(
        db.Samples.from_outcomes(shuffled).with_costs({"ms": milliseconds / 1000}), method=method
    )
    for name in ("scores", "lower", "upper"):
        np.testing.assert_allclose(
            getattr(first, name), getattr(second, name)[first.scores.index], rtol=1e-12
        )
    for name in ("verdicts", "tiers"):
        assert getattr(first, name).tolist() == getattr(second, name)[first.scores.index].tolist()
    pd.testing.assert_frame_equal(first.ranks, second.ranks.loc[first.scores.index])


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(answers):
    samples = db.Samples.from_outcomes(answers(TRUTH))
    runs = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            runs.append(db.uncertainty(samples, method="max-t", seed=3))
    assert runs[0].lower.to_numpy().tobytes() == runs[1].lower.to_numpy().tobytes()
    assert runs[0].c_lower.c.tobytes() == runs[1].c_lower.c.tobytes()
    assert db.uncertainty(samples, method="max-t", seed=4).c_lower.c[0] != runs[0].c_lower.c[0]


def test_four_times_the_data_halve_the_width(answers):
    outcomes = answers(TRUTH, n=2000)
    four = {name: pd.concat([frame] * 4, ignore_index=True) for name, frame in outcomes.items()}
    small, large = (
        db.uncertainty(db.Samples.from_outcomes(sample_outcomes))
        for sample_outcomes in (outcomes, four)
    )
    inside = (small.upper < 1) & (large.upper < 1)
    ratio = ((small.upper - small.lower) / (large.upper - large.lower))[inside]
    assert inside.any()
    assert ((ratio > 1.95) & (ratio < 2.1)).all()


def test_pairing_pays(answers):
    outcomes = answers(np.column_stack([np.linspace(0.7, 0.9, 6)] * 2), n=500, rho=0.9)
    samples = db.Samples.from_outcomes(outcomes)
    errors = np.sqrt(samples.values * (1 - samples.values) / 499)
    unpaired = db.uncertainty(db.Samples.from_table(samples.values, errors))
    paired = db.uncertainty(samples)
    width = [(intervals.upper - intervals.lower).mean() for intervals in (paired, unpaired)]
    assert width[0] < 0.75 * width[1]
    assert "independence of the systems" in " ".join(unpaired.notes)


def test_max_t_is_the_quantile_of_all_ratios(answers):
    """The critical value against 20,000 draws made here by numpy, in double precision."""
    samples = db.Samples.from_outcomes(answers(TRUTH))
    uncertainty = db.uncertainty(samples, method="max-t")
    moments = uncertainty.problem.moments
    draws = (
        np.random.default_rng(9)
        .multivariate_normal(np.zeros(14), moments.joint(1.0), 20_000)
        .reshape(-1, 7, 2)
    )
    _, spread, ridge = moments.pairs(np.arange(7))
    largest = np.zeros(20_000)
    for i in range(7):
        for j in range(i):
            largest = np.maximum(
                largest,
                np.abs((draws[:, i] - draws[:, j]) / np.sqrt(spread + ridge)[i, j]).max(axis=1),
            )
    assert uncertainty.c_lower.c[0] == pytest.approx(np.quantile(largest, 0.95), abs=0.06)


def test_joint_covariances_are_those_of_instances():
    """Five metrics of two classes, from influence values instance by instance."""
    rng = np.random.default_rng(1)
    y = np.r_[np.ones(60), np.zeros(140)]
    scores = {f"c{i}": y * (0.5 + 0.2 * i) + rng.normal(size=200) for i in range(4)}
    moments = db.Samples.from_scores(
        y, scores, threshold=0.5, positive=1, metrics=("TPR", "TNR", "G-mean", "roc_auc")
    ).moments
    table = np.array(list(scores.values()))
    right = (table >= 0.5) == (y == 1)
    from deabench.inference.samples.influence import placement_values

    placed = np.hstack(placement_values(y == 1, table))
    t, u, a = right[:, :60].mean(axis=1), right[:, 60:].mean(axis=1), placed[:, :60].mean(axis=1)
    psi = np.zeros((4, 4, 200))
    psi[:, 0, :60], psi[:, 1, 60:] = right[:, :60] / t[:, None], right[:, 60:] / u[:, None]
    psi[:, 2] = (psi[:, 0] + psi[:, 1]) / 2
    psi[:, 3] = placed / a[:, None]
    flat = psi.reshape(16, 200)
    expected = np.cov(flat[:, :60]) / 60 + np.cov(flat[:, 60:]) / 140
    np.testing.assert_allclose(moments.joint(0.0), expected, rtol=1e-10, atol=1e-16)
    for r in range(4):
        np.testing.assert_allclose(
            moments.sampling[r], expected.reshape(4, 4, 4, 4)[:, r, :, r], rtol=1e-10, atol=1e-16
        )


def test_critical_values():
    """k = 7, s = 2: Bonferroni over the statements made, Student's t over blocks."""
    counts = pd.DataFrame(
        {"tp": range(60, 67), "fn": range(40, 33, -1), "fp": 10, "tn": 90}, index=list("abcdefg")
    )
    uncertainty = db.uncertainty(db.Samples.from_counts(counts))
    np.testing.assert_allclose(uncertainty.c_lower.c, norm.isf(0.05 / (2 * 7 * 2)))
    np.testing.assert_allclose(uncertainty.c_upper.c, norm.isf(0.05 / (2 * 7 * 6)))
    np.testing.assert_allclose(uncertainty.c_verdict.c, norm.isf(0.05 / (7 * 6)))
    np.testing.assert_allclose(uncertainty.c_upper.h, norm.isf(0.05 / (2 * 7 * 6)) ** 2 / 4)
    rows = [
        (f"c{i}", f, 0.7 + 0.01 * i + 0.003 * ((i * 7 + f * 5) % 11))
        for i in range(4)
        for f in range(12)
    ]
    blocks = db.Samples.from_datasets(pd.DataFrame(rows, columns=["classifier", "dataset", "F1"]))
    np.testing.assert_allclose(db.uncertainty(blocks).c_upper.c, t.isf(0.05 / (2 * 4 * 3), 11))


def test_ranks_tiers_and_verdicts_are_what_they_say(answers):
    truth = np.column_stack([[0.95, 0.94, 0.8, 0.79, 0.5, 0.51]] * 2)
    uncertainty = db.uncertainty(db.Samples.from_outcomes(answers(truth, n=1500)))
    low, up = uncertainty.lower, uncertainty.upper
    for i in low.index:
        assert uncertainty.ranks.loc[i, "best"] == 1 + sum(low[j] > up[i] for j in low.index)
        assert uncertainty.ranks.loc[i, "worst"] == 6 - sum(up[j] < low[i] for j in low.index)
        above = [uncertainty.tiers[j] for j in low.index if low[j] > up[i]]
        assert uncertainty.tiers[i] == 1 + max(above, default=0)
    assert uncertainty.tiers.tolist() == [1, 1, 2, 2, 3, 3]
    assert uncertainty.verdicts.tolist() == [
        "undecided",
        "undecided",
        "dominated",
        "dominated",
        "dominated",
        "dominated",
    ]
    dominated = uncertainty.secure_gap.dropna()
    for name, gap in dominated.items():
        mix = uncertainty.mixes.loc[name]
        assert mix.sum() == pytest.approx(1)
        assert gap > 0
        assert (
            (mix @ uncertainty.samples.values) / uncertainty.samples.values.loc[name] - 1 > gap
        ).all()


def test_rounding_does_not_rank():
    """Two with a true score of 1, of whom one is proved efficient: the other's upper limit may be 1
    − 2e-16.
    """
    best, worst = possible_ranks(np.array([1.0, 0.98, 0.9]), np.array([1.0, 1 - 2e-16, 0.95]))
    assert (best.tolist(), worst.tolist()) == ([1, 1, 3], [1, 2, 3])
    assert assign_tiers(np.array([1.0, 0.98, 0.9]), np.array([1.0, 1 - 2e-16, 0.95])).tolist() == [
        1,
        1,
        2,
    ]


def test_the_instances_that_would_decide_do_decide():
    counts = pd.DataFrame(
        {"tp": [90, 84, 60], "fn": [10, 16, 40], "fp": [10, 14, 40], "tn": [90, 86, 60]},
        index=list("abc"),
    )
    uncertainty = db.uncertainty(db.Samples.from_counts(counts))
    assert uncertainty.verdicts.tolist() == ["undecided", "undecided", "dominated"]
    assert np.isnan(uncertainty.instances["c"])
    for name, verdict in (("b", "dominated"), ("a", "efficient")):
        times = uncertainty.instances[name]
        enough_data, fewer = (
            db.uncertainty(db.Samples.from_counts(counts * round(times * f))) for f in (1.1, 0.8)
        )
        assert enough_data.verdicts[name] == verdict
        assert fewer.verdicts[name] == "undecided"


def test_a_tie_is_decided_by_no_number_of_instances():
    counts = pd.DataFrame(
        {"tp": [90, 90], "fn": [10, 10], "fp": [10, 10], "tn": [90, 90]}, index=["a", "b"]
    )
    uncertainty = db.uncertainty(db.Samples.from_counts(counts))
    assert np.isinf(uncertainty.instances["a"])
    assert "no number of instances would decide it" in uncertainty.explain("a")


def test_gaps_targets_and_band(answers):
    uncertainty = db.uncertainty(db.Samples.from_outcomes(answers(TRUTH)), method="max-t")
    values = uncertainty.samples.values
    peers = db.rank(values)
    gaps, targets, band = uncertainty.gaps, uncertainty.targets, uncertainty.band
    for metric in values.columns:
        np.testing.assert_allclose(targets[metric]["target"], peers.projections[metric], rtol=1e-9)
        np.testing.assert_allclose(
            gaps[metric]["gap"], peers.projections[metric] / values[metric] - 1, atol=1e-9
        )
        np.testing.assert_allclose(band[metric]["value"], values[metric], rtol=1e-12)
        for frame, middle in ((gaps, "gap"), (targets, "target"), (band, "value")):
            assert (frame[metric]["lower"] <= frame[metric][middle]).all()
            assert (frame[metric][middle] <= frame[metric]["upper"]).all()
    on = uncertainty.scores.index[(uncertainty.scores == 1) & peers.efficient]
    assert (gaps.loc[on].abs().to_numpy() < 1e-12).all()


def test_each_is_narrower(answers):
    for method in ("analytic", "max-t"):
        samples = db.Samples.from_outcomes(answers(TRUTH))
        simultaneous, single = (
            db.uncertainty(samples, method=method, simultaneous=flag) for flag in (True, False)
        )
        assert ((single.lower > simultaneous.lower) | (simultaneous.lower == 1)).all()
        assert (single.upper <= simultaneous.upper + 1e-12).all()
        lower_each = simultaneous.to_frame(each=True)["lower_each"]
        pd.testing.assert_series_equal(
            lower_each.sort_index(), single.lower.sort_index(), check_names=False
        )
        pd.testing.assert_series_equal(single.verdicts, simultaneous.verdicts)


def test_a_cluster_draws_the_same_bits(answers):
    """Two Dask workers take the blocks of draws; the order of their answers changes nothing."""
    from distributed import Client, LocalCluster

    samples = db.Samples.from_outcomes(answers(TRUTH))
    local = LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)
    with local as cluster, Client(cluster) as client:
        distributed = db.uncertainty(samples, method="max-t", seed=3, client=client)
    in_process = db.uncertainty(samples, method="max-t", seed=3)
    for name in ("lower", "upper"):
        assert (
            getattr(in_process, name).to_numpy().tobytes()
            == getattr(distributed, name).to_numpy().tobytes()
        )
    assert in_process.c_verdict.c.tobytes() == distributed.c_verdict.c.tobytes()


def test_blocks_of_draws_are_cut_where_asked(answers):
    """300 draws are the first 300 of 2,000."""
    moments = db.uncertainty(db.Samples.from_outcomes(answers(TRUTH))).problem.moments
    long_run, short_run = (max_t.draw_maxima(moments, draws=draws, seed=1) for draws in (2000, 300))
    assert short_run.metrics.shape == (2, 300)
    np.testing.assert_array_equal(short_run.metrics, long_run.metrics[:, :300])
    np.testing.assert_array_equal(short_run.classifiers, long_run.classifiers[:, :300])


def test_claimed_ratios_take_the_ridge_of_their_own_c(answers):
    """gaps: log ratio ± c √(spread + c²/4 ridge), by hand."""
    uncertainty = db.uncertainty(db.Samples.from_outcomes(answers(TRUTH, n=60)))
    c, _ = max_t.ratio_critical_values(
        uncertainty.problem.moments, 0.05, draws=uncertainty.draws, seed=uncertainty.seed
    )
    gap, spread, ridge = uncertainty.problem.moments.pairs(np.arange(7))
    mix = point_scores(uncertainty.problem).mix
    upper = np.einsum("ij,ijr->ir", mix, np.exp(gap + c * np.sqrt(spread + c**2 / 4 * ridge))) - 1
    np.testing.assert_allclose(
        uncertainty.gaps.xs("upper", axis=1, level=1).to_numpy(), upper, rtol=1e-12
    )


@pytest.mark.parametrize("share", [0.9, 0.99])
def test_the_bands_limits_miss_a_share_near_1_as_rarely_as_they_say(share):
    """Summed over the binomial distribution: limits of the logarithm missed .9 of 200 two and a
    half times as often as 2Φ(-c).
    """
    hits, c = np.arange(1, 201), 3.2
    value = hits[:, None] / 200
    lower, upper = max_t.share_limits(
        value, (1 - value) / value / 199, 1 / hits[:, None], np.array([c])
    )
    missed = (lower[:, 0] > share) | (upper[:, 0] < share)
    assert binom.pmf(hits, 200, share)[missed].sum() <= 2 * norm.sf(c) * 1.1
    assert ((lower <= value) & (value <= upper)).all()
    move = c * np.sqrt((1 - value) / value / 199 + c**2 / 4 / hits[:, None] ** 2)
    if share == 0.9:
        assert (
            binom.pmf(hits, 200, share)[(value * np.exp(-move) > share)[:, 0]].sum()
            > 2 * norm.sf(c) * 2.5
        )


def test_the_band_of_recalls_is_that_of_shares():
    hits = np.zeros((100, 3), dtype=bool)
    hits[:99, 0] = hits[:80, 1] = hits[:100, 2] = True
    answer = db.uncertainty(
        db.Samples.from_outcomes({"recall": pd.DataFrame(hits, columns=["a", "b", "c"])})
    )
    band = answer.band["recall"]
    assert band.loc["c", "upper"] == 1
    assert (
        0.85 < band.loc["c", "lower"] < band.loc["c", "value"] == 1
    )  # nothing missed is not certain
    assert 0.99 < band.loc["a", "upper"] <= 1


def test_a_share_is_never_surer_than_its_instances():
    """A spread below a binomial's does not narrow the limits: Clopper and Pearson's at n remain."""
    hits = np.array([[199.0], [180.0]])
    c = np.array([2.5])
    lower, upper = max_t.share_limits(hits / 200, np.full((2, 1), 1e-9), 1 / hits, c)
    tail = norm.sf(c[0])
    np.testing.assert_allclose(lower, beta.ppf(tail, hits, 201 - hits))
    np.testing.assert_allclose(upper, beta.isf(tail, hits + 1, 200 - hits))


@pytest.mark.parametrize(
    ("draws", "alpha", "rank"), [(9, 0.15, 9), (19, 0.07, 19), (99, 0.052, 95)]
)
def test_the_quantile_of_draws_is_rounded_up(draws, alpha, rank):
    maxima = np.random.default_rng(0).permutation(np.arange(1.0, draws + 1))
    assert max_t.upper_quantile(maxima, alpha) == rank


def test_maxima_of_a_block_are_those_of_every_pair():
    hits = np.random.default_rng(1).random((60, 4)) < [0.9, 0.8, 0.7, 0.85]
    moments = db.Samples.from_outcomes(
        {
            "a": pd.DataFrame(hits, columns=list("wxyz")),
            "b": pd.DataFrame(~hits, columns=list("wxyz")),
        }
    ).moments
    model = max_t.make_error_model(moments)
    errors = model.draw(3, 0)
    t = np.abs(errors[:, None] - errors[None]) * model.ratio_precision[..., None]
    by_classifier, by_metric = max_t._block_maxima(model, 3, 0)
    np.testing.assert_allclose(by_classifier, t.max(axis=(1, 2)), rtol=1e-5)
    np.testing.assert_allclose(by_metric, t.max(axis=(0, 1)), rtol=1e-5)


def test_a_score_that_is_surely_1_has_rank_1() -> None:
    """Equal scores share a rank, as in rankings: of three scores of 1 each has rank 1."""
    lower = np.array([1.0, 1.0, 0.9])
    best, worst = possible_ranks(lower, np.ones(3))
    assert (best.tolist(), worst.tolist()) == ([1, 1, 1], [1, 1, 3])
    # Whatever the scores within their limits are, their ranks lie within.
    rng = np.random.default_rng(4)
    low = rng.uniform(0.5, 1, 9).round(1)
    high = np.minimum(low + rng.uniform(0, 0.3, 9).round(1), 1)
    best, worst = possible_ranks(low, high)
    for _ in range(200):
        scores = rng.uniform(low, high).round(1)
        ranks = 1 + (scores[None] > scores[:, None] + 1e-9).sum(axis=1)
        assert (best <= ranks).all()
        assert (ranks <= worst).all()


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_ratios_of_few_blocks_take_students_t_for_every_pair():
    """8 data sets and 3 systems make 6 one-sided statements: t of 7 degrees at .05/6."""
    values = np.random.default_rng(0).uniform(0.5, 1, (8, 3))
    rows = [(name, j, values[j, i]) for j in range(8) for i, name in enumerate("abc")]
    table = pd.DataFrame(rows, columns=["classifier", "dataset", "accuracy"])
    uncertainty = db.uncertainty(db.Samples.from_datasets(table), method="max-t")
    moments = uncertainty.problem.moments
    c, source = max_t.ratio_critical_values(moments, 0.05, draws=100, seed=0)
    assert c == pytest.approx([t.isf(0.05 / 6, 7)], rel=1e-12)
    assert source == "Bonferroni over all pairs and metrics, Student's t"
    # There are no draws of t: limits of scores take the same, verdicts one side of each pair.
    assert uncertainty.c_lower.c == pytest.approx(c, rel=1e-12)
    assert uncertainty.c_upper.c == pytest.approx(c, rel=1e-12)
    assert uncertainty.c_verdict.c == pytest.approx(c, rel=1e-12)

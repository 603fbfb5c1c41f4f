"""Confidence bands of ROC curves."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstwo, norm

from deabench import curves
from deabench.curves.bands import fixed_width_displacement, interpolate_tpr
from deabench.errors import DataError, DataWarning


@pytest.fixture(scope="module")
def curve(normal):
    return curves.roc(*normal)


def test_simultaneous_regions_are_kolmogorovs(curve):
    band = curves.bands(curve, "simultaneous", alpha=0.05)
    level = np.sqrt(0.95)
    assert kstwo.cdf(band.up, 60) * kstwo.cdf(band.across, 240) == pytest.approx(0.95, abs=1e-9)
    assert band.up == pytest.approx(kstwo.ppf(level, 60), abs=1e-12)
    # every rectangle around a point of the curve is inside the band
    points = curve.points
    for dx in (-band.across, 0, band.across):
        f = points["FPR"] + dx
        f, y = f[(f >= 0) & (f <= 1)], points["TPR"][(f >= 0) & (f <= 1)]
        limits = band.at(f)
        assert (limits["upper"].to_numpy() >= np.minimum(y + band.up, 1) - 1e-12).all()
        assert (limits["lower"].to_numpy() <= np.maximum(y - band.up, 0) + 1e-12).all()


def test_fixed_width_holds_its_share_of_the_bootstrap_curves(curve):
    """The displacement is the least that holds 1 − α of the curves it was made from, found again by
    brute force.
    """
    m, alpha, resamples = 2.0, 0.1, 200
    up = fixed_width_displacement(curve, m, alpha, np.random.default_rng(3), resamples)
    band = curves.bands(curve, slope=m, alpha=alpha, resamples=resamples, seed=3)
    assert (band.up, band.across) == (up, up / m)
    rng, inside, inside_less = np.random.default_rng(3), 0, 0
    y_levels, x_levels = np.diff(curve.points["TPR"]), np.diff(curve.points["FPR"])
    u = np.linspace(0, 1 + m, 20001)
    centre = np.interp(u, m * curve.points["FPR"] + curve.points["TPR"], curve.points["TPR"])
    for _ in range(resamples):
        y = np.concatenate([[0], np.cumsum(rng.multinomial(60, y_levels / y_levels.sum())) / 60])
        x = np.concatenate([[0], np.cumsum(rng.multinomial(240, x_levels / x_levels.sum())) / 240])
        gap = np.abs(np.interp(u, m * x + y, y) - centre).max()
        inside += gap <= up + 1e-3
        inside_less += gap <= up - 1e-3
    assert inside >= (1 - alpha) * resamples
    assert inside_less < (1 - alpha) * resamples


def test_the_default_slope_is_the_ratio_of_standard_deviations(curve):
    band = curves.bands(curve, resamples=50)
    assert band.up / band.across == pytest.approx(np.sqrt(240 / 60), rel=1e-12)
    assert curves.bands(curve, resamples=50).points.equals(
        band.points
    )  # the seed makes it the same again


@pytest.mark.parametrize("method", ["fixed-width", "simultaneous"])
def test_a_band_holds_its_curve_and_narrows_with_alpha(curve, method):
    wide, narrow = (
        curves.bands(curve, method, alpha=alpha, resamples=200) for alpha in (0.01, 0.3)
    )
    for band in (wide, narrow):
        assert (band.points["lower"] <= band.points["upper"]).all()
        f = band.points["FPR"].to_numpy()
        assert (band.points["lower"] <= interpolate_tpr(curve, f, top=False) + 1e-12).all()
        assert (band.points["upper"] >= interpolate_tpr(curve, f, top=True) - 1e-12).all()
        assert (np.diff(band.points["upper"]) >= -1e-12).all()
        assert (np.diff(band.points["lower"]) >= -1e-12).all()
        assert 0 < band.area < 1
    assert narrow.area < wide.area
    assert (narrow.points.iloc[0]["FPR"], narrow.points.iloc[-1]["FPR"]) == (0, 1)


@pytest.mark.slow
def test_simultaneous_regions_cover_the_true_curve():
    """Coverage >= 95 % is a theorem; 60 samples with 25 positives may miss at most 7 times (p < .01
    at .95).
    """
    rng, f = np.random.default_rng(11), np.linspace(0, 1, 501)
    true = norm.cdf(1 + norm.ppf(f))
    held = 0
    for _ in range(60):
        y = np.repeat([1, 0], [25, 75])
        limits = curves.bands(curves.roc(y, rng.normal(size=100) + y), "simultaneous").at(f)
        held += bool(((limits["lower"] <= true + 1e-12) & (true <= limits["upper"] + 1e-12)).all())
    assert held >= 53


@examples(40)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30).filter(
        lambda rows: 0 < sum(y for y, _ in rows) < len(rows)
    ),
    st.floats(-0.2, 1.2),
)
def test_reading_a_curve_gives_top_and_foot_of_a_jump(rows, f):
    y, s = map(np.array, zip(*rows, strict=True))
    curve = curves.roc(y, s, positive=True)
    x, h = curve.points["FPR"].to_numpy(), curve.points["TPR"].to_numpy()
    for vertex in np.unique(x):
        assert interpolate_tpr(curve, np.array([vertex]), top=True)[0] == h[x == vertex].max()
        assert interpolate_tpr(curve, np.array([vertex]), top=False)[0] == h[x == vertex].min()
    if f not in x:
        straight = np.interp(f, x, h, left=h[0], right=1)
        for top in (True, False):
            height = interpolate_tpr(curve, np.array([f]), top=top)[0]
            assert height == pytest.approx(straight, abs=1e-12) or not 0 <= f <= 1
    assert interpolate_tpr(curve, np.array([-0.1, 1.1]), top=False).tolist() == [0, 1]


def test_a_perfect_curve_has_no_bootstrap_spread_and_says_so():
    perfect = curves.roc([1, 1, 0, 0, 0], [5, 4, 3, 2, 1])
    with pytest.warns(DataWarning) as caught:
        assert curves.bands(perfect, resamples=20).up == 0
    assert [str(warning.message) for warning in caught] == [
        "every bootstrap curve is the curve itself, as for a perfect score, so the fixed-width "
        "band has no width; "
        "use method='simultaneous'"
    ]
    assert curves.bands(perfect, "simultaneous").area > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda c: curves.average_vertical([c, curves.roc([0, 1, 1], [1, 2, 3], positive=0)]),
            "the curves take 0 and 1 as positive; give positive= where they are made",
        ),
        (
            lambda c: curves.bands(c, "wide"),
            "method is 'wide'; it is 'fixed-width' or 'simultaneous'",
        ),
        (
            lambda c: curves.bands(c, alpha=1),
            "alpha is 1; give a number between 0 and 1, as 0.05 for a 95 % band",
        ),
        (
            lambda c: curves.bands(c, slope=-2),
            "slope is -2; give m > 0, the curve is moved along lines of slope -m",
        ),
        (lambda c: curves.bands(c, resamples=0), "resamples is 0; give at least 1"),
        (
            lambda c: curves.average_vertical([c]),
            "the curves to average number 1; give at least two, one per fold",
        ),
        (lambda c: curves.average_vertical([c, c], grid=1), "grid is 1; give at least 2 points"),
        (
            lambda c: curves.average_threshold([c, c], alpha=0),
            "alpha is 0; give a number between 0 and 1, as 0.05 for a 95 % interval",
        ),
    ],
)
def test_bad_settings_are_refused(curve, call, message):
    with pytest.raises(DataError) as error:
        call(curve)
    assert str(error.value) == message

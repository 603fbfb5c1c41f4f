"""
Radial: one factor for all metrics
==================================

*mine* grows along its ray, both metrics by one factor, until it meets the mixtures of the others
(``score``) or what a classifier that exists dominates (``fdh``). *eager* is met at once, although
*net* is better in TNR: that is its slack, which a radial score does not show. ``super`` leaves
*forest* out of its own reference: what it shrinks by until the others reach it."""

from _plane import GREEN, GREY, PINK, RATES, RED, arrow, boundary, db, dots, key, line, planes

figure, (ax,) = planes()
line(ax, boundary(RATES), "mixtures count (score)")
line(
    ax,
    boundary(RATES, model="fdh"),
    "classifiers alone count (fdh)",
    color=GREEN,
    linestyle=(0, (5, 1.5)),
)
line(
    ax,
    boundary(RATES.drop(index="forest")),
    "without forest (super)",
    color=PINK,
    linestyle=":",
    linewidth=2,
)
mine, forest = RATES.loc["mine"], RATES.loc["forest"]
line(ax, [(0, 0), mine], "", color=GREY, linewidth=0.8)
score, free = db.rank(RATES).scores["mine"], db.rank(RATES, model="fdh").scores["mine"]
arrow(ax, mine, mine / score, f"1/{score:.2f}", RED, (6, 7))
arrow(ax, mine, mine / free, f"1/{free:.2f}", GREEN, (-44, 4))
ahead = db.rank(RATES, model="super").scores["forest"]
arrow(ax, forest, forest / ahead, f"1/{ahead:.2f}", PINK, (-40, -8))
dots(ax, RATES, {"mine": (7, -9), "eager": (6, -4), "forest": (7, 4)})
ax.set(xlim=(0.1, 1.12), ylim=(0.1, 1.12))
key(ax, loc="lower left")
figure

"""
Directions: how far along the way that you choose
=================================================

``ddf`` goes from *mine* along a direction until it meets the frontier: along its own values (the
radial way), towards the best of both (``ideal``; ``rdm`` is the share of that way that lies behind
it), or in steps of your own. ``holder`` chooses the direction itself: the least change that reaches
the frontier, straight (l2) or in one metric alone (l1)."""

import pandas as pd
from _plane import (
    BLUE,
    GREEN,
    GREY,
    INK,
    PINK,
    RATES,
    RED,
    arrow,
    boundary,
    db,
    dots,
    key,
    line,
    planes,
)
from matplotlib.patches import Circle

figure, (left, right) = planes(2, size=(9.6, 4.6))
mine, best = RATES.loc["mine"], RATES.max()
steps = {"own": mine, "ideal": best - mine, "two to one": pd.Series({"TPR": 0.2, "TNR": 0.1})}
for ax in (left, right):
    line(ax, boundary(RATES), "frontier")
for (name, step), colour, offset in zip(
    steps.items(), (RED, GREEN, PINK), ((-80, -2), (4, 8), (8, -6)), strict=True
):
    beta = db.rank(
        RATES, model=db.models.DDF(direction=name if name in ("own", "ideal") else dict(step))
    ).scores["mine"]
    arrow(left, mine, mine + beta * step, f"{name}: β = {beta:.2f}", colour, offset)
left.scatter(*best, marker="*", s=70, color=INK, zorder=4)
left.annotate("ideal", tuple(best), (-30, -4), textcoords="offset points", fontsize=8.5)
left.set_title("ddf, rdm", loc="left", fontsize=10)
for norm, colour, offset in ((1, BLUE, (-16, 9)), (2, RED, (6, 2))):
    ranking = db.rank(RATES, model=db.models.Holder(norm=norm, weights="ones"))
    direction = ranking.tables["direction"].loc["mine"]
    size = (direction.abs() ** norm).sum() ** (1 / norm)
    arrow(
        right,
        mine,
        mine + ranking.scores["mine"] * direction / size,
        f"l{norm}: {ranking.scores['mine']:.2f}",
        colour,
        offset,
    )
    if norm == 2:
        right.add_patch(
            Circle(tuple(mine), ranking.scores["mine"], fill=False, linestyle=":", color=GREY)
        )
right.set_title("holder", loc="left", fontsize=10)
for ax in (left, right):
    dots(ax, RATES, {"mine": (-12, -14), "eager": (6, -12)})
    ax.set(xlim=(0.1, 1.2), ylim=(0.2, 1.12), aspect="equal")
    key(ax, loc="lower left")
figure

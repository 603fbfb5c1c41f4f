"""
Preferences: the frontier under weights that you hold for possible
==================================================================

Weights are free, so *tree*, which is the best in TNR, is efficient whatever it misses. Where a
point of TPR counts at least two of TNR (``ratios``), two points of TNR may be traded for one of
TPR: the frontier goes on along that trade, *tree* and *logit* lie below it, and no score rises."""

from _plane import GREY, PINK, RATES, arrow, boundary, db, dots, key, line, planes

preferences = db.models.WEI(ratios={("TPR", "TNR"): (2, float("inf"))})
figure, (ax,) = planes()
line(ax, boundary(RATES), "any weights")
line(
    ax,
    boundary(RATES, model=preferences),
    "a point of TPR counts two of TNR or more",
    color=PINK,
    linestyle=(0, (5, 1.5)),
)
scores = db.rank(RATES, model=preferences).scores
for name in ("tree", "logit"):
    line(ax, [(0, 0), RATES.loc[name]], "", color=GREY, linewidth=0.8)
    arrow(
        ax, RATES.loc[name], RATES.loc[name] / scores[name], f"1/{scores[name]:.2f}", PINK, (5, 2)
    )
dots(ax, RATES, {"tree": (-28, 5), "logit": (-26, 8), "eager": (6, -4)})
ax.set(xlim=(0, 1.12), ylim=(0, 1.75))
key(ax, loc="upper right")
figure

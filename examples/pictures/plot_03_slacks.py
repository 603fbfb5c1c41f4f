"""
Slacks: what is left in each metric
===================================

The radial way of *mine* ends on the frontier where its ray leads; the slack models (``sbm``,
``russell``, ``additive``, ``ram``, ``bam``) look for the point with the most to gain in sum, metric
by metric. *eager* scores 1 radially, and .77 by ``sbm``: the .18 of TNR that *net* has more is
counted."""

from _plane import GREY, RATES, RED, arrow, boundary, db, dots, key, line, planes

figure, (ax,) = planes()
line(ax, boundary(RATES), "frontier")
sbm, radial = db.rank(RATES, model="sbm"), db.rank(RATES).scores
for name, offset in (("mine", (8, -14)), ("eager", (8, -24))):
    start, gain = RATES.loc[name], sbm.slacks.loc[name].clip(lower=0).round(9)
    corner = (start["TPR"] + gain["TPR"], start["TNR"])
    for a, b in ((start, corner), (corner, start + gain)):
        if tuple(a) != tuple(b):
            arrow(
                ax, a, b, "" if tuple(b) == corner else f"sbm {sbm.scores[name]:.2f}", RED, offset
            )
mine = RATES.loc["mine"]
arrow(ax, mine, mine / radial["mine"], f"radial {radial['mine']:.2f}", GREY, (-70, -12))
dots(ax, RATES, {"mine": (-12, -13), "eager": (6, -12)})
ax.set(xlim=(0.2, 1.12), ylim=(0.2, 1.08))
key(ax, loc="lower left")
figure

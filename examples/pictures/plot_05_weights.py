"""
Cross-efficiency: each classifier under the weights of the others
=================================================================

Each row is a classifier as a judge: the weights that make itself look best (and the others as bad
as they can, the aggressive goal), put to all. The diagonal is the own score; the mean of a column
is the cross-efficiency. *tree* is efficient by its own weights, but not by those of the others.
The last row is the one weighting for all (``common``)."""

import numpy as np
from _plane import RATES, db, planes

cross, common = db.rank(RATES, model="cross"), db.rank(RATES, model="common")
rows = np.vstack([cross.tables["cross"], cross.scores, common.scores])
names = [*RATES.index, "mean (cross)", "common"]
figure, (ax,) = planes(size=(5.8, 4.8))
ax.imshow(rows, cmap="Blues", vmin=0.3, vmax=1.25, aspect="auto")
for (judge, judged), value in np.ndenumerate(rows):
    is_own = judge == judged
    ax.annotate(
        f"{value:.2f}",
        (judged, judge),
        ha="center",
        va="center",
        fontsize=9,
        weight="bold" if is_own else "normal",
        color="white" if value > 0.9 else "black",
    )
ax.axhline(len(RATES) - 0.5, color="black", linewidth=1.5)
ax.set(
    xticks=range(len(RATES)),
    xticklabels=RATES.index,
    yticks=range(len(names)),
    yticklabels=names,
    ylabel="judge",
)
ax.set_xlabel("judged", labelpad=6)
ax.tick_params(length=0)
ax.grid(False)
figure

"""Draw the pictures of the documentation from shipped data: `python examples/pictures.py [FOLDER]`,
by default docs/img here.

Every picture is a Display of `deabench.plot`: its numbers are computed first, `plot()` draws them.
"""

import sys
import warnings
from pathlib import Path

import deabench as db
from deabench import plot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/img")
folder.mkdir(parents=True, exist_ok=True)
warnings.simplefilter("ignore", db.DataWarning)  # seven classifiers are few, as the text tells

wine = db.datasets.load("chao2022-wine1")
established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
noisy = db.datasets.load("chao2022-c45-noisy")
metrics = ["TPR", "TNR", "GM"]

front = db.frontier(established, outputs=["TPR", "TNR"])
targets = db.targets(
    wine.drop(established.index), established, outputs=["TPR", "TNR"], norm="l2", on="facets"
)
ranking = db.rank(noisy, inputs=["TNR"], model="wei")
solid = db.frontier(noisy, outputs=metrics)
several = db.targets(noisy.loc[["C4.5", "SMC"]], noisy.drop(["C4.5", "SMC"]), outputs=metrics)

pictures = {
    "frontier": plot.FrontierDisplay.from_result(targets, cost_ratio=5, prevalence=0.33),
    "targets": plot.TargetsDisplay.from_result(targets),
    "cost_ranges": plot.CostRangeDisplay.from_result(front, prevalence=0.33),
    "ranking": plot.RankingDisplay.from_result(ranking),
    "peers": plot.PeerNetworkDisplay.from_result(ranking),
    "weights": plot.WeightsDisplay.from_result(ranking),
    "facets": plot.FacetGraphDisplay.from_result(solid),
    "parallel": plot.ParallelDisplay.from_result(several),
}
for name, display in pictures.items():
    plot.save_figure(display.plot().figure_, folder / f"{name}.png")
    print(folder / f"{name}.png")

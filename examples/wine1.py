"""Rank the classifiers of one data set and find each one's closest target on the frontier of the
established ones.

Data: Table 14 of Chao, Kou, Peng, Fernández (2022), percent of positives (TPR) and negatives (TNR)
classified rightly on Wine."""

import deabench as db
from deabench.plot import FrontierDisplay, save_figure

table = db.datasets.load("chao2022-wine1")
ranking = db.rank(table, outputs=["TPR", "TNR"])
print(ranking.to_frame().round(4).to_string(), end="\n\n")

established = table.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
targets = db.targets(
    table.drop(established.index), established, outputs=["TPR", "TNR"], norm="l2", on="facets"
)
print(targets.to_frame().round(2).to_string(), end="\n\n")

print("Cost of a false negative over that of a false positive, at 33 % positives:")
print(targets.frontier.cost_ranges(prevalence=0.33).round(2).to_string(), end="\n\n")

db.certify(ranking)
db.certify(targets)
save_figure(FrontierDisplay.from_result(targets).plot().figure_, "wine1.png")
print("every number re-proved without a solver; the picture is wine1.png")

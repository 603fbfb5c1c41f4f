"""
The paper's study, replayed on keel67
=====================================

Chao, Kou, Peng and Fernández (2022) rank eighteen ways to learn from imbalanced data on 68 data
sets by DEA. deabench ships 67 of these runs, made by its own study preset ``chao2022``: 12,060
confusion matrices. Here is what they say, and how sure."""

# %%
# The counts
# ----------

import deabench as db
from deabench import metrics

counts = db.datasets.load("keel67")
counts.head(3)

# %%
# Folds are added first, metrics are taken of the sums, then the mean over the data sets (positive
# is the minority).

pooled = counts.groupby(["dataset", "classifier"], sort=False).sum()
by_dataset = metrics.from_counts(pooled, metrics=["TPR", "TNR", "G-mean", "balanced_accuracy"])
means = by_dataset.groupby("classifier", sort=False).mean()
means.sort_values("G-mean", ascending=False).round(3)

# %%
# Ranked by TPR and TNR, as one would today
# -----------------------------------------
# Nobody has said what a missed positive costs, so both rates are outputs.

ranking = db.rank(means, outputs=["TPR", "TNR"])
ranking.to_frame().round(3)

# %%
# Each of the efficient is best at some ratio of the two costs; the last one always finds the
# majority:

front = db.frontier(means, outputs=["TPR", "TNR"])
front.cost_ranges(prevalence=0.1).round(2)

# %%
front.plot()

# %%
# Ranked as the paper did
# -----------------------
# The paper divides by TNR, which makes it an input: to be low. Whoever gives the majority up is
# rewarded, and under-sampling wins by arithmetic, not by learning.

paper = db.rank(means, outputs=["TPR", "G-mean"], inputs=["TNR"], model="wei")
paper.to_frame().round(3).join(means[["TPR", "TNR"]].round(3)).head(6)

# %%
# How many are apart?
# -------------------
# Data sets are a sample, too. Over 67 of them:

uncertainty = db.uncertainty(db.Samples.from_datasets(counts, metrics=["TPR", "TNR"]))
uncertainty.verdicts.value_counts().to_frame()

# %%
# One is proved efficient, because no mixture comes near its TNR; the others are undecided. Tests
# of one metric, counting the cuts of one file once, say how little 67 sets are:

table = by_dataset["G-mean"].unstack("classifier").dropna()[["C4.5", "SMC", "RUC", "AdBC", "SVM"]]
comparison = db.compare.compare(table, clusters="keel", control="C4.5")
print(comparison.summary())

# %%
comparison.plot()

# %%
# The printed tables themselves
# -----------------------------
# What can be recomputed from the paper's own numbers is, cell by cell:

print(db.reproduce("table23").summary())

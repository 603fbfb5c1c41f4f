"""
A grid search, judged by five metrics, and how sure
===================================================

A grid search hands out one table per metric and crowns the best mean of one of them. Here all five
count, without weights, and the folds show how much of the order is luck."""

# %%
# The search
# ----------
# A decision tree on the Breast Cancer data: how deep, and do the classes weigh the same? Positive
# is *malignant*.

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import deabench as db

X, y = load_breast_cancer(return_X_y=True)
search = GridSearchCV(
    DecisionTreeClassifier(random_state=0),
    {"max_depth": [1, 3, 6], "class_weight": [None, "balanced"]},
    scoring=["recall", "precision", "f1", "accuracy", "roc_auc"],
    refit=False,
    cv=StratifiedKFold(10, shuffle=True, random_state=0),
).fit(X[:, :10], 1 - y)

# %%
# What deabench makes of it
# -------------------------
# Every column has a role: the five means are to be high, the times would be costs, folds and
# spreads are no metrics.

table = db.read(search)
pd.Series(
    {role: len(names) for role, names in table.to_frame().groupby("role").groups.items()},
    name="columns",
).to_frame()

# %%
# Ranked by the five metrics alone, none weighed against another:

samples = db.Samples.from_search(search)
ranking = db.rank(table, outputs=list(samples.values), inputs=[], uncertainty=samples)
ranking.to_frame()[["efficiency", "rank", "efficient"]].round(4)

# %%
# An efficiency of .99 says that all five metrics could grow by 1 % together before the best mix of
# the other candidates is reached. Who is in that mix, and what one would gain there:

print(ranking.explain(ranking.to_frame().index[-1]))

# %%
# How sure is that?
# -----------------
# Ten folds share training data, so they are worth less than ten samples; Nadeau and Bengio's
# variance says how much. *Dominated* would be proved, *undecided* is what ten folds cannot tell:

ranking.to_frame()[["lower", "upper", "verdict", "best_rank", "worst_rank"]].round(3)

# %%
# The picture of it: the intervals of all candidates hold together at 95 %.

ranking.uncertainty.plot()

# %%
# What it would take
# ------------------
# For each candidate inside the frontier the least change that would bring it there:

db.targets(samples.values, samples.values).gaps.round(4)

# %%
# And a page to send around, with the same numbers and their proof:
# ``db.report(ranking).save("search.html")``.
#
# One choice is not a matter of statistics: which of the efficient candidates suits *your* costs. If
# a missed cancer counts at least twice a false alarm, bound the ratio of the weights:

weighed = db.rank(
    table,
    outputs=["mean_test_recall", "mean_test_precision"],
    inputs=[],
    model=db.models.WEI(ratios={("mean_test_recall", "mean_test_precision"): (2, float("inf"))}),
)
weighed.to_frame().round(4)

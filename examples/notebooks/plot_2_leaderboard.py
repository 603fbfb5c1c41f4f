"""
A leaderboard with prices, and a budget
=======================================

Image classifiers with their accuracy, size and latency. Which are worth their price, what does a
point of accuracy cost, and which would one take within half a millisecond?"""

# %%
# The table
# ---------
# Nine models of timm's public results. That lower is better in latency follows
# from its name, and a note reports it.

from io import StringIO

import pandas as pd

import deabench as db

table = pd.read_csv(
    StringIO("""model,top1,param_count,latency_ms
resnet50.a2,80.774,25.56,0.386
tf_efficientnet_b0.aa,76.882,5.29,0.131
deit_base,81.98,86.57,0.351
deit3_medium,83.09,38.85,0.217
regnety_160,83.704,83.59,1.024
vit_small_384,81.13,22.2,0.4
convnext_small.in12k,85.324,50.22,0.555
convnext_base,84.466,88.59,0.789
eva02_large_448,90.056,305.08,9.756
"""),
    index_col="model",
)
board = db.read(table)  # or the name of a file
board.to_frame()[["role", "better", "reason"]]

# %%
# Who is worth the price?
# -----------------------
# With costs returns to scale are variable: twice the parameters do not give twice the accuracy.

ranking = db.rank(board)
ranking.to_frame().round(4)

# %%
# One of those that are not, in words and in its own units:

print(ranking.explain("deit_base"))

# %%
# A mix of two networks is a share of the traffic to each: fine for latency, but no network has the
# *size* between two. Without mixtures:

unmixed = db.rank(board, model="fdh")
ranking.scores.to_frame("mixed").join(unmixed.scores.rename("alone")).round(4)

# %%
# What does a point of accuracy cost?
# -----------------------------------
# Along the frontier of accuracy and size every facet has a price:

front = db.frontier(board, outputs=["top1"], inputs=["param_count"])
for sentence in front.prices["says"]:
    print(sentence)

# %%
front.plot()

# %%
# Within half a millisecond
# -------------------------

fast = db.best(board, within={"latency_ms": 0.5})
fast.to_frame().round(4)

# %%
# How sure?
# ---------
# Top-1 is a share of 50,000 images, so its standard error is known; sizes are exact, and latencies
# are taken as exact here.

top1 = board.frame[["top1"]]
samples = db.Samples.from_table(top1, (top1 * (100 - top1) / 50_000) ** 0.5).with_costs(
    board.frame[["param_count", "latency_ms"]]
)
uncertainty = db.uncertainty(samples)
uncertainty.to_frame().round(3)

# %%
# All answers are of the same images, so errors are alike and the truth is sharper than this; with
# the answers themselves, ``Samples.from_predictions`` would know. Four models are dominated even
# so: whatever latency, size and accuracy weigh for you, take another.

print(uncertainty.summary())

# %%
# The way out for one of them, the least change in shares of each column's range:

db.targets(board, board).gaps.loc[["deit_base", "regnety_160"]].round(2)

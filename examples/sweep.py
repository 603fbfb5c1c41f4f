"""Which model at which threshold: the frontier of three million operating points in Parquet files,
and the ten cheapest of them.

Simulated: 300 settings of a model, each scored on 5,000 positives and 20,000 negatives, at 10,000
thresholds."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import deabench as db

rng, thresholds = np.random.default_rng(0), np.linspace(-3, 6, 10_000).round(4)


def swept(model: int) -> pd.DataFrame:
    """A model's rates at every threshold."""
    separation, spread = 1 + 1.5 * rng.beta(4, 2), rng.uniform(0.7, 1.6)
    positives, negatives = (
        np.sort(rng.normal(separation, spread, 5_000)),
        np.sort(rng.normal(0, 1, 20_000)),
    )
    return pd.DataFrame(
        {
            "model": f"model {model}",
            "threshold": thresholds,
            "TPR": 1 - positives.searchsorted(thresholds) / 5_000,
            "TNR": negatives.searchsorted(thresholds) / 20_000,
        }
    )


with TemporaryDirectory() as folder:
    for first in range(0, 300, 50):
        pd.concat(map(swept, range(first, first + 50))).to_parquet(
            f"{folder}/models-{first:03}.parquet", index=False
        )

    front = db.frontier(f"{folder}/*.parquet", outputs=["TPR", "TNR"], label=["model", "threshold"])
    print(front.summary(), end="\n\n")
    db.certify(front)  # every row is read again, and none lies beyond it

    ratio, prevalence = 20, 0.05  # a missed positive costs as much as twenty false alarms
    best = pd.concat(
        pd.read_parquet(path)
        .assign(
            cost=lambda rows: (
                ratio * prevalence * (1 - rows["TPR"]) + (1 - prevalence) * (1 - rows["TNR"])
            )
        )
        .nsmallest(10, "cost")
        for path in sorted(Path(folder).glob("*.parquet"))
    ).nsmallest(10, "cost")
    print(
        f"The ten cheapest where a false negative costs {ratio} false positives, at "
        f"{prevalence:.0%} positives:"
    )
    print(best.to_string(index=False), end="\n\n")

    ranges = front.cost_ranges(prevalence=prevalence)
    print(
        "On the frontier it is",
        ranges.index[(ranges["from_ratio"] <= ratio) & (ratio <= ranges["to_ratio"])][0],
    )

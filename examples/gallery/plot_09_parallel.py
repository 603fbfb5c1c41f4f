r"""
Now and target, in many metrics
===============================

One axis a metric, a line now, a line where it could be.

.. code-block:: console

    $ deabench targets examples/leaderboard.csv --reference examples/leaderboard.csv \
        --show parallel --plot parallel.png
"""

import deabench as db
from deabench.plot import ParallelDisplay

noisy = db.datasets.load("chao2022-c45-noisy")
tested = ["C4.5", "SMC"]
ParallelDisplay.from_result(
    db.targets(noisy.loc[tested], noisy.drop(tested), outputs=["TPR", "TNR", "GM"])
).plot()

r"""
The facets and their neighbours
===============================

With three metrics and more the frontier cannot be drawn, but its facets can: each is a node, and an
edge joins two that share a ridge.

.. code-block:: console

    $ deabench frontier examples/leaderboard.csv --outputs top1 \
        --inputs param_count,latency_ms --plot facets.png
"""

import deabench as db
from deabench.plot import FacetGraphDisplay

noisy = db.datasets.load("chao2022-c45-noisy")
FacetGraphDisplay.from_result(db.frontier(noisy, outputs=["TPR", "TNR", "GM"])).plot()

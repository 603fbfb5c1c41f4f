r"""
Accuracy against size
=====================

A leaderboard with one quality and one cost: what lies below the line pays for nothing.

.. code-block:: console

    $ deabench frontier examples/leaderboard.csv --outputs top1 --inputs param_count \
        --plot price.png
"""

import deabench as db

board = db.read(db.datasets.board("timm-speed"))
db.frontier(board, outputs=["top1"], inputs=["param_count"]).plot()

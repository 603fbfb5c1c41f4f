"""
How sure a curve is
===================

A band that holds the whole true curve at 95 %.

.. code-block:: console

    $ deabench curve examples/scores.csv --kind bands --band simultaneous --plot bands.png
"""

import numpy as np

from deabench.plot import RocDisplay

rng = np.random.default_rng(0)
y = np.repeat([1, 0], [40, 120])
RocDisplay.from_predictions(y, {"net": rng.normal(1.5 * y)}, band="simultaneous").plot()

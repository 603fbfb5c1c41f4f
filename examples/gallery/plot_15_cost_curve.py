"""
Every prevalence and cost ratio at once
=======================================

The lower envelope of a classifier's thresholds: the least expected cost wherever one stands.

.. code-block:: console

    $ deabench curve examples/scores.csv --kind cost --plot cost.png
"""

import numpy as np

from deabench import curves

rng = np.random.default_rng(0)
y = np.repeat([1, 0], [40, 120])
score = rng.normal(1.5 * y)
curves.cost_curve(y, score).plot()

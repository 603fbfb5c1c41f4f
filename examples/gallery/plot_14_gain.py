"""
Whom to call first
==================

The share of the positives found among the first so many per cent by score.

.. code-block:: console

    $ deabench curve examples/scores.csv --kind gain --plot gain.png
"""

import numpy as np

from deabench import curves

rng = np.random.default_rng(0)
y = np.repeat([1, 0], [40, 120])
score = rng.normal(1.5 * y)
curves.gain(y, score).plot()

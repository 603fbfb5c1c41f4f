"""
A threshold that means one thing
================================

An ROC curve; dark is where Tango's interval says that missed positives and false alarms are as
many: the balanced segment.

.. code-block:: console

    $ deabench curve examples/scores.csv --plot roc.png
"""

import numpy as np

from deabench.plot import RocDisplay

rng = np.random.default_rng(0)
y = np.repeat([1, 0], [40, 120])
RocDisplay.from_predictions(y, {"net": rng.normal(1.5 * y), "tree": rng.normal(0.8 * y)}).plot()

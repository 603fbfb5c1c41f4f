"""
How sure the scores are
=======================

Intervals of all classifiers that hold together at 95 %. Undecided is the usual answer of a small
test set.

.. code-block:: console

    $ deabench uncertainty examples/predictions.csv --plot sure.png
"""

import numpy as np

import deabench as db

rng = np.random.default_rng(0)
y = np.repeat([1, 0], [200, 800])
right = {
    name: rng.random(1000) < np.where(y == 1, tpr, tnr)
    for name, tpr, tnr in [
        ("a", 0.9, 0.8),
        ("b", 0.8, 0.9),
        ("c", 0.84, 0.86),
        ("d", 0.75, 0.75),
        ("e", 0.6, 0.88),
    ]
}
db.uncertainty(
    db.Samples.from_predictions(
        y, {name: np.where(hit, y, 1 - y) for name, hit in right.items()}, positive=1
    )
).plot()

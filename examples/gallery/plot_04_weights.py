"""
On what a score rests
=====================

Every classifier is judged under the weighting that suits it best. This is that weighting: a score
that rests on one metric alone is a specialist's.

.. code-block:: console

    $ deabench rank examples/wine1.csv --outputs TPR,TNR --show weights --plot weights.png
"""

import deabench as db
from deabench.plot import WeightsDisplay

noisy = db.datasets.load("chao2022-c45-noisy")
WeightsDisplay.from_result(db.rank(noisy, outputs=["TPR", "TNR", "GM"])).plot()

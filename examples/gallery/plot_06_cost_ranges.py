"""
Which classifier at which costs
===============================

How many false alarms is a missed positive worth? Between two numbers one classifier is the
cheapest.

.. code-block:: console

    $ deabench frontier examples/established.csv --outputs TPR,TNR --costs 0.33 --plot costs.png
"""

import deabench as db
from deabench.plot import CostRangeDisplay

established = db.datasets.load("chao2022-wine1").loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
CostRangeDisplay.from_result(
    db.frontier(established, outputs=["TPR", "TNR"]), prevalence=0.33
).plot()

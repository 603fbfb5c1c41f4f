r"""
Three winners, and the weights of each
======================================

RUS+SVM, CS-MCQP and Bagging share efficiency 1. Which of them is first depends on how much TPR
counts against TNR: below 49 % RUS+SVM is, up to 94 % CS-MCQP, above that Bagging.

.. code-block:: console

    $ deabench weightings examples/established.csv --plot regions.png --show regions
"""

import deabench as db
from deabench.plot import WinningRegionsDisplay

wine = db.datasets.load("chao2022-wine1")
established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
result = db.weightings(established, outputs=["TPR", "TNR"])
WinningRegionsDisplay.from_result(result).plot()

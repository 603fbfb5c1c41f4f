r"""
What each would have to gain
============================

Dumb-bells from what is to the closest target, metric by metric.

.. code-block:: console

    $ deabench targets examples/wine1.csv --reference examples/established.csv \
        --outputs TPR,TNR --show targets --plot gaps.png
"""

import deabench as db
from deabench.plot import TargetsDisplay

wine = db.datasets.load("chao2022-wine1")
established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
TargetsDisplay.from_result(
    db.targets(wine.drop(established.index), established, outputs=["TPR", "TNR"])
).plot()

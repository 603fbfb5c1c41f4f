r"""
The frontier, and the way to it
===============================

Three established classifiers span the frontier of TPR and TNR; an arrow leads each of the others to
its closest target. RBF lies inside, MLP outside: it is better than what was known.

.. code-block:: console

    $ deabench targets examples/wine1.csv --reference examples/established.csv \
        --outputs TPR,TNR --on facets --plot frontier.png
"""

import deabench as db
from deabench.plot import FrontierDisplay

wine = db.datasets.load("chao2022-wine1")
established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
targets = db.targets(
    wine.drop(established.index), established, outputs=["TPR", "TNR"], norm="l2", on="facets"
)
FrontierDisplay.from_result(targets).plot()

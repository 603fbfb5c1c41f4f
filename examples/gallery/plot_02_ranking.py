"""
Who is how near
===============

Efficiencies, best first. The distance to 1 is what all metrics could grow together.

.. code-block:: console

    $ deabench rank examples/wine1.csv --outputs TPR,TNR --plot ranking.png
"""

import deabench as db

wine = db.datasets.load("chao2022-wine1")
db.rank(wine.drop(index="MLP"), outputs=["TPR", "TNR"]).plot()

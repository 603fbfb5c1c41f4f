"""
Which differ over data sets
===========================

Mean ranks over fourteen data sets. A bar joins classifiers that are not found different.

.. code-block:: console

    $ deabench compare examples/auc.csv --plot cd.png
"""

import deabench as db

db.compare.compare(db.datasets.load("demsar2006-auc")).plot()

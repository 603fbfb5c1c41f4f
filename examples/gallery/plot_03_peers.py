"""
Who shows whom the way
======================

An arrow leads from each classifier to its peers: the mix that is better than it in everything. A
benchmark for many is a good baseline.

.. code-block:: console

    $ deabench rank examples/wine1.csv --outputs TPR,TNR --show peers --plot peers.png
"""

import deabench as db
from deabench.plot import PeerNetworkDisplay

noisy = db.datasets.load("chao2022-c45-noisy")
PeerNetworkDisplay.from_result(db.rank(noisy, inputs=["TNR"], model="wei")).plot()

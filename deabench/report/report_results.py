"""What a report is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking
    from deabench.analysis.targets import On
    from deabench.results.frontier import Frontier
    from deabench.results.model import Norm
    from deabench.results.targets import Targets


@dataclass(frozen=True)
class Findings:
    """Everything that a report is made of.

    Attributes
    ----------
    ranking : Ranking
    metrics : DataFrame, n x metrics
        In the user's own units and directions.
    front : Frontier or None
        In the metrics of the targets.
    own : Targets or None
        Of the inefficient classifiers, on the others' frontier.
    tested : Targets or None
    tested_scores : Series or None
        Efficiencies of the tested algorithms against the reference.
    intervals : DataFrame or None
        lower and upper bounds of efficiencies.
    norm, on : str
    remark : str
        Why there are no facets, where there are none.
    heard : list of str
        Warnings of weak data.
    wide : Frontier or None
        The frontier of more metrics than facets are listed for: its classifiers alone.
    """

    ranking: Ranking
    metrics: pd.DataFrame
    front: Frontier | None
    own: Targets | None
    tested: Targets | None
    tested_scores: pd.Series | None
    intervals: pd.DataFrame | None
    norm: Norm
    on: On
    remark: str
    heard: list[str]
    wide: Frontier | None = None

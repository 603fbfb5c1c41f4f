"""A mixture of priced models: its shares, what it has, and which model answers an instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.integrations.mixture import draw_by_row
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Routing(Result):
    """A mixture of models, and what it has on the instances of its router.

    Attributes
    ----------
    shares : dict of model to share
        Of sum 1.
    table : DataFrame
        quality, cost, and gain (quality above the rival's) x (value, lower, upper).
    rival : str or None
        The best single model that costs no more.
    goal : str
        What was asked for.
    level : float

    Examples
    --------
    >>> import pandas as pd
    >>> import deabench as db
    >>> right = pd.DataFrame({"small": [1, 0, 1, 0, 1], "large": [1, 1, 1, 0, 1]})
    >>> routing = db.Router(right, {"small": 1, "large": 5}).cheapest(.7)
    >>> round(routing.cost, 6), routing.assign(["a", "b", "c"]).tolist()
    (3.0, ['large', 'large', 'small'])
    """

    shares: dict[str, float]
    table: pd.DataFrame
    rival: str | None
    goal: str
    level: float
    notes: tuple[str, ...] = ()

    _frame = "table"
    _text = "router"

    @property
    def quality(self) -> float:
        """The mean quality."""
        return float(self.table.loc["quality", "value"])

    @property
    def cost(self) -> float:
        """The mean cost per instance."""
        return float(self.table.loc["cost", "value"])

    @property
    def verdict(self) -> str:
        """Whether the mixture is shown to be better than the rival: better, worse, undecided."""
        if "gain" not in self.table.index:
            return "undecided"
        if self.table.loc["gain", "lower"] > 0:
            return "better"
        return "worse" if self.table.loc["gain", "upper"] < 0 else "undecided"

    def assign(self, instances: Any, *, seed: int = 0) -> pd.Series:
        """Return the model that is to answer each instance.

        Parameters
        ----------
        instances : sequence, array or DataFrame
            Names, prompts or features; the same instance always gets the same model.
        seed : int
            Another seed draws otherwise.
        """
        names = np.array(list(self.shares), dtype=object)
        return pd.Series(names[draw_by_row(instances, list(self.shares.values()), seed)])

"""What a test between two classifiers gives back."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd


@dataclass(frozen=True)
class Comparison:
    """The result of one test between two classifiers; differences are always first minus second.

    Attributes
    ----------
    test : str
        The test by its full name, with the variant that was used (how zeros are treated, exact or not).
    statistic : float
        Its statistic.
    distribution : str
        What the statistic is referred to: "normal", "t(6)", "F(10, 5)", "exact"...
    p_value : float
        Two-sided, in [0, 1].
    difference : float
        First minus second, in the unit of the scores; what is averaged is in the test's docstring.
    lower, upper : float
        Interval of the difference at level 1 - alpha; NaN where the test gives none.
    alpha : float
        The level asked for.
    effect : float
        A size of the effect without a unit, named by `effect_name`.
    effect_name : str
    notes : tuple of str
        What a reader must know before believing the p value.
    """

    test: str
    statistic: float
    distribution: str
    p_value: float
    difference: float
    lower: float
    upper: float
    alpha: float
    effect: float
    effect_name: str
    notes: tuple[str, ...] = ()

    @property
    def attained(self) -> float:
        """The two-sided confidence at which the difference just becomes significant, 1 - p, in [0, 1]."""
        return 1.0 - self.p_value

    @property
    def different(self) -> bool:
        """Whether the hypothesis of no difference is rejected at `alpha`."""
        return self.p_value < self.alpha

    def to_frame(self) -> pd.DataFrame:
        """One row per field of the result, without the notes."""
        fields = {name: value for name, value in asdict(self).items() if name != "notes"}
        return pd.DataFrame({"value": pd.Series(fields, dtype=object)}).rename_axis("field")

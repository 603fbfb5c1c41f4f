"""What a test between two classifiers gives back."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd

from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """The result of one test between two classifiers; differences are always first minus second.

    Attributes
    ----------
    test : str
        The test by its full name, with the variant that was used (how zeros are treated, exact or
        not).
    statistic : float
        Its statistic.
    distribution : str
        What the statistic is referred to: "normal", "t(6)", "F(10, 5)", "exact"...
    p_value : float
        Two-sided, in [0, 1]; of an equivalence test the larger of the two one-sided ones.
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
    margin : float or None
        Of an equivalence test: differences of less count as none.

    Examples
    --------
    >>> from deabench import compare
    >>> found = compare.mcnemar(3, 12, n=100)
    >>> found.test, round(found.p_value, 4)
    ("McNemar's test (mid-p)", 0.0213)
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
    margin: float | None = None

    @property
    def attained(self) -> float:
        """The two-sided confidence at which the difference just becomes significant, 1 - p, in [0,
        1].
        """
        return 1.0 - self.p_value

    @property
    def different(self) -> bool:
        """Whether the hypothesis of no difference is rejected at `alpha`; never of an equivalence
        test.
        """
        return self.margin is None and self.p_value < self.alpha

    @property
    def equivalent(self) -> bool:
        """Whether the difference is shown to be smaller than `margin`; False for a test of
        difference.
        """
        return self.margin is not None and self.p_value < self.alpha

    def to_frame(self) -> pd.DataFrame:
        """One row per field of the result, without the notes."""
        fields = {
            name: value
            for name, value in asdict(self).items()
            if name != "notes" and not (name == "margin" and value is None)
        }
        return pd.DataFrame({"value": pd.Series(fields, dtype=object)}).rename_axis("field")

    def summary(self) -> str:
        """What was found, then the test, then what a reader must know."""
        within = "" if self.lower != self.lower else f" (from {self.lower:.4g} to {self.upper:.4g})"
        found = f"first minus second is {self.difference:.4g}{within}, p = {self.p_value:.4g}: {self._verdict()}"
        how = f"{self.test}, {self.distribution}; {self.effect_name} {self.effect:.3g}"
        return "\n".join([found, how, *self.notes])

    def _verdict(self) -> str:
        if self.margin is not None:
            return (
                f"equivalent within {self.margin:g} at {self.alpha:g}"
                if self.equivalent
                else f"not shown to be equivalent within {self.margin:g} at {self.alpha:g}"
            )
        return f"{'different' if self.different else 'not found different'} at {self.alpha:g}"

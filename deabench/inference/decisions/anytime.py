"""Give verdicts that hold whenever one looks, while test instances keep coming."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.decisions.betting import (
    LEARNING_ROUNDS,
    LIMIT_GRID,
    LimitWealth,
    MixWealth,
    RoundMoments,
    WeightDirections,
    next_learning,
)
from deabench.inference.decisions.rounds import (
    OF_BOTH_CLASSES,
    check_means,
    read_round,
    round_of_answers,
)
from deabench.metrics.formulas import canonical_name
from deabench.utils.checks import choice, share
from deabench.utils.files import parse_state, read_state, write_whole
from deabench.utils.instances import Predictions, Values
from deabench.utils.result import Result

Array = np.ndarray
Unit = Literal["instances", "datasets"]

LAG = 1.0
"""A metric's class is sampled more often where its log wealth lags by more than this."""
STATE_FORMAT = "deabench anytime 1"


@dataclass(frozen=True, eq=False, repr=False)
class NextRound(Result):
    """What to run next.

    Attributes
    ----------
    order : Series
        The rounds that each undecided classifier is likely to need before it is shown to be
        dominated, fewest first, at today's figures; inf where nothing is promised.
    stop : tuple of str
        Classifiers shown to be dominated: nothing about them is left to learn.
    sample_more : str or None
        The metric whose class should give one more instance in the next rounds, because its
        evidence lags behind that of the other metrics.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> anytime = db.Anytime(["a", "b"], ["accuracy"])
    >>> for _ in range(60):
    ...     anytime.add({"accuracy": {"a": 1.0, "b": 0.5}})
    >>> anytime.next.stop
    ('b',)
    """

    order: pd.Series
    stop: tuple[str, ...]
    sample_more: str | None
    notes: tuple[str, ...] = ()

    _text = "decisions"

    def to_frame(self) -> pd.DataFrame:
        """Return the undecided classifiers with the rounds that they are likely to need."""
        return self.order.to_frame()


@dataclass(frozen=True, eq=False, repr=False)
class AnytimeVerdicts(Result):
    """Verdicts after some rounds, valid although they were looked at after every round.

    Attributes
    ----------
    verdicts : Series (k,)
        dominated: some mix of the others beats it in every metric; efficient: none does;
        undecided. All "dominated" hold at once at the level, whenever one stops.
    evidence : Series (k,)
        The highest wealth of bets against each classifier; k / (1 − level) shows it dominated.
    decided_after : Series (k,)
        The round in which it was shown to be dominated; <NA> before.
    limits : DataFrame, k x (lower, upper)
        Of all efficiencies at once, at the level.
    mixes : DataFrame, k x k
        The mix that the bets against each classifier favour.
    rounds : int
    level : float
    metrics : tuple of str
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> anytime = db.Anytime(["a", "b"], ["accuracy"])
    >>> anytime.add({"accuracy": {"a": 1.0, "b": 0.5}})
    >>> anytime.result.rounds
    1
    """

    verdicts: pd.Series
    evidence: pd.Series
    decided_after: pd.Series
    limits: pd.DataFrame
    mixes: pd.DataFrame
    rounds: int
    level: float
    metrics: tuple[str, ...]
    notes: tuple[str, ...] = ()

    _text = "decisions"

    def to_frame(self) -> pd.DataFrame:
        """Return verdicts, evidence, limits and the rounds of the decisions."""
        return pd.DataFrame(
            {
                "verdict": self.verdicts,
                "evidence": self.evidence,
                "decided_after": self.decided_after,
                "lower": self.limits["lower"],
                "upper": self.limits["upper"],
            }
        ).rename_axis("classifier")


class Anytime:
    """Verdicts on classifiers that hold whenever one looks, round by round.

    A round is what is evaluated at a time: one or more instances of each class, a cluster or a data
    set; which instances it holds must not depend on their outcomes, and a finished file must be
    shuffled first. The verdicts are wrong in at most 1 − level of such comparisons, however often
    one looks and whenever one stops, without any approximation.

    Parameters
    ----------
    classifiers : sequence of str
        At least two.
    metrics : sequence of str
        Means of outcomes from 0 to 1, higher better: TPR, TNR, accuracy, roc_auc (pairs of a
        round), or names of your own.
    level : number between 0 and 1
    unit : {"instances", "datasets"}
        Of data sets any metric from 0 to 1 counts, as its mean over data sets.

    Examples
    --------
    >>> import deabench as db
    >>> anytime = db.Anytime(["a", "b"], ["accuracy"])
    >>> for _ in range(60):
    ...     anytime.add({"accuracy": {"a": 1.0, "b": 0.5}})
    >>> anytime.verdicts.to_dict()
    {'a': 'efficient', 'b': 'dominated'}
    """

    def __init__(
        self,
        classifiers: Sequence[str],
        metrics: Sequence[str],
        level: float = 0.95,
        *,
        unit: Unit = "instances",
    ) -> None:
        for argument, names in (("classifiers", classifiers), ("metrics", metrics)):
            if isinstance(names, str):
                raise DataError(
                    f"{argument} is the text '{names}'; give a list of names, as ['{names}']"
                )
            if len(set(names)) < len(names):
                raise DataError(f"{argument} has a name twice; name each once")
        if len(classifiers) < 2 or not len(metrics):
            raise DataError(
                f"there are {len(classifiers)} systems and {len(metrics)} metrics; give at "
                "least two systems and one metric"
            )
        choice("unit", unit, get_args(Unit))
        if unit == "instances":
            check_means(metrics)
        self.classifiers = tuple(str(name) for name in classifiers)
        self.metrics = tuple(str(name) for name in metrics)
        self.level = share("level", level)
        self.unit = unit
        self.rounds = 0
        k = len(self.classifiers)
        s = len(self.metrics)
        # All are undecided, and nothing is known of any yet.
        everyone = np.arange(k)
        self._moments = RoundMoments.empty(k, s)
        # Wealth of bets against each classifier, and the weights and limits that it is bet on.
        self._mixes = MixWealth.start(everyone, k, s)
        self._weights = WeightDirections.start(everyone, s)
        self._upper = LimitWealth.start("upper", everyone, LIMIT_GRID, s)
        self._lower = LimitWealth.start("lower", everyone, LIMIT_GRID, k)
        self._decided = np.zeros(k, dtype=int)
        self._next_learning = LEARNING_ROUNDS

    def add(self, new_round: pd.DataFrame | Mapping[str, object]) -> None:
        """Add the outcomes of one round.

        Parameters
        ----------
        new_round : DataFrame or mapping
            Means over the round's instances, from 0 to 1: a frame of classifiers x metrics,
            {metric: {classifier: mean}}, or {metric: DataFrame of instances x classifiers}.
            Classifiers that were not run are left out; a metric without an instance, too.

        Raises
        ------
        DataError
            For an unknown name, and for a number that is no share; nothing is added.
        """
        outcomes, present = read_round(new_round, self.classifiers, self.metrics)
        self._play(outcomes[None], present)

    def add_rounds(self, rounds: Array) -> None:
        """Add rounds of all classifiers, an array (rounds, classifiers, metrics) of means."""
        rounds = np.asarray(rounds, dtype=float)
        shape = (len(self.classifiers), len(self.metrics))
        if rounds.shape[1:] != shape or not ((rounds >= 0) & (rounds <= 1)).all():
            raise DataError(
                f"the rounds have the shape {rounds.shape}; give numbers from 0 to 1 of the shape "
                f"(rounds, {shape[0]}, {shape[1]})"
            )
        self._play(rounds, np.ones(shape[0], dtype=bool))

    def add_predictions(
        self, y_true: Values, predictions: Predictions, *, positive: object
    ) -> None:
        """Add one round of predicted labels, for the metrics TPR, TNR and accuracy.

        Parameters
        ----------
        y_true : labels, one per instance of the round
        predictions : mapping or DataFrame
            {classifier: predicted labels}.
        positive : label
            The positive class.
        """
        self._add_answers(y_true, predictions, positive, scores=False)

    def add_scores(self, y_true: Values, scores: Predictions, *, positive: object) -> None:
        """Add one round of scores, for the metric roc_auc, as `add_predictions` does."""
        self._add_answers(y_true, scores, positive, scores=True)

    def _add_answers(
        self, y_true: Values, answers: Predictions, positive: object, *, scores: bool
    ) -> None:
        self.add(round_of_answers(self.metrics, y_true, answers, positive, scores=scores))

    def _play(self, outcomes: Array, present: Array) -> None:
        """Play rounds (t, k, s) of the present classifiers; learn when it is due."""
        log_threshold = np.log(len(self.classifiers) / (1 - self.level))
        start = 0
        while start < len(outcomes):
            stop = min(len(outcomes), start + self._next_learning - self.rounds)
            block = outcomes[start:stop]
            # All bets were chosen before these rounds.
            mix = self._mixes.mix
            weights = self._weights.weights
            path = self._mixes.add(block, present)
            self._upper.add(block, present, mix)
            self._lower.add(block, present, weights, self._decided > 0)
            reached = path >= log_threshold
            newly = reached.any(axis=0) & (self._decided == 0)
            self._decided[newly] = self.rounds + 1 + reached.argmax(axis=0)[newly]
            self._moments.add(block, present)
            self.rounds += len(block)
            start = stop
            if self.rounds == self._next_learning:
                self._mixes.learn(self._moments)
                self._weights.learn(self._moments)
                self._next_learning = next_learning(self.rounds)

    @property
    def verdicts(self) -> pd.Series:
        """Return dominated, efficient or undecided for each classifier, valid at any time."""
        dominated = self._decided > 0
        efficient = ~dominated & (self.limits["lower"].to_numpy() >= 1)
        names = np.select([dominated, efficient], ["dominated", "efficient"], "undecided")
        return pd.Series(names, self._index, name="verdict")

    @property
    def limits(self) -> pd.DataFrame:
        """Return limits of all efficiencies at once, numbers of a grid."""
        # 2 k statements share 1 − level, for every classifier one on either side.
        return self._limits(2 * len(self.classifiers))

    @property
    def individual_limits(self) -> pd.DataFrame:
        """Return the limits of one classifier chosen beforehand, for each of them; narrower."""
        return self._limits(2)

    @property
    def verdict_limits(self) -> Array:
        """Return upper limits (k,) of all efficiencies at once, one-sided as the verdicts are."""
        return np.asarray(self._limits(len(self.classifiers))["upper"])

    def _limits(self, statements: int) -> pd.DataFrame:
        log_threshold = np.log(statements / (1 - self.level))
        sides = {"lower": self._lower, "upper": self._upper}
        limits = {name: side.limit(log_threshold) for name, side in sides.items()}
        return pd.DataFrame(limits, self._index)

    @property
    def next(self) -> NextRound:
        """Return what to run next: whom to stop, in which order the others, and which class."""
        dominated = self._decided > 0
        log_threshold = np.log(len(self.classifiers) / (1 - self.level))
        growth = self._mixes.growth(self._moments).min(axis=1)
        missing = log_threshold - self._mixes.log_wealth.min(axis=1)
        # Where the bets do not grow, nothing is promised.
        remaining = np.full(len(missing), np.inf)
        np.divide(missing, growth, out=remaining, where=growth > 0)
        order = pd.Series(np.ceil(remaining), self._index, name="remaining_rounds")
        order = order[~dominated].sort_values(kind="stable")
        stop = tuple(name for name, done in zip(self.classifiers, dominated, strict=True) if done)
        return NextRound(order, stop, self._lagging_metric(order))

    def _lagging_metric(self, order: pd.Series) -> str | None:
        """Return the poorest metric of the classifier that is nearest to its decision."""
        if len(self.metrics) < 2 or not len(order) or not np.isfinite(order.iloc[0]):
            return None
        # A metric of both classes gains from either, and data sets are of no class.
        has_shared = any(canonical_name(metric) in OF_BOTH_CLASSES for metric in self.metrics)
        if has_shared or self.unit == "datasets":
            return None
        wealth = self._mixes.log_wealth[self.classifiers.index(order.index[0])]
        lowest, second = np.sort(wealth)[:2]
        return self.metrics[int(wealth.argmin())] if second - lowest > LAG else None

    @property
    def result(self) -> AnytimeVerdicts:
        """Return today's verdicts, evidence and limits as a result of its own."""
        decided = pd.Series(self._decided, self._index, dtype="Int64", name="decided_after")
        return AnytimeVerdicts(
            verdicts=self.verdicts,
            evidence=pd.Series(
                np.exp(np.minimum(self._mixes.highest, 700.0)), self._index, name="evidence"
            ),
            decided_after=decided.where(decided > 0),
            limits=self.limits,
            mixes=pd.DataFrame(self._mixes.mix, self._index, self._index),
            rounds=self.rounds,
            level=self.level,
            metrics=self.metrics,
        )

    def summary(self) -> str:
        """Return the findings in a few sentences."""
        return self.result.summary()

    def __repr__(self) -> str:
        return repr(self.result)

    @property
    def _index(self) -> pd.Index:
        return pd.Index(self.classifiers, name="classifier")

    def to_json(self) -> str:
        """Return the whole state as JSON; `from_json` goes on as if nothing had happened."""
        state = {
            "format": STATE_FORMAT,
            "classifiers": self.classifiers,
            "metrics": self.metrics,
            "level": self.level,
            "unit": self.unit,
            "rounds": self.rounds,
            "next_learning": self._next_learning,
            "decided": self._decided.tolist(),
        }
        for name in PARTS:
            fields = asdict(getattr(self, f"_{name}"))
            state[name] = {
                field: value.tolist() for field, value in fields.items() if field in STATE_FIELDS
            }
        return json.dumps(state, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Anytime:
        """Return the verdicts whose state `to_json` wrote.

        Raises
        ------
        DataError
            If the text is no such state, or a part of it does not fit the others.
        """
        try:
            state = parse_state(text)
            if state["format"] != STATE_FORMAT:
                raise ValueError(f"its format is {state['format']!r}")
            # The state has a number for each pair of classifiers: fewer characters hold none.
            if len(state["classifiers"]) ** 2 > len(text):
                raise ValueError("it names more systems than it has numbers for")
            anytime = cls(
                state["classifiers"], state["metrics"], state["level"], unit=state["unit"]
            )
            anytime.rounds = int(state["rounds"])
            anytime._next_learning = int(state["next_learning"])
            anytime._decided = _same_shape(anytime._decided, state["decided"], "decided")
            for name in PARTS:
                wealth = getattr(anytime, f"_{name}")
                for field, value in state[name].items():
                    setattr(wealth, field, _same_shape(getattr(wealth, field), value, field))
            if not anytime.rounds < anytime._next_learning:
                raise ValueError("its rounds do not fit")
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
            raise DataError(
                f"the state of the verdicts is damaged ({error}); use the file that save() wrote, "
                "or start again"
            ) from None
        return anytime

    def save(self, path: str | Path) -> None:
        """Write the state to a file, whole or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Anytime:
        """Read the state from a file that `save` wrote."""
        try:
            text = read_state(path).decode()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is no state"
            raise DataError(f"cannot read '{path}': {reason}; name a file of save()") from None
        return cls.from_json(text)


PARTS = ("moments", "mixes", "weights", "upper", "lower")
STATE_FIELDS = ("counts", "sums", "products", "shares", "log_wealth", "highest")
"""What changes from round to round; the rest follows from the names."""


def _same_shape(default: Array, value: object, name: str) -> Array:
    """Return a list of the state as an array of the shape and type that it must have."""
    array = np.array(value, dtype=default.dtype)
    if array.shape != default.shape or not np.isfinite(array).all():
        raise ValueError(f"'{name}' does not fit the systems and metrics")
    return array

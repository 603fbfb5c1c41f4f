"""Hold the closest targets of classifiers on a frontier, with what proves each the closest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import CertificateError
from deabench.geometry.closest import ClosestPoint, ConeMultiples
from deabench.geometry.nearest_points import gap_norm
from deabench.results.answer import order_reasons
from deabench.results.frontier import Frontier
from deabench.results.proof import Proof
from deabench.tables.transforms import (
    Data,
    Transforms,
    multiply_data,
    to_model_values,
    to_outputs_only,
    to_user_changes,
    to_user_values,
)
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result

RANGE_TOLERANCE = 1e-9
"""A target beyond the range of a metric by less than this share of it is inside."""
DIFFERENCES = ("gaps", "normals", "slopes")
"""Frames of differences: a change of direction turns their sign and has no origin."""
SOLVED = ("targets", "gaps", "distance", "actual", "intensities", "position", "faces")
"""What a part of the solved targets, or their multiples, has in common with them."""
NO_TARGET = {
    ("convex", False): "no point of the frontier dominates it",
    ("convex", True): "no face of the frontier has points that dominate all of the tested",
    ("fdh", False): "no system of the frontier is nowhere below it",
    ("fdh", True): "no system of the frontier is nowhere below all of the tested",
}
"""The reason for a missing target, by technology and whether all have one face in common."""
TIME_PASSED = "the time limit had passed before its target was found"
"""The reason for a target that was not searched to the end; it claims nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class Targets(Result):
    """Closest targets on the frontier, with what proves them.

    Attributes
    ----------
    targets, gaps : DataFrame, n x metrics
        The target, and target minus actual; NaN where there is none, with the reason in `reasons`.
    distance : Series (n,)
        In the chosen norm and weights, in the metrics' own units.
    faces : Series of tuples
        The frontier's DMUs that span the face (or the extended facet) of the target.
    position : Series
        "inside", "on" or "outside" the frontier (or the region below the extended facets).
    normals : DataFrame, n x metrics
        A normal of the face, negative where lower is better and positive elsewhere: no reference
        DMU has a greater normal·Y than the target. In the model's directions normal·target = 1.
    intensities : DataFrame, n x frontier DMUs
        λ; zero on extended facets, where a target may lie beyond its facet's vertices.
    slopes : DataFrame, metrics as columns, any number of rows per DMU
        What proves a target the closest: no point of a face with vertices v is nearer than the
        least slope·(v - actual). See docs/proofs.md. With technology "fdh" neither normals nor
        slopes are needed: all pairs are compared.
    on, method : str
        The choice of the call, or of method "auto"; with technology "fdh" "classifiers" and
        "comparison".
    common, dominating : bool
        The choices of the call.
    multiples : Series or None
        Under constant returns the factor by which each reference DMU is multiplied in `frontier`,
        whose first row is all zero.
    solved : Targets or None
        All targets, where some of these are not reported because they cannot exist; or under
        constant returns those of multiples of the DMUs. They are what is proved.
    factors : Series or None
        By what each DMU is multiplied in `solved`; None where it is not.
    unproved : tuple of str
        What `deabench.certify` does not prove of this result, in words; empty where it proves
        everything.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> result = db.targets(wine.loc[["RBF"]], wine.drop(index="RBF"), outputs=["TPR", "TNR"])
    >>> result.position["RBF"], result.gaps.loc["RBF"].round(1).to_dict()
    ('inside', {'TPR': 22.1, 'TNR': 29.4})
    """

    _text = "frontier"
    _display = "TargetsDisplay"

    targets: pd.DataFrame
    gaps: pd.DataFrame
    distance: pd.Series
    faces: pd.Series
    position: pd.Series
    normals: pd.DataFrame
    intensities: pd.DataFrame
    slopes: pd.DataFrame
    actual: pd.DataFrame
    frontier: Frontier
    norm: str
    weights: dict[str, float]
    on: str
    method: str
    common: bool
    dominating: bool
    reasons: dict[Any, str]
    notes: tuple[str, ...]
    multiples: pd.Series | None = None
    solved: Targets | None = None
    factors: pd.Series | None = None

    def realise(
        self,
        name: Any,
        estimators: Mapping[str, Any],
        *,
        by: Literal["shares", "cost"] = "shares",
        positive: Any = None,
        seed: int = 0,
        prefit: bool = False,
    ) -> Any:
        """Return a classifier that attains the target of a row, in expectation, or does better.

        Each instance is answered by one of the classifiers of the target's face, drawn with its λ.
        What that attains are metrics that are linear in the counts at fixed classes (TPR, TNR,
        accuracy, costs; `deabench.metrics.catalogue` says which); AUC, F measures, G-mean and MCC
        come out otherwise: see `deabench.integrations.mixture.mixed_metrics`.

        Parameters
        ----------
        name : label of a tested row
        estimators : mapping of a reference classifier's name to a classifier
            Of scikit-learn's kind; at least those of the face. Only "cost" uses the others.
        by : {"shares", "cost"}
            "shares": the mixture. "cost", for targets in TPR and TNR: the face's normal is a ratio
            of costs, at which a probability that is learned from the scores of all estimators is
            thresholded; its `measure` compares it with the mixture on test data.
        positive : label, optional
            The positive class, with "cost", as for `deabench.metrics.from_predictions`.
        seed : int
            Of the draw, and of the folds.
        prefit : bool
            Whether the estimators are fitted already. With "cost" give `fit` data that they have
            not seen.

        Returns
        -------
        deabench.Mixture or deabench.CostStack

        Raises
        ------
        DataError
            If there is no such target, an estimator is missing, or the target is on an extended
            facet, which mixtures need not reach.

        Examples
        --------
        >>> import deabench as db
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> table = {"model": ["a", "b", "c"], "TPR": [0.9, 0.5, 0.5], "TNR": [0.5, 0.9, 0.6]}
        >>> board = db.read(table).frame
        >>> targets = db.targets(board.loc[["c"]], board.loc[["a", "b"]], dominating=True)
        >>> mixture = targets.realise("c", {"a": DecisionTreeClassifier(), "b": GaussianNB()})
        >>> {name: round(share, 2) for name, share in mixture.shares.items()}
        {'b': 1.0}
        """
        return self._call(
            "deabench.integrations.mixture",
            "realise",
            name,
            estimators,
            by=by,
            positive=positive,
            seed=seed,
            prefit=prefit,
        )

    @cached_property
    def peers(self) -> pd.DataFrame:
        """λ by frontier DMU (under constant returns in the DMU's own size), used DMUs only."""
        lam = self.intensities
        if self.multiples is not None:
            lam = lam * self.multiples[lam.columns]
        return lam.loc[:, (lam > 0).any()]

    @cached_property
    def in_model_directions(self) -> Targets:
        """The same targets with higher better in every metric, as solved; proofs are made there."""
        return self._convert_values(to_model_values)

    def in_user_directions(self) -> Targets:
        """Return these targets, which are in the model's directions, in the user's."""
        return self._convert_values(to_user_values)

    def _convert_values(
        self, convert: Callable[[pd.DataFrame, Transforms], pd.DataFrame]
    ) -> Targets:
        """Return the targets with their values converted, and the signs of their changes."""
        transforms = self.frontier.data.transforms
        if not transforms:
            return self
        differences = {
            name: to_user_changes(getattr(self, name), transforms) for name in DIFFERENCES
        }
        return replace(
            self,
            targets=convert(self.targets, transforms),
            actual=convert(self.actual, transforms),
            **differences,
        )

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof of every target: see `recompute`."""
        return self.solved.certificate if self.solved is not None else self.recompute()

    def hide_impossible(self, ranges: Mapping[str, tuple[float, float]]) -> Targets:
        """Return these targets without those that would leave the range of a metric.

        Parameters
        ----------
        ranges : mapping of metric to (least, greatest)
            In the user's units; infinite where unknown.
        """
        reasons = dict(self.reasons)
        for metric in self.targets:
            low, high = ranges[str(metric)]
            margin = RANGE_TOLERANCE * max(abs(high), 1.0)
            values = self.targets[metric]
            for label, value in values[(values > high + margin) | (values < low - margin)].items():
                reasons[label] = (
                    f"its closest target would have '{metric}' at {value:.4g}, and only {low:g} to "
                    f"{high:g} is possible"
                )
        hidden = [label for label in reasons if label not in self.reasons]
        if not hidden:
            return self
        is_reported = ~self.targets.index.isin(hidden)
        return replace(
            self,
            targets=self.targets[is_reported].reindex(self.targets.index),
            gaps=self.gaps[is_reported].reindex(self.targets.index),
            distance=self.distance[is_reported].reindex(self.targets.index),
            reasons=order_reasons(reasons, self.targets.index),
            solved=self,
            factors=None,
        )

    def recompute(self) -> pd.DataFrame:
        """Recompute the certificate by numpy alone: see `proofs.targets.certify_targets`."""
        module = "deabench.proofs.targets"
        certificate: pd.DataFrame = self.in_model_directions._call(module, "certify_targets")
        return certificate

    def claims(self, certificate: pd.DataFrame) -> dict[str, np.ndarray]:
        """Return by how much each claim misses: what `deabench.certify` compares to 1e-9."""
        misses: dict[str, np.ndarray] = self.in_model_directions._call(
            "deabench.proofs.targets", "target_violations", certificate
        )
        return misses

    @cached_property
    def unproved(self) -> tuple[str, ...]:
        return tuple(
            self.in_model_directions._call("deabench.proofs.targets", "unproved_target_claims")
        )

    def proof(self) -> Proof:
        """Return the certificate with what each of its claims misses by."""
        if self.solved is not None:
            expected = self.solved
            if self.factors is not None:
                expected = divide_targets(self.solved, self.factors)
            for name in SOLVED:
                reported = getattr(self, name)
                if not reported.equals(getattr(expected, name).where(reported.notna())):
                    raise CertificateError(f"'{name}' are not those that were solved")
            return self.solved.proof()
        self._call("deabench.proofs.structure", "check_targets")
        frame = self.recompute()
        return Proof(frame, self.claims(frame), self.unproved)

    def to_frame(self) -> pd.DataFrame:
        """Return `position`, `distance`, then `target_<metric>`, in the tested table's order."""
        frame = pd.DataFrame({"position": self.position, "distance": self.distance})
        return with_classifier_index(frame).join(self.targets.add_prefix("target_"))


def build_targets(
    front: Frontier,
    actual: pd.DataFrame,
    closest: Sequence[ClosestPoint],
    position: np.ndarray,
    *,
    norm: str,
    weights: np.ndarray,
    norm_scale: float,
    on: str,
    method: str,
    common: bool,
    dominating: bool,
) -> Targets:
    """Build the targets, in the metrics' own units, from the closest points in boxed metrics.

    Parameters
    ----------
    actual : DataFrame, n x metrics
        The tested DMUs in the model's directions.
    closest : sequence of n closest points
    position : array (n,) of str
    weights : array (s,)
        What a unit of each metric counts in the distance.
    norm_scale : float
        By how much a boxed distance is smaller than one in the metrics' own units.
    """
    labels, metrics = actual.index, actual.columns
    lam = np.zeros((len(closest), len(front.vertices)))
    # The faces are short lists of vertices; most λ are 0.
    for k, point in enumerate(closest):
        lam[k, list(point.face)] = point.lam
    points = np.array([point.point for point in closest]) * front.unit + front.origin
    if on != "facets":
        # λ gives the same point with less rounding, except beyond the vertices of a facet.
        mixtures = lam @ front.vertex_outputs.to_numpy()
        points = np.where(np.isnan(points), np.nan, mixtures)
    # The distance of each in the user's units; NaN marks a DMU without a target.
    gaps = points - actual.to_numpy()
    distances = [np.nan if np.isnan(gap).any() else gap_norm(gap * weights, norm) for gap in gaps]
    missing = [label for label, length in zip(labels, distances, strict=True) if np.isnan(length)]
    # Normals and slopes prove the targets; both are taken out of the boxed metrics.
    normals = front.unscale_normals(np.array([point.normal for point in closest]))
    # A norm with corners has several slopes for one target.
    slopes = np.vstack([point.slopes.reshape(-1, len(metrics)) for point in closest])
    slope_labels = labels.repeat([len(point.slopes) for point in closest])
    faces = [tuple(front.vertices[k] for k in point.face) for point in closest]
    return Targets(
        targets=pd.DataFrame(points, index=labels, columns=metrics),
        gaps=pd.DataFrame(gaps, index=labels, columns=metrics),
        distance=pd.Series(distances, index=labels, name="distance"),
        faces=pd.Series(faces, index=labels, name="face", dtype=object),
        position=pd.Series(position, index=labels, name="position"),
        normals=pd.DataFrame(normals, index=labels, columns=metrics),
        intensities=pd.DataFrame(lam, index=labels, columns=front.vertices),
        slopes=pd.DataFrame(
            slopes * (norm_scale / front.unit), index=slope_labels, columns=metrics
        ),
        actual=actual,
        frontier=front,
        norm=norm,
        weights=dict(zip(metrics, weights.tolist(), strict=True)),
        on=on,
        method=method,
        common=common,
        dominating=dominating,
        reasons=dict.fromkeys(missing, NO_TARGET[front.technology, common]),
        notes=front.notes + (_notes_beyond_range(points, actual, front) if on == "facets" else ()),
    )


def _notes_beyond_range(
    points: np.ndarray, actual: pd.DataFrame, front: Frontier
) -> tuple[str, ...]:
    """Name targets above 1 (or 100) in a metric whose data all stay below it.

    Extended facets can give such targets.
    """
    notes = []
    for r, name in enumerate(actual.columns):
        # A transformed metric has another range.
        if name in front.data.transforms:
            continue
        # Rates are shares up to 1, or percent up to 100.
        greatest = max(actual[name].max(), front.vertex_outputs[name].max())
        limit = 1.0 if greatest <= 1 else 100.0
        if greatest > limit:
            continue
        for k in np.flatnonzero(points[:, r] > limit * (1 + 1e-12)):
            notes.append(
                f"the target of '{actual.index[k]}' in '{name}' is {points[k, r]:.4g}, beyond "
                f"{limit:g}: the extended facet leaves the metric's range"
            )
    return tuple(notes)


def divide_targets(multiplied: Targets, factors: pd.Series) -> Targets:
    """Return the targets of DMUs under constant returns from those of their multiples.

    All are in the user's directions, in which 0 may be another number.
    """
    assert multiplied.multiples is not None
    zero_label = multiplied.multiples.index[0]
    zero = multiplied.frontier.points.loc[zero_label]
    # What the other DMUs of the frontier leave of Σ λ = 1 is the share of 0.
    lam = multiplied.intensities.div(factors, axis=0)
    has_target = multiplied.distance.notna()
    lam[zero_label] = (1.0 - lam.drop(columns=zero_label).sum(axis=1)).where(has_target, 0.0)
    return replace(
        multiplied,
        targets=(multiplied.targets - zero).div(factors, axis=0) + zero,
        actual=(multiplied.actual - zero).div(factors, axis=0) + zero,
        gaps=multiplied.gaps.div(factors, axis=0),
        distance=multiplied.distance / factors,
        intensities=lam,
        solved=multiplied,
        factors=factors,
    )


def multiply_into_hull(tested: Data, front: Frontier) -> ConeMultiples:
    """Return multiples of the tested DMUs as large as the hull of the reference's."""
    zero = front.data.outputs.iloc[[0]]
    signed = tested.outputs.join(-tested.inputs)[zero.columns].to_numpy()
    factors = factors_into_cone(signed, (front.vertex_outputs - zero.iloc[0]).to_numpy())
    multiples = to_outputs_only(multiply_data(tested, factors), front.data.transforms)
    boxed = front.to_boxed(pd.concat([zero, multiples.outputs[zero.columns]]).to_numpy())
    return ConeMultiples(boxed[1:], factors, front.vertices.index(zero.index[0]), boxed[0])


def factors_into_cone(points: np.ndarray, multiples: np.ndarray) -> np.ndarray:
    """Return powers of two (K,) that make points as large as a hull that stands for its cone.

    Under constant returns a multiple of a point is inside, on or outside the frontier as the point
    is, and what is much smaller than the hull would be on it within any tolerance.

    Parameters
    ----------
    points, multiples : arrays (K, c), (n, c)
        Outputs, and inputs with their sign turned, in any order. The hull is that of 0 and of the
        multiples, each of which needs some input.
    """
    is_input = (multiples < 0).any(axis=0)
    greatest = np.abs(multiples).max(axis=0, initial=0.0)
    unit = np.where(greatest > 0, greatest, 1.0)
    # What needs no more inputs than the smallest multiple is a mixture of these and of 0.
    needs = (np.abs(multiples) / unit)[:, is_input].sum(axis=1)
    shares = np.abs(points) / unit
    sizes = shares[:, is_input].sum(axis=1) / needs[needs > 0].min(initial=np.inf)
    sizes = np.maximum(sizes, shares[:, ~is_input].max(axis=1, initial=0.0))
    return np.asarray(np.exp2(-np.ceil(np.log2(np.where(sizes > 0, sizes, 1.0)))))

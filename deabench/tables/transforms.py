"""What is turned on the way in is turned back on the way out: a reader meets his own metric, unit
and direction only.

DEA wants outputs to be high and everything to be >= 0. An error rate is therefore complemented to
its greatest value, a loss with its sign turned is turned again, and under variable returns a value
may be counted from another origin. Each is an affine map inside = sign · value + shift, kept beside
the data as a `Turn`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class AffineTransform:
    """inside = sign · value + shift.

    Attributes
    ----------
    sign : 1.0 or -1.0
        -1 where lower is better outside and higher inside, or the other way round.
    shift : float
    """

    sign: float = 1.0
    shift: float = 0.0

    def apply(self, values: pd.Series) -> pd.Series:
        """The user's values as DEA takes them; 1 - e for an error rate e."""
        return self.shift + self.sign * values

    def invert(self, values: pd.Series) -> pd.Series:
        """The inverse of `inside`."""
        return (values - self.shift) * self.sign


Transforms = Mapping[str, AffineTransform]


def to_user_values(frame: pd.DataFrame, transforms: Transforms) -> pd.DataFrame:
    """Values of metrics, DMU x metrics, in the user's direction and unit."""
    return _each(frame, transforms, lambda column, turn: turn.invert(column))


def to_model_values(frame: pd.DataFrame, transforms: Transforms) -> pd.DataFrame:
    """The inverse of `values_outside`."""
    return _each(frame, transforms, lambda column, turn: turn.apply(column))


def to_user_changes(frame: pd.DataFrame, transforms: Transforms) -> pd.DataFrame:
    """Differences of metrics (gaps), whose origin does not matter: only the sign is turned."""
    return _each(frame, transforms, lambda column, turn: column * turn.sign + 0.0)  # no -0.0


def to_user_half_spaces(
    normals: pd.DataFrame, offset: float, transforms: Transforms
) -> tuple[pd.DataFrame, np.ndarray]:
    """Half-spaces normal·inside <= offset in the user's metrics: (normals, offsets), normal·value
    <= offset.
    """
    turned = _each(normals, transforms, lambda column, turn: column * turn.sign)
    moved = sum(
        (
            normals[name].to_numpy() * turn.shift
            for name, turn in transforms.items()
            if name in normals
        ),
        np.zeros(len(normals)),
    )
    return turned, offset - moved


def _each(
    frame: pd.DataFrame,
    transforms: Transforms,
    do: Callable[[pd.Series, AffineTransform], pd.Series],
) -> pd.DataFrame:
    if not any(name in frame for name in transforms):
        return frame
    return pd.DataFrame(
        {
            name: do(column, transforms[name]) if name in transforms else column
            for name, column in frame.items()
        },
        index=frame.index,
        columns=frame.columns,
    )


def compose(first: AffineTransform, then: AffineTransform) -> AffineTransform:
    """One turn after another."""
    return AffineTransform(first.sign * then.sign, then.sign * first.shift + then.shift)


@dataclass(frozen=True)
class Data:
    """What the gate lets through.

    Attributes
    ----------
    outputs : DataFrame, n x s
        Metrics to be high, as DEA takes them: all finite and >= 0.
    inputs : DataFrame, n x m
        Metrics to be low (m may be 0); all finite and >= 0.
    notes : tuple of str
        Every transformation made, as sentences for the reader.
    transforms : mapping of metric to AffineTransform
        How `outputs` and `inputs` come from the user's own values; without an entry they are those.
    """

    outputs: pd.DataFrame
    inputs: pd.DataFrame
    notes: tuple[str, ...] = field(default=())
    transforms: Mapping[str, AffineTransform] = field(default_factory=dict)

    @property
    def labels(self) -> pd.Index:
        return self.outputs.index


def to_outputs_only(data: Data, transforms: Transforms | None = None) -> Data:
    """The same data with every input x as an output c − x.

    Under variable returns to scale neither who is efficient nor what is closest depends on the
    origin c; here it lies a range beyond the greatest value. What costs is subtracted from is kept
    in `transforms`, so that nobody ever sees it.

    Parameters
    ----------
    transforms : mapping, optional
        Those of another `high` data, for points that are to be compared with it.
    """
    if not data.inputs.shape[1]:
        return data
    outputs, made = data.outputs.copy(), dict(data.transforms)
    for name, column in data.inputs.items():
        turned = (
            AffineTransform(-1.0, _origin(column))
            if transforms is None
            else AffineTransform(
                -1.0, _shift(transforms[str(name)], data.transforms.get(str(name)))
            )
        )
        outputs[name] = turned.apply(column)
        made[str(name)] = compose(data.transforms.get(str(name), AffineTransform()), turned)
    return Data(outputs, data.inputs.iloc[:, :0], data.notes, made)


def _origin(column: pd.Series) -> float:
    low, top = float(column.min()), float(column.max())
    return top + ((top - low) or abs(top) or 1.0)


def _shift(whole: AffineTransform, first: AffineTransform | None) -> float:
    """The second turn's shift, where the whole and the first are known: whole.shift = −first.shift
    + shift.
    """
    return whole.shift + (first.shift if first is not None else 0.0)

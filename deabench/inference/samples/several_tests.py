"""Average samples over data sets, each with test instances of its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.moments import ErrorSource, Moments
from deabench.inference.samples.instance_fields import SampleFields
from deabench.inference.verdicts.learned_mix import Units
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.inference.samples import Samples


def average_test_sets(samples: Mapping[str, Samples]) -> SampleFields:
    """Return the fields of samples of the mean over data sets, each with instances of its own.

    Parameters
    ----------
    samples : mapping of data set to Samples
        Of the same metrics. Classifiers that were not tested on all data sets are left out.
    """
    test_sets = list(samples.values())
    metrics = list(test_sets[0].values.columns)
    common = test_sets[0].values.index
    for sample in test_sets[1:]:
        common = common[common.isin(sample.values.index)]
    if len(common) < 2:
        raise DataError(
            f"the data sets {', '.join(map(repr, samples))} have {len(common)} systems in "
            "common; give at least two that were tested on all of them"
        )
    moments: list[Moments] = []
    for sample in test_sets:
        rows = sample.values.index.get_indexer(common).tolist()
        columns = sample.values.columns.get_indexer(metrics).tolist()
        moments.append(sample.moments.take(rows, columns))
    levels = [np.exp(moment.logs) for moment in moments]
    mean = np.mean(levels, axis=0)
    sources: list[ErrorSource] = []
    for level, moment in zip(levels, moments, strict=True):
        # The mean y = (1/D) Σ y_d has d log y / d log y_d = y_d / (D y).
        slope = level / (len(test_sets) * mean)
        for source in moment.sources:
            gradient = source.gradient * slope[:, :, None]
            sources.append(ErrorSource(gradient, source.covariance, source.flips * slope))
    sizes = dict.fromkeys(test_sets[0].sizes, 0)
    for sample in test_sets:
        for noun, size in sample.sizes.items():
            sizes[noun] = sizes.get(noun, 0) + size
    notes = {
        note: [name for name, sample in samples.items() if note in sample.notes]
        for sample in test_sets
        for note in sample.notes
    }
    values: pd.DataFrame = sum(sample.values.loc[common, metrics] for sample in test_sets) / len(
        test_sets
    )
    degrees = np.min([moment.degrees for moment in moments], axis=0)
    return {
        "values": values,
        "moments": Moments(np.log(mean), tuple(sources), degrees),
        "sizes": sizes,
        "pairing": test_sets[0].pairing,
        "costs": test_sets[0].costs,
        "design": test_sets[0].design,
        "make_units": partial(_join_units, tuple(test_sets), common),
        "notes": (
            f"every metric is its mean over {len(test_sets)} data sets that are taken as given: "
            "the intervals hold for other instances of these data sets, not for other data sets",
            *(
                note if len(names) == len(test_sets) else f"{quote_names(names)}: {note}"
                for note, names in notes.items()
            ),
        ),
    }


def _join_units(test_sets: tuple[Samples, ...], common: pd.Index) -> Units | None:
    """Return the units of all data sets: a mean over them is the mean over the data sets."""
    pieces = [sample.unit_data for sample in test_sets]
    if any(piece is None for piece in pieces):
        return None
    units = [piece for piece in pieces if piece is not None]
    total = np.sum([piece.sizes for piece in units], axis=0)
    values = []
    strata: list[np.ndarray] = []
    for sample, piece in zip(test_sets, units, strict=True):
        rows = sample.values.index.get_indexer(common)
        # Σ over N units / N is (1/D) Σ_d y_d where each value is raised by N / (D n_d).
        factor = total / (len(test_sets) * piece.sizes)
        values.append(piece.values[rows] * factor[None, :, None].astype(np.float32))
        strata.append(piece.strata + (max(map(max, strata)) + 1 if strata else 0))
    return Units(
        np.concatenate(values, axis=2),
        np.concatenate([piece.counts for piece in units], axis=1),
        np.concatenate(strata),
        units[0].is_cost,
    )

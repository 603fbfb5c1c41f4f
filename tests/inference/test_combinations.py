"""What samples of several data sets say, and refuse."""

from __future__ import annotations

import numpy as np
import pytest

import deabench as db
from deabench.inference.samples.combinations import average_test_sets
from deabench.utils.text import quote_names

Y = np.repeat([1, 0], 20)


def samples_of(names: str, seed: int = 0, **options) -> db.Samples:
    rng = np.random.default_rng(seed)
    labels = {name: np.where(rng.random(40) < 0.8, Y, 1 - Y) for name in names}
    return db.Samples.from_predictions(Y, labels, positive=1, **options)


def test_notes_name_their_data_sets_where_not_all_have_them() -> None:
    rows, classes = samples_of("ab"), samples_of("ab", 1, design="classes")
    (of_rows,) = set(rows.notes) - set(classes.notes)
    (of_classes,) = set(classes.notes) - set(rows.notes)
    (of_both,) = set(classes.notes) & set(rows.notes)
    mixed = average_test_sets({"one": rows, "two": classes, "three": classes})["notes"]
    assert set(mixed[1:]) == {
        f"'one': {of_rows}",
        f"{quote_names(['two', 'three'])}: {of_classes}",
        of_both,
    }


def test_data_sets_with_fewer_than_two_systems_in_common_are_refused(refused) -> None:
    with refused(
        "the data sets 'one', 'two' have 1 systems in common; give at least two that were tested "
        "on all of them"
    ):
        average_test_sets({"one": samples_of("ab"), "two": samples_of("bc")})


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"TPR": 1, "TNP": 1}, "there is no metric 'TNP' in the samples; did you mean 'TPR'?"),
        ({"TPR": 1, "TNR": -1}, "the weight of 'TNR' is -1; weights are numbers >= 0"),
    ],
)
def test_weights_are_numbers_of_the_metrics(refused, weights, message) -> None:
    with refused(message):
        samples_of("ab").weighted(weights)

"""A typing error in a metric of known range, and amounts in several units, are refused by cell."""

import re

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 3 per metric")


def rank_column(name, values):
    frame = pd.DataFrame({"model": list("ABCDEFGH")[: len(values)], name: values})
    return db.rank(frame.assign(latency_ms=range(1, len(values) + 1)))


@pytest.mark.parametrize(
    ("name", "values", "row", "value"),
    [
        ("accuracy (%)", [91, 85, 1010, 70], "C", "1010"),
        ("accuracy", [91, 85, 101, 70], "C", "101"),
        ("F1", [0.91, 0.85, 1.7], "C", "1.7"),
        ("MCC", [0.5, 0.4, 7.0, 0.1], "C", "7"),
        ("error rate (%)", [5, 12, 800, 20], "C", "800"),
    ],
)
def test_a_value_beyond_the_range_of_its_metric_is_refused(name, values, row, value) -> None:
    with pytest.raises(DataError, match=re.escape(f"'{name}' of '{row}' is {value}, which is")):
        rank_column(name, values)


def test_shares_beside_percent_in_one_column_are_refused() -> None:
    with pytest.raises(DataError, match=r"'accuracy' of 'A' is 0.91 and of 'B' 85, a share beside"):
        rank_column("accuracy", [0.91, 85, 77, 0.7])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("accuracy (%)", [91, 85, 100, 0.7]),
        ("WER", [0.3, 0.5, 1.7]),
        ("accuracy", [1.0, 0.5, 0.0]),
        ("solved", [91, 85, 1010, 70]),
    ],
)
def test_unusual_values_that_a_metric_can_have_are_ranked(name, values) -> None:
    assert len(rank_column(name, values).scores) == len(values)


def test_who_declares_the_column_has_seen_its_values() -> None:
    frame = pd.DataFrame({"model": list("ABC"), "accuracy": [91, 85, 1010]})
    assert db.rank(frame, outputs=["accuracy"]).scores["C"] == 1


def test_prices_in_several_currencies_are_refused(tmp_path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("model,f1,price\nA,.91,€9\nB,.85,$10\nC,.7,¥900\n")
    with pytest.raises(DataError, match=r"'price' of 'B' holds '\$10'.*another currency"):
        db.rank(path)
    path.write_text("model,f1,price\nA,.91,9 USD\nB,.85,10 EUR\nC,.7,7 €\n")
    with pytest.raises(DataError, match=r"'price' of 'B' holds '10 EUR'.*another currency"):
        db.rank(path)
    path.write_text("model,f1,price\nA,.91,9 €\nB,.85,10 €\nC,.7,7€\n")
    assert list(db.read(path).frame["price"]) == [9, 10, 7]
    path.write_text("model,f1,price\nA,.91,$9\nB,.85,$10\nC,.7,900\n")
    assert len(db.rank(path).scores) == 3


def test_percent_among_shares_is_called_so(tmp_path) -> None:
    path = tmp_path / "shares.csv"
    path.write_text("model,accuracy,latency_ms\nA,91.2%,10\nB,.88,8\nC,.75,5\nD,.7,3\n")
    with pytest.raises(DataError, match=r"'accuracy' of 'A' holds '91.2%', which is percent among"):
        db.rank(path)


@pytest.mark.parametrize(
    ("header", "is_percent"),
    [
        # The name says it, whatever the arrow.
        ("EER (%),minDCF", True),
        ("EER (%) ↓,minDCF", True),
        # An error rate of the same name is in percent.
        ("Vox1-O EER,Vox1-H EER", True),
        ("EER,minDCF", False),
        ("error rate,accuracy", True),
        # Another rate may be written in another unit.
        ("ECE,WER", False),
    ],
)
def test_an_error_rate_below_one_is_in_percent_where_something_says_so(header, is_percent) -> None:
    second = [99.14, 99.04, 99.35] if "accuracy" in header else [2.01, 1.99, 1.58]
    first, other = header.split(",")
    frame = pd.DataFrame({"system": ["A", "B", "C"], first: [0.86, 0.96, 0.65], other: second})
    column = {column.name: column for column in db.read(frame).columns}[first]
    # A complement to 100 is left out beside what it repeats.
    assert (column.high, column.unit) == ((100.0, "percent") if is_percent else (1.0, "share"))


def test_losses_of_money_below_0_have_no_lowest_value() -> None:
    reading = db.read(pd.DataFrame({"max_drawdown": [-0.2, -0.1], "f1": [0.8, 0.9]}, list("ab")))
    (drawdown,) = [column for column in reading.columns if column.name == "max_drawdown"]
    assert (drawdown.role, drawdown.low, drawdown.high) == ("output", -np.inf, 0)

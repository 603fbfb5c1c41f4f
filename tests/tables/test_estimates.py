"""A cell is a number with its unit, and with its interval or spread."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from deabench.tables.cells import parse_numbers
from deabench.tables.estimates import parse_estimate


@pytest.mark.parametrize(
    ("cell", "value", "low", "high"),
    [
        ("0.91 [0.81, 0.93]", 0.91, 0.81, 0.93),
        ("0.91 [0.81-0.93]", 0.91, 0.81, 0.93),
        ("0.91 (0.88-0.94)", 0.91, 0.88, 0.94),
        ("0.85 (0.8 to 0.9)", 0.85, 0.8, 0.9),
        ("0.91 (95% CI 0.88-0.94)", 0.91, 0.88, 0.94),
        ("0.91 [95% CI: 0.88, 0.94]", 0.91, 0.88, 0.94),
        ("91.0% [88%; 94%]", 91.0, 88.0, 94.0),
        ("-0.5 [-0.7, -0.3]", -0.5, -0.7, -0.3),
        ("1,450 [1,410, 1,490]", 1450, 1410, 1490),
        ("1450 +40/-38", 1450, 1412, 1490),
        (r"66.5_{-1.25}^{+1.5}", 66.5, 65.25, 68),
        (r"$66.5^{+1.5}_{-1.25}$", 66.5, 65.25, 68),
    ],
)
def test_intervals_are_kept(cell, value, low, high) -> None:
    numbers = parse_numbers(pd.Series([cell, "-"], dtype=object))
    np.testing.assert_array_equal(numbers.values, [value, np.nan])
    np.testing.assert_array_equal(numbers.lows, [low, np.nan])
    np.testing.assert_array_equal(numbers.highs, [high, np.nan])
    assert numbers.spreads is None


@pytest.mark.parametrize(
    ("cell", "value", "spread"),
    [
        (r"66.1 $\pm$ 3.1", 66.1, 3.1),
        (r"66.1_{\pm 3.1}", 66.1, 3.1),
        (r"$66.1_{3.1}$", 66.1, 3.1),
        (r"\textbf{66.1} $\pm$ 3.1", 66.1, 3.1),
        (r"$\mathbf{66.1} \pm 3.1$", 66.1, 3.1),
        ("0.5564+0.0000", 0.5564, 0.0),
        ("1.2±0.1", 1.2, 0.1),
        ("0.85 &plusmn; 0.02", 0.85, 0.02),
        ("61.2 <sub>±0.4</sub>", 61.2, 0.4),
        ("66.1% ± 3.1%", 66.1, 3.1),
        ("(66.1 ± 3.1)%", 66.1, 3.1),
        ("0.91 ± 0.02 (n=5)", 0.91, 0.02),
        ("0.91 (0.02)", 0.91, 0.02),
        ("91 (sd = 2)", 91, 2),
        ("120 ms ± 4 ms", 0.12, 0.004),
    ],
)
def test_spreads_are_kept_in_the_unit_of_the_value(cell, value, spread) -> None:
    numbers = parse_numbers(pd.Series([cell], dtype=object))
    assert (numbers.values[0], numbers.spreads[0]) == (value, spread)
    assert numbers.lows is None
    assert numbers.highs is None


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (r"\textbf{66.1}", 66.1),
        ("95.7 **(1st)**", 95.7),
        ("0.91 (3)", 0.91),
        ("0.91 [12]", 0.91),
        ("61.2 (+1.3)", 61.2),
        ("43.3 (53.0 compiled\\*)", 43.3),
        ("76.6<sup>1</sup>", 76.6),
        ("76.6†", 76.6),
        ("🥇 61.2", 61.2),
        ("1.2 × 10^3", 1200.0),
        ("1.2×10<sup>-3</sup>", 0.0012),
        ("1.2×10<sup>11</sup>", 1.2e11),
        ("**1.24 × 10¹¹**", 1.24e11),
        ("3 · 10⁻⁴", 0.0003),
        ("2.5⋅10⁺³ it/s", 2500.0),
        ("4.1G", 4.1e9),
        ("0.91 [81, 93]", 0.91),
    ],
)
def test_what_is_no_interval_is_no_error_bar(cell, value) -> None:
    numbers = parse_numbers(pd.Series([cell], dtype=object))
    assert numbers.values[0] == value
    assert numbers.spreads is None
    assert numbers.lows is None


def test_a_second_metric_in_brackets_is_no_spread() -> None:
    numbers = parse_numbers(pd.Series(["0.91 (0.02)", "0.80 (0.75)"]))
    np.testing.assert_array_equal(numbers.values, [0.91, 0.8])
    assert numbers.spreads is None


@pytest.mark.parametrize(
    ("cells", "values", "unit"),
    [
        (["510 MB/s", "620 MB/s"], [510, 620], "MB/s"),
        (["510 MB/s", "1.5 GB/s", "-"], [510, 1500, np.nan], "MB/s"),
        (["1 GiB", "512 MiB"], [1, 0.5], "GiB"),
        (["727 MFLOPs", "2 GFLOPs", "1.5 GFLOPS"], [727, 2000, 1500], "MFLOPs"),
        (["31.2 TFLOP/s", "400 GFLOPs/s"], [31.2, 0.4], "TFLOP/s"),
        (["31.2 t/s", "7 t/s"], [31.2, 7], "t/s"),
        (["21.4x", "1x"], [21.4, 1], "x"),
        (["5 W", "12 W"], [5, 12], "W"),
        (["$0.15/1M", "$2/1M"], [0.15, 2], "/1M"),
        (["29M", "0.5G"], [29e6, 5e8], ""),
        (["0.5 ms", "2 s"], [0.0005, 2], "seconds"),
    ],
)
def test_units_of_cells_are_kept(cells, values, unit) -> None:
    numbers = parse_numbers(pd.Series(cells))
    np.testing.assert_array_equal(numbers.values, values)
    assert numbers.unit == unit
    assert not numbers.failed.any()


@pytest.mark.parametrize(
    "cells",
    [
        ["3 dogs", "4 cats"],
        ["510 MB", "3 GB/s"],
        ["7 W", "8"],
        ["5 GMACs", "3 GFLOPs"],
        ["5 GB", "3 GFLOPs"],
    ],
)
def test_cells_of_several_units_are_no_column_of_numbers(cells) -> None:
    numbers = parse_numbers(pd.Series(cells))
    assert numbers is None or numbers.failed.any()


@pytest.mark.parametrize(
    "cell", ["3 of 5", "v2.1", "0.91/0.85", "2019-03-03", "1,2,3", "0.88-0.94", "[0.8, 0.9]", "±"]
)
def test_text_is_no_estimate(cell) -> None:
    assert parse_estimate(cell, False) is None


def test_the_note_shows_the_first_cell_that_does_not_speak_for_itself() -> None:
    numbers = parse_numbers(pd.Series(["0.95", "0.91 (0.81-0.93)"]))
    assert numbers.note == "'0.91 (0.81-0.93)' is read as 0.91 with the interval from 0.81 to 0.93"
    assert parse_numbers(pd.Series(["1.2±0.1", "510"])).note == ""


def test_decimal_commas_stand_before_units_too() -> None:
    numbers = parse_numbers(pd.Series(["12,84 ms", "6,83 ms"], dtype=object))
    np.testing.assert_allclose(numbers.values, [0.01284, 0.00683], rtol=1e-12)
    millions = parse_numbers(pd.Series(["15,8M", "30,7M"], dtype=object))
    np.testing.assert_array_equal(millions.values, [15.8e6, 30.7e6])
    # Three digits behind each comma are thousands.
    thousands = parse_numbers(pd.Series(["2,873 B", "385,051 B"], dtype=object))
    np.testing.assert_array_equal(thousands.values, [2873e9, 385051e9])


def test_an_empty_price_is_an_empty_cell() -> None:
    numbers = parse_numbers(pd.Series(["$6.39", "$---", "$ -"], dtype=object))
    np.testing.assert_array_equal(numbers.values, [6.39, np.nan, np.nan])
    assert not numbers.failed.any()


def test_a_unit_holds_beside_cells_that_are_no_numbers() -> None:
    cells = ["4.5 ms", "†", "443 µs", "587 µs *1.49 ms*"]
    numbers = parse_numbers(pd.Series(cells, dtype=object))
    assert numbers.unit == "seconds"
    assert numbers.failed.tolist() == [False, True, False, True]
    # A plain number has no unit.
    assert parse_numbers(pd.Series([*cells, "3"], dtype=object)).unit == ""


@pytest.mark.parametrize(
    ("name", "cells", "values"),
    [
        ("memory", ["296 B", "512B"], [296, 512]),
        ("Bundle size", ["296 B", "1.2 KB"], [296, 1200]),
        ("Size", ["296 B", "1 KiB"], [296, 1024]),
        ("Size", ["7B", "13B"], [7e9, 13e9]),
        ("Params", ["7B", "350M"], [7e9, 350e6]),
    ],
)
def test_b_is_bytes_of_memory_and_files_and_billions_elsewhere(name, cells, values) -> None:
    numbers = parse_numbers(pd.Series(cells, name=name))
    assert numbers is not None
    np.testing.assert_allclose(numbers.values, values)


def test_durations_are_read_in_seconds() -> None:
    cells = ["1h 2m", "12 min 3.5 s", "2d 4h", "3 hours 20 minutes", "45m", "7m", "30s", "00:00"]
    numbers = parse_numbers(pd.Series(cells, dtype=object))
    seconds = [3720.0, 723.5, 187200.0, 12000.0, 2700.0, 420.0, 30.0, 0.0]
    np.testing.assert_array_equal(numbers.values, seconds)
    assert numbers.unit == "seconds"
    # Without a duration of two parts beside it, "45m" is 45 million, and "5 ms" stays 5 ms.
    np.testing.assert_array_equal(parse_numbers(pd.Series(["45m", "7m"])).values, [45e6, 7e6])
    np.testing.assert_array_equal(parse_numbers(pd.Series(["1m 2s", "5 ms"])).values, [62.0, 0.005])


def test_minutes_with_seconds_in_decimals_are_seconds():
    numbers = parse_numbers(pd.Series(["00:01.535", "01:02.5", "1:00:00.25"]))
    assert numbers.values.tolist() == [1.535, 62.5, 3600.25]
    assert numbers.unit == "seconds"


def test_a_spread_in_percent_before_a_unit_is_relative() -> None:
    estimate = parse_estimate("12.5  (± 4.0%) i/s", False)
    assert estimate.value == 12.5
    assert estimate.spread == 0.5
    assert estimate.unit == "i/s"
    assert parse_estimate("91.5 (± 0.5%)", False).spread == 0.5


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        # The unit of 300 is not known, but 2 GB is in another one.
        (["300", "2 GB", "400"], [300, None, 400]),
        # Values of like size may be in the same unit.
        (["0.2", "188 ms", "0.3"], [0.2, 0.188, 0.3]),
        (["12", "8 GB", "24"], [12, 8, 24]),
        # Where most cells state a unit, they are converted as before.
        (["300 MB", "2 GB", "400"], [300, 2000, 400]),
    ],
)
def test_sizes_of_another_magnitude_are_no_bare_numbers(cells, values) -> None:
    numbers = parse_numbers(pd.Series(cells))
    assert [None if np.isnan(v) else v for v in numbers.values] == values
    assert [*numbers.failed] == [value is None for value in values]


def test_the_greek_letter_is_the_sign_of_micro() -> None:
    greek, micro = (parse_estimate(f"1.82 {sign}s", False) for sign in "\u03bc\u00b5")
    assert (greek.value, greek.unit) == (micro.value, micro.unit) == (1.82e-6, "seconds")


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("29/30 (96.7%)", 96.7, "percent"),
        ("16 of 17 [94.1 %]", 94.1, "percent"),
        # The percentage is of something else.
        ("16/17 (54.1%)", 16.0, "/17"),
        ("0/0 (0%)", 0.0, "/0"),
    ],
)
def test_a_count_of_cases_with_its_percentage_is_a_share(cell, value, unit) -> None:
    estimate = parse_estimate(cell, False)
    assert (estimate.value, estimate.unit) == (value, unit)

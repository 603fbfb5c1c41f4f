"""Numbers in sentences are written as people write them."""

from deabench.report.text.words import format_number


def test_a_number_that_rounds_to_zero_has_no_sign() -> None:
    assert format_number(-4e-4, 3) == "0.000"
    assert format_number(-6e-4, 3) == "-0.001"

"""Ten public tables, cut small: every judged column is right, and each is ranked or refused with
what to say.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deabench as db
from deabench.cli import main

PUBLIC = Path(__file__).parent / "public"
EXPECTED = json.loads((PUBLIC / "expected.json").read_text())
pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda one: one["file"])
def test_every_judged_column_is_right(expected) -> None:
    reading = db.read(PUBLIC / expected["file"])
    redundant = set(expected.get("redundant", {})) & set(reading.left_out)
    if "metric" in expected:
        assert set(reading.frame.index) == set(expected["systems"])
        assert (reading.outputs or reading.costs) == [expected["metric"]]
        assert bool(reading.costs) == (expected["metric_role"] == "cost")
    else:
        assert [*reading.label] in expected["label_accept"]
        assert [name for name in reading.outputs if name not in redundant] == expected["outputs"]
        assert reading.lower_rates == [
            name for name in expected["lower_rates"] if name not in redundant
        ]
        assert reading.costs == expected["costs"]
        assert set(expected["left_out"]) <= set(reading.left_out) | set(reading.label)
        assert set(reading.percent) == set(expected["percent"])
    assert reading.layout == expected["layout"]
    assert reading.dataset == expected["dataset_column"]
    assert not set(expected.get("optional_not_output", ())) & set(reading.outputs)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda one: one["file"])
def test_each_is_ranked_or_refused_with_what_to_say(expected, capsys) -> None:
    path = str(PUBLIC / expected["file"])
    status = main(["rank", path, "--format", "csv"])
    out, err = capsys.readouterr()
    if status:
        option = "drop-systems" if "missing" in err else "outputs"
        assert option in err
        # It is refused before anything is solved.
        assert "HiGHS" not in err
        assert out == ""
        return
    assert out.startswith("classifier,efficiency,rank,efficient,")
    for name in (*expected["costs"], *expected["lower_rates"]):
        if name not in expected.get("redundant", {}):
            assert f"'{name}'" in err

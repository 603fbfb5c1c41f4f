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
    roles = reading.roles
    redundant = set(expected.get("redundant", {})) & set(roles.left_out)
    if "metric" in expected:
        assert set(reading.table.index) == set(expected["systems"])
        assert (roles.outputs or roles.costs) == [expected["metric"]]
        assert bool(roles.costs) == (expected["metric_role"] == "cost")
    else:
        assert [*roles.label] in expected["label_accept"]
        assert [name for name in roles.outputs if name not in redundant] == expected["outputs"]
        assert roles.lower_rates == [
            name for name in expected["lower_rates"] if name not in redundant
        ]
        assert roles.costs == expected["costs"]
        assert set(expected["left_out"]) <= set(roles.left_out) | set(roles.label)
        assert set(roles.percent) == set(expected["percent"])
    assert reading.layout == expected["layout"]
    assert roles.dataset == expected["dataset_column"]
    assert not set(expected.get("optional_not_output", ())) & set(roles.outputs)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda one: one["file"])
def test_each_is_ranked_or_refused_with_what_to_say(expected, capsys) -> None:
    path = str(PUBLIC / expected["file"])
    status = main(["rank", path, "--format", "csv"])
    out, err = capsys.readouterr()
    if status:
        option = "drop-systems" if "missing" in err else "outputs"
        assert option in err
        assert out == ""
        return
    assert out.startswith("classifier,efficiency,rank,efficient,peers\n")
    for name in (*expected["costs"], *expected["lower_rates"]):
        if name not in expected.get("redundant", {}):
            assert f"'{name}'" in err

"""The section of a report on all weightings: there where rows tie, with the library's numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
WINE = db.datasets.load("chao2022-wine1").drop(index="MLP")


def section_of(table, **options):
    sections = {section.key: section for section in db.report(table, **options).sections}
    return sections.get("weightings")


def test_three_tied_winners_have_their_ranks_and_weights() -> None:
    section = section_of(WINE, outputs=["TPR", "TNR"])
    assert section.sentences[1:4] == [
        "'RUS+SVM' is first when TPR counts 49 % or less (49 % of the weightings).",
        "'CS-MCQP' is first when TPR counts 49 to 94.1 % (45 % of the weightings).",
        "'Bagging' is first when TPR counts 94.1 % or more (5.9 % of the weightings).",
    ]
    frame = section.tables[0].frame
    assert frame.loc["CS-MCQP", ["best", "worst"]].tolist() == [1, 2]
    assert [picture.key for picture in section.pictures] == ["rank-intervals", "winning-regions"]
    assert not any(picture.live for picture in section.pictures)


def test_one_winner_and_large_tables_have_no_such_section() -> None:
    assert section_of(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"]) is None
    assert section_of(WINE[["TPR"]], outputs=["TPR"]) is None


CONTRACT = (Path(__file__).parents[2] / "page" / "src" / "contract.ts").read_text(encoding="utf-8")


def fields_of(interface: str) -> list[str]:
    body = re.search(rf"interface {interface} {{(.*?)^}}", CONTRACT, re.DOTALL | re.MULTILINE)
    return re.findall(r"^  (\w+):", body.group(1), re.MULTILINE)


def test_the_page_has_the_ranks_and_regions_of_the_result() -> None:
    table = db.read("examples/leaderboard.csv")
    data = db.report(table).data
    shipped = data["weightings"]
    result = db.weightings(table)
    ranks = result.ranks.loc[data["labels"]]
    assert list(shipped) == fields_of("Weightings")
    assert [data["metrics"][k]["name"] for k in shipped["metrics"]] == result.metrics
    assert shipped["rankBest"] == ranks["best"].tolist()
    assert shipped["rankWorst"] == ranks["worst"].tolist()
    assert shipped["rankMean"] == ranks["mean_rank"].tolist()
    assert shipped["firstShare"] == ranks["first_share"].tolist()
    assert shipped["unit"] == "range"
    assert shipped["admissible"] == np.eye(3).tolist()
    shares = [region["share"] for region in shipped["regions"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    for shown in shipped["regions"]:
        assert list(shown) == fields_of("WinningRegion")
        name = data["labels"][shown["row"]]
        region = result.region(name)
        assert shown["share"] == region.share
        assert sorted(shown["corners"]) == sorted(region.vertices.to_numpy().tolist())
        assert shown["least"] == region.intervals["least"].tolist()
        assert shown["most"] == region.intervals["most"].tolist()
        assert shown["centroid"] == region.centroid.tolist()
        assert f"It {shown['text']}." in result.explain(name)
        # The corners go around the polygon: its area by the shoelace formula is the share.
        corners = np.array(shown["corners"])
        area = np.cross(corners[:-1], corners[1:]).sum(axis=0) + np.cross(corners[-1], corners[0])
        assert abs(area.sum()) / 3 == pytest.approx(region.share, abs=1e-12)
    json.dumps(shipped, allow_nan=False)


def test_the_page_has_none_where_one_row_is_first_alone() -> None:
    one_winner = db.report(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"]).data
    assert one_winner["weightings"] is None
    strip = db.report(WINE, outputs=["TPR", "TNR"]).data["weightings"]
    ends = sorted((region["least"][0], region["most"][0]) for region in strip["regions"])
    # Three winners share the strip without gap or overlap.
    assert [ends[0][0], ends[-1][1]] == [0, 1]
    assert [end for _, end in ends[:-1]] == [start for start, _ in ends[1:]]


def test_rows_that_are_first_at_the_same_weights_share_a_sentence() -> None:
    table = db.read(
        {"system": list("abcde"), "TPR": [0.9, 0.9, 0.2, 0.3, 0.1], "TNR": [0.8, 0.8, 1, 1, 1]}
    )
    sentences = section_of(table, outputs=["TPR", "TNR"]).sentences
    assert sentences[2:4] == [
        "'d' is first when TPR counts 23 % or less (23 % of the weightings).",
        "'c', 'e' are first only on a tie, with no weight on 'TPR'.",
    ]
    assert sentences[1].startswith("'a', 'b' are first when TPR counts 23 % or more")


def test_quotients_of_outputs_and_inputs_have_no_such_section() -> None:
    rows = {"accuracy": [0.9, 0.8, 0.7], "latency": [3.0, 1.0, 2.0], "memory": [1.0, 2.0, 3.0]}
    table = pd.DataFrame(rows, index=list("abc"))
    options = {"outputs": ["accuracy"], "inputs": ["latency", "memory"], "model": "wei"}
    assert db.rank(table, **options).efficient.sum() == 2
    assert section_of(table, **options) is None
    db.report(table, **options).to_html()

"""The section of a report on all weightings: there where rows tie, with the library's numbers."""

from __future__ import annotations

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

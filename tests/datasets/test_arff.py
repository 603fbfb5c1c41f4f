"""ARFF as OpenML and Weka write it: quotes, commas and escapes, texts, dates, sparse rows."""

from __future__ import annotations

import os

import numpy as np
import pytest

from deabench.datasets.arff import read_arff
from deabench.errors import DataError

OPENML = r"""% a comment
@RELATION 'a set'

@ATTRIBUTE 'age of "it"' NUMERIC
@ATTRIBUTE "the job" {'blue, collar','it\'s',"other kind",none}
@attribute note STRING
@attribute seen DATE "yyyy-MM-dd"
@attribute Class {<=50K, '>50K'}

@DATA
39,'blue, collar','said: no, thanks',"2026-01-02",<=50K
?, 'it\'s' ,?,2026-01-03,'>50K'
% between the rows
1e-3,'other kind',plain,2026-01-04,<=50K
-5,none,'','2026-01-05',?
"""


@pytest.fixture
def file(tmp_path):
    def write(text: str, encoding: str = "utf-8"):
        path = tmp_path / "set.arff"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_openml_and_weka(file):
    frame = read_arff(file(OPENML)).frame
    assert list(frame.columns) == ['age of "it"', "the job", "note", "seen", "Class"]
    np.testing.assert_array_equal(frame['age of "it"'], [39, np.nan, 0.001, -5])
    jobs = ["blue, collar", "it's", "other kind", "none"]
    assert frame["the job"].tolist() == jobs
    assert list(frame["the job"].cat.categories) == jobs
    assert frame["note"].tolist()[0] == "said: no, thanks"
    assert frame["note"].isna().tolist() == [False, True, False, False]
    assert [text.strip('"') for text in frame["seen"]] == [
        f"2026-01-0{day}" for day in (2, 3, 4, 5)
    ]
    assert frame["Class"].tolist()[:3] == ["<=50K", ">50K", "<=50K"]
    assert frame["Class"].isna().tolist() == [False, False, False, True]


def test_sparse_rows(file):
    text = (
        "@relation s\n@attribute a numeric\n@attribute b {no, 'y es'}\n@attribute c real\n@data\n"
        "{0 5, 2 -1.5}\n{ 1 'y es' }\n{}\n"
    )
    frame = read_arff(file(text)).frame
    assert frame["a"].tolist() == [5, 0, 0]
    assert frame["b"].tolist() == ["no", "y es", "no"]
    assert frame["c"].tolist() == [-1.5, 0, 0]
    with pytest.raises(DataError, match="a sparse row names the attribute '7'"):
        read_arff(file(text + "{7 1}\n"))


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_both_encodings(file, encoding):
    text = "@relation r\n@attribute x numeric\n@attribute c {é, b}\n@data\n1,é\n2,b\n"
    assert read_arff(file(text, encoding)).frame["c"].tolist() == ["é", "b"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@attribute x relational\n@data\n1\n", "attribute 'x' is of type 'relational'"),
        ("@attribute x numeric\n@attribute x real\n@data\n1,2\n", "declares the attribute 'x'"),
        (
            "@attribute x numeric\n@attribute y real\n@data\n1\n",
            "declares 2 attributes, and no row",
        ),
        ("@attribute x numeric\n@data\n1\nnone\n", "Unable to parse string"),
        ("@attribute x numeric\n1\n", "it has no line @data"),
        ("@attribute x numeric\n@data\n1\n2,3\n4,5,6\n", "Too many columns|Expected 1 fields"),
    ],
)
def test_what_is_no_arff_is_refused_with_its_reason(file, text, reason):
    with pytest.raises(DataError, match=reason):
        read_arff(file(f"@relation r\n{text}"))


def test_what_is_no_file_or_too_large_is_refused_unread(tmp_path):
    pipe = tmp_path / "pipe.arff"
    os.mkfifo(pipe)
    with pytest.raises(DataError, match="is no regular file"):
        read_arff(pipe)
    large = tmp_path / "large.arff"
    large.touch()
    os.truncate(large, 1 << 40)
    with pytest.raises(DataError, match="has more than 1,073,741,824 bytes"):
        read_arff(large)

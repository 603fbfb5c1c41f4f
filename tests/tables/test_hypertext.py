"""Tables of HTML: merged cells, several header rows, tables without a closing tag."""

from __future__ import annotations

import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.readers.files import read_file
from deabench.tables.readers.limits import Limits

MERGED = """<!DOCTYPE html><html><head><style>td {}</style></head><body>
<h2>Detection</h2><p>Lower is better for latency.</p>
<table><thead><tr><th rowspan=2>Model</th><th colspan="2">COCO</th><th rowspan=2>ms</th></tr>
<tr><th>AP&uarr;</th><th>AP<sub>50</sub></th></tr></thead>
<tbody><tr><td><a href=x>A</a></td><td><b>66.1</b></td><td>70.2<sup>1</sup></td><td>5</td></tr>
<tr><td rowspan=2>B<br>large</td><td>66</td><td>71 &plusmn; 2</td><td>4</td></tr>
<tr><td>65</td><td>69</td><td>3</td></tr></tbody></table>"""


def read(folder, text: str, **options):
    path = folder / "table.html"
    path.write_text(text, encoding="utf-8")
    return read_file(path, **options)


def test_merged_cells_and_two_header_rows(tmp_path) -> None:
    source = read(tmp_path, MERGED)
    assert source.frame.to_dict("list") == {
        "Model": ["A", "B large", "B large"],
        "COCO AP↑": ["66.1", "66", "65"],
        "COCO AP50": ["70.2", "71 ± 2", "69"],
        "ms": ["5", "4", "3"],
    }
    assert source.sheet == "Detection"
    assert source.prose == "Detection\nLower is better for latency."


def test_cells_without_closing_tags_and_headers_outside_of_a_row(tmp_path) -> None:
    text = "<TABLE><th>Name<th>box<br/>AP<tr><td>a<td>37.4<tr><td>b<td>38.7"
    assert read(tmp_path, text).frame.to_dict("list") == {
        "Name": ["a", "b"],
        "box AP": ["37.4", "38.7"],
    }


def test_a_table_of_html_within_markdown_is_one_of_its_tables(tmp_path) -> None:
    text = f"# Zoo\n\n| file | lines |\n|---|---|\n| a.py | 10 |\n\n{MERGED}\n"
    assert "Model" in read(tmp_path, text).frame
    assert read(tmp_path, text, sheet="Zoo").frame["lines"].tolist() == ["10"]


def test_such_a_table_is_ranked_by_its_columns(tmp_path) -> None:
    path = tmp_path / "board.html"
    path.write_text(
        "<table><tr><th>Model<th>Accuracy<th>Latency (ms)"
        "<tr><td>a<td>91.0<td>12<tr><td>b<td>88.5<td>5</table>"
    )
    table = db.read(path)
    assert (table.outputs, table.costs) == (["Accuracy"], ["Latency (ms)"])
    assert table.label == ("Model",)


@pytest.mark.parametrize("span", ["colspan=99999", "colspan=999999999999", "rowspan=99999"])
def test_a_cell_that_covers_too_many_columns_is_refused_or_cut(span, tmp_path) -> None:
    text = f"<table><tr><th>m<th>a<tr><td>x<td {span}>1<tr><td>y<td>2</table>"
    if span == "colspan=99999":
        with pytest.raises(DataError, match=r"has 100,000 columns, more than 2,000"):
            read(tmp_path, text)
    else:
        assert len(read(tmp_path, text).frame) == 2


def test_the_limit_is_named_with_the_option_that_raises_it(tmp_path) -> None:
    text = "<table><tr><th>m<th>a<th>b<tr><td>x<td>1<td>2</table>"
    with pytest.raises(DataError, match=r"has 3 columns, more than 2; .*limits=\{'columns': 3\}$"):
        read(tmp_path, text, limits=Limits(columns=2))
    assert read(tmp_path, text, limits=Limits(columns=3)).frame.shape == (1, 3)


def test_a_second_header_row_begins_with_a_word_for_systems(tmp_path) -> None:
    rows = [
        ("Averaging", "Arithmetic", "Harmonic"),
        ("Model", "μ-F1 / m-F1", "μ-F1 / m-F1"),
        ("BERT", "77.8 / 69.5", "76.7 / 68.2"),
        ("RoBERTa", "77.8 / 68.7", "76.8 / 67.5"),
        ("DeBERTa", "78.3 / 69.7", "77.4 / 68.5"),
    ]
    cells = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    path = tmp_path / "glue.html"
    path.write_text(f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>")
    table = db.read(path)
    assert table.outputs == ["Arithmetic μ-F1", "Arithmetic m-F1", "Harmonic μ-F1", "Harmonic m-F1"]
    assert list(table.frame.index) == ["BERT", "RoBERTa", "DeBERTa"]


def test_merged_cells_without_emphasis_above_header_cells_are_a_header(tmp_path) -> None:
    path = tmp_path / "zoo.html"
    path.write_text(
        "<table><tr><td></td><td colspan=2>Roads</td><td colspan=2>Fields</td></tr>"
        "<tr><th>Backbone</th><th>AP</th><th>FPR95</th><th>AP</th><th>FPR95</th></tr>"
        "<tr><td>A</td><td>85.4</td><td>6.9</td><td>70.8</td><td>6.3</td></tr>"
        "<tr><td>B</td><td>78.4</td><td>11.8</td><td>60.9</td><td>10.6</td></tr></table>"
    )
    table = db.read(path)
    assert table.outputs == ["Roads AP", "Fields AP"]
    assert table.lower_rates == ["Roads FPR95", "Fields FPR95"]

"""Names and cells lose their markup and keep their text."""

from __future__ import annotations

import pytest

import deabench as db
from deabench.tables.markup import strip_markup


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Model**", "Model"),
        ("**[A-7B](https://a.org/x_(1))**", "A-7B"),
        ("[A][1]", "A"),
        ("![logo](a.png) A", "A"),
        ("Params<br><sup>(M)", "Params (M)"),
        ("R<sup>2</sup>", "R2"),
        ("a &amp; b &darr;", "a & b ↓"),
        (r"FID $\downarrow$", "FID ↓"),
        (r"\textbf{IS} $\uparrow$", "IS ↑"),
        (r"Acc. (\%)", "Acc. (%)"),
        (r"$R^2$", "R^2"),
        (r"$F_1$", "F_1"),
        (r"Ours~\cite{us2024}", "Ours~"),
        (r"\multicolumn{2}{c}{COCO}", "COCO"),
        ("Price ($/M) in, Price ($/M) out", "Price ($/M) in, Price ($/M) out"),
        ("$5 and $7", "$5 and $7"),
        ("mean__accuracy", "mean__accuracy"),
        ("clf__max_depth", "clf__max_depth"),
        ("snake_case_name", "snake_case_name"),
        ("A* search", "A* search"),
        ("*italic*", "italic"),
        ("_**0.27**_ (±0.01)", "0.27 (±0.01)"),
        ("_0.27_", "0.27"),
        ("_name_", "_name_"),
        ("~~old~~ `new`", "old new"),
        ("p < 0.05 > 0", "p < 0.05 > 0"),
        ("J&F", "J&F"),
    ],
)
def test_markup_is_stripped_and_text_is_kept(text, plain) -> None:
    assert strip_markup(text) == plain


def test_names_of_nothing_but_markup_are_systems_of_their_own(tmp_path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(
        "classifier,tp,fn,fp,tn\n<img src=x>,5,5,1,9\n![i](x),6,4,2,8\n**ok**,7,3,3,7\n"
    )
    assert list(db.read(path).frame.index) == ["<img src=x>", "![i](x)", "ok"]

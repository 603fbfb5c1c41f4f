"""docs/gate.md: its snippets run and say what the page says."""

import pytest
from pages import ROOT, run_python

PAGE = ROOT / "docs" / "gate.md"


@pytest.mark.slow
def test_the_snippets_of_the_page(capsys):
    space = run_python(PAGE)
    assert space["gate"].verdict == "passes"
    assert space["gate"].beaten_by == {}
    assert space["first"].number == 1
    assert space["second"].number == 2
    assert space["second"].status_only
    assert space["anytime"].rounds == 500
    out = capsys.readouterr().out
    assert "'new' passes: it scores at least 0.95 (shown at 95 %)." in out
    assert "'smaller' does not pass at 0.95; the ledger shows the status only." in out
    assert "You may look as often as you like" in out
    assert "is shown to be dominated by" in out


def test_a_plan_on_the_command_line(capsys):
    from deabench.cli import main

    assert main(["plan", "--gap", "0.1", "--k", "10", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "question,instances"
    assert out.splitlines()[1] == '"verdict, once",250'
    assert "A system that is 0.1 behind in the metric" in err
    assert main(["plan"]) == 1
    assert "nothing is asked" in capsys.readouterr().err

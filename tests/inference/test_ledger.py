"""The ledger: shares of the level, damage, and two gates at once."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deabench.errors import DataError
from deabench.inference.decisions import ledger
from deabench.inference.decisions.ledger import (
    LedgerEntry,
    alpha_of_gate,
    hash_arrays,
    open_ledger,
)

ROOT = Path(__file__).parents[2]


def entry(name="new", answers="1", alpha=0.01, verdict="open"):
    return LedgerEntry(name, answers, "status", alpha, verdict)


def test_shares_without_feedback_sum_to_the_level():
    total = sum(alpha_of_gate(0.05, m, 0, "none") for m in range(1, 100_000))
    assert total == pytest.approx(0.05, rel=1e-4)
    assert total < 0.05


def test_shares_over_all_histories_of_passes_stay_below_the_share_of_their_number():
    """Each of the 2^(m − 1) histories has a candidate of its own."""
    for m in (1, 2, 5, 11):
        total = sum(math.comb(m - 1, b) * alpha_of_gate(0.05, m, b, "status") for b in range(m))
        assert total <= alpha_of_gate(0.05, m, 0, "none")
    assert alpha_of_gate(0.05, 1, 0, "status") == pytest.approx(0.5 * 6 * 0.05 / math.pi**2)


def test_thousands_of_gates_have_a_share():
    assert 0 < alpha_of_gate(0.05, 5000, 2500, "status") < 1e-200


def test_gates_are_remembered_by_test_set(tmp_path):
    path = tmp_path / "gates.json"
    with open_ledger(path) as book:
        assert book.tests == {}
        book.add("test", entry())
    with open_ledger(path) as book:
        assert book.find("test", "1") == entry()
        assert book.find("other", "1") is None
        book.add("test", entry(name="ü", answers="2", verdict="passes"))
        book.add("other", entry())
    with open_ledger(path) as book:
        assert [gate.candidate for gate in book.tests["test"]] == ["new", "ü"]
        assert len(book.tests["other"]) == 1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": "deabench gates 2", "tests": {}}',
        '{"format": "deabench gates 1", "tests": {"t": [{"candidate": "a"}]}}',
        '{"format": "deabench gates 1", "tests": {"t": [{"candidate": "a", "answers": "1", '
        '"feedback": "status", "alpha": 2, "verdict": "open"}]}}',
        '{"format": "deabench gates 1", "tests": {"t": [{"candidate": "a", "answers": "1", '
        '"feedback": "all", "alpha": 0.1, "verdict": "open"}]}}',
        '{"format": "deabench gates 1", "tests": {"t": [{"candidate": "a", "answers": 1, '
        '"feedback": "none", "alpha": 0.1, "verdict": "open"}]}}',
        '{"format": "deabench gates 1", "tests": []}',
    ],
)
def test_a_damaged_ledger_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "gates.json"
    path.write_text(content)
    with pytest.raises(DataError) as caught, open_ledger(path):
        pass
    message = str(caught.value)
    assert message.startswith(f"the ledger '{path}' is damaged: ")
    assert message.endswith("have no level")
    assert "\n" not in message
    assert path.read_text() == content


def test_a_ledger_in_a_folder_that_is_missing(tmp_path):
    with pytest.raises(DataError, match="make it first"), open_ledger(tmp_path / "no" / "g.json"):
        pass


def test_an_error_inside_writes_nothing(tmp_path):
    path = tmp_path / "gates.json"
    with pytest.raises(RuntimeError), open_ledger(path):
        raise RuntimeError
    assert not path.exists()
    with open_ledger(path) as book:
        book.add("test", entry())
    assert json.loads(path.read_text())["tests"]["test"][0]["candidate"] == "new"


def test_two_gates_at_once_wait_for_each_other(tmp_path, monkeypatch):
    """Four processes add ten gates each; none is lost. One that waits in vain is refused."""
    path = tmp_path / "gates.json"
    code = (
        "import sys\n"
        "from deabench.inference.decisions.ledger import LedgerEntry, open_ledger\n"
        "for n in range(10):\n"
        "    with open_ledger(sys.argv[1]) as book:\n"
        "        book.add('t', LedgerEntry(sys.argv[2], f'{sys.argv[2]}{n}', 'none', .1, 'open'))\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    workers = [subprocess.Popen([*command, str(n)], cwd=ROOT) for n in range(4)]
    assert [worker.wait() for worker in workers] == [0] * 4
    with open_ledger(path) as book:
        assert len(book.tests["t"]) == 40
        monkeypatch.setattr(ledger, "PATIENCE", 0.1)
        with pytest.raises(DataError, match="is used by another gate"), open_ledger(path):
            pass


def test_hashes_do_not_depend_on_the_machine():
    labels = np.array([0, 1, 1])
    assert hash_arrays(labels) == hash_arrays(labels.astype(">i4"))
    assert hash_arrays(labels) != hash_arrays(labels[::-1])
    assert hash_arrays(labels, "a") != hash_arrays(labels, "b")
    assert hash_arrays(np.array([0.5], "f4")) == hash_arrays(np.array([0.5]))


GATE = {"candidate": "a", "answers": "x", "feedback": "none", "alpha": 0.01, "verdict": "open"}


def ledger_text(**changes) -> str:
    return json.dumps({"format": ledger.FORMAT, "tests": {"test": [{**GATE, **changes}]}})


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 100_000,
        '{"format":' + "9" * 5000 + "}",
        "[]",
        "null",
        ledger_text(alpha=float("nan")),
        ledger_text(alpha="0.01"),
        ledger_text(alpha=10**400),
        ledger_text(alpha=[]),
        ledger_text(candidate="\ud800"),
        ledger_text(unknown=1),
        ledger_text(feedback=["none"]),
    ],
    ids=lambda text: text[:24] + str(len(text)),
)
def test_whatever_a_ledger_holds_ends_in_a_sentence(text, tmp_path):
    path = tmp_path / "gates.json"
    path.write_text(text)
    with (
        pytest.raises(DataError, match=r"is damaged: .*; bring back an earlier"),
        open_ledger(path),
    ):
        pass


def test_what_is_no_file_is_no_ledger(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    large = tmp_path / "large"
    large.touch()
    os.truncate(large, 1 << 40)
    for path in (folder, pipe, large):
        with pytest.raises(DataError, match="is damaged"), open_ledger(path):
            pass
    (tmp_path / ".gates.json.lock").mkdir()
    for name in ("gates.json", "x" * 300, "nul\0"):
        with pytest.raises(DataError, match="beside the ledger"), open_ledger(tmp_path / name):
            pass

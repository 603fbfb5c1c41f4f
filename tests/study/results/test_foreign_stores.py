"""A stranger's store: whatever it holds, looking at it ends in an answer or one sentence."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from study_runs import without_processes

from deabench.cli import main
from deabench.study import Study
from deabench.study.results.maintenance import _find_problem
from deabench.study.results.status import _file_digest
from deabench.study.results.store import (
    COLUMNS,
    FORMAT,
    SCHEMA,
    CutStoreError,
    check_store,
    checksum,
    lock_store,
)
from deabench.study.running.limits import enforce_limits
from deabench.study.running.tasks import run_task

TEXT = (
    '[data]\nnames = ["glass-0-4_vs_5"]\n[split]\nfolds = 4\n'
    '[classifiers]\nmajority = {}\n"naive Bayes" = {}'
)
VERBS = (["study", "status"], ["study", "verify"], ["study", "tables"])
LIMITED = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from deabench.cli import main
codes = [main(arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps(codes), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "study.toml"
    path.write_text(TEXT)
    study = Study.from_toml(path)
    with without_processes():
        study.run()
    return study.plan.file


@pytest.fixture
def copy(made, tmp_path):
    """A study file with its store; the count beside it is not copied, so that rows are read."""
    for file in (made, made.with_suffix(".sqlite")):
        shutil.copy(file, tmp_path / file.name)
    return tmp_path / made.name


def forge(store: Path, **changes: object) -> None:
    """Change the first row and give it a right checksum, as anybody can."""
    with closing(sqlite3.connect(store)) as db, db:
        row = dict(
            zip(
                COLUMNS,
                db.execute(f"SELECT {','.join(COLUMNS)} FROM results").fetchone(),
                strict=True,
            )
        )
        rows = changes.pop("rows", None)
        row |= changes
        assignments = ",".join(f"{name} = ?" for name in row)
        db.execute(
            f"UPDATE results SET {assignments}, checksum = ? WHERE key = ?",
            (*row.values(), checksum(tuple(row.values())), row["key"]),
        )
        if rows is not None:
            db.execute("UPDATE results SET rows = ? WHERE key = ?", (rows, row["key"]))


def run_limited(*commands: list[str]) -> tuple[list[int], str]:
    """Run commands in a process of 2 GiB of address space and 20 seconds of CPU time.

    Return the exit status of each, and what they wrote to stderr.
    """
    result = subprocess.run(
        [sys.executable, "-c", LIMITED, json.dumps(commands)],
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert result.returncode == 0, result.stderr
    *messages, codes = result.stderr.splitlines()
    return json.loads(codes), "\n".join(messages)


@pytest.mark.parametrize(
    "confusion", ["1", "x", "[" * 100_000, '["a"]', "{}"], ids=["one", "x", "deep", "text", "map"]
)
def test_a_confusion_matrix_that_is_none_ends_in_a_sentence(copy, capsys, confusion):
    forge(copy.with_suffix(".sqlite"), confusion=confusion)
    assert main(["study", "verify", str(copy)]) == 1
    assert "1 results are damaged, 7 are as they were written" in capsys.readouterr().err
    assert main(["study", "tables", str(copy)]) == 1
    message = capsys.readouterr().err
    assert "is damaged: it holds a confusion matrix that is none" in message
    assert "Traceback" not in message


def count_file(text: bytes) -> bytes:
    """Return the content of a count beside a store, with a right digest, as anybody can make it."""
    return hashlib.sha256(text).hexdigest().encode() + b"\n" + text


def test_a_count_that_is_none_is_counted_again(made, tmp_path, capsys):
    file = tmp_path / made.name
    names = [made.name, f"{made.stem}.sqlite", f".{made.stem}.sqlite.counted"]
    for name in names:
        shutil.copy(made.parent / name, tmp_path / name)
    saved = tmp_path / names[2]
    content = json.loads(saved.read_bytes().partition(b"\n")[2])
    changes = [
        {"results": "\x1b[31m"},
        {"results": None},
        {"results": True},
        {"failures": "text"},
        {"failures": [["a", "b", float("inf")]]},
        {"damaged": [1]},
        {"digest": 7},
        {"unknown": 1},
    ]
    forgeries = [
        json.dumps(content | {"counted": content["counted"] | change}).encode()
        for change in changes
    ]
    for text in (b"[" * 200_000, b"9" * 5000, b"[]", b"\xff", *forgeries):
        saved.write_bytes(count_file(text))
        assert main(["study", "status", str(file), "--format", "json"]) == 0
        status = json.loads(capsys.readouterr().out)[0]
        assert (status["total"], status["done"]) == (8, 8)
        assert status["digest"] == content["counted"]["digest"]
    saved.unlink()
    os.mkfifo(saved)
    assert main(["study", "status", str(file)]) == 0


@pytest.mark.slow
def test_rows_that_unpack_to_gigabytes_are_named_as_damaged(copy):
    zeros = bytes(1 << 24)
    packer = zlib.compressobj(9)
    # after a full flush a block needs nothing before it: it may stand there again and again
    first, block = (packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    # an empty last block, and the checksum (Adler's) of 1.6 GB of zeros
    checksum_of_zeros = (100 * len(zeros) % 65521) << 16 | 1
    bomb = first + 99 * block + b"\x03\x00" + checksum_of_zeros.to_bytes(4, "big")
    assert len(bomb) < 3_000_000
    forge(copy.with_suffix(".sqlite"), rows=bomb)
    codes, messages = run_limited(["study", "verify", str(copy)])
    assert codes == [1]
    assert "1 results are damaged" in messages
    assert "Traceback" not in messages


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS SELECT * FROM results",
        "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM runs; END",
        "CREATE INDEX i ON results (hex(tp))",
    ],
)
def test_a_store_with_declarations_of_its_own_is_refused(copy, refused, statement):
    store = copy.with_suffix(".sqlite")
    with closing(sqlite3.connect(store)) as db, db:
        db.execute(statement)
    with refused(
        f"'{store}' cannot be read as the store of a study: its tables are not declared as "
        "deabench declares them; bring back a copy"
    ):
        check_store(store)


@pytest.mark.slow
def test_a_generated_column_computes_nothing(copy):
    """A store of 24 kB whose texts are 800 MB each: `verify` refuses it and exits with 1."""
    store = copy.with_suffix(".sqlite")
    with closing(sqlite3.connect(store)) as db:
        rows = db.execute(f"SELECT {','.join(COLUMNS)} FROM results").fetchall()
    store.unlink()
    schema = SCHEMA.replace(
        "traceback TEXT", "traceback TEXT GENERATED ALWAYS AS (hex(zeroblob(4)))"
    )
    columns = [name for name in COLUMNS if name != "traceback"]
    kept = [COLUMNS.index(name) for name in columns]
    with closing(sqlite3.connect(store)) as db, db:
        db.executescript(f"{schema} PRAGMA user_version = 3;")
        marks = ",".join("?" * (len(columns) + 1))
        db.executemany(
            f"INSERT INTO results ({','.join(columns)}, checksum) VALUES ({marks})",
            [(*(row[k] for k in kept), "x") for row in rows],
        )
        # the texts grow after they were computed for these rows
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, '(4)', '(400000000)')")
    codes, messages = run_limited(*([*verb, str(copy)] for verb in VERBS))
    assert codes == [1] * len(VERBS)
    refusal = "its tables are not declared as deabench declares them"
    assert messages.count(refusal) == len(VERBS)


@pytest.mark.slow
def test_a_study_of_a_milliard_repeats_is_refused_at_once(tmp_path, refused):
    file = tmp_path / "study.toml"
    file.write_text(TEXT.replace("folds = 4", "folds = 4\nrepeats = 1000000000"))
    with refused("'study.toml': [split] repeats is 1000000000; give a whole number <= 10000"):
        Study.from_toml(file)
    file.write_text(TEXT.replace("folds = 4", "folds = 9999\nrepeats = 9999"))
    codes, messages = run_limited(["study", "status", str(file)])
    assert codes == [1]
    assert "too few for 9999 folds" in messages


def mutate(content: bytes, random_source: random.Random) -> bytes:
    """Flip bits, cut, repeat or insert bytes."""
    mutated = bytearray(content)
    for _ in range(random_source.choice([1, 1, 2, 5, 20])):
        at = random_source.randrange(max(1, len(mutated)))
        kind = random_source.randrange(4)
        if kind == 0:
            mutated[at : at + 1] = bytes([random_source.randrange(256)])
        elif kind == 1:
            del mutated[at : at + random_source.randrange(1, 4096)]
        elif kind == 2:
            mutated[at:at] = mutated[at : at + random_source.randrange(1, 4096)]
        else:
            mutated[at:at] = random_source.randbytes(random_source.randrange(1, 64))
    return bytes(mutated)


def look_at_mutated_stores(copy: Path, count: int, seed: int, capsys) -> int:
    """Look at damaged copies of a store, with every verb; return how many were refused.

    Half of 150 copies have each kind of mutation, a tenth have it alone.
    """
    store = copy.with_suffix(".sqlite")
    content = store.read_bytes()
    random_source = random.Random(seed)
    refusals = 0
    for number in range(count):
        store.write_bytes(mutate(content, random_source))
        for verb in VERBS:
            code = main([*verb, str(copy)])
            written = capsys.readouterr()
            assert code in (0, 1), (number, verb)
            assert "Traceback" not in written.err, (number, verb)
            refusals += code
    return refusals


def test_mutated_stores_end_in_an_answer_or_a_sentence(copy, capsys):
    assert 4 < look_at_mutated_stores(copy, 10, 1, capsys) < 30


@pytest.mark.slow
def test_150_mutated_stores_end_in_an_answer_or_a_sentence(copy, capsys):
    # 2 GiB beyond what the process has: the tests before may have taken more than that.
    with enforce_limits(None, memory=2147):
        assert look_at_mutated_stores(copy, 150, 2, capsys) > 30


def test_a_row_of_the_study_itself_is_as_sound_as_before(copy):
    task = Study.from_toml(copy).plan.tasks()[0]
    assert run_task(task).status == "done"
    assert Study.from_toml(copy).verify().sound


def test_a_store_of_the_largest_pages_is_measured(tmp_path):
    """SQLite writes 1 where a page has 65,536 bytes, which two bytes cannot hold."""
    path = tmp_path / "study.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA page_size = 65536")
        db.executescript(f"{SCHEMA} PRAGMA user_version = {FORMAT};")
    content = path.read_bytes()
    assert content[16:18] == b"\0\1"
    check_store(path)
    path.write_bytes(content[:-1])
    size = len(content)
    with pytest.raises(CutStoreError, match=f"has {size - 1} of its {size} bytes: it was cut"):
        check_store(path)


def test_one_run_at_a_time_writes_a_store(tmp_path, refused):
    path = tmp_path / "study.sqlite"
    with (
        lock_store(path),
        refused(f"another run is writing the store '{path}'; wait for it, or stop it first"),
        lock_store(path),
    ):
        pass
    # The lock ended with its block.
    with lock_store(path):
        pass
    lost = tmp_path / "lost" / "study.sqlite"
    with (
        refused(
            f"cannot write the store '{lost}': unable to open database file; name a folder that "
            "is writable"
        ),
        lock_store(lost),
    ):
        pass


def test_rows_that_were_not_kept_and_files_that_are_not_whole(tmp_path):
    values = [None] * len(COLUMNS)
    values[COLUMNS.index("kept")] = 0
    assert _find_problem((*values, checksum(values), None)) == ""
    assert _find_problem((*values, checksum(values), b"x")) == "it has test rows that were not kept"
    assert _find_problem((*values, "another", None)) == "its checksum does not hold"
    path = tmp_path / "study.sqlite"
    assert _file_digest(path) == ""
    path.write_bytes(b"x")
    assert _file_digest(path) == hashlib.sha256(b"x").hexdigest()
    # With changes beside it the file is not the whole store.
    (tmp_path / "study.sqlite-wal").write_bytes(b"")
    assert _file_digest(path) == ""

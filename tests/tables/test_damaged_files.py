"""Files of strangers end in an answer or in one sentence, within bounds of memory and time."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from damaged_files import parquet, workbook

import deabench as db
from deabench.datasets.arff import read_arff
from deabench.errors import DataError
from deabench.tables.readers.files import read_file
from deabench.tables.readers.limits import reading_options
from deabench.utils.files import write_whole

SCRIPT = Path(__file__).parents[1] / "support" / "damaged_files.py"
SHEET = "xl/worksheets/sheet1.xml"


def read_damaged(start: int, stop: int) -> None:
    run = subprocess.run(
        [sys.executable, str(SCRIPT), str(start), str(stop)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr
    counts = json.loads(run.stdout)
    assert sum(counts.values()) == stop - start
    # Both ends are reached by a good part of the files: the mutations neither spare nor ruin all.
    assert min(counts.values()) > (stop - start) / 5


def test_80_damaged_files() -> None:
    read_damaged(0, 80)


@pytest.mark.slow
def test_3220_more_damaged_files() -> None:
    read_damaged(80, 3300)


def change_part(data: bytes, name: str, content: bytes | list[bytes]) -> bytes:
    """Return a workbook with another content of one of its files, given whole or in blocks."""
    blocks = [content] if isinstance(content, bytes) else content
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for part, old in parts.items():
            with archive.open(part, "w") as file:
                file.writelines(blocks if part == name else [old])
    return stream.getvalue()


XML = b'<?xml version="1.0"?>'
ENTITY = XML + b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
LAUGHS = XML + b'<!DOCTYPE x [<!ENTITY a0 "ha">'
LAUGHS += b"".join(b'<!ENTITY a%d "%s">' % (k, b"&a%d;" % (k - 1) * 10) for k in range(1, 12))
LAUGHS += b"]>"
WORKSHEET = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    b'<row r="1"><c r="A1" t="inlineStr"><is><t>%s</t></is></c></row></sheetData></worksheet>'
)


@pytest.mark.parametrize(
    "sheet",
    [
        XML + b"<worksheet><sheetData><row",
        ENTITY + WORKSHEET % b"&a;",
        LAUGHS + WORKSHEET % b"&a11;",
    ],
    ids=["cut off", "entity", "laughs"],
)
def test_damaged_sheets(sheet, tmp_path) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(change_part(workbook(), SHEET, sheet))
    with pytest.raises(DataError) as refusal:
        read_file(path)
    assert str(path) in str(refusal.value)
    assert "root:" not in str(refusal.value)


@pytest.mark.parametrize("metadata", [b"[]", b"{}", b'{"index_columns": ["nope"], "columns": []}'])
def test_parquet_with_made_up_metadata(metadata, tmp_path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(io.BytesIO(parquet()))
    path = tmp_path / "table.parquet"
    pq.write_table(table.replace_schema_metadata({b"pandas": metadata}), path)
    with pytest.raises(DataError) as refusal:
        read_file(path)
    assert str(refusal.value).startswith(f"'{path}' is a damaged Parquet file: ")


def refusal_of(read, path) -> str:
    """Return the sentence in which a file is refused; a file that is read whole takes for ever."""
    with pytest.raises(DataError) as refusal:
        read(path)
    return str(refusal.value)


def test_a_csv_of_a_million_columns_is_refused_before_it_is_parsed(tmp_path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("".join(f"m{k}," for k in range(10**6)) + "x\n" + "1," * 10**6 + "1\n")
    assert "has 1,000,001 columns, more than 2,000; " in refusal_of(db.read, path)


@pytest.mark.slow
def test_parquet_of_twenty_thousand_columns_and_of_600_million_rows(tmp_path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({f"m{k}": [1.0] for k in range(20_000)}), path)
    assert "has 20,000 columns, more than 2,000; " in refusal_of(db.read, path)
    block = pa.table({"a": pa.repeat(1, 20_000_000)})
    with pq.ParquetWriter(path, block.schema, compression="zstd") as writer:
        for _ in range(2):
            writer.write_table(block)
    assert "has 40,000,000 rows, more than 10,000,000; " in refusal_of(db.read, path)


@pytest.mark.slow
def test_what_unpacks_to_gigabytes_is_refused(tmp_path) -> None:
    zeros = tmp_path / "table.csv.gz"
    # A compressed file may have many parts, one behind the other.
    zeros.write_bytes(80 * gzip.compress(b"0" * (1 << 24), compresslevel=1))
    assert "bytes, more than 1,073,741,824; " in refusal_of(db.read, zeros)
    book = tmp_path / "book.xlsx"
    before, after = (WORKSHEET % b"|").split(b"|")
    blocks = [before, *[b"x" * (1 << 24)] * 64, b"x", after]
    book.write_bytes(change_part(workbook(), SHEET, blocks))
    assert "bytes, more than 1,073,741,824; " in refusal_of(db.read, book)


@pytest.mark.parametrize(
    "line",
    [
        "@attribute a {blanks}x",
        "@attribute a {{x{blanks},y}}",
        "@attribute a {blanks}[0, 1]",
        "@attribute 'a{blanks}b",
        "{blanks}@attribute a numeric\n@data\n1{blanks}2",
    ],
)
def test_blanks_of_an_attribute_take_no_time(line, tmp_path) -> None:
    path = tmp_path / "set.arff"
    text = line.format(blanks=" " * 200_000)
    path.write_text(f"@relation r\n{text}\n@attribute c {{x,y}}\n@data\n1,x\n")
    assert str(path) in refusal_of(read_arff, path)


def test_the_umask_of_other_threads_stays(tmp_path) -> None:
    masks = []
    has_ended = threading.Event()

    def watch() -> None:
        while not has_ended.is_set():
            handle = os.open(tmp_path / "other", os.O_CREAT | os.O_WRONLY, 0o666)
            os.close(handle)
            masks.append((tmp_path / "other").stat().st_mode & 0o777)
            (tmp_path / "other").unlink()

    old = os.umask(0o077)
    try:
        watcher = threading.Thread(target=watch)
        watcher.start()
        for _ in range(300):
            write_whole(tmp_path / "file", "text")
        has_ended.set()
        watcher.join()
    finally:
        os.umask(old)
    assert set(masks) == {0o600}
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_private_file_stays_private(tmp_path) -> None:
    path = tmp_path / "private"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, "new")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == "new"


def cpu_seconds(read, path) -> float:
    start = time.process_time()
    read(path)
    return time.process_time() - start


def assert_linear(shorter: float, longer: float) -> None:
    """Compare the CPU seconds of one amount of work and of four times as much.

    They are 1 to 4 if the work is linear, 1 to 16 if it is quadratic. Less than a tenth of a second
    is too little to compare.
    """
    assert longer < 8 * max(shorter, 0.1)


@pytest.mark.slow
def test_a_wide_header_is_read_in_linear_time(tmp_path) -> None:
    seconds = []
    for letter, columns in [("a", 100), ("b", 1_000), ("c", 4_000)]:  # the first reads imports, too
        path = tmp_path / f"{letter}.csv"
        names = [f"{letter}{k}" for k in range(columns)]  # no name was looked up before
        pd.DataFrame([[0.5] * columns], columns=names).to_csv(path)
        with reading_options(limits={"columns": 5_000}):
            seconds.append(cpu_seconds(read_file, path))
            assert read_file(path).frame.shape == (1, columns + 1)
    assert_linear(seconds[1], seconds[2])


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        ("<table><tr><th>m<th>a<tr><td>x<td>1</table>", "<!--"),
        ("<table><tr><th>m<th>a<tr><td>x<td>1</table>", "<![CDATA["),
        ("<table><tr><th>m<th>a<tr><td>x<td>1</table>", "<a "),
        ("| m | a |\n|---|---|\n| x | 1 |\n|", "["),
        ("| m | a |\n|---|---|\n| x | 1 |\n|---", " "),
        ("m,a\nx,1\ny,1 (9%", " "),
    ],
)
def test_pieces_without_an_end_are_read_in_linear_time(head, piece, tmp_path) -> None:
    path = tmp_path / "table"
    seconds = []
    for length in (100_000, 400_000):
        path.write_text(head + piece * (length // len(piece)) + "x\n")
        assert len(read_file(path).frame) > 0
        seconds.append(cpu_seconds(read_file, path))
    assert_linear(*seconds)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9/a.csv", "https://x.invalid/a.csv", "s3://b/a", "file:///a.csv"]
)
def test_an_address_is_no_file(address, monkeypatch) -> None:
    def refuse(*_, **__):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    with pytest.raises(DataError, match=f"cannot read '{address}': No such file"):
        db.read(address)


def test_formulas_of_a_workbook_are_not_computed(tmp_path) -> None:
    path = tmp_path / "book.xlsx"
    frame = pd.DataFrame({"model": ["a", "b", "c"], "accuracy": [0.9, 0.8, 0.7]})
    frame["latency_ms"] = ['=WEBSERVICE("http://127.0.0.1:9/")', "='[http://x/y.xlsx]A'!A1", 3.0]
    frame.to_excel(path, index=False)
    table = db.read(path)
    assert table.frame["latency_ms"].isna().tolist() == [True, True, False]


class Payload:
    def __reduce__(self):
        return os.system, ("touch PWNED",)


def test_an_extension_type_of_arrow_is_not_unpickled(tmp_path, monkeypatch) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    metadata = {
        "ARROW:extension:name": "arrow.py_extension_type",
        "ARROW:extension:metadata": pickle.dumps(Payload()),
    }
    field = pa.field("accuracy", pa.float64(), metadata=metadata)
    schema = pa.schema([pa.field("model", pa.string()), field])
    pq.write_table(pa.table({"model": ["a", "b"], "accuracy": [0.9, 0.8]}, schema), "table.parquet")
    assert db.read("table.parquet").outputs == ["accuracy"]
    assert not Path("PWNED").exists()


def test_many_columns_of_json_are_refused(tmp_path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps([{f"m{k}": 0.5 for k in range(20_000)}] * 2))
    assert "has 20,000 columns, more than 2,000; " in refusal_of(db.read, path)


def test_many_columns_called_mean_are_read_in_quadratic_time(tmp_path) -> None:
    path = tmp_path / "means.csv"
    seconds = []
    for half in (50, 100):
        names = [*(f"m{k} acc" for k in range(half)), *(f"mean {k} acc" for k in range(half))]
        cells = [[(7 * row + 3 * k) % 101 / 101 for k in range(2 * half)] for row in range(4)]
        pd.DataFrame(cells, list("abcd"), names).rename_axis("model").to_csv(path)
        assert len(db.read(path).outputs) == 2 * half
        seconds.append(cpu_seconds(db.read, path))
    # Each mean is compared with each column: twice as many columns are four times the work.
    assert_linear(*seconds)

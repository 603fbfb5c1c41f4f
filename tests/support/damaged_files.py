"""Damaged files of all formats: small valid ones, mutated by a seed.

As a script it reads the files of the seeds START to STOP under 2 GiB of address space, each within
20 seconds, and prints how many gave an answer and how many a sentence.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
import zipfile
from pathlib import Path

import pandas as pd

MEMORY = 2 << 30
SECONDS = 20
FRAME = pd.DataFrame(
    {"model": ["a", "b", "c"], "accuracy": [0.9, 0.8, 0.7], "latency_ms": [12.5, 5.0, 3.0]}
)
MARKDOWN = (
    "# T\n\n| model | acc ↑ | ms |\n|---|--:|---|\n| **a** | 0.9 ± 0.1 | 12 |\n| b | .8 | 5 |\n"
)
HTML = (
    "<h1>T</h1><table><tr><th rowspan=2>model<th colspan=2>x<tr><th>acc<th>ms"
    "<tr><td>a<td>0.9 [0.8, 1]<td>12<tr><td>b<td>.8<td>5</table>"
)
LATEX = (
    "\\begin{table}\\caption{T}\\begin{tabular}{l|cc}\\toprule model & \\multicolumn{2}{c}{x} \\\\"
    "\n & acc $\\uparrow$ & ms \\\\ \\midrule a & \\textbf{0.9} $\\pm$ 0.1 & \\SI{12}{\\milli"
    "\\second} \\\\ b & .8_{0.1} & 5 \\\\ \\end{tabular}\\end{table}"
)
YAML = "- model: &m a\n  x: {acc: 0.9, ms: 12}\n- model: b\n  x: {acc: .8, ms: 5}\n  of: *m\n"
ARFF = "@relation r\n@attribute a real [0, 1]\n@attribute c{x, y}\n@data\n0.1, x\n<null>, y\n"
SIGNS = (
    b"\x00",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"\x1b]0;",
    b"\r\n",
    b"\n",
    b"\t",
    b"|",
    b",,,,",
    b";",
    b'"',
    b"'",
    b"%",
    b"#",
    b"-",
    b"[" * 300,
    b"{" * 300,
    b"(" * 300,
    b"\\" * 99,
    b"$" * 99,
    b" " * 5000,
    b"-" * 500,
    b"*" * 500,
    b"9" * 5000,
    b"1e999",
    b"nan",
    b"&a [*a]",
    b"!!python/object",
    b"\\ud800",
    b"<td colspan=99999>",
    b"<table>",
    b"<!--",
    b"&#x110000;",
    b"\\begin{tabular}",
    b"\\multirow{9999}{*}{x}",
    b"|---|---|",
    b"---\n",
    b"PK\x03\x04",
    b"PAR1",
    b"\x1f\x8b",
)
"""What files hold at the wrong places."""


def workbook() -> bytes:
    stream = io.BytesIO()
    FRAME.to_excel(stream, index=False)
    return stream.getvalue()


def parquet() -> bytes:
    stream = io.BytesIO()
    FRAME.to_parquet(stream)
    return stream.getvalue()


def inspect_archive() -> bytes:
    """Return a log of Inspect: a header, and a document per sample."""
    evaluation = {"model": "a", "task": "t"}
    header = {"status": "success", "eval": evaluation, "results": {"scores": []}}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": evaluation}))
        for k in range(3):
            sample = {"id": k, "epoch": 1, "scores": {"match": {"value": "CIP"[k]}}}
            archive.writestr(f"samples/{k}_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(header))
    return stream.getvalue()


def valid_files() -> dict[str, bytes]:
    """Return a small valid file of every format."""
    csv = FRAME.to_csv(index=False)
    texts = {
        "csv": csv,
        "semicolons": FRAME.to_csv(index=False, sep=";", decimal=","),
        "markdown": MARKDOWN,
        "html": HTML,
        "latex": LATEX,
        "yaml": YAML,
        "arff": ARFF,
        "json": FRAME.to_json(orient="records"),
        "lines": FRAME.to_json(orient="records", lines=True),
        "columns": json.dumps(FRAME.to_dict(orient="list")),
        "nested": json.dumps({"r": {"a": {"acc": {"v": 0.9}}, "b": {"acc": {"v": 0.8}}}, "n": 1}),
    }
    files = {name: text.encode() for name, text in texts.items()}
    return files | {
        "utf-16": csv.encode("utf-16"),
        "gzip": gzip.compress(csv.encode(), mtime=0),
        "workbook": workbook(),
        "parquet": parquet(),
        "inspect": inspect_archive(),
    }


def mutate(data: bytes, source: random.Random) -> bytes:
    """Return bytes with one to four of: a flipped bit, a lost, doubled or moved piece, a sign."""
    for _ in range(source.randint(1, 4)):
        start = source.randrange(len(data) + 1)
        end = min(len(data), start + source.choice((1, 2, 8, 40, 400)))
        kind = source.randrange(6)
        if kind == 0 and start < len(data):
            flipped = data[start] ^ (1 << source.randrange(8))
            data = data[:start] + bytes([flipped]) + data[start + 1 :]
        elif kind == 1:
            data = data[:start] + data[end:]
        elif kind == 2:
            data = data[:start] + data[start:end] * source.choice((2, 3, 200)) + data[end:]
        elif kind == 3:
            data = data[:start]
        elif kind == 4:
            to = source.randrange(len(data) + 1)
            data = data[:to] + data[start:end] + data[to:]
        else:
            data = data[:start] + source.choice(SIGNS) + data[start:]
    return data


def mutate_parts(data: bytes, source: random.Random) -> bytes:
    """Return an archive or a compressed file whose content is mutated and packed again."""
    if data[:2] == b"\x1f\x8b":
        return gzip.compress(mutate(gzip.decompress(data), source), mtime=0)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = source.choice(sorted(parts))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for part, content in (parts | {name: mutate(parts[name], source)}).items():
            archive.writestr(part, content)
    return stream.getvalue()


def damaged_file(seed: int, files: dict[str, bytes]) -> tuple[str, bytes]:
    """Return the format and the bytes of one damaged file."""
    source = random.Random(seed)
    name = sorted(files)[seed % len(files)]
    data = files[name]
    if name in ("workbook", "gzip", "inspect") and source.random() < 0.7:
        return name, mutate_parts(data, source)
    return name, mutate(data, source)


def read_damaged(start: int, stop: int, folder: Path) -> dict[str, int]:
    """Read the files of some seeds; what is neither an answer nor one sentence ends the process."""
    import deabench as db
    from deabench.datasets.arff import read_arff

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    files = valid_files()
    counts = {"answers": 0, "sentences": 0}
    for seed in range(start, stop):
        name, data = damaged_file(seed, files)
        path = folder / f"table.{name}"
        path.write_bytes(data)
        signal.alarm(SECONDS)
        try:
            if name == "arff":
                read_arff(path)
            else:
                db.read(path)
            counts["answers"] += 1
        except db.DataError as error:
            sentence = str(error)
            if "\n" in sentence or not sentence:
                sys.exit(f"seed {seed} ({name}): no single sentence: {sentence!r}")
            counts["sentences"] += 1
        except BaseException:
            traceback.print_exc()
            sys.exit(f"seed {seed} ({name}): neither an answer nor a sentence")
        finally:
            signal.alarm(0)
    return counts


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(read_damaged(int(sys.argv[1]), int(sys.argv[2]), Path(name))))  # noqa: T201

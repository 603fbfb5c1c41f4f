"""Damaged files of all formats: small valid ones, mutated by a seed.

As a script it reads the files of the seeds START to STOP under 2 GiB of address space, each within
20 seconds of CPU time, and prints how many gave an answer and how many a sentence.
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

VALUES = (
    None,
    True,
    -1,
    0,
    1e308,
    10**400,
    float("nan"),
    float("inf"),
    [],
    {},
    [[]],
    [{}],
    [1, "a", None],
    {"a": {"b": [1]}},
    "",
    "1e999",
    "\x1b[31m",
    "\ud800",
    "name",
    "x" * 10_000,
)
"""What JSON documents hold in the place of what is expected."""


def workbook() -> bytes:
    stream = io.BytesIO()
    FRAME.to_excel(stream, index=False)
    return stream.getvalue()


def parquet() -> bytes:
    stream = io.BytesIO()
    FRAME.to_parquet(stream)
    return stream.getvalue()


def logs() -> dict[str, object]:
    """Return a small file of every tool whose JSON has a reader of its own."""
    evaluation = {
        "schema_version": "0.2.1",
        "evaluation_id": "board/a/1",
        "model_info": {"name": "a", "id": "org/a"},
        "eval_library": {"name": "x", "version": "1"},
        "evaluation_results": [
            {
                "evaluation_name": "MMLU",
                "metric_config": {"lower_is_better": False, "min_score": 0, "max_score": 1},
                "score_details": {
                    "score": 0.8,
                    "uncertainty": {"standard_error": {"value": 0.01}, "num_samples": 900},
                },
            },
            {
                "evaluation_name": "seconds",
                "metric_config": {"lower_is_better": True},
                "score_details": {
                    "score": 3.0,
                    "uncertainty": {
                        "confidence_interval": {"lower": 2, "upper": 4, "confidence_level": 0.9}
                    },
                },
            },
        ],
    }
    sample = {
        "schema_version": "instance_level_eval_0.2.1",
        "model_id": "a",
        "evaluation_name": "gsm8k",
        "sample_id": "s1",
        "evaluation": {"score": 1.0, "is_correct": True},
        "performance": {"latency_ms": 10.0},
        "token_usage": {"total_tokens": 100},
    }
    inspect_log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "a", "dataset": {}},
        "results": {
            "scores": [
                {"name": "match", "metrics": {"accuracy": {"name": "accuracy", "value": 0.75}}}
            ]
        },
        "samples": [
            {
                "id": k,
                "epoch": 1,
                "scores": {"match": {"value": "CI"[k], "answer": "x"}},
                "model_usage": {"a": {"total_tokens": 10}},
                "total_time": 1.5,
            }
            for k in range(2)
        ],
    }
    harness = {
        "results": {"arc": {"acc,none": 0.6, "acc_stderr,none": 0.01, "alias": "arc"}},
        "config": {"model_args": "pretrained=org/a"},
    }
    harness_sample = {
        "doc_id": 1,
        "target": "B",
        "resps": [["-1.0"]],
        "filtered_resps": ["-1.0"],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": "ff",
        "acc": 1.0,
    }
    price = {"input_cost_per_token": 1e-6, "output_cost_per_token": 3e-6, "litellm_provider": "x"}
    return {
        "evaluations": [evaluation, evaluation | {"model_info": {"name": "b", "id": "org/b"}}],
        "samples": [sample, sample | {"model_id": "b"}],
        "inspect log": inspect_log,
        "harness": [harness, harness],
        "harness samples": [harness_sample, harness_sample | {"doc_id": 2}],
        "prices": {"a": price, "b": price, "c": {"mode": "image"}},
        "helm": {
            "header": [{"value": "Model"}, {"value": "EM", "lower_is_better": False}],
            "rows": [[{"value": "a"}, {"value": 0.5}], [{"value": "b"}, {"value": 0.4}]],
        },
        "split": {"columns": ["model", "acc"], "index": [0], "data": [["a", 0.5]]},
    }


def mutate_json(data: bytes, source: random.Random) -> bytes:
    """Return a JSON document some of whose values are others, are gone, or are moved."""
    document = {"": json.loads(data)}
    for _ in range(source.randint(1, 3)):
        slots = list(_slots(document))
        holder, key = source.choice(slots)
        other, other_key = source.choice(slots)
        kind = source.randrange(4)
        if kind == 0 and holder is not document:
            del holder[key]
        elif kind == 1:
            holder[key] = json.loads(json.dumps(other[other_key]))
        elif kind == 2 and isinstance(holder, dict) and holder is not document:
            holder[source.choice(VALUES[-6:])] = holder.pop(key)
        else:
            holder[key] = source.choice(VALUES)
    return json.dumps(document.get("")).encode()


def _slots(document: object):
    """Yield every (mapping or list, key) of a document."""
    if not isinstance(document, dict | list):
        return
    keys = list(document) if isinstance(document, dict) else range(len(document))
    for key in keys:
        yield document, key
        yield from _slots(document[key])


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
    texts |= {name: json.dumps(log) for name, log in logs().items()}
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
    if (name in logs() or name in ("json", "columns", "nested")) and source.random() < 0.7:
        return name, mutate_json(data, source)
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
        # CPU time, of which other programs take nothing; the signal ends the process.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
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
            signal.setitimer(signal.ITIMER_PROF, 0)
    return counts


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(read_damaged(int(sys.argv[1]), int(sys.argv[2]), Path(name))))  # noqa: T201

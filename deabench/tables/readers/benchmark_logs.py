"""Read what benchmark programs print and write: lines of numbers with units, and JMH's JSON.

1. `go test -bench`: `BenchmarkParse-8   5000   376 ns/op   199 B/op   3 allocs/op`.
2. benchstat without a header: `Parse-8   2.62µs ± 1%`.
3. benchmark.js: `parse x 2,636 ops/sec ±2.13% (78 runs sampled)`.
4. Rust's `cargo bench`: `test parse ... bench:   1,234 ns/iter (+/- 56)`.
5. Values behind their names: `squeezenet  min = 4.66  max = 4.77  avg = 4.71`.
6. Kaldi's word error rates: `%WER 7.88 [ 2994 / 38010, 216 ins, 1045 del, 1733 sub ] exp/tdnn`.
7. Google Benchmark's console: `BM_Parse/64   27928 ns   27911 ns   24691`.
8. JMH's console: `Maps.get   1000   thrpt   10   220.3 ± 1.2  ops/s`.
9. Rust's Criterion: `parse   time:   [330.10 µs 330.50 µs 330.95 µs]`.
10. Any other lines of numbers with units: `√ ajv   14 032 040 ops/sec`, `crc32: 0.53s, 1912 MB/s`.
11. Records of names and values: `RESULT algo=lz77 file=cc time=33 mem_peak=62147`.

The header is missing, or has no part for the units in the lines: columns are called by these, or by
the names in the lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.readers.grids import Grid
from deabench.tables.readers.limits import Limits
from deabench.tables.recognition.columns import Declaration
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

LEAST_LINES = 3
"""So many lines of one form are a log."""
LEAST_LINES_OF_JMH = 2
"""Nothing else is written as a result of JMH."""
LONGEST_LINE = 1000
LONGEST_RECORD = 10_000
LEAST_PAIRS = 3
PROBED_SIGNS = 20_000
"""So much of a text shows whether its lines are a log."""
NAME = "benchmark"
"""What the names of the lines are called."""
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
_GO = lazy_pattern(rf"(Benchmark\S*)\s+\d+((?:\s+{_NUMBER} [A-Za-z%][\w%/.-]*)+)\s*")
_GO_VALUE = lazy_pattern(rf"({_NUMBER}) (\S+)")
_BENCHSTAT = lazy_pattern(rf"(\S+-\d+)\s+({_NUMBER})\s?([numµμ]?s|[KMG]?i?B(?:/s)?)\s+±\s*\d+%\s*")
_BENCHMARK_JS = lazy_pattern(
    rf"\s*(\S.*?)\s+x\s+({_NUMBER}) (ops/sec) ±({_NUMBER})% \(\d+ runs? sampled\)\s*"
)
_CARGO = lazy_pattern(rf"test (\S+)\s+\.\.\. bench:\s+({_NUMBER}) (ns/iter) \(\+/- ({_NUMBER})\).*")
_ASSIGNMENTS = lazy_pattern(rf"\s*(\S+)((?:\s+[A-Za-z_]\w*\s*=\s*-?{_NUMBER}){{2,}})\s*")
_ASSIGNMENT = lazy_pattern(rf"([A-Za-z_]\w*)\s*=\s*(-?{_NUMBER})")
_KALDI = lazy_pattern(rf"%WER ({_NUMBER}) \[.*\]\s*(\S+)?.*")
_GOOGLE = lazy_pattern(
    rf"(\S+)\s+({_NUMBER}) (ns|us|ms|s)\s+({_NUMBER}) (ns|us|ms|s)\s+\d+(\s+\w.*)?"
)
_JMH = lazy_pattern(
    rf"(\S.*?)\s+(thrpt|avgt|sample|ss)\s+(?:\d+\s+)?({_NUMBER})\s+(?:±\s*({_NUMBER})\s+)?"
    r"((?:ops|[num]?s|μs|us|min|hr|day)/(?:op|[num]?s|μs|us|min|hr|day))\s*"
)
_DURATION = r"(?:[numµμ]?s|secs?|seconds?)"
_SIZE = r"(?:[KMGT]?i?B|bytes)"
_RATE = (
    rf"{_DURATION}/(?:op|iter|call)|{_SIZE}/(?:s|sec|op)|allocs/op|fps|FPS|qps"
    r"|[kKM]?(?:ops?|req|requests|rows|msgs?|tok|tokens|images|it|queries|calls)/s(?:ec)?"
)
_QUANTITY = (
    r"(?:\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    rf"\s?(?:{_RATE}|{_DURATION}|{_SIZE})(?![\w/])"
)
"""A number with its unit; commas and blanks stand between thousands."""
_UNIT_BEHIND = lazy_pattern(rf"(?P<number>.*?)\s?(?P<unit>{_RATE}|{_DURATION}|{_SIZE})")
_DECIMAL_COMMA = lazy_pattern(r"\d,(?!\d{3}(?!\d))\d")
_LONG_BLANK = lazy_pattern(" {3,}")
_HARD_BLANK = lazy_pattern("[\u00a0\u202f]")
_MEASURED = lazy_pattern(
    rf"(?:(?P<label>[A-Za-z][A-Za-z _-]*?)\s*[:=]\s*)?(?P<quantity>{_QUANTITY})"
)
_MEASUREMENTS = lazy_pattern(
    r"\s*[√✓✔*-]?\s*(?P<name>\S.*?)(?:\s*:\s+|\t\s*|\s{2,})"
    r"(?:\w+=\w+[,;]?\s+|\d+(?:\t|\s{2,}))?"
    rf"(?P<parts>(?:(?:[A-Za-z][A-Za-z _-]*?\s*[:=]\s*)?{_QUANTITY}[\s,;|]*)+)"
    r"(?:[A-Za-z][\w =]*)?"
)
"""A name, a count of runs or a checksum, numbers with units, perhaps behind a word each."""
_ITEM = lazy_pattern(r"\s*\S.*?(?::\s+|\t|\s{2,})\S")
"""A line that may be one of several, whatever stands behind its name."""
_WRAPPED_NAME = lazy_pattern(r"\n\s+(?=time:\s+\[)")
"""Criterion writes long names on a line of their own."""
_TIME = lazy_pattern(rf"({_NUMBER}) ([numµμ]?s)")
_CRITERION = lazy_pattern(
    rf"\s*(?P<name>\S.*?)\s+time:\s+"
    rf"\[(?P<times>{_NUMBER} [numµμ]?s(?: {_NUMBER} [numµμ]?s){{2}})\]\s*"
)
_RECORD = lazy_pattern(
    r"(?:[A-Z]{3,}\s+)?(?P<pairs>[A-Za-z_][\w.-]*=\S+(?:\s+[A-Za-z_][\w.-]*=\S+){2,})"
)
_PAIR = lazy_pattern(r"([A-Za-z_][\w.-]*)=(\S+)")
_NAME_WITH_UNIT = lazy_pattern(r"(.*) \((\w+)\)")
_SETTING = lazy_pattern(r"[^=:]*\S\s*[=:]")
"""A line above a log that says how it was made, as "threads = 1"."""
_NEW_TABLE = lazy_pattern(r"\s*```|##+ |pkg: ")
"""Lines between two tables: the end of a block of code, a heading, another package."""
_TIMES = {"ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}
"""Units of time in nanoseconds."""
_SIGN_OF_LOG = lazy_pattern(rf"\d\s?(?:{_RATE}|{_DURATION}|{_SIZE})(?![\w/])|\w=\S+\s+[\w.-]+=")
_KINDS = (("time", _DURATION), ("size", _SIZE))
Cells = dict[str, str]


def find_benchmark_logs(text: str, limits: Limits, file: str) -> list[Grid]:
    """Return a table for each part of a text that is a log of benchmarks.

    Parameters
    ----------
    text : str
    limits : Limits
        How many rows a table may have.
    file : str
        The file's name in errors.
    """
    reader = next((read for sign, read in _READERS if sign in text), None)
    if reader is _read_criterion:
        text = _WRAPPED_NAME.sub("  ", text)
    grids: list[Grid] = []
    if reader is not None:
        grids = _find_logs(text, reader)
    head = text[:PROBED_SIGNS].split("\n")[:-1] or [text]
    if not grids and sum(map(_may_be_log, head)) >= LEAST_LINES:
        grids = _find_measurements(text) or _find_records(text)
    for grid in grids:
        limits.check_rows(len(grid.rows) - 1, file)
    return grids


def _may_be_log(line: str) -> bool:
    """Return whether a line may be one of measurements, or a record."""
    if len(line) > LONGEST_LINE:
        return line.count("=") > LEAST_PAIRS
    return _SIGN_OF_LOG.search(line) is not None


def _find_logs(text: str, reader: Callable[[str], Cells | None]) -> list[Grid]:
    """Return a table for each part of a log whose lines a reader reads."""
    grids = []
    heading = ""
    rows: list[Cells] = []
    has_further_lines = False
    # A last end of a block closes the last table.
    for line in [*text.split("\n"), "```"]:
        cells = reader(line) if len(line) <= LONGEST_LINE else None
        if cells is not None:
            rows.append(cells)
            continue
        if not _NEW_TABLE.match(line):
            has_further_lines |= bool(line.strip()) and _SETTING.match(line) is None
            continue
        # Further lines may be a header, or systems that are written in another way.
        is_log = not has_further_lines or reader not in _PLAIN_READERS
        least_lines = LEAST_LINES_OF_JMH if reader is _read_jmh else LEAST_LINES
        if len(rows) >= least_lines and is_log:
            if reader is _read_google:
                rows = _move_units(rows)
            grids.append(_to_grid(rows, heading))
        rows = []
        has_further_lines = False
        if line.startswith("#"):
            heading = line.strip("# ")
    return grids


def _find_measurements(text: str) -> list[Grid]:
    """Return a table for each run of lines that hold a name and numbers with units.

    Whatever may be a header above them names the columns better than units do. Lines of a run that
    hold no such numbers are left out with a note.
    """
    grids = []
    heading = ""
    rows: list[Cells] = []
    skipped: list[str] = []
    # Patterns would try each blank of a long run as the border of a name.
    for line in [*_LONG_BLANK.sub("  ", text).split("\n"), ""]:
        cells = _read_measurements(line) if len(line) <= LONGEST_LINE else None
        if cells is not None and (not rows or not rows[0].keys().isdisjoint({*cells} - {NAME})):
            rows.append(cells)
            continue
        if rows and _ITEM.match(line):
            skipped.append(line.strip())
            continue
        names = [row[NAME] for row in rows]
        # Beside decimal commas nothing tells what those between thousands are.
        is_told = len({*names}) == len(names) and not (
            _may_name(heading) or any(map(_DECIMAL_COMMA.search, (heading, *skipped)))
        )
        if len(rows) >= max(LEAST_LINES, len(skipped)) and is_told:
            grids.append(_to_grid(rows, heading, _note_skipped(skipped)))
        rows = []
        skipped = []
        heading = line.strip(" =#") or heading
    return grids


def _may_name(heading: str) -> bool:
    """Return whether a line above others may be their header: several words, or a metric."""
    # "Please wait ..." and "Suite: small" are none.
    is_sentence = not heading or ":" in heading or not heading[-1].isalnum()
    return not is_sentence and (len(heading.split()) > 1 or look_up_metric(heading) is not None)


def _move_units(rows: list[Cells]) -> list[Cells]:
    """Return rows with their units in the cells where these differ between the names of columns."""
    if all(row.keys() == rows[0].keys() for row in rows):
        return rows
    moved = []
    for row in rows:
        cells: Cells = {}
        for name, cell in row.items():
            part = _NAME_WITH_UNIT.fullmatch(name)
            if part is None:
                cells[name] = cell
            else:
                cells[part[1]] = f"{cell} {part[2]}"
        moved.append(cells)
    return moved


def _note_skipped(lines: list[str]) -> tuple[str, ...]:
    if not lines:
        return ()
    return (f"lines without numbers of this kind are left out: {quote_names(lines, 3)}",)


def _find_records(text: str) -> list[Grid]:
    """Return the table of lines that hold nothing but values behind their names, as logfmt."""
    lines = [line.strip() for line in text.split("\n") if line.strip() and line[0] not in "#;"]
    matches = [_RECORD.fullmatch(line[:LONGEST_RECORD]) for line in lines]
    rows: list[Cells] = [dict(_PAIR.findall(match["pairs"])) for match in matches if match]
    skipped = [line for line, match in zip(lines, matches, strict=True) if match is None]
    # Comments stand between them, and few other lines.
    if len(rows) < max(LEAST_LINES, 2 * len(skipped)):
        return []
    return [_to_grid(rows, "", _note_skipped(skipped))]


def _to_grid(rows: list[Cells], heading: str, notes: tuple[str, ...] = ()) -> Grid:
    """Return lines as a table, with a column for each name or unit that any of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[row.get(name, "") for name in names] for row in rows]
    return Grid([names, *cells], name=heading, notes=notes)


def _read_go(line: str) -> Cells | None:
    """Return the values of `go test -bench` by their units; how often it ran is no result."""
    match = _GO.fullmatch(line)
    if match is None:
        return None
    values = {unit: number for number, unit in _GO_VALUE.findall(match[2])}
    return {NAME: match[1], **values}


def _read_benchstat(line: str) -> Cells | None:
    """Return the value of a line of benchstat, times in nanoseconds."""
    match = _BENCHSTAT.fullmatch(line.strip())
    if match is None:
        return None
    number, unit = match[2], match[3]
    if unit not in _TIMES:
        return {NAME: match[1], "value": f"{number} {unit}"}
    nanoseconds = float(number.replace(",", "")) * _TIMES[unit]
    return {NAME: match[1], "ns": f"{nanoseconds:.10g}"}


def _read_benchmark_js(line: str) -> Cells | None:
    """Return the throughput of a line of benchmark.js; its margin of error becomes an interval."""
    match = _BENCHMARK_JS.fullmatch(line)
    if match is None:
        return None
    rate = float(match[2].replace(",", ""))
    margin = rate * float(match[4].replace(",", "")) / 100
    return {NAME: match[1], match[3]: _interval_cell(rate, margin)}


def _read_cargo(line: str) -> Cells | None:
    """Return the time of a line of `cargo bench`; its spread is no error of the mean."""
    match = _CARGO.fullmatch(line.strip())
    if match is None:
        return None
    return {NAME: match[1], match[3]: match[2].replace(",", "")}


def _read_assignments(line: str) -> Cells | None:
    """Return the values of a line that stand behind their names."""
    match = _ASSIGNMENTS.fullmatch(line)
    if match is None:
        return None
    return {NAME: match[1], **dict(_ASSIGNMENT.findall(match[2]))}


def _read_criterion(line: str) -> Cells | None:
    """Return the time of a line of Criterion with its interval, in nanoseconds."""
    match = _CRITERION.fullmatch(line)
    if match is None:
        return None
    low, middle, high = (
        float(number) * _TIMES[unit] for number, unit in _TIME.findall(match["times"])
    )
    return {NAME: match["name"], "time (ns)": f"{middle:.10g} [{low:.10g}, {high:.10g}]"}


def _read_kaldi(line: str) -> Cells | None:
    """Return the word error rate of a line, and the folder that it was computed in."""
    match = _KALDI.fullmatch(line.strip())
    if match is None:
        return None
    return {NAME: match[2] or "", "%WER": match[1]}


def _read_google(line: str) -> Cells | None:
    """Return the two times of a line of Google Benchmark; its counters are not read."""
    match = _GOOGLE.fullmatch(line.strip())
    if match is None:
        return None
    units = {f"Time ({match[3]})": match[2], f"CPU ({match[5]})": match[4]}
    return {NAME: match[1], **units}


def _read_jmh(line: str) -> Cells | None:
    """Return the score of a line of JMH with its interval; parameters are a part of the name."""
    match = _JMH.fullmatch(line.strip())
    if match is None:
        return None
    name = re.sub(r"\s+", " ", match[1])
    score, error = (_plain_number(number) for number in (match[3], match[4] or ""))
    if error:
        score = _interval_cell(float(score), float(error))
    return {NAME: name, match[5]: score}


def _read_measurements(line: str) -> Cells | None:
    """Return the numbers of a line by their units; a count of runs before them is no result."""
    match = _MEASUREMENTS.fullmatch(_HARD_BLANK.sub(" ", line))
    if match is None:
        return None
    values: Cells = {NAME: match["name"]}
    for part in _MEASURED.finditer(match["parts"]):
        quantity = _UNIT_BEHIND.fullmatch(part["quantity"])
        if quantity is None:
            return None
        number = re.sub(r"[ ,]", "", quantity["number"])
        unit = quantity["unit"]
        # Times and sizes keep their units, which may differ from line to line.
        kind = next((kind for kind, units in _KINDS if re.fullmatch(units, unit)), "")
        name = part["label"] or kind or unit
        if name in values:
            return None
        values[name] = f"{number} {unit}" if kind else number
    return values


def _plain_number(number: str) -> str:
    """Return a number of JMH: in some locales commas are its decimal signs."""
    return number.replace(",", "" if "." in number or number.count(",") > 1 else ".")


def _interval_cell(value: float, margin: float) -> str:
    """Return a cell of a value with the interval of its margin of error."""
    return f"{value:.10g} [{value - margin:.10g}, {value + margin:.10g}]"


_READERS: tuple[tuple[str, Callable[[str], Cells | None]], ...] = (
    (" thrpt ", _read_jmh),
    (" avgt ", _read_jmh),
    (" ns/op", _read_go),
    (" runs sampled)", _read_benchmark_js),
    (" ns/iter (+/- ", _read_cargo),
    ("%WER ", _read_kaldi),
    (" time:   [", _read_criterion),
    (" Iterations", _read_google),
    (" ± ", _read_benchstat),
    ("s ±", _read_benchstat),
    (" = ", _read_assignments),
)
"""What only these logs hold, and how their lines are read."""
_PLAIN_READERS = (_read_benchstat, _read_assignments)
"""Readers of lines that other tables may hold, too."""


def is_jmh_result(record: object) -> bool:
    """Return whether a record is a benchmark of JMH's JSON: a score with its unit and mode."""
    if not isinstance(record, Mapping) or not {"benchmark", "mode"} <= set(record):
        return False
    metric = record.get("primaryMetric")
    return isinstance(metric, Mapping) and {"score", "scoreUnit"} <= set(metric)


def read_jmh_results(records: Sequence[Mapping[str, Any]], title: str) -> Source:
    """Read one row for each benchmark and its parameters.

    A score has its unit in its column's name, for the unit tells whether it is a time or a
    throughput. How long a run took to warm up and to measure is a setting. Percentiles and raw
    data of the scores are not read.
    """
    rows = []
    for record in records:
        row: dict[str, Any] = {"benchmark": str(record["benchmark"]), "mode": str(record["mode"])}
        row |= {f"params.{name}": value for name, value in (record.get("params") or {}).items()}
        metrics = {"primaryMetric": record["primaryMetric"]}
        for name, metric in (record.get("secondaryMetrics") or {}).items():
            if is_jmh_result({**record, "primaryMetric": metric}):
                metrics[f"secondaryMetrics.{name}"] = metric
        for name, metric in metrics.items():
            row[f"{name}.score ({metric['scoreUnit']})"] = metric["score"]
        rows.append(row)
    frame = pd.DataFrame(rows)
    # All that differs between the runs of one benchmark is a part of its name.
    parameters = [str(name) for name in frame if str(name).startswith("params.")]
    label = ("benchmark", *(name for name in parameters if frame[name].nunique() > 1))
    declarations: dict[str, Declaration] = {}
    if frame["mode"].nunique() == 1:
        declarations["mode"] = ("left_out", "it is the same in all rows")
    notes = ("percentiles and raw data of the scores are not read",)
    return Source(frame, title, label, declarations, notes=notes)

"""Parse JSON, JSON lines and YAML into objects, within bounds, and find the tables within them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deabench.errors import DataError
from deabench.tables.estimates import is_estimate
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.limits import Limits
from deabench.utils.checks import is_number
from deabench.utils.lazy import lazy_pattern

MIN_INSTANCES = 20
"""So many names, the same below each system, are those of instances and not of metrics."""
PROBED_LINES = 20
KEY_SIGNS = ("/", ".", "_", "-", " ")
"""What may join the names of a system and a metric in a key."""
ADDRESSES = ("http://", "https://")
SYSTEM_KEYS = ("system", "model", "model_name", "method", "algorithm")
"""Keys of records that name systems."""
_LONE_SURROGATE = lazy_pattern(
    r"(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
"""Half a character, which no text can hold."""
_YAML_LINE = re.compile(
    r"\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s,;|\"'\[{#<:][^,;|\t:]*):(?:\s|$)|\s*- "
    # Commas stand only in the name of what the following lines describe, as in "SVM, linear:".
    r"|\s*[^\s,;|\"'\[{#<:-](?:[^,;|\t:]|, )*:\s*$"
)
_FLOW_YAML = lazy_pattern(r"\s*(?:\[\s*)?\{\s*[A-Za-z_][\w -]*:\s+[^\s,{}][^\n]*[,}]")
_MARKER = re.compile(r"---(?:\s|$)|%YAML")


def parse_json(text: str, file: str, limits: Limits) -> object:
    """Parse JSON, or JSON lines."""
    text = _LONE_SURROGATE.sub(r"\1\\ufffd", text)
    try:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            # The lines of JSON lines are documents of their own.
            try:
                return [json.loads(line) for line in text.split("\n") if line.strip()]
            except json.JSONDecodeError:
                raise DataError(f"'{file}' is not JSON: {error}") from None
    except DataError:
        raise
    except RecursionError:
        raise DataError(
            f"'{file}' nests more than {limits.depth} levels of JSON; give a list of records"
        ) from None
    # Python refuses to convert integers of thousands of digits.
    except ValueError:
        raise DataError(
            f"'{file}' holds an integer with more than 4,300 digits; write it as 1e5000 or as text"
        ) from None


def is_yaml(text: str) -> bool:
    """Return whether the first lines of a text are keys with values, or items of a list."""
    lines = []
    for line in text[: 1 << 16].split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            lines.append(line)
        if len(lines) > PROBED_LINES:
            break
    if lines and _MARKER.match(lines[0]):
        lines = lines[1:]
    matches = [_YAML_LINE.match(line) is not None for line in lines]
    # A long text may run over several lines.
    return len(matches) > 1 and matches[0] and sum(matches) >= 0.8 * len(matches)


def is_flow_yaml(text: str) -> bool:
    """Return whether a text begins as a mapping, or a list of mappings, whose keys have no quotes.

    Examples
    --------
    >>> is_flow_yaml("[{team: A, wins: 10}]"), is_flow_yaml('[{"team": "A"}]')
    (True, False)
    """
    return _FLOW_YAML.match(text) is not None


def parse_yaml(text: str, file: str, limits: Limits) -> object:
    """Parse YAML without objects of its own; the size of all aliases together is bounded."""
    try:
        import yaml
    except ImportError:
        raise DataError(
            f"'{file}' is YAML; install PyYAML to read it (pip install 'deabench[files]'), "
            "or save it as JSON"
        ) from None
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_yaml_size(yaml, text, loader, file, limits)
        documents = [item for item in yaml.load_all(text, Loader=loader) if item is not None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        reason = getattr(error, "problem", None) or "it cannot be parsed"
        raise DataError(f"'{file}' is not YAML{place}: {reason}") from None
    return documents[0] if len(documents) == 1 else documents


def _check_yaml_size(yaml: Any, text: str, loader: Any, file: str, limits: Limits) -> None:
    """Refuse a document that nests too deeply, or whose aliases make it too large.

    An alias stands for everything below its anchor, so that a few lines can hold billions of cells.
    """
    # Number of scalars below each open node, and below each anchor.
    sizes = [0]
    anchors: list[str | None] = [None]
    anchor_sizes: dict[str, int] = {}
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            sizes.append(0)
            anchors.append(event.anchor)
            limits.check_depth(len(sizes) - 1, file)
        elif isinstance(event, yaml.CollectionEndEvent):
            size = sizes.pop()
            anchor = anchors.pop()
            sizes[-1] += size
            if anchor is not None:
                anchor_sizes[anchor] = size
        elif isinstance(event, yaml.ScalarEvent):
            sizes[-1] += 1
            if event.anchor is not None:
                anchor_sizes[event.anchor] = 1
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor in anchors:
                raise DataError(f"'{file}' has an alias '*{event.anchor}' within itself; remove it")
            sizes[-1] += anchor_sizes.get(event.anchor, 0)
        limits.check_cells(sizes[-1], file)


def find_nested_table(data: Mapping[Any, Any]) -> tuple[str, Any] | None:
    """Return the key and the rows of the longest table within a document, None without any.

    Rows are a list of at least two records, or a mapping of systems to records; only a document
    that is no table itself has one.
    """
    tables = []
    for key, value in data.items():
        rows = list(value.values()) if isinstance(value, Mapping) else value
        is_table = isinstance(rows, list) and len(rows) > 1 and not all(map(_holds_table, rows))
        if is_table and all(isinstance(row, Mapping) for row in rows):
            tables.append((len(rows), str(key), value))
    # Systems whose metrics are nested look like tables themselves.
    if not tables or 2 * len(tables) > len(data) > 2:
        return None
    _, key, rows = max(tables, key=lambda table: table[0])
    return key, rows


def _holds_table(item: object) -> bool:
    """Return whether a mapping has a list of records that name their systems, as a section has."""
    lists = item.values() if isinstance(item, Mapping) else ()
    return any(
        _are_records(rows) and len(rows) > 1 and all(map(_names_system, rows)) for rows in lists
    )


def _names_system(record: Mapping[Any, Any]) -> bool:
    return any(isinstance(v, str) and key in SYSTEM_KEYS for key, v in record.items())


def find_tables(document: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the tables within a document, each with its keys joined by dots.

    A table is a list of at least two records with numbers, a list of rows below their names, or a
    mapping of groups of like records. Lists within records belong to these, but for those of the
    only record of a list.
    """
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    if isinstance(document, list):
        records = name_cells(document)
        if len(records) > 1 and _are_records(records) and count_numbers(records):
            yield path, records
    elif isinstance(document, Mapping):
        if path and is_grouped(document):
            yield path, document
            return
        for key, value in document.items():
            yield from find_tables(value, f"{path}.{key}" if path else str(key))


def name_cells(rows: list[Any]) -> list[Any]:
    """Return rows below a row of names, [["model", "acc"], ["A", .9]], as records.

    Any other list stays as it is.
    """
    are_rows = len(rows) > 1 and all(isinstance(row, list) for row in rows)
    if not are_rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return rows
    names = rows[0]
    is_header = all(isinstance(name, str) for name in names) and len({*names}) == len(names)
    if not is_header or count_numbers(names) or not all(map(count_numbers, rows[1:])):
        return rows
    return [dict(zip(names, row, strict=True)) for row in rows[1:]]


def count_numbers(item: object) -> int:
    """Return how many numbers an object holds at any depth; truths are none."""
    if isinstance(item, Mapping):
        return sum(map(count_numbers, item.values()))
    if isinstance(item, list):
        return sum(map(count_numbers, item))
    if isinstance(item, str):
        return int(is_estimate(item))
    return int(is_number(item))


def _are_records(rows: object) -> bool:
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, Mapping) for row in rows)


def is_grouped(data: Mapping[Any, Any]) -> bool:
    """Return whether a mapping holds several lists of like records, a list for each group.

    The records of one table have most of their metrics in common, those of several tables have
    their own.
    """
    if len(data) < 2 or not all(map(_are_records, data.values())):
        return False
    rows = [flatten_record(row) for records in data.values() for row in records]
    keys = [{key for key, cell in row.items() if is_number(cell)} for row in rows]
    if not all(keys):
        keys = [{*row} for row in rows]
    return 2 * len(set.intersection(*keys)) > max(map(len, keys))


def have_metrics_in_common(data: Mapping[Any, Any]) -> bool:
    """Return whether two mappings within a mapping have numbers of one name, as systems have."""
    counts: Counter[str] = Counter()
    for item in data.values():
        if isinstance(item, Mapping):
            flat = flatten_record(item)
            counts.update(key for key, cell in flat.items() if is_number(cell))
    return max(counts.values(), default=0) > 1


def split_flat_names(numbers: Mapping[Any, Any]) -> dict[str, dict[str, Any]] | None:
    """Return {system: {metric: number}} where keys join both, as "ONNX_fps"; None of other keys.

    Every system has the same metrics, at least two, and names of metrics stand behind theirs.
    """
    for sign in KEY_SIGNS:
        systems: dict[str, dict[str, Any]] = {}
        for key, number in numbers.items():
            system, _, metric = str(key).partition(sign)
            systems.setdefault(system, {})[metric] = number
        shared = set.intersection(*map(set, systems.values()))
        meanings = [look_up_metric(name) for name in shared]
        quality_metrics = [m for m in meanings if m and m.better != "neither"]
        are_known = len(quality_metrics) > 1 and 2 * len(quality_metrics) >= len(shared)
        if len(systems) > 1 and are_known and "" not in shared:
            return systems
    return None


def flatten_record(record: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """Spread out nested records: {"metrics": {"acc": .9}} gives the key metrics.acc."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            flat.update(flatten_record(value, f"{prefix}{key}."))
        elif isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):
            flat.update(_flatten_results(value, f"{prefix}{key}."))
        else:
            # A list of one number is what was measured in the one run.
            if isinstance(value, list) and len(value) == 1 and is_number(value[0]):
                value = value[0]
            flat[f"{prefix}{key}"] = str(value) if isinstance(value, list | tuple) else value
    return flat


def _flatten_results(results: Sequence[Mapping[Any, Any]], prefix: str) -> dict[str, Any]:
    """Spread out the results of one system: [{"Dataset": "COCO", "Metrics": {"AP": 41}}].

    Their texts name them: the key is "COCO.Metrics.AP".
    """
    flat: dict[str, Any] = {}
    for result in results[:MIN_INSTANCES]:
        cells = flatten_record(result)
        # Lists became texts, and are no names; nor are addresses.
        names = [
            cell
            for key, cell in cells.items()
            if isinstance(cell, str)
            and not isinstance(result.get(key), list | tuple)
            and not cell.startswith(ADDRESSES)
        ]
        for key, cell in cells.items():
            if not isinstance(cell, str):
                flat.setdefault(".".join([prefix.removesuffix("."), *names, key]), cell)
    return flat

"""Parse JSON, JSON lines and YAML into objects, within bounds."""

from __future__ import annotations

import json
import re
from typing import Any

from deabench.errors import DataError
from deabench.tables.readers.limits import Limits

PROBED_LINES = 20
_LONE_SURROGATE = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
"""Half a character, which no text can hold."""
_YAML_LINE = re.compile(
    r"\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s,;|\"'\[{#<:][^,;|\t:]*):(?:\s|$)|\s*- "
)
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

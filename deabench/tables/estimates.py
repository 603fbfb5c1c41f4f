"""Parse one cell: a number with its unit and its interval or spread."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from deabench.tables.markup import strip_markup
from deabench.utils.lazy import lazy_pattern

MAX_LENGTH = 200
"""A longer cell is a text."""
SECONDS = {
    "ms": 1e-3,
    "µs": 1e-6,
    "us": 1e-6,
    "ns": 1e-9,
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "seconds": 1.0,
    "min": 60.0,
    "mins": 60.0,
    "minutes": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hrs": 3600.0,
    "hours": 3600.0,
}
"""Units of time in seconds."""
EXPONENTS = {"k": 3, "m": 6, "b": 9, "g": 9, "t": 12}
"""Powers of ten of the letters behind a number."""
_MULTIPLES = lazy_pattern(
    r"([kKMGTPE]?)(?:(i?)(?P<bytes>B(?:/s|ps)?)"
    r"|(?P<operations>(?i:FLOP|MAC|OP))[sS]?(?P<per_second>/s)?)$"
)
"""Bytes or operations, or those per second, in powers of 1000 or 1024."""
_GROUPS = r"\d{1,3}(?:[ '’\u00a0\u202f]\d{3})+(?!\d)(?:[.,]\d+)?"
_EXPONENT = r"(?:[eE][+-]?\d+|\s*[×x·⋅*]\s*10\s*\^?\s*[({]?[+-]?\d+[)}]?)?"
_RAISED_POWER = lazy_pattern(r"(?<=10)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_NUMBER = rf"[+-]?(?:{_GROUPS}|\d(?:[\d.,'’]*\d)?|[.,]\d+){_EXPONENT}"
_END = r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_UNIT = (
    r"%|[A-Za-zµ°×](?:[A-Za-z/µ²³^·]*[A-Za-z²³×])?(?:/\d*[kKMG]?)?"
    r"|/\s*\d*[kKMG]?(?:\s*tok(?:en)?s?)?"
)
_CELL = lazy_pattern(rf"({_NUMBER})\s*({_UNIT})?\s*(.*)", re.DOTALL)
_GROUPED = lazy_pattern(r"[+-]?\d{1,3}(,\d{2,3})*,\d{3}(?![\d,])")
_LEADING = "$€£¥≈~ "
CURRENCIES = {
    **{sign: sign for sign in "$€£¥"},
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "JPY": "¥",
    "CNY": "¥",
    "CHF": "CHF",
    "INR": "INR",
    "KRW": "KRW",
}
CURRENCY_CODES = tuple(name for name in CURRENCIES if name.isalpha())
_CODES = "|".join(CURRENCY_CODES)
_CURRENCY = lazy_pattern(
    rf"^[+\-−~≈ ]*(?:[$€£¥]|(?:{_CODES})(?=[\s\d]))|(?:[$€£¥]|\b(?:{_CODES}))\s*$"
)
"""A sign or a code before or behind a price."""
_CODE_BEFORE = lazy_pattern(rf"^(?:{_CODES})\s*(?=[\d.])")
_DECORATION = lazy_pattern("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u2b50]+|[*†‡§¶]+$")
"""Medals and stars, and marks of footnotes at the end."""
_SPREAD = lazy_pattern(rf"[(\[]?\s*(?:±|\+/-|\+-)\s*({_NUMBER})\s*({_UNIT})?\s*(.*)", re.DOTALL)
_UNIT_BEHIND = lazy_pattern(rf"[)\]]\s*({_UNIT})")
_PLUS_SPREAD = lazy_pattern(r"\+(\d*\.\d+)$")
"""mean+standard deviation, as `0.5564+0.0000`."""
_DEVIATIONS = lazy_pattern(rf"[(\[]?\+({_END})\s*[/,;]?\s*-({_END})[)\]]?(.*)", re.DOTALL)
_INTERVAL = lazy_pattern(
    rf"[(\[{{]\s*(?:\d+\s*%\s*(?:CI|CrI|HDI|interval)?\s*[:=,]?\s*|CI\s*[:=]?\s*)?({_END})\s*%?\s*"
    rf"(?:,|;|-|–|—|\.\.+|…|to\b)\s*({_END})\s*%?\s*[)\]}}](.*)",
    re.DOTALL | re.IGNORECASE,
)
_BRACKETED = lazy_pattern(
    r"[(\[]\s*(?:(sd|std|se|sem|s\.d\.|s\.e\.|σ)\s*[:=]?\s*)?"
    r"(\d*[.,]?\d+(?:[eE][+-]?\d+)?)\s*%?\s*[)\]]\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_COUNTED_SHARE = lazy_pattern(r"(\d+) ?(?:/|of|out of) ?(\d+) ?[(\[](\d+(?:\.\d+)?) ?%[)\]]")
"""A count of cases, their number, and the percentage that it is."""
_COMMENT = lazy_pattern(r"[(\[±+].*", re.DOTALL)
"""What may stand behind an estimate without being a part of it: brackets, a change."""
_CLOCK = lazy_pattern(r"(?:(\d+) days? )?(\d+):(\d\d(?:\.\d+)?)(?::(\d\d(?:\.\d+)?))?")
_DURATION = lazy_pattern(
    r"(?:(\d+) ?d(?:ays?)?)? ?(?:(\d+) ?h(?:(?:ou)?rs?)?)? ?"
    r"(?:(\d+) ?m(?:in(?:ute)?s?)?)? ?(?:(\d+(?:\.\d+)?) ?s(?:ec(?:ond)?s?)?)?"
)
"""Days, hours, minutes and seconds with their units, each of which may be left out."""


@dataclass(frozen=True)
class Estimate:
    """The content of a cell.

    Attributes
    ----------
    value : float
    unit : str
        "percent", "seconds", a unit as it is written ("MB/s"), or "".
    spread : float
        What stands behind ±, in the unit of the value; NaN without.
    low, high : float
        The interval that the cell states; NaN without.
    bracketed : bool
        Whether the spread is a bare number in brackets, which may be something else.
    """

    value: float
    unit: str = ""
    spread: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    bracketed: bool = False

    def scale(self, factor: float, unit: str) -> Estimate:
        """Return the estimate in another unit."""
        return replace(
            self,
            value=self.value * factor,
            unit=unit,
            spread=self.spread * factor,
            low=self.low * factor,
            high=self.high * factor,
        )

    def describe(self) -> str:
        """Return the value with its spread or interval, as a note shows it."""
        text = f"{self.value:.15g}"
        if self.unit not in ("", "percent", "seconds"):
            text += f" {self.unit}"
        if self.spread == self.spread:
            text += f" ± {self.spread:.15g}"
        if self.low == self.low:
            text += f" with the interval from {self.low:.15g} to {self.high:.15g}"
        return text


def find_currency(cell: str) -> str:
    """Return the sign of the currency in which a cell states a price; empty without one.

    Examples
    --------
    >>> find_currency("$9"), find_currency("9 EUR"), find_currency("9 ms")
    ('$', '€', '')
    """
    match = _CURRENCY.search(cell)
    return CURRENCIES.get(match[0].strip("+-−~≈ "), "") if match else ""


def strip_currency(cell: str) -> str:
    """Return a cell without its currency."""
    return _CURRENCY.sub("", cell).strip()


def counts_operations(unit: str) -> bool:
    """Return whether a unit is one of floating-point or other operations, as GFLOPs."""
    match = _MULTIPLES.match(unit)
    return match is not None and match["operations"] is not None


def unit_factor(unit: str, column_unit: str) -> float | None:
    """Return how many units of a column one unit is; None where they measure different things.

    Examples
    --------
    >>> unit_factor("GFLOPs", "MFLOPs"), unit_factor("MiB", "B"), unit_factor("GB", "GB/s")
    (1000.0, 1048576.0, None)
    """
    match = _MULTIPLES.match(unit)
    column_match = _MULTIPLES.match(column_unit)
    if match is None or column_match is None:
        return None
    if _measured_amount(match) != _measured_amount(column_match):
        return None
    return _size_of_unit(match) / _size_of_unit(column_match)


def _size_of_unit(match: re.Match[str]) -> float:
    """Return how many bytes or operations a unit is."""
    base = 1024.0 if match[2] else 1000.0
    return base ** " KMGTPE".index(match[1].upper() or " ")


def _measured_amount(match: re.Match[str]) -> tuple[str, bool]:
    """Return whether a unit is one of bytes or of which operations, and whether it is a rate."""
    if match["bytes"]:
        return "bytes", len(match["bytes"]) > 1
    return match["operations"].upper(), match["per_second"] is not None


def clean_cell(cell: object) -> str:
    """Return a cell's text without markup."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return str(cell)
    return strip_markup(cell)


_UNIT_IN_BRACKETS = lazy_pattern(r"(?<=\d)\s?\(([numµ]?s|[KMG]i?B|W|J)\)$")


_MULTIPLE_OF_RATE = lazy_pattern(r"^([\d.]+)\s?([kKMG])\s+(?=[a-z]+/s(?:ec)?$)")
_EXPONENTS_OF_RATES = {"k": 3, "K": 3, "M": 6, "G": 9}


def _write_multiple(match: re.Match[str]) -> str:
    return f"{match[1]}e{_EXPONENTS_OF_RATES[match[2]]} "


def is_estimate(cell: str) -> bool:
    """Return whether a cell holds a number, with whatever unit and spread."""
    return parse_estimate(cell, False) is not None


def parse_estimate(cell: str, decimal_comma: bool) -> Estimate | None:
    """Parse the text of a cell without markup; None where it is no number."""
    if len(cell) > MAX_LENGTH:
        return None
    # The Greek letter stands for the sign of micro, which it looks like.
    cell = " ".join(cell.split()).replace("μ", "µ")
    seconds = _parse_clock(cell)
    if seconds is None:
        seconds = parse_duration(cell)
    if seconds is not None:
        return Estimate(seconds, "seconds")
    text = _DECORATION.sub("", cell.replace("−", "-")).strip().lstrip(_LEADING)
    text = _CODE_BEFORE.sub("", text.rstrip("$€£¥ "))
    # "1.1 × 10¹²" is written with raised digits or with "^".
    if not text.isascii():
        text = _RAISED_POWER.sub(lambda power: "^" + power[0].translate(_LOWERED), text)
    # Brackets around an estimate and its spread, before a unit: "(66.1 ± 3.1)%".
    enclosed = re.fullmatch(r"\(([^()]*±[^()]*)\)\s*(%?)", text)
    if enclosed:
        text = enclosed[1] + enclosed[2]
    # "0.0497(s)" has its unit in brackets.
    if text.endswith(")"):
        text = _UNIT_IN_BRACKETS.sub(r" \1", text)
    # "132.13M samples/sec" has a multiple before its unit.
    if "/" in text:
        text = _MULTIPLE_OF_RATE.sub(_write_multiple, text)
    # "29/30 (96.7%)" is a share of cases, which may differ in number from row to row.
    share = _COUNTED_SHARE.fullmatch(text)
    if share and _is_share_of(float(share[1]), float(share[2]), float(share[3])):
        return Estimate(float(share[3]), "percent")
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    value = _to_float(match[1], decimal_comma)
    if value is None:
        return None
    parsed = _parse_tail(Estimate(value), match[3], decimal_comma, match.end(1) == match.start(3))
    if parsed is None:
        return None
    estimate, unit_behind = parsed
    return _apply_unit(estimate, match[1], match[2] or unit_behind, decimal_comma)


def _is_share_of(count: float, cases: float, percent: float) -> bool:
    """Return whether a rounded percentage is that of a count of cases."""
    return cases > 0 and abs(100 * count / cases - percent) <= 1


def _parse_tail(
    estimate: Estimate, tail: str, decimal_comma: bool, is_joined: bool
) -> tuple[Estimate, str] | None:
    """Read what follows a number and its unit: a spread, an interval, or a comment in brackets.

    Parameters
    ----------
    is_joined : bool
        Whether no blank and no unit stands before the tail: "66.1+0.5" is a mean with its
        deviation, "66.1 +0.5" a change.

    Returns
    -------
    (estimate, unit) or None
        The unit may stand behind the spread. None where the tail belongs to no number.
    """
    value = estimate.value
    if not tail:
        return estimate, ""
    spread = _SPREAD.fullmatch(tail)
    if spread:
        width = _to_float(spread[1], decimal_comma)
        # "0.918 (± 4.0%) i/s" states the spread as a share of the value, and the unit behind it.
        unit = _UNIT_BEHIND.fullmatch(spread[3])
        if width is not None and spread[2] == "%" and unit and unit[1] != "%":
            return replace(estimate, spread=abs(value) * width / 100), unit[1]
        return (estimate if width is None else replace(estimate, spread=width)), spread[2] or ""
    plus = _PLUS_SPREAD.fullmatch(tail)
    if plus and is_joined:
        return replace(estimate, spread=float(plus[1])), ""
    deviations = _DEVIATIONS.fullmatch(tail)
    if deviations:
        above = _to_float(deviations[1], decimal_comma)
        below = _to_float(deviations[2], decimal_comma)
        if above is not None and below is not None:
            return replace(estimate, low=value - below, high=value + above), ""
    interval = _INTERVAL.fullmatch(tail)
    if interval:
        low = _to_float(interval[1], decimal_comma)
        high = _to_float(interval[2], decimal_comma)
        # An interval encloses its estimate; other pairs in brackets are something else.
        if low is not None and high is not None and low <= value <= high:
            return replace(estimate, low=low, high=high), ""
        return estimate, ""
    bracketed = _BRACKETED.fullmatch(tail)
    if bracketed:
        width = _to_float(bracketed[2], decimal_comma)
        # An integer in brackets is a rank or a count unless a word says otherwise.
        is_spread = bracketed[1] is not None or "." in bracketed[2] or "," in bracketed[2]
        if width is not None and is_spread:
            return replace(estimate, spread=width, bracketed=bracketed[1] is None), ""
        return estimate, ""
    if _COMMENT.fullmatch(tail) or re.fullmatch(r"[↑↓▲▼].*", tail):
        return estimate, ""
    return None


def _apply_unit(estimate: Estimate, number: str, unit: str, decimal_comma: bool) -> Estimate:
    """Convert to seconds, or multiply by what k, M and the like stand for."""
    if not unit:
        return estimate
    if unit == "%":
        return replace(estimate, unit="percent")
    if unit in ("x", "×"):
        return replace(estimate, unit="x")
    word = unit.lower()
    if word in ("byte", "bytes"):
        return replace(estimate, unit="B")
    if word in SECONDS:
        return estimate.scale(SECONDS[word], "seconds")
    if word in EXPONENTS:
        factor = 10.0 ** EXPONENTS[word]
        # The decimal number is scaled, so that 4.1G is exactly 4.1e9.
        scaled = _to_float(f"{number}e{EXPONENTS[word]}", decimal_comma)
        exact = estimate.value * factor if scaled is None else scaled
        return replace(estimate.scale(factor, ""), value=exact)
    return replace(estimate, unit=unit)


def _to_float(text: str, decimal_comma: bool) -> float | None:
    """Return the value of a number with its groups and its decimal sign."""
    # Most numbers are plain; a dot groups thousands where the comma is decimal.
    if not decimal_comma and text.isascii():
        try:
            return float(text)
        except ValueError:
            pass
    power = re.split(r"\s*[×x·⋅*]\s*10\s*\^?\s*", text)
    # Apostrophes and blanks within a number can only group thousands.
    digits = re.sub(r"['’\u00a0\u202f ]", "", power[0])
    # The sign that is not decimal groups thousands.
    if decimal_comma:
        digits = digits.replace(".", "").replace(",", ".")
    if "," in digits and not _GROUPED.match(digits):
        return None
    digits = digits.replace(",", "")
    exponent = f"e{power[1].strip('(){}')}" if len(power) == 2 else ""
    try:
        return float(digits + exponent)
    except ValueError:
        return None


def _parse_clock(text: str) -> float | None:
    """Return the seconds of "1:02:03", "2 days 1:02:03" or, without hours, "02:03.5"."""
    clock = _CLOCK.fullmatch(text)
    if clock is None:
        return None
    days, first, second, third = (float(group or 0) for group in clock.groups())
    if clock[4]:
        return days * 86400 + first * 3600 + second * 60 + third
    return first * 60 + second


def parse_duration(text: str) -> float | None:
    """Return the seconds of "1h 2m", "12 min 3.5 s" or "2d 4h"; None for less than two parts."""
    duration = _DURATION.fullmatch(text)
    # One number with a unit is left to the units: "45m" may be 45 million.
    if duration is None or sum(part is not None for part in duration.groups()) < 2:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in duration.groups())
    return days * 86400 + hours * 3600 + minutes * 60 + seconds

"""Look up what a column's name says: which way is better, in which range and unit, or no metric.

The metrics that deabench computes come first, with the range and the direction that they have in
`deabench.metrics.formulas`; the words of the field stand in vocabulary.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from math import inf
from pathlib import Path

from deabench.metrics.formulas import DIRECTION, METRICS
from deabench.tables.naming.meaning import WEAK_KINDS, AskedRoles, Meaning, Role
from deabench.tables.naming.name_patterns import search_name
from deabench.tables.naming.parsing import ParsedName, parse_name
from deabench.tables.naming.reversals import reverse_direction
from deabench.tables.naming.rules import (
    PairedWord,
    RuleBook,
    WordList,
    entry_pattern,
    join_pattern,
    read_meaning,
    read_rules,
)
from deabench.tables.naming.units import BYTES, DEVICE, unit_in_brackets, unit_of
from deabench.utils.lazy import lazy_pattern

_NUMBER_OF = lazy_pattern(r"^_(total_)?(number|nr)(_of)?_")
_TRAINING = re.compile(r"_(train|training|in_sample|resubstitution)_")
_EXTREME = re.compile(r"\w_(min|max|minimum|maximum|best|worst)_$")
BETTER_ROLES: dict[str, Role] = {"higher": "output", "lower": "lower_rate"}
SIZE_KINDS = ("model size", "file size")
AMOUNT_UNITS = ("usd", "eur", "kWh", "energy", "kg")
"""Units of an amount that was spent, in a name that speaks of spending."""

_WORDS = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
RULES = read_rules(_WORDS["rule"])
MEASURE_ROLES: frozenset[Role] = frozenset(("output", "lower_rate", "cost", "conditional"))
"""Roles of the rules that say what columns of numbers measure."""
WEAK_RULES = read_rules(_WORDS["weak_rule"])
FIRST_RULES = tuple((entry_pattern(entry), read_meaning(entry)) for entry in _WORDS["never"])
PAIRED_WORDS = tuple(
    PairedWord(entry["name"], entry["other"], read_meaning(entry)) for entry in _WORDS["beside"]
)
_COLUMN_WORDS = {kind: WordList(words) for kind, words in _WORDS["columns"].items()}
ERROR_WORDS = {kind: join_pattern(words) for kind, words in _WORDS["errors"].items()}
_SPREAD = join_pattern(_WORDS["spreads_and_ranks"])
_SPENDING = join_pattern(_WORDS["spending"])
_BYTES = join_pattern(_WORDS["bytes"])
_ERROR_SETS = join_pattern(_WORDS["error_sets"])
_LIMIT = join_pattern(_WORDS["limits"])
THROUGHPUTS = join_pattern(_WORDS["throughputs"])
_THROUGHPUT = f"{_WORDS['throughput_pattern']}|{THROUGHPUTS}"
_SIZE = (
    r"\w*_size_(in_)?(m|b|k|g|mb|gb|kb|mi_?b|gi_?b|ki_?b|millions?|billions?|bytes?|params|parameters"
    r"|million_parameters|m_params|b_params)_"
)
_REACHED = lazy_pattern(r"_(f1|acc|accuracy|auc|score|quality)_per_")
"""What was reached for what was spent, as "F1 per kg"."""
_SEASON = re.compile(r"^_(?:19|20)\d\d(?:_\d{2,4})?_(?=[a-z])")
_MULTI_SCALE = lazy_pattern(r"_(m?iou\w*|\w*ap\w*|acc\w*|pq|f1|dice)_")
_SPEED_IN_SECONDS = r"_per_(?:h|hours?|s|secs?|seconds?|min)_(?:s|secs?|seconds?|ms)_$"
_SPENT_PER_TIME = join_pattern(_WORDS["spent_per_time"]) + r"\w*_per_"


@cache
def column_pattern(kind: str) -> str:
    """Return the pattern of the words of [columns] of a kind, for `naming.name_patterns`."""
    return r"_(" + "|".join(_WORDS["columns"][kind].split()) + r")_"


def has_name(name: object, kind: str) -> bool:
    """Return whether a column has one of the words of [columns] as its whole name.

    Examples
    --------
    >>> has_name("Y true", "truth"), has_name("true positive rate", "tp")
    (True, False)
    """
    return _COLUMN_WORDS[kind].holds(parse_name(str(name)).words)


def is_whole_name(name: object, role: Role) -> bool:
    """Return whether a word of some role is the whole name, as "model" and not "1k model"."""
    matches = RULES.find_matches(parse_name(str(name)).words, "_$", at_start=True)
    return any(meaning.role == role for _, _, meaning in matches)


def is_benchmark(name: object) -> bool:
    """Return whether a name is that of a known benchmark or data set.

    Examples
    --------
    >>> is_benchmark("ImageNet-1K"), is_benchmark("ResNet-50")
    (True, False)
    """
    meaning = look_up_measure(name)
    return meaning is not None and meaning.kind in ("benchmark", "data set score")


def is_error_set(name: object) -> bool:
    """Return whether a name is that of a data set on which errors are usual, as of speech.

    Examples
    --------
    >>> is_error_set("LibriSpeech test-other"), is_error_set("speech quality")
    (True, False)
    """
    return search_name(_ERROR_SETS, parse_name(str(name)).all_words) is not None


def is_weak(meaning: Meaning) -> bool:
    """Return whether a meaning rests on a weak word or on the name of a benchmark."""
    return meaning.kind in WEAK_KINDS


def is_weak_name(name: object) -> bool:
    """Return whether a weak word, as "result" or "score", is the whole name."""
    return WEAK_RULES.match_start(parse_name(str(name)).words, "_$") is not None


def look_up_metric(name: object) -> Meaning | None:
    """Return what a column of this name measures; None where no rule matches.

    Examples
    --------
    >>> look_up_metric("mean_test_neg_log_loss").role, look_up_metric("top1_err").role
    ('output', 'lower_rate')
    >>> look_up_metric("fit_time").role, look_up_metric("seed").role, look_up_metric("flux")
    ('cost', 'left_out', None)
    """
    return _look_up(str(name))


def look_up_measure(name: object) -> Meaning | None:
    """Return what a column of numbers measures, whatever else its name holds.

    Examples
    --------
    >>> look_up_metric("LLM Quality Score").role, look_up_measure("LLM Quality Score").role
    ('label', 'output')
    """
    return _look_up(str(name), MEASURE_ROLES)


def holds_bytes(name: object) -> bool:
    """Return whether a column's name speaks of memory or files, whose sizes are bytes.

    Examples
    --------
    >>> holds_bytes("Peak memory"), holds_bytes("Model size")
    (True, False)
    """
    return search_name(_BYTES, parse_name(str(name)).words) is not None


def is_known_by_unit(name: object) -> bool:
    """Return whether a name measures nothing without its brackets, as "Neo4j (sec)".

    Examples
    --------
    >>> is_known_by_unit("Neo4j (sec)"), is_known_by_unit("Fit time (sec)")
    (True, False)
    """
    parsed = parse_name(str(name))
    meaning = look_up_computed(str(name)) or _look_up_words(
        replace(parsed, unit="", all_words=parsed.words)
    )
    return meaning is None or meaning.role in ("left_out", "label")


@lru_cache(maxsize=4096)
def _look_up(text: str, roles: AskedRoles = None) -> Meaning | None:
    computed = look_up_computed(text)
    if computed is not None:
        return computed
    name = parse_name(text)
    meaning = _look_up_words(name, roles)
    if meaning is None:
        # Capitals may be no borders between words: "OpenBookQA" is "openbookqa".
        joined = parse_name(text.lower())
        if joined.all_words != name.all_words:
            meaning = _look_up_words(joined, roles)
    meaning = _reverse(name, meaning, roles)
    # A sign or a complement reverses what the words say; an arrow overrides it.
    if name.negated:
        return _negate(meaning)
    if name.complement:
        return _complement(meaning)
    if name.better:
        return _follow_arrow(name, meaning)
    return meaning


def _reverse(name: ParsedName, meaning: Meaning | None, roles: AskedRoles) -> Meaning | None:
    """Return what a name means in view of words such as "drop" and "-free", which turn it."""
    if any(search_name(pattern, name.all_words) for pattern, _ in FIRST_RULES):
        return meaning

    def look_up_part(words: str) -> Meaning | None:
        return _look_up(words.strip("_"), roles) if words.strip("_") else None

    def match_start(words: str, following: str) -> Meaning | None:
        weak = None if following else WEAK_RULES.match_start(words)
        return RULES.match_start(words, following, roles) or weak

    return reverse_direction(name, meaning, look_up_part, match_start)


def _negate(meaning: Meaning | None) -> Meaning | None:
    """Return what a metric with the opposite sign means."""
    if meaning is not None and meaning.better == "lower":
        reason = "its sign is turned, so higher is better"
        least, greatest = -meaning.high, -meaning.low
        return Meaning("output", meaning.unit, least, greatest, reason, True, kind="quality")
    if meaning is None or meaning.role != "output":
        return meaning
    reason = "its sign is turned, so lower is better"
    return Meaning("lower_rate", reason=reason, kind="turned")


def _complement(meaning: Meaning | None) -> Meaning | None:
    """Return what 1 or 100 minus a metric means."""
    if meaning is None or meaning.better == "neither":
        return meaning
    if meaning.better == "lower":
        reason = "it is the complement of a loss: higher is better"
        return Meaning("output", "share", 0.0, 1.0, reason, kind="quality")
    # Without a greatest value "1 - x" is no share, whatever x is.
    if meaning.high == inf:
        meaning = replace(meaning, unit="")
    reason = "it is the complement of another metric: lower is better"
    return replace(meaning, role="lower_rate", reason=reason, kind="loss")


def look_up_computed(text: str) -> Meaning | None:
    """Return the meaning of a metric that deabench computes itself."""
    # Every F-measure has the range and direction of F1; F16 is a format of numbers.
    name = re.sub(r"^F[0-5](\.\d+)?$", "F1", text)
    if name in METRICS:
        return _describe_formula(name)
    better = DIRECTION.get(name) or DIRECTION.get(re.sub(r"@.*$", "@t", name))
    if better not in ("higher", "lower"):
        return None
    reason = f"{better} is better"
    if name in ("roc_auc", "pr_auc", "KS"):
        return Meaning("output", "share", 0.0, 1.0, reason, kind="quality")
    return Meaning(BETTER_ROLES[better], reason=reason, kind="quality")


def _describe_formula(name: str) -> Meaning:
    metric = METRICS[name]
    low = float(metric.low)
    high = float(metric.high)
    unit = "share" if (low, high) == (0.0, 1.0) else ""
    if metric.better == "neither":
        reason = "it describes the data, not a classifier"
        return Meaning("left_out", unit, low, high, reason, kind="data")
    role = BETTER_ROLES[metric.better]
    if role == "lower_rate" and "cost" in name:
        role = "cost"
    return Meaning(role, unit, low, high, f"{metric.better} is better", kind="quality")


def _follow_arrow(name: ParsedName, meaning: Meaning | None) -> Meaning:
    """Let an arrow in the name override every rule, except that of a spread or a rank."""
    if meaning is not None and meaning.role == "left_out" and search_name(_SPREAD, name.words):
        return meaning
    meaning = meaning or Meaning("left_out")
    role = BETTER_ROLES[name.better]
    if role == "lower_rate" and meaning.role == "cost":
        role = "cost"
    reason = f"its name says that {name.better} is better"
    return Meaning(role, meaning.unit, meaning.low, meaning.high, reason, kind="stated")


def _look_up_words(name: ParsedName, roles: AskedRoles = None) -> Meaning | None:
    """Apply the rules of vocabulary.toml to the words of a name.

    What is never a metric comes first, then throughputs; of the rules the one whose word ends last
    decides, for it is the noun. A stated unit of spending overrides the words.
    """
    spellings = {name.all_words, name.words}
    # Spreads, ranks, identifiers and settings are no metrics, whatever else the name says.
    for pattern, first_meaning in FIRST_RULES:
        if any(search_name(pattern, words) for words in spellings):
            counted = _look_up_counted(name) if first_meaning.kind == "count" else None
            return counted or first_meaning
    # "images per second" is an output; "cost per second" and "faults per day" are none.
    # "0-100 km/h (s)" is a time, whatever speed its name holds.
    is_time = search_name(_SPEED_IN_SECONDS, name.all_words) is not None
    throughput = None if is_time else search_name(_THROUGHPUT, name.all_words)
    spent = throughput and search_name(_SPENT_PER_TIME, name.all_words)
    if throughput and "_per_" in name.words:
        fault = _look_up(name.words.split("_per_")[0].strip("_"), roles)
        if fault is not None and fault.role == "lower_rate":
            return fault
    if throughput and not spent:
        reason = "a throughput: higher is better"
        return Meaning("output", "per second", 0.0, inf, reason, kind="throughput")
    if throughput and spent and re.match(r"_(errors?|failures?)_", spent[0]):
        reason = "failures per time: lower is better"
        return Meaning("lower_rate", "", 0.0, inf, reason, kind="loss")
    unit = unit_of(name, is_spending=search_name(_SPENDING, name.words) is not None)
    if unit == "ms" and name.words.startswith("_ms_"):
        begin = RULES.match_start(name.words)  # the rule of times leaves out "MS COCO"
        unit = "ms" if begin is not None and begin.kind == "time" else ""
    setting = search_name(_LIMIT, name.all_words)
    # A unit of spending beats the noun: co2_year_mean_kg is no year.
    is_amount = unit in AMOUNT_UNITS and not (setting or _REACHED.search(name.words))
    if is_amount and search_name(_SPENDING, name.words):
        reason = f"what is spent, in {unit}: lower is better"
        return Meaning("cost", unit, 0.0, inf, reason, kind="spending")
    # "accuracy at 10 epochs" and "price per token" have their noun before "at" and "per".
    head = re.sub(r"_(at|per)_.*$", "_", name.words)
    # "bits per byte" is one word of the field, "price per token" is a price.
    ratio = _last_match(name.words, RULES, roles, must_hold="_per_")
    # "Units per staff hour" are no hours, and nothing tells which way is better in units.
    noun = "" if re.search(r"\w_per_\w", name.words) else name.words
    meaning = ratio or _last_match(head, RULES, roles) or _last_match(noun, RULES, roles)
    # "RTF GPU" and "peak memory GPU" are measured there.
    if meaning is not None and meaning.kind == "computer":
        measure = _last_match(DEVICE.sub("_", head), RULES, roles)
        meaning = measure if measure and measure.better != "neither" else meaning
    # "Size (M)" is the size of a model, "Size (pixels)" is a setting.
    is_size = setting is None and re.fullmatch(_SIZE, name.all_words) is not None
    if is_size and (meaning is None or meaning.kind not in (*SIZE_KINDS, "data")):
        reason = "the size of the model: lower is better"
        meaning = Meaning("cost", "count", 0.0, inf, reason, kind="model size")
    # A unit in brackets beats an output and a setting, for neither has one.
    stated = look_up_unit(name.unit)
    if stated is not None and (
        meaning is None
        # "speed (ms)", but "mIoU (ms)" is measured at many scales
        or (
            meaning.role == "output"
            and not _MULTI_SCALE.search(name.words)
            # "Milk (kg)" and "Sales (EUR)" are amounts that were produced.
            and not meaning.production
        )
        or (meaning.role == "left_out" and not setting)  # "speed CPU (ms)" is no setting
    ):
        meaning = stated
    # "MS LTR (NDCG)" is a data set with its metric in brackets.
    if meaning is not None and meaning.kind == "time" and re.match(r"_ms_(?!per_)\w", name.words):
        meaning = _look_up_brackets(name.unit) or meaning
    # Weak words ("score") decide only where nothing else does.
    if meaning is None:
        meaning = _look_up_brackets(name.unit) or _last_match(name.words, WEAK_RULES)
    # "Index MiB" states a size, whatever an index is.
    if meaning is None and unit not in BYTES:
        return None
    if meaning is None:
        reason = f"measured in {unit}: lower is better"
        return Meaning("cost", unit, 0.0, inf, reason, kind="spending")
    # Scores on the training data flatter, and extremes belong to no one run.
    if meaning.role in ("output", "lower_rate"):
        if _TRAINING.search(name.words):
            reason = "it is measured on the training data"
            return Meaning("left_out", reason=reason, kind="training")
        if _EXTREME.search(name.words):
            reason = "it is the least or the greatest of several values, no metric of its own"
            return Meaning("left_out", reason=reason, kind="statistic")
    return replace(meaning, unit=unit or meaning.unit)


def _look_up_counted(name: ParsedName) -> Meaning | None:
    """Return the resource that a name counts in full words, as "Number of beds"; None else."""
    resource_words, prefix_count = _NUMBER_OF.subn("_", name.words)
    meaning = _last_match(resource_words, RULES) if prefix_count else None
    is_resource = meaning is not None and meaning.kind in ("resource", "input or output")
    return meaning if is_resource else None


def _last_match(
    name_words: str, rules: RuleBook, roles: AskedRoles = None, *, must_hold: str = ""
) -> Meaning | None:
    """Return the meaning of the rule whose word ends last; of several the longest."""
    best = (0, 0)
    meaning = None
    for start, end, rule_meaning in rules.find_matches(name_words, roles=roles):
        span = (end, end - start)
        if span > best and must_hold in name_words[start:end]:
            best = span
            meaning = rule_meaning
    return meaning


def look_up_unit(unit: str) -> Meaning | None:
    """Return what a unit in brackets says: seconds are a cost, tokens per second an output."""
    if not unit:
        return None
    unit_words = parse_name(unit).words
    if search_name(_THROUGHPUT, unit_words):
        # "g/kWh" and "USD/h" are spent or earned; machines make so many kg/h.
        if search_name(_SPENT_PER_TIME, unit_words.removeprefix("_kg")):
            return None
        reason = f"a throughput ({unit}): higher is better"
        return Meaning("output", "per second", 0.0, inf, reason, kind="throughput")
    if not (unit_name := unit_in_brackets(unit)):
        return None
    reason = f"measured in {unit}: lower is better"
    return Meaning("cost", unit_name, 0.0, inf, reason, kind="spending")


def _look_up_brackets(unit: str) -> Meaning | None:
    """Return the metric in the brackets of a name: "2000 tokens (error rate)", "Daily (time)"."""
    words = parse_name(unit).words
    meaning = _last_match(words, RULES) or Meaning("left_out")
    return meaning if meaning.role in ("output", "lower_rate") or words == "_time_" else None


def look_up_beside(name: str, names: Sequence[str]) -> Meaning | None:
    """Return what a name means beside the other names of its table: X1 beside Y1.

    Examples
    --------
    >>> look_up_beside("X1", ["X1", "Y1"]).role, look_up_beside("X1", ["X1", "X2"])
    ('cost', None)
    """
    words = _sided_words(name)
    for rule in _paired_rules(words):
        # Both names at once, so that the second can repeat words of the first.
        if any(
            re.fullmatch(f"{rule.name} {rule.other}", f"{words} {_sided_words(other)}")
            for other in names
            if other != name
        ):
            return rule.meaning
    return None


@lru_cache(maxsize=4096)
def _paired_rules(words: str) -> tuple[PairedWord, ...]:
    """Return the rules of pairs that some words may be the first name of."""
    return tuple(rule for rule in PAIRED_WORDS if rule.has_name(words))


def _sided_words(name: str) -> str:
    """Return the words of a name without its season; "(I)Staff" is "i_staff"."""
    parsed = parse_name(name)
    words = parsed.all_words if parsed.unit in ("i", "o") else parsed.words
    return _SEASON.sub("_", words)

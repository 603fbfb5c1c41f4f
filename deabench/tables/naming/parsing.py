"""Take a column's name apart: its words, its unit, an arrow, a sign."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from deabench.tables.markup import strip_markup
from deabench.utils.lazy import lazy_pattern

Better = Literal["higher", "lower", ""]
MAX_NAME_LENGTH = 500
"""What follows in a longer name is not looked up."""
_CAPITALISED = {
    "mAP": "map",
    "mIoU": "miou",
    "nDCG": "ndcg",
    "chrF": "chrf",
    "sacreBLEU": "sacrebleu",
    "IoU": "iou",
    "kWh": "kwh",
    "CO2eq": "co2eq",
    "CO2e": "co2e",
    "FLOPs": "flops",
    "MACs": "macs",
    "GPUs": "gpus",
    "CPUs": "cpus",
    "LogLoss": "logloss",
    "CoNLL": "conll",
    "TruthfulQA": "truthfulqa",
    "PhD": "phd",
    "CVaR": "cvar",
    "VaR": "value_at_risk",
}
"""Names whose capitals are no borders between words."""
_SIGNS = {
    "%": " percent ",
    "#": " number ",
    "$": " usd ",
    "€": " eur ",
    "£": " gbp ",
    "@": " at ",
    "±": " pm ",
    "+/-": " pm ",
    "Δ": " delta ",
    "∆": " delta ",
    "ρ": " rho ",
    "κ": " kappa ",
    "τ": " tau ",
    "μ": "u",
    "α": " alpha ",
    "β": " beta ",
    "φ": " phi ",
    "ϕ": " phi ",
    "ω": " omega ",
    "δ": " delta ",
    "∞": " inf ",
}
_PER = lazy_pattern(
    r"/(?=\s*(s|secs?|seconds?|ms|msec|milliseconds?|[uµμ]s|ns|microseconds?|nanoseconds?|j"
    r"|min|minutes?|h|hrs?|hours?|days?|\d+|1?k|1?m|tok|tokens?"
    r"|images?|img|samples?|requests?|quer(y|ies)|examples?|epochs?|it|iters?|steps?|runs?|calls?"
    r"|inferences?|tasks?|pages?|watts?|w|joules?|kwh|wh|dollars?|employee|worker|branch|capita)\b)"
    # What is spent or measured stands before "per": "cycl./hash", but not "arc_easy/acc".
    r"|(?<=\b(?:ms|ns|us|µs))\s*/|(?<=\b(?:cycl|bits))\.?\s*/|(?<=\bcycles)\s*/|(?<=\bbytes)\s*/"
    r"|(?<=\bcyc)\.?\s*/"
    r"|/(?=\s*[$€£])"
    r"|(?<=\bcost)\s*/|(?<=\bprice)\s*/",
    re.IGNORECASE,
)
_QUOTIENT = lazy_pattern(r"\s+/\s*(%|[KMGB]|[KMGT]i?B)\s*$")
"""A unit behind a quantity, as in "Params / M" and "WER / %"."""
_VARIANTS = ("H", "S")
"""Capitals in brackets that name variants, as "ROxf (H)" for hard and "YOLO (S)" for small."""
_UNIT_BEHIND_COMMA = lazy_pattern(r",\s*(%|m?s|[uµμn]s|sec|min|[KMG]i?[Bb]|k?Wh|W|J)\s*$")
"""A unit behind a comma, as in "Best T, s" and "Memory, MB"."""
_BETTER = r"(?<![A-Za-z])({})[\s_-]*(is|are|=|,?\s*the)?[\s_-]*better(?![A-Za-z])|\(to {}\)|\({}\)"
_MARKS = ("↑", "⬆", "↓", "⬇", "better", "imize", "imise")
"""What a name holds that states a direction; most names hold none."""
_UP = lazy_pattern(
    r"[↑⬆]|" + _BETTER.format("higher|larger|greater|more", *2 * ["maximi[sz]e"]), re.IGNORECASE
)
_DOWN = lazy_pattern(
    r"[↓⬇]|" + _BETTER.format("lower|smaller|less|fewer", *2 * ["minimi[sz]e"]), re.IGNORECASE
)
_ESTIMATE = lazy_pattern(r"[\[(][^\])]*(±|\bmean\b|\d\s*%?\s*(ci|conf))[^\])]*[\])]", re.IGNORECASE)
"""Brackets that announce an interval behind the value, as AUC (95% CI)."""
_NEGATED = re.compile(
    r"_(neg_(?!pred|class|rate)|negative_"
    r"(?=mean|root|median|log_loss|logloss|mse|mae|rmse|error|loss|brier|latency|time|cost|distance"
    r"|mape|wer|cer|perplexity|energy|runtime|regret))"
)
_MINUS = re.compile(r"^\s*(?:[-–−]|minus\s+)(?=[A-Za-z])(?!log|ln)", re.IGNORECASE)
_COMPLEMENT = re.compile(
    r"^\s*\(?\s*((1(\.0)?|100)\s*%?|one)(\s*[-–−]|\s+minus\b)\s*\(?[A-Za-z]", re.IGNORECASE
)
_COUNTED = lazy_pattern(
    r"^\s*\d+[-–](shot|nn|nearest|step|best|gram|pass|hop|bit|core|thread|fold|day|week|month|year"
    r"|hour|min(ute)?|sec(ond)?|sample|vs|way|class|stage|layer|gpu|cpu|node|token|d|k|m|b|to|epoch"
    r"|crop|view|turn|norm|wasserstein|based|epsilon)s?\b",
    re.IGNORECASE,
)
"""What is numbered is no difference: "1-shot accuracy"."""
_DIFFERENCE = lazy_pattern(r"^\s*(\w+?)(?=[_ ])(\S+\s+)[-–−](?=\s+\1[_ ]\S+\s*$)")
"""What two columns of one metric differ by, as "acc_A - acc_B"."""
_RECIPROCAL = lazy_pattern(r"^\s*\(?\s*1\s*/\s*\(?(?=[A-Za-z])")
_LETTERS = "\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Cyrillic, Japanese, Chinese and Korean letters, which names keep."""
_BRACKETS = re.compile(r"[\[(]([^\])]*)[\])]")


@dataclass(frozen=True)
class ParsedName:
    """A column's name in parts.

    Attributes
    ----------
    words : str
        In lower case, joined and enclosed by "_", without brackets: "Log-Loss (val)" is
        "_log_loss_".
    all_words : str
        The same with what stands in brackets: "_log_loss_val_".
    unit : str
        What stands in brackets, in lower case; empty without.
    better : "higher", "lower" or ""
        What an arrow or "(lower is better)" in the name says.
    negated : bool
        Whether it is scikit-learn's `neg_`: a loss with the opposite sign.
    complement : bool
        Whether it is the complement of another metric: "1 - AUC".
    quotient : pair of str, optional
        The words on both sides of a slash: "accuracy / cost".
    """

    words: str
    all_words: str
    unit: str
    better: Better
    negated: bool
    complement: bool
    quotient: tuple[str, str] | None = None


@lru_cache(maxsize=4096)
def parse_name(text: str) -> ParsedName:
    """Take a column's name apart."""
    text = unicodedata.normalize("NFKC", strip_markup(text[:MAX_NAME_LENGTH]))
    # An arrow states the direction and is no part of the words.
    better: Better = ""
    if any(mark in text.lower() for mark in _MARKS):
        if _UP.search(text):
            better = "higher"
        elif _DOWN.search(text):
            better = "lower"
        text = _DOWN.sub(" ", _UP.sub(" ", text))
    if "/" in text:
        text = _QUOTIENT.sub(r" (\1)", text)
    if "," in text:
        text = _UNIT_BEHIND_COMMA.sub(r" (\1)", text)
    brackets = [part for part in _BRACKETS.findall(text) if part.strip() not in _VARIANTS]
    unit = " ".join(brackets).strip().lower()
    is_complement = bool(_COMPLEMENT.match(text)) and not _COUNTED.match(text)
    # "1/latency" is the reciprocal of latency, "-MAE" has the opposite sign.
    if "/" in text:
        text = _RECIPROCAL.sub("reciprocal ", text)
    text = _MINUS.sub("neg ", text)
    if " " in text:
        text = _DIFFERENCE.sub(r"difference \1\2", text)
    # "AUC (95% CI)" is an AUC, not an interval.
    all_words = _join_words(_ESTIMATE.sub(" ", text) if unit else text)
    head = _join_words(_BRACKETS.sub(" ", text))
    if len(head) <= 2:  # nothing stands outside of the brackets
        head = all_words
    # "neg_log_loss" is looked up as "log_loss"; the opposite sign is recorded beside it.
    head, negations = _NEGATED.subn("_", head, count=1)
    # "Cost / pass" is a cost per pass; "accuracy / cost" has two metrics.
    sides = [_join_words(side) for side in _BRACKETS.sub(" ", text).split("/")]
    quotient = (sides[0], sides[1]) if len(sides) == 2 and "_per_" not in head else None
    return ParsedName(head, all_words, unit, better, negations > 0, is_complement, quotient)


def _join_words(text: str) -> str:
    """Return the words of a name in lower case, joined and enclosed by "_"."""
    for name, word in _CAPITALISED.items():
        text = text.replace(name, f" {word} ")
    if "/" in text:
        text = _PER.sub(" per ", text)
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    # Borders between words: aB -> a_B and ABCdef -> AB_Cdef.
    text = re.sub(r"([a-z]\d?)([A-Z])", r"\1_\2", text)
    text = re.sub(r"([A-Z]{2,})([A-Z][a-z]{2,})", r"\1_\2", text)
    text = _strip_accents(text.lower())
    letters = ""
    if not text.isascii():
        # Scripts without capitals stand beside Latin words without a blank.
        letters = _LETTERS
        text = re.sub(rf"(?<=[{letters}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[{letters}])", "_", text)
    joined = "_" + re.sub(rf"[^a-z0-9{letters}]+", "_", text).strip("_") + "_"
    # "top 1" and "F 1" are one word.
    return re.sub(r"_(top|f|hits?|p|map)_(\d+)_", r"_\1\2_", joined)


def _strip_accents(text: str) -> str:
    """Return a text with the Latin letters below its accents."""
    if text.isascii():
        return text
    bases = ((char, unicodedata.normalize("NFD", char)[0]) for char in text)
    return "".join(base if base.isascii() else char for char, base in bases)

"""A column's name as plain words: what the vocabulary reads, however the name was written."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

_WHOLE = {
    "mAP": "map",
    "mIoU": "miou",
    "nDCG": "ndcg",
    "IoU": "iou",
    "kWh": "kwh",
    "CO2eq": "co2eq",
    "CO2e": "co2e",
    "FLOPs": "flops",
    "MACs": "macs",
    "GPUs": "gpus",
    "CPUs": "cpus",
    "LogLoss": "logloss",
    "TruthfulQA": "truthfulqa",
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
}
_PER = re.compile(
    r"/(?=\s*(s|secs?|seconds?|ms|min|minutes?|h|hours?|days?|\d+|1?k|1?m|tok|tokens?|images?|img|samples?|requests?"
    r"|quer(y|ies)|examples?|epochs?|it|iters?|steps?|runs?|calls?|inferences?|tasks?|pages?)\b)",
    re.IGNORECASE,
)
_UP = re.compile(r"[↑⬆▲🔼]|\bhigher is better\b", re.IGNORECASE)
_DOWN = re.compile(r"[↓⬇▼🔽]|\blower is better\b", re.IGNORECASE)
_ESTIMATE = re.compile(r"[\[(][^\])]*(±|\bmean\b|\d\s*%?\s*(ci|conf))[^\])]*[\])]", re.IGNORECASE)
"""Brackets that announce an interval behind the value, as in AUC (95% CI): the cell is the value
still.
"""
_NEGATED = re.compile(
    r"_(neg_(?!pred|class|rate)|negative_(?=mean|root|median|log_loss|logloss|mse|mae|rmse|error|loss|brier))"
)
_COMPLEMENT = re.compile(r"^\s*(1|100)\s*[-–−]\s*[A-Za-z]")
_BRACKETS = re.compile(r"[\[(]([^\])]*)[\])]")


@dataclass(frozen=True)
class ParsedName:
    """A column's name, taken apart.

    Attributes
    ----------
    words : str
        In lower case, joined and enclosed by "_", without what stands in brackets: "Log-Loss (val)"
        is "_log_loss_".
    whole : str
        The same with it: "_log_loss_val_".
    unit : str
        What stands in brackets, in lower case; empty without.
    says : "higher", "lower" or ""
        What an arrow or "(lower is better)" in the name says.
    negated : bool
        Whether it is scikit-learn's `neg_`: a loss with its sign turned.
    complement : bool
        Whether it is what another lacks: "1 - AUC".
    """

    words: str
    whole: str
    unit: str
    says: Literal["higher", "lower", ""]
    negated: bool
    complement: bool


@lru_cache(maxsize=4096)
def parse_name(text: str) -> ParsedName:
    """Take a column's name apart."""
    plain = unicodedata.normalize("NFKC", text)
    says: Literal["higher", "lower", ""] = (
        "higher" if _UP.search(plain) else "lower" if _DOWN.search(plain) else ""
    )
    plain = _DOWN.sub(" ", _UP.sub(" ", plain))
    unit = " ".join(_BRACKETS.findall(plain)).strip().lower()
    whole = _words(_ESTIMATE.sub(" ", plain))
    words = _words(_BRACKETS.sub(" ", plain))
    words = words if len(words) > 2 else whole
    negated = bool(_NEGATED.search(words))
    if negated:
        words = _NEGATED.sub("_", words, count=1)
    return ParsedName(words, whole, unit, says, negated, bool(_COMPLEMENT.match(plain)))


def _words(plain: str) -> str:
    for whole, lower in _WHOLE.items():
        plain = plain.replace(whole, f" {lower} ")
    plain = _PER.sub(" per ", plain)
    for sign, word in _SIGNS.items():
        plain = plain.replace(sign, word)
    plain = re.sub(r"([a-z]\d?)([A-Z])", r"\1_\2", plain)
    plain = re.sub(r"([A-Z]{2,})([A-Z][a-z]{2,})", r"\1_\2", plain)
    words = "_" + re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_") + "_"
    return re.sub(r"_(top|f|hits?|p|map)_(\d+)_", r"_\1\2_", words)

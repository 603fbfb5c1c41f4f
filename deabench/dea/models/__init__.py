"""The DEA models: one file a model, one record each, one dictionary of them.

A model is added by its formulation in `deabench_models`, its file here, and its line in `MODELS` (with its name in `ModelName`,
for type checkers and editors).
"""

from __future__ import annotations

from typing import Literal

from deabench.dea.models import ccr, fdh, sbm, score, superefficiency, wei
from deabench.dea.models.record import Model

ModelName = Literal["wei", "score", "ccr", "fdh", "super", "sbm"]

MODELS: dict[str, Model] = {
    record.name: record
    for record in (wei.MODEL, score.MODEL, ccr.MODEL, fdh.MODEL, superefficiency.MODEL, sbm.MODEL)
}

HINTS = {
    "bcc": "model 'ccr' with returns 'vrs'",
    "vrs": "model 'ccr' with returns 'vrs'",
    "crs": "model 'ccr' with returns 'crs'",
    "dea-wei": "model 'wei'",
    "erg": "model 'sbm'",
    "supereff": "model 'super'",
    "super-efficiency": "model 'super'",
    "free disposal hull": "model 'fdh'",
}
"""What other tools and papers call them, in lower case."""

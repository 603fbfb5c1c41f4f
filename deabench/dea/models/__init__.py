"""The DEA models: one file a model, one record each, one dictionary of them.

A model is added by its formulation in `deabench_models`, its file here, and its line in `MODELS` (with its name in `ModelName`,
for type checkers and editors).
"""

from __future__ import annotations

from typing import Literal

from deabench.dea.models import (
    additive,
    ccr,
    common,
    cross,
    directional,
    fdh,
    holder,
    russell,
    sbm,
    score,
    super_sbm,
    superefficiency,
    wei,
)
from deabench.dea.models.record import Model

ModelName = Literal["wei", "score", "ccr", "fdh", "super", "sbm", "super-sbm", "russell", "additive", "ram", "bam", "ddf", "rdm",
                    "holder", "cross", "common"]
Direction = Literal["own", "ones", "mean", "range", "ideal"]
Weighting = Literal["ones", "mip", "normalized", "ram", "bam"]
Goal = Literal["aggressive", "benevolent", "sum", "largest"]

MODELS: dict[str, Model] = {
    record.name: record
    for record in (
        wei.MODEL, score.MODEL, ccr.MODEL, fdh.MODEL, superefficiency.MODEL, sbm.MODEL, super_sbm.MODEL, russell.MODEL,
        additive.MODEL, additive.RAM, additive.BAM, directional.MODEL, directional.RDM, holder.MODEL, cross.MODEL, common.MODEL,
    )
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
    "irs": "model 'ccr' with returns 'ndrs'",
    "drs": "model 'ccr' with returns 'nirs'",
    "add": "model 'additive'",
    "directional": "model 'ddf'",
    "hölder": "model 'holder'",
    **{f"{family}-{side[0]}": f"model 'ccr' with returns '{returns}' and orientation '{side}'"
       for family, returns in (("ccr", "crs"), ("bcc", "vrs")) for side in ("input", "output")},
    **{name: f"'{name}'" for name in MODELS},
}
"""What other tools and papers call them, in lower case."""

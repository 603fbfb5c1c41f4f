"""The DEA models: one file a model, one record each, one dictionary of them.

A model is added by its formulation in `deabench_models`, its file here, and its line in `MODELS`
(with its name in `ModelName`, for type checkers and editors)."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Literal

from deabench.models.base import Model

ModelName = Literal[
    "wei",
    "score",
    "ccr",
    "fdh",
    "super",
    "sbm",
    "super-sbm",
    "russell",
    "additive",
    "ram",
    "bam",
    "ddf",
    "rdm",
    "holder",
    "cross",
    "common",
]
Direction = Literal["own", "ones", "mean", "range", "ideal"]
Weighting = Literal["ones", "mip", "normalized", "ram", "bam"]
Goal = Literal["aggressive", "benevolent", "sum", "largest"]


class _Models(MutableMapping[str, Model]):
    """Records by name, each imported when it is asked for: `deabench rank` of a few rows takes as
    long as its imports.
    """

    def __init__(self, homes: dict[str, str]) -> None:
        self._homes = homes
        self._records: dict[str, Model] = {}

    def __getitem__(self, name: str) -> Model:
        if name not in self._records:
            module, record = self._homes[name].split(".")
            self._records[name] = getattr(import_module(f"{__name__}.{module}"), record)
        return self._records[name]

    def __setitem__(self, name: str, record: Model) -> None:
        self._homes[name], self._records[name] = "", record

    def __delitem__(self, name: str) -> None:
        del self._homes[name]
        self._records.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


MODELS = _Models(
    {
        "wei": "wei.MODEL",
        "score": "score.MODEL",
        "ccr": "ccr.MODEL",
        "fdh": "fdh.MODEL",
        "super": "superefficiency.MODEL",
        "sbm": "sbm.MODEL",
        "super-sbm": "super_sbm.MODEL",
        "russell": "russell.MODEL",
        "additive": "additive.MODEL",
        "ram": "additive.RAM",
        "bam": "additive.BAM",
        "ddf": "directional.MODEL",
        "rdm": "directional.RDM",
        "holder": "holder.MODEL",
        "cross": "cross.MODEL",
        "common": "common_weights.MODEL",
    }
)

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
    **{
        f"{family}-{side[0]}": f"model 'ccr' with returns '{returns}' and orientation '{side}'"
        for family, returns in (("ccr", "crs"), ("bcc", "vrs"))
        for side in ("input", "output")
    },
    **{name: f"'{name}'" for name in MODELS},
}
"""What other tools and papers call them, in lower case."""

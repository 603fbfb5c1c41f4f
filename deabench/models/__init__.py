"""The DEA models: one module each, one frozen dataclass of options each, one dictionary of them.

A model is added by its formulation in `deabench_models`, its module here, and its line in
`MODELS`; `__init__.pyi` repeats the names for type checkers and editors.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Literal

from deabench.results.model import Model
from deabench.utils.lazy import make_lazy


class _Models(MutableMapping[str, type[Model]]):
    """Models by name, each imported when it is first used: start-up takes no longer than needed."""

    def __init__(self, homes: dict[str, str]) -> None:
        self._homes = homes
        self._loaded: dict[str, type[Model]] = {}

    def __getitem__(self, name: str) -> type[Model]:
        if name not in self._loaded:
            module, class_name = self._homes[name].split(".")
            self._loaded[name] = getattr(import_module(f"{__name__}.{module}"), class_name)
        return self._loaded[name]

    def __setitem__(self, name: str, model: type[Model]) -> None:
        self._homes[name] = ""
        self._loaded[name] = model

    def __delitem__(self, name: str) -> None:
        del self._homes[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


_HOMES = {
    "wei": "wei.WEI",
    "score": "wei.Score",
    "ccr": "ccr.CCR",
    "fdh": "fdh.FDH",
    "super": "superefficiency.Super",
    "sbm": "sbm.SBM",
    "super-sbm": "super_sbm.SuperSBM",
    "russell": "russell.Russell",
    "additive": "additive.Additive",
    "ram": "additive.RAM",
    "bam": "additive.BAM",
    "ddf": "directional.DDF",
    "rdm": "directional.RDM",
    "holder": "holder.Holder",
    "cross": "cross.Cross",
    "common": "common_weights.Common",
}
MODELS = _Models(_HOMES)
"""The models by the names that users write."""
ModelName = Literal[tuple(_HOMES)]
"""The names as a type; the stub has them for type checkers."""

MODEL_HINTS = {
    "bcc": "model 'ccr' with returns 'vrs'",
    "vrs": "model 'ccr' with returns 'vrs'",
    "crs": "model 'ccr' with returns 'crs'",
    "irs": "model 'ccr' with returns 'ndrs'",
    "drs": "model 'ccr' with returns 'nirs'",
    "ccr-input": "model 'ccr' with returns 'crs' and orientation 'input'",
    "ccr-i": "model 'ccr' with returns 'crs' and orientation 'input'",
    "ccr-output": "model 'ccr' with returns 'crs' and orientation 'output'",
    "ccr-o": "model 'ccr' with returns 'crs' and orientation 'output'",
    "bcc-i": "model 'ccr' with returns 'vrs' and orientation 'input'",
    "bcc-o": "model 'ccr' with returns 'vrs' and orientation 'output'",
    "dea-wei": "model 'wei'",
    "erg": "model 'sbm'",
    "supereff": "model 'super'",
    "super-efficiency": "model 'super'",
    "free disposal hull": "model 'fdh'",
    "add": "model 'additive'",
    "directional": "model 'ddf'",
    "hölder": "model 'holder'",
    **{name: f"'{name}'" for name in _HOMES},
}
"""What other tools and papers call the models, in lower case."""

make_lazy(
    __name__,
    {
        class_name: f"{__name__}.{module}"
        for module, class_name in (home.split(".") for home in _HOMES.values())
    },
)

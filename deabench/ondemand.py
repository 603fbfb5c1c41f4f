"""Names of a package that are imported when first used, so that importing the package costs nothing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """`__getattr__` of a package whose names have these homes.

    Parameters
    ----------
    package : str
        Its `__name__`.
    homes : mapping of str to str
        The module of each public name; a name whose home ends in a colon is that module itself. No module of the package may
        have the name of something else: importing it would take the name.
    """

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        value = importlib.import_module(home[:-1]) if home.endswith(":") else getattr(importlib.import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute

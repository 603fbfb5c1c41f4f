"""Public names that are imported, and patterns that are compiled, when they are first used."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any, cast


def make_lazy(package: str, homes: Mapping[str, str]) -> None:
    """Let a package import its public names on first use.

    Parameters
    ----------
    package : str
        The package's `__name__`.
    homes : mapping of str to str
        The module of each public name. A home that ends in a colon stands for the module itself.

    Notes
    -----
    Importing a submodule sets an attribute of its package. A public name that a submodule shares
    (the function `deabench.report` and the package `deabench.report`) keeps the public object.
    """

    class LazyPackage(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name not in homes:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            module, is_module, _ = homes[name].partition(":")
            value = importlib.import_module(module)
            if not is_module:
                value = getattr(value, name)
            # From now on the name is a plain attribute, and `__getattr__` is not called for it.
            super().__setattr__(name, value)
            return value

        def __dir__(self) -> list[str]:
            # A package may name more than it imports on first use.
            names = self.__dict__.get("__all__", {*super().__dir__(), *homes})
            return sorted(names)

        def __setattr__(self, name: str, value: object) -> None:
            shares_public_name = name in homes and not homes[name].endswith(":")
            if shares_public_name and isinstance(value, ModuleType):
                return
            super().__setattr__(name, value)

    sys.modules[package].__class__ = LazyPackage


class _LazyPattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._arguments), name)
        # From now on the method is a plain attribute, and `__getattr__` is not called for it.
        setattr(self, name, value)
        return value


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its methods is first used.

    For patterns of what few tables hold: most commands would compile them in vain.

    Examples
    --------
    >>> lazy_pattern("[ab]+").findall("abcba")
    ['ab', 'ba']
    """
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))

"""What a classifier is made of: its classes, parameters, the code behind them and the versions that
matter.

A result belongs to the code that made it. So a task's key carries a fingerprint of its classifier:
of every class in it with every parameter; where the class comes from an installed package, that
package's version; where it is one's own, its compiled code and the source of its module, and of the
modules of one's own that this one uses. A worker makes the fingerprint again from what it has
loaded, and a task is refused where the two differ."""

from __future__ import annotations

import ast
import hashlib
import inspect
import platform
import sys
import sysconfig
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

BASE = ("numpy", "scipy", "scikit-learn")
"""The packages that every classifier stands on."""

Made = tuple[tuple[str, str], ...]


def made_of(estimator: Any, maker: Any = None) -> Made:
    """The fingerprint, part by part: ("parameters", digest), (package, version) and (module of
    one's own, digest).

    Parameters
    ----------
    estimator : object
        An unfitted estimator.
    maker : function, optional
        The function of one's own that makes it afresh for each task.
    """
    parts: dict[str, str] = {name: _version(name) for name in BASE}
    said = _described(estimator, parts, 0)
    if maker is not None:
        said += _described(maker, parts, 0)
    parts["parameters"] = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    return tuple(sorted(parts.items()))


def differences(here: Made, there: Made) -> str:
    """In words, what differs between a worker's fingerprint and the run's."""
    mine, theirs = dict(here), dict(there)
    said = []
    for name in sorted(mine.keys() | theirs.keys()):
        if mine.get(name) != theirs.get(name):
            short = [
                value if len(value) < 20 else "other code"
                for value in (mine.get(name, "none"), theirs.get(name, "none"))
            ]
            said.append(
                f"{name} ({short[0]} here, {short[1]} where the run began)"
                if short[0] != short[1]
                else f"{name} (other code than where the run began)"
            )
    return ", ".join(said)


def _described(value: Any, parts: dict[str, str], depth: int) -> str:
    """A value as text that is the same in every process; what it is made of is noted in `parts`."""
    if depth > 20:
        return "..."
    if value is None or isinstance(value, bool | int | float | str | bytes | complex | np.generic):
        return repr(value)
    if isinstance(value, np.ndarray):
        return (
            f"array {value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
            if value.dtype != object
            else _described(value.tolist(), parts, depth + 1)
        )
    if isinstance(value, dict):
        pairs = sorted(
            (_described(k, parts, depth + 1), _described(v, parts, depth + 1))
            for k, v in value.items()
        )
        return "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        inner = [_described(item, parts, depth + 1) for item in value]
        return f"({', '.join(sorted(inner) if isinstance(value, set | frozenset) else inner)})"
    if isinstance(value, type) or inspect.isroutine(value):
        _note(value, parts)
        return _code_of(value, depth)
    for base in type(value).__mro__[:-1]:
        _note(base, parts)
    if hasattr(value, "get_params"):
        return f"{_name(type(value))} {_described(value.get_params(deep=False), parts, depth + 1)}"
    state = getattr(value, "__dict__", None)
    return f"{_name(type(value))} {_described(state, parts, depth + 1) if state is not None else repr(value)}"


def _name(thing: Any) -> str:
    module = getattr(thing, "__module__", None) or ""
    return f"{'' if module == '__main__' else module}.{getattr(thing, '__qualname__', repr(type(thing)))}"


def _code_of(thing: Any, depth: int) -> str:
    """A function's own code with its defaults and what it closes over, as no file may hold it;
    otherwise its name.
    """
    code = getattr(thing, "__code__", None)
    if code is None or not _own(sys.modules.get(str(getattr(thing, "__module__", "")))):
        return _name(thing)
    closed = [cell.cell_contents for cell in (thing.__closure__ or ()) if _filled(cell)]
    held = _described([thing.__defaults__, thing.__kwdefaults__, closed], {}, depth + 1)
    return f"{_name(thing)} {_compiled(code)} {held}"


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


def _compiled(code: CodeType) -> str:
    """A digest of compiled code: what it does, not where it stands."""
    inner = [_compiled(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    content = repr((code.co_code.hex(), code.co_names, code.co_varnames, inner))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _constant(value: object) -> str:
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


def _note(thing: Any, parts: dict[str, str]) -> None:
    """Note where a class or function comes from: a package with its version, or a module of one's
    own with its code.
    """
    module = sys.modules.get(str(getattr(thing, "__module__", "")))
    if module is None:
        return
    if _own(module):
        for each in _own_modules(module):
            only = (
                thing if each.__name__ == "__main__" else None
            )  # of a notebook or a script, what is used alone
            parts[each.__name__] = _module_digest(each, only)
        parts["python"] = ".".join(
            platform.python_version_tuple()[:2]
        )  # compiled code is of one version
        return
    name = module.__name__.partition(".")[0]
    if name == "deabench":
        return  # its version of results is `tasks.VERSION`
    for distribution in _distributions().get(name, ()):
        parts[distribution] = _version(distribution)


@lru_cache(maxsize=1)
def _distributions() -> dict[str, list[str]]:
    return {name: sorted(set(found)) for name, found in packages_distributions().items()}


@lru_cache(maxsize=256)
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _own(module: ModuleType | None) -> bool:
    """Whether a module is the user's: neither of Python, nor of an installed package, nor of
    deabench.
    """
    if module is None:
        return False
    name = module.__name__.partition(".")[0]
    if name == "__main__":
        return True
    if name in sys.stdlib_module_names or name in ("deabench", "deabench_models"):
        return False
    file = getattr(module, "__file__", None)
    return file is not None and not any(Path(file).is_relative_to(place) for place in _installed())


@lru_cache(maxsize=1)
def _installed() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    return tuple(
        {Path(paths[key]) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
        | {Path(entry) for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))}
    )


def _own_modules(first: ModuleType) -> list[ModuleType]:
    """A module of one's own and all of one's own that it uses, directly or through others."""
    found, waiting = {first.__name__: first}, [first] if first.__name__ != "__main__" else []
    while waiting:
        one = waiting.pop()
        used = [
            value
            if isinstance(value, ModuleType)
            else sys.modules.get(str(getattr(value, "__module__", "")))
            for value in list(vars(one).values())
        ]
        for module in [*used, *_imported(one)]:
            if (
                module is not None
                and module.__name__ not in found
                and module.__name__ != "__main__"
                and _own(module)
            ):
                found[module.__name__] = module
                waiting.append(module)
    return [found[name] for name in sorted(found)]


def _imported(module: ModuleType) -> list[ModuleType | None]:
    """The modules that a module's source imports: of a constant from another file nothing else
    tells where it came from.
    """
    file = getattr(module, "__file__", None)
    if file is None or not file.endswith(".py"):
        return []
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = (
                resolve_name("." * node.level + (node.module or ""), module.__package__ or "")
                if node.level
                else node.module
            )
            names += [str(base), *(f"{base}.{alias.name}" for alias in node.names)]
    return [sys.modules.get(name) for name in names]


def _module_digest(module: ModuleType, only: Any = None) -> str:
    """Of the module's file as it is and of its code as it was loaded: an edit shows in one of them."""
    things = (
        [only]
        if only is not None
        else [
            value
            for value in vars(module).values()
            if getattr(value, "__module__", None) == module.__name__
        ]
    )
    codes = sorted(
        f"{getattr(thing, '__qualname__', '')} {text}" for thing in things for text in _codes(thing)
    )
    content = "\n".join(codes).encode("utf-8", "surrogatepass")
    file = getattr(module, "__file__", None)
    if only is None and file is not None and Path(file).is_file():
        content += Path(file).read_bytes()
    return hashlib.sha256(content).hexdigest()


def _codes(thing: Any) -> list[str]:
    if isinstance(thing, type):
        plain = {
            key: value
            for key, value in vars(thing).items()
            if isinstance(value, bool | int | float | str | tuple) and not key.startswith("__")
        }
        inner = [
            text
            for value in vars(thing).values()
            for text in _codes(getattr(value, "__func__", value))
        ]
        getters = [
            text
            for value in vars(thing).values()
            if isinstance(value, property)
            for text in _codes(value.fget)
        ]
        return [repr(sorted(map(repr, plain.items()))), *inner, *getters]
    code = getattr(thing, "__code__", None)
    return [] if code is None else [_compiled(code)]

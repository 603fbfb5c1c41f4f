"""Fingerprints of classifiers: classes, parameters, code and the versions that matter.

A result belongs to the code that made it. So the key of a task contains a fingerprint of its
classifier: every class in it with every parameter; where the class comes from an installed package,
that package's version; where it is the user's, its compiled code and the source of its module, and
of the user's modules that this one imports. A worker makes the fingerprint again from what it has
loaded, and a task is refused where the two differ.
"""

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

BASE_PACKAGES = ("numpy", "scipy", "scikit-learn")
"""The packages that every classifier stands on."""
DEEPEST = 20
"""Values nested deeper than this are cut off."""

Fingerprint = tuple[tuple[str, str], ...]


def fingerprint_object(estimator: Any, function: Any = None) -> Fingerprint:
    """Return the parts of a fingerprint, sorted by name.

    They are ("parameters", digest), (package, version) and (module of the user's, digest).

    Parameters
    ----------
    estimator : object
        An unfitted estimator.
    function : function, optional
        The user's function that makes it for each task.
    """
    origins: dict[str, str] = {name: _package_version(name) for name in BASE_PACKAGES}
    text = _describe(estimator, origins, 0)
    if function is not None:
        text += _describe(function, origins, 0)
    origins["parameters"] = _digest(text)
    return tuple(sorted(origins.items()))


def describe_differences(worker: Fingerprint, run: Fingerprint) -> str:
    """Describe how a worker's fingerprint differs from the run's."""
    worker_parts = dict(worker)
    run_parts = dict(run)
    differences = []
    for name in sorted(worker_parts.keys() | run_parts.keys()):
        in_worker = worker_parts.get(name, "none")
        in_run = run_parts.get(name, "none")
        if in_worker == in_run:
            continue
        # versions are short, digests say nothing to a reader
        if len(in_worker) >= 20 and len(in_run) >= 20:
            differences.append(f"{name} (other code than where the run began)")
            continue
        versions = [text if len(text) < 20 else "other code" for text in (in_worker, in_run)]
        differences.append(f"{name} ({versions[0]} here, {versions[1]} where the run began)")
    return ", ".join(differences)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _describe(value: Any, origins: dict[str, str], depth: int) -> str:
    """Return a text that is the same in every process; note the origins of classes in `origins`."""
    if depth > DEEPEST:
        return "..."
    if value is None or isinstance(value, bool | int | float | str | bytes | complex | np.generic):
        return repr(value)
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return _describe(value.tolist(), origins, depth + 1)
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array {value.dtype} {value.shape} {digest}"
    # sorted: two equal dictionaries may have other orders
    if isinstance(value, dict):
        pairs = sorted(
            (_describe(key, origins, depth + 1), _describe(item, origins, depth + 1))
            for key, item in value.items()
        )
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        items = [_describe(item, origins, depth + 1) for item in value]
        if isinstance(value, set | frozenset):
            items.sort()
        return f"({', '.join(items)})"
    # classes and functions: their origin, and a user's code
    if isinstance(value, type) or inspect.isroutine(value):
        _note_origin(value, origins)
        return _describe_function(value, depth)
    # objects: the origins of their classes, and their parameters or attributes
    for base in type(value).__mro__[:-1]:
        _note_origin(base, origins)
    name = _qualified_name(type(value))
    if hasattr(value, "get_params"):
        return f"{name} {_describe(value.get_params(deep=False), origins, depth + 1)}"
    state = getattr(value, "__dict__", None)
    if state is None:
        return f"{name} {value!r}"
    return f"{name} {_describe(state, origins, depth + 1)}"


def _qualified_name(thing: Any) -> str:
    module = getattr(thing, "__module__", None) or ""
    if module == "__main__":
        module = ""
    return f"{module}.{getattr(thing, '__qualname__', repr(type(thing)))}"


def _describe_function(thing: Any, depth: int) -> str:
    """Return the name, and of a user's function its code, defaults and closure.

    No file may hold such a function: it can come from a notebook.
    """
    code = getattr(thing, "__code__", None)
    if code is None or not _is_users(_module_of(thing)):
        return _qualified_name(thing)
    closure = [cell.cell_contents for cell in (thing.__closure__ or ()) if _is_filled(cell)]
    bound = _describe([thing.__defaults__, thing.__kwdefaults__, closure], {}, depth + 1)
    return f"{_qualified_name(thing)} {_code_digest(code)} {bound}"


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


def _code_digest(code: CodeType) -> str:
    """Return a digest of what compiled code does, not of where it stands."""
    constants = [
        _code_digest(constant) if isinstance(constant, CodeType) else _constant_text(constant)
        for constant in code.co_consts
    ]
    return _digest(repr((code.co_code.hex(), code.co_names, code.co_varnames, constants)))


def _constant_text(value: object) -> str:
    if isinstance(value, frozenset):
        return repr(sorted(map(repr, value)))
    return repr(value)


def _module_of(thing: Any) -> ModuleType | None:
    return sys.modules.get(str(getattr(thing, "__module__", "")))


def _note_origin(thing: Any, origins: dict[str, str]) -> None:
    """Note where a class or function comes from: a package's version, or a user's module."""
    module = _module_of(thing)
    if module is None:
        return
    if _is_users(module):
        for used in _users_modules(module):
            # of a notebook or a script only what is used counts
            selected = thing if used.__name__ == "__main__" else None
            origins[used.__name__] = _module_digest(used, selected)
        # compiled code is of one version of Python
        origins["python"] = ".".join(platform.python_version_tuple()[:2])
        return
    package = module.__name__.partition(".")[0]
    if package == "deabench":
        return  # `study.spec.VERSION` stands for its results
    for distribution in _distributions().get(package, ()):
        origins[distribution] = _package_version(distribution)


@lru_cache(maxsize=1)
def _distributions() -> dict[str, list[str]]:
    return {package: sorted(set(names)) for package, names in packages_distributions().items()}


@lru_cache(maxsize=256)
def _package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _is_users(module: ModuleType | None) -> bool:
    """Whether a module is the user's: not of Python, an installed package, or deabench."""
    if module is None:
        return False
    package = module.__name__.partition(".")[0]
    if package == "__main__":
        return True
    if package in sys.stdlib_module_names or package in ("deabench", "deabench_models"):
        return False
    file = getattr(module, "__file__", None)
    return file is not None and not any(
        Path(file).is_relative_to(folder) for folder in _installed_folders()
    )


@lru_cache(maxsize=1)
def _installed_folders() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    folders = {Path(paths[key]) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    sites = [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    return tuple(folders | set(map(Path, sites)))


def _users_modules(first: ModuleType) -> list[ModuleType]:
    """Return a user's module and all of the user's modules that it uses, directly or not."""
    # breadth first over what each module uses and imports
    modules = {first.__name__: first}
    queue = [first] if first.__name__ != "__main__" else []
    while queue:
        current = queue.pop()
        used = [
            value if isinstance(value, ModuleType) else _module_of(value)
            for value in list(vars(current).values())
        ]
        for module in [*used, *_imported_modules(current)]:
            if module is None or module.__name__ in modules or module.__name__ == "__main__":
                continue
            if _is_users(module):
                modules[module.__name__] = module
                queue.append(module)
    return [modules[name] for name in sorted(modules)]


def _imported_modules(module: ModuleType) -> list[ModuleType | None]:
    """Return the modules that a module's source imports.

    Nothing else tells where a constant from another file came from.
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
            base = str(node.module)
            if node.level:
                relative = "." * node.level + (node.module or "")
                base = resolve_name(relative, module.__package__ or "")
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return [sys.modules.get(name) for name in names]


def _module_digest(module: ModuleType, selected: Any = None) -> str:
    """Return a digest of the module's file and of its code as loaded: an edit shows in one."""
    # all that the module defines, or the one thing that counts
    things = [selected]
    if selected is None:
        things = [
            value
            for value in vars(module).values()
            if getattr(value, "__module__", None) == module.__name__
        ]
    codes = sorted(
        f"{getattr(thing, '__qualname__', '')} {text}"
        for thing in things
        for text in _code_digests(thing)
    )
    content = "\n".join(codes).encode("utf-8", "surrogatepass")
    file = getattr(module, "__file__", None)
    if selected is None and file is not None and Path(file).is_file():
        content += Path(file).read_bytes()
    return hashlib.sha256(content).hexdigest()


def _code_digests(thing: Any) -> list[str]:
    """Return digests of a function's code, or of a class's attributes, methods and properties."""
    if isinstance(thing, type):
        members = vars(thing)
        attributes = {
            name: value
            for name, value in members.items()
            if isinstance(value, bool | int | float | str | tuple) and not name.startswith("__")
        }
        digests = [repr(sorted(map(repr, attributes.items())))]
        for value in members.values():
            digests += _code_digests(getattr(value, "__func__", value))
        for value in members.values():
            if isinstance(value, property):
                digests += _code_digests(value.fget)
        return digests
    code = getattr(thing, "__code__", None)
    if code is None:
        return []
    return [_code_digest(code)]

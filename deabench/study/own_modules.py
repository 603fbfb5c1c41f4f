"""Modules of users: which ones are not installed, what they import, and how they are sent.

An installed package is known by its version. An own module (beside the study, in a project's
folder, an editable installation) is known by its source, without comments, docstrings and form, and
cloudpickle sends what it defines with the tasks that need it.
"""

from __future__ import annotations

import ast
import platform
import re
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle

IMPORTERS = {"import_module", "__import__"}
"""Functions that import a module by its name."""
SCRIPTS = ("", "__main__", "__mp_main__", "deabench", "deabench_models")
"""Packages that are neither installed for a study nor modules of the user's."""


def python_version() -> str:
    """Return Python's version without its last number."""
    return ".".join(platform.python_version_tuple()[:2])


def digest_text(content: str | bytes) -> str:
    """Return the SHA-256 of a text or of bytes."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()


@lru_cache(maxsize=1)
def installed_distributions() -> dict[str, list[str]]:
    return {package: sorted(set(names)) for package, names in packages_distributions().items()}


@lru_cache(maxsize=256)
def package_version(name: str) -> str:
    """Return the version of an installed distribution, or of Python; "none" where there is none."""
    if name == "python":
        return python_version()
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


@lru_cache(maxsize=1)
def _installed_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    return tuple(f"{Path(folder)}/" for folder in folders)


def _is_own(module: ModuleType | None) -> bool:
    """Whether a module is the user's: not of Python, an installed package, or deabench."""
    if not isinstance(module, ModuleType):
        return False
    # Asked for an attribute that it lacks, a module that others load when it is used would load.
    attributes = vars(module)
    file = attributes.get("__file__")
    if not file or str(file).startswith(_installed_folders()):
        return False
    name = attributes.get("__name__", "").partition(".")[0]
    return name not in sys.stdlib_module_names and name not in SCRIPTS


def own_file(name: str) -> Path | None:
    """Return the file of an own module, imported or not; None of what is installed or missing."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    parent, _, last = name.rpartition(".")
    if module is None and parent:
        # importing it would run it
        for folder in _package_folders(parent):
            candidates = (Path(folder, f"{last}.py"), Path(folder, last, "__init__.py"))
            file = next((path for path in candidates if path.is_file()), None) or file
    elif module is None:
        try:
            file = getattr(find_spec(name), "origin", None)
        except (ImportError, ValueError, AttributeError):
            return None
    if not file or str(file).startswith(_installed_folders()):
        return None
    path = Path(file)
    return path if path.is_file() else None


def _package_folders(name: str) -> list[str]:
    """Return the folders of a package; of a namespace there are several."""
    if name in sys.modules:
        return list(getattr(sys.modules[name], "__path__", ()))
    file = own_file(name)
    if file is None or file.name != "__init__.py":
        return []
    return [str(file.parent)]


@lru_cache(maxsize=256)
def source_digest(content: bytes) -> str:
    """Return the digest of a source without its comments, docstrings and form."""
    tree = _parse(content)
    if tree is None:
        return digest_text(content)
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            _sort_dict(node)
        _drop_docstring(node)
    return digest_text(ast.dump(tree))


def _parse(content: bytes) -> ast.Module | None:
    """Return the syntax tree; None of what is no Python, as an extension module."""
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=256)
def imported_modules(content: bytes, name: str, is_package: bool) -> tuple[str, ...]:
    """Return the names of all that a source imports, at its top or inside its functions."""
    tree = _parse(content)
    # relative imports start from the package
    package = name if is_package else name.rpartition(".")[0]
    imports: list[str] = []
    for node in ast.walk(tree or ast.Module([], [])):
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level and not package:
                continue
            if node.level:
                base = resolve_name("." * node.level + base, package)
            # what is imported may be a module itself
            imports += [base, *(f"{base}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call):
            imports += _imports_by_call(node)
    return tuple(imports)


def _imports_by_call(call: ast.Call) -> list[str]:
    """Return the module that a call of `import_module("name")` imports."""
    function = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if function not in IMPORTERS or not call.args:
        return []
    name = getattr(call.args[0], "value", None)
    if not isinstance(name, str) or not re.fullmatch(r"[\w.]+", name) or name.startswith("."):
        return []
    return [name]


def _sort_dict(node: ast.Dict) -> None:
    """Sort the pairs of a dictionary with constant keys, whose order changes nothing."""
    keys = [key for key in node.keys if isinstance(key, ast.Constant)]
    if len(keys) == len(node.keys):
        pairs = zip(keys, node.values, strict=True)
        by_key = sorted(pairs, key=lambda pair: ast.dump(pair[0]))
        node.keys = [key for key, _ in by_key]
        node.values = [value for _, value in by_key]


def _drop_docstring(node: ast.AST) -> None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:]


@contextmanager
def code_by_value() -> Iterator[None]:
    """Let cloudpickle take apart what own modules define, as it does with `__main__`."""
    before = cloudpickle.list_registry_pickle_by_value()
    own_modules = [
        module
        for module in list(sys.modules.values())
        if _is_own(module) and module.__name__ in sys.modules
    ]
    for module in own_modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in own_modules:
            if module.__name__ not in before:
                cloudpickle.unregister_pickle_by_value(module)


class ByValue:
    """Hold a user's object as bytes that bring its code along; unpickling returns the object."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __reduce__(self) -> Any:
        return _load_by_value, (self.content,)


def state_by_value(description: Any, attribute: str) -> dict[str, Any]:
    """Return the state to pickle of a frozen dataclass, with one attribute by value.

    The attribute is dumped once: the description travels with many batches of tasks.
    """
    state: dict[str, Any] = dict(description.__dict__)
    content = state.pop("_content", None)
    if state[attribute] is None:
        return state
    if content is None:
        content = _dump_by_value(state[attribute])
        object.__setattr__(description, "_content", content)
    return {**state, attribute: ByValue(content)}


def _dump_by_value(value: Any) -> bytes:
    try:
        with code_by_value():
            return bytes(cloudpickle.dumps(value))
    except Exception:  # a global of its module cannot be sent: the worker imports the module
        return bytes(cloudpickle.dumps(value))


@lru_cache(maxsize=256)
def _load_by_value(content: bytes) -> Any:
    """Return the object, the same for all tasks of this process."""
    return cloudpickle.loads(content)

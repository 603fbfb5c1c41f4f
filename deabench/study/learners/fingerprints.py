"""Fingerprints of code from users: what a result depends on, beside data, split and seed.

A result belongs to the code that made it. So the key of a task contains a fingerprint of its
classifier. cloudpickle takes classes and functions apart, those of `__main__`, of a notebook and of
modules that are not installed "by value": code, defaults, closures, base classes, class attributes
and the globals that they use. Here these pieces are described in a canonical order, without what
changes nothing (lines, comments, docstrings, addresses). Of an installed package the version
counts. The source of each own module that is used counts as a whole, and the packages that it
imports, as code may use by name what no object refers to.
"""

from __future__ import annotations

import dis
import hashlib
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any
from uuid import uuid4

import cloudpickle
import numpy as np

from deabench.errors import DataError
from deabench.study.own_modules import (
    IMPORTERS,
    SCRIPTS,
    code_by_value,
    digest_text,
    imported_modules,
    installed_distributions,
    own_file,
    package_version,
    python_version,
    source_digest,
)

BASE_PACKAGES = ("numpy", "scipy", "scikit-learn")
"""The packages that every classifier stands on."""
UNRECORDED = "not recorded: "
"""Begins the name of a part that has no content to record, as a generator or an open file."""
DATA = "data "
"""Begins the digest of values, which a worker may have changed since it imported them."""
SESSION = uuid4().hex
"""Stands for what cannot be recorded: another session has another key, and runs the task again."""
CONSTANTS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
LOCKS = ("lock", "RLock")
"""Types that hold nothing that a result could depend on."""
IGNORED_ATTRIBUTES = {
    "__doc__",
    "__module__",
    "__firstlineno__",
    "__static_attributes__",
    "__slotnames__",
}
"""Attributes of a class that say where it stands, or that appear when it is first used."""

Fingerprint = tuple[tuple[str, str], ...]


def fingerprint_object(*values: Any) -> Fingerprint:
    """Return the parts of a fingerprint, sorted by name.

    They are ("parameters", digest), (package, version), (own module, digest of its source), (own
    function, class or global, digest).

    Parameters
    ----------
    *values : object
        An unfitted estimator and the function that makes it, a splitter, a transformer.
    """
    description = _Description()
    with code_by_value():
        text = description.describe(list(values))
    versions = {name: package_version(name) for name in BASE_PACKAGES}
    return tuple(sorted({**versions, **description.parts, "parameters": digest_text(text)}.items()))


def fingerprint_dependencies(values: Sequence[Any]) -> Fingerprint:
    """Return the parts of what the user declares that results depend on.

    Parameters
    ----------
    values : sequence
        Paths of files and folders, modules or their names, any other values.

    Raises
    ------
    DataError
        For a text that names nothing.
    """
    description = _Description()
    for number, value in enumerate(values):
        name = f"depends {number + 1}"
        # Files count by their bytes, modules by their source, all else by how it is described.
        is_path = isinstance(value, str | Path) and Path(value).exists()
        if isinstance(value, ModuleType):
            description.note_module(value.__name__)
        elif is_path:
            description.parts[f"{name}: {Path(value).name}"] = _digest_files(Path(value))
        elif not isinstance(value, str | Path):
            with code_by_value():
                description.parts[name] = digest_text(description.describe(value))
        else:
            before = len(description.parts)
            description.note_module(str(value))
            if len(description.parts) == before:
                raise DataError(
                    f"depends names '{value}', which is no file, folder or module; give one of "
                    "them, or a value"
                )
    return tuple(sorted(description.parts.items()))


def _digest_files(path: Path) -> str:
    """Return the digest of a file, or of the names and contents of all files of a folder."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    texts = [
        f"{file.relative_to(path)} {digest_text(file.read_bytes())}"
        for file in files
        if file.is_file()
    ]
    return digest_text("\n".join(texts))


def local_fingerprint(fingerprint: Fingerprint) -> Fingerprint:
    """Return a fingerprint with this process's versions, for code that came with its task."""
    return tuple(
        (name, value if _is_digest(value) else package_version(name)) for name, value in fingerprint
    )


def describe_differences(worker: Fingerprint, run: Fingerprint) -> str:
    """Describe how a worker's fingerprint differs from the run's; "" where it does not.

    Values of modules and classes are no difference: a task may have filled a cache, and the source
    that made them is compared.
    """
    if worker == run:  # as nearly always, for every task
        return ""
    worker_parts = _compared_parts(worker)
    run_parts = _compared_parts(run)
    differences = []
    for name in sorted(worker_parts.keys() | run_parts.keys()):
        in_worker = worker_parts.get(name, "none")
        in_run = run_parts.get(name, "none")
        if in_worker == in_run:
            continue
        # versions are short, digests say nothing to a reader
        if _is_digest(in_worker) and _is_digest(in_run):
            differences.append(f"{name} (other code than where the run began)")
            continue
        versions = ["other code" if _is_digest(text) else text for text in (in_worker, in_run)]
        differences.append(f"{name} ({versions[0]} here, {versions[1]} where the run began)")
    return ", ".join(differences)


def _compared_parts(fingerprint: Fingerprint) -> dict[str, str]:
    return {
        name: value
        for name, value in fingerprint
        if not name.startswith(UNRECORDED) and not value.startswith(DATA)
    }


def _is_digest(text: str) -> bool:
    return len(text) >= 20


class _Description:
    """Describe values as texts that are the same in every process; collect the parts of them."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        # own functions and classes by identity, which holds as long as they are kept here
        self._names: dict[int, tuple[str, Any]] = {}
        # objects that are being described, for those that contain themselves
        self._open: dict[int, int] = {}
        self._modules: set[str] = set()
        self._described_modules: set[tuple[str, frozenset[str]]] = set()
        self._owner = "its parameters"
        self._reducer = cloudpickle.Pickler(io.BytesIO())

    def describe(self, value: Any) -> str:
        """Return the text of any value."""
        kind = type(value)
        if kind in CONSTANTS or isinstance(value, np.generic):
            return repr(value)
        if kind.__name__ in LOCKS:
            return kind.__name__
        if id(value) in self._names:
            return self._names[id(value)][0]
        if id(value) in self._open:
            return f"itself {self._open[id(value)]}"
        self._open[id(value)] = len(self._open)
        try:
            return self._describe_contents(value)
        # what has no content (a generator, a file, a connection) may raise anything
        except Exception as error:
            reason = f"{kind.__name__} of {self._owner}"
            self.parts[UNRECORDED + reason] = SESSION
            return f"{reason}: {type(error).__name__}"
        finally:
            del self._open[id(value)]

    def _describe_contents(self, value: Any) -> str:
        kind = type(value)
        if kind in (list, tuple):
            return f"{kind.__name__}({', '.join(map(self.describe, value))})"
        if kind in (set, frozenset):
            return f"set({', '.join(sorted(map(self.describe, value)))})"
        if kind is dict:
            return self._describe_dict(value)
        if kind is np.ndarray and value.dtype != object:
            content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            return f"array {value.dtype} {value.shape} {content}"
        if kind is CodeType:
            return self._describe_code(value)
        if kind is ModuleType:
            return self._describe_module(value, frozenset())
        # cloudpickle takes functions and classes apart, unless they are of an installed package
        reduction = self._reducer.reducer_override(value)
        if reduction is not NotImplemented and len(reduction) == 2:
            return self.describe(list(reduction))  # a type without a name, as that of None
        if reduction is not NotImplemented:
            return self._describe_own(value, reduction)
        if isinstance(value, type | FunctionType):
            return self._reference(value, value.__qualname__)
        # everything else says by its pickle protocol what it is made of
        reducer: Callable[[Any], Any] | None = self._reducer.dispatch_table.get(kind)
        reduction = value.__reduce_ex__(4) if reducer is None else reducer(value)
        if isinstance(reduction, str):
            return self._reference(value, reduction)
        make, arguments, state, items, pairs = (*reduction, None, None, None)[:5]
        contents = [make, arguments, state, list(items or ()), dict(pairs or ())]
        return f"{kind.__qualname__}{self.describe(contents)}"

    def _describe_dict(self, values: dict[Any, Any]) -> str:
        """Return the pairs by their keys: two equal dictionaries may have other orders."""
        pairs = sorted(((self.describe(key), key) for key in values), key=lambda pair: pair[0])
        return "{" + ", ".join(f"{text}: {self.describe(values[key])}" for text, key in pairs) + "}"

    def _reference(self, value: Any, name: str) -> str:
        """Return the name of what an installed package or Python defines."""
        module = getattr(value, "__module__", None) or ""
        self.note_module(module)
        # a class of one package may inherit from another's
        for base in getattr(value, "__mro__", ()):
            self.note_module(base.__module__)
        text = f"{module}.{name}"
        # a cache or a decorator of C around own code
        if hasattr(value, "__wrapped__") and not isinstance(value, type | FunctionType):
            text += f" of {self.describe(value.__wrapped__)}"
        return text

    def _describe_own(self, value: Any, reduction: tuple[Any, ...]) -> str:
        """Make a part of an own function or class; return its name."""
        module = getattr(value, "__module__", None) or ""
        name = f"{module}.{getattr(value, '__qualname__', type(value).__qualname__)}"
        # two lambdas have one name
        while name in self.parts:
            name += "'"
        self.parts[name] = ""
        self._names[id(value)] = (name, value)
        self.note_module(module)
        # compiled code is of one version of Python
        self.parts["python"] = python_version()
        owner = self._owner
        self._owner = name
        text = ""
        try:
            if isinstance(value, FunctionType):
                text = self._describe_function(value, reduction)
            else:
                text = self._describe_class(name, value, reduction)
        finally:
            self._owner = owner
            self.parts[name] = digest_text(text)
        return name

    def _describe_function(self, function: FunctionType, reduction: tuple[Any, ...]) -> str:
        attributes, slots = reduction[2]
        for attribute in ("__doc__", "_cloudpickle_submodules"):
            slots.pop(attribute)
        used_names = frozenset(_names_of_code(function.__code__))
        texts = [self._describe_code(function.__code__)]
        for name, value in sorted(slots.pop("__globals__").items()):
            if isinstance(value, ModuleType):
                texts.append(f"{name} = {self._describe_module(value, used_names)}")
            else:
                texts.append(
                    f"{name} = {self._describe_value(f'{function.__module__}.{name}', value)}"
                )
        return f"{texts} {self.describe(slots)} {self.describe(attributes)}"

    def _describe_class(self, name: str, value: type, reduction: tuple[Any, ...]) -> str:
        # metaclass, name, base classes and keywords; the number of the class differs everywhere
        texts = [self.describe(list(reduction[1][:4]))]
        # cloudpickle leaves out constants that are the very object of a base class, by chance
        constants = {key: item for key, item in vars(value).items() if type(item) in CONSTANTS}
        for attribute, item in sorted({**constants, **reduction[2][0]}.items()):
            unused = attribute == "__annotations__" and not item
            if attribute not in IGNORED_ATTRIBUTES and not unused:
                texts.append(f"{attribute} = {self._describe_value(f'{name}.{attribute}', item)}")
        return str(texts)

    def _describe_value(self, name: str, value: Any) -> str:
        """Make a part of a value that a module or a class holds, unless it is code."""
        if _is_code(value):
            return self.describe(value)
        name += " (value)"
        self.parts[name] = DATA + digest_text(self.describe(value))
        return name

    def _describe_module(self, module: ModuleType, used_names: frozenset[str]) -> str:
        """Return the name of a module; of an own one describe what code uses by these names."""
        self.note_module(module.__name__)
        # modules may import each other
        is_new = (module.__name__, used_names) not in self._described_modules
        if is_new and module.__name__ in self._modules and own_file(module.__name__) is not None:
            self._described_modules.add((module.__name__, used_names))
            for name in sorted(used_names & vars(module).keys()):
                value = vars(module)[name]
                if isinstance(value, ModuleType):
                    self._describe_module(value, used_names)
                else:
                    self._describe_value(f"{module.__name__}.{name}", value)
        return f"module {module.__name__}"

    def _describe_code(self, code: CodeType) -> str:
        """Return what compiled code does, not where it stands or what its docstring says."""
        names = set(_names_of_code(code))
        lines = [f"{code.co_argcount} {code.co_posonlyargcount} {code.co_kwonlyargcount}"]
        lines.append(f"{code.co_flags} {code.co_exceptiontable.hex()}")
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("EXTENDED_ARG", "CACHE", "NOP"):
                continue
            argument = instruction.argval
            imports = instruction.opname == "IMPORT_NAME"
            by_name = bool(names & IMPORTERS) and isinstance(argument, str)
            if imports or by_name:
                self.note_module(argument)
            # constants by content: their position depends on the docstring
            text = self.describe(argument)
            lines.append(f"{instruction.opname} {text}")
        return "\n".join(lines)

    def note_module(self, name: str) -> None:
        """Make parts of a module that is used: the package's version, or an own module's source.

        Of an own module all that it imports counts too, directly or not.
        """
        package = name.partition(".")[0]
        if package in sys.stdlib_module_names or package in SCRIPTS or name in self._modules:
            return
        self._modules.add(name)
        file = own_file(name)
        if file is None:
            for distribution in installed_distributions().get(package, ()):
                self.parts[distribution] = package_version(distribution)
            return
        content = file.read_bytes()
        self.parts[name] = source_digest(content)
        for module in imported_modules(content, name, file.name == "__init__.py"):
            self.note_module(module)


def _is_code(value: Any) -> bool:
    kinds = (*CONSTANTS, property, staticmethod, classmethod, ModuleType)
    return callable(value) or isinstance(value, kinds)


def _names_of_code(code: CodeType) -> Iterator[str]:
    """Yield the names that code and the code in it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of_code(constant)

"""A word has one default wherever it is a parameter, and a command has those of its function."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import deabench as db
from deabench import compare, curves, metrics
from deabench.cli import curve, reference, tables, uncertainty, weightings
from deabench.cli import metrics as metrics_command
from deabench.inference import metric_intervals

DEFAULTS: dict[str, object] = {
    "alpha": 0.05,
    "level": 0.95,
    "power": 0.8,
    "seed": 0,
    "missing": "refuse",
    "strict": False,
    "adjust": "holm",
    "prevalence": 0.5,
    "returns": "vrs",
    "higher_is_better": True,
    "negatives_per_positive": 1.0,
    "design": "rows",
}
"""Without a word: tests at 5 %, statements at 95 %, sizes for a power of 80 %, the same draws each
time, no gaps, Holm's adjustment, balanced classes.
"""
OTHERS = {
    ("order_alpha", "alpha"): 0.95,  # the share of rows, not a level
    ("conformal_ranks", "level"): 0.9,
    ("recommend", "level"): 0.9,
}


def public_functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield what a package has in its `__all__`: functions, and methods of its classes."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for method in vars(value).values():
                function = getattr(method, "__func__", method)
                if inspect.isfunction(function) and not function.__name__.startswith("_"):
                    yield function.__name__, function


@pytest.mark.parametrize("module", [db, compare, curves, metrics], ids=lambda m: m.__name__)
def test_a_word_has_the_same_default_everywhere(module: ModuleType) -> None:
    seen = 0
    for name, function in public_functions(module):
        for parameter in inspect.signature(function).parameters.values():
            default = parameter.default
            if parameter.name not in DEFAULTS or default is parameter.empty or default is None:
                continue
            expected = OTHERS.get((name, parameter.name), DEFAULTS[parameter.name])
            assert default == expected, f"{name}({parameter.name}={default!r})"
            seen += 1
    assert seen > 3


@pytest.mark.parametrize(
    ("command", "functions"),
    [
        (uncertainty.uncertainty_command, [db.uncertainty]),
        (uncertainty.gate_command, [db.gate]),
        (uncertainty.plan_command, [db.plan]),
        (weightings.weightings_command, [db.weightings]),
        (tables.targets_command, [db.targets]),
        (tables.frontier_command, [db.frontier]),
        (
            reference.size_command,
            [compare.sample_size_mcnemar, compare.sample_size_tango, compare.sample_size_auc],
        ),
        (metrics_command.metrics_command, [metric_intervals.intervals]),
        (curve.curve_command, [curves.roc, curves.bands, curves.learning_curve]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_command_has_the_defaults_of_its_function(
    command: Callable[..., object], functions: list[Callable[..., object]]
) -> None:
    typed = inspect.signature(command).parameters
    compared = 0
    for function in functions:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name not in typed or parameter.default is parameter.empty:
                continue
            default: Any = typed[parameter.name].default
            if isinstance(default, enum.Enum):
                default = default.value
            if default is None or default is parameter.empty or parameter.default is None:
                continue
            assert default == parameter.default, f"{function.__name__}({parameter.name})"
            compared += 1
    assert compared

"""The page on the options of the models and the reference agree with the models' classes."""

from __future__ import annotations

import re

from pages import ROOT

from deabench.models import MODELS
from deabench.models.options import option_fields
from deabench.results.model import OptionField

PAGE = ROOT / "docs" / "options.md"
HEADER = "| model | class | option | values, the default first | meaning |\n|---|---|---|---|---|\n"


def describe_values(option: OptionField) -> str:
    """Return what an option takes, its default first."""
    values = [f"`{word}`" for word in option.choices]
    if option.default is None:
        values.insert(0, "off")
    else:
        values.sort(key=lambda value: value != f"`{option.default}`")
    if option.form is not None:
        alternatives = [part.strip() for part in option.form.syntax.split("|")]
        values.extend(f"`{part}`" for part in alternatives)
    return ", ".join(values)


def options_table() -> str:
    """Return the table of all options, as the page shows it."""
    rows = []
    for name, model in MODELS.items():
        for position, option in enumerate(option_fields(name)):
            first = f"| `{name}` | `{model.__name__}` |" if position == 0 else "| | |"
            rows.append(f"{first} `{option.name}` | {describe_values(option)} | {option.help} |\n")
    return HEADER + "".join(rows)


def test_the_table_of_options_is_that_of_the_classes():
    table = options_table()
    page = PAGE.read_text(encoding="utf-8")
    assert table in page, f"replace the table of docs/options.md by:\n\n{table}"


def test_the_reference_lists_every_class_of_options():
    reference = (ROOT / "docs/reference/models.rst").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. autoclass:: (\w+)$", reference, flags=re.MULTILINE)
    assert {model.__name__ for model in MODELS.values()} <= set(documented)

"""Declare undesirable outputs, and columns that are given and cannot be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from deabench.errors import DataError
from deabench.tables.recognition.columns import USER_SAYS, Column, DeclaredRole
from deabench.tables.table import Table

Role: TypeAlias = DeclaredRole | Literal["undesirable", "non_discretionary"]
"""Roles that a user can declare."""
PLAIN_ROLES: dict[str, DeclaredRole] = {"undesirable": "cost", "non_discretionary": "left_out"}
"""What a column of a special role is to the other columns."""


def to_plain_roles(roles: Mapping[str, Role] | None) -> dict[str, DeclaredRole]:
    """Return roles with those that every table knows in place of the special ones."""
    plain: dict[str, DeclaredRole] = {}
    for name, role in (roles or {}).items():
        plain[name] = PLAIN_ROLES.get(role, role)  # type: ignore[arg-type]  # others are plain
    return plain


def declare_special_roles(table: Table, roles: Mapping[str, Role] | None) -> Table:
    """Return a table with its undesirable outputs and its given columns.

    Undesirable outputs are inputs and take part in every ranking; given columns are no metrics, but
    limit with what a system is compared.

    Raises
    ------
    DataError
        If such a column holds no numbers.
    """
    special = {name: role for name, role in (roles or {}).items() if role in PLAIN_ROLES}
    if not special:
        return table
    for name in special:
        if name not in table.frame:
            raise DataError(f"'{name}' is declared {special[name]} and holds no numbers")
    undesirable = [name for name, role in special.items() if role == "undesirable"]
    non_discretionary = [name for name, role in special.items() if role == "non_discretionary"]
    return replace(
        table,
        columns=tuple(_declare(column, special.get(column.name)) for column in table.columns),
        undesirable=tuple(dict.fromkeys([*table.undesirable, *undesirable])),
        non_discretionary=tuple(dict.fromkeys([*table.non_discretionary, *non_discretionary])),
    )


def _declare(column: Column, role: str | None) -> Column:
    """Return a column with its special role."""
    if role == "undesirable":
        return replace(column, declared=True)
    if role == "non_discretionary":
        return replace(column, role=role, reason=USER_SAYS)
    return column

"""Several tables, one for each metric, with systems in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.source import Declared, Source


def of_several(parts: Mapping[str, Source]) -> Source:
    """One table of all: each is read by itself, and the systems that they share are joined; files
    of runs are stacked.

    Raises
    ------
    DataError
        Where they have no system in common.
    """
    from deabench.tables.read import interpret_source

    if all(part.stacked for part in parts.values()):
        frame = pd.concat([part.frame for part in parts.values()], ignore_index=True)
        said_ = {name: role for part in parts.values() for name, role in part.said.items()}
        return Source(
            frame,
            "",
            ("model",),
            said_,
            notes=tuple(n for part in parts.values() for n in part.notes),
            stacked=True,
        )
    readings = {
        name: interpret_source(replace(part, title=name), None, {}) for name, part in parts.items()
    }
    tables: list[pd.DataFrame] = []
    said: dict[str, tuple[Declared, str]] = {}
    notes: list[str] = []
    for name, reading in readings.items():
        columns = [c for c in reading.roles.columns if c.metric and c.role != "guess"]
        if not columns:
            raise DataError(
                f"nobody knows what the cells of '{name}' measure; call the file by its metric, as accuracy.csv"
            )
        table = reading.table[[c.name for c in columns]]
        again = [c for c in table.columns if any(c in other.columns for other in tables)]
        tables.append(table.rename(columns={c: f"{c} ({name})" for c in again}))
        for c in columns:
            role: Declared = c.role  # type: ignore[assignment]
            said[f"{c.name} ({name})" if c.name in again else c.name] = (role, c.reason)
        notes += [f"{name}: {note}" for note in reading.notes]
    common = tables[0].index
    for table in tables[1:]:
        common = common[common.isin(table.index)]
    if not len(common):
        raise DataError(
            f"the tables {', '.join(parts)} have no system in common; name the systems alike in all of them"
        )
    dropped = sorted(
        {str(label) for table in tables for label in table.index} - {str(label) for label in common}
    )
    notes += [f"not in every table and left out: {', '.join(dropped)}"] if dropped else []
    frame = pd.concat([table.loc[common] for table in tables], axis=1)
    name = str(common.name or "system")
    return Source(
        frame.rename_axis(name).reset_index(),
        " and ".join(parts),
        (name,),
        said,
        notes=tuple(notes),
    )

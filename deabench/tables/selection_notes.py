"""Say what was selected from a table and why something cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deabench.tables.recognition.columns import OTHER_INPUTS, Column
from deabench.tables.table import Table
from deabench.tables.vocabulary import look_up_metric
from deabench.utils.text import quote_names

NO_OUTPUTS = "no outputs: the table has no numeric column left; name at least one metric as output"
MAX_NOTED_COLUMNS = 8


def explain_instances(table: Table) -> str:
    """Say what to do with predictions, scores and counts, which are no metrics."""
    count = len(table.frame)
    content = "counts" if table.kind == "counts" else f"{table.kind} of instances"
    name = table.title or "the table"
    return (
        f"'{name}' holds {content} of {count} classifiers, no metrics; `deabench metrics FILE` "
        "computes metrics, and `deabench uncertainty FILE` intervals and verdicts"
    )


def describe_contradictions(
    outputs: Sequence[str], inputs: Sequence[str], maxima: Mapping[str, float]
) -> tuple[str, ...]:
    """Note outputs and inputs of the user whose names say the contrary."""
    notes = []
    meanings = {name: look_up_metric(name) for name in (*outputs, *inputs) if name not in maxima}
    for names, phrase, contrary, remedy in (
        (outputs, "outputs takes higher", "lower", "pass it in lower_is_better"),
        (inputs, "inputs takes lower", "higher", "name it in outputs"),
    ):
        wrong = [
            name
            for name in names
            if (meaning := meanings.get(name)) is not None and meaning.better == contrary
        ]
        if wrong:
            notes.append(
                f"{phrase} as better, but the name says {contrary} is better: "
                f"{quote_names(wrong)}; if the name is right, {remedy}"
            )
    return tuple(notes)


def describe_guesses(columns: Sequence[Column], inputs: Sequence[str]) -> list[str]:
    """Note which columns became inputs or were left out; outputs need no note."""
    notes = []
    if inputs:
        notes.append(f"inputs, for lower is better: {quote_names(inputs)}")
    left_out = [c for c in columns if c.role == "left_out" and "text" not in c.reason]
    left_out.sort(key=lambda column: column.reason == OTHER_INPUTS)
    notes += [f"'{c.name}' is left out: {c.reason}" for c in left_out[:MAX_NOTED_COLUMNS]]
    return notes


def describe_roles(table: Table) -> list[str]:
    """Note the role of each column of a file."""
    notes = []
    if table.outputs:
        notes.append(f"higher is better in {quote_names(table.outputs)}")
    if table.complemented:
        names = quote_names(list(table.complemented))
        notes.append(f"lower is better in {names}, complemented inside")
    if table.inputs:
        notes.append(f"inputs, for lower is better: {quote_names(table.inputs)}")
    unused = []
    for name, reason in table.left_out.items():
        if reason.endswith("taken"):
            notes.append(f"'{name}' is left out: {reason}")
        elif name in table.frame:
            unused.append(name)
    if unused:
        notes.append(f"left out: {quote_names(unused)}")
    return notes


def explain_no_outputs(undecided: Sequence[str], inputs: Sequence[str]) -> str:
    """Explain why there is no output, and how to name one."""
    if not undecided:
        return NO_OUTPUTS
    remedy = f"name those of {quote_names(undecided)} that are, as outputs=['{undecided[0]}']"
    if inputs:
        remedy += (
            f"; or write outputs=[] to rank by {quote_names(inputs)} alone, the less the better"
        )
    return f"no column has a name that says higher is better; {remedy}"

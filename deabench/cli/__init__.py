"""The command line: each verb calls one function of the library.

`deabench --help` must answer at once, so this module imports only the standard library. The module
of a verb is imported when the verb is called.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import NamedTuple


class Verb(NamedTuple):
    """Where a verb is implemented and documented.

    Attributes
    ----------
    function : str
        Module of `deabench.cli` and the name in it: a function, or a typer app with sub-commands.
    page : str
        The page of docs/ that explains the verb; its --help ends with it.
    purpose : str
        The line of `deabench --help`.
    """

    function: str
    page: str
    purpose: str


VERBS = {
    "read": Verb("tables:read_command", "tables", "show how each column of a table is interpreted"),
    "rank": Verb("rank:rank_command", "ranking", "rank the systems of a table by efficiency"),
    "frontier": Verb(
        "tables:frontier_command",
        "frontier",
        "list the facets of the frontier and the systems that span them",
    ),
    "targets": Verb(
        "tables:targets_command",
        "targets",
        "find the closest point of the frontier for each system",
    ),
    "weightings": Verb(
        "weightings:weightings_command",
        "weightings",
        "tell which ranks each system takes over all weightings of the metrics",
    ),
    "metrics": Verb(
        "metrics:metrics_command",
        "metrics",
        "turn predictions, scores or counts into the table that rank reads",
    ),
    "curve": Verb(
        "curve:curve_command",
        "curves",
        "trace ROC curves with Tango's intervals, gain, lift, cost and other curves",
    ),
    "compare": Verb("compare:compare_command", "compare", "test which systems differ"),
    "size": Verb(
        "reference:size_command", "compare", "compute how many instances a test set must have"
    ),
    "uncertainty": Verb(
        "uncertainty:uncertainty_command",
        "uncertainty",
        "give verdicts, intervals and ranks that hold together at 95 %",
    ),
    "gate": Verb(
        "uncertainty:gate_command",
        "gate",
        "pass a new model only if it is shown to be good enough; exit status and JSON",
    ),
    "plan": Verb(
        "uncertainty:plan_command",
        "gate",
        "compute how large a test set must be for a verdict or a gate",
    ),
    "reproduce": Verb(
        "reference:reproduce_command",
        "reproduce",
        "recompute every printed table of the paper, cell by cell",
    ),
    "study": Verb(
        "study:app", "study", "run many classifiers on many data sets; a stopped run continues"
    ),
    "recommend": Verb(
        "study:recommend_command",
        "recommend",
        "list the classifiers to try on new data, from the results of a study",
    ),
    "report": Verb(
        "report:report_command",
        "report",
        "write one self-contained page about a table, a ranking or a study",
    ),
    "models": Verb(
        "reference:models_command", "models", "print the models with their options and formulations"
    ),
    "docs": Verb("reference:docs_command", "commands", "print a page of the documentation"),
    "completion": Verb(
        "_run:completion_command", "commands", "print the lines that make a shell complete commands"
    ),
}
COMPLETION_VARIABLE = "_DEABENCH_COMPLETE"
"""A shell sets this environment variable to ask what could come next."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as of every program that a signal ends: 128 + 2."""

USAGE = """Usage: deabench COMMAND [OPTIONS] ...

Compare classifiers by data envelopment analysis.

Commands:
{verbs}

Type 'deabench help COMMAND' for the options of a command and the page that explains it, 'deabench
version' for the version. Results are written to stdout, messages to stderr (--quiet: none); the
file '-' is standard input. Exit codes: 0: done; 1: the data were rejected, the solver failed, or
the time limit left only a part of the answer; 2: wrong usage.
"""


def usage_text() -> str:
    """Return the top-level help: the verbs, one line each."""
    lines = [f"  {name:<11}  {verb.purpose}" for name, verb in VERBS.items()]
    return USAGE.format(verbs="\n".join(lines))


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; the entry point of the `deabench` script.

    Ctrl-C ends it without a message, also while modules are imported or a question is open.

    Parameters
    ----------
    arguments : list of str, optional
        The words after `deabench`; without it those of the process.

    Returns
    -------
    int
        0: done; 1: the data were rejected, the solver failed, or the time limit left a part of the
        answer only, with one sentence on stderr; 2: wrong usage; 130: interrupted.
    """
    if arguments is None:
        arguments = sys.argv[1:]
        # A command makes few reference cycles and many modules: collecting takes longer than the
        # work itself.
        gc.set_threshold(300_000)
        atexit.register(gc.freeze)
    # A shell asks for completions by this variable, whatever the arguments are.
    if COMPLETION_VARIABLE in os.environ:
        from deabench.cli._run import complete

        return complete()
    # `help VERB` is `VERB --help`, also of a sub-command.
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if not arguments or arguments[0] in ("--help", "-h"):
        sys.stdout.write(usage_text())
        # Without a command the usage is printed as the answer to an error.
        return 0 if arguments else 2
    if arguments[0] in ("version", "--version"):
        from deabench import __version__

        sys.stdout.write(f"deabench {__version__}\n")
        return 0
    if arguments[0] not in VERBS:
        from deabench.utils.checks import did_you_mean

        # Close names are searched only when there is a typing error.
        hint = did_you_mean(arguments[0], list(VERBS))
        sys.stderr.write(f"deabench: there is no command {arguments[0]!r}; {hint}\n")
        return 2
    try:
        from deabench.cli._run import run_verb

        return run_verb(arguments[0], arguments[1:])
    except KeyboardInterrupt:
        # Imports, which take a second, and questions end like computations.
        return INTERRUPTED

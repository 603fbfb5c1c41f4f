"""The command line: one verb is one library call.

`deabench --help` must answer at once, so this file imports nothing but the standard library; each
verb lives in a module of its own, whose `command` (a function that typer understands) or `app` (a
typer app with sub-verbs) is imported only when that verb is called."""

from __future__ import annotations

import atexit
import gc
import os
import sys

VERBS = {
    "read": "what each column of a table measures, as rank takes it",
    "rank": "efficiencies of the classifiers of a table, best first",
    "frontier": "the extreme classifiers of a table and the facets between them",
    "targets": "where on the frontier a classifier could get to with the least change",
    "metrics": "predictions, scores or counts to the metric table that rank reads",
    "curve": "ROC points with Tango's intervals, gain, lift, cost and other curves of scores",
    "compare": "statistical tests between classifiers",
    "size": "how many instances a test set must have",
    "uncertainty": "how sure the efficiencies are: verdicts, intervals and ranks with proven coverage",
    "gate": "whether a new model is efficient beside those in use, by exit status and as JSON",
    "reproduce": "every printed table of the paper: printed, computed, verdict",
    "study": "many classifiers on many data sets, in one resumable run",
    "report": "one self-contained page (HTML, Markdown or LaTeX) about a table, a ranking or a study",
    "models": "the formulations, as text",
    "completion": "the lines that make a shell complete all this",
}
PAGES = {verb: verb for verb in ("metrics", "compare", "uncertainty", "study", "report")} | {
    "read": "tables",
    "rank": "ranking",
    "frontier": "frontier",
    "targets": "targets",
    "curve": "curves",
    "gate": "uncertainty",
    "reproduce": "reproduce",
    "models": "models",
    "completion": "commands",
    "size": "compare",
}
"""The page of docs/ that explains each verb; its --help ends with it."""

USAGE = """Usage: deabench COMMAND [OPTIONS] ...

Compare classifiers by data envelopment analysis.

Commands:
{verbs}

'deabench COMMAND --help' tells what a command takes and which page explains it; the first page is docs/start.md.
Data go to standard output, talk to standard error; '-' is standard input. Exit codes: 0 done, 1 the data or the
solver said no, 2 wrong usage.
"""


def usage() -> str:
    """The top-level help: the verbs, one line each."""
    return USAGE.format(verbs="\n".join(f"  {verb:<11}  {line}" for verb, line in VERBS.items()))


def main(argv: list[str] | None = None) -> int:
    """Run one verb; the entry point of the `deabench` script.

    Returns
    -------
    int
        0 done, 1 the data or the solver said no (one sentence on standard error), 2 wrong usage.
    """
    if argv is None:
        argv = sys.argv[1:]
        gc.set_threshold(
            100_000
            # a command makes few cycles and many modules: looking for some takes longer than the work
        )
        atexit.register(gc.freeze)  # nor when it ends
    if "_DEABENCH_COMPLETE" in os.environ:
        from deabench.cli.completion import answer

        return answer()
    if not argv or argv[0] in ("--help", "-h"):
        sys.stdout.write(usage())
        return 0 if argv else 2
    if argv[0] == "--version":
        from deabench import __version__

        sys.stdout.write(f"deabench {__version__}\n")
        return 0
    if argv[0] not in VERBS:
        from deabench.utils.checks import did_you_mean

        sys.stderr.write(
            f"deabench: there is no command '{argv[0]}'; {did_you_mean(argv[0], list(VERBS))}\n"
        )
        return 2
    from deabench.cli._run import run

    return run(argv[0], argv[1:])

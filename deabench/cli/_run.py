"""Run one verb with typer; errors become one sentence and an exit code. Complete for shells."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, cast

import typer
from typer.core import TyperOption
from typer.main import get_command

from deabench.cli import COMPLETION_VARIABLE, VERBS
from deabench.cli._io import all_notes, print_message, printable_streams
from deabench.cli.options.declarations import answer_words, parse_numbers, question_text
from deabench.cli.options.proposals import (
    FindRefusal,
    complete_answer,
    complete_question,
    select_and_check,
    trying,
)
from deabench.errors import DataError, DeabenchError, UsageError
from deabench.tables.naming.questions import Answer, Question, UndecidedError
from deabench.tables.readers.limits import reading_options
from deabench.utils.files import find_overwritten
from deabench.utils.progress import time_limit

DEVICE_ERRORS = (errno.ENOSPC, errno.EIO, errno.EFBIG)
"""What the system reports when it cannot write to stdout."""
LIMITED_VERBS = ("rank", "frontier", "targets", "report")
"""Verbs that may compute for hours."""
PROPOSING_VERBS = ("rank", "frontier", "targets")
"""Verbs that have the options which errors propose."""
SECONDS = 50.0
"""The time limit of these verbs, unless another is typed ..."""
LONGEST = 60.0
"""... or they are on the way to end within this time."""
# typer has click inside, without public names for its classes.
Command: TypeAlias = Any
Context: TypeAlias = Any
Parameter: TypeAlias = Any
TYPED_WORDS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The environment variables in which bash and the other shells put what was typed."""
READING_VERBS = (
    "read",
    "rank",
    "frontier",
    "targets",
    "weightings",
    "metrics",
    "compare",
    "uncertainty",
    "gate",
    "report",
    "curve",
)
"""Verbs that read tables of any format."""
Shell = Literal["bash", "zsh", "fish", "powershell"]
WRITTEN = {"out": "-o", "plot": "--plot", "graphml": "--graphml"}
"""Parameters of verbs that name a file to write, and their options."""
READ = (
    "files",
    "file",
    "results",
    "study",
    "reference",
    "uncertainty",
    "costs",
    "tested",
    "clusters",
    "ledger",
)
"""Parameters of verbs that may name files to read."""


def run_verb(name: str, arguments: list[str]) -> int:
    """Import the module of a verb, parse the arguments and call it.

    Returns
    -------
    int
        The exit code; see `deabench.cli.main`.
    """
    with printable_streams():
        while True:
            try:
                return _call_verb(name, arguments)
            except UndecidedError as error:
                question = complete_question(error.question, refusal_finder(name, arguments))
                words = _ask(question)
                if words is None:
                    text = question_text(question, [name, *arguments])
                    print_message(f"deabench: {text}")
                    return 1
                # The verb begins again with the answer.
                arguments = [*arguments, *words]


def _ask(question: Question) -> list[str] | None:
    """Ask which way is better in some columns; return the options of the answer.

    None where there is no terminal, or no answer.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    words = "/".join(question.answers)
    default = question.default or next(iter(question.answers))
    print_message(question.text)
    sys.stderr.write(f"[{words}] ({default}): ")
    sys.stderr.flush()
    typed = sys.stdin.readline()
    matches = [key for key in question.answers if key.startswith(typed.strip().lower())]
    if not typed or (typed.strip() and not matches):
        return None
    return answer_words(question.answers[matches[0] if typed.strip() else default])


def refusal_finder(name: str, arguments: list[str]) -> FindRefusal:
    """Return a function that tells what refuses a command with an answer added, without solving.

    It prints nothing, and what it cannot tell refuses nothing: it only improves a message.
    """

    def find_refusal(answer: Answer) -> DataError | None:
        command = _make_command(name)
        words = [*arguments, *answer_words(answer)]
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore")
                stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
                stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
                stack.enter_context(trying(select_and_check))
                command(words, prog_name=f"deabench {name}")
        except UndecidedError as error:
            return error
        except DataError as error:
            # What is typed already is not typed again otherwise.
            return error if _may_propose(error, name, arguments) else None
        except (DeabenchError, OSError, MemoryError, SystemExit):
            return None
        return None

    return find_refusal


def _may_propose(error: DataError, name: str, arguments: list[str]) -> bool:
    """Return whether a verb takes what would avoid an error, and nobody typed it otherwise."""
    typed = {argument.split("=")[0] for argument in arguments}
    repeated = any(f"--{option.replace('_', '-')}" in typed for option in error.options)
    # What is typed as a metric takes part, also if it is to be ignored.
    if "ignore" in error.options and typed & {"--outputs", "--inputs", "--lower-is-better"}:
        return False
    return bool(error.options) and name in PROPOSING_VERBS and not repeated


def _call_verb(name: str, arguments: list[str]) -> int:
    command = _make_command(name)
    # Warnings become one line on stderr, as errors do; of the arguments only the text is needed.
    warnings.showwarning = _print_warning  # type: ignore[assignment]  # of fewer arguments
    try:
        try:
            command(arguments, prog_name=f"deabench {name}")
        finally:
            # A full disk must be reported here, not when Python ends.
            sys.stdout.flush()
    except UndecidedError:
        raise
    except DeabenchError as error:
        print_message(f"deabench: {error}")
        if isinstance(error, DataError) and _may_propose(error, name, arguments):
            answer = complete_answer(cast(Answer, error.options), refusal_finder(name, arguments))
            words = ["deabench", name, *arguments, *answer_words(answer)]
            print_message(f"To do so, type\n  {shlex.join(words)}")
        return 2 if isinstance(error, UsageError) else 1
    except MemoryError:
        sys.stderr.write(
            "deabench: this needs more memory than there is; give a part of the data\n"
        )
        return 1
    except BrokenPipeError:
        # The program that read our output has ended; this is no error of ours.
        _discard_stdout()
        return 1
    except OSError as error:
        if error.errno not in DEVICE_ERRORS:
            raise
        _discard_stdout()
        sys.stderr.write(
            f"deabench: cannot write to stdout: {error.strerror}; nothing more was written\n"
        )
        return 1
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


def _make_command(name: str) -> Command:
    """Return the verb as a command with the options of all verbs, whose help ends with its page."""
    loaded = _load_command(name)
    if isinstance(loaded, typer.Typer):
        app = loaded
    else:
        app = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )
        app.command()(loaded)
    app.info.epilog = f"More: deabench docs {VERBS[name].page}"
    # The app itself shows the epilog of a single command, the sub-commands show their own.
    for sub_command in app.registered_commands:
        sub_command.epilog = app.info.epilog
    command = get_command(app)
    _add_common_options(command, name)
    return command


def _add_common_options(command: Command, verb: str) -> None:
    """Add the options that many verbs have, and their short names, also to sub-commands."""
    command.context_settings = {"help_option_names": ["-h", "--help"]}
    parse_arguments = command.parse_args

    def parse_safely(context: Context, arguments: list[str]) -> Any:
        remaining_arguments = parse_arguments(context, arguments)
        # A verb may compute for minutes before it writes: what it would overwrite is told before.
        check_outputs(context.params)
        return remaining_arguments

    command.parse_args = parse_safely
    # `study run` and its like have the same options.
    for sub_command in getattr(command, "commands", {}).values():
        _add_common_options(sub_command, verb)
    quiet = _flag(["-q", "--quiet"], "Print no messages besides errors.", _be_quiet)
    verbose = _flag(
        ["-v", "--verbose"], "Print all notes to a terminal, not only one line.", _be_verbose
    )
    no_color = _flag(
        ["--no-color"], "Print no colours, as with the variable NO_COLOR.", _use_no_color
    )
    command.params += [quiet, verbose, no_color]
    # Verbs that read files choose a sheet and say how large a file may be.
    if verb in READING_VERBS:
        sheet = _option(
            "--sheet",
            "The sheet of a workbook or table of a document: its name or number.",
            _choose_sheet,
        )
        limits = _option(
            "--limit",
            "How large a file may be, as columns=5000; also bytes, rows, cells, depth.",
            _limit_files,
            multiple=True,
        )
        command.params += [sheet, limits]
    # Verbs that solve programs can be limited in time.
    if verb in LIMITED_VERBS:
        limit = _option(
            "--time-limit",
            f"Stop after this time with what is proved. Default: {SECONDS:g}, if more than "
            f"{LONGEST:g} would be needed.",
            _limit_time,
            type=float,
            metavar="SECONDS",
        )
        command.params.append(limit)


def _option(name: str, purpose: str, act: Callable[..., None], **settings: Any) -> TyperOption:
    """Return an option that acts where it is typed, and that no command has as a parameter."""
    settings = {"type": str, **settings}
    return TyperOption(
        param_decls=[name], help=purpose, callback=act, expose_value=False, **settings
    )


def _flag(names: list[str], purpose: str, act: Callable[[Context], None]) -> TyperOption:
    """Return an option without a value that acts where it is typed."""

    def call(context: Context, _: Parameter, is_typed: bool) -> None:
        if is_typed:
            act(context)

    return TyperOption(
        param_decls=names,
        is_flag=True,
        default=False,
        expose_value=False,
        callback=call,
        help=purpose,
        is_eager=True,
    )


def _be_quiet(context: Context) -> None:
    """Let the command run without messages; its arguments are read before that."""
    invoke = context.command.invoke

    def invoke_silently(context: Context) -> Any:
        # Errors are printed after the command, when stderr is itself again.
        with contextlib.redirect_stderr(io.StringIO()):
            return invoke(context)

    context.command.invoke = invoke_silently


def _be_verbose(context: Context) -> None:
    context.with_resource(all_notes())


def _use_no_color(context: Context) -> None:
    before = os.environ.get("NO_COLOR", "")
    os.environ["NO_COLOR"] = "1"
    context.call_on_close(lambda: os.environ.update(NO_COLOR=before))


def _choose_sheet(context: Context, _: Parameter, sheet: str | None) -> None:
    context.with_resource(reading_options(sheet))


def _limit_files(context: Context, _: Parameter, texts: Sequence[str] | None) -> None:
    limits = parse_numbers(texts or None, "--limit") or {}
    wanted = {name: int(value) for name, value in limits.items()}
    context.with_resource(reading_options(limits=wanted or None))


def _limit_time(context: Context, _: Parameter, seconds: float | None) -> None:
    limit = time_limit(seconds) if seconds is not None else time_limit(SECONDS, longest=LONGEST)
    context.with_resource(limit)


def _load_command(name: str) -> Any:
    module, function = VERBS[name].function.split(":")
    return getattr(importlib.import_module(f"deabench.cli.{module}"), function)


def _discard_stdout() -> None:
    """Send what is still buffered to the null device, so that Python can end without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_warning(message: Warning | str, *_: object) -> None:
    print_message(f"deabench: warning: {message}")


def completion_command(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh, fish or powershell.")],
) -> None:
    """Print the lines that make SHELL complete commands, options, their words and file names.

    'deabench docs commands' says where to put them.
    """
    # This function is documented by typer, but is not in its __all__.
    from typer.completion import get_completion_script  # type: ignore[attr-defined]  # see above

    script = get_completion_script(
        prog_name="deabench", complete_var=COMPLETION_VARIABLE, shell=shell
    )
    sys.stdout.write(script + "\n")


def complete() -> int:
    """Print what could come next for the shell that asks; import only the verb that is typed."""
    app = typer.Typer(rich_markup_mode=None)
    line = next((os.environ[name] for name in TYPED_WORDS if name in os.environ), "")
    # The second word is the verb; an incomplete one matches none.
    typed_verb = line.split()[1:2]
    for name, verb in VERBS.items():
        # Other verbs need a name and a help line only, and no import.
        command = _load_command(name) if [name] == typed_verb else _do_nothing
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, help=verb.purpose)(command)
    completed: Any = get_command(app)
    for name in set(typed_verb) & set(VERBS):
        _add_common_options(completed.commands[name], name)
    try:
        completed(prog_name="deabench")
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def _do_nothing() -> None:
    """Stand for a verb that is not being typed."""


def check_outputs(parameters: Mapping[str, Any]) -> None:
    """Refuse an output of a command that is one of its inputs, also through links and patterns.

    Parameters
    ----------
    parameters : mapping of str to object
        The parsed arguments and options of a verb.

    Raises
    ------
    UsageError
    """
    for name, option in WRITTEN.items():
        path = parameters.get(name)
        # `-` is stdout.
        if path is None or str(path) == "-":
            continue
        source = find_overwritten(path, _read_names(parameters))
        if source is not None:
            raise UsageError(
                f"{option} '{path}' would overwrite {_describe_source(source, str(path))}, which "
                "is read; name another file"
            )


def _read_names(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Return the words of a command that may name files to read."""
    for name in READ:
        value = parameters.get(name)
        if isinstance(value, list | tuple):
            yield from map(str, value)
        elif value is not None:
            yield str(value)


def _describe_source(source: str, path: str) -> str:
    """Return how a message calls a source: by its name where the output has another."""
    if source in (path, "-"):
        return "the file"
    if os.path.isfile(source):
        return f"'{source}'"
    return f"a file of '{source}'"

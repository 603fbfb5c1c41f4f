"""The progress of a study on standard error: done of total, rate, time left, failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

if TYPE_CHECKING:
    from deabench.study.running.tasks import Outcome
    from deabench.study.spec import Task as StudyTask


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f} tasks/s" if task.speed else "")


@contextmanager
def watched() -> Iterator[tuple[Callable[[int, int], None], Callable[[StudyTask, Outcome], None]]]:
    """Give the two functions that `Study.run` calls: one before the first task, one after each.

    Off a terminal a line is written for each failure and none for progress.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failures]}"),
    )
    stderr = Console(stderr=True)
    with Progress(
        *columns, console=stderr, disable=not stderr.is_terminal, transient=True
    ) as progress:
        bar = progress.add_task("tasks", total=None, failures="")
        failed = 0

        def begin(total: int, to_do: int) -> None:
            said = f"{total - to_do} of {total} tasks are in the store, {to_do} to do"
            stderr.print(said, highlight=False, markup=False)
            progress.update(bar, total=to_do)

        def watch(task: StudyTask, outcome: Outcome) -> None:
            nonlocal failed
            if outcome.status != "done":
                failed += 1
                progress.update(bar, failures=f"{failed} failed")
                stderr.print(
                    f"{outcome.status}: {task.label}: {outcome.error[0]}: {outcome.error[1]}",
                    highlight=False,
                    markup=False,
                )
            progress.advance(bar)

        yield begin, watch

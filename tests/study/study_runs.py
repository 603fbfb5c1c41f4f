"""Studies run as a user runs them: a process that can be disturbed, and who is alive after it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

SLOW = """
seed = 7
allow_imports = true
[data]
names = ["glass-0-4_vs_5", "new-thyroid1"]
[split]
folds = 5
[classifiers]
"C4.5" = {}
SMC = {}
RUS = {}
slow = {import = "poison.Good", seconds = 0.25}
noisy = {import = "poison.Noisy"}
"""
"""50 tasks, of which ten take a quarter of a second."""


class Running:
    """A study run as a process of its own, whose temporary folder the test can look into."""

    def __init__(self, file: Path, *options: str) -> None:
        self.file = file
        self.scratch = file.parent / "scratch"
        self.scratch.mkdir(exist_ok=True)
        paths = [str(ROOT), str(ROOT / "models"), str(HERE)]
        environment = {**os.environ, "TMPDIR": str(self.scratch), "PYTHONPATH": os.pathsep.join(paths)}
        self.process = subprocess.Popen([sys.executable, "-m", "deabench", "study", "run", str(file), "--workers", "2",
                                         "--format", "json", *options], env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def wait_for_rows(self, least: int) -> None:
        """Until the store holds so many committed results."""
        store = self.file.with_suffix(".sqlite")
        for _ in range(2400):
            if store.exists():
                with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=10)) as db:
                    try:
                        if db.execute("SELECT count(*) FROM results").fetchone()[0] >= least:
                            return
                    except sqlite3.OperationalError:  # the tables are not there yet
                        pass
            time.sleep(0.05)
        raise TimeoutError(f"the store never held {least} rows")

    def busy_worker(self) -> int:
        """The process id of a worker that is in the middle of a task."""
        for _ in range(600):
            marks = list(self.scratch.glob("deabench-*/*.running"))
            if marks:
                return int(marks[0].stem)
            time.sleep(0.01)
        raise TimeoutError("no worker was ever busy")

    def family(self) -> set[int]:
        """The ids of the run's process and of all its descendants."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except OSError:
                    continue
        found = {self.process.pid}
        while more := {child for child, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def finish(self) -> dict:
        """Wait for the end; the status that the command wrote."""
        out, self.said = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, self.said
        return json.loads(out)[0]


def alive(pids: set[int]) -> set[int]:
    """Those that still run (a zombie does not)."""
    found = set()
    for pid in pids:
        try:
            state = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            found.add(pid)
    return found


def gone(pids: set[int], seconds: float = 10.0) -> bool:
    """Whether all of them end within the time."""
    until = time.monotonic() + seconds
    while alive(pids) and time.monotonic() < until:
        time.sleep(0.1)
    return not alive(pids)

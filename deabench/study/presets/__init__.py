"""The study files that `deabench study init` writes."""

from __future__ import annotations

from pathlib import Path

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean
from deabench.utils.files import write_whole

HERE = Path(__file__).parent


def preset_names() -> list[str]:
    return sorted(path.stem for path in HERE.glob("*.toml"))


def write_preset(path: str | Path, name: str = "default", *, replace: bool = False) -> None:
    """Write a preset as a study file.

    Raises
    ------
    DataError
        For a name that is not a preset's, or a file that is there already (unless `replace`).
    """
    if name not in preset_names():
        raise DataError(f"there is no preset '{name}'; {did_you_mean(name, preset_names())}")
    if Path(path).exists() and not replace:
        raise DataError(f"'{path}' is there already; give another name, or --force to replace it")
    write_whole(path, (HERE / f"{name}.toml").read_text(encoding="utf-8"))

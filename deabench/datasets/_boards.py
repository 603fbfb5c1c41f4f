"""Small public leaderboards, shipped as the files that they are: for `deabench.read`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

BOARDS = {
    "timm-speed": (
        "timm_speed.csv",
        "149 image models: ImageNet accuracy, size, and images per second on an RTX 4090",
        "huggingface/pytorch-image-models, results/ (two files joined, every eighth model)",
        "Apache-2.0",
    ),
    "alpaca-evaluators": (
        "alpaca_evaluators.csv",
        "32 language models as judges: agreement with people, price and time",
        "tatsu-lab/alpaca_eval, evaluators_leaderboard.csv",
        "Apache-2.0",
    ),
    "amlb-small": (
        "amlb_small.csv",
        "five AutoML systems on 16 tasks, three folds each, with failures: long layout",
        "openml/automlbenchmark, reports/old/input/results_small-8c4h.csv (some columns and folds)",
        "MIT",
    ),
}
"""Name to (file, title, source, licence)."""


def board(name: str) -> Path:
    """The file of a shipped leaderboard, for `deabench.read` and the commands.

    Parameters
    ----------
    name : {"timm-speed", "alpaca-evaluators", "amlb-small"}

    Raises
    ------
    DataError
        Where the name is unknown, with the nearest one.

    Examples
    --------
    >>> import deabench as db
    >>> db.read(db.datasets.board("timm-speed")).roles.costs
    ['param_count', 'infer_gmacs']
    """
    if name not in BOARDS:
        raise DataError(f"there is no leaderboard '{name}'; {did_you_mean(name, list(BOARDS))}")
    return Path(str(files("deabench.datasets") / "boards" / BOARDS[name][0]))

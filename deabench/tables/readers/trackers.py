"""Adapt the tables of experiment trackers and benchmark tools, which are known by their columns.

These are MLflow, Weights & Biases, OpenML, AutoGluon, OpenCompass and LiteLLM's price list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from deabench.tables.readers.frames import Source
from deabench.tables.recognition.columns import Declaration

MLFLOW_NAMES = ("tags.mlflow.runName", "Name")
"""The columns of a run's name in MLflow's frames, and in the CSV of its page."""
WANDB_COLUMNS = {"Name", "State", "Created", "Runtime"}
"""Columns of the table of runs that Weights & Biases exports."""
WANDB_TEXTS = (
    "ID",
    "Notes",
    "User",
    "Tags",
    "Created",
    "Updated",
    "End Time",
    "Hostname",
    "Sweep",
    "Commit",
    "GitHub",
    "Group",
    "Job Type",
    "Description",
)
OPENML_COLUMNS = {"flow_name", "data_name", "function", "value"}
AUTOGLUON_COLUMNS = {"model", "score_val", "fit_order", "stack_level"}
OPENCOMPASS_COLUMNS = {"dataset", "version", "metric", "mode"}
PRICES = ("input_cost_per_token", "output_cost_per_token")
"""The prices of text in LiteLLM's list; pictures, caches and searches have others."""


def adapt_tool_table(source: Source) -> Source:
    """Return a table of a known tool with its roles and without what is no result; others as is."""
    names = set(map(str, source.frame.columns))
    run_name = next((name for name in MLFLOW_NAMES if name in names), None)
    is_mlflow = bool({"run_id", "Run ID"} & names) and bool({"status", "Status"} & names)
    if is_mlflow and run_name is not None:
        return _adapt_mlflow(source, run_name)
    if names >= WANDB_COLUMNS:
        return _adapt_wandb(source)
    if names >= OPENML_COLUMNS:
        # `values` and `array_data` hold the folds and classes as text.
        frame = source.as_text().frame.drop(columns=["values", "array_data"], errors="ignore")
        return replace(source, frame=frame, label=("flow_name",), read_text=None)
    if names >= AUTOGLUON_COLUMNS:
        return _adapt_autogluon(source, names)
    if names >= OPENCOMPASS_COLUMNS:
        # Versions are hashes of the prompts, modes say how answers were made.
        frame = source.as_text().frame.drop(columns=["version", "mode"])
        return replace(source, frame=frame, read_text=None)
    return source


def _adapt_mlflow(source: Source, run_name: str) -> Source:
    """Leave out runs that did not finish, and name the others by their names."""
    source = source.as_text()
    frame = _drop_written_rankings(source.frame)
    status = "status" if "status" in frame else "Status"
    is_finished = frame[status].astype(str).str.upper().isin(("FINISHED", ""))
    notes = source.notes
    unfinished = int((~is_finished).sum())
    if unfinished:
        notes = (*notes, f"{unfinished} of {len(is_finished)} runs did not finish and are left out")
    frame = frame[is_finished].reset_index(drop=True)
    # A run without a name is called by its id.
    identifier = "run_id" if "run_id" in frame else "Run ID"
    unnamed = frame[run_name].isna() | (frame[run_name].astype(str).str.strip() == "")
    frame[run_name] = frame[run_name].where(~unnamed, frame[identifier])
    return replace(source, frame=frame, label=(run_name,), notes=notes)


def _drop_written_rankings(frame: pd.DataFrame) -> pd.DataFrame:
    """Drop what `Ranking.log_to_mlflow` wrote: its columns, and runs that hold nothing else."""
    written = [name for name in frame if str(name).rpartition(".")[2].startswith("deabench_")]
    models = [name for name in written if str(name).endswith("deabench_model")]
    metrics = [name for name in frame if str(name).startswith("metrics.") and name not in written]
    # Cells that are empty are NaN in a frame and "" in a file.
    is_filled = frame.notna() & (frame != "")
    has_model = is_filled[models].any(axis=1)
    has_metrics = is_filled[metrics].any(axis=1)
    return frame[has_metrics | ~has_model].drop(columns=written).reset_index(drop=True)


def _adapt_wandb(source: Source) -> Source:
    """Leave out runs that did not finish, and what Weights & Biases notes about a run."""
    source = source.as_text()
    is_finished = source.frame["State"].astype(str).str.lower() == "finished"
    notes = source.notes
    unfinished = int((~is_finished).sum())
    if unfinished:
        notes = (*notes, f"{unfinished} of {len(is_finished)} runs did not finish and are left out")
    # Names with an underscore are the system's own: _step, _timestamp, _runtime.
    texts = [name for name in source.frame if name in WANDB_TEXTS or str(name).startswith("_")]
    frame = source.frame[is_finished].drop(columns=["State", *texts]).reset_index(drop=True)
    return replace(source, frame=frame, label=("Name",), notes=notes)


def _adapt_autogluon(source: Source, names: set[str]) -> Source:
    """Take the test score and the whole times: marginal and validation times are parts of them."""
    declarations: dict[str, Declaration] = dict(source.declarations)
    for name in names:
        if name.endswith("_marginal"):
            declarations[name] = ("left_out", f"it is a part of '{name.removesuffix('_marginal')}'")
    for validation, test in (("score_val", "score_test"), ("pred_time_val", "pred_time_test")):
        if test in names:
            declarations[validation] = ("left_out", f"'{test}' is measured on the test data")
    # AutoGluon turns the sign of a loss, so that every score is better high.
    for name in ("score_test", "score_val"):
        if name in names and name not in declarations:
            declarations[name] = ("output", "declared by AutoGluon")
    return replace(source, label=("model",), declarations=declarations)


def is_price_list(data: object) -> bool:
    """Return whether data is LiteLLM's list of prices, {model: {"input_cost_per_token": ...}}."""
    return (
        isinstance(data, Mapping)
        and bool(data)
        and all(isinstance(item, Mapping) for item in data.values())
        and any("litellm_provider" in item and PRICES[0] in item for item in data.values())
    )


def read_price_list(data: Mapping[str, Any], title: str) -> Source:
    """Read the prices of text models of LiteLLM's list."""
    rows = []
    for name, item in data.items():
        prices = {price: item.get(price) for price in PRICES}
        if name != "sample_spec" and all(isinstance(x, int | float) for x in prices.values()):
            rows.append({"model": name, **prices})
    declarations: dict[str, Declaration] = dict.fromkeys(PRICES, ("cost", "declared by LiteLLM"))
    left_out = len(data) - len(rows)
    notes = (f"{left_out} entries without both prices per token are left out",) if left_out else ()
    return Source(pd.DataFrame(rows), title, ("model",), declarations, notes=notes)

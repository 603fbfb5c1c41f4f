"""Write a ranking into MLflow: the answer as artifacts, and each system's score in its own run."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.trackers import MLFLOW_NAMES

if TYPE_CHECKING:
    from deabench.results.ranking import Ranking


def log_ranking(ranking: Ranking, runs: pd.DataFrame | None = None) -> None:
    """Write a ranking to MLflow; `Ranking.log_to_mlflow` tells what is written where."""
    import mlflow  # optional, and not needed by any answer

    # Checked first, so that nothing is half written.
    identifiers = {} if runs is None else _run_of_system(ranking, runs)
    client = mlflow.MlflowClient()
    in_run = mlflow.active_run() is not None
    with nullcontext() if in_run else mlflow.start_run(run_name="deabench ranking"):
        mlflow.log_text(ranking.to_csv() or "", "deabench_ranking.csv")
        mlflow.log_text("\n".join([ranking.summary(), *ranking.notes]), "deabench_summary.txt")
        mlflow.log_params(
            {
                "deabench_model": ranking.model,
                "deabench_outputs": ", ".join(map(str, ranking.data.outputs.columns)),
                "deabench_inputs": ", ".join(map(str, ranking.data.inputs.columns)),
            }
        )
        mlflow.log_metric("deabench_efficient", int(ranking.efficient.sum()))
    for system, run_id in identifiers.items():
        score = float(ranking.scores[system])
        # MLflow keeps no missing numbers: the tag tells that there is none.
        if np.isfinite(score):
            client.log_metric(run_id, f"deabench_{ranking.measure}", score)
        client.set_tag(run_id, "deabench_efficient", str(bool(ranking.efficient[system])).lower())


def _run_of_system(ranking: Ranking, runs: Any) -> dict[str, str]:
    """Return the id of the run of each ranked system."""
    columns = [name for name in (*MLFLOW_NAMES, "run_id") if name in getattr(runs, "columns", ())]
    if "run_id" not in columns:
        raise DataError("runs has no column run_id; give the frame of mlflow.search_runs()")
    identifiers: dict[str, str] = {}
    for column in columns:
        names = runs[column].astype(str)
        unique = ~names.duplicated(keep=False)
        pairs = zip(names[unique], runs.loc[unique, "run_id"], strict=True)
        identifiers = {**dict(pairs), **identifiers}
    missing = [str(system) for system in ranking.scores.index if str(system) not in identifiers]
    if missing:
        raise DataError(
            f"no single run is called '{missing[0]}'; give the frame that was ranked, with unique "
            "run names"
        )
    return {system: str(identifiers[str(system)]) for system in ranking.scores.index}

"""Show the page's workspace in a notebook, as an anywidget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from deabench.errors import DataError
from deabench.report.build import report
from deabench.report.document import Report
from deabench.report.html import read_template
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from anywidget import AnyWidget


def explore(source: object, **options: Any) -> AnyWidget:
    """Explore ranking and frontier in a notebook: the workspace of `deabench.report`'s page.

    Parameters
    ----------
    source : Report, or whatever `deabench.report` takes
    **options
        As for `deabench.report`.

    Returns
    -------
    Workspace
        A widget. Its trait `state` follows what is done in the notebook, and can be set:
        `{"chosen": name, "moved": {metric: value} or None, "limits": {metric: [low, high]}}`.
        The attributes `chosen`, `moved` and `limits` read and set one part of it, and `brushed`
        lists the names within all limits. `workspace.observe(function, "state")` calls a function
        at each change.

    Raises
    ------
    DataError
        If there are fewer than two metrics to explore, or anywidget is not installed; if a state
        is set that the workspace cannot have.

    Examples
    --------
    >>> import deabench as db
    >>> workspace = db.explore(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    >>> workspace.chosen
    'MLP'
    >>> workspace.limits = {"TPR": (90, None)}
    >>> workspace.brushed
    ['MLP', 'RUS+SVM', 'AdaBoostM1', 'CS-MCQP', 'Bagging']
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise DataError(
            "a notebook's widget needs the package anywidget; install deabench[notebook]"
        ) from error
    # Options ask for another report than the one that was given.
    page = source if isinstance(source, Report) and not options else report(source, **options)
    if page.data is None:
        raise DataError("there are fewer than two metrics to explore; give a table of at least two")

    class Workspace(anywidget.AnyWidget):
        """The workspace; its numbers go to the browser once, its state both ways."""

        _esm = widget_module()
        _css = read_template("workspace.css")
        data = traitlets.Dict().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)

        @traitlets.validate("state")
        def _check_state(self, proposal: dict[str, Any]) -> dict[str, Any]:
            return check_state(proposal["value"], self.data)

        @property
        def chosen(self) -> str:
            """The name of the system that is chosen."""
            return str(self.state["chosen"])

        @chosen.setter
        def chosen(self, name: str) -> None:
            self.state = self.state | {"chosen": name, "moved": None}

        @property
        def moved(self) -> dict[str, float] | None:
            """The metrics to which the chosen one was moved; None where it was not."""
            moved = self.state["moved"]
            return None if moved is None else dict(moved)

        @moved.setter
        def moved(self, metrics: Mapping[str, float] | None) -> None:
            self.state = self.state | {"moved": metrics}

        @property
        def limits(self) -> dict[str, tuple[float | None, float | None]]:
            """The least and the greatest value that is brushed, by metric; None: no limit."""
            return {name: (low, high) for name, (low, high) in self.state["limits"].items()}

        @limits.setter
        def limits(self, limits: Mapping[str, tuple[float | None, float | None]]) -> None:
            self.state = self.state | {"limits": limits}

        @property
        def brushed(self) -> list[str]:
            """The names of the systems within all limits, in the order of the table."""
            return names_within(self.state["limits"], self.data)

    state = {"chosen": _all_names(page.data)[page.data["start"]], "moved": None, "limits": {}}
    return Workspace(data=page.data, state=state)


def check_state(state: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of a workspace as its front end reads it.

    Parameters
    ----------
    state : mapping with the keys chosen, moved, limits
    data : mapping
        The page's data.

    Raises
    ------
    DataError
        If there is no such system or metric, or a value cannot be.
    """
    missing = [key for key in ("chosen", "moved", "limits") if key not in state]
    if missing:
        raise DataError(f"the state of a workspace needs the key '{missing[0]}'; start from .state")
    names = _all_names(data)
    if state["chosen"] not in names:
        raise DataError(
            f"there is no '{state['chosen']}' in the workspace; "
            f"{did_you_mean(state['chosen'], names)}"
        )
    moved = state["moved"]
    if moved is not None:
        moved = {
            metric["name"]: _check_value(moved.get(metric["name"]), metric)
            for metric in data["metrics"]
        }
    columns = _columns(data)
    limits = {}
    for name, (low, high) in state["limits"].items():
        if name not in columns:
            raise DataError(
                f"limits: there is no metric '{name}'; {did_you_mean(name, list(columns))}"
            )
        ends = [_finite_or_none(low), _finite_or_none(high)]
        if None not in ends and low > high:
            raise DataError(f"limits: '{name}' begins at {low} and ends at {high}; exchange them")
        limits[name] = ends
    return {"chosen": state["chosen"], "moved": moved, "limits": limits}


def names_within(limits: Mapping[str, Any], data: Mapping[str, Any]) -> list[str]:
    """Return the names of the systems whose metrics lie within all limits.

    A system without a value in a metric that has limits is not among them.
    """
    columns = _columns(data)

    def is_within(row: int) -> bool:
        for metric, (low, high) in limits.items():
            value = columns[metric][row]
            if value is None or (low is not None and value < low):
                return False
            if high is not None and value > high:
                return False
        return True

    return [name for row, name in enumerate(data["labels"]) if is_within(row)]


def _all_names(data: Mapping[str, Any]) -> list[str]:
    """Return the names of the systems and of those that were tested against them."""
    return [*data["labels"], *(tested["label"] for tested in data["tested"])]


def _columns(data: Mapping[str, Any]) -> dict[str, list[float | None]]:
    """Return the metrics and the scores by name; the score is '' where a metric has its name."""
    names = [metric["name"] for metric in data["metrics"]]
    measure = data["ranking"]["measure"]
    columns = dict(zip(names, data["values"], strict=True))
    score_name = "" if measure in columns else measure
    return columns | {score_name: data["ranking"]["scores"]}


def _check_value(value: Any, metric: Mapping[str, Any]) -> float:
    """Return a value of a metric as a number within the metric's known range."""
    name = metric["name"]
    if not isinstance(value, Real) or not math.isfinite(value):
        raise DataError(f"moved: give a number for the metric '{name}', not {value!r}")
    if metric["least"] is not None and value < metric["least"]:
        raise DataError(f"moved: {name} is at least {metric['least']}; it is {value}")
    if metric["most"] is not None and value > metric["most"]:
        raise DataError(f"moved: {name} is at most {metric['most']}; it is {value}")
    return float(value)


def _finite_or_none(value: float | None) -> float | None:
    """Return a limit as JSON has it: None where it is open."""
    return None if value is None or not math.isfinite(value) else float(value)


def widget_module() -> str:
    """Return the page's script as the module that a notebook loads."""
    return read_template("page.js") + "export default { render: deabench.render };\n"

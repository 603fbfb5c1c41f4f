"""The page's workspace in a notebook, as an anywidget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deabench.errors import DataError
from deabench.report.document import Report
from deabench.report.html import template

if TYPE_CHECKING:
    from anywidget import AnyWidget


def explore(source: object, **settings: Any) -> AnyWidget:
    """The ranking, the frontier and what they say, to be explored in a notebook: the workspace of
    `deabench.report`'s page.

    Parameters
    ----------
    source : Report, or whatever `deabench.report` takes
    **settings
        As for `deabench.report`.

    Raises
    ------
    DataError
        Where there are fewer than two metrics to explore, or anywidget is not installed.

    Examples
    --------
    >>> import deabench as db
    >>> workspace = db.explore(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    >>> type(workspace).__name__
    'Workspace'
    """
    from deabench.report.build import report

    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise DataError(
            "a notebook's widget needs the package anywidget; install deabench[notebook]"
        ) from error
    data = (
        source if isinstance(source, Report) and not settings else report(source, **settings)
    ).data
    if data is None:
        raise DataError("there are fewer than two metrics to explore; give a table of at least two")

    class Workspace(anywidget.AnyWidget):
        """The workspace; its numbers go to the browser once."""

        _esm = module()
        _css = template("workspace.css")
        data = traitlets.Dict().tag(sync=True)

    return Workspace(data=data)


def module() -> str:
    """The page's script as the module that a notebook loads: the same bytes, and who is to call it."""
    return (
        template("page.js")
        + 'export default { render: ({ model, el }) => { deabench.mount(el, model.get("data")); } };\n'
    )

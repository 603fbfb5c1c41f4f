"""Show the page's workspace in a notebook, as an anywidget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deabench.errors import DataError
from deabench.report.build import report
from deabench.report.document import Report
from deabench.report.html import read_template

if TYPE_CHECKING:
    from anywidget import AnyWidget


def explore(source: object, **options: Any) -> AnyWidget:
    """Explore ranking and frontier in a notebook: the workspace of `deabench.report`'s page.

    Parameters
    ----------
    source : Report, or whatever `deabench.report` takes
    **options
        As for `deabench.report`.

    Raises
    ------
    DataError
        If there are fewer than two metrics to explore, or anywidget is not installed.

    Examples
    --------
    >>> import deabench as db
    >>> workspace = db.explore(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    >>> type(workspace).__name__
    'Workspace'
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
        """The workspace; its numbers go to the browser once."""

        _esm = widget_module()
        _css = read_template("workspace.css")
        data = traitlets.Dict().tag(sync=True)

    return Workspace(data=page.data)


def widget_module() -> str:
    """Return the page's script as the module that a notebook loads."""
    render = (
        'export default { render: ({ model, el }) => { deabench.mount(el, model.get("data")); } };'
    )
    return read_template("page.js") + render + "\n"

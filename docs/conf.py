"""The site: `python -m sphinx -W docs OUT`, after the second line of README's set-up (extra `docs`,
part of `all`).

Pages are Markdown, the reference is made from the docstrings, and the gallery and the notebooks are
scripts of examples/, run once when the site is built. What the build writes beside the pages
(docs/gallery, docs/notebooks) is not kept."""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(ROOT / "models")]
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT), str(ROOT / "models"), os.environ.get("PYTHONPATH", "")]
)

from matplotlib.figure import Figure  # noqa: E402
from sphinx_gallery.scrapers import figure_rst  # noqa: E402

import deabench  # noqa: E402
from deabench.plot.display import Display  # noqa: E402
from deabench.results.model import Model, fields_of  # noqa: E402
from deabench.utils.result import Result  # noqa: E402

for made in (HERE / "gallery", HERE / "pictures", HERE / "notebooks"):
    for page in made.glob("plot_*.rst"):  # of a script that is gone
        if not (ROOT / "examples" / made.name / f"{page.stem}.py").exists():
            page.unlink()

warnings.simplefilter(
    "ignore", deabench.DataWarning
)  # shipped tables are small, and their pages say so

project = "deabench"
author = "The deabench developers"
version = release = deabench.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = ["gallery/*.ipynb", "pictures/*.ipynb", "notebooks/*.ipynb"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "code"
suppress_warnings = ["config.cache"]  # the gallery is told a function

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"  # the docstrings add shapes and units
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88  # one parameter per line in longer ones
autodoc_preserve_defaults = True
numpydoc_show_class_members = False


def drawn(_block: object, script: dict[str, object], conf: dict[str, object]) -> str:
    """The picture of a block of a script: the display, or the figure, that its last line gave,
    which pyplot does not know of.
    """
    given = script["example_globals"].get("___")  # type: ignore[attr-defined]
    figure = given.figure_ if isinstance(given, Display) else given
    if not isinstance(figure, Figure):
        return ""
    path = next(script["image_path_iterator"])  # type: ignore[call-overload]
    figure.savefig(path, format="png", dpi=110)
    return figure_rst([path], conf["src_dir"])


sphinx_gallery_conf = {
    "image_scrapers": (drawn,),
    "examples_dirs": ["../examples/gallery", "../examples/pictures", "../examples/notebooks"],
    "gallery_dirs": ["gallery", "pictures", "notebooks"],
    "filename_pattern": r"\.py",
    "ignore_pattern": r"^_\w+\.py$",  # what scripts share
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "plot_gallery": True,
    "download_all_examples": False,
    "capture_repr": ("_repr_html_",),
    "reset_modules": (),
}

html_theme = "pydata_sphinx_theme"
html_title = f"deabench {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": []}
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 6,
}
html_context = {"default_mode": "light"}
copyright = "the deabench developers, under the MIT licence"


def escaped(line: str) -> str:
    """A line of plain text as reStructuredText reads it: |x| is no substitution, ax_ no link and
    a/*.b no emphasis, outside of `code`.
    """
    parts = re.split(r"(`[^`]*`)", line)
    parts[::2] = [
        re.sub(r"(?<=\w)_(?!\w)|(?<=/)\*(?=\.)", r"\\\g<0>", part.replace("|", r"\|"))
        for part in parts[::2]
    ]
    return re.sub(r"(`[^`]+`)(?=\w)", r"\1\\ ", "".join(parts))


def describe_options(model: type[Model]) -> list[str]:
    """Return the options of a model as the parameters of a numpydoc docstring."""
    lines = ["", "Parameters", "----------"]
    for option in fields_of(model):
        values = ", ".join(repr(word) for word in option.choices)
        if option.form is not None:
            values += f"{', or ' if values else ''}{option.form.description}"
        default = "optional" if option.default is None else f"default {option.default!r}"
        lines += [f"{option.name} : {values}, {default}", f"    {option.help}"]
    return [*lines, ""]


def with_options(docstring: list[str], model: type[Model]) -> list[str]:
    """Return a model's docstring with its options before the first section, such as examples."""
    underlines = [i for i, line in enumerate(docstring) if line and not line.strip("-")]
    first_section = underlines[0] - 1 if underlines else len(docstring)
    return [*docstring[:first_section], *describe_options(model), *docstring[first_section:]]


def as_written(
    _app: object, what: str, name: str, obj: object, _options: object, lines: list[str]
) -> None:
    """Docstrings are plain text for people: what reStructuredText would take for its own is
    escaped, and what is laid out by hand (the algebra of a formulation, a table) is shown as it is.
    """
    if isinstance(obj, type) and issubclass(obj, Model) and obj is not Model:
        lines[:] = with_options(lines, obj)
    if what == "function" and name.startswith("deabench_models.") and any(lines[1:]):
        lines[:] = [escaped(lines[0]), "", "::", "", *(f"    {line}" for line in lines[1:]), ""]
        return
    out: list[str] = []
    example = table = False
    for line in lines:
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if line.lstrip().startswith("|") and not example:
            out += [] if table else ["::", ""]
            out.append(f"    {line}")
            table = True
            continue
        table = False
        out.append(line if example else escaped(line))
    lines[:] = out


ARRAY_LIKE = re.compile(r"~?[\w.]*_Buffer \|.*?_NestedSequence\[~?complex \| ~?bytes \| ~?str\]")
"""What numpy's ArrayLike is written out as."""


def as_called(
    _app: object,
    _what: str,
    _name: str,
    obj: object,
    _options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Arrays are named by numpy's word. Results come from functions: their attributes are
    documented, not how to construct them.
    """
    if isinstance(obj, type) and issubclass(obj, Result):
        return "", None
    return ARRAY_LIKE.sub("ArrayLike", signature or "") or None, returned


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", as_called)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", as_written, priority=1)  # type: ignore[attr-defined]

"""Strip the markup of Markdown, HTML and LaTeX from names and cells."""

from __future__ import annotations

import re
from html import unescape

from deabench.utils.lazy import lazy_pattern

MAX_LENGTH = 2_000
"""A longer text is no name and no number; its markup stays."""
_SIGNS_OF_MARKUP = re.compile(r"[<*_`\\$&~\[{!]|\^")
_IMAGE = lazy_pattern(r"!\[[^\]\n]*\]\([^()\n]*\)")
_LINK = lazy_pattern(
    r"\[([^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)|\[([^\[\]\n]+)\]\[[^\[\]\n]*\]"
)
HTML_TABLE = lazy_pattern(r"<table\b", re.IGNORECASE)
_HTML_ROW = lazy_pattern(r"<t[rdh]\b", re.IGNORECASE)
_LINE_BREAK = lazy_pattern(r"</?(?:br|p|div|li|hr)\b[^<>]{0,200}>", re.IGNORECASE)
_POWER = lazy_pattern(r"([×x·⋅*]\s*10)\s*<sup>\s*([+−-]?\d+)\s*</sup>", re.IGNORECASE)
"""A power of ten, whose exponent is no mark of a footnote."""
_FOOTNOTE = lazy_pattern(
    r"(?<=\d)\s*(?:<sup>\s*[\w*†‡,]{1,3}\s*</sup>|\^\{?[a-z*†‡]\}?|\[\^\w+\])", re.IGNORECASE
)
"""A mark of a footnote behind a number, which is no digit of it."""
_FOOTNOTE_REFERENCE = lazy_pattern(r"(?<=\S)\s*\[\^\w{1,3}\]")
"""A mark of a footnote of Markdown, as [^1]."""
_IMAGE_TAG = lazy_pattern(r"<(?:img|svg)\b[^<>]*>", re.IGNORECASE)
_WORD_IN_SCRIPT = lazy_pattern(r"(?<=[A-Za-z>])<su[bp]>(?=\s*[A-Za-z])", re.IGNORECASE)
"""A raised or lowered word, as in AP<sup>test</sup>; "R<sup>2</sup>" is one word."""
_TAG = lazy_pattern(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
_EMPHASIS = lazy_pattern(r"\*\*(.+?)\*\*|(?<!\w)__(.+?)__(?!\w)|~~(.+?)~~|`([^`]+)`")
_ROLE = lazy_pattern(r"(?:\\ )?:[a-z][a-z:]{1,20}:`([^`<\n]+)(?:<[^`<>\n]*>)?`")
"""A role of reStructuredText, as in NDCG\\ :sub:`5`."""
_STAR = lazy_pattern(r"(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])")
_UNDERLINED_NUMBER = lazy_pattern(r"(?<!\w)_([+-]?[\d.][^_\n]*)_(?!\w)")
"""A number in italics; words between single underscores may be names."""
_ESCAPED = lazy_pattern(r"\\([\\*_`{}\[\]<>()#+.!|~$%&^-])")
_ASYMMETRIC = lazy_pattern(
    r"(?:\^\{?\s*\+?([\d.]+)\s*\}?\s*_\{?\s*[-−]([\d.]+)\s*\}?"
    r"|_\{?\s*[-−]([\d.]+)\s*\}?\s*\^\{?\s*\+?([\d.]+)\s*\}?)"
)
_LATEX_SIGNS = {
    "pm": "±",
    "uparrow": "↑",
    "downarrow": "↓",
    "Uparrow": "↑",
    "Downarrow": "↓",
    "times": "×",
    "cdot": "·",
    "approx": "≈",
    "sim": "~",
    "to": "→",
    "rightarrow": "→",
    "leq": "≤",
    "geq": "≥",
    "le": "≤",
    "ge": "≥",
    "infty": "∞",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "Delta": "Δ",
    "epsilon": "ε",
    "lambda": "λ",
    "mu": "µ",
    "sigma": "σ",
    "rho": "ρ",
    "kappa": "κ",
    "theta": "θ",
    "phi": "φ",
    "chi": "χ",
    "eta": "η",
    "omega": "ω",
    "tau": "τ",
    "textpm": "±",
    "textmu": "µ",
    "micro": "µ",
    "textdownarrow": "↓",
    "textuparrow": "↑",
    "dag": "†",
    "ddag": "‡",
    "dagger": "†",
    "ddagger": "‡",
    "checkmark": "✓",
    "quad": " ",
    "qquad": " ",
    # What papers call their own system.
    **{word: word for word in ("name", "ours", "ourmethod", "sysname", "toolname", "methodname")},
}
_LATEX_WITHOUT_TEXT = (
    r"\\(?:cite[a-z]*|footnote(?:mark)?|label|ref|textcolor|color|cellcolor|rowcolor|hspace\*?"
    r"|vspace\*?|rotatebox)(?![A-Za-z])(?:\s*\[[^\[\]]*\])*(?:\s*\{[^{}]*\})?"
    r"|\\(?:multirow|multicolumn|resizebox|fontsize)(?![A-Za-z])(?:\s*\[[^\[\]]*\])*"
    r"(?:\s*\{[^{}]*\}|\s*\*){2}(?:\s*\[[^\[\]]*\])?"
)
"""Commands with one or two arguments that are no text: keys, colours, sizes."""
_LATEX_OPTIONS = lazy_pattern(_LATEX_WITHOUT_TEXT)
_LATEX_SCRIPT = lazy_pattern(r"(?<=[\d%])[$\s}]*(?:_\s*)?\{\s*(±?[^{}]*)\}")
"""A group behind a number: `66.1_{3.1}`, `66.1{\\tiny 3.1}`, a paper's own `66.1\\std{3.1}`."""
_FORMULA = lazy_pattern(r"\$\s*([^$]*[\\_^{}=±↑↓→×][^$]*|[\d.,+-]+|[A-Za-zα-ωΑ-Ω]+)\s*\$")
"""A formula between dollar signs; "$5" and "$1/$2" are prices."""
_LATEX_COMMAND = lazy_pattern(r"\\([A-Za-z]+)\*?\s*")
_BOLD = lazy_pattern(
    r"\*\*[^*]*\w[^*]*\*\*|(?<!\w)__[^_]*\w[^_]*__(?!\w)|<(?:b|strong)\b[^<>]*>"
    r"|\\(?:textbf|mathbf|bm|boldsymbol)\s*\{|\\(?:bf|bfseries|boldmath)(?![A-Za-z])"
)
"""Text in bold, of Markdown, HTML and LaTeX."""


class BoldText(str):
    """The text of a cell that its table prints in bold, as authors print the best results."""

    __slots__ = ()


def has_html_table(text: str) -> bool:
    """Return whether a text holds a table of HTML with a cell or a row."""
    start = HTML_TABLE.search(text)
    return start is not None and _HTML_ROW.search(text, start.start()) is not None


def strip_markup(text: str) -> str:
    r"""Return a name or a cell without bold, links, images, tags and LaTeX commands.

    The text of a link stays, `<br>` and the like become blanks, arrows and ± their signs.

    Examples
    --------
    >>> strip_markup(r"\textbf{66.1} $\pm$ 3.1"), strip_markup("[**A**](https://a.org)<br>(M)")
    ('66.1 ± 3.1', 'A (M)')
    """
    # Most cells are plain, and this is the fastest way to see it.
    if not _SIGNS_OF_MARKUP.search(text) or len(text) > MAX_LENGTH:
        return text.strip()
    if ":`" in text:
        text = _ROLE.sub(r"\1", text)
    if "[" in text:
        text = _LINK.sub(_link_text, _IMAGE.sub(" ", _FOOTNOTE_REFERENCE.sub("", text)))
    if "<" in text or "^" in text:
        text = _LINE_BREAK.sub(" ", _FOOTNOTE.sub("", _POWER.sub(r"\1^\2", text)))
        text = _TAG.sub("", _IMAGE_TAG.sub(" ", _WORD_IN_SCRIPT.sub(" ", text)))
    if "&" in text:
        text = unescape(text)
    if "\\" in text or "$" in text or "{" in text:
        text = _strip_latex(text)
    # Bold text may stand within italics and the other way round.
    text = _EMPHASIS.sub(_enclosed_text, _EMPHASIS.sub(_enclosed_text, text))
    text = _STAR.sub(r"\1", text)
    if "_" in text:
        text = _UNDERLINED_NUMBER.sub(r"\1", text)
    return " ".join(text.split())


def strip_cell(text: str) -> str:
    """Return a cell without its markup, as `BoldText` where it was in bold.

    Examples
    --------
    >>> type(strip_cell("**0.91** ± 0.02")).__name__, type(strip_cell("0.91")).__name__
    ('BoldText', 'str')
    """
    content = strip_markup(text)
    return BoldText(content) if len(content) != len(text) and _BOLD.search(text) else content


def _link_text(match: re.Match[str]) -> str:
    return str(match[1] if match[1] is not None else match[2])


def _enclosed_text(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


def _strip_latex(text: str) -> str:
    """Replace LaTeX commands by their signs or their text."""
    # Escaped signs are letters; they must not take part in what follows.
    text = _ESCAPED.sub(r"\1", text.replace("\\\\", " "))
    if "\\" not in text and "{" not in text and "$" not in text:
        return text
    text = text.replace("\\,", "").replace("\\;", " ").replace("{,}", ",")
    text = _LATEX_OPTIONS.sub("", text)
    text = _LATEX_COMMAND.sub(lambda match: _LATEX_SIGNS.get(match[1], ""), text)
    # 66.1_{±3.1} and 66.1_{3.1} state a spread, 66.1^{+1}_{-2} the ends of an interval.
    text = _FORMULA.sub(r"\1", text)
    text = _ASYMMETRIC.sub(_write_ends, text)
    text = _LATEX_SCRIPT.sub(_write_spread, text)
    return text.replace("{", "").replace("}", "")


def _write_ends(match: re.Match[str]) -> str:
    above = match[1] or match[4]
    below = match[2] or match[3]
    return f" (+{above}/-{below})"


def _write_spread(match: re.Match[str]) -> str:
    spread = match[1].strip()
    is_marked = spread.startswith(("±", "[", "("))
    return f" {spread}" if is_marked else f" ({spread})"

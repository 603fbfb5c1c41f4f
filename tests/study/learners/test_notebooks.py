"""Keys follow the code of a notebook, in a real kernel: cells are edited and run again."""

from __future__ import annotations

import json
from pathlib import Path

import code_edits
import nbformat
import pytest
from code_edits import EDITS, IRRELEVANT, IRRELEVANT_IN_SCRIPTS, PLAIN, PREDICT, with_class
from nbclient import NotebookClient

SETUP = f"""
import json, sys
sys.path[:0] = {[str(Path(code_edits.__file__).parent)]!r}
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.preprocessing import StandardScaler
from deabench.study import Study
X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 3 // 2
KEYS = []
def record(**options):
    options = {{"split": 2, "seed": 1, **options}}
    study = Study({{"d": (X, y)}}, {{"m": options.pop("model", MODEL)}}, **options)
    KEYS.append(sorted(study.plan.tasks().keys()))
MODEL = LogisticRegression()
"""
SPLITTER = """
class Halves:
    share = 0.5
    def __init__(self, first=0):
        self.first = first
    def split(self, X, y=None, groups=None):
        rows = np.arange(len(X))
        low = rows < middle(len(X)) + self.first
        yield rows[low], rows[~low]
        yield rows[~low], rows[low]
    def get_n_splits(self, X=None, y=None, groups=None):
        return 2
def middle(n):
    return int(n * Halves.share)
record(split=Halves(first=1))
"""
PREPARE = """
from sklearn.base import BaseEstimator, TransformerMixin
TOP = 5
class Clip(TransformerMixin, BaseEstimator):
    def __init__(self, low=0):
        self.low = low
    def fit(self, X, y=None):
        return self
    def transform(self, X):
        return np.clip(X, self.low, TOP)
record(preprocess=Clip(low=1))
"""
MODULE = """
import importlib, pathlib
pathlib.Path("my_rules.py").write_text('''
import math
def limit(x):
    return math.floor(x) + inner()
def inner():
    return 3
''')
sys.dont_write_bytecode = True
sys.path[:0] = ["."]
importlib.invalidate_caches()
import my_rules
importlib.reload(my_rules)
""" + with_class(PREDICT.format("my_rules.limit(7)"))
OTHER_CELLS: dict[str, tuple[str, str, str]] = {
    "splitter: share": (SPLITTER, "share = 0.5", "share = 0.4"),
    "splitter: its rows": (SPLITTER, "+ self.first", "- self.first"),
    "splitter: its helper": (SPLITTER, "int(n * Halves.share)", "round(n * Halves.share) + 1"),
    "splitter: its parameter": (SPLITTER, "Halves(first=1)", "Halves(first=2)"),
    "splitter: its default": (SPLITTER, "record(split=Halves(first=1))", "record(split=Halves())"),
    "splitter: another": (SPLITTER, "Halves(first=1)", "KFold(2)"),
    "splitter: shuffled": ("record(split=KFold(2))", "KFold(2)", "KFold(2, shuffle=True)"),
    "splitter: its size": ("record(split=ShuffleSplit(2))", "(2)", "(2, test_size=0.3)"),
    "preprocessing: a global": (PREPARE, "TOP = 5", "TOP = 6"),
    "preprocessing: its code": (PREPARE, "self.low, TOP", "-self.low, TOP"),
    "preprocessing: its parameter": (PREPARE, "low=1", "low=2"),
    "preprocessing: another": (PREPARE, "preprocess=Clip(low=1)", "preprocess=StandardScaler()"),
    "preprocessing: a setting": (
        "record(preprocess={'numeric': 'minmax'})",
        "minmax",
        "standardise",
    ),
    "module: a function": (MODULE, "math.floor", "math.ceil"),
    "module: what it calls": (MODULE, "return 3", "return 4"),
    "module: an import": (MODULE, "import math\n", "import math\nimport cmath\n"),
    "split: folds": ("record(split=2)", "split=2", "split=3"),
    "split: kind": ("record(split='leave-one-out')", "leave-one-out", "time"),
    "split: gap": ("record(split={'kind': 'time', 'gap': 0})", "'gap': 0", "'gap': 1"),
    "seed": ("record(seed=1)", "seed=1", "seed=2"),
    "rows": ("X[3, 1] = 7\nrecord()\nX[3, 1] = 7", "X[3, 1] = 7\nr", "X[3, 1] = 6\nr"),
    "groups": (
        "record(groups=np.arange(20) // 2, split={'kind': 'groups', 'folds': 2})",
        "// 2",
        "// 4",
    ),
    "weights": ("record(weights=np.ones(20))", "np.ones(20)", "np.arange(20) + 1"),
    "depends": ("record(depends=[1])", "[1]", "[2]"),
    "version of a package": (
        "from deabench.study import own_modules\n"
        "own_modules.package_version.cache_clear()\n"
        "version = own_modules.version\n"
        "own_modules.version = lambda name: version(name) + ''\n"
        "record()\n"
        "own_modules.version = version\nown_modules.package_version.cache_clear()\n",
        "+ ''",
        "+ '.1'",
    ),
}  # fmt: skip
IRRELEVANT_IN_NOTEBOOKS: dict[str, tuple[str, str]] = {
    "the cell run once more": ("class Mine", "class Mine"),
    "a magic": ("class Mine", "%precision 3\nclass Mine"),
    "another magic": ("class Mine", "%who_ls\nclass Mine"),
    "a command of the shell": ("class Mine", "!true\nclass Mine"),
    "an output at the end": ("MODEL = Mine()", "MODEL = Mine()\nMODEL"),
    "something displayed": ("class Mine", "display('x')\nclass Mine"),
    "an earlier output": ("class Mine", "_ = 3\nclass Mine"),
    "a variable of the notebook": ("class Mine", "another = [1, 2]\nclass Mine"),
    "an annotation": ("class Mine", "note: str = 'x'\nclass Mine"),
    "a help call": ("class Mine", "limit.__doc__\nclass Mine"),
    "an assertion": ("class Mine", "assert True\nclass Mine"),
    "the helper after the class": (
        "MODEL = Mine()",
        "def limit(n):\n    return n + CONFIG['x']\nMODEL = Mine()",
    ),
    "a seed of the notebook": ("class Mine", "np.random.seed(3)\nclass Mine"),
    "a comment at the end": ("MODEL = Mine()", "MODEL = Mine()\n# done"),
}


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """The keys of each version of each cell: before, after, and before again."""
    irrelevant = IRRELEVANT | IRRELEVANT_IN_SCRIPTS | IRRELEVANT_IN_NOTEBOOKS
    edits = (
        EDITS | OTHER_CELLS | {f"same: {name}": (PLAIN, *edit) for name, edit in irrelevant.items()}
    )
    cells = [SETUP]
    for source, old, new in edits.values():
        assert old in source
        versions = (source, source.replace(old, new, 1), source)
        for version in versions:
            cells.append(version if "record(" in version else f"{version}\nrecord()")
    cells.append("print(json.dumps(KEYS))")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    folder = tmp_path_factory.mktemp("notebook")
    client = NotebookClient(notebook, timeout=300, kernel_name="python3")
    client.execute(cwd=str(folder))
    recorded = json.loads(notebook.cells[-1]["outputs"][-1]["text"])
    assert len(recorded) == 3 * len(edits)
    return {name: recorded[3 * k : 3 * k + 3] for k, name in enumerate(edits)}


@pytest.mark.slow
def test_every_edit_of_a_cell_that_changes_a_result_changes_the_key(keys):
    edits = {name: found for name, found in keys.items() if not name.startswith("same: ")}
    assert len(edits) >= 80
    assert [name for name, (before, after, _) in edits.items() if set(before) & set(after)] == []
    assert [name for name, (before, _, again) in edits.items() if before != again] == []


@pytest.mark.slow
def test_hardly_an_edit_that_changes_nothing_changes_the_key(keys):
    edits = {name: found for name, found in keys.items() if name.startswith("same: ")}
    assert len(edits) >= 40
    assert [name for name, (before, after, _) in edits.items() if before != after] == []

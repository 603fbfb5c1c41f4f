"""The page hides the same characters as every other output: those of `deabench.utils.text`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deabench.utils.text import UNSEEN

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "page" / "src" / "dom.ts"
SCRIPT = ROOT / "deabench" / "report" / "templates" / "page.js"


def unseen_in_typescript() -> re.Pattern[str]:
    """Return the page's expression as one of Python."""
    declaration = SOURCE.read_text(encoding="utf-8").partition("const UNSEEN = new RegExp(")[2]
    body = declaration.partition('"gu"')[0]
    escaped = "".join(re.findall(r'"([^"]+)"', body)).replace("\\\\", "\\")
    text = re.sub(r"\\u\{([0-9a-f]+)\}", lambda code: f"\\U{int(code[1], 16):08x}", escaped)
    return re.compile(text)


def test_the_sources_of_the_page_hide_the_same_characters() -> None:
    expression = unseen_in_typescript()
    for code in range(0x110000):
        assert bool(expression.match(chr(code))) == bool(UNSEEN.match(chr(code))), hex(code)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_built_script_hides_the_same_characters() -> None:
    """The expression of the committed script is tried on every character by a JavaScript engine."""
    script = SCRIPT.read_text(encoding="utf-8")
    start = script.index('new RegExp("[\\\\u0000')
    expression = script[start : script.index('"gu")', start) + len('"gu")')]
    code = (
        f"const unseen = {expression}; const codes = [];"
        "for (let code = 0; code < 0x110000; code++)"
        "{ unseen.lastIndex = 0; if (unseen.test(String.fromCodePoint(code))) codes.push(code); }"
        "console.log(JSON.stringify(codes))"
    )
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    expected = [code for code in range(0x110000) if UNSEEN.match(chr(code))]
    assert json.loads(done.stdout) == expected

"""The examples of docs/python.md and of the README's section on Python run as they stand."""
import doctest
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ.get("SINPOS_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
NEEDS = {"PyTorch": ["torch"], "ONNX": ["onnx"], "Plots": ["matplotlib"]}


def sections(page):
    """(heading, text) of each section of a page."""
    parts = re.split(r"^## (.*)$", page.read_text(), flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def examples(text):
    """What stands in blocks of Python, each line at its place."""
    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = not inside and line == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    return "\n".join(lines)


@pytest.mark.heavy
def test_python_page():
    """In one session, as a reader would type it; sections whose packages are absent are left out."""
    names, ran = {}, []
    for heading, text in sections(ROOT / "docs" / "python.md"):
        if ">>>" not in text or not all(importlib.util.find_spec(name) for name in NEEDS.get(heading, [])):
            continue
        test = doctest.DocTestParser().get_doctest(examples(text), names, heading, "docs/python.md", 0)
        runner = doctest.DocTestRunner()
        runner.run(test, clear_globs=False)
        assert runner.failures == 0, heading
        names = test.globs
        ran.append(heading)
    assert len(ran) >= 8


def test_readme(tmp_path):
    """From an empty folder, by the Python that runs the tests: in `make test` that of the installed wheel."""
    pytest.importorskip("torch")
    block = re.search(r"^## In Python\n.*?^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    script = tmp_path / "readme.py"
    script.write_text(block)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    printed = re.findall(r"print\(.*\)\s+# (.*)$", block, re.M)
    assert done.stdout.splitlines() == printed

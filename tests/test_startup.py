"""Help and import are quick: what is heavy is loaded when it is used."""

import inspect
import subprocess
import sys

import pytest

import reldim

HEAVY = ["dask", "distributed", "matplotlib", "numpy", "pandas", "scipy", "sklearn", "skrub"]

REPORT = f"""
import sys
loaded = [name for name in {HEAVY!r} if name in sys.modules]
sys.stderr.write(" ".join(["loaded:", *loaded]))
"""

SHOW_HELP = """
import sys
from reldim.cli import main
sys.argv = ["reldim", *{arguments!r}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def loaded_after(code):
    """Run code in a new interpreter; give the heavy packages it loaded, and what it printed."""
    command = [sys.executable, "-c", code + REPORT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.rpartition("loaded:")[2].split(), done.stdout


def test_import_loads_nothing_heavy():
    loaded, _ = loaded_after("import reldim")
    assert loaded == []


def test_using_a_name_loads_what_it_needs():
    loaded, _ = loaded_after("import reldim; reldim.decompose")
    assert "numpy" in loaded


@pytest.mark.parametrize(
    "name", ["diagnose", "compare", "decompose", "relevant_dimension", "KernelRidgeRegressor"]
)
def test_signatures_can_be_read(name):
    # An alias that is written out, such as numpy's ArrayLike, takes half a page.
    line = str(inspect.signature(getattr(reldim, name)))
    assert len(line) < 500
    assert "numpy." not in line
    assert "collections.abc" not in line


@pytest.mark.parametrize("arguments", [["--help"], ["diagnose", "--help"]], ids=" ".join)
def test_help_loads_nothing_heavy(arguments):
    loaded, printed = loaded_after(SHOW_HELP.format(arguments=arguments))
    assert "reldim" in printed
    assert loaded == []

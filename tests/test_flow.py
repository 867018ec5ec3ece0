"""The way of a file through the packages is the one that the page of the architecture shows."""

import os
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import reldim
from reldim.cli import app

PACKAGE = Path(reldim.__file__).parent
INSIDE = f"{PACKAGE}{os.sep}"
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"


def section():
    text = PAGE.read_text(encoding="utf-8")
    return re.search(r"^## The way of a file\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]


def functions_shown():
    """Return pairs of a package and a function, in the order of the page."""
    return re.findall(r"^\| `(\w+)` \| `([\w.]+)` \|", section(), re.MULTILINE)


class Calls:
    """The functions of reldim that are called, in the order of their first calls."""

    def __init__(self):
        self.names = {}
        self._known = set()

    def __call__(self, frame, event, _):
        if event != "call" or frame.f_code in self._known:
            return
        code = frame.f_code
        if not code.co_filename.startswith(INSIDE):
            self._known.add(code)
        elif not _is_import(frame):
            self._known.add(code)
            parts = Path(code.co_filename).relative_to(PACKAGE).with_suffix("").parts
            module = [part for part in parts[1:] if part != "__init__"]
            self.names.setdefault((parts[0], ".".join([*module, code.co_qualname])))

    def __enter__(self):
        sys.setprofile(self)
        threading.setprofile(self)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)
        threading.setprofile(None)


def _is_import(frame):
    """Tell whether a call is part of importing a file, which is no step of the way."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(INSIDE):
            return True
        frame = frame.f_back
    return False


@pytest.fixture(scope="module")
def called(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flow")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=24), "b": rng.choice(["x", "y"], size=24)})
    table["label"] = np.where(table["a"] + 0.3 * rng.normal(size=24) > 0, "yes", "no")
    table.to_csv(folder / "data.csv", index=False)
    arguments = ["diagnose", str(folder / "data.csv"), "--target", "label", "--jobs", "1"]
    arguments += ["--report", str(folder / "r.html")]
    with Calls() as calls:
        assert CliRunner().invoke(app, arguments).exit_code == 0
    assert (folder / "r.html").is_file()
    return list(calls.names)


def test_each_package_is_shown_once():
    packages = [package for package, _ in functions_shown()]
    assert len(packages) == len(set(packages)) == 11


def test_functions_are_called_in_the_order_of_the_page(called):
    shown = functions_shown()
    missing = [name for name in shown if name not in called]
    assert not missing, f"not called: {missing}"
    assert sorted(shown, key=called.index) == shown


def test_no_other_package_is_on_the_way(called):
    on_the_way = {package for package, _ in functions_shown()}
    beside = {package for package, _ in called} - on_the_way
    assert beside <= {"exceptions", "plots"}
    sentence = section().rpartition("Nothing else is")[2]
    absent = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    absent -= {"__pycache__", "plots", *on_the_way}
    assert set(re.findall(r"`(\w+)`", sentence)) == absent

"""The examples of the gallery run, without a warning, and draw something."""

import runpy
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_draws(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    assert pyplot.get_fignums()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_gallery_shows_the_example(path):
    # The gallery runs files of such names, and takes the title from the first lines.
    assert path.name.startswith("plot_")
    title, line = path.read_text(encoding="utf-8").splitlines()[1:3]
    assert line == "=" * len(title)

"""Every row of the table of promises, and the page that shows it."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

from reliability.promises import AREAS, PROMISES
from reliability.table import page_with_table

MODULES = ("about_data", "about_targets", "about_features", "about_files", "about_resources")
for module in MODULES:
    import_module(f"reliability.{module}")

from reliability.about_files import diagnosis  # noqa: E402, F401  (a fixture)
from reliability.about_resources import data  # noqa: E402, F401  (a fixture)

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"


@pytest.mark.parametrize("promised", PROMISES, ids=lambda promised: promised.name)
def test_promise(promised, request):
    wanted = inspect.signature(promised.test).parameters
    promised.test(**{name: request.getfixturevalue(name) for name in wanted})


def test_every_area_has_promises():
    assert {promised.area for promised in PROMISES} == {*AREAS}


def test_the_page_shows_every_promise():
    text = PAGE.read_text(encoding="utf-8")
    assert text == page_with_table(text), "run: make reliability"

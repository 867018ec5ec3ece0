"""The table of promises as text, and the page that holds it."""

import re
from importlib import import_module
from pathlib import Path

from reliability.promises import AREAS, PROMISES

__all__ = ["page_with_table", "table"]

TEST = "tests/reliability/test_promises.py::test_promise"


def table() -> str:
    """Return a table for each area, one row per promise."""
    parts = [f"{len(PROMISES)} promises; each is the test `{TEST}[name]`.\n"]
    for area, title in AREAS.items():
        rows = [promised for promised in PROMISES if promised.area == area]
        parts.append(f"### {title}\n\n| given | what happens | test |\n|---|---|---|")
        for row in rows:
            cells = (row.given, row.outcome, f"`{row.name}`")
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        parts[-1] += "\n"
    return "\n".join(parts).rstrip() + "\n"


def page_with_table(text: str) -> str:
    """Return a page with the table in its place."""
    place = re.compile(r"(<!-- promises -->\n).*?(<!-- /promises -->)", re.DOTALL)
    new, count = place.subn(lambda found: f"{found[1]}{table()}{found[2]}", text)
    assert count == 1, "the page has no place for the table"
    return new


if __name__ == "__main__":
    for name in ("about_data", "about_targets", "about_features", "about_files", "about_resources"):
        import_module(f"reliability.{name}")
    # Run as a script this module is not the one that the others filled.
    from reliability.table import page_with_table as filled

    page = Path(__file__).parents[2] / "docs" / "reliability.md"
    page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")

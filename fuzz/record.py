"""Figures of a run, written into a page at the places that are marked for them.

A place is marked as ``<!-- name -->figure<!-- /name -->``; nobody types such a figure by hand.
"""

import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["record"]


def record(page: Path, figures: Mapping[str, str]) -> None:
    """Write figures into a page; each name must be marked there."""
    text = page.read_text(encoding="utf-8")
    for name, figure in figures.items():
        place = re.compile(
            rf"(<!-- {re.escape(name)} -->).*?(<!-- /{re.escape(name)} -->)", re.DOTALL
        )
        text, count = place.subn(lambda found, figure=figure: found[1] + figure + found[2], text)
        if not count:
            raise SystemExit(f"{page} has no place that is marked for {name}.")
    page.write_text(text, encoding="utf-8")

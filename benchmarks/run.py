"""Run the benchmarks and print their tables; ``--write`` puts them into docs/benchmarks.md.

python benchmarks/run.py [--write] [name ...]
"""

import datetime as dt
import os
import platform
import sys
from pathlib import Path

import accuracy
import busy
import cost
import dense
import large
import numpy as np
import reports
import scipy
import sklearn
import sweeps
import whole

import reldim

TABLES = {
    "likelihood": dense.likelihood,
    "sweep": sweeps.sweep,
    "models": sweeps.models,
    "million": large.million,
    "million-sweep": large.million_sweep,
    "growth": large.growth,
    "cost": cost.cost,
    "prediction": large.prediction,
    "strings": large.strings,
    "accuracy": accuracy.lowrank,
    "report": reports.report,
    "busy": busy.others,
    "same-work": busy.same_work,
    "whole": whole.whole,
    "profile": whole.profile,
    "learned": whole.learned,
}

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "benchmarks.md"


def machine() -> str:
    """Name what the numbers were taken on."""
    versions = (
        f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    today = dt.datetime.now(tz=dt.UTC).date()
    return (
        f"reldim {reldim.__version__}, Python {platform.python_version()}, {versions}, "
        f"{os.cpu_count()} cores, {today}."
    )


def replace_sections(page: str, sections: dict[str, str]) -> str:
    """Put each section in its place on the page, marked by its name."""
    for name, text in sections.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end {name} -->\n"
        block = f"{start}{text}\n{end}"
        if start in page:
            page = page[: page.index(start)] + block + page[page.index(end) + len(end) :]
        else:
            page += "\n" + block
    return page


def write_sections(path: Path, sections: dict[str, str]) -> None:
    """Put each section in its place in a file."""
    page = replace_sections(path.read_text(encoding="utf-8"), sections)
    path.write_text(page, encoding="utf-8")


def publish(page: Path, name: str, text: str, *, write: bool) -> None:
    """Print a table and what it was taken on; put both into their place on a page if asked to."""
    signed = f"{text}\n*{machine()}*\n"
    print(signed, flush=True)
    if write:
        write_sections(page, {name: signed})


def main() -> None:
    """Run what was asked for."""
    write = "--write" in sys.argv
    names = [name for name in sys.argv[1:] if name != "--write"] or list(TABLES)
    unknown = set(names) - set(TABLES)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    for name in names:
        publish(PAGE, name, TABLES[name](), write=write)


if __name__ == "__main__":
    main()

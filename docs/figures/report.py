"""Take the pictures of reports and notebooks that README and documentation show.

    python docs/figures/report.py [folder]

They need Chromium and Playwright, as the tests of the report do. Look at what comes out before
it is committed.
"""

import os
import shutil
import sys
import tempfile
from html import escape
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import reldim
from reldim.report.page import columns_page

FOLDER = Path(__file__).resolve().parents[1] / "images"

NAME = "breast cancer, Wisconsin"

#: Page, name of the picture, colours, and the size of the window in pixels.
PICTURES = (
    ("report", "report", "light", (1180, 1240)),
    ("report", "report-dark", "dark", (1180, 1240)),
    ("report", "report-phone", "light", (390, 1240)),
    ("report", "report-phone-dark", "dark", (390, 1240)),
    ("compare", "compare", "light", (1280, 1000)),
    ("columns", "columns", "light", (1280, 1100)),
    ("notebook", "notebook", "light", (900, 1250)),
)

#: Roughly what notebooks put around outputs.
_NOTEBOOK = """<!doctype html><meta charset="utf-8"><style>
body { margin: 1.2rem; font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif; }
pre { margin: 1.1rem 0 0.6rem; padding: 0.5rem 0.7rem; background: #f5f5f5;
      border: 1px solid #e0e0e0; font: 13px/1.4 "DejaVu Sans Mono", monospace; }
table { border-collapse: collapse; font-size: 12px; }
th, td { padding: 0.35em 0.6em; vertical-align: top; }
tbody tr:nth-child(odd) { background: #f5f5f5; }
</style>"""


def write_pages(folder: Path) -> None:
    """Write reports on measurements of 569 tumours, and what a notebook shows of them."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    X = data.data.copy()
    X[:] = StandardScaler().fit_transform(X)
    found = reldim.diagnose(X, labels)
    found.write_report(folder / "report.html", data=data.data, name=NAME)
    page = columns_page(found, name=NAME)
    (folder / "columns.html").write_text(page, encoding="utf-8")
    parts = {"means": "^mean", "standard errors": "error$", "worst values": "^worst", "all": "."}
    tables = {name: X.filter(regex=names) for name, names in parts.items()}
    compared = reldim.compare(tables, labels)
    compared.write_report(folder / "compare.html", name=NAME)
    cells = {
        'diagnosis = reldim.diagnose(frame, "diagnosis")\ndiagnosis': found,
        "diagnosis.forecast()": found.forecast(),
        'reldim.compare({"means": means, "worst values": worst, ...}, y)': compared,
    }
    outputs = (f"<pre>{escape(code)}</pre>{shown._repr_html_()}" for code, shown in cells.items())
    (folder / "notebook.html").write_text(_NOTEBOOK + "\n".join(outputs), encoding="utf-8")


def photograph(
    browser: Browser, address: str, path: Path, scheme: str, size: tuple[int, int]
) -> None:
    """Take a picture of the upper part of a page."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page.goto(address)
    # Pictures are drawn after the page was loaded.
    page.wait_for_timeout(500)
    page.screenshot(path=path)
    page.close()
    # Few colours, so that the file is small; those of thin lines are not to be lost.
    few = Image.open(path).convert("RGB").quantize(200, method=Image.Quantize.MAXCOVERAGE)
    few.save(path, optimize=True)


def main(folder: Path) -> None:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    # Chromium refuses its sandbox to root, as whom containers run.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as running:
        write_pages(Path(place))
        chromium = shutil.which("chromium")
        browser = running.chromium.launch(executable_path=chromium, args=arguments)
        for page, name, scheme, size in PICTURES:
            address = (Path(place) / f"{page}.html").as_uri()
            photograph(browser, address, folder / f"{name}.png", scheme, size)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

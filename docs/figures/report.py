"""Take the pictures of the report that README and documentation show.

    python docs/figures/report.py [folder]

They need Chromium and Playwright, as the tests of the report do.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import reldim

FOLDER = Path(__file__).resolve().parents[1] / "images"


def write_page(folder: Path) -> str:
    """Write a report on measurements of 569 tumours, and give its address."""
    data = load_breast_cancer(as_frame=True)
    X = data.data.copy()
    X[:] = StandardScaler().fit_transform(X)
    labels = data.target_names[data.target]
    found = reldim.diagnose(X, labels)
    found.write_report(folder / "report.html", data=data.data, name="breast cancer, Wisconsin")
    return (folder / "report.html").as_uri()


def photograph(browser: Browser, address: str, path: Path, scheme: str, height: int) -> None:
    """Take a picture of the upper part of a page."""
    size = {"width": 1180, "height": height}
    page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(address)
    page.wait_for_selector("#coefficients canvas")
    page.screenshot(path=path)
    page.close()
    # Few colours, so that the file is small.
    Image.open(path).convert("RGB").quantize(160).save(path, optimize=True)


def main(folder: Path) -> None:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    # Chromium refuses its sandbox to root, as whom containers run.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as running:
        address = write_page(Path(place))
        chromium = shutil.which("chromium")
        browser = running.chromium.launch(executable_path=chromium, args=arguments)
        photograph(browser, address, folder / "report.png", "light", 1240)
        photograph(browser, address, folder / "report-dark.png", "dark", 1240)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

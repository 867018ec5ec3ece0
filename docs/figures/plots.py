"""Draw the pictures of the pages "From a CSV file to a decision" and "How to read the plots".

    python docs/figures/plots.py [folder]

Every picture is made from a fixed seed, so that a picture changes only when the code does.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import scale

import reldim
from reldim import datasets, decompose, diagnose, kernels, plots

FOLDER = Path(__file__).resolve().parents[1] / "images" / "plots"

#: Of the largest file, in bytes: pages are to load quickly.
LARGEST = 150_000


def overview() -> Any:
    """Draw the four plots that matter most, for measurements of 442 patients."""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    return diagnose(scale(X), y).plot()


def coefficients() -> Any:
    """Draw a problem with signal in eleven components, beside one without any."""
    figure, axes = plt.subplots(1, 2, figsize=(11.5, 4.2), layout="constrained")
    rng = np.random.default_rng(0)
    data = datasets.bananas(400, random_state=0)
    for ax, y in zip(axes, (data.y, rng.permutation(data.y)), strict=True):
        found = diagnose(data.X, y, kernels=kernels.Gaussian(0.2))
        plots.CoefficientsDisplay.from_relevance(found.relevance, ax=ax)
    return figure


def criterion() -> Any:
    """Draw a clear minimum, beside one at the end of the range."""
    figure, axes = plt.subplots(1, 2, figsize=(11.5, 4.2), layout="constrained")
    clear = datasets.bananas(400, random_state=0)
    complicated = datasets.sine(100, frequency=20, noise=0.05, random_state=1)
    for ax, data, width in zip(axes, (clear, complicated), (0.2, 0.003), strict=True):
        found = reldim.relevant_dimension(decompose(kernels.Gaussian(width), data.X), data.y)
        plots.CriterionDisplay.from_relevance(found, ax=ax)
    return figure


def candidates() -> Any:
    """Two families of kernels."""
    data = datasets.bananas(250, random_state=0)
    found = diagnose(data.X, data.y, kernels=["gaussian", "laplacian"])
    return plots.CandidatesDisplay.from_diagnosis(found).figure_


def criterion_map() -> Any:
    """Width and dimension."""
    data = datasets.bananas(400, random_state=0)
    return plots.CriterionMapDisplay.from_diagnosis(diagnose(data.X, data.y)).figure_


def error_curves() -> Any:
    """Representations of the same rows."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 250), rng.uniform(0.5, 2.0, 250)
    plane = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    y = np.sin(3 * angle) + 0.3 * rng.normal(size=250)
    compared = {
        "angle": angle[:, None],
        "point in the plane": plane,
        "cosine and sine": plane / radius[:, None],
        "point and noise": np.column_stack([plane, rng.normal(size=(250, 6))]),
    }
    found = {name: diagnose(X, y).relevance for name, X in compared.items()}
    return plots.ErrorCurveDisplay.from_relevances(found).figure_


def denoised() -> Any:
    """Regression, two classes, several classes."""
    figure, axes = plt.subplots(1, 3, figsize=(16.0, 4.4), layout="constrained")
    sinc = datasets.noisy_sinc(300, random_state=1)
    bananas = datasets.bananas(400, random_state=0)
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [0.8, 0.3], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0], [2.0, 6.5]])
    kind = rng.integers(6, size=360)
    trees = np.array(["elm", "oak", "ash", "fir", "yew", "box"])[kind]
    points = centres[kind] + rng.normal(scale=0.6, size=(360, 2))
    for ax, (X, y) in zip(
        axes, [(sinc.X, sinc.y), (bananas.X, bananas.y), (points, trees)], strict=True
    ):
        plots.DenoisedDisplay.from_relevance(diagnose(X, y).relevance, ax=ax)
    return figure


def components() -> Any:
    """Four clouds: the fourth component tells the classes apart."""
    data = datasets.four_clouds(200, random_state=0)
    found = reldim.relevant_dimension(decompose(kernels.Gaussian(1.0), data.X), data.y)
    return plots.ComponentsDisplay.from_relevance(found).figure_


def spectra() -> Any:
    """Smooth and rough kernels."""
    X = datasets.bananas(300, random_state=0).X
    compared = {
        "Gaussian, width 10": kernels.Gaussian(width=10.0),
        "Gaussian, width 0.1": kernels.Gaussian(width=0.1),
        "Laplacian, scale 1": kernels.Laplacian(scale=1.0),
    }
    found = {name: decompose(kernel, X) for name, kernel in compared.items()}
    return plots.SpectraDisplay.from_spectra(found).figure_


def forecast() -> Any:
    """Draw a problem that is limited by noise, beside one that is limited by data."""
    figure, axes = plt.subplots(1, 2, figsize=(11.5, 4.2), layout="constrained")
    noisy = datasets.noisy_sinc(200, noise=0.3, random_state=1)
    complicated = datasets.sine(100, frequency=35, noise=0.1, random_state=1)
    for ax, data in zip(axes, (noisy, complicated), strict=True):
        rows = np.geomspace(len(data.y), 10 * len(data.y), 12).astype(int)
        expected = diagnose(data.X, data.y).forecast(rows)
        plots.ForecastDisplay.from_forecast(expected, ax=ax)
    return figure


FIGURES = (
    overview,
    coefficients,
    criterion,
    candidates,
    criterion_map,
    error_curves,
    denoised,
    components,
    spectra,
    forecast,
)


def main(folder: Path) -> None:
    """Draw all pictures."""
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    for draw in FIGURES:
        figure = draw()
        path = folder / f"{draw.__name__.replace('_', '-')}.png"
        # No version and no date: the same numbers give the same file.
        figure.savefig(path, dpi=80, metadata={"Software": None})
        plt.close(figure)
        if path.stat().st_size > LARGEST:
            raise SystemExit(f"{path} has {path.stat().st_size} bytes, more than {LARGEST}.")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

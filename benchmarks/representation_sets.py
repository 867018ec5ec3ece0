"""Representations of the rows of real data sets, good and bad ones.

Whatever is fitted (principal components, networks, scales) is fitted to rows of its own, so that a
representation is a fixed function of a row, as an embedding from elsewhere would be.
"""

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import NMF, PCA, KernelPCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

Array = NDArray[np.float64]
Map = Callable[[Array], Array]
Source = tuple[NDArray[Any], NDArray[Any], Callable[..., dict[str, Map]]]

DATA = Path(os.environ.get("RELDIM_DATA", Path(__file__).parents[2] / "shared" / "data"))

#: Rows to fit representations to, rows to compare them on, and at most so many to test on.
FITTED, COMPARED, TESTED = 400, 400, 2000

LETTERS = "ACGT"


@dataclass(frozen=True)
class Split:
    """Representations of the rows to compare on and to test on, and their labels."""

    compared: dict[str, Array]
    tested: dict[str, Array]
    labels: NDArray[np.intp]
    test_labels: NDArray[np.intp]


def split(name: str, seed: int) -> Split:
    """Draw rows of a set and represent them in all ways that suit it."""
    rows, y, represent = _SETS[name]()
    _, y = np.unique(y, return_inverse=True)
    order = np.random.default_rng([seed, len(y)]).permutation(len(y))
    # Small sets keep at least a third of their rows for the test.
    fitted = min(FITTED, len(y) // 3)
    compared = min(COMPARED, len(y) // 3)
    first, second, third = np.split(
        order[: fitted + compared + TESTED], [fitted, fitted + compared]
    )
    maps = represent(rows[first], y[first], seed)
    return Split(
        {key: function(rows[second]) for key, function in maps.items()},
        {key: function(rows[third]) for key, function in maps.items()},
        y[second],
        y[third],
    )


def of_vectors(X: Array, y: NDArray[np.intp], seed: int) -> dict[str, Map]:
    """Represent rows of measured features."""
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    scaled = StandardScaler().fit(X).transform
    Z = scaled(X)
    half, third = rng.permutation(d)[: (d + 1) // 2], rng.permutation(d)[: (d + 2) // 3]
    width = np.median(np.sum((Z[:, None] - Z[None]) ** 2, axis=2)[np.triu_indices(len(Z), 1)])
    maps: dict[str, Map] = {
        "all features": scaled,
        "half of the features": lambda X: scaled(X)[:, half],
        "a third of the features": lambda X: scaled(X)[:, third],
        "with 2 d columns of noise": _with_noise_columns(scaled, 2 * d, seed),
        "noise added": _with_noise(scaled, 1.0, seed),
        "signs": lambda X: np.sign(scaled(X)),
        "squares": lambda X: scaled(X) ** 2,
        "2 principal components": _after(scaled, PCA(min(2, d)).fit(Z).transform),
        "d/3 principal components": _after(scaled, PCA(max(1, d // 3)).fit(Z).transform),
        "d/3 random projections": _after(scaled, _projection(d, max(1, d // 3), seed)),
        "random Fourier features": _after(scaled, _fourier(d, 200, width, seed)),
        "narrow Fourier features": _after(scaled, _fourier(d, 200, width / 30, seed)),
        **_networks(scaled, Z, y, seed),
    }
    return maps


def of_images(X: Array, y: NDArray[np.intp], seed: int) -> dict[str, Map]:
    """Represent square pictures."""
    side = round(X.shape[1] ** 0.5)
    rng = np.random.default_rng(seed)
    scale = X.std()
    shift = X.min()

    def scaled(X: Array) -> Array:
        return (X - shift) / scale

    Z = scaled(X)
    d = Z.shape[1]
    few = rng.permutation(d)[: d // 8]
    nmf = NMF(16, init="nndsvda", max_iter=500, random_state=seed).fit(Z)
    kpca = KernelPCA(30, kernel="rbf", gamma=0.5 / (Z.var(axis=0).sum() * 2)).fit(Z)
    return {
        "pixels": scaled,
        "an eighth of the pixels": lambda X: scaled(X)[:, few],
        "4 x 4 means": lambda X: _means(scaled(X), side, 4),
        "2 x 2 means": lambda X: _means(scaled(X), side, 2),
        "sums of lines": lambda X: _line_sums(scaled(X), side),
        "noise added": _with_noise(scaled, 1.0, seed),
        "Fourier magnitudes": lambda X: _magnitudes(scaled(X), side),
        "directions of edges": lambda X: _edges(scaled(X), side),
        "2 principal components": _after(scaled, PCA(2).fit(Z).transform),
        "10 principal components": _after(scaled, PCA(10).fit(Z).transform),
        "40 principal components": _after(scaled, PCA(40).fit(Z).transform),
        "30 kernel components": _after(scaled, kpca.transform),
        "16 parts (NMF)": _after(scaled, nmf.transform),
        "8 random projections": _after(scaled, _projection(d, 8, seed)),
        **_networks(scaled, Z, y, seed),
    }


def of_sequences(X: NDArray[np.int8], y: NDArray[np.intp], seed: int) -> dict[str, Map]:
    """Represent DNA, given as numbers of letters."""
    Z = _one_hot(X)
    middle = slice(X.shape[1] // 2 - 10, X.shape[1] // 2 + 10)
    return {
        "numbers of letters": lambda X: X.astype(np.float64),
        "one-hot": _one_hot,
        "one-hot, middle 20": lambda X: _one_hot(X[:, middle]),
        "one-hot, first 20": lambda X: _one_hot(X[:, :20]),
        "pairs by position": lambda X: _one_hot(4 * X[:, :-1] + X[:, 1:], 16),
        "triplets of the middle": lambda X: _one_hot(_words(X[:, middle], 3), 64),
        "counts of letters": lambda X: _counts(X, 1),
        "counts of triplets": lambda X: _counts(X, 3),
        "counts of 4 letters": lambda X: _counts(X, 4),
        "10 principal components": _after(_one_hot, PCA(10).fit(Z).transform),
        "50 principal components": _after(_one_hot, PCA(50).fit(Z).transform),
        "50 random projections": _after(_one_hot, _projection(Z.shape[1], 50, seed)),
        "noise added": _with_noise(_one_hot, 0.5, seed),
        **_networks(_one_hot, Z, y, seed),
    }


def _networks(scaled: Map, Z: Array, y: NDArray[np.intp], seed: int) -> dict[str, Map]:
    """Take hidden layers of networks that were trained not at all, briefly, and long."""
    hidden = (64, 32)
    maps: dict[str, Map] = {}
    for label, steps, shuffled in (
        ("random layer", 0, False),
        ("layer, 3 epochs", 3, False),
        ("layer, 200 epochs", 200, False),
        ("layer, wrong labels", 100, True),
    ):
        targets = np.random.default_rng(seed).permutation(y) if shuffled else y
        net = MLPClassifier(hidden, max_iter=max(1, steps), random_state=seed)
        if steps == 0:
            net.set_params(learning_rate_init=1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            net.fit(Z, targets)
        maps[label] = _after(scaled, _layer(net, 1))
        if label == "layer, 200 epochs":
            maps["second layer, 200 epochs"] = _after(scaled, _layer(net, 2))
    return maps


def _layer(net: MLPClassifier, depth: int) -> Map:
    def values(Z: Array) -> Array:
        for weights, bias in zip(net.coefs_[:depth], net.intercepts_[:depth], strict=True):
            Z = np.maximum(Z @ weights + bias, 0.0)
        return Z

    return values


def _after(first: Map, second: Map) -> Map:
    return lambda X: np.asarray(second(first(X)), dtype=np.float64)


def _projection(d: int, k: int, seed: int) -> Map:
    directions = np.random.default_rng(seed).normal(size=(d, k)) / np.sqrt(k)
    return lambda Z: Z @ directions


def _fourier(d: int, k: int, width: float, seed: int) -> Map:
    rng = np.random.default_rng(seed)
    frequencies = rng.normal(size=(d, k)) / np.sqrt(width)
    phases = rng.uniform(0, 2 * np.pi, size=k)
    return lambda Z: np.sqrt(2 / k) * np.cos(Z @ frequencies + phases)


def _with_noise(scaled: Map, size: float, seed: int) -> Map:
    rng = np.random.default_rng([seed, 1])

    def noisy(X: Array) -> Array:
        Z = scaled(X)
        return Z + size * rng.normal(size=Z.shape)

    return noisy


def _with_noise_columns(scaled: Map, count: int, seed: int) -> Map:
    rng = np.random.default_rng([seed, 2])
    return lambda X: np.hstack([scaled(X), rng.normal(size=(len(X), count))])


def _pictures(Z: Array, side: int) -> Array:
    return Z.reshape(len(Z), side, side)


def _means(Z: Array, side: int, cells: int) -> Array:
    size = side // cells
    blocks = _pictures(Z, side).reshape(len(Z), cells, size, cells, size)
    return np.asarray(blocks.mean(axis=(2, 4))).reshape(len(Z), -1)


def _line_sums(Z: Array, side: int) -> Array:
    pictures = _pictures(Z, side)
    return np.hstack([pictures.mean(axis=1), pictures.mean(axis=2)])


def _magnitudes(Z: Array, side: int) -> Array:
    return np.abs(np.fft.rfft2(_pictures(Z, side), norm="ortho")).reshape(len(Z), -1)


def _edges(Z: Array, side: int) -> Array:
    """Histograms of the directions of edges over 4 x 4 cells, eight directions each."""
    down, right = np.gradient(_pictures(Z, side), axis=(1, 2))
    strength = np.hypot(down, right)
    sector = np.floor((np.arctan2(down, right) / (2 * np.pi) + 0.5) * 8).astype(int) % 8
    size = side // 4
    cells = [
        np.where(sector == s, strength, 0.0).reshape(len(Z), 4, size, 4, size).sum(axis=(2, 4))
        for s in range(8)
    ]
    histograms = np.stack(cells, axis=-1).reshape(len(Z), -1)
    return np.asarray(np.sqrt(histograms / (histograms.sum(axis=1, keepdims=True) + 1e-9)))


def _one_hot(X: NDArray[np.integer], letters: int = 4) -> Array:
    return (X[:, :, None] == np.arange(letters)).reshape(len(X), -1).astype(np.float64)


def _words(X: NDArray[np.integer], length: int) -> NDArray[np.int64]:
    ends = X.shape[1] - length + 1
    return sum(4 ** (length - 1 - j) * X[:, j : j + ends].astype(np.int64) for j in range(length))


def _counts(X: NDArray[np.integer], length: int) -> Array:
    words = _words(X, length)
    return np.stack([np.bincount(row, minlength=4**length) for row in words]).astype(np.float64)


def _ida(name: str) -> Source:
    archive = np.load(DATA / "ida" / f"{name}.npz")
    return archive["X"], archive["y"], of_vectors


def _digits() -> Source:
    X, y = load_digits(return_X_y=True)
    return X, y, of_images


def _usps() -> Source:
    archive = np.load(DATA / "usps" / "usps.npz")
    return archive["X"], archive["y"], of_images


def _breast_cancer() -> Source:
    X, y = load_breast_cancer(return_X_y=True)
    return X, y, of_vectors


def _splice() -> Source:
    lines = (DATA / "splice_strings" / "splice.csv").read_text().split()[1:]
    pairs = [line.split(",") for line in lines]
    # A few sequences hold letters for "one of several"; they are left out.
    plain = [(label, text) for label, text in pairs if set(text) <= set(LETTERS)]
    numbers = np.array([[LETTERS.index(letter) for letter in text] for _, text in plain])
    return numbers, np.array([label for label, _ in plain]), of_sequences


#: Sets that the order of scores was chosen on, and sets to measure on.
TUNING = ("banana", "german", "image", "ringnorm", "waveform")
MEASURING = ("digits", "USPS", "splice", "breast cancer", "diabetis")

_SETS: dict[str, Callable[[], Source]] = {
    "digits": _digits,
    "USPS": _usps,
    "splice": _splice,
    "breast cancer": _breast_cancer,
    **{name: partial(_ida, name) for name in (*TUNING, "diabetis")},
}

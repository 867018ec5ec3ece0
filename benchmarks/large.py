"""A million rows on one machine."""

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import measure, peak_megabytes, table
from problems import smooth

from reldim import decompose, diagnose, kernels, relevant_dimension
from reldim.spectrum.gram import Gram


def products(n: int, k: int, dtype: str) -> Callable[[], Any]:
    """Time the 2 n k^2 operations of a rank-k factor as plain matrix products."""
    rng = np.random.default_rng(0)
    rows = 20_000
    A = rng.standard_normal((rows, k), dtype=np.dtype(dtype).type)
    # Two arrays: NumPy would take half of the operations for A.T @ A.
    B = A.copy()

    def run() -> Any:
        for _ in range(n // rows):
            A.T @ B

    return run


def factorization(n: int, k: int, dtype: str) -> Callable[[], Any]:
    """Factor a kernel matrix and estimate."""
    X, y = smooth(n, features=10)
    X = X.astype(dtype)

    def run() -> Any:
        spectrum = decompose(kernels.Gaussian(10.0), X, solver="lowrank", rank=k // 2)
        rd = relevant_dimension(spectrum, y)
        return len(spectrum.landmarks), rd.dimension, rd.negative_log_likelihood, peak_megabytes()

    return run


def million() -> str:
    """Compare one width at rank 1000 with the time of its matrix products."""
    rows = []
    for n, dtype in ((1_000_000, "float32"), (500_000, "float64")):
        k = 1000
        floor = measure(products, n, k, dtype, n=3)
        ours = measure(factorization, n, k, dtype, n=3)
        landmarks, d, likelihood, peak = ours.result
        rows.append(
            [
                f"{n:,} x 10",
                dtype,
                f"{landmarks}",
                f"{floor.seconds:.1f}",
                f"{ours.seconds:.1f}",
                f"**{ours.seconds / floor.seconds:.2f}**",
                f"{peak / 1024:.1f}",
                f"{d}",
                f"{likelihood:.4f}",
            ]
        )
    return table(
        "A million rows, one width",
        ["data", "type", "rank", "products, s", "reldim, s", "ratio", "peak GB", "d", "likelihood"],
        rows,
        "Products: 2 n k² operations as matrix products of the same precision, measured in the "
        "same run. reldim: landmarks, factor, spectrum, coefficients and relevant dimension.",
    )


def sweep_of(n: int, count: int) -> Callable[[], Any]:
    """Diagnose over several widths."""
    X, y = smooth(n, features=10)
    X = X.astype(np.float32)
    family = [kernels.Gaussian(width) for width in np.logspace(0.3, 2.3, count)]

    def run() -> Any:
        diagnosis = diagnose(X, y, kernels=family, solver="lowrank", memory=int(8e9))
        frame = diagnosis.candidates
        return (
            repr(diagnosis.kernel),
            diagnosis.dimension,
            diagnosis.interval,
            diagnosis.noise_level,
            diagnosis.error_estimate,
            int(frame["rank"].max()),
            int(frame["settled"].sum()),
            peak_megabytes(),
            type(diagnosis.predictor()).__name__,
        )

    return run


def million_sweep() -> str:
    """Compare a full diagnosis over ten widths with ten times the products."""
    n, count = 1_000_000, 10
    floor = measure(products, n, 1000, "float32", n=3)
    ours = measure(sweep_of, n, count, n=1)
    kernel, d, interval, noise, error, rank, settled, peak, _ = ours.result
    rows = [
        ["ten times the products at rank 1000, s", f"{10 * floor.seconds:.0f}"],
        ["reldim, s", f"{ours.seconds:.0f}"],
        ["ratio", f"**{ours.seconds / (10 * floor.seconds):.2f}**"],
        ["peak memory, GB", f"{peak / 1024:.1f}"],
        ["best kernel, dimension, interval", f"{kernel}, {d}, {interval[0]} to {interval[1]}"],
        ["noise level, leave-one-out error", f"{noise:.4f}, {error:.4f} (truth 0.168)"],
        ["largest rank, widths settled", f"{rank}, {settled} of {count}"],
    ]
    return table(
        "A million rows, ten widths that are listed, each on all rows", ["", "float32"], rows
    )


def growth() -> str:
    """Double n at a fixed rank."""
    rows = []
    before = None
    for n in (62_500, 125_000, 250_000, 500_000):
        run = measure(factorization, n, 500, "float32", n=3)
        ratio = "" if before is None else f"**{run.seconds / before:.2f}**"
        rows.append([f"{n:,}", f"{run.seconds:.2f}", ratio, f"{run.megabytes:.0f}"])
        before = run.seconds
    return table("Growth at fixed rank 500", ["n", "time, s", "over the row above", "MB"], rows)


def predict_with_ridge(n: int) -> Callable[[], Any]:
    """Predict with all rows."""
    from sklearn.kernel_ridge import KernelRidge

    X, y = smooth(n)
    new, truth = smooth(5000, seed=1)
    model = KernelRidge(alpha=1.0, kernel="rbf", gamma=0.1).fit(X, y - y.mean())
    return lambda: (truth - y.mean() - model.predict(new)) ** 2


def predict_with_reldim(n: int) -> Callable[[], Any]:
    """Predict through landmarks."""
    from reldim import KernelPCRegressor

    X, y = smooth(n)
    new, truth = smooth(5000, seed=1)
    model = KernelPCRegressor(kernels.Gaussian(5.0)).fit(X, y)
    return lambda: (truth - model.predict(new)) ** 2


def prediction() -> str:
    """Compare prediction through landmarks with prediction through all rows."""
    n = 20_000
    peer, ours = measure(predict_with_ridge, n, n=5), measure(predict_with_reldim, n, n=5)
    rows = []
    for name, run in (("`KernelRidge.predict`", peer), ("reldim", ours)):
        squared = np.asarray(run.result)
        error = f"{squared.mean():.4f} ± {squared.std() / np.sqrt(len(squared)):.4f}"
        ratio = f"**{peer.seconds / run.seconds:.0f}**"
        rows.append([name, f"{run.seconds:.3f}", ratio, error, f"{run.megabytes:.0f}"])
    return table(
        f"Prediction at 5000 points, {n:,} training rows, Gaussian kernel of width 5",
        ["what", "time, s", "ratio", "test error ± standard error", "MB"],
        rows,
    )


def weighted_degree_by_match(sequences: list[str], degree: int) -> Callable[[], Any]:
    """Walk through positions and degrees, each match extended from the one a letter shorter."""
    codes = np.array([list(s.encode()) for s in sequences], dtype=np.uint8)

    def run() -> Any:
        n, length = codes.shape
        K = np.zeros((n, n))
        equal = [codes[:, p, None] == codes[:, p] for p in range(length)]
        match = list(equal)
        for j in range(1, degree + 1):
            for position in range(length - j + 1):
                if j > 1:
                    match[position] = match[position] & equal[position + j - 1]
                K += (degree - j + 1) * match[position]
        return float(K.sum())

    return run


def weighted_degree_with_reldim(sequences: list[str], degree: int) -> Callable[[], Any]:
    """Compute the Gram matrix."""
    gram = Gram.of(kernels.WeightedDegree(degree), sequences)
    return lambda: float(gram.matrix().sum())


def strings() -> str:
    """Compare the weighted-degree kernel with a straightforward one."""
    rng = np.random.default_rng(0)
    n, length, degree = 3175, 60, 20
    # Sequences that share motifs, so that long matches occur.
    motifs = rng.choice(list("ACGT"), size=(20, length))
    letters = motifs[rng.integers(0, 20, n)]
    noise = rng.random((n, length)) < 0.3
    letters[noise] = rng.choice(list("ACGT"), size=noise.sum())
    sequences = ["".join(row) for row in letters]
    peer = measure(weighted_degree_by_match, sequences, degree, n=1)
    ours = measure(weighted_degree_with_reldim, sequences, degree, n=5)
    rows = [
        ["NumPy by position and degree", f"{peer.seconds:.1f}", "1", f"{peer.megabytes:.0f}"],
        [
            "reldim",
            f"{ours.seconds:.2f}",
            f"**{peer.seconds / ours.seconds:.0f}**",
            f"{ours.megabytes:.0f}",
        ],
    ]
    same = "equal" if peer.result == ours.result else "DIFFERENT"
    return table(
        f"Weighted degree {degree}, n = {n}, length {length}, full Gram matrix",
        ["what", "time, s", "ratio", "MB"],
        rows,
        f"Sums of all entries are {same}. The straightforward code extends each match from the "
        "one a letter shorter.",
    )

"""What the papers print: the numbers that ours are set beside."""

import math
from dataclasses import dataclass

__all__ = [
    "CITATIONS",
    "GP_ERRORS",
    "SHORT",
    "SPLICE_KERNELS",
    "TABLE2",
    "TABLE3",
    "TABLE4",
    "VARIANCE_TABLE",
    "Benchmark",
    "Spread",
]

CITATIONS = {
    "jmlr": (
        "M. L. Braun, J. M. Buhmann, K.-R. Müller, On Relevant Dimensions in Kernel Feature "
        "Spaces, Journal of Machine Learning Research 9, 2008"
    ),
    "nips": (
        "M. L. Braun, J. M. Buhmann, K.-R. Müller, Denoising and Dimension Reduction in Feature "
        "Space, Advances in Neural Information Processing Systems 19, 2006"
    ),
    "icml2007": (
        "S. Mosci, L. Rosasco, A. Verri, Dimensionality Reduction and Generalization, "
        "International Conference on Machine Learning, 2007"
    ),
    "icml2000": (
        "C. K. I. Williams, M. Seeger, The Effect of the Input Density Distribution on "
        "Kernel-based Classifiers, International Conference on Machine Learning, 2000"
    ),
    "slides": (
        "K.-R. Müller, M. L. Braun, Denoising and Dimension Reduction in Feature Space, slides, "
        "Eindhoven, 2007"
    ),
}

#: The same in two words.
SHORT = {
    "jmlr": "JMLR 2008",
    "nips": "NIPS 2006",
    "icml2007": "ICML 2007",
    "icml2000": "ICML 2000",
    "slides": "slides 2007",
}


@dataclass(frozen=True)
class Spread:
    """A mean and its standard deviation over so many resamples, in percent."""

    mean: float
    deviation: float
    count: int

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.deviation:.1f}"

    @property
    def standard_error(self) -> float:
        """Standard deviation of the mean."""
        return self.deviation / math.sqrt(self.count)


@dataclass(frozen=True)
class Benchmark:
    """A row of Table 3 of the JMLR paper: resamples, dimensions, and errors in percent."""

    count: int
    tcm: int
    loo: int
    noise: Spread
    kpcr: Spread
    krr: Spread
    svm: Spread


def _row(tcm: int, loo: int, *numbers: float, count: int = 100) -> Benchmark:
    spreads = [Spread(*numbers[place : place + 2], count) for place in range(0, 8, 2)]
    return Benchmark(count, tcm, loo, *spreads)


#: JMLR, Table 3.
TABLE3 = {
    "banana": _row(24, 26, 8.8, 1.5, 11.3, 0.7, 10.6, 0.5, 11.5, 0.7),
    "breast-cancer": _row(2, 2, 25.6, 2.1, 27.0, 4.6, 26.5, 4.7, 26.0, 4.7),
    "diabetis": _row(9, 9, 21.5, 1.3, 23.6, 1.8, 23.2, 1.7, 23.5, 1.7),
    "flare-solar": _row(10, 10, 32.9, 1.2, 33.3, 1.8, 34.1, 1.8, 32.4, 1.8),
    "german": _row(12, 12, 22.9, 1.1, 24.1, 2.1, 23.5, 2.2, 23.6, 2.1),
    "heart": _row(4, 5, 15.8, 2.5, 16.7, 3.8, 16.6, 3.5, 16.0, 3.3),
    "image": _row(272, 368, 1.7, 1.0, 4.2, 0.9, 2.8, 0.5, 3.0, 0.6, count=20),
    "ringnorm": _row(36, 37, 1.9, 0.7, 4.4, 1.2, 4.7, 0.8, 1.7, 0.1),
    "splice": _row(92, 89, 9.2, 1.3, 13.8, 0.9, 11.0, 0.6, 10.9, 0.6, count=20),
    "thyroid": _row(17, 18, 2.0, 1.0, 5.1, 2.1, 4.3, 2.3, 4.8, 2.2),
    "titanic": _row(4, 6, 20.8, 3.8, 22.9, 1.6, 22.5, 1.0, 22.4, 1.0),
    "twonorm": _row(2, 2, 2.3, 0.7, 2.4, 0.1, 2.8, 0.2, 3.0, 0.2),
    "waveform": _row(14, 23, 8.4, 1.5, 10.8, 0.9, 9.7, 0.4, 9.9, 0.4),
}

#: JMLR, Table 2: dimension and noise level (percent) by data set and criterion.
TABLE2 = {
    ("complex", "TCM"): (50, 16.07),
    ("complex", "LOO-CV"): (25, 40.59),
    ("noisy", "TCM"): (9, 40.71),
    ("noisy", "LOO-CV"): (9, 40.71),
}

#: JMLR, Table 4, in which twonorm does not appear.
TABLE4 = {
    ("low", "low"): ("banana", "thyroid", "waveform"),
    ("low", "high"): ("breast-cancer", "diabetis", "flare-solar", "german", "heart", "titanic"),
    ("high", "low"): ("image", "ringnorm"),
    ("high", "high"): ("splice",),
}

#: JMLR, Table 5: dimension, noise level, error of kPCR.
SPLICE_KERNELS = {
    "rbf": (87, Spread(9.4, 1.0, 20), Spread(12.9, 0.9, 20)),
    "rbf (binary)": (11, Spread(7.1, 1.0, 20), Spread(7.6, 0.7, 20)),
    "wdk": (29, Spread(4.5, 0.7, 20), Spread(5.5, 0.7, 20)),
}

#: ICML 2000, Table 1: rows, features, eigenvalues for 95 % and 99 % of the variance.
VARIANCE_TABLE = {
    "crabs": (80, 5, 3, 5),
    "pima": (200, 7, 3, 6),
    "ringnorm": (400, 20, 1, 60),
    "twonorm": (300, 20, 10, 28),
    "wdbc": (300, 30, 5, 13),
    "waveform": (800, 21, 30, 112),
    "usps": (7291, 256, 268, 1508),
}

#: ICML 2000, Table 2: test errors with the whole and with the reduced matrix.
GP_ERRORS = {
    "crabs": (4, 4),
    "pima": (68, 67),
    "ringnorm": (184, 177),
    "twonorm": (297, 302),
    "wdbc": (8, 8),
    "waveform": (221, 212),
}

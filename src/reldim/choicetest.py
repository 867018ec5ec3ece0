"""Test for signal after a choice among kernels, by permuted targets."""

import numpy as np
from numpy.typing import NDArray

from reldim.criteria import spread_over_clusters
from reldim.significance import BEYOND_DOUBT, DRAWS, least_p_value, likelihood_ratio
from reldim.spectrum import Spectrum
from reldim.targets import Targets

__all__ = ["ChoiceTest"]

Array = NDArray[np.float64]

#: Permutations of the targets; the smallest p-value that they give is 1 / (PERMUTATIONS + 1).
PERMUTATIONS = 199

#: Numbers that are projected at a time.
BATCH = 2**24


class ChoiceTest:
    """The largest likelihood ratio over all kernels, beside that of permuted targets.

    Whoever tries 20 kernels and takes the best finds signal in noise more often than the level
    of a single test says. Permuted targets go through the same choice: each kernel is shown to
    them with the products U^T y alone, so that no decomposition is repeated.

    Parameters
    ----------
    targets : Targets
        The coded targets.
    random_state : int or None
        Seed of the permutations; None stands for 0.

    Examples
    --------
    >>> from reldim import decompose, kernels
    >>> from reldim.targets import code_targets
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 1)), rng.normal(size=40)
    >>> test = ChoiceTest(code_targets(y))
    >>> for width in (0.1, 1.0, 10.0):
    ...     test.see(decompose(kernels.Gaussian(width), X))
    >>> bool(test.p_value > 0.05)
    True
    """

    def __init__(self, targets: Targets, random_state: int | None = None) -> None:
        self._values = targets.values - (targets.mean - targets.offset)
        self._total = float(np.sum(self._values**2))
        self._q = targets.degrees_of_freedom
        self._least = least_p_value(targets.codes)
        self._seed = 0 if random_state is None else random_state
        self._observed = 0.0
        self._permuted = np.zeros(PERMUTATIONS)

    @property
    def p_value(self) -> float:
        """Probability that targets without signal give as large a ratio under some kernel."""
        if self._observed > BEYOND_DOUBT:
            return max(1.0 / (DRAWS + 1), self._least)
        # Round-off must not make a statistic smaller than itself (ties at 0 are common).
        exceeding = int(np.sum(self._permuted >= self._observed * (1 - 1e-9)))
        return max((exceeding + 1.0) / (PERMUTATIONS + 1), self._least)

    def see(self, spectrum: Spectrum) -> None:
        """Take a kernel into account.

        Parameters
        ----------
        spectrum : Spectrum
            The spectrum of the kernel; it is not kept.
        """
        n, outputs = self._values.shape
        cuts = spectrum.cuts[spectrum.cuts <= n // 2]
        if self._observed > BEYOND_DOUBT or len(cuts) == 0:
            return
        observed = self._statistics(spectrum, self._values[:, None, :], cuts)
        self._observed = max(self._observed, float(observed[0]))
        if self._observed > BEYOND_DOUBT:
            return
        size = max(1, BATCH // (n * outputs))
        # The same permutations for every kernel, however many are made at a time.
        rng = np.random.default_rng(self._seed)
        for start in range(0, PERMUTATIONS, size):
            count = min(size, PERMUTATIONS - start)
            orders = [rng.permutation(n) for _ in range(count)]
            permuted = np.stack([self._values[order] for order in orders], axis=1)
            found = self._statistics(spectrum, permuted, cuts)
            part = slice(start, start + count)
            self._permuted[part] = np.maximum(self._permuted[part], found)

    def _statistics(self, spectrum: Spectrum, values: Array, cuts: NDArray[np.intp]) -> Array:
        n, count, outputs = values.shape
        z = spectrum.project(values.reshape(n, count * outputs))
        energies = np.sum(z.reshape(-1, count, outputs) ** 2, axis=2)
        energies = spread_over_clusters(energies, spectrum, self._total)
        leading = np.cumsum(energies, axis=0)[cuts - 1].T
        return likelihood_ratio(leading, self._total, n, self._q, cuts)

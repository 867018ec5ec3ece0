"""Test for signal after a choice among kernels, by targets without signal."""

from collections.abc import Iterable, Iterator
from functools import partial
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.inputs.random_state import seed_of
from reldim.inputs.rows import RowBlocks, by_rows, row_numbers
from reldim.inputs.splits import Splits
from reldim.inputs.targets import Targets
from reldim.relevance.criteria import spread_over_clusters
from reldim.relevance.significance import DRAWS, beyond_doubt, least_p_value, likelihood_ratio
from reldim.spectrum.spectrum import Spectrum

__all__ = ["ChoiceTest", "normal_rows"]

Array = NDArray[np.float64]

#: Permutations of the targets; the smallest p-value that they give is 1 / (PERMUTATIONS + 1).
PERMUTATIONS = 199

#: Numbers that are projected at a time.
BATCH = 2**24

#: Beyond this many rows normal numbers stand in for permuted targets: coefficients, which are sums
#: over all rows, have the same distribution, and nothing has to change places.
MANY = 50_000

#: Kurtosis of targets, 3 for normal ones, up to which their ratios are like those of normal ones.
#: Beyond, few rows hold most of the variance, as with rare classes, and chance does more.
MOST_KURTOSIS = 5.0

#: Rows, and stand-ins for the targets, that are drawn from one seed.
CHUNK = 4096
GROUP = 8


class ChoiceTest:
    """The sum of likelihood ratios over all kernels, beside that of permuted targets.

    The best of 20 kernels finds signal in noise more often than the level
    of a single test says. Permuted targets go through the same choice: each kernel is shown to
    them with the products U^T y alone, so that no decomposition is repeated. Beyond 50 000 rows
    normal numbers with the covariance of the targets take the place of permutations.

    Parameters
    ----------
    targets : Targets
        The coded targets.
    random_state : int or None
        Seed of the permutations; None stands for 0.
    splits : Splits, optional
        What may change places, by default single rows.

    Examples
    --------
    >>> from reldim import decompose, kernels
    >>> from reldim.inputs.targets import code_targets
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 1)), rng.normal(size=40)
    >>> test = ChoiceTest(code_targets(y))
    >>> for width in (0.1, 1.0, 10.0):
    ...     test.see(decompose(kernels.Gaussian(width), X))
    >>> bool(test.p_value > 0.05)
    True
    """

    def __init__(
        self, targets: Targets, random_state: int | None = None, splits: Splits | None = None
    ) -> None:
        self._splits = splits
        self._values = targets.values - (targets.mean - targets.offset)
        self._total = float(np.sum(self._values**2))
        self._q = targets.degrees_of_freedom
        self._least = least_p_value(targets.counts)
        self._seed = seed_of(random_state)
        self._beyond_doubt = beyond_doubt(targets.n)
        many = targets.n > MANY or _kurtosis(np.asarray(self._values)) <= MOST_KURTOSIS
        self._even = splits is None and many
        self._seen: list[tuple[float, Array]] = []
        self._held: list[Array] | None = None

    @property
    def p_value(self) -> float:
        """Probability that targets without signal give as large a ratio under some kernel."""
        if self.is_beyond_doubt:
            return max(1.0 / ((DRAWS if self._even else PERMUTATIONS) + 1), self._least)
        # Exact sums are the same in any order, and kernels are seen in several threads.
        observed = fsum(ratio for ratio, _ in self._seen)
        # Round-off must not make a statistic smaller than itself (ties at 0 are common).
        exceeding = int(np.sum(self._permuted >= observed * (1 - 1e-9)))
        return max((exceeding + 1.0) / (PERMUTATIONS + 1), self._least)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self._values)

    @property
    def is_beyond_doubt(self) -> bool:
        """Whether a ratio is so large that there is nothing to test."""
        # Of uneven targets permutations tell what chance does; they are zeros for others.
        return any(
            ratio > self._beyond_doubt + permuted.max(initial=0.0) for ratio, permuted in self._seen
        )

    @property
    def _permuted(self) -> Array:
        by_kernel = [np.zeros(PERMUTATIONS), *(ratios for _, ratios in self._seen)]
        return np.array([fsum(ratios) for ratios in zip(*by_kernel, strict=True)])

    def see(self, spectrum: Spectrum) -> None:
        """Take a kernel into account, in any thread.

        Parameters
        ----------
        spectrum : Spectrum
            The spectrum of the kernel; it is not kept.
        """
        n = len(self._values)
        cuts = spectrum.cuts[spectrum.cuts <= n // 2]
        if self.is_beyond_doubt or len(cuts) == 0:
            return
        # The largest ratio alone would be ruled by narrow kernels, whose ratios vary most on
        # noise: the sum finds weak smooth signals more often, at the same level.
        observed = float(self._statistics(spectrum, self._values, cuts)[0])
        permuted = np.zeros(PERMUTATIONS)
        if observed <= self._beyond_doubt or not self._even:
            alike = n > MANY and self._splits is None
            drawn = self._stand_ins(spectrum.gram.points) if alike else self._permuted_targets()
            found = [self._statistics(spectrum, some, cuts) for some in drawn]
            permuted = np.concatenate(found)[:PERMUTATIONS]
        self._seen.append((observed, permuted))

    def _permuted_targets(self) -> Iterable[Array]:
        """Return permuted targets, some beside each other; kept where one batch holds all."""
        if self._values.size * PERMUTATIONS > BATCH:
            return self._permutations()
        if self._held is None:
            self._held = list(self._permutations())
        return self._held

    def _permutations(self) -> Iterator[Array]:
        values = np.asarray(self._values)
        n, outputs = values.shape
        size = max(1, BATCH // (n * outputs))
        # The same permutations for every kernel, however many are made at a time.
        rng = np.random.default_rng(self._seed)
        splits = self._splits or Splits(n)
        for start in range(0, PERMUTATIONS, size):
            count = min(size, PERMUTATIONS - start)
            drawn = [values[splits.exchanged(rng)] for _ in range(count)]
            if splits.groups is not None:
                drawn = [self._alike(some) for some in drawn]
            yield np.concatenate(drawn, axis=1)

    def _alike(self, values: Array) -> Array:
        """Centre and scale targets, of which units of unequal sizes hold some more often."""
        centred = values - values.mean(axis=0)
        total = max(float(np.sum(centred**2)), np.finfo(np.float64).tiny)
        return np.asarray(centred * np.sqrt(self._total / total))

    def _stand_ins(self, points: Any) -> Iterator[Array]:
        """Yield normal numbers with the covariance of the targets, some columns at a time."""
        n, outputs = self._values.shape
        variances, vectors = np.linalg.eigh(np.asarray(self._values.T @ self._values) / n)
        root = np.sqrt(np.maximum(variances, 0.0))[:, None] * vectors.T
        together = max(points.sizes) if isinstance(points, RowBlocks) else n
        all_groups = -(-PERMUTATIONS // GROUP)
        groups = min(all_groups, max(1, BATCH // (together * outputs * GROUP)))
        rows = row_numbers(points)
        for first in range(0, all_groups, groups):
            draw = partial(
                normal_rows, n=n, seed=self._seed, groups=range(first, first + groups), root=root
            )
            width = groups * GROUP * outputs
            yield by_rows(draw, rows, dtype=np.dtype(np.float64), width=width)

    def _statistics(self, spectrum: Spectrum, values: Array, cuts: NDArray[np.intp]) -> Array:
        n, outputs = self._values.shape
        z = spectrum.project(values)
        energies = np.sum(z.reshape(len(z), -1, outputs) ** 2, axis=2)
        energies = spread_over_clusters(energies, spectrum, self._total)
        leading = np.cumsum(energies, axis=0)[cuts - 1].T
        return likelihood_ratio(leading, self._total, n, self._q, cuts)


def _kurtosis(values: Array) -> float:
    """Return the mean fourth power of rows over the square of their mean square."""
    # In units of the largest, which has a fourth power.
    largest = max(float(np.abs(values).max(initial=0.0)), np.finfo(np.float64).tiny)
    squares = np.sum((values / largest) ** 2, axis=1)
    return float(np.mean(squares**2) / max(np.mean(squares) ** 2, np.finfo(np.float64).tiny))


def normal_rows(rows: NDArray[np.intp], *, n: int, seed: int, groups: range, root: Array) -> Array:
    """Draw normal numbers for some rows, the same whatever rows are asked for together.

    Parameters
    ----------
    rows : ndarray of int
        Row numbers, one after the other, none left out.
    n : int
        Number of all rows.
    seed : int
        Seed.
    groups : range
        Which groups of stand-ins for the targets.
    root : ndarray of shape (outputs, outputs)
        A root of the covariance of the outputs.

    Returns
    -------
    ndarray of shape (rows, groups x GROUP x outputs)
        Numbers with mean 0 and, without the root, variance 1 in each chunk of rows.
    """
    outputs = len(root)
    first, last = int(rows[0]), int(rows[-1]) + 1
    parts = []
    for chunk in range(first // CHUNK, -(-last // CHUNK)):
        start, stop = chunk * CHUNK, min((chunk + 1) * CHUNK, n)
        drawn = [
            np.random.default_rng([seed, group, chunk]).standard_normal(
                (stop - start, GROUP, outputs)
            )
            for group in groups
        ]
        numbers = np.concatenate(drawn, axis=1)
        numbers -= numbers.mean(axis=0)
        numbers /= np.maximum(numbers.std(axis=0), np.finfo(np.float64).tiny)
        parts.append(numbers[max(first - start, 0) : last - start] @ root)
    return np.concatenate(parts).reshape(last - first, -1)

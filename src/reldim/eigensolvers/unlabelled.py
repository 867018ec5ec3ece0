"""Components from rows with and without labels, as a Spectrum of those with labels.

The components of all rows are functions; at the labelled rows they are no longer orthonormal. With
:math:`U_1` the rows of the eigenvectors that are labelled and :math:`U_1 = Q R`, the columns of Q
span the same nested spaces, and :math:`f(x) R^{-1}` are the functions that have them as values.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from reldim.exceptions import InputError
from reldim.spectrum.gram import Floats, Gram
from reldim.spectrum.spectrum import Spectrum, Vectors

__all__ = ["SharedVectors", "decompose_with_unlabelled"]

Array = NDArray[np.float64]

#: A component of which less is left at the labelled rows, beside those before it, is not known
#: there.
LEAST_PART = 1e-8


@dataclass(frozen=True)
class SharedVectors(Vectors):
    """The components of all rows, orthonormal at some of them.

    Parameters
    ----------
    joint : Spectrum
        The decomposition of all rows.
    inverse : ndarray of shape (k, k)
        The inverse of R.
    """

    joint: Spectrum = field(kw_only=True, repr=False)
    inverse: Array = field(kw_only=True, repr=False)

    @property
    def of_rows(self) -> bool:
        """False: without a labelled row the components would hardly change."""
        return False

    def extension(self, eigenvalues: Floats, count: int) -> tuple[Floats, Array]:
        """Return the expansion of the functions in all rows."""
        del eigenvalues
        dual, shift = self.joint.extension(count)
        inverse = self.inverse[:count, :count]
        return np.asarray(dual @ inverse), shift @ inverse


def decompose_with_unlabelled(
    gram: Gram, unlabelled: Any, decompose: Callable[[Gram], Spectrum]
) -> Spectrum:
    """Decompose labelled and unlabelled rows together, for estimates on the labelled ones.

    Parameters
    ----------
    gram : Gram
        The labelled rows.
    unlabelled : array-like
        Further rows.
    decompose : callable
        Decomposes a Gram.
    """
    more = gram.kernel.prepare(unlabelled, reference=gram.points)
    joint = decompose(Gram(gram.kernel, _joined(gram.points, more)))
    count = min(joint.rank, gram.n)
    Q, R = linalg.qr(joint.basis.vectors(count)[: gram.n].astype(np.float64), mode="economic")
    known = np.abs(np.diag(R)) > LEAST_PART
    count = count if known.all() else int(np.argmin(known))
    if count == 0:
        raise InputError(
            "No component reaches the labelled rows: under this kernel they have nothing in common "
            "with the unlabelled ones. Take a wider kernel, or leave the unlabelled rows out."
        )
    inverse = linalg.solve_triangular(R[:count, :count], np.eye(count))
    points = joint.gram.reference
    return Spectrum(
        eigenvalues=joint.eigenvalues[:count],
        basis=SharedVectors(Q[:, :count], joint=joint, inverse=inverse),
        gram=gram,
        trace=joint.trace,
        solver=joint.solver,
        note=f"with {joint.n - gram.n} unlabelled rows; {joint.note}".removesuffix("; "),
        landmarks=points if joint.landmarks is None else joint.landmarks,
        magnitude=joint.magnitude,
        accuracy=joint.accuracy,
        separation=joint.separation,
        exhausted=True,
    )


def _joined(points: Any, more: Any) -> Any:
    if sparse.issparse(points) and sparse.issparse(more):
        blocks: Any = [points, more]
        stacked: Any = sparse.vstack(blocks)
        return stacked.tocsr()
    if isinstance(points, np.ndarray) and isinstance(more, np.ndarray):
        return np.concatenate([points, more])
    raise InputError(
        "unlabelled rows can be joined where all rows are arrays, dense or sparse, or sequences. "
        f"Got {type(points).__name__} and {type(more).__name__}: for a precomputed kernel pass "
        "the rows and a kernel function."
    )

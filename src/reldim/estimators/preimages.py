r"""Pre-images: points of the input space whose images come close to given components.

Components stand for the point :math:`\sum_j \gamma_j \Phi(x_j)` of feature space, which need not be
the image of any input. Under a Gaussian kernel the nearest image is that of the z with the largest
:math:`\sum_j \gamma_j k(z, x_j)`, where

.. math:: z = \frac{\sum_j \gamma_j k(z, x_j) \, x_j}{\sum_j \gamma_j k(z, x_j)}

(Mika et al. 1999). Repeated substitution finds it; a step that leads away is halved. Under other
kernels of vectors the rows with the nearest components are averaged.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reldim.exceptions import InputError
from reldim.kernels import Gaussian, squared_distances
from reldim.spectrum.expansion import Expansion
from reldim.spectrum.gram import row_blocks

__all__ = ["pre_images"]

Array = NDArray[np.float64]

#: Rows that are averaged under kernels other than the Gaussian one.
NEIGHBOURS = 10

STEPS = 200
TOLERANCE = 1e-8


def pre_images(expansion: Expansion, components: Array, *, center: bool) -> Array:
    """Find inputs for components.

    Parameters
    ----------
    expansion : Expansion
        The function from inputs to components along directions of unit length.
    components : ndarray of shape (rows, outputs)
        The components.
    center : bool
        Whether the data were centred in feature space.

    Returns
    -------
    ndarray of shape (rows, features)
        The inputs.
    """
    if expansion.kernel.domain != "vectors":
        raise InputError(
            "Pre-images are vectors, but the kernel takes other data. Got "
            f"{expansion.kernel!r}: use a kernel of vectors."
        )
    landmarks: Any = expansion.landmarks
    dense: Any = landmarks.toarray() if hasattr(landmarks, "toarray") else landmarks
    points = np.asarray(dense, dtype=np.float64)
    own = np.asarray(expansion(landmarks), dtype=np.float64)
    found = np.empty((len(components), points.shape[1]))
    for rows in row_blocks(len(components), 8 * 4 * len(points)):
        distances = np.asarray(squared_distances(components[rows], own), dtype=np.float64)
        if isinstance(expansion.kernel, Gaussian):
            gamma = components[rows] @ expansion.weights.T + center / len(points)
            found[rows] = _ascend(expansion.kernel, points, gamma, points[distances.argmin(axis=1)])
        else:
            found[rows] = _average(points, distances)
    return found


def _ascend(kernel: Gaussian, points: Array, gamma: Array, start: Array) -> Array:
    """Climb sum_j gamma_j k(z, x_j) in z, for each row of ``gamma``."""
    best, following = start, start
    height = np.full(len(start), -np.inf)
    for _ in range(STEPS):
        values = gamma * kernel(following, points)
        reached = values.sum(axis=1)
        better = reached > height
        size = np.abs(values).sum(axis=1)
        # Where terms cancel there is no mean to go to.
        sound = reached > 1e-9 * size
        means: Any = values @ points / np.where(sound, reached, 1.0)[:, None]
        best = np.where(better[:, None], following, best)
        height = np.where(better, reached, height)
        step = np.where(sound[:, None], means, best)
        following = np.where(better[:, None], step, (following + best) / 2.0)
        if np.abs(following - best).max(initial=0.0) <= TOLERANCE * np.abs(points).max():
            break
    return best


def _average(points: Array, distances: Array) -> Array:
    """Average the rows with the nearest components, the nearer the more."""
    count = min(NEIGHBOURS, len(points))
    nearest = np.argpartition(distances, count - 1, axis=1)[:, :count]
    near = np.take_along_axis(distances, nearest, axis=1)
    scale = np.maximum(near.mean(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    weights = np.exp(-near / (2.0 * scale)) / (near / scale + 1e-9)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("ij,ijk->ik", weights, points[nearest]))

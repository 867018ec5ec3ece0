r"""Losses for classes, minimised on the leading components: the kernel projection machine.

With components :math:`u_m`, rows :math:`i` and classes :math:`y_i = \pm 1`,

.. math:: \min_{b, z} \sum_i L\Big(y_i, b + \sum_{m \le d} z_m [u_m]_i\Big) +
          \frac12 \sum_{m \le d} \Big(\frac{\rho}{l_m} + \varepsilon\Big) z_m^2

for :math:`L(y, f) = \log(1 + e^{-yf})` or :math:`\max(0, 1 - yf)`. With :math:`\rho = 0` the number
of components is all that regularises; the vanishing :math:`\varepsilon` keeps the solution finite
where the components separate the classes.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from reldim.exceptions import InputError
from reldim.inputs.rows import is_lazy
from reldim.inputs.targets import Targets
from reldim.spectrum.spectrum import Spectrum

__all__ = ["LOSSES", "check_loss", "log_odds", "minimise_loss"]

Array = NDArray[np.float64]

LOSSES = ("squared", "logistic", "hinge")

#: Scores s of separable classes end near 7 under the logistic loss, where exp(-s) is 1e-4 s.
VANISHING = 1e-4


def check_loss(loss: str) -> None:
    """Refuse an unknown loss."""
    if loss not in LOSSES:
        raise InputError(f"loss must be one of {', '.join(LOSSES)}. Got {loss!r} instead.")


def log_odds(targets: Targets) -> Array:
    """Return the scores that give each class its share of the rows under the logistic loss."""
    assert targets.counts is not None
    logs = np.log(targets.counts)
    return np.asarray(logs[1:] - logs[0] if len(logs) == 2 else logs - logs.mean())


def minimise_loss(
    spectrum: Spectrum, codes: NDArray[np.intp], count: int, loss: str, ridge: float
) -> tuple[Array, Array]:
    """Fit classes on the first ``count`` components by a loss other than the squared one.

    Parameters
    ----------
    spectrum : Spectrum
        The decomposition.
    codes : ndarray of int
        The class of each row: 0, 1, ...
    count : int
        Number of components, at least one.
    loss : {"logistic", "hinge"}
        The loss. More than two classes take the multinomial logistic loss, or one hinge loss
        for each class against the rest.
    ridge : float
        Ridge rho, on the scale of the eigenvalues of K/n.

    Returns
    -------
    coefficients : ndarray of shape (count, outputs)
        z, one column for two classes and one for each of more.
    constant : ndarray of shape (outputs,)
        b.
    """
    if is_lazy(codes):
        raise InputError(
            f"loss={loss!r} is minimised in memory, but the data are on a cluster. Pass "
            "loss='squared', or data in memory."
        )
    values = spectrum.eigenvalues[:count].astype(np.float64)
    # Dividing a component by the root of its penalty makes all penalties equal to 1.
    scale = 1.0 / np.sqrt(ridge / values + VANISHING)
    features = spectrum.basis.vectors(count).astype(np.float64) * scale
    if loss == "logistic":
        weights, constant = _logistic(features, codes)
    else:
        weights, constant = _hinge(features, codes)
    return np.asarray(scale[:, None] * weights), constant


def _logistic(features: Array, codes: NDArray[np.intp]) -> tuple[Array, Array]:
    # Newton steps on few components, to an accuracy that does not depend on where they start.
    model = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    model.fit(features, codes)
    return np.asarray(model.coef_.T), np.asarray(model.intercept_)


def _hinge(features: Array, codes: NDArray[np.intp]) -> tuple[Array, Array]:
    classes = np.unique(codes)
    positives = classes[1:] if len(classes) == 2 else classes
    machines = [
        SVC(kernel="linear", C=1.0, tol=1e-5).fit(features, codes == each) for each in positives
    ]
    weights = np.column_stack([machine.coef_[0] for machine in machines])
    return np.asarray(weights), np.concatenate([machine.intercept_ for machine in machines])

"""What a kernel is, how a plain function becomes one, and checks of parameters."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, is_dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from reldim.exceptions import InputError, InputTypeError, KernelMatrixError
from reldim.kernels.distances import dense, row_blocks
from reldim.kernels.points import FloatArray, Points, as_rows

if TYPE_CHECKING:
    from reldim.kernels.composition import Normalized, Product, Scaled, Sum

__all__ = [
    "Domain",
    "Function",
    "Kernel",
    "as_kernel",
    "column_weights",
    "non_negative_number",
    "positive_integer",
    "positive_number",
]

Domain: TypeAlias = Literal["vectors", "sequences", "precomputed", "any"]


class Kernel(ABC):
    r"""A symmetric positive semi-definite function of two points.

    Kernels are immutable values: they can be compared, hashed, printed and put together with
    ``k1 + k2``, ``k1 * k2``, ``2.0 * k1`` and ``k1.normalized()``. Calling a kernel gives the
    matrix :math:`K_{ij} = k(x_i, z_j)`.

    A new kernel is a frozen dataclass that supplies `domain`, `prepare` and `matrix`; a function of
    the Euclidean distance is better a :class:`Radial`, a function of the inner product an
    :class:`InnerProduct`, which need `profile` alone.

    Examples
    --------
    >>> from reldim import kernels
    >>> k = kernels.Gaussian(width=0.5) + 2.0 * kernels.Linear()
    >>> k([[0.0], [1.0]])
    array([[1.        , 0.36787944],
           [0.36787944, 3.        ]])
    >>> k
    Gaussian(width=0.5) + 2.0 * Linear()
    """

    # Makes `np.float64(2) * k` ask the kernel instead of building an array of objects.
    __array_ufunc__: ClassVar[None] = None

    #: Whether nothing else holds the array that `matrix` returns, so that it may be overwritten.
    matrix_is_new: ClassVar[bool] = True

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The kind of data that the kernel compares; "any" goes with every other kind."""

    @abstractmethod
    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Validate `X` and bring it into the form that :meth:`matrix` takes.

        Parameters
        ----------
        X : data
            Points, one per row; prepared points come back as they are.
        reference : points, optional
            Prepared points that `X` will be compared with and must fit to.

        Returns
        -------
        points
            ``points[rows]`` works for slices and arrays of row numbers, and ``points.shape[0]`` is
            the number of points.
        """

    @abstractmethod
    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Compute the kernel between all pairs of prepared points, without checking them."""

    def diagonal_of(self, A: Points) -> FloatArray:
        """Compute the kernel of each prepared point with itself."""
        blocks = [A[rows] for rows in row_blocks(A.shape[0], 1, block_bytes=64)]
        return np.concatenate([np.diagonal(self.matrix(block, block)) for block in blocks])

    def __call__(self, X: Any, Z: Any = None) -> FloatArray:
        """Compute the kernel matrix between the points `X` and `Z` (by default `X` itself)."""
        if Z is None or Z is X:
            A = self.prepare(X)
            return self.matrix(A, A)
        B = self.prepare(Z)
        return self.matrix(self.prepare(X, reference=B), B)

    def diagonal(self, X: Any) -> FloatArray:
        """Compute the kernel of each point with itself, without the rest of the matrix."""
        return self.diagonal_of(self.prepare(X))

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return the parameters by name, as scikit-learn's estimators do.

        Parameters
        ----------
        deep : bool
            Those of kernels inside a sum, a product or a scaled kernel as well, such as
            ``left__width``.

        Returns
        -------
        dict
            The parameters.

        Examples
        --------
        >>> from reldim import kernels
        >>> (2.0 * kernels.Linear()).get_params()
        {'kernel': Linear(), 'factor': 2.0}
        """
        names: list[str] = [part.name for part in fields(self)] if is_dataclass(self) else []
        params: dict[str, Any] = {}
        for name in names:
            value = params[name] = getattr(self, name)
            if deep and isinstance(value, Kernel):
                params.update({f"{name}__{key}": own for key, own in value.get_params().items()})
        return params

    def set_params(self, **params: Any) -> Kernel:
        """Return a kernel with other parameters; this one stays as it is.

        The estimators of reldim exchange their kernel for it, so that ``kernel__width`` may be set
        and searched for. Estimators of other packages expect a kernel that changes itself: give
        them whole kernels to choose from.

        Parameters
        ----------
        **params
            Parameters by name; ``left__width`` is the width of the kernel ``left``.

        Returns
        -------
        Kernel
            The new kernel.

        Examples
        --------
        >>> from reldim import kernels
        >>> k = kernels.Gaussian(width=0.5) + kernels.Linear()
        >>> k.set_params(left__width=2.0)
        Gaussian(width=2.0) + Linear()
        """
        own = self.get_params(deep=False)
        changed: dict[str, Any] = {}
        # A kernel that is exchanged comes before its parameters.
        for name, value in sorted(params.items(), key=lambda item: "__" in item[0]):
            part, nested, rest = name.partition("__")
            if part not in own:
                raise InputError(
                    f"{type(self).__name__} has no parameter {part!r}. It has "
                    f"{', '.join(own) if own else 'none'}."
                )
            held = changed.get(part, own[part])
            if nested and not isinstance(held, Kernel):
                raise InputError(
                    f"{name} would be a parameter of {type(self).__name__}'s {part}, which is "
                    f"{held!r} and no kernel."
                )
            changed[part] = held.set_params(**{rest: value}) if nested else value
        # The kernels of this package are dataclasses; one without parameters need not be.
        return replace(self, **changed) if changed else self  # type: ignore[type-var]

    def __sklearn_clone__(self) -> Kernel:
        # Nothing can change a kernel, so that models may share it.
        return self

    # A composition is itself a Kernel, so its module can only be imported once this one exists.

    def normalized(self) -> Normalized:
        """Scale the kernel so that it is 1 between a point and itself."""
        from reldim.kernels.composition import Normalized

        return Normalized(self)

    def __add__(self, other: Kernel | Callable[..., Any]) -> Sum:
        from reldim.kernels.composition import Sum

        return Sum(self, as_kernel(other))

    def __radd__(self, other: Callable[..., Any]) -> Sum:
        return as_kernel(other) + self

    def __mul__(self, other: Kernel | Callable[..., Any] | float) -> Product | Scaled:
        from reldim.kernels.composition import Product, Scaled

        if isinstance(other, float | Real):
            return Scaled(self, other)
        return Product(self, as_kernel(other))

    def __rmul__(self, other: Callable[..., Any] | float) -> Product | Scaled:
        return self * other if isinstance(other, float | Real) else as_kernel(other) * self


@dataclass(frozen=True, repr=False)
class Function(Kernel):
    """A kernel given as a Python function of two sets of points.

    Parameters
    ----------
    function : callable
        ``function(X, Z)`` returns the matrix of shape (len(X), len(Z)). It gets rows of whatever
        data it is used on: an array, a CSR array or an array of objects, not to be changed. What
        it returns is checked to be a matrix of finite numbers of that shape.

    Examples
    --------
    >>> from reldim import kernels
    >>> def shared_words(X, Z):
    ...     return [[len(set(x.split()) & set(z.split())) for z in Z] for x in X]
    >>> k = kernels.Function(shared_words)
    >>> k(["a b c", "b c d"])
    array([[3., 2.],
           [2., 3.]])
    >>> k
    Function(shared_words)
    """

    function: Callable[..., Any]

    matrix_is_new: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputTypeError(
                "Function: function must be a callable that takes two sets of points. "
                f"Got {self.function!r} instead."
            )

    @property
    def domain(self) -> Domain:
        """Whatever the function can take."""
        return "any"

    def prepare(self, X: Any, reference: Points = None) -> Points:
        """Bring any data into rows that can be sliced, without a look at what they hold."""
        rows = as_rows(X)
        if reference is not None and rows.shape[1:] != reference.shape[1:]:
            raise InputError(
                "The points to compare must have the same shape. Got "
                f"{rows.shape[1:]} and {reference.shape[1:]} per point: pass data that was "
                "prepared in the same way."
            )
        return rows

    def matrix(self, A: Points, B: Points) -> FloatArray:
        """Call the function and check what it returns."""
        first = _protected(A)
        values = self.function(first, first if B is A else _protected(B))
        if np.ma.is_masked(values):
            raise KernelMatrixError(
                f"{self!r} must return a value for each pair of points. Got a masked array with "
                "masked entries: fill them."
            )
        try:
            values = np.asarray(dense(values))
        except ValueError as error:
            raise KernelMatrixError(f"{self!r} must return a matrix. {error}") from error
        expected = (A.shape[0], B.shape[0])
        if values.shape != expected:
            raise KernelMatrixError(
                f"{self!r} must return a matrix of shape {expected}, a row for each of the first "
                f"points and a column for each of the second. Got shape {values.shape} instead: "
                "turn a function k of two single points into "
                "lambda X, Z: [[k(x, z) for z in Z] for x in X]."
            )
        if values.dtype.kind not in "biuf":
            raise KernelMatrixError(
                f"{self!r} must return real numbers. Got entries of type {values.dtype} instead."
            )
        if not np.isfinite(values).all():
            raise KernelMatrixError(
                f"{self!r} must return finite numbers. Got NaN or infinity instead: look for a "
                "division by zero, an overflow or missing values in the data."
            )
        return values.astype(np.float32 if values.dtype == np.float32 else np.float64, copy=False)

    def __repr__(self) -> str:
        return f"Function({getattr(self.function, '__name__', repr(self.function))})"

    def __hash__(self) -> int:
        # scikit-learn's Gaussian process kernels are callables that can be compared, not hashed.
        try:
            return hash((Function, self.function))
        except TypeError:
            return hash((Function, type(self.function)))


def _protected(points: Points) -> Points:
    """Return points that a user's function cannot change, for they may be the user's own data."""
    if not isinstance(points, np.ndarray):
        return points
    view = points.view()
    view.flags.writeable = False
    return view


def as_kernel(obj: Kernel | Callable[..., Any]) -> Kernel:
    """Return a kernel as it is, and any other callable as a :class:`Function`.

    Examples
    --------
    >>> import numpy as np
    >>> from reldim import kernels
    >>> kernels.as_kernel(kernels.Linear())
    Linear()
    >>> kernels.as_kernel(np.equal.outer)
    Function(outer)
    """
    if isinstance(obj, Kernel):
        return obj
    if isinstance(obj, type) and issubclass(obj, Kernel):
        raise InputTypeError(
            f"A kernel was expected. Got the class {obj.__name__}: create one with its parameters, "
            "such as Gaussian(width=1.0)."
        )
    if callable(obj):
        return Function(obj)
    raise InputTypeError(
        "A kernel must be one of reldim.kernels, such as Gaussian(width=1.0), or a function "
        f"k(X, Z) that returns a matrix. Got {obj!r} of type {type(obj).__name__} instead."
    )


# Parameters: plain Python numbers come out, so that a repr stays readable.


def positive_number(owner: str, name: str, value: object) -> float:
    """Return `value` as a float; refuse what is not a finite number above zero."""
    number = _number(owner, name, value, "a positive finite number")
    if not (math.isfinite(number) and number > 0):
        raise InputError(f"{owner}: {name} must be a positive finite number. Got {number} instead.")
    return number


def non_negative_number(owner: str, name: str, value: object) -> float:
    """Return `value` as a float; refuse what is not a finite number of at least zero."""
    number = _number(owner, name, value, "a finite number of at least 0")
    if not (math.isfinite(number) and number >= 0):
        raise InputError(
            f"{owner}: {name} must be a finite number of at least 0. Got {number} instead."
        )
    return number


def positive_integer(owner: str, name: str, value: object) -> int:
    """Return `value` as an int; refuse what is not a whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputTypeError(
            f"{owner}: {name} must be a positive whole number, such as 3. "
            f"Got {value!r} of type {type(value).__name__} instead."
        )
    if value < 1:
        raise InputError(f"{owner}: {name} must be a positive whole number. Got {value} instead.")
    return int(value)


def column_weights(owner: str, weights: object) -> tuple[float, ...]:
    """Return the weights of columns as floats; refuse what is not a list of numbers from 0 on."""
    if not isinstance(weights, Collection) or isinstance(weights, str | bytes):
        raise InputTypeError(
            f"{owner}: weights must be a list of numbers, one for each column. "
            f"Got {weights!r} of type {type(weights).__name__} instead."
        )
    checked = tuple(
        non_negative_number(owner, f"weights[{i}]", weight) for i, weight in enumerate(weights)
    )
    if not checked:
        raise InputError(f"{owner}: weights must hold at least one number. Got none.")
    return checked


def _number(owner: str, name: str, value: object, expected: str) -> float:
    # A boolean is a number to Python, but width=True is a slip, never a wish.
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(
            f"{owner}: {name} must be {expected}. "
            f"Got {value!r} of type {type(value).__name__} instead."
        )
    return float(value)

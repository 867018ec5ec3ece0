"""Errors and warnings of reldim.

Every error is a :class:`ReldimError`, and also the built-in error that scikit-learn would
raise in its place, so ``except ValueError`` keeps working::

    ReldimError
    ├── InputError (ValueError)           data or parameters that cannot be used
    │   ├── KernelMatrixError             asymmetric, indefinite or non-finite kernel matrix
    │   └── FileError                     a file that cannot be read, a column that is not there
    ├── InputTypeError (TypeError)        an argument of the wrong type
    ├── ClusterError (RuntimeError)       a cluster that fails, or lacks what it needs
    ├── OutOfMemoryError (MemoryError)    the machine has no memory left for what was begun
    └── MissingDependencyError (ImportError)   an optional package is needed

    ReldimWarning (UserWarning)
    ├── KernelMatrixWarning               a kernel matrix was repaired
    └── GridEdgeWarning                   the best kernel lies at the edge of those tried

A message says what was expected, what came, and what to do.
"""

__all__ = [
    "ClusterError",
    "FileError",
    "GridEdgeWarning",
    "InputError",
    "InputTypeError",
    "KernelMatrixError",
    "KernelMatrixWarning",
    "MissingDependencyError",
    "OutOfMemoryError",
    "ReldimError",
    "ReldimWarning",
]


def escaped(text: str) -> str:
    """Write out what cannot be printed: the text is one line, and no terminal obeys it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def in_one_line(text: object) -> str:
    r"""Write a text or an error in one line: line breaks become blanks, the rest is escaped.

    Examples
    --------
    >>> in_one_line("first\n  second\x1b[2J")
    'first second\\x1b[2J'
    """
    return escaped(" ".join(str(text).split()))


def counted(count: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class ReldimError(Exception):
    """Base of all errors that reldim raises on purpose."""


class InputError(ReldimError, ValueError):
    """Data or parameters that cannot be used as they are."""


class KernelMatrixError(InputError):
    """A kernel matrix that is asymmetric, indefinite or not finite."""


class FileError(InputError):
    """A file that cannot be read, or that lacks what was asked for.

    Parameters
    ----------
    message : str
        What is wrong. Names of files and columns in it may hold anything; what cannot be printed
        is escaped, so that a message is one line.
    """

    def __init__(self, message: str) -> None:
        super().__init__(escaped(message))


class InputTypeError(ReldimError, TypeError):
    """An argument of the wrong type."""


class ClusterError(ReldimError, RuntimeError):
    """A cluster that fails, or whose workers lack what the work needs."""


class OutOfMemoryError(ReldimError, MemoryError):
    """The machine has no memory left for what was begun: nothing is wrong with the input."""


class MissingDependencyError(ReldimError, ImportError):
    """An optional package is needed for what was asked.

    Parameters
    ----------
    package : str
        The package to install.
    purpose : str
        What it is needed for, as the subject of the sentence.
    extra : str
        The extra of reldim that brings the package.
    """

    def __init__(self, package: str, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed. "
            f"Install it with: pip install 'reldim[{extra}]'"
        )
        self.package = package
        self.purpose = purpose
        self.extra = extra

    def __reduce__(self) -> tuple[type[Exception], tuple[str, str, str]]:
        # Three arguments go in, one message comes out: pickle needs all three.
        return (type(self), (self.package, self.purpose, self.extra))


class ReldimWarning(UserWarning):
    """Base of all warnings that reldim gives."""


class KernelMatrixWarning(ReldimWarning):
    """A kernel matrix was repaired: symmetrised, or small negative eigenvalues set to zero."""


class GridEdgeWarning(ReldimWarning):
    """The best kernel lies at the edge of the range that was tried."""

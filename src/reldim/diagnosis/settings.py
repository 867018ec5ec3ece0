"""Settings: what a diagnosis was asked for, and what it ran with, so that it can be repeated."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["Settings", "versions"]

#: Packages whose version may change a figure.
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "skrub")

#: Characters of a description of kernels.
CHARACTERS = 300


@dataclass(frozen=True)
class Settings:
    """What :func:`~reldim.diagnose` was asked for.

    Attributes
    ----------
    kernels : str
        The kernels, as Python would write them.
    task, criterion, solver : str
        As passed.
    random_state : int or None
        The seed; None stands for a fixed one.
    scale : bool or None
        Whether columns are scaled; None stands for data frames only.
    references : bool
        Whether models of other kinds were tried.
    """

    kernels: str = "None"
    task: str = "auto"
    criterion: str = "likelihood"
    solver: str = "auto"
    random_state: int | None = None
    scale: bool | None = None
    references: bool = True

    @classmethod
    def of(
        cls,
        kernels: Any,
        *,
        task: str,
        criterion: str,
        solver: str,
        scale: bool | None = None,
        references: bool = True,
        random_state: int | None = None,
    ) -> "Settings":
        """Describe arguments in words that can be kept."""
        text = described(kernels)
        short = text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 1]}…"
        return cls(short, task, criterion, solver, random_state, scale, references)

    @property
    def call(self) -> str:
        """The call in Python, with what differs from the defaults.

        Examples
        --------
        >>> Settings(kernels="'laplacian'", random_state=3).call
        "reldim.diagnose(X, y, kernels='laplacian', random_state=3)"
        """
        usual = Settings()
        changed = [
            f"{name}={value if name == 'kernels' else repr(value)}"
            for name, value in asdict(self).items()
            if value != getattr(usual, name)
        ]
        return f"reldim.diagnose({', '.join(['X', 'y', *changed])})"


def described(kernels: Any) -> str:
    """Describe what was passed as kernels: functions by their names, all else as Python does."""
    if isinstance(kernels, Mapping):
        pairs = [f"{name!r}: {described(kernel)}" for name, kernel in kernels.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(kernels, Sequence) and not isinstance(kernels, str):
        return "[" + ", ".join(described(kernel) for kernel in kernels) + "]"
    # The address in the repr of a function would differ from run to run.
    name = getattr(kernels, "__qualname__", None)
    return repr(kernels) if name is None else str(name)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that figures depend on.

    Examples
    --------
    >>> list(versions())[:3]
    ['reldim', 'Python', 'numpy']
    """
    from reldim import __version__

    found = {"reldim": __version__, "Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found

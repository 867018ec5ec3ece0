"""Stages of work: told to who asked for progress, and to the log of the package.

``listening`` says who is told of all stages inside it; ``tell`` is called where a stage begins or
goes on, in the thread of the caller. The log is that of ``logging.getLogger("reldim")``: stages
have the level INFO, their steps and what is decided on the way the level DEBUG.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["LOG", "Progress", "listening", "tell"]

#: Called as progress(stage, done, total).
Progress = Callable[[str, int, int], None]

LOG = logging.getLogger("reldim")
LOG.addHandler(logging.NullHandler())

_listener: ContextVar[Progress | None] = ContextVar("listener", default=None)


@contextmanager
def listening(progress: Progress | None) -> Iterator[None]:
    """Tell a function of all stages inside; None leaves it at who listens already.

    Examples
    --------
    >>> with listening(print):
    ...     tell("kernels", 1, 20)
    kernels 1 20
    """
    token = _listener.set(progress or _listener.get())
    try:
        yield
    finally:
        _listener.reset(token)


def tell(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell that a stage begins, or how far it is.

    Parameters
    ----------
    stage : str
        Its name.
    done, total : int
        Steps that are done, and in all; a total of 0 stands for a stage of unknown length.
    """
    progress = _listener.get()
    if progress is not None:
        progress(stage, done, total)
    if total:
        LOG.log(
            logging.INFO if done == total else logging.DEBUG, "%s: %d of %d", stage, done, total
        )
    else:
        LOG.info("%s", stage)

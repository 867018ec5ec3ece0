"""Threads: how many BLAS uses, and fewer where work is spread over the cores already."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["blas_threads", "one_blas_thread"]


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS uses one thread."""
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context


def blas_threads() -> int:
    """Return how many threads BLAS may use."""
    libraries = _controller().select(user_api="blas").lib_controllers
    return max((library.num_threads or 1 for library in libraries), default=1)


@cache
def _controller() -> ThreadpoolController:
    # To look for the libraries takes longer than a block of columns, or a small graph.
    return ThreadpoolController()

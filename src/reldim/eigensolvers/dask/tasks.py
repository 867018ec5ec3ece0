"""Tasks: pure functions of blocks of rows, put together to graphs that Dask can run again.

Whatever a worker holds follows from its inputs alone, so that the blocks of a worker that dies are
computed again from where they came from.

Dask's own ``delayed`` merges a graph with each call, which takes a millisecond a task. Here tasks
refer to each other, and a graph is made of them when something is computed.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import count
from typing import Any
from uuid import uuid4

import dask.array as da
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.task_spec import GraphNode
from dask.threaded import get as run_in_threads

__all__ = ["Graph", "Part", "array_parts", "lazy_array_of", "shared", "task", "tree"]

#: Answers that are merged at a time.
FAN_IN = 8

#: Keys of this process differ from those of any other.
_OWN = uuid4().hex
_NUMBERS = count()


class Part:
    """A value that a task will compute, or that is held already.

    Parameters
    ----------
    key : str or tuple
        Its name in graphs.
    value : Any
        The task as Dask writes it, a tuple of function and arguments; a future; or the value.
    needs : sequence of Part
        What the task refers to.
    source : Dask collection, optional
        A collection that has the key.
    place : str, optional
        The worker that is to compute it, as long as there is one at that address.
    """

    __slots__ = ("key", "needs", "place", "source", "value")

    def __init__(
        self,
        key: Any,
        value: Any = None,
        needs: Sequence["Part"] = (),
        source: Any = None,
        place: str | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.needs = needs
        self.source = source
        self.place = place


class Graph:
    """A collection of Dask made of parts: what ``dask.persist`` and ``dask.compute`` take.

    Parameters
    ----------
    parts : sequence of Part
        What is wanted.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._keys = [part.key for part in parts]
        self._graph, places = _graph_and_places(parts)
        # Any worker that has one of the inputs is a candidate to Dask, also the one that happens to
        # hold what all blocks share; the block would then be moved there.
        self._hints = None
        if places:
            others = dict.fromkeys(places, True)
            self._hints = {"workers": places.get, "allow_other_workers": others.get}

    def __dask_graph__(self) -> Any:
        if self._hints is None:
            return self._graph
        layer = MaterializedLayer(self._graph, annotations=self._hints)
        return HighLevelGraph({"reldim": layer}, {"reldim": set()})

    def __dask_keys__(self) -> list[Any]:
        return self._keys

    def __dask_tokenize__(self) -> Any:
        return tuple(self._keys)

    # The graph holds what is wanted and nothing else.
    __dask_optimize__ = None

    # Where no client or setting says otherwise.
    __dask_scheduler__ = staticmethod(run_in_threads)

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[()]]:
        return tuple, ()

    def __dask_postpersist__(self) -> tuple[Callable[..., Any], tuple[Any]]:
        return _held, (self._keys,)


def _held(graph: Any, keys: Sequence[Any], *, rename: Any = None) -> tuple[Part, ...]:
    del rename  # of Dask's protocol; keys of parts stay
    return tuple(Part(key, graph[key]) for key in keys)


def _graph_and_places(parts: Iterable[Part]) -> tuple[dict[Any, Any], dict[Any, list[str]]]:
    graph: dict[Any, Any] = {}
    places: dict[Any, list[str]] = {}
    sources: dict[int, Any] = {}
    waiting = list(parts)
    while waiting:
        part = waiting.pop()
        if part.source is not None:
            sources[id(part.source)] = part.source
        elif part.key not in graph:
            graph[part.key] = part.value
            waiting.extend(part.needs)
            if part.place is not None:
                places[part.key] = [part.place]
    for source in sources.values():
        graph.update(source.__dask_graph__())
    return graph, places


def task(function: Callable[..., Any], *arguments: Any, place: str | None = None) -> Part:
    """Return a part that a function computes when its arguments are there.

    Parameters
    ----------
    function : callable
        A pure function.
    *arguments : Any
        Parts, lists of parts, or small values.
    place : str, optional
        The worker that is to call it, as long as there is one at that address.
    """
    needs: list[Part] = []

    def reference(argument: Any) -> Any:
        if isinstance(argument, Part):
            needs.append(argument)
            return argument.key
        if isinstance(argument, list):
            return [reference(item) for item in argument]
        return argument

    refers = [reference(argument) for argument in arguments]
    name = getattr(function, "__name__", "task").strip("_")
    return Part(_new_key(name), (function, *refers), needs, place=place)


def shared(value: Any) -> Part:
    """Return a part that stands for a value, sent once to each worker that needs it.

    Parameters
    ----------
    value : Any
        What many tasks have in common: an array, a function or an object.
    """
    return Part(_new_key(type(value).__name__.strip("_").lower()), value)


def tree(parts: Sequence[Part], merge: Callable[[Any, Any], Any]) -> Part:
    """Merge many parts into one, a few at a time."""
    merging = shared(merge)
    level = list(parts)
    while len(level) > 1:
        groups = [level[start : start + FAN_IN] for start in range(0, len(level), FAN_IN)]
        level = [group[0] if len(group) == 1 else task(merged, merging, group) for group in groups]
    return level[0]


def merged(merge: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    """Merge answers, one after the other."""
    return reduce(merge, parts)


def array_parts(array: Any) -> list[Part]:
    """Return the chunks of a Dask array, which hold whole rows, as parts.

    Dask fuses tasks as it likes and keeps their keys, and two tasks of one key may block a
    scheduler. What is taken over therefore gets keys of its own, but for what is held already.
    """
    graph = dict(array.__dask_graph__())
    mark = f"{_OWN}-{next(_NUMBERS)}"
    names = {
        key: _marked(key, mark)
        for key, value in graph.items()
        if _OWN not in str(key) and not _is_future(value)
    }
    source = _Source(
        {names.get(key, key): _renamed(value, names, key) for key, value in graph.items()}
    )
    keys = [_only(key) for key in array.__dask_keys__()]
    return [Part(names.get(key, key), source=source) for key in keys]


class _Source:
    """A graph that was taken over."""

    def __init__(self, graph: dict[Any, Any]) -> None:
        self._graph = graph

    def __dask_graph__(self) -> dict[Any, Any]:
        return self._graph


def _is_future(value: Any) -> bool:
    return type(value).__name__ == "Future"


def _renamed(value: Any, names: dict[Any, Any], key: Any = None) -> Any:
    """Return a task, or a part of one, that refers to other keys by their new names."""
    if isinstance(value, GraphNode):
        return value.substitute(names, key=names.get(key, key))
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, tuple) and value and callable(value[0]):
        return (value[0], *(_renamed(item, names) for item in value[1:]))
    return names.get(value, value) if isinstance(value, (str, tuple)) else value


def _marked(key: Any, mark: str) -> Any:
    return f"{key}-{mark}" if isinstance(key, str) else (f"{key[0]}-{mark}", *key[1:])


def _only(key: Any) -> Any:
    """Return the key of the only chunk along all axes but the first."""
    while isinstance(key, list):
        (key,) = key
    return key


def lazy_array_of(
    parts: Sequence[Part], sizes: Sequence[int], dtype: Any, shape: tuple[int, ...]
) -> Any:
    """Return parts as the chunks of a Dask array, with ``shape`` for each row."""
    name = _new_key("rows")
    graph, _ = _graph_and_places(parts)
    zeros = (0,) * len(shape)
    graph.update({(name, number, *zeros): part.key for number, part in enumerate(parts)})
    chunks = (tuple(sizes), *((size,) for size in shape))
    return da.Array(graph, name, chunks=chunks, dtype=dtype)


def _new_key(name: str) -> str:
    return f"{name}-{_OWN}-{next(_NUMBERS)}"

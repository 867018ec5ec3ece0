"""A factor whose rows stay on the workers.

F is held as panels, a panel for each block of rows and each step. A step sends the landmarks and
their rows of F to all blocks, and a few numbers come back: how much is left of the diagonal.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reldim.eigensolvers.dask.clients import computed, persisted
from reldim.eigensolvers.dask.tasks import Part, shared, task, tree
from reldim.eigensolvers.lowrank import CHUNK, chunks
from reldim.eigensolvers.pivots import (
    Left,
    PivotedFactor,
    Step,
    Taken,
    count_units,
    new_columns,
    squares_of_rows,
)
from reldim.kernels import Kernel
from reldim.kernels.points import concatenated, in_double
from reldim.spectrum.gram import Floats, Gram, precision_of
from reldim.spectrum.kernel_columns import KernelColumns, centre_of, is_smooth
from reldim.spectrum.spectrum import RowFunction

if TYPE_CHECKING:
    from reldim.eigensolvers.dask.rows import DaskBlocks

__all__ = ["BlockFactor"]

Array = NDArray[np.float64]

#: What takes at most so many bytes per row is computed once and held: it is used several times.
FEW_BYTES = 256


@dataclass(frozen=True)
class _Broadcast:
    """What every block needs of a step."""

    kernel: Kernel
    centre: Array | None = field(repr=False)
    step: Step = field(repr=False)
    dtype: Any


class BlockFactor(PivotedFactor):
    """A growing factor F with K close to F F^T, its rows held beside those of the data.

    Parameters
    ----------
    gram : Gram
        The kernel and the data, in blocks.
    random_state : int or None
        Seed of the pivots; None stands for 0.
    landmarks : sequence of int, optional
        Rows to use as pivots, in this order, instead of drawing them.

    Attributes
    ----------
    blocks : DaskBlocks
        The rows of the data.
    widths : list of int
        New columns of each step.
    """

    solver = "dask"

    def __init__(self, gram: Gram, random_state: int | None = None, landmarks: Any = None) -> None:
        super().__init__(gram, precision_of(gram.points), random_state, landmarks)
        self.blocks: DaskBlocks = gram.points
        smooth = is_smooth(gram.kernel, self.blocks.sample)
        self._centre = centre_of(self.blocks) if smooth else None
        # A tuple for each step, of a panel for each block; and how wide the panels are.
        self._panels: list[tuple[Part, ...]] = []
        self.widths: list[int] = []
        self._rows: list[Array] = []
        self._points: list[Any] = []
        kernel = shared(gram.kernel)
        diagonal = persisted(
            [task(_diagonal, kernel, part, self.dtype) for part in self.blocks.parts]
        )
        smallest, largest = computed(
            [
                tree([task(np.min, part) for part in diagonal], min),
                tree([task(np.max, part) for part in diagonal], max),
            ]
        )
        self._left = persisted([task(_not_negative, part) for part in diagonal])
        self._units: NDArray[np.int64] = np.zeros(len(diagonal), dtype=np.int64)
        self._begin(float(smallest), float(largest))

    @property
    def place(self) -> str:
        """Where the rows are held, for the note of a spectrum."""
        return f", in {len(self.blocks.sizes)} blocks of rows"

    def map(self, function: RowFunction, rank: int, *columns: Any) -> Any:
        """Apply a function to chunks of rows of F, and of columns, in a lazy array."""
        answer = _answer_for_a_row(function, rank, self.dtype, columns)
        parts: Sequence[Part] = self._tasks(_mapped, function, rank, columns)
        if answer.nbytes <= FEW_BYTES:
            parts = persisted(parts)
        return self.blocks.lazy(parts, answer.dtype, answer.shape[1:])

    def sum(self, function: RowFunction, rank: int, *columns: Any) -> Array:
        """Apply a function to chunks of rows of F, and of columns, and add up the answers."""
        (total,) = computed([tree(self._tasks(_summed, function, rank, columns), np.add)])
        return np.asarray(total)

    def triangle(self, rank: int) -> Array:
        """Return L with L L^T = K[pivots, pivots]: the rows of F at the pivots."""
        triangle = np.zeros((self.rank, self.rank))
        for row, values in enumerate(self._rows):
            triangle[row, : len(values)] = values
        return triangle[:rank, :rank]

    def points_of_pivots(self, rank: int) -> Any:
        """Return the data at the first pivots."""
        return concatenated(self._points)[:rank]

    def grow(self, rank: int, after_block: Callable[[int], None] | None = None) -> None:
        """Add pivots until there are ``rank``; see :meth:`PivotedFactor.grow`."""
        try:
            super().grow(rank, after_block)
        except BaseException:
            # What holds the error holds this factor; what it asked for is not wanted any more.
            self._panels, self._left = [], ()
            raise

    def _tasks(
        self, work: Callable[..., Any], function: RowFunction, rank: int, columns: Sequence[Any]
    ) -> list[Any]:
        calling = shared(function)
        pieces = [self.blocks.pieces(column) for column in columns]
        count = int(np.searchsorted(np.cumsum(self.widths), rank)) + 1
        panels = zip(*self._panels[:count], strict=True)
        return [
            task(work, calling, list(own), rank, *parts, place=home)
            for home, own, *parts in zip(self.blocks.homes, panels, *pieces, strict=True)
        ]

    def _drawn(self, draws: NDArray[np.int64]) -> Taken:
        ends = np.cumsum(self._units)
        where = np.searchsorted(ends, draws, side="right")
        return self._gathered(where, draws - (ends - self._units)[where], self._reference)

    def _taken(self, rows: NDArray[np.intp]) -> Taken:
        where = self.blocks.block_of(rows)
        starts = np.array([start for start, _ in self.blocks.places])
        return self._gathered(where, rows - starts[where], None)

    def _gathered(self, where: NDArray[np.intp], local: Any, reference: float | None) -> Taken:
        """Ask blocks for rows, by unit where there is a reference and by number otherwise."""
        touched = np.unique(where)
        found = computed(
            [
                task(
                    _rows_of_block,
                    self.blocks.parts[b],
                    [panels[b] for panels in self._panels],
                    self._left[b],
                    local[where == b],
                    reference,
                    place=self.blocks.homes[b],
                )
                for b in touched
            ]
        )
        order = np.argsort(np.concatenate([np.flatnonzero(where == b) for b in touched]))
        starts = [self.blocks.places[b][0] for b in touched]
        local_rows, points, known, left = zip(*found, strict=True)
        rows = [own + start for own, start in zip(local_rows, starts, strict=True)]
        return Taken(
            np.concatenate(rows)[order],
            concatenated(points)[order],
            np.concatenate(known)[order],
            np.concatenate(left)[order],
        )

    def _fill(self, step: Step) -> Left:
        broadcast = shared(_Broadcast(self.gram.kernel, self._centre, step, self.dtype))
        old = [list(own) for own in zip(*self._panels, strict=True)] or [[]] * len(self._left)
        panels = [
            task(_new_panel, broadcast, part, own, place=home)
            for home, part, own in zip(self.blocks.homes, self.blocks.parts, old, strict=True)
        ]
        left = [
            task(_new_left, before, panel, spent, self.least)
            for before, panel, spent in zip(
                self._left, panels, self._local(step.spent), strict=True
            )
        ]
        measures = [task(Left.of, part, self._reference) for part in left]
        count = len(panels)
        held = persisted([*panels, *left, *measures])
        self._panels.append(held[:count])
        self.widths.append(len(step.rows))
        self._rows.extend(
            np.concatenate([known.astype(np.float64), new[: number + 1]])
            for number, (known, new) in enumerate(zip(step.known, step.triangle, strict=True))
        )
        self._points.append(step.points)
        self._left = held[count : 2 * count]
        return self._added(held[2 * count :])

    def _forget(self, rows: NDArray[np.intp]) -> Left:
        self._left = persisted(
            [
                task(_new_left, before, None, spent, self.least)
                for before, spent in zip(self._left, self._local(rows), strict=True)
            ]
        )
        return self._measured()

    def _measured(self) -> Left:
        return self._added([task(Left.of, part, self._reference) for part in self._left])

    def _added(self, measures: Sequence[Part]) -> Left:
        found = computed(measures)
        self._units = np.array([left.units for left in found], dtype=np.int64)
        total: Left = reduce(add, found)
        return total

    def _local(self, rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """Return the rows as numbers within each block."""
        where = self.blocks.block_of(rows)
        return [rows[where == b] - start for b, (start, _) in enumerate(self.blocks.places)]


def _answer_for_a_row(
    function: RowFunction, rank: int, dtype: Any, columns: Sequence[Any]
) -> NDArray[Any]:
    """Return what a function makes of a row of zeros, to learn shape and type."""
    row = np.zeros((1, rank), dtype=dtype)
    zeros = [np.zeros((1, *column.shape[1:]), dtype=column.dtype) for column in columns]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(function(row, *zeros))


# What the workers run. Each is a function of its arguments alone.


def _diagonal(kernel: Kernel, points: Any, dtype: np.dtype[Any]) -> Array:
    points = in_double(points) if dtype == np.float64 else points
    return np.array(kernel.diagonal_of(points), dtype=np.float64)


def _not_negative(diagonal: Array) -> Array:
    return np.maximum(diagonal, 0.0)


def _side_by_side(
    panels: Sequence[Floats], rows: Any, rank: int | None = None, room: Floats | None = None
) -> Floats:
    """Return some rows of F, in the order of memory that the solver in memory uses."""
    count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
    if room is None:
        room = _room(panels, count)
    start = 0
    for panel in panels:
        stop = start + panel.shape[1]
        room[:count, start:stop] = panel[rows]
        start = stop
    return room[:count, :rank]


def _room(panels: Sequence[Floats], rows: int) -> Floats:
    width = sum(panel.shape[1] for panel in panels)
    return np.empty((rows, width), dtype=panels[0].dtype, order="F")


def _chunks_of(panels: Sequence[Floats], rank: int | None = None) -> Iterator[tuple[slice, Floats]]:
    """Yield chunks of rows of F, each in the same place: workers give memory back at once.

    Memory that is asked for anew is filled with zeros page by page, which takes longer than the
    products that it is for.
    """
    n = len(panels[0])
    room = _room(panels, min(n, CHUNK))
    for rows in chunks(n):
        yield rows, _side_by_side(panels, rows, rank, room)


def _new_panel(broadcast: _Broadcast, points: Any, panels: Sequence[Floats]) -> Floats:
    step = broadcast.step
    columns = KernelColumns(broadcast.kernel, points, broadcast.centre)
    landmarks = columns.landmarks(step.points)
    n = points.shape[0]
    panel: Floats = np.empty((n, len(step.rows)), dtype=broadcast.dtype, order="F")
    known = _chunks_of(panels) if panels else ((rows, np.empty((0, 0))) for rows in chunks(n))
    for rows, before in known:
        panel[rows] = new_columns(columns.against(rows, landmarks), before, step)
    return panel


def _new_left(left: Array, panel: Floats | None, spent: NDArray[np.intp], least: float) -> Array:
    left = left.copy()
    if panel is not None:
        for rows in chunks(len(left)):
            left[rows] -= squares_of_rows(panel[rows])
    left[spent] = 0.0
    # A comparison with NaN is false: it stays, and is found in the sum.
    left[left <= least] = 0.0
    return left


def _rows_of_block(
    points: Any, panels: Sequence[Floats], left: Array, local: Any, reference: float | None
) -> tuple[NDArray[np.intp], Any, Floats, Array]:
    rows = local
    if reference is not None:
        cumulated = np.cumsum(count_units(left, reference))
        rows = np.searchsorted(cumulated, local, side="right").astype(np.intp)
    known = _side_by_side(panels, rows) if panels else np.empty((len(rows), 0))
    return rows, points[rows], known, left[rows]


def _mapped(
    function: RowFunction, panels: Sequence[Floats], rank: int, *columns: Any
) -> NDArray[Any]:
    answers = []
    for rows, known in _chunks_of(panels, rank):
        answer = function(known, *(column[rows] for column in columns))
        answers.append(answer.copy() if np.may_share_memory(answer, known) else answer)
    return np.concatenate(answers)


def _summed(function: RowFunction, panels: Sequence[Floats], rank: int, *columns: Any) -> Array:
    total: Array | None = None
    for rows, known in _chunks_of(panels, rank):
        part = function(known, *(column[rows] for column in columns))
        total = part.astype(np.float64) if total is None else np.add(total, part, out=total)
    assert total is not None
    return total

"""Grids are numpy arrays that draw themselves."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._errors import ArgumentError


class Grid(np.ndarray[tuple[int, int], np.dtype[np.int8]]):
    """A grid of colours: a read-only numpy array of `int8`.

    All functions of numpy work on it. Negative numbers are possible, so `grid - 1` does not wrap around.

    >>> import arcbatt
    >>> grid = arcbatt.Grid([[0, 1], [2, 3]])
    >>> int((grid > 0).sum())
    3
    """

    __slots__ = ()

    def __new__(cls, cells: ArrayLike) -> Grid:
        array = np.asarray(cells)
        if array.ndim != 2 or array.dtype.kind not in "iub":
            raise ArgumentError(f"a grid is a 2-d array of integers, not a {array.ndim}-d array of {array.dtype}")
        if array.size and (array.min() < 0 or array.max() > 9):
            row, column = np.argwhere((array < 0) | (array > 9))[0]
            raise ArgumentError(f"row {row}, column {column} is {array[row, column]}; colours are 0 to 9")
        grid = np.array(array, dtype=np.int8, order="C").view(cls)
        grid.flags.writeable = False
        return grid

    @property
    def key(self) -> bytes:
        """A hashable value that is equal for equal grids, for sets and dictionaries."""
        return f"{self.shape}".encode() + self.tobytes()

    def svg(self, *, palette: str = "classic", cell: int = 16) -> str:
        """Draws the grid as SVG. Palettes are `classic`, `arcprize`, `arckit` and `safe` (for colour-blind readers)."""
        from . import _html

        return _html.svg(self, palette=palette, cell=cell)

    def _repr_html_(self) -> str | None:
        from . import _html

        # Other arrays, such as `grid == 3`, are shown as numbers.
        return _html.svg(self) if _html.is_picture(self) else None

    def __reduce__(self) -> Any:
        if self.dtype == np.int8 and self.ndim == 2:
            return _restore, (self.shape, self.tobytes())
        return np.asarray(self).__reduce__()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        # Results of arithmetic stay grids only if they have the form of one; `grid.sum()` is a number.
        if array.ndim == 2 and array.dtype == np.int8:
            return array.view(Grid)
        return array[()] if array.ndim == 0 else np.asarray(array)


def _restore(shape: tuple[int, int], cells: bytes) -> Grid:
    return np.ndarray.__new__(Grid, shape, np.int8, cells)


def to_json(data: Any) -> str:
    """The JSON text of lists, tuples and arrays."""

    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        raise TypeError(f"a task is made of dictionaries, lists and arrays, not {type(value).__name__}")

    return json.dumps(data, default=plain)

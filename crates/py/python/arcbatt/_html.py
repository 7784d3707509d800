"""Pictures for notebooks: plain HTML and SVG, without scripts, fonts or links.

Text has the colour of its surroundings, so that everything is readable on dark and on light pages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arcbatt import PALETTES
from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._arcbatt import Dataset, Pair, Program, Task
    from ._programs import Line, Trace

# Larger arrays are shown as numbers.
_MAX_SIDE = 100
# The longest side of a thumbnail and of a picture, in pixels.
_SMALL, _LARGE = 90, 240

_BLOCK = "display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start"
_LABEL = "font:12px sans-serif;opacity:.75;margin-bottom:4px;white-space:nowrap"


def escape(text: object) -> str:
    import html  # Slow to import.

    return html.escape(str(text))


def is_picture(value: object) -> bool:
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.dtype.kind not in "iu":
        return False
    height, width = value.shape
    fits = 0 < height <= _MAX_SIDE and 0 < width <= _MAX_SIDE
    return fits and bool(0 <= value.min() and value.max() <= 9)


def svg(grid: Any, *, palette: str = "classic", cell: int = 16, marks: Iterable[tuple[int, int]] = ()) -> str:
    """Draws a grid. Marked cells get a frame. Cells outside 0 to 9 are transparent."""
    try:
        colors = PALETTES[palette]
    except KeyError:
        raise ArgumentError(f"there is no palette {palette!r}; use {', '.join(map(repr, PALETTES))}") from None
    height, width = grid.shape
    paths: dict[int, list[str]] = {}
    for y, row in enumerate(grid.tolist()):
        x = 0
        while x < width:
            color, start = row[x], x
            while x < width and row[x] == color:
                x += 1
            if 0 <= color <= 9:
                paths.setdefault(color, []).append(f"M{start} {y}h{x - start}v1h{start - x}z")
    cells = "".join(f'<path fill="{colors[color]}" d="{"".join(paths[color])}"/>' for color in sorted(paths))
    lines = "".join(f"M{x} 0v{height}" for x in range(width + 1)) + "".join(f"M0 {y}h{width}" for y in range(height + 1))
    frames = "".join(f"M{x} {y}h1v1h-1z" for y, x in marks)
    if frames:
        frames = (
            f'<path d="{frames}" fill="none" stroke="#fff" stroke-width=".28"/>'
            f'<path d="{frames}" fill="none" stroke="#c00" stroke-width=".14"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="grid of {height} by {width} cells" '
        f'width="{width * cell + 1}" height="{height * cell + 1}" viewBox="-.03 -.03 {width + 0.06} {height + 0.06}" '
        f'shape-rendering="crispEdges">{cells}'
        f'<path d="{lines}" fill="none" stroke="{colors[10]}" stroke-width=".06"/>{frames}</svg>'
    )


def _fit(grids: Iterable[Any], side: int) -> int:
    """The size of a cell, so that the largest of these grids fits."""
    longest = max((max(grid.shape) for grid in grids if grid is not None), default=1)
    return max(2, min(24, side // longest))


def figure(label: str, body: str) -> str:
    return f'<div><div style="{_LABEL}">{escape(label)}</div>{body}</div>'


def row(figures: Iterable[str]) -> str:
    return f'<div style="{_BLOCK}">{"".join(figures)}</div>'


def _unknown(text: str) -> str:
    return f'<div style="padding:12px 16px;border:1px dashed currentColor;opacity:.6;font:12px sans-serif">{text}</div>'


def pair(pair: Pair, label: str = "", hide: bool = False) -> str:
    """Input and output on one scale."""
    cell = _fit((pair.input, None if hide else pair.output), _LARGE)
    if hide and pair.output is not None:
        output = _unknown("hidden; show(answer=True)")
    elif pair.output is None:
        output = _unknown("unknown")
    else:
        output = svg(pair.output, cell=cell)
    return row((figure(f"{label} input".strip(), svg(pair.input, cell=cell)), figure("output", output)))


def task(task: Task, answer: bool = False) -> str:
    """All pairs of a task. Test outputs are hidden unless `answer`."""
    pairs = [pair(it, f"train {i}") for i, it in enumerate(task.train)]
    pairs += [pair(it, f"test {i}", hide=not answer) for i, it in enumerate(task.test)]
    boxes = "".join(f'<div style="padding:8px 12px;border:1px solid rgba(128,128,128,.4)">{it}</div>' for it in pairs)
    title = f'<div style="font:600 14px sans-serif;margin:4px 0">{escape(task.id)}</div>'
    return f'<div>{title}<div style="{_BLOCK}">{boxes}</div></div>'


def dataset(dataset: Dataset, most: int = 24) -> str:
    """The first pair of the first tasks."""
    shown = []
    for it in list(dataset)[:most]:
        grids = [*it.train[0]] if it.train else []
        cell = _fit(grids, _SMALL)
        shown.append(figure(it.id, row(svg(grid, cell=cell) for grid in grids if grid is not None)))
    more = len(dataset) - len(shown)
    note = f'<div style="{_LABEL}">and {more} more</div>' if more > 0 else ""
    title = f'<div style="font:600 14px sans-serif;margin:4px 0">{escape(dataset.label)}: {len(dataset)} tasks</div>'
    return f"<div>{title}{row(shown)}{note}</div>"


def show_task(task_: Task, answer: bool) -> None:
    if in_notebook():
        display(task(task_, answer))
    else:
        print(text(task_, answer))


def text(task: Task, answer: bool) -> str:
    """A task for a terminal: two blanks a cell, in colour where the terminal has colours."""
    blocks = [repr(task)]
    pairs = [(f"train {i}", it, True) for i, it in enumerate(task.train)]
    pairs += [(f"test {i}", it, answer) for i, it in enumerate(task.test)]
    for label, it, shown in pairs:
        left = grid_lines(it.input)
        right = grid_lines(it.output) if shown and it.output is not None else ["?"]
        height = max(len(left), len(right))
        width = 2 * it.input.shape[1] if _colored() else it.input.shape[1]
        left += [" " * width] * (height - len(left))
        right += [""] * (height - len(right))
        blocks.append("\n".join([label, *(f"{a}   {b}" for a, b in zip(left, right, strict=True))]))
    return "\n\n".join(blocks)


def _colored() -> bool:
    import os

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def grid_lines(grid: Any) -> list[str]:
    if not _colored():
        return ["".join(str(cell) for cell in cells) for cells in grid.tolist()]
    block = [f"\x1b[{_background(color)}m  " for color in PALETTES["classic"]]
    return ["".join(block[cell] for cell in cells) + "\x1b[0m" for cells in grid.tolist()]


def _background(color: str) -> str:
    """The terminal's code for a background: 24 bits only if the terminal says that it has them, else one of 256."""
    import os

    wanted = tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "48;2;{};{};{}".format(*wanted)
    # The colours 16 to 255 are a cube with six steps, then grays.
    steps = (0, 95, 135, 175, 215, 255)
    fixed = [(r, g, b) for r in steps for g in steps for b in steps] + [(8 + 10 * i,) * 3 for i in range(24)]
    distance = [sum((a - b) ** 2 for a, b in zip(it, wanted, strict=True)) for it in fixed]
    return f"48;5;{16 + distance.index(min(distance))}"


def code(text: str, wrap: bool = True) -> str:
    space = "pre-wrap" if wrap else "pre"
    style = f"font:12px/1.5 monospace;white-space:{space};margin:0;background:none;color:inherit"
    return f'<pre style="{style}">{escape(text)}</pre>'


def program(program: Program) -> str:
    return code(program.source)


def value(value: Any, like: Any = None) -> str:
    """A value of a program. Sets of cells are drawn on a canvas of the size of `like`."""
    if is_picture(value):
        return svg(value, cell=_fit((value,), 130))
    canvas = _canvas(value, like)
    if canvas is not None:
        return svg(canvas, cell=_fit((canvas,), 130))
    # The text of a function stands for itself.
    shown = value if isinstance(value, str) else repr(value)
    return code(shown if len(shown) <= 200 else shown[:200] + "…")


def _canvas(value: Any, like: Any) -> Any:
    """Draws indices, an object or a set of objects; None for other values."""
    if like is None or not isinstance(value, frozenset) or not value:
        return None
    cells: list[tuple[int, tuple[int, int]]] = []
    for item in value:
        parts = item if isinstance(item, frozenset) else [item]
        for part in parts:
            if _is_place(part):
                cells.append((5, part))
            elif isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], int) and _is_place(part[1]):
                cells.append((part[0], part[1]))
            else:
                return None
    height = max(like.shape[0], *(place[0] + 1 for _, place in cells))
    width = max(like.shape[1], *(place[1] + 1 for _, place in cells))
    if height > _MAX_SIDE or width > _MAX_SIDE or any(min(place) < 0 for _, place in cells):
        return None
    canvas = np.full((height, width), -1, dtype=np.int8)
    for color, place in cells:
        canvas[place] = color if 0 <= color <= 9 else -1
    return canvas


def _is_place(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(it, int) for it in value)


def trace(trace: Trace) -> str:
    """The source of a program, with the values of each line next to it."""
    first = trace.program.line
    by_line: dict[int, list[Line]] = {}
    for line in trace:
        by_line.setdefault(line.line, []).append(line)
    cell = 'style="vertical-align:top;text-align:left;padding:4px 12px;border-top:1px solid rgba(128,128,128,.3)"'
    rows = [f"<tr><td {cell}></td><td {cell}>{code('input')}</td><td {cell}>{value(trace.grid)}</td></tr>"]
    for number, source in enumerate(trace.program.source.splitlines(), first):
        values = "".join(
            figure(line.name or line.primitive or "call", value(line.value, trace.grid)) for line in by_line.get(number, [])
        )
        if trace.failure is not None and trace.failure.line == number:
            values += f'<div style="font:12px sans-serif;color:#c33">{escape(trace.failure)}</div>'
        rows.append(
            f'<tr><td {cell}><span style="opacity:.5;font:12px monospace">{number}</span></td>'
            f"<td {cell}>{code(source, wrap=False)}</td><td {cell}>{row([values]) if values else ''}</td></tr>"
        )
    return f'<table style="border-collapse:collapse">{"".join(rows)}</table>'


def table(columns: dict[str, list[Any]], caption: str = "", most: int = 30) -> str:
    n = len(next(iter(columns.values()), []))
    cell = "padding:2px 10px;border-bottom:1px solid rgba(128,128,128,.25)"

    def shown(value: Any) -> str:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        text = f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
        text = text if len(text) <= 80 else text[:80] + "…"
        return f'<td style="{cell};text-align:{"right" if number else "left"}">{escape(text)}</td>'

    head = "".join(f'<th style="{cell};text-align:left">{escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(shown(column[i]) for column in columns.values())}</tr>" for i in range(min(n, most)))
    note = f" (the first {most} of {n} rows)" if n > most else ""
    title = f'<div style="{_LABEL}">{escape(caption)}{note}</div>' if caption or note else ""
    return f'{title}<table style="border-collapse:collapse;font:12px sans-serif"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def frame(page: str, height: int = 700) -> str:
    """A whole page in a frame of its own, which keeps its scripts and styles apart from the notebook."""
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:1px solid rgba(128,128,128,.4)" '
        f'title="report" srcdoc="{escape(page)}"></iframe>'
    )


def in_notebook() -> bool:
    """Whether the output can be HTML: Jupyter has a kernel, IPython in a terminal has none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def display(text: str) -> None:
    from IPython.display import HTML  # type: ignore[import-not-found, unused-ignore]
    from IPython.display import display as show  # type: ignore[import-not-found, unused-ignore]

    show(HTML(text))  # type: ignore[no-untyped-call, unused-ignore]

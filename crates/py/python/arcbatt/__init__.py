"""Solves ARC-AGI tasks with small programs, runs arc-dsl programs, and shows where the time went.

>>> import arcbatt
>>> demo = arcbatt.load("demo")
>>> solving = arcbatt.solve(demo[:5], progress=False)
>>> solving.submission().check(demo[:5])
[]
"""

from collections.abc import Sequence as _Sequence

from ._arcbatt import DEFAULT_FUEL, DSL_VERSION, Dataset, Engine, Pair, Program, Task, __version__, generate, load
from ._data import datasets, demo_programs, install
from ._errors import (
    ArcbattError,
    ArgumentError,
    ClusterError,
    DataError,
    DataNotFound,
    EngineError,
    FileError,
    FileExists,
    OutOfFuel,
    ProgramError,
    ProgramFailed,
    Stopped,
    TaskNotFound,
)
from ._evaluate import Evaluation, Traces, evaluate, traces
from ._grid import Grid
from ._jobs import ArcbattWarning, Attempt, SearchedTask, Searching, SolvedTask, Solving, run, search, solve
from ._programs import Line, Programs, Resolution, Trace, constants, parse, primitives, program, read_programs
from ._record import Record
from ._store import Store
from ._submission import Score, Submission
from ._table import Table

_Sequence.register(Dataset)
_Sequence.register(Pair)

__all__ = [
    "DEFAULT_FUEL",
    "DSL_VERSION",
    "ArcbattError",
    "ArcbattWarning",
    "ArgumentError",
    "Attempt",
    "ClusterError",
    "DataError",
    "DataNotFound",
    "Dataset",
    "Engine",
    "EngineError",
    "Evaluation",
    "FileError",
    "FileExists",
    "Grid",
    "Line",
    "OutOfFuel",
    "Pair",
    "Program",
    "ProgramError",
    "ProgramFailed",
    "Programs",
    "Record",
    "Resolution",
    "Score",
    "SearchedTask",
    "Searching",
    "SolvedTask",
    "Solving",
    "Stopped",
    "Store",
    "Submission",
    "Table",
    "Task",
    "TaskNotFound",
    "Trace",
    "Traces",
    "__version__",
    "constants",
    "datasets",
    "demo_programs",
    "evaluate",
    "generate",
    "install",
    "load",
    "parse",
    "primitives",
    "program",
    "read_programs",
    "run",
    "search",
    "solve",
    "traces",
]

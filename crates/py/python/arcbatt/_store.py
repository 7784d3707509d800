"""The store: a library of programs in one SQLite file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

from ._arcbatt import Program, Task, store_add, store_export, store_path, store_programs
from ._data import DataLike, tasks_of
from ._errors import ArgumentError
from ._jobs import ArcbattWarning
from ._programs import ProgramsLike, parse, texts
from ._table import Table


class Store:
    """A library of programs with their results, in one SQLite file. Several processes can use it at once.

    >>> import arcbatt, tempfile
    >>> store = arcbatt.Store(tempfile.mkdtemp() + "/programs.sqlite")
    >>> store.add(arcbatt.demo_programs(), "demo")
    79
    >>> [program.name for program in store.best(arcbatt.load("demo")["kaleidoscope"])]
    ['solve_kaleidoscope']
    """

    path: str
    """The path of the file."""

    def __init__(self, path: str | os.PathLike[str] | None = None):
        """Names a store. The file is made when programs are added. The default is the store of the command line, in the
        user's data folder."""
        self.path = os.fspath(path) if path is not None else os.fspath(store_path())

    def _programs(self, task: Task | None = None) -> list[tuple[Program, str, list[dict[str, Any]]]]:
        programs, warning = store_programs(self.path, task)
        if warning is not None:
            warnings.warn(warning, ArcbattWarning, stacklevel=3)
        return programs

    def add(self, programs: ProgramsLike, data: DataLike | None = None, *, file: str = "python") -> int:
        """Adds programs, and returns the number of new ones. With `data`, each program is run on the task that it is
        named after, and ranked for it. `file` is kept as the place that the programs came from."""
        parsed = [program for source in texts(programs) for program in parse(source).values()]
        if not parsed:
            raise ArgumentError("there are no programs to add")
        return store_add(self.path, parsed, [] if data is None else tasks_of(data)[0], file)

    def best(self, task: Task) -> list[Program]:
        """Returns the programs that are ranked for a task, best first. Of programs with the same answers only the best
        is ranked."""
        return [program for program, _, _ in self._programs(task)]

    def rows(self, task: Task | None = None) -> Table:
        """Returns one row for each program and task, as columns. `score` is the graded score, from 0 to 1;
        `origin` is `imported`, `written` or `found`."""
        columns = ("program", "task", "right", "pairs", "score", "fuel", "origin", "hash")
        rows = (
            {"program": program.name, "hash": program.hash, "origin": origin, **measure}
            for program, origin, measures in self._programs(task) for measure in (measures or [{}])
        )
        return Table.of(rows, columns, self.path)

    def export(self, task: Task | None = None) -> str:
        """Returns the programs as the text of a program file; those of a task best first."""
        return store_export(self.path, task)

    def __iter__(self) -> Iterator[Program]:
        return iter([program for program, _, _ in self._programs()])

    def __len__(self) -> int:
        return len(self._programs())

    def __contains__(self, program: object) -> bool:
        return isinstance(program, Program) and any(program == it for it in self)

    def __repr__(self) -> str:
        return f"<Store {self.path}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Store) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def _repr_html_(self) -> str:
        return self.rows()._repr_html_()



"""Reading programs, and what they return."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

from . import _html
from ._arcbatt import Program, named_constants, primitive_table
from ._arcbatt import parse as _parse
from ._errors import ArgumentError, DataNotFound, FileError, ProgramError, ProgramFailed
from ._grid import Grid
from ._table import Table

Path = str | os.PathLike[str]


class Programs(Mapping[str, Program]):
    """Programs by name, in the order of their text.

    >>> import arcbatt
    >>> arcbatt.parse("def f(I): return I")
    <Programs: f>
    """

    problems: list[dict[str, Any]]
    """Errors and warnings of the text. Programs with errors are left out."""

    def __init__(self, programs: Sequence[Program], problems: list[dict[str, Any]] | None = None):
        self._programs = {program.name: program for program in programs}
        self.problems = problems or []

    def __getitem__(self, name: str) -> Program:
        return self._programs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._programs)

    def __len__(self) -> int:
        return len(self._programs)

    def __repr__(self) -> str:
        names = list(self)
        shown = ", ".join(names[:3]) + (f", … {len(names)} in all" if len(names) > 3 else "")
        return f"<Programs: {shown}>"

    def _repr_html_(self) -> str:
        return "".join(_html.code(program.source + "\n") for program in list(self.values())[:20])


def parse(text: str, *, file: str = "<text>", strict: bool = True) -> Programs:
    """Reads the programs of a text in arc-dsl's language.

    A text with errors raises `ProgramError`; with `strict=False`, programs with errors are left out, and
    `Programs.problems` lists the errors. `file` is the name that messages show.

    >>> import arcbatt
    >>> list(arcbatt.parse("def f(I): return rot90(I)\\n\\ndef g(I): return objcts(I)", strict=False))
    ['f']
    """
    if not isinstance(text, str):
        raise ArgumentError(f"the text of programs is a str, not {type(text).__name__}; read_programs reads files")
    text = clean(text)
    programs, problems = _parse(text, file)
    errors = [problem for problem in problems if problem["severity"] == "error"]
    if errors and strict:
        first = errors[0]
        message = first["message"] + (f"; {first['hint']}" if first["hint"] else "")
        if len(errors) > 1:
            message += f" (and {len(errors) - 1} more)"
        place = (file, first["line"], first["column"], first["source"], first["line"], first["end_column"])
        raise ProgramError(message, place, problems)
    return Programs(programs, problems)


def program(text: str) -> Program:
    """Reads a text with one program.

    >>> import arcbatt
    >>> arcbatt.program("def turn(I): return rot90(I)")
    <Program turn 2cdf3f54>
    """
    programs = parse(text)
    if len(programs) != 1:
        raise ArgumentError(f"the text contains {len(programs)} programs; use parse() for any number but one")
    return next(iter(programs.values()))


def read_programs(path: Path, *, strict: bool = True) -> Programs:
    """Reads a file of programs, such as arc-dsl's `solvers.py`. If the file is named after a task, as in `007bbfb7.py`,
    so are its programs."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        raise DataNotFound(f"there is no file {os.fspath(path)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error}") from error
    return parse(text, file=os.fspath(path), strict=strict)


ProgramsLike: TypeAlias = Mapping[str, Program] | Iterable[Program | str] | Program | str | os.PathLike[str]


def texts(programs: ProgramsLike) -> list[str]:
    """The source of programs in any form: texts, programs, or the path of a file."""
    if isinstance(programs, os.PathLike):
        programs = read_programs(programs)
    if isinstance(programs, str) and "\n" not in programs and programs.strip().endswith(".py"):
        raise ArgumentError(f"{programs!r} looks like the name of a file; pass read_programs({programs!r})")
    if isinstance(programs, Program | str):
        programs = [programs]
    items = programs.values() if isinstance(programs, Mapping) else programs
    sources = []
    for item in items:
        if not isinstance(item, Program | str):
            raise ArgumentError(f"programs are Program objects or texts, not {type(item).__name__}")
        sources.append(clean(item) if isinstance(item, str) else item.source)
    return sources


def clean(text: str) -> str:
    """The text with lone surrogates replaced: models may write them, but they are no characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


@dataclass(frozen=True)
class Line:
    """The value of one call of a program."""

    line: int
    """The line of the program, from 1."""
    name: str | None
    """The variable that the value was assigned to; None for a nested call."""
    primitive: str | None
    """The primitive that was called; None for a function value."""
    value: Any

    def _repr_html_(self) -> str:
        return _html.figure(self.name or self.primitive or "call", _html.value(self.value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Line):
            return NotImplemented
        same = _same(self.value, other.value)
        return same and (self.line, self.name, self.primitive) == (other.line, other.name, other.primitive)

    def __hash__(self) -> int:
        return hash((self.line, self.name, self.primitive))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Grid) or isinstance(b, Grid):
        return isinstance(a, Grid) and isinstance(b, Grid) and a.key == b.key
    return bool(a == b)


class Trace(Sequence[Line]):
    """The values of all calls of a program on one grid, in the order of computation."""

    program: Program
    grid: Grid
    failure: ProgramFailed | None
    """Why the program failed; None if it did not."""
    fuel: int
    """The fuel that the program used."""

    @classmethod
    def _of(
        cls, program: Program, grid: Grid, lines: list[tuple[Any, ...]], failure: ProgramFailed | None, fuel: int
    ) -> Trace:
        trace = cls()
        trace.program, trace.grid, trace.failure, trace.fuel = program, grid, failure, fuel
        trace._lines = [Line(*line) for line in lines]
        return trace

    _lines: list[Line]

    @property
    def result(self) -> Any:
        """The result of the program; None if it failed."""
        return self._lines[-1].value if self._lines and self.failure is None else None

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...
    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        return self._lines[at]

    def __len__(self) -> int:
        return len(self._lines)

    def __repr__(self) -> str:
        end = f"failed: {self.failure}" if self.failure else f"{self.fuel} fuel"
        return f"<Trace of {self.program.name}: {len(self)} calls, {end}>"

    def _repr_html_(self) -> str:
        return _html.trace(self)


@dataclass(frozen=True)
class Resolution:
    """A program whose learned rules are written out for a task."""

    program: Program | None
    """The ordinary program; None if its rule cannot be written."""
    arc_dsl: bool
    """Whether it uses only primitives and constants of arc-dsl, and does not depend on the order of sets."""
    comment: str
    """How the rule was written out, or why not."""

    def _repr_html_(self) -> str:
        return _html.code(f"# {self.comment}\n{self.program.source if self.program else ''}")


def primitives() -> Table:
    """Returns the primitives of the language: name, signature, family, aliases and a summary.

    >>> import arcbatt
    >>> table = arcbatt.primitives()
    >>> table["signature"][table["name"].index("rot90")]
    'rot90(grid: Grid) -> Grid'
    """
    fields = ("name", "signature", "family", "aliases", "summary")
    rows = (dict(zip(fields, row, strict=True)) for row in primitive_table())
    return Table.of(rows, fields, "primitives")


def constants() -> dict[str, Any]:
    """Returns the named constants of the language with their values.

    >>> import arcbatt
    >>> arcbatt.constants()["UP_RIGHT"]
    (-1, 1)
    """
    return dict(named_constants())

"""The exceptions of the package. Each is also one of Python's own kinds."""

from __future__ import annotations

from typing import Any


class ArcbattError(Exception):
    """The base class of the exceptions that this package defines. Arguments of a wrong type raise TypeError."""


class ArgumentError(ArcbattError, ValueError):
    """An argument is invalid. The message names it and the valid values."""


class DataError(ArcbattError, ValueError):
    """Data is invalid. The message names the file and the place."""


class DataNotFound(ArcbattError, FileNotFoundError):
    """There is no data set, file or store of this name."""


class TaskNotFound(ArcbattError, KeyError):
    """A data set has no task with this id."""

    def __str__(self) -> str:
        # KeyError would quote the message.
        return str(self.args[0])


class FileError(ArcbattError, OSError):
    """A file cannot be read or written."""


class FileExists(ArcbattError, FileExistsError):
    """A file exists and belongs to another job, or to nobody. It was not changed."""


class EngineError(ArcbattError, RuntimeError):
    """The engine cannot work, for example because the system refuses to start threads."""


class ClusterError(EngineError):
    """A cluster cannot be used, or not any more. Files are saved, and the same job continues from them."""


class Stopped(EngineError):
    """A job was stopped before its first result."""


class ProgramError(ArcbattError, SyntaxError):
    """A program text has errors. Python and IPython show the line and the place.

    >>> import arcbatt
    >>> try:
    ...     arcbatt.program("def f(I): return objcts(I, T, F, T)")
    ... except arcbatt.ProgramError as error:
    ...     print(error.msg)
    `objcts` is not a primitive; did you mean `objects`?
    """

    problems: list[dict[str, Any]]
    """All errors and warnings, each with severity, message, hint, line and column."""

    def __init__(
        self,
        message: str,
        place: tuple[str, int, int, str, int, int] | None = None,
        problems: list[dict[str, Any]] | None = None,
    ):
        if place is None:
            super().__init__(message)
        else:
            super().__init__(message, place)
        self.problems = problems or []

    def __reduce__(self) -> tuple[Any, ...]:
        place = None
        if self.lineno is not None:
            place = (self.filename, self.lineno, self.offset, self.text, self.end_lineno, self.end_offset)
        return type(self), (self.msg, place, self.problems)


class ProgramFailed(ArcbattError, RuntimeError):
    """A program has no result on this grid."""

    kind: str
    """The kind of failure, such as `empty`, `kind` or `fuel`."""
    line: int
    """The line of the program, from 1; 0 if it is unknown."""
    primitive: str | None
    """The primitive that failed."""

    def __init__(self, message: str, kind: str = "", line: int = 0, primitive: str | None = None):
        super().__init__(message)
        self.kind, self.line, self.primitive = kind, line, primitive

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.kind, self.line, self.primitive)


class OutOfFuel(ProgramFailed):
    """A program needs more fuel than it was given."""

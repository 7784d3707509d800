"""Evaluation of many programs at once: a reward function, and traces as training data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._arcbatt import DEFAULT_FUEL, Task
from ._arcbatt import evaluate as _evaluate
from ._arcbatt import traces as _traces
from ._errors import ArgumentError, EngineError
from ._programs import ProgramsLike, texts
from ._record import write_text
from ._table import Table

Path = str | os.PathLike[str]
Part = Literal["train"] | Literal["test"] | Literal["extra"]

# The kind of a text that is not a program.
_SYNTAX = "syntax"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The results of `evaluate`. Every array has one row for each program and one column for each pair; programs whose
    task has fewer pairs than others have no result in the last columns."""

    right: NDArray[np.bool_]
    """Whether the answer is the expected output."""
    ran: NDArray[np.bool_]
    """Whether there is a pair that the program ran on."""
    closeness: NDArray[np.float32]
    """How similar the answer is to the expected output, from 0 to 1. 0 for a failure; NaN where nothing ran, and without
    an expected output."""
    score: NDArray[np.float32]
    """The part of the way from the input to the expected output: 0 if the answer is no closer than the input."""
    fuel: NDArray[np.uint64]
    """The fuel that the program used."""
    kind: NDArray[np.uint8]
    """The index of the verdict in `kinds`; 255 where nothing ran."""
    kinds: tuple[str, ...]
    """The names of the verdicts: `ok`, `wrong`, `wrong_shape`, `not_a_grid`, `unjudged` (no expected output), and the
    kinds of failures of a program: `kind`, `empty`, `range`, `overflow`, `too_large`, `fuel`."""
    problems: tuple[str | None, ...]
    """For each text that is not a program, its first error."""

    @property
    def reward(self) -> NDArray[np.float32]:
        """One number for each program: the mean graded score over its pairs, 1 if it is right on all, 0 if it is not a
        program."""
        known = self.ran & ~np.isnan(self.score)
        total = np.where(known, self.score, 0).sum(axis=1)
        return np.asarray(total / np.maximum(known.sum(axis=1), 1), dtype=np.float32)

    @property
    def solved(self) -> NDArray[np.bool_]:
        """For each program, whether it is right on all pairs."""
        return np.asarray(self.ran.any(axis=1) & (self.right | ~self.ran).all(axis=1))

    @property
    def failures(self) -> list[str | None]:
        """For each program, the kind of its first failure: `syntax` if it is not a program, None if it never failed."""
        first = []
        fine = [i for i, name in enumerate(self.kinds) if name in ("ok", "wrong", "wrong_shape", "unjudged")]
        for row, problem in zip(self.kind, self.problems, strict=True):
            failed = [kind for kind in row if kind != 255 and kind not in fine]
            first.append(_SYNTAX if problem is not None else self.kinds[failed[0]] if failed else None)
        return first

    def rows(self) -> Table:
        """Returns one row for each program and pair, as columns."""
        programs, pairs = np.nonzero(self.ran)
        table = Table(
            program=programs.tolist(),
            pair=pairs.tolist(),
            right=self.right[programs, pairs].tolist(),
            closeness=self.closeness[programs, pairs].tolist(),
            score=self.score[programs, pairs].tolist(),
            kind=[self.kinds[kind] for kind in self.kind[programs, pairs]],
            fuel=self.fuel[programs, pairs].tolist(),
        )
        table.caption = "programs and pairs"
        return table

    def __len__(self) -> int:
        return len(self.problems)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return NotImplemented
        same = (np.array_equal(getattr(self, name), getattr(other, name)) for name in ("kind", "fuel"))
        graded = (
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=True) for name in ("closeness", "score")
        )
        return (self.kinds, self.problems) == (other.kinds, other.problems) and all(same) and all(graded)

    def __repr__(self) -> str:
        broken = sum(problem is not None for problem in self.problems)
        end = f", {broken} are not programs" if broken else ""
        return f"<Evaluation: {len(self)} programs, {int(self.solved.sum())} right on all pairs{end}>"

    def _repr_html_(self) -> str:
        table = Table(
            program=list(range(len(self))), reward=self.reward.tolist(), solved=self.solved.tolist(),
            failure=self.failures, problem=list(self.problems), fuel=self.fuel.sum(axis=1).tolist(),
        )
        table.caption = repr(self)[1:-1]
        return table._repr_html_()


def evaluate(
    programs: ProgramsLike,
    tasks: Task | Iterable[Task],
    *,
    parts: Part | Sequence[Part] = "train",
    fuel: int = DEFAULT_FUEL,
    threads: int = 0,
) -> Evaluation:
    """Runs many program texts and grades their answers: a reward function for models that write programs.

    `tasks` is one task for all programs, or a sequence with the task of each program. Programs run on the
    demonstration pairs; add `"test"` to `parts` to include test pairs. If a text has several functions, the last one
    counts. A text with errors is not raised but has no result, and `Evaluation.problems` has the first error.

    Programs cannot loop forever, crash, or use files: `fuel` limits the work on each pair, and memory is limited. The
    result depends on the texts, the tasks and the fuel only. The default fuel is ten times that of the most expensive
    solver of arc-dsl, up to seconds for a program that wastes it; give a reward function less, such as 1,000,000.

    >>> import arcbatt
    >>> task = arcbatt.load("demo")["kaleidoscope"]
    >>> texts = ["def f(I): return I", "def f(I): x = hconcat(I, vmirror(I)); return vconcat(x, hmirror(x))", "?"]
    >>> result = arcbatt.evaluate(texts, task)
    >>> result.solved
    array([False,  True, False])
    >>> result.reward
    array([0., 1., 0.], dtype=float32)
    >>> result.failures
    [None, None, 'syntax']
    """
    sources, task_of, distinct = _matched(programs, tasks)
    found = _evaluate(sources, task_of, distinct, _parts(parts), fuel, threads)
    shape = (len(sources), found["columns"])

    def array(name: str, dtype: str) -> Any:
        return np.frombuffer(found[name], dtype).reshape(shape)

    kind = array("kind", "uint8")
    kinds = tuple(found["kinds"])
    return Evaluation(
        right=kind == kinds.index("ok"),
        ran=kind != 255,
        closeness=array("closeness", "float32"),
        score=array("score", "float32"),
        fuel=array("fuel", "uint64"),
        kind=kind,
        kinds=kinds,
        problems=tuple(found["problems"]),
    )


def _matched(
    programs: ProgramsLike, tasks: Task | Iterable[Task]
) -> tuple[list[str], list[int], list[Task]]:
    """The sources, the index of each one's task, and the distinct tasks."""
    if isinstance(tasks, str) or not isinstance(tasks, Task | Iterable):
        raise ArgumentError("tasks is a Task, or the task of each program; load() gives tasks")
    if isinstance(programs, Mapping) and not isinstance(tasks, Task):
        raise ArgumentError("programs by name have no order; pass a list of programs, and the task of each")
    sources = texts(programs)
    if isinstance(tasks, Task):
        return sources, [0] * len(sources), [tasks]
    listed = list(tasks)
    if len(listed) != len(sources):
        raise ArgumentError(
            f"there are {len(sources)} programs and {len(listed)} tasks; give one task, or the task of each program"
        )
    places: dict[Task, int] = {}
    task_of = [places.setdefault(task, len(places)) for task in listed]
    return sources, task_of, list(places)


def _parts(parts: Part | Sequence[Part]) -> list[str]:
    return [parts] if isinstance(parts, str) else list(parts)


_COLUMNS = ("program", "task", "part", "pair", "line", "name", "call", "kind", "value")


class Traces:
    """The values of every line of many programs. Iterating yields dictionaries."""

    def __init__(self, sources: list[str], task_of: list[int], tasks: list[Task], options: dict[str, Any]):
        self._sources, self._task_of, self._tasks, self._options = sources, task_of, tasks, options

    def __iter__(self) -> Iterator[dict[str, Any]]:
        options = self._options
        # In pieces, so that the rows of one piece are in memory at a time.
        for first in range(0, len(self._sources), options["chunk"]):
            piece = slice(first, first + options["chunk"])
            rows = _traces(
                self._sources[piece], self._task_of[piece], self._tasks, options["parts"], options["fuel"],
                options["threads"], options["max_weight"],
            )
            for program, *rest in rows:
                task = self._tasks[self._task_of[first + program]].id
                yield dict(zip(_COLUMNS, (first + program, task, *rest), strict=True))

    def __repr__(self) -> str:
        return f"<Traces of {len(self._sources)} programs>"

    def rows(self) -> Table:
        """Returns all rows as columns."""
        return Table.of(self, _COLUMNS, "values of every line")

    def write_jsonl(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes one JSON object for each row. Values are JSON, not text in JSON."""
        lines = (
            json.dumps({**row, "value": None}, ensure_ascii=False)[:-5] + row["value"] + "}\n" for row in self
        )
        write_text(path, "".join(lines), overwrite)

    def to_arrow(self) -> Any:
        """Returns a `pyarrow.Table`; needs the package pyarrow."""
        try:
            import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError:
            raise EngineError("to_arrow needs the package pyarrow; install it with pip") from None
        numbers = {"program": pa.int64(), "pair": pa.int32(), "line": pa.int32()}
        schema = pa.schema([(name, numbers.get(name, pa.string())) for name in _COLUMNS])
        return pa.table(dict(self.rows()), schema=schema)


def traces(
    programs: ProgramsLike,
    tasks: Task | Iterable[Task],
    *,
    parts: Part | Sequence[Part] = "train",
    fuel: int = DEFAULT_FUEL,
    threads: int = 0,
    max_weight: int = 100_000,
) -> Traces:
    """Runs many programs and yields the value of every line, as training data for models.

    `programs`, `tasks` and `parts` are those of `evaluate`. A row has the index of the program, task, part and pair,
    the line, the variable (`name`), the primitive (`call`), the kind of the value, and the value as JSON: tuples and
    grids are lists, a set is `{"set": […]}`, a function `{"function": "…"}`, and a value of more than `max_weight`
    parts is `{"weight": N}`. Texts with errors have no rows.

    >>> import arcbatt
    >>> task = arcbatt.load("demo")["kaleidoscope"]
    >>> row = next(iter(arcbatt.traces(["def f(I): return height(I)"], task)))
    >>> row["call"], row["kind"], row["value"]
    ('height', 'int', '5')
    """
    sources, task_of, distinct = _matched(programs, tasks)
    options = {"parts": _parts(parts), "fuel": fuel, "threads": threads, "max_weight": max_weight, "chunk": 256}
    return Traces(sources, task_of, distinct, options)

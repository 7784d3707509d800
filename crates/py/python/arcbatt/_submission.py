"""Submissions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ._arcbatt import Task, check_submission, score_submission, submission_of_states
from ._data import DataLike, tasks_of
from ._errors import DataError, TaskNotFound
from ._grid import Grid, to_json
from ._record import read_text, write_text
from ._table import Table

if TYPE_CHECKING:
    from fractions import Fraction

Path = str | os.PathLike[str]


class Score(dict[str, "Fraction"]):
    """The scores of a submission: `outputs` (the mean over outputs, Kaggle's score), `fractions` (the mean over tasks of
    the fraction of right outputs) and `tasks` (tasks that are entirely right). Empty if no solution is known."""

    outputs: Table
    """One row for each test output: task, output, and the first right attempt (1 or 2, None if both are wrong)."""

    def __repr__(self) -> str:
        if not self:
            return "<Score: no solution is known>"
        return "<Score: " + ", ".join(f"{name} {float(value):.2%}" for name, value in self.items()) + ">"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_score, (dict(self), self.outputs)


def _restore_score(scores: dict[str, Fraction], outputs: Table) -> Score:
    score = Score(scores)
    score.outputs = outputs
    return score


class Submission:
    """Two attempts for each test output, in Kaggle's format.

    >>> import arcbatt
    >>> demo = arcbatt.load("demo")[:2]
    >>> submission = arcbatt.solve(demo, progress=False).submission()
    >>> submission.check(demo)
    []
    """

    text: str
    """The text of the file: JSON, or the CSV format of 2020."""

    def __init__(self, text: str):
        self.text = text

    @classmethod
    def read(cls, path: Path) -> Submission:
        """Reads a submission from a file."""
        return cls(read_text(path))

    @classmethod
    def of(cls, attempts: dict[str, list[Any]]) -> Submission:
        """Makes a submission from attempts by task id: for each test input a pair of grids, or a dictionary with
        `attempt_1` and `attempt_2`.

        >>> import arcbatt
        >>> arcbatt.Submission.of({"a": [([[1]], [[2]])]}).text
        '{"a": [{"attempt_1": [[1]], "attempt_2": [[2]]}]}'
        """
        entries: dict[str, list[dict[str, Grid]]] = {}
        for task, outputs in attempts.items():
            entries[task] = []
            for n, both in enumerate(outputs):
                if isinstance(both, Mapping):
                    both = [both.get("attempt_1"), both.get("attempt_2")]
                try:
                    first, second = (Grid(grid) for grid in both)
                except (TypeError, ValueError) as error:
                    raise DataError(f"task {task}, output {n}: give two grids for each test input ({error})") from None
                entries[task].append({"attempt_1": first, "attempt_2": second})
        return cls(to_json(entries))

    @classmethod
    def of_states(cls, data: DataLike, states: Iterable[str], *, form: Literal["json", "csv"] = "json") -> Submission:
        """Makes a submission from the states that `Engine.advance` returned. Tasks without a state have fallbacks."""
        return cls(submission_of_states(tasks_of(data)[0], list(states), form))

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes the submission to a file. An existing file is kept unless `overwrite`."""
        write_text(path, self.text, overwrite)

    def attempts(self, task: str | Task) -> list[tuple[Grid, Grid]]:
        """Returns the two attempts at each test output of a task."""
        name = task if isinstance(task, str) else task.id
        try:
            entries = json.loads(self.text)
        except json.JSONDecodeError:
            raise DataError("attempts can only be read from a submission in JSON") from None
        if name not in entries:
            raise TaskNotFound(f"the submission has no task {name}")
        try:
            return [(Grid(it["attempt_1"]), Grid(it["attempt_2"])) for it in entries[name]]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"the attempts at task {name} are not valid: {error}") from error

    def check(self, data: DataLike) -> list[dict[str, Any]]:
        """Returns the defects of the submission, each with task, output, attempt, kind and text. Empty if it is valid."""
        fields = ("task", "output", "attempt", "kind", "text")
        rows = check_submission(self.text.encode(), tasks_of(data)[0])
        return [dict(zip(fields, row, strict=True)) for row in rows]

    def score(self, data: DataLike) -> Score:
        """Compares the submission with the known solutions."""
        from fractions import Fraction  # Slow to import.

        rules, outputs = score_submission(self.text.encode(), tasks_of(data)[0])
        score = Score({name: Fraction(numerator, denominator) for name, _, numerator, denominator in rules})
        rows = ({"task": task, "output": n, "right": None if it is None else it + 1} for task, n, it in outputs)
        score.outputs = Table.of(rows, ("task", "output", "right"), "test outputs and their first right attempt")
        return score

    def __repr__(self) -> str:
        try:
            return f"<Submission: {len(json.loads(self.text))} tasks>"
        except ValueError:
            return f"<Submission: {max(0, len(self.text.splitlines()) - 1)} outputs>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Submission) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)



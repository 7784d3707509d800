"""Everything public can be pickled, except a running job."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest

import arcbatt
from arcbatt import Dataset, Programs


def everything(demo: Dataset, programs: Programs, folder: Path) -> list[Any]:
    """An object of every public class."""
    task = demo["kaleidoscope"]
    p = programs["solve_kaleidoscope"]
    trace = p.trace(task.train[0].input)
    solved = arcbatt.solve(task, fuel=1_000_000, progress=False).wait().results[task.id]
    record = arcbatt.run(p, task)
    submission = arcbatt.Submission.of({task.id: [(pair.output, pair.output) for pair in task.test]})
    learned = arcbatt.program("def f(S, I, C): return learn_transform(S, ONE_STEP, F0)(I)")
    errors: list[BaseException] = [
        getattr(arcbatt, name)("what is wrong")
        for name in arcbatt.__all__
        if inspect.isclass(getattr(arcbatt, name)) and issubclass(getattr(arcbatt, name), Exception)
    ]
    return [
        task.train[0].input, task.train[0], task, demo, p, programs, trace, trace[0], learned.resolve(task), solved,
        solved.attempts[0], arcbatt.SearchedTask("a", True), arcbatt.Engine([p]), record, record.rows(), submission,
        submission.score(task), arcbatt.evaluate([p], task), arcbatt.traces([p], task), arcbatt.Store(folder / "s"),
        *errors,
    ]


def test_everything_public_is_pickled(demo: Dataset, programs: Programs, tmp_path: Path) -> None:
    objects = everything(demo, programs, tmp_path)
    for it in objects:
        again = pickle.loads(pickle.dumps(it))
        assert type(again) is type(it) and repr(again) == repr(it)
        # Arrays compare cell by cell; engines, traces and exceptions have no equality.
        if isinstance(it, arcbatt.Grid):
            assert again.key == it.key
        elif not isinstance(it, arcbatt.Engine | arcbatt.Trace | arcbatt.Traces | BaseException):
            assert again == it, it
    classes = {name for name in arcbatt.__all__ if inspect.isclass(getattr(arcbatt, name))}
    assert classes - {type(it).__name__ for it in objects} == {"Searching", "Solving"}


def test_a_running_job_is_refused(demo: Dataset) -> None:
    solving = arcbatt.solve(demo[:1], fuel=1, progress=False)
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(solving)
    solving.wait()

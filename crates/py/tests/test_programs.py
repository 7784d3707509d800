"""Programs: parsing, calling, tracing, explaining."""

from __future__ import annotations

import copy
import pickle
import threading
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcbatt
from arcbatt import Dataset, Grid, Programs

TURN = "def turn(I):\n    return rot90(I)\n"


def test_grids_of_any_form_are_taken() -> None:
    p = arcbatt.program(TURN)
    want = [[3, 1], [4, 2]]
    forms: list[Any] = [
        [[1, 2], [3, 4]], ((1, 2), (3, 4)), Grid([[1, 2], [3, 4]]),
        *(np.array([[1, 2], [3, 4]], dtype) for dtype in "bBhHiIlLqQ"),
    ]
    for grid in forms:
        result = p(grid)
        assert type(result) is Grid and result.tolist() == want
    assert p(np.array([[True, False]])).tolist() == [[1], [0]]
    fortran = np.asfortranarray(np.arange(12, dtype=np.int8).reshape(3, 4))
    for view in (fortran, fortran[:, ::2], fortran[::-1], fortran.T):
        assert (p(view) == np.rot90(view, -1)).all()


@pytest.mark.parametrize(
    ("grid", "error", "message"),
    [
        (np.zeros(3, np.int8), ValueError, "2 dimensions, this array has 1"),
        ("text", TypeError, "not this str"),
        (np.array([[0.5]]), TypeError, "an array of float64"),
        ([[1, 2], [3]], ValueError, "row 1 of the grid has 1 cells, row 0 has 2"),
        ([[1, 300]], ValueError, "row 0, column 1 of the grid is 300"),
        ([], ValueError, "no cells"),
        (None, TypeError, "not this NoneType"),
        ([[1.0]], TypeError, "rows of integers, not this list"),
    ],
)
def test_other_inputs_are_refused(grid: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        arcbatt.program(TURN)(grid)  # type: ignore[arg-type]


def test_other_values_become_python_values() -> None:
    def value(text: str, grid: object = ((1, 2), (0, 1))) -> object:
        return arcbatt.program(f"def f(I):\n    return {text}")(grid)  # type: ignore[arg-type]

    assert value("height(I)") == 2 and value("portrait(I)") is False and value("shape(I)") == (2, 2)
    assert value("ofcolor(I, ONE)") == frozenset({(0, 0), (1, 1)})
    assert value("objects(I, T, F, F)", ((1, 2),)) == frozenset({frozenset({(1, (0, 0))}), frozenset({(2, (0, 1))})})
    assert value("astuple(I, I)") == (((1, 2), (0, 1)), ((1, 2), (0, 1)))
    assert value("initset(I)") == frozenset({((1, 2), (0, 1))}), "grids inside values are tuples"
    assert value("compose(rot90, rot90)") == "compose(rot90, rot90)"


def test_failures_are_exceptions_with_a_place() -> None:
    with pytest.raises(arcbatt.ProgramFailed, match="empty container in first at line 3") as failed:
        arcbatt.program("def f(I):\n    x1 = objects(I, T, F, T)\n    return first(x1)")([[0]])
    assert (failed.value.kind, failed.value.line, failed.value.primitive) == ("empty", 3, "first")
    again = pickle.loads(pickle.dumps(failed.value))
    assert (str(again), again.kind, again.line) == (str(failed.value), "empty", 3)
    with pytest.raises(arcbatt.OutOfFuel):
        arcbatt.program("def f(I):\n    return objects(I, T, F, T)")([[1] * 30] * 30, fuel=10)
    with pytest.raises(arcbatt.ArgumentError, match="pass task="):
        arcbatt.program("def f(S, I, C):\n    return learn_transform(S, ONE_STEP, F0)(I)")([[1]])


def test_mistakes_are_syntax_errors() -> None:
    with pytest.raises(SyntaxError) as caught:
        arcbatt.parse("def f(I):\n    x1 = objcts(I, T, F, T)\n    return x1", file="three.py")
    error = caught.value
    assert isinstance(error, arcbatt.ProgramError) and len(error.problems) == 1
    assert (error.lineno, error.offset, error.filename) == (2, 10, "three.py")
    shown = "".join(traceback.format_exception_only(error))
    assert "^^^^^^" in shown and "did you mean `objects`?" in shown, shown
    again = pickle.loads(pickle.dumps(error))
    assert again.lineno == 2 and again.problems == error.problems
    some = arcbatt.parse("def f(I):\n return objcts(I)\n\ndef g(I):\n return rot90(I)", strict=False)
    assert list(some) == ["g"] and some.problems[0]["severity"] == "error"
    with pytest.raises(arcbatt.ArgumentError, match="2 programs"):
        arcbatt.program(TURN + TURN.replace("turn(", "again("))


def test_programs_are_values(programs: Programs) -> None:
    p = programs["solve_kaleidoscope"]
    other = arcbatt.program("def g(I):\n    t = hconcat(I, vmirror(I))\n    return vconcat(t, hmirror(t))")
    assert other == p and hash(other) == hash(p) and other.hash == p.hash and other.name != p.name
    again = pickle.loads(pickle.dumps(p))
    assert (again.name, again.source, again.line) == (p.name, p.source, p.line) and p.line > 1
    assert copy.deepcopy(p) == p and arcbatt.program(str(p)) == p
    assert pickle.loads(pickle.dumps(programs))["solve_kaleidoscope"] == p and len(programs) == 79
    failing = arcbatt.parse("\n\n\ndef f(I):\n    return first(objects(I, T, F, T))")["f"]
    with pytest.raises(arcbatt.ProgramFailed, match="line 5"):
        pickle.loads(pickle.dumps(failing))([[0]])


def test_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "007bbfb7.py"
    file.write_text("def solve(I):\n    return I\n")
    p = arcbatt.read_programs(file)["solve_007bbfb7"]
    assert p.source.startswith("def solve_007bbfb7(I)") and pickle.loads(pickle.dumps(p)).name == p.name
    with pytest.raises(arcbatt.DataNotFound, match="there is no file"):
        arcbatt.read_programs(tmp_path / "none.py")
    with pytest.raises(arcbatt.FileError, match="cannot read"):
        arcbatt.read_programs(tmp_path)


def test_map_runs_in_parallel_and_keeps_the_order(demo: Dataset) -> None:
    grids = [pair.input for task in demo for pair in task.train]
    p = arcbatt.program(TURN)
    for threads in (0, 1, 2):
        assert all((a == p(b)).all() for a, b in zip(p.map(grids, threads=threads), grids, strict=True))
    first = arcbatt.program("def f(I):\n    return first(objects(I, T, F, T))")
    with pytest.raises(arcbatt.ProgramFailed):
        first.map([[[0, 1]], [[0]]])
    kept = first.map([[[0, 1]], [[0]]], on_error="return")
    assert isinstance(kept[0], frozenset) and isinstance(kept[1], arcbatt.ProgramFailed)
    with pytest.raises(arcbatt.ArgumentError, match="on_error"):
        first.map([], on_error="ignore")  # type: ignore[arg-type]


def test_traces_have_the_value_of_every_call() -> None:
    trace = arcbatt.program("def f(I):\n    x1 = rot90(I)\n    return hconcat(x1, vmirror(x1))").trace([[1, 2]])
    calls = [(line.line, line.name, line.primitive) for line in trace]
    assert calls == [(2, "x1", "rot90"), (3, None, "vmirror"), (3, None, "hconcat")]
    assert trace.result.tolist() == [[1, 1], [2, 2]] and trace.failure is None and trace.fuel > 0
    html = trace._repr_html_()
    assert html.count("<svg") == 4 and "x1 = rot90(I)" in html
    failed = arcbatt.program("def f(I):\n    x1 = objects(I, T, F, T)\n    return first(x1)").trace([[0]])
    assert len(failed) == 1 and failed.result is None and failed.failure is not None and failed.failure.line == 3
    assert "empty container" in failed._repr_html_()
    again = pickle.loads(pickle.dumps(trace))
    assert list(again) == list(trace) and again.program == trace.program


def test_learned_rules_are_explained_and_written_out(demo: Dataset) -> None:
    task = demo["kaleidoscope"]
    p = arcbatt.program("def f(S, I, C):\n    return learn_transform(S, ONE_STEP, F0)(I)")
    assert p.needs_task and p.explain(task) == ["mirror-tiled 2×2"]
    assert (p(task.test[0].input, task=task) == task.test[0].output).all()
    resolution = p.resolve(task)
    assert resolution.program is not None and not resolution.program.needs_task
    assert (resolution.program(task.test[0].input) == task.test[0].output).all()
    assert pickle.loads(pickle.dumps(resolution)) == resolution
    with pytest.raises(arcbatt.ProgramFailed):
        arcbatt.program("def f(S, I, C):\n    return learn_transform(S, ONE_STEP, F9)(I)").explain(task)


def deep(n: int, result: str) -> str:
    lines = ["def deep(I):", "    x0 = increment"]
    lines += [f"    x{i} = compose(increment, x{i - 1})" for i in range(1, n)]
    lines += ["    t0 = ONE"] + [f"    t{i} = initset(t{i - 1})" for i in range(1, n)]
    return "\n".join([*lines, f"    return {result}"])


@pytest.mark.parametrize("stack", [64, 128, 256, 1024])
def test_deep_programs_run_on_small_stacks(stack: int) -> None:
    call, value = arcbatt.program(deep(880, "x879(ZERO)")), arcbatt.program(deep(880, "t879"))
    done: list[object] = []

    def work() -> None:
        done.append(call([[1]]))
        done.append(len(call.trace([[1]])))
        done.append(type(value([[1]])))
        done.append(arcbatt.parse(call.source)["deep"] == call)

    before = threading.stack_size(stack << 10)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert done == [880, 880, frozenset, True]


def test_the_language_is_listed() -> None:
    table = arcbatt.primitives()
    assert len(table["name"]) == len(set(table["name"])) > 160 and set(map(len, table.values())) == {len(table["name"])}
    assert arcbatt.constants()["TWO"] == 2 and arcbatt.constants()["T"] is True
    # Every listed name is a name of the language.
    for name in [*table["name"][:20], "TWO"]:
        arcbatt.program(f"def f(I):\n    return astuple({name}, I)")

"""Evaluation of many programs, traces, and tables."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import arcbatt
from arcbatt import Dataset, Programs


def test_programs_are_graded_on_their_own_tasks(demo: Dataset, programs: Programs) -> None:
    tasks = [demo[name.removeprefix("solve_")] for name in programs]
    result = arcbatt.evaluate(list(programs.values()), tasks, parts=("train", "test"))
    assert result.solved.all() and (result.reward == 1).all() and result.failures == [None] * 79
    assert result.ran.sum() == sum(len(task.train) + len(task.test) for task in tasks)
    assert len(result.rows()["right"]) == result.ran.sum() and set(result.rows()["kind"]) == {"ok"}
    assert np.isnan(result.closeness[~result.ran]).all() and (result.fuel[result.ran] > 0).all()
    assert pickle.loads(pickle.dumps(result)) == result


def test_wrong_failing_and_broken_programs(demo: Dataset) -> None:
    task = demo["kaleidoscope"]
    texts = [
        "def same(I): return I",
        "def nearly(I):\n    x = hconcat(I, vmirror(I))\n    return vconcat(x, x)",
        "def fails(I): return first(ofcolor(I, NEG_ONE))",
        "def burns(I): return size(interval(ZERO, TEN, ONE))",
        "not a program",
        "",
        "def helper(I): return I\n\ndef solve(I):\n    x = hconcat(I, vmirror(I))\n    return vconcat(x, hmirror(x))",
    ]
    result = arcbatt.evaluate(texts, task)
    assert result.solved.tolist() == [False] * 6 + [True]
    assert result.reward[0] == 0 < result.reward[1] < 1 == result.reward[6]
    assert result.failures[0] is None and result.failures[2] == "empty" and result.failures[3] == "not_a_grid"
    assert result.failures[4:] == ["syntax", "syntax", None]
    assert result.problems[4] is not None and result.problems[4].startswith("line 1, column")
    assert result.problems[5] == "the text contains no program" and not result.ran[4].any()
    assert "2 are not programs" in repr(result) and "<table" in result._repr_html_()
    short = arcbatt.evaluate(texts, task, fuel=1)
    assert short.failures[0] is None and short.failures[1] == "fuel", "returning the input costs nothing"
    unknown = arcbatt.evaluate(texts[:1], task.sealed(), parts=("test",))
    assert np.isnan(unknown.score).all() and unknown.reward.tolist() == [0.0] and unknown.rows()["kind"] == ["unjudged"]
    with pytest.raises(arcbatt.ArgumentError, match="7 programs and 2 tasks"):
        arcbatt.evaluate(texts, [task, task])
    with pytest.raises(arcbatt.ArgumentError, match="not a part"):
        arcbatt.evaluate(texts, task, parts=("all",))  # type: ignore[arg-type]
    with pytest.raises(arcbatt.ArgumentError, match="programs by name have no order"):
        arcbatt.evaluate(arcbatt.demo_programs(), demo)
    with pytest.raises(arcbatt.ArgumentError, match="load"):
        arcbatt.evaluate(texts, "demo")  # type: ignore[arg-type]
    assert len(arcbatt.evaluate([], task)) == 0


@pytest.mark.parametrize("text", ["\ud800", "\x00", "def f(I): return \ud800", "é" * 100, "(" * 100_000, "def f(I): return " + "9" * 5000])
def test_no_text_raises(text: str, demo: Dataset) -> None:
    result = arcbatt.evaluate([text, "def f(I): return I"], demo[0])
    assert result.problems[0] is not None or not result.solved[0]
    assert result.ran[1].all() and list(arcbatt.traces([text], demo[0])) == []
    with pytest.raises(arcbatt.ProgramError):
        arcbatt.parse(text)
    solving = arcbatt.solve(demo[:1], fuel=1, propose=lambda task: text, progress=False).wait()
    assert len(solving.rejected) == 1


def test_results_do_not_depend_on_threads_or_company(demo: Dataset, programs: Programs) -> None:
    texts = [program.source for program in programs.values()] * 3
    tasks = [demo[i % len(demo)] for i in range(len(texts))]
    one, two = (arcbatt.evaluate(texts, tasks, fuel=20_000, threads=threads) for threads in (1, 2))
    alone = arcbatt.evaluate(texts[100:101], tasks[100:101], fuel=20_000)
    assert one == two != arcbatt.evaluate(texts, tasks, fuel=100)
    n = alone.ran.shape[1]
    for name in ("right", "closeness", "score", "fuel", "kind"):
        nan = name in ("closeness", "score")
        assert np.array_equal(getattr(one, name)[100:101, :n], getattr(alone, name), equal_nan=nan), name


def test_traces_are_training_data(demo: Dataset, tmp_path: Path) -> None:
    task = demo["kaleidoscope"]
    texts = ["def f(I):\n    x = rot90(I)\n    return ofcolor(x, ONE)", "broken", "def g(I): return compose(rot90, rot90)(I)"]
    traces = arcbatt.traces(texts, task, parts=("train", "test"))
    rows = list(traces)
    assert {row["program"] for row in rows} == {0, 2}
    first = rows[0]
    assert {key: first[key] for key in ("task", "part", "pair", "line", "name", "call", "kind")} == {
        "task": "kaleidoscope", "part": "train", "pair": 0, "line": 2, "name": "x", "call": "rot90", "kind": "grid",
    }
    assert json.loads(first["value"]) == np.rot90(task.train[0].input, -1).tolist()
    file = tmp_path / "traces.jsonl"
    traces.write_jsonl(file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == len(rows) and lines[0]["value"] == json.loads(first["value"])
    assert lines[1]["value"].keys() == {"set"}
    with pytest.raises(arcbatt.FileExists):
        traces.write_jsonl(file)
    small = list(arcbatt.traces(texts[:1], task, max_weight=3))
    assert json.loads(small[0]["value"]).keys() == {"weight"}
    pyarrow = pytest.importorskip("pyarrow")
    table = traces.to_arrow()
    assert table.num_rows == len(rows) and table.schema.field("value").type == pyarrow.string()


def test_tables_are_data_frames(demo: Dataset, programs: Programs) -> None:
    record = arcbatt.run(programs, demo[:5], profile=True)
    evaluation = arcbatt.evaluate(["def f(I): return I"], demo[0])
    tables = [record.rows(), record.profile("dsl"), record.profile("functions"), evaluation.rows(), arcbatt.datasets()]
    assert all(isinstance(table, dict) and len({len(it) for it in table.values()}) == 1 for table in tables)
    assert pickle.loads(pickle.dumps(tables[0])) == tables[0]
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for table in tables:
        n = len(next(iter(table.values())))
        assert len(pandas.DataFrame(table)) == len(polars.DataFrame(table)) == pyarrow.table(table).num_rows == n

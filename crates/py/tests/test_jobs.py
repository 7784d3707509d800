"""Jobs: solve, run, search, single steps; the same results as the command line."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import arcbatt
from arcbatt import Dataset, Programs, Submission, Task

FUEL = 2_000_000
BATT = os.environ.get("ARCBATT_BATT")


def batt(*arguments: str) -> str:
    """Runs the command line."""
    if BATT is None:
        pytest.skip("ARCBATT_BATT does not name the program `batt`")
    return subprocess.run([BATT, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("threads", [1, 2])
def test_submissions_are_those_of_the_command_line(threads: int, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "python.json", tmp_path / "batt.json"
    solving = arcbatt.solve("demo", fuel=FUEL, threads=threads, output=ours, progress=False).wait()
    batt("solve", "demo", "--fuel-per-task", str(FUEL), "--threads", str(threads), "-o", str(theirs))
    assert ours.read_bytes() == theirs.read_bytes() == solving.submission().text.encode()
    states = [json.loads(Path(f"{file}.state").read_text())["tasks"] for file in (ours, theirs)]
    assert states[0] == states[1] and len(states[0]) == 79
    # Each continues from the files of the other.
    again = arcbatt.solve("demo", fuel=FUEL, output=theirs, resume=True, progress=False).wait()
    assert again.submission() == solving.submission()


def test_records_of_runs_are_those_of_the_command_line(tmp_path: Path, programs: Programs) -> None:
    file = tmp_path / "run.json"
    batt("run", "demo", "--record", str(file))
    ours, theirs = arcbatt.run(programs), arcbatt.Record.read(file)
    for part in ("right", "setup", "plan", "scores", "verdicts", "tasks", "job"):
        assert ours.data[part] == theirs.data[part], part


def test_shards_are_those_of_the_command_line(demo: Dataset, tmp_path: Path, programs: Programs) -> None:
    shards: list[str | tuple[int, int]] = ["1/3", (2, 3), "3/3"]
    for number, shard in enumerate(shards, 1):
        ours, theirs = tmp_path / f"python{number}.json", tmp_path / f"batt{number}.json"
        solving = arcbatt.solve("demo", fuel=FUEL, shard=shard, output=ours, progress=False).wait()
        assert list(solving.results) == [task.id for task in demo][number - 1 :: 3]
        batt("solve", "demo", "--fuel-per-task", str(FUEL), "--shard", f"{number}/3", "-o", str(theirs))
        assert ours.read_bytes() == theirs.read_bytes()
        data = json.loads(Path(f"{ours}.state").read_text())["setup"]["data"]
        assert (data["shard"]["index"], data["shard"]["of"], data["shard"]["tasks"]) == (number, 3, 79)
        record = arcbatt.run(programs, shard=shard)
        assert [task["id"] for task in record.data["tasks"]] == list(solving.results)
    # Those of Python and of the command line can be joined.
    parts = [str(tmp_path / name) for name in ("python1.json", "batt2.json", "python3.json")]
    batt("merge", *parts, "-o", str(tmp_path / "all.json"))
    whole = arcbatt.solve("demo", fuel=FUEL, progress=False).wait().submission()
    assert (tmp_path / "all.json").read_text() == whole.text
    searching = arcbatt.search(demo[:2], store=tmp_path / "s.sqlite", fuel=1000, shard=(3, 3), progress=False)
    assert list(searching) == []


def test_results_come_one_by_one_and_the_submission_is_always_valid(demo: Dataset) -> None:
    some = demo[:6]
    solving = arcbatt.solve(some, fuel=FUEL, progress=False)
    assert solving.submission().check(some) == []
    seen = []
    for result in solving:
        assert result.done and solving.submission().check(some) == []
        assert solving.results[result.id] == result
        seen.append(result.id)
    assert sorted(seen) == some.ids and solving.done and not solving.stopped
    record = solving.record()
    assert record.kind == "solve" and record.scores == {
        rule: Fraction(score) for rule, score in solving.submission().score(some).items()
    }
    rows = solving.rows()
    assert rows["task"] == some.ids and any(rows["solved"]) and "<table" in solving._repr_html_()
    result = solving.results[some[1].id]
    assert pickle.loads(pickle.dumps(result)) == result and "<svg" in result._repr_html_()
    assert [attempt.output for attempt in result.attempts] == [0, 0]
    assert result.attempts[0].grid.key == solving.submission().attempts(some[1])[0][0].key
    assert result.program is not None and arcbatt.program(result.program).needs_task


def test_a_solve_can_be_stopped_paused_and_resumed(demo: Dataset, tmp_path: Path) -> None:
    hard = demo[:12]
    file = tmp_path / "submission.json"
    whole = arcbatt.solve(hard, fuel=20_000_000, progress=False).wait().submission()
    with arcbatt.solve(hard, fuel=20_000_000, output=file, threads=1, progress=False) as solving:
        next(iter(solving))
        solving.pause()
        paused = solving.status["seconds"]
        time.sleep(0.1)
        assert solving.status["seconds"] - paused < 0.1
        solving.resume()
        assert solving.stop().done and solving.stopped
    assert Submission.read(file).check(hard) == []
    again = arcbatt.solve(hard, fuel=20_000_000, output=file, progress=False).wait()
    assert again.submission() == whole == Submission.read(file)


def test_a_budget_is_kept(demo: Dataset) -> None:
    start = time.monotonic()
    solving = arcbatt.solve(demo, budget="2s", progress=False)
    assert not solving.wait(timeout=0.01).done
    # Tasks are improved until the end, so most results come then.
    assert sorted(result.id for result in solving) == demo.ids and all(solving.rows()["done"])
    # Generous, because the machine may be busy: without a budget this takes far longer.
    assert time.monotonic() - start < 20 and solving.submission().check(demo) == []


def test_tasks_without_a_program_have_fallbacks(demo: Dataset) -> None:
    solving = arcbatt.solve(demo, fuel=0, progress=False).wait()
    unsolved = [result for result in solving.results.values() if not result.solved]
    assert unsolved and solving.submission().check(demo) == []
    for result in unsolved:
        assert len(result.attempts) == 2 * len(demo[result.id].test) and result.rule is None and result.sure == 0
        assert result.attempts[0].grid.key == solving.submission().attempts(result.id)[0][0].key
        assert "fallback" in result._repr_html_()


def test_files_of_other_jobs_are_kept(demo: Dataset, tmp_path: Path, programs: Programs) -> None:
    file = tmp_path / "submission.json"
    file.write_text("mine")
    with pytest.raises(FileExistsError, match="pass overwrite=True"):
        arcbatt.solve(demo[:1], fuel=1, output=file).wait()
    with pytest.raises(FileExistsError, match="pass overwrite=True"):
        Submission.of({}).write(file)
    with pytest.raises(arcbatt.FileExists):
        arcbatt.run(programs, demo[:2], record=file)
    assert file.read_text() == "mine"
    arcbatt.solve(demo[:1], fuel=1, output=file, overwrite=True).wait()
    assert Submission.read(file).check(demo[:1]) == []
    Submission.of({}).write(file, overwrite=True)
    assert file.read_text() == "{}"
    assert [it.name for it in tmp_path.iterdir() if it.name.endswith(".part")] == []


def test_proposed_programs_are_tried_first_and_see_no_test_output(demo: Dataset, programs: Programs) -> None:
    seen: list[Task] = []

    def propose(task: Task) -> list[arcbatt.Program | str]:
        seen.append(task)
        return [programs[f"solve_{task.id}"], "def same(I):\n    return I", "def broken("]

    solving = arcbatt.solve(demo[:4], propose=propose, fuel=1, progress=False).wait()
    assert solving.rows()["found_by"] == ["proposed"] * 4
    assert sorted(task.id for task in seen) == demo.ids[:4]
    assert all(pair.output is None for task in seen for pair in task.test)
    assert [it["text"] for it in solving.rejected] == ["def broken("] * 4 and "line 1" in solving.rejected[0]["error"]


def test_an_exception_of_propose_reaches_the_caller(demo: Dataset) -> None:
    def fails(task: Task) -> list[str]:
        raise ZeroDivisionError(task.id)

    solving = arcbatt.solve(demo[:4], propose=fails, progress=False)
    with pytest.raises(ZeroDivisionError):
        solving.wait()
    with pytest.raises(ZeroDivisionError):
        solving.record()
    with pytest.raises(arcbatt.ArgumentError, match="not int"):
        arcbatt.solve(demo[:1], propose=lambda task: [1], progress=False).wait()  # type: ignore[list-item]


def test_the_interpreter_is_free_while_the_engine_works(demo: Dataset) -> None:
    gaps: list[float] = []
    over = threading.Event()

    def tick() -> None:
        last = time.monotonic()
        while not over.is_set():
            time.sleep(0.001)
            now = time.monotonic()
            gaps.append(now - last)
            last = now

    thread = threading.Thread(target=tick)
    thread.start()
    arcbatt.solve(demo[:8], fuel=20_000_000, threads=1, progress=False).wait()
    arcbatt.generate(5, 300)
    over.set()
    thread.join()
    # If the GIL were held during a step, there would be a handful of ticks.
    assert len(gaps) > 50


def test_single_steps_give_the_states_of_a_solve(demo: Dataset, programs: Programs) -> None:
    some = demo[:3]
    known = list(programs.values())[:5]
    engine = pickle.loads(pickle.dumps(arcbatt.Engine(known, seed=3)))
    assert engine.programs == [program.source for program in known]
    solving = arcbatt.solve(some, fuel=FUEL, seed=3, programs=known, progress=False).wait()
    states = []
    for task in some:
        state, done = None, False
        while not done:
            state, done, steps = engine.advance(task, state, fuel=FUEL, steps=1)
            assert steps == 1
        assert state is not None and state == solving.results[task.id].state
        assert arcbatt.SolvedTask.of(task, state, fuel=FUEL) == solving.results[task.id]
        states.append(state)
    assert Submission.of_states(some, states) == solving.submission()
    state, done, steps = engine.advance(some[0], fuel=10**12, seconds=0.0)
    assert steps == 0 and not done
    with pytest.raises(arcbatt.DataError, match="it is the state of"):
        engine.advance(some[1], states[0])
    with pytest.raises(arcbatt.DataError, match="not the state of a task"):
        engine.advance(some[1], "{}")


def test_runs_report_right_wrong_and_failing_programs(demo: Dataset, programs: Programs, tmp_path: Path) -> None:
    record = arcbatt.run(programs, demo, profile=True)
    assert record.scores["outputs"] == 1 and record.data["right"]["on_all"] == 79
    wrong = arcbatt.run("def solve_kaleidoscope(I): return rot90(I)")
    rows = wrong.rows()
    at = rows["task"].index("kaleidoscope")
    assert rows["right"][at] is False and rows["program"][at] == "solve_kaleidoscope"
    every = arcbatt.run(list(programs.values())[:3], demo[:4], all_pairs=True, all_demos=True)
    assert len(every.rows()["task"]) == 12
    assert "<iframe" in record._repr_html_() and record.report().lstrip().lower().startswith("<!doctype html")
    record.write(tmp_path / "run.json")
    assert arcbatt.Record.read(tmp_path / "run.json") == record == pickle.loads(pickle.dumps(record))
    for view in ("dsl", "framework", "functions", "phases", "tasks"):
        table = record.profile(view)
        assert len({len(column) for column in table.values()}) == 1 and "<table" in table._repr_html_()
    assert len(record.profile("tasks")["task"]) == 79
    lines = record.profile("lines", program="solve_kaleidoscope")
    assert "top = hconcat" in "".join(lines["text"])
    with pytest.raises(arcbatt.ArgumentError, match="profile=True"):
        arcbatt.run(programs, demo[:2]).profile("dsl")
    assert "other record" in record.report(wrong)


def test_a_solve_can_have_a_profile(demo: Dataset) -> None:
    record = arcbatt.solve(demo[:2], fuel=FUEL, profile=True, progress=False).record()
    assert sum(record.profile("framework")["time"]) > 0


def test_found_programs_are_kept_in_a_store(demo: Dataset, tmp_path: Path, programs: Programs) -> None:
    store = arcbatt.Store(tmp_path / "s.sqlite")
    with pytest.raises(FileNotFoundError, match="Store.add makes one"):
        len(store)
    assert store.add(programs, demo) == 79 and store.add(programs, demo) == 0 and len(store) == 79
    assert programs["solve_kaleidoscope"] in store and pickle.loads(pickle.dumps(store)) == store
    assert store.best(demo["kaleidoscope"])[0] == programs["solve_kaleidoscope"]
    rows = store.rows(demo["kaleidoscope"])
    assert rows["right"] == rows["pairs"] and rows["score"] == [1.0]
    assert arcbatt.parse(store.export())
    found = arcbatt.solve(demo[:2], fuel=1, store=store.path, progress=False).wait()
    assert found.rows()["found_by"] == ["known program"] * 2
    searching = arcbatt.search(demo[:2], store=store.path, fuel=100_000, progress=False)
    assert sorted(task.id for task in searching if task.solved) == demo.ids[:2]
    assert searching.record().kind == "search" and store.rows(demo[0])["origin"] == ["imported"]
    (tmp_path / "no.sqlite").write_text("not a store")
    with pytest.raises(arcbatt.FileError, match="not a store"):
        len(arcbatt.Store(tmp_path / "no.sqlite"))


def test_wrong_arguments_are_named(demo: Dataset, tmp_path: Path) -> None:
    for arguments, message in (
        ({"memory": "1MB"}, "memory: must be at least"),
        ({"budget": "x"}, "not a duration"),
        ({"budget": -1}, "budget is a number"),
        ({"fuel": 1, "budget": 2}, "only one of"),
        ({"without": ["all"]}, "'enumerate' and 'breed', not 'all'"),
        ({"resume": True, "overwrite": True}, "only one of"),
        ({"threads": -1}, "threads is a whole number from 0"),
        ({"threads": 1.5}, "threads is a whole number, not 1.5"),
        ({"threads": 10**6, "memory": 10**15}, "use at most 1024"),
        ({"fuel": -1}, "fuel is a whole number from 0"),
        ({"fuel": 2**64}, "fuel is a whole number"),
        ({"seed": -1}, "seed"),
        ({"per_task": float("nan")}, "per_task is a number"),
        ({"budget": 1e30}, "budget is a number"),
        ({"output": "\udcfe.json"}, "not valid Unicode"),
        ({"shard": "4/3"}, "shard: the number of a shard must be between 1 and 3"),
        ({"shard": (0, 3)}, "shard: the number of a shard must be between 1 and 3"),
        ({"shard": (1, 100_001)}, "shard: the number of shards must be between 1 and 100,000"),
        ({"shard": "2"}, "shard is written '2/3'"),
        ({"shard": "a/b"}, "shard is written '2/3'"),
        ({"shard": (1, 2, 3)}, "shard is written '2/3'"),
        ({"shard": 2}, "shard is written '2/3'"),
        ({"shard": (1.5, 3)}, "shard is a whole number"),
    ):
        with pytest.raises(arcbatt.ArgumentError, match=message):
            arcbatt.solve(demo[:1], **arguments).wait()
    with pytest.raises(arcbatt.ArgumentError, match="no tasks"):
        arcbatt.solve(demo[:0])
    with pytest.raises(arcbatt.ArgumentError, match="not str objects"):
        arcbatt.solve(["a"])  # type: ignore[list-item]
    with pytest.raises(arcbatt.FileError, match="cannot write"):
        arcbatt.solve(demo[:1], output=tmp_path / "no/such/folder/s.json").wait()
    with pytest.raises(arcbatt.FileExists, match="omit resume=True"):
        arcbatt.solve(demo[:1], fuel=1, output=tmp_path / "new.json", resume=True).wait()
    with pytest.raises(arcbatt.ProgramError):
        arcbatt.run("def f(I): return x")
    with pytest.raises(arcbatt.ArgumentError, match="no programs"):
        arcbatt.run([])
    with pytest.raises(arcbatt.DataError, match="not a submission"):
        Submission("x").check(demo)
    with pytest.raises(arcbatt.DataError, match="not the record of a job"):
        arcbatt.Record("[]").data
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(arcbatt.DataError, match="no.json: this is not the record"):
        arcbatt.Record.read(tmp_path / "no.json")
    with pytest.raises(arcbatt.ArgumentError, match="seconds"):
        arcbatt.Engine().advance(demo[0], seconds=float("nan"))
    with pytest.raises(TypeError):
        arcbatt.load(None)  # type: ignore[arg-type]
    same = arcbatt.program("def f(I): return I")
    with pytest.raises(arcbatt.ArgumentError, match="use at most 1024"):
        same.map([], threads=10**6)
    with pytest.raises(arcbatt.ArgumentError, match="use at most 1024"):
        arcbatt.evaluate(same, demo[0], threads=10**6)


def test_submissions_are_checked_and_scored(demo: Dataset) -> None:
    some = demo[:2]
    right = {task.id: [(pair.output, pair.output) for pair in task.test] for task in some}
    submission = Submission.of(right)
    score = submission.score(some)
    assert submission.check(some) == [] and set(score.values()) == {Fraction(1)} and set(score.outputs["right"]) == {1}
    assert pickle.loads(pickle.dumps(score)).outputs == score.outputs and "100.00%" in repr(score)
    defects = Submission.of({some.ids[0]: []}).check(some)
    assert {it["task"] for it in defects} == set(some.ids) and all(it["text"] for it in defects)
    assert submission.score([task.sealed() for task in some]) == {}
    with pytest.raises(arcbatt.DataError, match="two grids"):
        Submission.of({"a": [1]})


def test_progress_uses_tqdm(demo: Dataset, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    arcbatt.solve(demo[:2], fuel=FUEL, progress=True).wait()
    assert "2/2" in capsys.readouterr().err
    arcbatt.solve(demo[:2], fuel=FUEL).wait()
    assert capsys.readouterr().err == "", "no bar where nobody looks"


def test_edited_submissions_are_kept(demo: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "submission.json"
    arcbatt.solve(demo[:2], fuel=1, output=file, progress=False).wait()
    file.write_text("my own answers")
    with pytest.warns(arcbatt.ArcbattWarning, match="submission.json.1.old"):
        arcbatt.solve(demo[:2], fuel=1, output=file, progress=False).wait()
    assert (tmp_path / "submission.json.1.old").read_text() == "my own answers"
    assert Submission.read(file).check(demo[:2]) == []


def test_a_job_that_is_stopped_at_once_is_no_other_job(demo: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "submission.json"
    whole = arcbatt.solve(demo[:3], fuel=FUEL, output=file, progress=False).wait().submission()
    for _ in range(10):
        solving = arcbatt.solve(demo[:3], fuel=FUEL, output=file, progress=False).stop()
        assert solving.done and solving.submission().check(demo[:3]) == []
    assert Submission.read(file) == whole


def test_jobs_can_be_started_inside_propose_and_iterated_twice(demo: Dataset) -> None:
    def nested(task: Task) -> str | None:
        return arcbatt.solve(task, fuel=FUEL, progress=False).wait().results[task.id].program

    solving = arcbatt.solve(demo[:3], propose=nested, fuel=FUEL, progress=False)  # type: ignore[arg-type]
    assert [len(list(solving)), len(list(solving))] == [3, 3]
    assert "proposed" in solving.rows()["found_by"]
    with pytest.raises(arcbatt.ArgumentError, match="propose must return texts or programs, not NoneType"):
        arcbatt.solve(demo[:1], propose=lambda task: None, progress=False).wait()  # type: ignore[arg-type, return-value]


def test_several_threads_can_wait_for_one_job(demo: Dataset) -> None:
    solving = arcbatt.solve(demo[:6], fuel=FUEL, progress=False)
    seen: list[tuple[int, bool]] = []
    threads = [threading.Thread(target=lambda: seen.append((len(list(solving)), solving.stopped))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(6, False)] * 4 and solving.record().kind == "solve"


def test_programs_come_from_files_too(demo: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def solve_kaleidoscope(I):\n    return I\n")
    assert arcbatt.run(file, demo["kaleidoscope"]).data["right"]["programs"] == 1
    with pytest.raises(arcbatt.ArgumentError, match="looks like the name of a file"):
        arcbatt.run(str(file))


def test_submissions_are_made_of_kaggles_entries(demo: Dataset) -> None:
    entry = {"attempt_1": [[1]], "attempt_2": [[2]]}
    assert Submission.of({"a": [entry]}) == Submission.of({"a": [([[1]], [[2]])]})
    wrongs: list[Any] = [[[11]], [[]], [[0.5]], None]
    for wrong in wrongs:
        with pytest.raises(arcbatt.DataError, match="task a, output 0"):
            Submission.of({"a": [(wrong, [[1]])]})
    with pytest.raises(arcbatt.TaskNotFound):
        Submission.of({}).attempts("a")

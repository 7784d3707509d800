"""Jobs: solve, run and search."""

from __future__ import annotations

import atexit
import json
import operator
import os
import sys
import threading
import time
import warnings as _warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, SupportsFloat, TypeVar

from . import _html
from ._arcbatt import (
    DEFAULT_FUEL,
    FUEL_PER_SECOND,
    Engine,
    Program,
    Running,
    Task,
    entry_of_state,
    parse_duration,
    parse_size,
    start,
)
from ._data import DataLike, tasks_of
from ._errors import ArgumentError, EngineError, Stopped
from ._grid import Grid
from ._programs import ProgramsLike, parse, texts
from ._record import Record
from ._submission import Submission
from ._table import Table

if TYPE_CHECKING:
    from .cluster import Connection

Path = str | os.PathLike[str]
Propose = Callable[[Task], Iterable[Program | str] | Program | str]
Shard = str | tuple[int, int]
Step = Literal["enumerate"] | Literal["breed"]


# How often a progress bar is updated, in seconds.
_REFRESH = 0.5


class ArcbattWarning(UserWarning):
    """A problem that does not end a job."""


# Jobs that are running, with their process and the temporary folder that they use. They go on if nobody holds them,
# and are stopped before the interpreter ends, because their threads may call Python.
_running: dict[Running, tuple[int, Any]] = {}


def _register(job: Running, folder: Any) -> None:
    # A copy, because other threads start jobs too.
    for other in list(_running):
        if other.is_finished():
            _running.pop(other, None)
    _running[job] = os.getpid(), folder


@atexit.register
def _stop_all() -> None:
    jobs = [job for job, (process, _) in list(_running.items()) if process == os.getpid()]
    for job in jobs:
        job.stop()
    for job in jobs:
        try:
            job.join()
        except Exception:  # Nobody is left to read it.
            pass


@dataclass(frozen=True)
class Attempt:
    """One attempt at a test output."""

    output: int
    """The number of the test output, from 0."""
    grid: Grid
    sure: float | None
    """The confidence, from 0 to 1; None for a fallback."""
    program: str | None
    """The text of the program behind the attempt; None for a fallback."""
    rule: str | None
    """The rule in words."""
    found_by: str | None
    """The mechanism that found it."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attempt):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.output, self.grid.key, self.sure, self.program, self.rule, self.found_by

    def _repr_html_(self) -> str:
        label = "fallback" if self.sure is None else f"{self.sure:.0%} sure"
        return _html.figure(f"output {self.output}: {label}", _html.svg(self.grid))


@dataclass(frozen=True)
class SolvedTask:
    """The result of a solve for one task."""

    id: str
    solved: bool
    """Whether a program is right on all demonstration pairs. Its test outputs may still be wrong."""
    sure: float
    """The confidence of the first attempts, from 0 to 1: the least over all outputs."""
    attempts: tuple[Attempt, ...]
    """Two attempts at each test output, best first."""
    fuel: int
    tried: int
    """The number of candidates that were tried."""
    done: bool
    """Whether nothing more will be tried."""
    state: str
    """The state that `Engine.advance` continues from."""

    @classmethod
    def of(cls, task: Task, state: str, *, fuel: int = FUEL_PER_SECOND) -> SolvedTask:
        """Makes the result from a state that `Engine.advance` returned with this fuel."""
        return cls._of(*entry_of_state(task, state, fuel))

    @classmethod
    def _of(cls, entry: dict[str, Any], programs: list[dict[str, Any]], state: str) -> SolvedTask:
        search = entry["search"]
        attempts = []
        for output, both in enumerate(entry.get("attempts", [])):
            known = search["attempts"][output] if output < len(search["attempts"]) else []
            for n, rows in enumerate(both):
                found = known[n] if n < len(known) else None
                program = programs[found["program"]] if found else {}
                made = program.get("made") or {}
                attempts.append(
                    Attempt(
                        output=output,
                        grid=Grid(rows),
                        sure=found["sure"] if found else None,
                        program=program.get("text"),
                        rule=made.get("words"),
                        found_by=made.get("operator"),
                    )
                )
        firsts = [known[0]["sure"] if known else 0.0 for known in search["attempts"]]
        return cls(
            id=entry["id"],
            solved=search["solved"],
            sure=min(firsts, default=0.0),
            attempts=tuple(attempts),
            fuel=search["fuel"],
            tried=search["tried"],
            done=search["done"],
            state=state,
        )

    @property
    def rule(self) -> str | None:
        """The rule of the first attempt, in words."""
        return self.attempts[0].rule if self.attempts else None

    @property
    def program(self) -> str | None:
        """The text of the program behind the first attempt."""
        return self.attempts[0].program if self.attempts else None

    def __repr__(self) -> str:
        if not self.solved:
            return f"<SolvedTask {self.id}: no program found>"
        return f"<SolvedTask {self.id}: {self.sure:.0%} sure, {self.rule}>"

    def _repr_html_(self) -> str:
        parts = [_html.figure(f"{self.id}: {self.sure:.0%} sure", _html.escape(self.rule or "no program found"))]
        parts += [attempt._repr_html_() for attempt in self.attempts]
        return _html.row(parts) + (_html.code(self.program) if self.program else "")


T = TypeVar("T")


class _Background(Generic[T]):
    """A job that runs in the background, without the GIL."""

    _verb = "work"

    def __init__(
        self,
        inner: Running,
        tasks: list[Task],
        label: str,
        progress: bool | None,
        budget: float | None = None,
        folder: Any = None,
    ):
        self._inner, self._tasks, self._label, self._budget = inner, tasks, label, budget
        self._outcome: dict[str, Any] | None = None
        self._error: BaseException | None = None
        # Several threads may wait for one job.
        self._joining = threading.Lock()
        self._bar = _progress_bar(progress, self._verb, len(tasks), budget)
        self.warnings: list[str] = []
        self._at_end: Callable[[], None] | None = None
        _register(inner, folder)

    def _result(self, task: str, solved: bool) -> T | None:
        """The result of a task that is done."""
        raise NotImplementedError

    def _rest(self) -> Iterator[tuple[str, T]]:
        """The results of all tasks at the end of the job."""
        return iter(())

    def __iter__(self) -> Iterator[T]:
        """Yields the result of each task when it is final: when nothing more will be tried, or at the end of the job.

        Ctrl-C while waiting stops the job, and what it found is kept. An exception in the body of the loop does not stop
        the job; a `with` block does."""
        yielded = set()
        for event in self._events():
            if event["event"] == "task_done" and event["task"] not in yielded:
                result = self._result(event["task"], event["solved"])
                if result is not None:
                    yielded.add(event["task"])
                    yield result
        for task, result in self._rest():
            if task not in yielded:
                yield result

    def _events(self, timeout: float | None = None) -> Iterator[dict[str, Any]]:
        """Yields events until the end, or for this many seconds."""
        end = None if timeout is None else time.monotonic() + _number("timeout", timeout, 0)
        try:
            while True:
                # Asked first: once the job has ended, no event means that there are no more.
                over = self._inner.is_finished()
                event = self._inner.next_event(_REFRESH if end is None else min(_REFRESH, end - time.monotonic()))
                self._show_progress()
                if event is not None:
                    if event["event"] == "warning":
                        self.warnings.append(event["text"])
                        _warnings.warn(event["text"], ArcbattWarning, stacklevel=5)
                    yield event
                elif over:
                    break
                elif end is not None and time.monotonic() >= end:
                    return
        except KeyboardInterrupt:
            self._inner.stop()
            self._join()
            raise
        self._join()

    def _show_progress(self) -> None:
        if self._bar is not None:
            status = self._inner.status()
            self._bar.n = min(status["seconds"], self._bar.total) if self._budget else status["done"]
            machines = f", {status['machines']} machines" if "machines" in status else ""
            self._bar.set_postfix_str(f"{status['solved']} of {len(self._tasks)} solved{machines}", refresh=False)
            self._bar.refresh()

    def _join(self) -> None:
        """Waits for the end, and raises the error of the job, if it has one."""
        with self._joining:
            self._join_once()
        if self._error is not None:
            raise self._error

    def _join_once(self) -> None:
        if self._outcome is None and self._error is None:
            try:
                self._outcome = self._inner.join() or {"record": None, "stopped": True, "failed": []}
            except Stopped:
                self._outcome = {"record": None, "stopped": True, "failed": []}
            except Exception as error:
                self._error = error
            _running.pop(self._inner, None)
            self._show_progress()
            if self._bar is not None:
                self._bar.close()
            if self._at_end is not None:
                self._at_end()
            for text in (self._outcome or {}).get("failed", []):
                self.warnings.append(text)
                _warnings.warn(text, ArcbattWarning, stacklevel=5)

    def wait(self, timeout: float | None = None) -> Self:
        """Waits for the end of the job, at most `timeout` seconds; `done` tells whether it has ended. Ctrl-C stops the
        job, and what it found is kept."""
        for _ in self._events(timeout):
            pass
        return self

    def stop(self) -> Self:
        """Stops the job and waits for its end. Results and files are kept, and files are complete."""
        self._inner.stop()
        return self.wait()

    def pause(self) -> None:
        """Pauses the job after the current steps. Its clock stops."""
        self._inner.pause()

    def resume(self) -> None:
        """Resumes a paused job."""
        self._inner.resume()

    @property
    def status(self) -> dict[str, Any]:
        """The progress: seconds, done, total, solved, tried, and the estimated time left if it is known."""
        return self._inner.status()

    @property
    def done(self) -> bool:
        """Whether the job has ended."""
        return self._inner.is_finished()

    @property
    def stopped(self) -> bool:
        """Whether the job was stopped before its end. Waits for the end."""
        self.wait()
        return bool(self._outcome and self._outcome["stopped"])

    def record(self) -> Record:
        """Waits for the end, and returns the record of the job."""
        self.wait()
        if self._outcome is None or self._outcome["record"] is None:
            raise EngineError("the job was stopped before its first result")
        return Record(self._outcome["record"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        if kind is None:
            self.wait()
        else:
            self.stop()

    def _state(self) -> str:
        if not self.done:
            return "running"
        if self._error is not None:
            return "failed"
        return "stopped" if self._outcome and self._outcome["stopped"] else "finished"

    def __repr__(self) -> str:
        solved = f"{self.status['solved']} of {len(self._tasks)} tasks with a program"
        return f"<{type(self).__name__} {self._label}: {self._state()}, {solved}>"


class Solving(_Background[SolvedTask]):
    """A solve that runs in the background.

    Iterating yields the result of each task when it is done. `results` and `submission()` can be read at any time.

    >>> import arcbatt
    >>> solving = arcbatt.solve(arcbatt.load("demo")[:3], progress=False)
    >>> sorted(result.id for result in solving)
    ['across_the_wall', 'agreement', 'asymmetric_panel']
    >>> solving.submission().score("demo")["tasks"] > 0
    True
    """

    _verb = "solve"
    warnings: list[str]
    """Problems that did not end the job."""

    def _result(self, task: str, solved: bool) -> SolvedTask | None:
        return self._task(task)

    def _rest(self) -> Iterator[tuple[str, SolvedTask]]:
        # With a budget, tasks are improved until the end.
        return iter(self.results.items())

    def _task(self, id: str) -> SolvedTask | None:
        found = self._inner.task(id)
        if found is None:
            return None
        result = SolvedTask._of(*found)
        return replace(result, done=True) if self.done else result

    @property
    def results(self) -> dict[str, SolvedTask]:
        """The current results by task id. Empty until the tasks are loaded."""
        found = ((task.id, self._task(task.id)) for task in self._tasks)
        return {id: result for id, result in found if result is not None}

    @property
    def rejected(self) -> list[dict[str, str]]:
        """The texts of `propose` that are not programs, in the order of tasks: task, text and error."""
        rows = sorted(self._inner.rejected(), key=lambda row: row[0])
        return [dict(zip(("task", "text", "error"), row, strict=True)) for row in rows]

    def submission(self, form: Literal["json", "csv"] = "json") -> Submission:
        """Returns the current submission. It is valid at any time; after `wait()` it is final."""
        if form not in ("json", "csv"):
            raise ArgumentError(f"form is 'json' or 'csv', not {form!r}")
        text = self._inner.submission(form)
        if text is None:
            # The tasks are not loaded yet, or loading failed; then this raises the reason.
            if self.done:
                self.wait()
            return Submission.of_states(self._tasks, [], form=form)
        return Submission(text)

    def rows(self) -> Table:
        """Returns the current results as columns."""
        columns = ("task", "solved", "sure", "done", "rule", "found_by", "fuel", "tried")
        rows = (
            {"task": it.id, "solved": it.solved, "sure": it.sure, "done": it.done, "rule": it.rule,
             "found_by": it.attempts[0].found_by if it.attempts else None, "fuel": it.fuel, "tried": it.tried}
            for it in self.results.values()
        )
        return Table.of(rows, columns, f"solve of {self._label}")

    def _repr_html_(self) -> str:
        line = f"{self._state()}: {self.status['solved']} of {len(self._tasks)} tasks with a program"
        return f'<div style="font:13px sans-serif">{_html.escape(line)}</div>' + self.rows()._repr_html_()


@dataclass(frozen=True)
class SearchedTask:
    """The result of a search for one task."""

    id: str
    solved: bool
    """Whether a program is right on all demonstration pairs."""


class Searching(_Background[SearchedTask]):
    """A search that runs in the background and adds programs to a store. Iterating yields tasks when they are done."""

    _verb = "search"
    warnings: list[str]
    """Problems that did not end the job."""

    def _result(self, task: str, solved: bool) -> SearchedTask | None:
        return SearchedTask(task, solved)

    def _rest(self) -> Iterator[tuple[str, SearchedTask]]:
        # Tasks that known programs solve are not searched.
        tasks = self.record().data["tasks"]
        return ((task["id"], SearchedTask(task["id"], task["search"]["solved"])) for task in tasks)


class _Run(_Background[None]):
    _verb = "run"

    def _result(self, task: str, solved: bool) -> None:
        return None


def solve(
    data: DataLike = "demo",
    *,
    per_task: float | str | None = None,
    fuel: int | None = None,
    budget: float | str | None = None,
    programs: ProgramsLike = (),
    propose: Propose | None = None,
    store: Path | None = None,
    without: Sequence[Step] = (),
    seed: int = 0,
    threads: int = 0,
    memory: int | str = "4GB",
    device: str = "auto",
    output: Path | None = None,
    record: Path | None = None,
    report: Path | None = None,
    export: Path | None = None,
    resolved: bool = False,
    profile: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    shard: Shard | None = None,
    progress: bool | None = None,
    cluster: Connection | None = None,
) -> Solving:
    """Finds two attempts for every test output, from the demonstration pairs alone. Returns at once; the search runs in
    the background.

    The effort is one of: `per_task`, the CPU time for each task on a typical machine (seconds or a text such as "2s";
    1 second by default), converted to fuel, so that the result is the same on any machine; `fuel` for each task; or
    `budget`, the wall time for the whole job ("11h 30m"), earlier parts of a continued job included. Results depend on
    the machine only with a budget.

    `programs` (programs, texts or the `Path` of a file) are tried first on every task, and so are the best programs of a
    `store`, which also receives what is found. `without` skips steps of the search: "enumerate" or "breed".

    `propose(task)` is called once for each task, on a worker thread, and returns program texts to try; the task has no
    test outputs. An exception in it ends the solve and is raised by `wait`. Neither the budget nor Ctrl-C can interrupt
    it, so limit the time of your own calls.

    `output` is the submission file: valid from the first second and updated during the search. `record`, `report` and
    `export` (programs; with `resolved` written out in arc-dsl where possible) are written at the end. Calling `solve`
    again with the same tasks, programs, seed, store and steps continues from the files, also with more effort. A
    submission that you edited is kept as FILE.1.old. Files of another job are never replaced unless `overwrite`; `resume`
    requires something to continue from. With `profile`, the record shows where the time went.

    `shard` selects every n-th task: "2/3" or `(2, 3)` is the second of three shards. Shards run independently, on any
    machine; `batt merge` joins their files to those of one job.

    In a `with` block, the end of the block waits for the end of the job, and an exception stops the job.

    `device` names OpenCL devices, such as GPUs, that help: "auto" uses those that `batt device calibrate` found to be
    faster than the CPU, "none" uses none. Results are the same with any device.

    `progress` shows a progress bar (needs `tqdm`); by default only in notebooks and terminals.

    `cluster`, a connection made by `arcbatt.cluster.connect`, does the work on many machines.
    """
    effort = _effort(per_task, fuel, budget)
    if unknown := [step for step in without if step not in ("enumerate", "breed")]:
        raise ArgumentError(f"without takes 'enumerate' and 'breed', not {unknown[0]!r}")
    work = {"solve": {"effort": effort, "seed": _whole("seed", seed), "without": list(without), "store": _path(store)}}
    save = {
        "submission": _path(output), "record": _path(record), "report": _path(report), "programs": _path(export),
        "resolved": resolved, "profile": "nodes" if profile else "off", "existing": _existing(resume, overwrite),
    }
    tasks, label = tasks_of(data)
    job = _job(label, work, programs, threads, memory, device, save, shard)
    folder = None
    if profile and record is None and report is None:
        # A job makes a profile only for a record file.
        import tempfile

        folder = tempfile.TemporaryDirectory(prefix="arcbatt-")
        save["record"] = os.path.join(folder.name, "record.json")
    inner = _start(job, tasks, cluster, propose)
    return Solving(inner, _own(tasks, job), label, progress, effort.get("budget"), folder)


def search(
    data: DataLike = "demo",
    *,
    store: Path,
    mode: Literal["breed", "enumerate"] = "breed",
    per_task: float | str | None = None,
    fuel: int | None = None,
    budget: float | str | None = None,
    programs: ProgramsLike = (),
    seed: int = 0,
    threads: int = 0,
    memory: int | str = "4GB",
    device: str = "auto",
    record: Path | None = None,
    report: Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    shard: Shard | None = None,
    progress: bool | None = None,
    cluster: Connection | None = None,
) -> Searching:
    """Breeds or enumerates new programs and keeps them in a store. Returns at once; the search runs in the background.

    `programs` and the programs of the store are the start of breeding. The effort, the `device` and the `cluster` are given
    as for `solve`.

    `shard` selects every n-th task, as for `solve`; give each shard a store of its own. Breeding passes solutions only
    between tasks of the same shard, so it finds other programs than one search of all tasks.
    """
    effort = _effort(per_task, fuel, budget)
    work = {"search": {"mode": mode, "effort": effort, "seed": _whole("seed", seed), "store": _path(store)}}
    save = {"record": _path(record), "report": _path(report), "existing": _existing(resume, overwrite)}
    tasks, label = tasks_of(data)
    job = _job(label, work, programs, threads, memory, device, save, shard)
    inner = _start(job, tasks, cluster)
    return Searching(inner, _own(tasks, job), label, progress, effort.get("budget"))


def run(
    programs: ProgramsLike,
    data: DataLike = "demo",
    *,
    all_pairs: bool = False,
    all_demos: bool = False,
    fuel: int = DEFAULT_FUEL,
    timeout: float | str = 60.0,
    threads: int = 0,
    device: str = "auto",
    output: Path | None = None,
    record: Path | None = None,
    report: Path | None = None,
    profile: bool = False,
    overwrite: bool = False,
    shard: Shard | None = None,
    progress: bool | None = None,
    cluster: Connection | None = None,
) -> Record:
    """Runs programs on tasks and returns the record: right and wrong answers, failures, scores, fuel.

    A program runs on the task it is named after (`solve_007bbfb7` on `007bbfb7`); with `all_pairs`, every program runs
    on every task. After a wrong demonstration pair, a program skips the later pairs unless `all_demos`. `timeout` is
    the time for the programs of one task. `shard`, `device` and `cluster` are given as for
    `solve`.

    >>> import arcbatt
    >>> arcbatt.run("def solve_kaleidoscope(I): return rot90(I)").data["right"]["on_all"]
    0
    """
    limits = {"fuel": _whole("fuel", fuel), "timeout": _seconds("timeout", timeout)}
    work = {"run": {**limits, "all_pairs": bool(all_pairs), "all_demos": bool(all_demos)}}
    import tempfile

    tasks, label = tasks_of(data)
    with tempfile.TemporaryDirectory(prefix="arcbatt-") as folder:
        file = os.path.join(folder, "record.json") if record is None else os.fspath(record)
        save = {
            "submission": _path(output), "record": file, "report": _path(report),
            "profile": "nodes" if profile else "off", "existing": _existing(False, overwrite),
        }
        job = _job(label, work, programs, threads, "4GB", device, save, shard)
        if not job["programs"]:
            raise ArgumentError("there are no programs to run")
        running = _Run(_start(job, tasks, cluster), _own(tasks, job), label, progress)
        running.wait()
        return Record.read(file)


def _start(
    job: dict[str, Any], tasks: list[Task], cluster: Connection | None, propose: Propose | None = None
) -> Running:
    if cluster is None:
        return start(json.dumps(job), tasks, propose)
    cluster._check_free()
    cluster._job = start(json.dumps(job), tasks, propose, cluster, cluster.steps)
    return cluster._job


def _number(name: str, value: Any, least: float, most: float = 1e9) -> float:
    """A number within limits."""
    if isinstance(value, str) or not isinstance(value, SupportsFloat) or not least <= float(value) <= most:
        raise ArgumentError(f"{name} is a number from {least:g} to {most:g}, not {value!r}")
    return float(value)


def _whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number within limits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} is a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name} is a whole number from {least} to {most}, not {value!r}")
    return number


def _shard(shard: Shard) -> dict[str, int]:
    """Shard "2/3" or (2, 3) as the job describes it. The job checks the numbers."""
    parts: Any = shard
    if isinstance(shard, str):
        parts = [int(part) if part.isascii() and part.isdigit() else part for part in shard.split("/")]
    if not isinstance(parts, (list, tuple)) or len(parts) != 2 or any(isinstance(part, str) for part in parts):
        raise ArgumentError(f"shard is written '2/3' or (2, 3), for the second of three shards, not {shard!r}")
    index, of = (_whole("shard", part) for part in parts)
    return {"index": index, "of": of}


def _own(tasks: list[Task], job: dict[str, Any]) -> list[Task]:
    """The tasks of the job's shard."""
    shard = job["tasks"]["shard"]
    return tasks if shard is None else sorted(tasks, key=lambda task: task.id)[shard["index"] - 1 :: shard["of"]]


def _job(
    label: str,
    work: dict[str, Any],
    programs: ProgramsLike,
    threads: int,
    memory: int | str,
    device: str,
    save: dict[str, Any],
    shard: Shard | None,
) -> dict[str, Any]:
    sources = texts(programs)
    for source in sources:
        # Raises the first error; the job itself would leave the program out.
        parse(source)
    return {
        "tasks": {"data": label, "shard": None if shard is None else _shard(shard)},
        "programs": [{"text": "\n\n".join(sources)}] if sources else [],
        "work": work,
        "threads": _whole("threads", threads),
        "memory": parse_size(memory) if isinstance(memory, str) else _whole("memory", memory),
        "devices": _device(device),
        "save": save,
    }


def _device(device: str) -> str:
    if not isinstance(device, str):
        raise ArgumentError(f"device is 'auto', 'none' or names separated by commas, not {device!r}")
    return device


def _effort(per_task: float | str | None, fuel: int | None, budget: float | str | None) -> dict[str, Any]:
    if sum(it is not None for it in (per_task, fuel, budget)) > 1:
        raise ArgumentError("give only one of per_task, fuel and budget")
    if budget is not None:
        return {"budget": _seconds("budget", budget)}
    if fuel is None:
        fuel = round(_seconds("per_task", 1.0 if per_task is None else per_task) * FUEL_PER_SECOND)
    return {"fuel_per_task": _whole("fuel", fuel)}


def _existing(resume: bool, overwrite: bool) -> str:
    if resume and overwrite:
        raise ArgumentError("give only one of resume and overwrite")
    return "resume" if resume else "overwrite" if overwrite else "continue"


def _seconds(name: str, time: float | str) -> float:
    return parse_duration(time) if isinstance(time, str) else _number(name, time, 0)


def _path(path: Path | None) -> str | None:
    if path is None:
        return None
    name = os.fspath(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"the name {name!r} is not valid Unicode; choose another name") from None
    return name


def _progress_bar(progress: bool | None, verb: str, tasks: int, budget: float | None) -> Any:
    if progress is False:
        return None
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        if progress:
            raise EngineError("progress=True needs the package tqdm; install arcbatt[notebook] or tqdm") from None
        return None
    if progress is None and not (_html.in_notebook() or sys.stderr.isatty()):
        return None
    # Short jobs show no bar, unless it was asked for.
    delay = 0.0 if progress else 0.5
    if budget is not None:
        layout = "{desc}: {percentage:3.0f}%|{bar}| {n:.0f}/{total:.0f} s, {postfix}"
        return tqdm(total=budget, desc=verb, bar_format=layout, delay=delay)
    return tqdm(total=tasks, unit="task", desc=verb, delay=delay)


def _engine(programs: list[Program], seed: int, without: list[Step]) -> Engine:
    return Engine(programs, seed=seed, without=without)

"""Jobs on a real Ray cluster of three machines, which are processes of this machine: they give the results of one, also
after anything dies."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

ray = pytest.importorskip("ray", reason="the tests of clusters need the package ray")

import arcbatt  # noqa: E402
from arcbatt import cluster  # noqa: E402

# Enough for all phases of the search, and short.
FUEL = 6_000_000


class Machines:
    """A head without cores, and machines of one core each."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        self.small: dict[str, Any] = {"object_store_memory": 80 * 2**20}
        # Ray forgets dead machines after three seconds, so that the next test starts with healthy ones only.
        health = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 1000, "health_check_timeout_ms": 1000,
                  "health_check_failure_threshold": 3}
        head: dict[str, Any] = {"num_cpus": 0, "include_dashboard": False, "_system_config": health, **self.small}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add(f"machine-{n}") for n in range(1, count + 1)]
        self.address: str = self.cluster.address

    def add(self, name: str, package: pathlib.Path | None = None) -> Any:
        """Adds a machine; `package` is a folder with another copy of arcbatt."""
        variables = {"PYTHONPATH": str(package)} if package else {}
        return self.cluster.add_node(num_cpus=1, node_name=name, env_vars=variables, **self.small)

    def kill(self, node: Any, *, workers: bool = False) -> None:
        """Kills the raylet of a machine; with `workers` all its processes, as a power cut does."""
        raylet = node.all_processes["raylet"][0].process.pid
        victims = [raylet, *(children(raylet) if workers else [])]
        for process in victims:
            os.kill(process, signal.SIGKILL)

    def kill_head(self) -> None:
        for kind in ("gcs_server", "raylet"):
            os.kill(self.cluster.head_node.all_processes[kind][0].process.pid, signal.SIGKILL)

    def end(self) -> None:
        ray.shutdown()
        self.cluster.shutdown()


def children(process: int) -> list[int]:
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of the command, in brackets, may contain spaces.
            parent = status.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == process:
            found.append(int(status.parent.name))
    return found


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    machines = Machines(3)
    yield machines
    machines.end()


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The files of the same job on one machine."""
    folder = tmp_path_factory.mktemp("one")
    arcbatt.solve("demo", fuel=FUEL, output=folder / "submission.json", store=folder / "store.sqlite",
                  progress=False).wait()
    return folder


def same(folder: pathlib.Path, one: pathlib.Path) -> None:
    """Compares the bytes of the submission, the states of all tasks, and the rows of the store."""
    assert (folder / "submission.json").read_bytes() == (one / "submission.json").read_bytes()
    ours, theirs = (states(it) for it in (folder, one))
    assert len(theirs) == 79 and ours == theirs
    if (folder / "store.sqlite").exists():
        assert rows(folder / "store.sqlite") == rows(one / "store.sqlite")


def states(folder: pathlib.Path) -> list[Any]:
    tasks: list[Any] = json.loads((folder / "submission.json.state").read_text())["tasks"]
    return tasks


def rows(store: pathlib.Path) -> list[Any]:
    with sqlite3.connect(store) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table' order by 1")]
        found = []
        for table in tables:
            columns = [column for _, column, *_ in database.execute(f"pragma table_info('{table}')")]
            # Times are those of the machine that measured them.
            stable = [column for column in columns if column not in ("micros", "added", "created", "time")]
            found.append((table, sorted(map(repr, database.execute(f"select {', '.join(stable)} from '{table}'")))))
    return found


def during(action: Callable[[], None], done: Callable[[], bool]) -> threading.Thread:
    """Does something once a condition holds."""

    def act() -> None:
        end = time.monotonic() + 60
        while not done() and time.monotonic() < end:
            time.sleep(0.02)
        action()

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("steps", [None, 1])
def test_a_killed_machine_changes_nothing(
    machines: Machines, one: pathlib.Path, tmp_path: pathlib.Path, steps: int | None
) -> None:
    victim = machines.nodes.pop(1)
    log = tmp_path / "log.jsonl"
    with cluster.connect(machines.address, steps=steps, log=log) as connection:
        connection.wait_for(3)
        solving = arcbatt.solve("demo", fuel=FUEL, output=tmp_path / "submission.json", store=tmp_path / "store.sqlite",
                                record=tmp_path / "record.json", profile=True, progress=False, cluster=connection)
        # Once the raylet alone, once all processes of the machine.
        killing = during(lambda: machines.kill(victim, workers=steps is None),
                         lambda: bool(solving.status["tried"]) and connection.executions.get("accepted", 0) >= 5)
        solving.wait()
        killing.join()
    machines.cluster.remove_node(victim, allow_graceful=False)
    machines.nodes.insert(1, machines.add("machine-again"))
    same(tmp_path, one)
    record = json.loads((tmp_path / "record.json").read_text())
    account = record["environment"]["cluster"]
    assert account["pieces"] == 79 if steps is None else account["pieces"] > 79
    assert sum(machine["pieces"] for machine in account["machines"]) == account["pieces"]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len([line for line in lines if line["end"] == "accepted"]) == account["pieces"]
    assert {line["machine"] for line in lines} >= {"machine-1", "machine-3"}
    if steps is None:
        assert account["executions"] > 79
        # On a fast computer the others repeat its pieces and finish before the loss is noticed.
        noticed = any("lost machine" in text for text in solving.warnings)
        assert noticed == (not all(machine["stayed"] for machine in account["machines"]))
    # The profile has a lane for every machine, and every nanosecond of it is booked.
    profile = record["profile"]
    assert len(profile["machines"]) >= 3
    for number, lane in enumerate(profile["lanes"]):
        tasks = sum(task["end"] - task["start"] for task in profile["tasks"] if task["lane"] == number)
        assert tasks + sum(ns for _, ns, _ in lane["between"]) == lane["end"] - lane["start"]


def test_a_budget_is_kept_when_a_machine_dies(machines: Machines, tmp_path: pathlib.Path) -> None:
    victim = machines.nodes.pop()
    with cluster.connect(machines.address) as connection:
        connection.wait_for(3)
        start = time.monotonic()
        solving = arcbatt.solve("demo", budget=10, output=tmp_path / "submission.json", progress=False,
                                cluster=connection)
        killing = during(lambda: machines.kill(victim, workers=True), lambda: time.monotonic() > start + 3)
        solving.wait()
        seconds = time.monotonic() - start
        killing.join()
    machines.cluster.remove_node(victim, allow_graceful=False)
    machines.nodes.append(machines.add("machine-later"))
    assert 9.5 <= seconds <= 10.5, f"{seconds} s instead of 10"
    assert arcbatt.Submission.read(tmp_path / "submission.json").check("demo") == []
    assert sum(result.solved for result in solving.results.values()) > 40


def command(machines: Machines, folder: pathlib.Path, fuel: int = FUEL) -> subprocess.Popen[str]:
    arguments = ["solve", "demo", "--address", machines.address, "--fuel-per-task", str(fuel), "-o", "submission.json"]
    return subprocess.Popen([sys.executable, "-m", "arcbatt.cluster", *arguments], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_progress(folder: pathlib.Path, process: subprocess.Popen[str]) -> None:
    """Waits until some tasks are solved, but not all."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if sum(bool(state["answers"]) for state in states(folder)) >= 3:
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.02)
    pytest.fail(f"no progress: {process.communicate(timeout=10)}")


def test_a_killed_driver_continues_from_its_files(
    machines: Machines, one: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    first = command(machines, tmp_path)
    wait_for_progress(tmp_path, first)
    first.kill()
    first.wait()
    assert arcbatt.Submission.read(tmp_path / "submission.json").check("demo") == []
    second = command(machines, tmp_path)
    out, err = second.communicate(timeout=120)
    assert second.returncode == 0, err
    assert "tasks with a program; submission: submission.json" in out
    same(tmp_path, one)


def test_ctrl_c_saves_and_the_same_command_continues(
    machines: Machines, one: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    for stop in (signal.SIGINT, signal.SIGTERM):
        first = command(machines, tmp_path)
        wait_for_progress(tmp_path, first)
        # The first line shows the progress, so the work has begun.
        assert first.stderr is not None and "tasks done" in first.stderr.readline()
        first.send_signal(stop)
        _, err = first.communicate(timeout=30)
        assert first.returncode == 130 and "continues from the saved files" in err, err
    last = command(machines, tmp_path)
    last.communicate(timeout=120)
    assert last.returncode == 0
    same(tmp_path, one)


def test_the_command_ends_with_an_error_when_the_head_dies(tmp_path: pathlib.Path) -> None:
    ray.shutdown()
    # The machines could finish a short job without their head before its loss is noticed.
    fuel, one = 20 * FUEL, tmp_path / "one"
    one.mkdir()
    arcbatt.solve("demo", fuel=fuel, output=one / "submission.json", progress=False).wait()
    lost = Machines(1)
    process = command(lost, tmp_path, fuel)
    try:
        wait_for_progress(tmp_path, process)
        lost.kill_head()
        start = time.monotonic()
        _, err = process.communicate(timeout=60)
        assert process.returncode == 2, err
        assert "error: the head of the Ray cluster does not answer" in err and "continues" in err, err
        assert time.monotonic() - start < 30
    finally:
        process.kill()
        lost.end()
    assert arcbatt.Submission.read(tmp_path / "submission.json").check("demo") == []
    other = Machines(2)
    process = command(other, tmp_path, fuel)
    try:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    finally:
        process.kill()
        other.end()
    same(tmp_path, one)


def copy_with(folder: pathlib.Path, old: str, new: str) -> pathlib.Path:
    """A copy of the installed package whose worker process is changed."""
    shutil.copytree(pathlib.Path(arcbatt.__file__).parent, folder / "arcbatt")
    file = folder / "arcbatt" / "cluster" / "_machine.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    return folder


@pytest.mark.parametrize(
    ("name", "old", "new", "error"),
    [
        ("another-dsl", "return __version__, DSL_VERSION", 'return __version__, "0123"',
         "machine another-dsl has arcbatt .* with DSL 0123.*same version"),
        ("another-version", "return __version__, DSL_VERSION", 'return "0.0.1", DSL_VERSION',
         "machine another-version has arcbatt 0.0.1"),
        ("broken", "from __future__ import annotations", 'raise ImportError("broken installation")',
         "machine broken: it cannot start arcbatt.*install"),
    ],
    ids=["dsl", "version", "broken"],
)
def test_a_machine_with_another_installation_is_refused_by_name(
    machines: Machines, tmp_path: pathlib.Path, name: str, old: str, new: str, error: str
) -> None:
    node = machines.add(name, copy_with(tmp_path, old, new))
    try:
        with pytest.raises(arcbatt.ClusterError, match=error):
            cluster.solve("demo", address=machines.address, fuel=FUEL, progress=False).wait()
    finally:
        machines.cluster.remove_node(node)


def test_a_machine_that_answers_garbage_is_dropped(
    machines: Machines, one: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    changed = 'return reply.replace(b\'"outputs":["\', b\'"outputs":["7\')'
    package = copy_with(
        tmp_path / "package", "return self._worker(package_hash, package).work(pieces)",
        f"reply = self._worker(package_hash, package).work(pieces); {changed}",
    )
    node = machines.add("liar", package)
    try:
        solving = cluster.solve("demo", address=machines.address, fuel=FUEL, output=tmp_path / "submission.json",
                                progress=False)
        with pytest.warns(arcbatt.ArcbattWarning, match="machine liar is no longer used: it gave a wrong answer"):
            solving.wait()
    finally:
        machines.cluster.remove_node(node)
    same(tmp_path, one)


def test_a_run_of_all_pairs_gives_the_record_of_one_machine(machines: Machines, tmp_path: pathlib.Path) -> None:
    programs, data = arcbatt.demo_programs(), arcbatt.load("demo")[:12]
    alone = arcbatt.run(programs, data, all_pairs=True, progress=False)
    many = cluster.run(programs, data, all_pairs=True, address=machines.address, progress=False)
    for part in ("right", "scores", "verdicts", "tasks", "programs", "job"):
        assert alone.data[part] == many.data[part], part
    file = tmp_path / "programs.py"
    file.write_text("\n\n".join(program.source for program in programs.values()))
    command = ["run", "demo", "-n", "12", "--programs", str(file), "--address", machines.address]
    done = subprocess.run([sys.executable, "-m", "arcbatt.cluster", *command], capture_output=True, text=True)
    assert done.returncode == 0 and "12 of 12 programs are right" in done.stdout, done.stderr


@pytest.mark.parametrize("mode", ["enumerate", "breed"])
def test_a_search_gives_the_store_of_one_machine(machines: Machines, tmp_path: pathlib.Path, mode: Any) -> None:
    data = [task for task in arcbatt.load("demo") if task.id in ("kaleidoscope", "mirror_repair", "flipped_tiles")]
    damaged = "\n\n".join(program.source for program in arcbatt.demo_programs().values()).replace("vmirror(", "hmirror(")
    options: dict[str, Any] = {"mode": mode, "fuel": 2_000_000, "programs": damaged, "progress": False}
    arcbatt.search(data, store=tmp_path / "one.sqlite", **options).wait()
    cluster.search(data, store=tmp_path / "many.sqlite", address=machines.address, **options).wait()
    assert rows(tmp_path / "many.sqlite") == rows(tmp_path / "one.sqlite")
    assert any(found for _, found in rows(tmp_path / "one.sqlite"))


def resident() -> int:
    """The memory of this process in bytes."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_the_driver_of_many_small_tasks_needs_little_memory(machines: Machines) -> None:
    """`benches/scale.py` measures this on 10,000 tasks, with times."""
    data = arcbatt.generate(seed=2, count=2000)
    with cluster.connect(machines.address) as connection:
        connection.wait_for(3)
        arcbatt.solve(data[:200], fuel=20_000, progress=False, cluster=connection).wait()
        before = resident()
        solving = arcbatt.solve(data, fuel=20_000, progress=False, cluster=connection).wait()
        grown = resident() - before
    assert solving.status["done"] == 2000
    assert grown < 100 * 2**20, f"{grown / 2**20:.0f} MB more for 2,000 tasks"


def test_a_connection_runs_one_job_at_a_time(machines: Machines) -> None:
    with cluster.connect(machines.address) as connection:
        first = arcbatt.solve("demo", fuel=FUEL, progress=False, cluster=connection)
        with pytest.raises(arcbatt.ArgumentError, match="works on another job"):
            arcbatt.solve("demo", fuel=1000, progress=False, cluster=connection)
        first.stop()
        again = arcbatt.solve("demo", fuel=1000, progress=False, cluster=connection).wait()
        assert again.status["done"] == 79
    with pytest.raises(arcbatt.ClusterError, match="closed"):
        arcbatt.solve("demo", fuel=1000, progress=False, cluster=connection)
    # Without its connection, a function that suggests programs exists on one machine only.
    with cluster.connect(machines.address) as connection, pytest.raises(arcbatt.ArgumentError, match="cluster"):
        arcbatt.solve("demo", fuel=1000, propose=lambda task: [], progress=False, cluster=connection).wait()


def test_wrong_arguments_are_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(arcbatt.ArgumentError, match="steps is a whole number from 1"):
        cluster.connect("local", steps=0)
    ray.shutdown()
    with pytest.raises(arcbatt.ClusterError, match="cannot connect to a Ray cluster at '127.0.0.1:1'.*ray start --head"):
        cluster.connect("127.0.0.1:1")
    help = subprocess.run([sys.executable, "-m", "arcbatt.cluster", "solve", "--help"], capture_output=True, text=True)
    assert help.returncode == 0 and "--address HOST:PORT" in help.stdout
    wrong = subprocess.run([sys.executable, "-m", "arcbatt.cluster", "solve"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "DATA" in wrong.stderr

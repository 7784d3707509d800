"""Signals, forks, and the end of the interpreter."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import time

import pytest

import arcbatt
from arcbatt import Programs


def python(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def interrupted(script: str) -> tuple[list[str], float]:
    """Runs a script that prints `go`, interrupts it, and returns what it prints then, and after which time."""
    child = python(script)
    assert child.stdout is not None
    assert child.stdout.readline() == "go\n", child.communicate()[1]
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    sent = time.monotonic()
    line = child.stdout.readline()
    took = time.monotonic() - sent
    rest, errors = child.communicate(timeout=60)
    assert child.returncode == 0, errors
    return [line.strip(), *rest.split()], took


def test_ctrl_c_stops_a_solve_and_keeps_a_valid_submission() -> None:
    printed, took = interrupted(
        """
import arcbatt
solving = arcbatt.solve("demo", per_task=60, progress=False, threads=1)
print("go", flush=True)
try:
    for result in solving:
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(len(solving.submission().check("demo")), solving.done, len(solving.results))
"""
    )
    # Half a second is the goal; the machine that tests may be busy.
    assert printed == ["interrupted", "0", "True", "79"] and took < 5, took


@pytest.mark.parametrize(
    "call",
    [
        "burner([[1]], fuel=10**15)",
        "burner.map([[[1]]] * 3, fuel=10**15)",
        "arcbatt.evaluate([burner] * 3, task, fuel=10**15)",
        "arcbatt.run(burner, task, all_pairs=True, fuel=10**15, timeout='1h')",
        "arcbatt.Engine().advance(task, fuel=10**15)",
        "arcbatt.generate(1, 10**9)",
    ],
)
def test_ctrl_c_stops_any_long_call(call: str) -> None:
    printed, took = interrupted(
        f"""
import arcbatt
lines = ["def burner(I):", "    x0 = height(I)"]
for i in range(1, 500):
    lines += [f"    y{{i}} = interval(x{{i - 1}}, add(x{{i - 1}}, 1500), ONE)", f"    x{{i}} = size(product(y{{i}}, y{{i}}))"]
burner = arcbatt.program("\\n".join([*lines, "    return x499"]))
task = arcbatt.load("demo")["bridges"]
print("go", flush=True)
try:
    while True:
        {call}
except (KeyboardInterrupt, arcbatt.ProgramFailed) as error:
    print(type(error).__name__, flush=True)
"""
    )
    assert printed == ["KeyboardInterrupt"] and took < 5, (printed, took)


def test_the_interpreter_ends_cleanly_while_solving() -> None:
    for last in ("", "import sys; sys.exit(0)", "del solving", "next(iter(solving))"):
        child = python(
            f"""
import arcbatt, time
def propose(task):
    time.sleep(0.01)
    return ["def f(I): return I"]
solving = arcbatt.solve("demo", per_task=60, progress=False, propose=propose)
{last}
"""
        )
        start = time.monotonic()
        _, errors = child.communicate(timeout=60)
        assert child.returncode == 0 and errors == "", (last, errors)
        assert time.monotonic() - start < 30


def in_child(_: int) -> tuple[int, bool, int, bool]:
    demo = arcbatt.load("demo")
    record = arcbatt.run(arcbatt.demo_programs(), demo)
    solved = arcbatt.solve(demo[:2], fuel=1_000_000, progress=False).wait()
    p = arcbatt.program("def f(I): return rot90(I)")
    mapped = p.map([task.train[0].input for task in demo])
    return len(demo), bool(record.data["right"]["all"]), len(mapped), all(solved.rows()["solved"])


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_all_kinds_work(method: str, programs: Programs) -> None:
    # The parent has used all pools before the fork.
    arcbatt.run(programs)
    parent = arcbatt.solve("demo", per_task=5, progress=False)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(in_child, range(2)).get(120) == [(79, True, 79, True)] * 2
    parent.stop()


def follow(parent: arcbatt.Solving) -> str:
    try:
        parent.wait()
    except arcbatt.EngineError as error:
        return str(error)
    return "no error"


def test_a_forked_process_cannot_follow_a_job_of_its_parent() -> None:
    parent = arcbatt.solve("demo", per_task=5, progress=False)
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put(follow(parent)))
    child.start()
    assert "another process" in queue.get()
    child.join(30)
    assert child.exitcode == 0
    parent.stop()

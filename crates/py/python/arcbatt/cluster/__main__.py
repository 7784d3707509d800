"""The command `batt-cluster`: jobs on a Ray cluster. `python -m arcbatt.cluster` is the same."""

from __future__ import annotations

import argparse
import pathlib
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .. import __version__, load
from .._errors import ArcbattError, ArgumentError
from .._jobs import ArcbattWarning, _Background
from .._programs import read_programs
from . import Connection, connect


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code: 0, or 1 if a run has wrong programs, 2 after an error, 130 after
    Ctrl-C."""
    options = _parser().parse_args(arguments)
    warnings.simplefilter("always", ArcbattWarning)
    warnings.showwarning = lambda message, *_: _say(f"warning: {message}")
    _stop_on_sigterm()
    try:
        code = int(options.command(options))
    except KeyboardInterrupt:
        code = 130
    except ArcbattError as error:
        _say(f"error: {error}")
        code = 2
    if code == 130:
        # A run continues from its record.
        saved = getattr(options, "record", None) if options.name == "run" else True
        without = " without --overwrite" if options.overwrite else ""
        _say(f"stopped; the same command{without} continues from the saved files" if saved else "stopped")
    return code


def _stop_on_sigterm() -> None:
    """Lets SIGTERM, with which schedulers end jobs, do what Ctrl-C does. Ray's own handler would exit at once."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def _connect(options: argparse.Namespace) -> Connection:
    connection = connect(options.address, steps=getattr(options, "steps", None), cores=options.cores, log=options.log)
    _stop_on_sigterm()
    return connection


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="batt-cluster",
        description="Run jobs on a Ray cluster. The results are those of one machine, to the byte.",
    )
    parser.add_argument("--version", action="version", version=f"batt-cluster {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    solve = _command(commands, "solve", _solve, "Find two attempts for every test output and write the submission")
    _data(solve)
    _effort(solve)
    solve.add_argument("-o", "--output", metavar="FILE", default="submission.json",
                       help="write the submission to FILE; progress is saved in FILE.state (default: %(default)s)")
    solve.add_argument("--programs", metavar="FILE", nargs="+", default=[], help="programs to try first on every task")
    solve.add_argument("--store", metavar="FILE", help="store of programs to try first and to add new ones to")
    solve.add_argument("--without", metavar="STEP", action="append", default=[], choices=["enumerate", "breed"],
                       help="skip a step of the search; can be repeated")
    solve.add_argument("--export", metavar="FILE", help="write the programs behind the attempts to FILE")
    solve.add_argument("--steps", metavar="K", type=int,
                       help="cut the work on a task into pieces of K steps, so that a lost machine costs less")
    _files(solve)
    _cluster(solve)

    search = _command(commands, "search", _search, "Find new programs and add them to a store")
    _data(search)
    _effort(search)
    search.add_argument("--store", metavar="FILE", required=True, help="store to read programs from and add them to")
    search.add_argument("--mode", choices=["breed", "enumerate"], default="breed",
                        help="how programs are made (default: %(default)s)")
    search.add_argument("--programs", metavar="FILE", nargs="+", default=[], help="programs to start from")
    _files(search, profile=False)
    _cluster(search)

    run = _command(commands, "run", _run, "Run programs on tasks and check their answers")
    _data(run)
    run.add_argument("--programs", metavar="FILE", nargs="+", required=True, help="programs to run")
    run.add_argument("--all-pairs", action="store_true", help="run every program on every task")
    run.add_argument("--all-demos", action="store_true", help="run programs on all pairs, even after a wrong one")
    run.add_argument("--fuel", metavar="N", type=int, help="fuel for each program and pair")
    run.add_argument("--timeout", metavar="TIME", default="60s", help="time limit for each task (default: %(default)s)")
    run.add_argument("-o", "--output", metavar="FILE", help="write the submission to FILE")
    _files(run, resume=False)
    _cluster(run)
    return parser


def _command(
    commands: Any, name: str, command: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=f"{text}.")
    parser.set_defaults(command=command, name=name)
    return parser


def _data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", help="name of a data set, folder or file; only this machine reads it")
    parser.add_argument("-i", "--id", metavar="ID", action="append", default=[], help="only this task; can be repeated")
    parser.add_argument("--start", metavar="N", type=int, default=0, help="skip the first N tasks")
    parser.add_argument("-n", metavar="N", type=int, help="process at most N tasks")
    parser.add_argument("--skip-bad", action="store_true", help="skip broken tasks")


def _effort(parser: argparse.ArgumentParser) -> None:
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--budget", metavar="TIME", help="wall time of the whole cluster: 12h, 90m, 10s")
    effort.add_argument("--per-task", metavar="TIME", help="CPU time for each task on a typical machine (default: 1s)")
    effort.add_argument("--fuel-per-task", metavar="N", type=int, dest="fuel", help="fuel for each task")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="seed of the random choices")


def _files(parser: argparse.ArgumentParser, *, profile: bool = True, resume: bool = True) -> None:
    parser.add_argument("--record", metavar="FILE", help="write a JSON record of the job")
    parser.add_argument("--report", metavar="FILE", help="write an HTML report")
    if profile:
        parser.add_argument("--profile", action="store_true", help="record where the time of all machines goes")
    if resume:
        parser.add_argument("--resume", action="store_true", help="fail if there is nothing to continue from")
    parser.add_argument("--overwrite", action="store_true", help="replace files of another job")


def _cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--address", metavar="HOST:PORT", default="auto",
                        help="address of Ray's head; `auto` finds it, `local` uses this machine alone "
                             "(default: %(default)s)")
    parser.add_argument("--cores", metavar="N", type=int, help="use at most N cores of each machine")
    parser.add_argument("--log", metavar="FILE", help="append a JSON line for every execution of a piece to FILE")


def _solve(options: argparse.Namespace) -> int:
    from .._jobs import solve

    data = _tasks(options)
    with _connect(options) as connection:
        solving = solve(
            data, per_task=options.per_task, fuel=options.fuel, budget=options.budget, seed=options.seed,
            programs=_programs(options), store=options.store, without=options.without, output=options.output,
            record=options.record, report=options.report, export=options.export, profile=options.profile,
            resume=options.resume, overwrite=options.overwrite, progress=False, cluster=connection,
        )
        stopped = _follow(solving)
        solved = sum(result.solved for result in solving.results.values())
    print(f"{solved} of {len(data)} tasks with a program; submission: {options.output}")
    _account(connection.executions)
    return 130 if stopped else 0


def _search(options: argparse.Namespace) -> int:
    from .._jobs import search

    data = _tasks(options)
    with _connect(options) as connection:
        searching = search(
            data, store=options.store, mode=options.mode, per_task=options.per_task, fuel=options.fuel,
            budget=options.budget, seed=options.seed, programs=_programs(options), record=options.record,
            report=options.report, resume=options.resume, overwrite=options.overwrite, progress=False,
            cluster=connection,
        )
        stopped = _follow(searching)
        solved = searching.status["solved"]
    print(f"{solved} of {len(data)} tasks solved; store: {options.store}")
    _account(connection.executions)
    return 130 if stopped else 0


def _run(options: argparse.Namespace) -> int:
    from .._jobs import run

    data, programs = _tasks(options), _programs(options)
    limits = {} if options.fuel is None else {"fuel": options.fuel}
    with _connect(options) as connection:
        record = run(
            programs, data, all_pairs=options.all_pairs, all_demos=options.all_demos, timeout=options.timeout,
            output=options.output, record=options.record, report=options.report, profile=options.profile,
            overwrite=options.overwrite, progress=False, cluster=connection, **limits,
        )
    right = record.data["right"]
    print(f"{right['on_all']} of {right['programs']} programs are right on all pairs of their tasks")
    _account(connection.executions)
    return 0 if right["all"] else 1


def _tasks(options: argparse.Namespace) -> Any:
    for name, value in (("--start", options.start), ("-n", options.n)):
        if value is not None and value < 0:
            raise ArgumentError(f"{name} takes a number from 0, not {value}")
    tasks = load(options.data, ids=options.id or None, skip_bad=options.skip_bad)
    end = None if options.n is None else options.start + options.n
    return tasks[options.start:end]


def _programs(options: argparse.Namespace) -> Any:
    return [program for file in options.programs for program in read_programs(pathlib.Path(file)).values()]


def _account(executions: dict[str, int]) -> None:
    counts = ", ".join(f"{count} {end}" for end, count in sorted(executions.items()))
    print(f"executions: {sum(executions.values())} ({counts or 'none'})")


def _follow(job: _Background[Any]) -> bool:
    """Waits for the end, and shows the progress. Returns whether it was stopped by Ctrl-C."""
    on_terminal, shown, last = sys.stderr.isatty(), 0.0, (time.monotonic(), 0)
    rate = 0.0
    try:
        while not job.done:
            job.wait(0.5)
            now, status = time.monotonic(), job.status
            if now - shown < (0.5 if on_terminal else 10.0):
                continue
            begun, done = last
            rate = (status["done"] - done) / max(now - begun, 1e-9)
            shown, last = now, (now, status["done"])
            line = (
                f"{status['seconds']:6.0f} s  {status['done']} of {status['total']} tasks done, {status['solved']} "
                f"solved; {status.get('machines', 0)} machines, {rate:.1f} tasks/s"
            )
            print(f"\r{line}\x1b[K" if on_terminal else line, end="" if on_terminal else "\n", file=sys.stderr,
                  flush=True)
        job.wait()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        if on_terminal and shown:
            _say("")


if __name__ == "__main__":
    sys.exit(main())

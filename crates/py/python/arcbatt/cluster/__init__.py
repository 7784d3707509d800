"""Jobs on many machines, with Ray. The results are those of one machine, to the byte.

Install `arcbatt[ray]` on all machines, start Ray there (`ray start --head`, then `ray start --address=HEAD:6379`), and
pass the address:

    from arcbatt import cluster

    solving = cluster.solve("arc1-training", address="auto", budget="11h", output="submission.json")
    solving.wait()

`connect` keeps a connection for several jobs: `arcbatt.solve(data, cluster=connection)`.
"""

from __future__ import annotations

import os
from typing import Any

from .. import _jobs
from .._data import DataLike
from .._jobs import Searching, Solving
from .._programs import ProgramsLike
from .._record import Record
from ._connection import Connection, Machine

__all__ = ["Connection", "Machine", "connect", "run", "search", "solve"]


def connect(
    address: str | None = None,
    *,
    steps: int | None = None,
    cores: int | None = None,
    log: str | os.PathLike[str] | None = None,
) -> Connection:
    """Connects to a Ray cluster, and starts one worker process on each of its machines.

    `address` is the address of the head, such as "10.0.0.1:6379"; "auto", the default, finds the cluster that this
    machine belongs to, and "local" starts Ray on this machine alone. `cores` limits the number of tasks that a machine
    works on at a time. `steps` cuts the work on a task into pieces of that many steps of the search; without it, a piece
    is a whole task. Use it if single tasks take long and machines may be lost. `log` is a file that gets a JSON line for
    every execution of a piece: task, machine, seconds, and its end.

    Machines can join and leave while a job runs. A machine that does not answer for three seconds is given up; its
    pieces are repeated elsewhere.
    """
    return Connection(address, steps=steps, cores=cores, log=log)


def solve(data: DataLike = "demo", *, address: str | None = None, steps: int | None = None, cores: int | None = None,
          log: str | os.PathLike[str] | None = None, **options: Any) -> Solving:
    """Like `arcbatt.solve`, on a cluster. `address`, `steps`, `cores` and `log` are those of `connect`, and `options`
    those of `arcbatt.solve`, except `propose`. `threads` is the number of threads that verify answers on this machine.

    A budget is the wall time of the whole cluster."""
    connection = connect(address, steps=steps, cores=cores, log=log)
    return connection._until_end(lambda: _jobs.solve(data, cluster=connection, **options))


def search(data: DataLike = "demo", *, address: str | None = None, cores: int | None = None,
           log: str | os.PathLike[str] | None = None, **options: Any) -> Searching:
    """Like `arcbatt.search`, on a cluster. This process alone writes to the store."""
    connection = connect(address, cores=cores, log=log)
    return connection._until_end(lambda: _jobs.search(data, cluster=connection, **options))


def run(programs: ProgramsLike, data: DataLike = "demo", *, address: str | None = None, cores: int | None = None,
        log: str | os.PathLike[str] | None = None, **options: Any) -> Record:
    """Like `arcbatt.run`, on a cluster."""
    with connect(address, cores=cores, log=log) as connection:
        return _jobs.run(programs, data, cluster=connection, **options)

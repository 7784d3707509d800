"""The connection to a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from .._arcbatt import Running
from .._errors import ArgumentError, ClusterError, FileError
from ._ray import RayMachines

J = TypeVar("J")


@dataclass(frozen=True)
class Machine:
    """A machine of a cluster."""

    name: str
    cores: int
    """The number of tasks that it works on at a time."""
    healthy: bool
    clock_offset: float
    """The time on its clock minus the time here, in seconds."""
    round_trip: float | None
    """The time for a message and its answer, in seconds; None before the first one."""


class Connection(RayMachines):
    """A connection to a Ray cluster, made by `connect`. It runs one job at a time.

    >>> from arcbatt import cluster
    >>> with cluster.connect("local", cores=1) as connection:  # doctest: +SKIP
    ...     arcbatt.solve("demo", cluster=connection).wait()
    """

    steps: int | None
    """The most steps of a piece; None for whole tasks."""
    executions: dict[str, int]
    """The number of executions of pieces by their end: accepted, duplicate, lost, failed, rejected."""

    def __init__(
        self,
        address: str | None = None,
        *,
        steps: int | None = None,
        cores: int | None = None,
        log: str | os.PathLike[str] | None = None,
    ):
        for name, value in (("steps", steps), ("cores", cores)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ArgumentError(f"{name} is a whole number from 1, not {value!r}")
        self.steps = steps
        self._job: Running | None = None
        try:
            file = None if log is None else open(log, "a", encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot write {os.fspath(log or '')}: {error.strerror}") from None
        super().__init__(address, cores, file)

    @property
    def machines(self) -> list[Machine]:
        """The machines that were seen so far."""
        now = time.monotonic()
        with self._lock:
            return [
                Machine(node.name, node.cores, node.healthy(now), node.offset / 1e9,
                        None if node.round_trip is None else node.round_trip / 1e9)
                for node in self._nodes.values()
            ]

    def wait_for(self, machines: int, timeout: float = 60.0) -> Self:
        """Waits until this many machines are ready."""
        end = time.monotonic() + timeout
        while sum(machine.healthy for machine in self.machines) < machines:
            self._check()
            if time.monotonic() > end:
                ready = sum(machine.healthy for machine in self.machines)
                raise ClusterError(f"{ready} of {machines} machines are ready after {timeout:g} seconds")
            time.sleep(0.05)
        return self

    def close(self) -> None:
        """Stops the job, if one is running, and ends the worker processes. The cluster itself keeps running, unless this
        connection started it."""
        if not self._closed.is_set():
            if self._job is not None and not self._job.is_finished():
                self._job.stop()
                while not self._job.is_finished():
                    time.sleep(0.02)
            self.disconnect()
            if self._log is not None:
                self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        ready = sum(machine.healthy for machine in self.machines)
        return f"<Connection: {ready} machines ready>"

    def _check_free(self) -> None:
        """Fails if a job cannot be started on this connection now."""
        if self._closed.is_set():
            raise ClusterError("this connection is closed; make another one with arcbatt.cluster.connect")
        if self._job is not None and not self._job.is_finished():
            raise ArgumentError("the cluster works on another job of this connection; wait for its end, or stop it")

    def _until_end(self, start: Callable[[], J]) -> J:
        """Starts a job that closes the connection at its end."""
        try:
            job = start()
        except BaseException:
            self.close()
            raise
        job._at_end = self.close  # type: ignore[attr-defined]
        return job

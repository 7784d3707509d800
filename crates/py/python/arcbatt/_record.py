"""Records of jobs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from . import _html
from ._arcbatt import record_report, record_view, write_atomic
from ._errors import ArgumentError, DataError, DataNotFound, FileError, FileExists
from ._table import Table

if TYPE_CHECKING:
    from fractions import Fraction

Path = str | os.PathLike[str]
View = (
    Literal["dsl"] | Literal["framework"] | Literal["functions"] | Literal["lines"] | Literal["phases"] | Literal["tasks"]
)


class Record:
    """The record of a run, a solve or a search: what was done, what came out, and where the time went.

    It is the document that `batt run --record FILE` writes; `batt report` and `batt profile` read it too.

    >>> import arcbatt
    >>> record = arcbatt.run(arcbatt.demo_programs())
    >>> record
    <Record of a run: demo, 79 tasks, 79 of 79 programs right>
    >>> record.scores["outputs"]
    Fraction(1, 1)
    """

    text: str
    """The JSON text."""

    def __init__(self, text: str):
        self.text = text
        self._data: dict[str, Any] | None = None

    @classmethod
    def read(cls, path: Path) -> Record:
        """Reads a record from a file."""
        record = cls(read_text(path))
        try:
            _ = record.data
        except DataError as error:
            raise DataError(f"{os.fspath(path)}: {error}") from None
        return record

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes the record to a file. An existing file is kept unless `overwrite`."""
        write_text(path, self.text, overwrite)

    @property
    def data(self) -> dict[str, Any]:
        """The whole document as dictionaries and lists. `docs/json.md` describes its fields."""
        if self._data is None:
            try:
                data = json.loads(self.text)
                if data["kind"] not in ("run", "solve", "search"):
                    raise DataError(f"this is not the record of a job: its kind is {data['kind']!r}")
            except DataError:
                raise
            except (ValueError, KeyError, TypeError):
                raise DataError("this is not the record of a job") from None
            self._data = data
        return self._data

    @property
    def kind(self) -> str:
        """`run`, `solve` or `search`."""
        return str(self.data["kind"])

    @property
    def seconds(self) -> float:
        """The wall time of the job."""
        return float(self.data["environment"]["seconds"])

    @property
    def scores(self) -> dict[str, Fraction | None]:
        """The scores by rule: `outputs` (Kaggle), `fractions` and `tasks`. None if no solution is known."""
        from fractions import Fraction  # Slow to import.

        scores: dict[str, Fraction | None] = {}
        for score in self.data["scores"]:
            known = score["denominator"]
            scores[score["rule"]] = Fraction(score["numerator"], score["denominator"]) if known else None
        return scores

    def rows(self) -> Table:
        """Returns one row for each task and program, as columns. A task without a program has one row too.

        `right` is whether the program is right on all pairs whose output is known; `sure` is the confidence of a
        solve's first attempt that the program is behind.
        """
        rows = []
        programs = self.data["programs"]
        for task in self.data["tasks"]:
            search = task.get("search") or {}
            common = {"task": task["id"], "pairs": len(task["train"]) + len(task["test"])}
            for outcome in task["programs"] or [None]:
                rows.append({**common, **_row(outcome, programs, search)})
        columns = ("task", "program", "right", "right_train", "right_test", "pairs", "fuel", "sure", "rule", "found_by",
                   "hash")
        return Table.of(rows, columns, f"{self.kind} of {self.data['setup']['data']['name']}")

    def profile(self, view: View = "framework", *, program: str | None = None) -> Table:
        """Returns a view of the profile, as columns. Times are in nanoseconds. The job needs `profile=True`.

        - `framework`: the time of all threads by category and function
        - `functions`: the same for every task
        - `dsl`: the cost of each primitive
        - `phases`: the cost of each phase
        - `tasks`: the time of each task, and whether it is an outlier
        - `lines`: the cost of each line of `program`
        """
        views = ("dsl", "framework", "functions", "lines", "phases", "tasks")
        if view not in views:
            raise ArgumentError(f"{view!r} is not a view; use one of {', '.join(views)}")
        if view == "functions":
            return _csv(record_view(self.text, "csv"), "functions")
        if view == "tasks":
            return self._task_times()
        data = record_view(self.text, view, program)
        if view == "framework":
            rows = [
                {"category": category["name"], "function": it["name"], "phase": it["phase"], "time": it["time"],
                 "share": it["time"] / data["lane_time"] if data["lane_time"] else 0.0, "stamps": it["stamps"]}
                for category in data["categories"] for it in category["functions"]
            ]
            return _table(rows, f"time of {data['lanes']} threads by function")
        rows = data["lines"] if view == "lines" else data["rows"]
        rows = [{key: value for key, value in row.items() if not isinstance(value, dict)} for row in rows]
        return _table(rows, f"profile: {view}")

    def _task_times(self) -> Table:
        outliers = {it["task"] for it in record_view(self.text, "tasks")["outliers"]}
        functions = _csv(record_view(self.text, "csv"), "")
        times: dict[str, int] = {}
        for task, measured, apportioned in zip(
            functions["task"], functions["measured_ns"], functions["apportioned_ns"], strict=True
        ):
            if task:
                times[task] = times.get(task, 0) + (measured or 0) + (apportioned or 0)
        rows = [{"task": task, "time": time, "outlier": task in outliers} for task, time in times.items()]
        return Table.of(rows, ("task", "time", "outlier"), "time of each task")

    def report(self, other: Record | None = None) -> str:
        """Returns the report: one self-contained HTML page, of this record or of a comparison with another one."""
        records = [("record", self.text)]
        if other is not None:
            records = [("this record", self.text), ("other record", other.text)]
        return record_report(records)

    def write_report(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes the report to a file. An existing file is kept unless `overwrite`."""
        write_text(path, self.report(), overwrite)

    def _repr_html_(self) -> str:
        return _html.frame(self.report())

    def __repr__(self) -> str:
        data = self.data
        name, n = data["setup"]["data"]["name"], data["setup"]["data"]["tasks"]
        if self.kind == "run":
            right = data["right"]
            end = f"{right['on_all']} of {right['programs']} programs right"
        else:
            solved = sum(bool((task.get("search") or {}).get("solved")) for task in data["tasks"])
            end = f"{solved} solved on the demonstration pairs"
        return f"<Record of a {self.kind}: {name}, {n} task{'' if n == 1 else 's'}, {end}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, (self.text,)


def _row(outcome: dict[str, Any] | None, programs: list[dict[str, Any]], search: dict[str, Any]) -> dict[str, Any]:
    if outcome is None:
        return {"right": False, "fuel": search.get("fuel")}
    program = programs[outcome["program"]]
    pairs = outcome["train"] + outcome["test"]

    def right(pairs: list[dict[str, Any]]) -> int:
        return sum(pair["verdict"] == "ok" for pair in pairs)

    made = program.get("made") or {}
    sure = [
        attempts[0]["sure"] for attempts in search.get("attempts", [])
        if attempts and attempts[0]["program"] == outcome["program"]
    ]
    # A solve counts the fuel of the whole search, a run that of each pair.
    fuel = search.get("fuel") if search else sum(pair.get("fuel") or 0 for pair in pairs)
    return {
        "program": program["name"],
        "right": all(pair["verdict"] in ("ok", "unjudged") for pair in pairs),
        "right_train": right(outcome["train"]),
        "right_test": right(outcome["test"]),
        "fuel": fuel,
        "sure": sure[0] if sure else None,
        "rule": made.get("words"),
        "found_by": made.get("operator"),
        "hash": program["hash"],
    }


def _table(rows: list[dict[str, Any]], caption: str) -> Table:
    columns = dict.fromkeys(key for row in rows for key in row)
    return Table.of(rows, columns, caption)


def _csv(text: str, caption: str) -> Table:
    import csv

    rows: Iterable[dict[str, Any]] = csv.DictReader(text.splitlines())
    names = {"task", "lane", "function", "category", "phase"}
    typed = [
        {key: value if key in names else int(value) if value else None for key, value in row.items()} for row in rows
    ]
    return _table(typed, caption)


def read_text(path: Path) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise DataNotFound(f"there is no file {os.fspath(path)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error}") from error


def write_text(path: Path, text: str, overwrite: bool) -> None:
    """Writes a file at once: readers see the old file or the new one."""
    name = os.fspath(path)
    if os.path.isdir(name):
        raise ArgumentError(f"{name} is a folder; name a file")
    if not overwrite and os.path.lexists(name):
        raise FileExists(f"{name} already exists; pass overwrite=True to replace it, or choose another file")
    try:
        write_atomic(name, text)
    except OSError as error:
        raise FileError(f"cannot write {name}: {error}") from error

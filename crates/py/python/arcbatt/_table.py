"""Tables as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import _html


class Table(dict[str, list[Any]]):
    """A table: a dictionary of columns. `pandas.DataFrame(table)`, `polars.DataFrame(table)` and `pyarrow.table(table)`
    take it as it is.

    >>> import arcbatt
    >>> table = arcbatt.run(arcbatt.demo_programs()).rows()
    >>> len(table["task"]), table["right"][0]
    (79, True)
    """

    caption: str = ""
    """A title that notebooks show above the table."""

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], columns: Iterable[str], caption: str = "") -> Table:
        """Makes a table of rows. Missing values are None."""
        rows = list(rows)
        table = cls({name: [row.get(name) for row in rows] for name in columns})
        table.caption = caption
        return table

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), []))
        return f"<Table: {rows} rows of {', '.join(self)}>"

    def _repr_html_(self) -> str:
        return _html.table(self, self.caption)

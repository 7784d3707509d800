"""Writes the code of notebooks to Python files, for type checkers: `notebook_code.py NOTEBOOKS FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    notebooks, folder = (Path(it) for it in sys.argv[1:3])
    folder.mkdir(parents=True)
    for notebook in sorted(notebooks.glob("*.ipynb")):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        # Magics are not Python.
        lines = [line for cell in code for line in [*cell.splitlines(), ""] if not line.startswith(("%", "!"))]
        (folder / f"{notebook.stem}.py").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()

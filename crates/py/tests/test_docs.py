"""The examples in docstrings run, and the reference is up to date."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import arcbatt
from arcbatt import cluster

ROOT = Path(__file__).parents[3]


def documented() -> Iterator[tuple[str, str]]:
    """All docstrings with examples, of compiled objects too."""
    modules = [arcbatt, *(importlib.import_module(it.name) for it in pkgutil.walk_packages(arcbatt.__path__, "arcbatt."))]
    seen: set[int] = set()
    for module in modules:
        objects = [("", module), *vars(module).items()]
        for name, value in objects:
            members = [(name, value)]
            if inspect.isclass(value):
                members += [(f"{name}.{member}", it) for member, it in vars(value).items()]
            for path, member in members:
                text = getattr(member, "__doc__", None)
                owner = getattr(member, "__module__", None) or module.__name__
                ours = owner.startswith("arcbatt") and not inspect.ismodule(member) or member is module
                if isinstance(text, str) and ">>>" in text and ours and id(text) not in seen:
                    seen.add(id(text))
                    yield f"{module.__name__}.{path}".rstrip("."), text


@pytest.mark.parametrize(("name", "text"), list(documented()), ids=lambda it: it if len(it) < 60 else "")
def test_examples_run(name: str, text: str) -> None:
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(text), {"arcbatt": arcbatt}, name, None, None)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test, out=report.append).failed == 0, "".join(report)


def test_every_public_name_is_documented() -> None:
    names = [*((arcbatt, name) for name in arcbatt.__all__), *((cluster, name) for name in cluster.__all__)]
    for package, name in names:
        value = getattr(package, name)
        if callable(value):
            assert value.__doc__, name
        if inspect.isclass(value) and value.__module__.startswith("arcbatt"):
            for member, it in vars(value).items():
                if not member.startswith("_") and callable(it):
                    assert it.__doc__, f"{name}.{member}"


def test_the_reference_is_up_to_date() -> None:
    from reference import reference

    file = ROOT / "docs" / "python-api.md"
    if os.environ.get("UPDATE_EXPECT"):
        file.write_text(reference(), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == reference(), "run UPDATE_EXPECT=1 pytest crates/py/tests/test_docs.py"

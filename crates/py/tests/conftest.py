"""Data that several tests use."""

from __future__ import annotations

import pytest

import arcbatt


@pytest.fixture(scope="session")
def demo() -> arcbatt.Dataset:
    return arcbatt.load("demo")


@pytest.fixture(scope="session")
def programs() -> arcbatt.Programs:
    return arcbatt.demo_programs()

"""A short check of an installation that has only numpy."""

from __future__ import annotations

import sys

import arcbatt


def main() -> None:
    demo = arcbatt.load("demo")[:4]
    solving = arcbatt.solve(demo, fuel=2_000_000, progress=False).wait()
    assert solving.submission().check(demo) == []
    assert arcbatt.run(arcbatt.demo_programs()).data["right"]["all"]
    assert arcbatt.evaluate(["def f(I): return I"], demo[0]).reward.tolist() == [0.0]
    print(f"arcbatt {arcbatt.__version__} works on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()

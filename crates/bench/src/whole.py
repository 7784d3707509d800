"""Runs solvers in CPython on a folder of tasks as a whole command, for `batt bench whole`.

Arguments: the checkout of arc-dsl, the file of programs, the folder of tasks. Prints the number of programs that are
right on all pairs, and the number of programs.
"""

import json
import os
import platform
import sys


def grid(rows):
    return tuple(tuple(row) for row in rows)


def main():
    checkout, programs, folder = sys.argv[1:]
    sys.path.insert(0, checkout)
    import constants
    import dsl

    names = {"__name__": "programs"}
    for module in (dsl, constants):
        names.update((name, value) for name, value in vars(module).items() if not name.startswith("__"))
    with open(programs) as file:
        exec(compile(file.read(), programs, "exec"), names)
    right = n_programs = 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            task = json.load(file)
        function = names.get("solve_" + name.removesuffix(".json"))
        if not callable(function):
            continue
        n_programs += 1
        pairs = task["train"] + task["test"]
        try:
            right += all(function(grid(pair["input"])) == grid(pair["output"]) for pair in pairs)
        except Exception:
            pass
    print(json.dumps({"version": platform.python_version(), "right": right, "programs": n_programs}))


main()

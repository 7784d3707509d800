"""Runs programs in CPython on a checkout of arc-dsl, for `batt bench --reference`.

Argument: the checkout. The first line of standard input is a JSON object: the "text" of the programs, and the "work",
a list of {"program": name, "pairs": [[input, output or null], ...]}. The answer is one line: the version, and for each
program whether it runs and whether it is right. Then every line `[indices]` is a round over these programs, answered
by one line of nanoseconds: each program on all its pairs, and the clock around the corpus when each was done.
"""

import json
import platform
import sys
import time


def grid(rows):
    return None if rows is None else tuple(tuple(row) for row in rows)


def namespace(folder, text):
    sys.path.insert(0, folder)
    import constants
    import dsl

    names = {"__name__": "programs"}
    for module in (dsl, constants):
        names.update((name, value) for name, value in vars(module).items() if not name.startswith("__"))
    exec(compile(text, "programs", "exec"), names)
    return names


def check(function, pairs):
    """Does it run at all, and is it right where the output is known?"""
    try:
        answers = [function(given) for given, _ in pairs]
    except Exception:
        return False, False
    return True, all(want is None or answer == want for answer, (_, want) in zip(answers, pairs))


def round_over(work, indices):
    now = time.perf_counter_ns
    times, clock = [], []
    start = now()
    for index in indices:
        function, inputs = work[index]
        begin = now()
        for given in inputs:
            function(given)
        end = now()
        times.append(end - begin)
        clock.append(end - start)
    return {"times": times, "clock": clock}


def main():
    # What the checkout prints must not get between our lines.
    out, sys.stdout = sys.stdout, sys.stderr
    given = json.loads(sys.stdin.readline())
    names = namespace(sys.argv[1], given["text"])
    work, runs, right = [], [], []
    for item in given["work"]:
        function = names.get(item["program"])
        pairs = [(grid(given), grid(want)) for given, want in item["pairs"]]
        fine = check(function, pairs) if callable(function) else (False, False)
        runs.append(fine[0])
        right.append(fine[1])
        work.append((function, [given for given, _ in pairs]))
    version = f"{platform.python_implementation()} {platform.python_version()}"
    print(json.dumps({"version": version, "runs": runs, "right": right}), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(round_over(work, json.loads(line))), file=out, flush=True)


main()

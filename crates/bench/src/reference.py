"""Runs programs in CPython on a checkout of arc-dsl, for `batt bench --reference`.

Argument: the folder of the checkout.

The first line of standard input is a JSON object: the "text" of the programs, and the "work", a list of
{"program": name, "pairs": [[input, output or null], ...]}. It is answered by one line: the version, and for each program
whether it runs and whether it is right.

Every further line, `[indices]`, asks for a round over these programs. It is answered by one line of nanoseconds: for
each program the time on all its pairs, and the time from the start of the round to its end.
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
    """Return whether it runs on all inputs, and whether it is right on all known outputs."""
    try:
        answers = [function(given) for given, _ in pairs]
    except Exception:
        return False, False
    return True, all(expected is None or answer == expected for answer, (_, expected) in zip(answers, pairs))


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
    # Output of the checkout must not mix with the answers.
    out, sys.stdout = sys.stdout, sys.stderr
    request = json.loads(sys.stdin.readline())
    names = namespace(sys.argv[1], request["text"])
    work, runs, right = [], [], []
    for item in request["work"]:
        function = names.get(item["program"])
        pairs = [(grid(given), grid(expected)) for given, expected in item["pairs"]]
        does_run, is_right = check(function, pairs) if callable(function) else (False, False)
        runs.append(does_run)
        right.append(is_right)
        work.append((function, [given for given, _ in pairs]))
    version = f"{platform.python_implementation()} {platform.python_version()}"
    print(json.dumps({"version": version, "runs": runs, "right": right}), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(round_over(work, json.loads(line))), file=out, flush=True)


main()

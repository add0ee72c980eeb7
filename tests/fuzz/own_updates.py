#!/usr/bin/env python3
"""Changes of elements whose index is computed of the thread's own numbers, under conditions on them and on data: kernc warns of a lost update where
two threads of a launch come to one element, by a model that evaluates index and conditions for each thread, and nowhere else. The warning's atomic
stands there then, gives no warning, and counts what the model does. Sizes that are not known come in forms of their own: there the model asks
whether some size lets two threads meet.

usage: own_updates.py KERNC [--count N] [--seed S] [--seconds T]
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy

import arguments

THREADS, BLOCKS, SIZE = 64, 3, 4096
# Guards that stand around, by what they let through; `{}` are the lines within.
GUARDS = {
    "": lambda e: True, "t < 32": lambda e: e["t"] < 32, "t == 5": lambda e: e["t"] == 5, "b == 1": lambda e: e["b"] == 1, "i % 8 == 0": lambda e: e["i"] % 8 == 0,
    "0 <= i < 100": lambda e: e["i"] < 100, "i > 0": lambda e: e["i"] > 0, "not i >= 70": lambda e: e["i"] < 70, "t % 2 == 1 and b == 0": lambda e: e["t"] % 2 == 1 and e["b"] == 0,
    "i == 3 or t > 60": lambda e: e["i"] == 3 or e["t"] > 60, "i < x.size": lambda e: True, "x[i] > 0": lambda e: True,
}
# How a guard stands: as an `if`, or before what it skips.
WAYS = ["if {g}:\n    {s}", "if not ({g}):\n    return\n{s}", "for k in range(1):\n    if not ({g}):\n        continue\n    {s}", "ok = {g}\nif ok:\n    {s}",
        "if i >= 0:\n    if {g}:\n        {s}"]
# Indices of a size `n` that is not known, and the guards they stand under.
SIZED = ["i % n", "(i + 1) % n", "n - 1 - i % n", "i // n", "i // n * n + (n - 1 - i % n)", "min(i, n - 1)", "min(i + 1, n - 1)", "max(n - 1 - i, 0)", "i * n", "i * n + t", "t * n + b",
         "b * n + t", "n + i", "n - i + 200"]
SIZED_GUARDS = {"i < x.size": lambda e, n: True, "i < n": lambda e, n: e["i"] < n, "0 <= i < n - 1": lambda e, n: e["i"] < n - 1}
# A stride is taken to be as large as what it steps over.
STRIDES = ["t * n + b", "b * n + t"]


def index(rng, depth=2):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["i", "i", "t", "b"])
    inner = index(rng, depth - 1)
    form = rng.choice(["{0} // {c}", "{0} % {c}", "{0} + {c}", "{0} * {c}", "({0}) ^ {c}", "({0}) & {m}", "({0}) >> {s}", "({0}) << {s}", "{0} + {1}", "{0} * {p} + {1}", "min({0}, {k})",
                       "max({0}, {k})", "{k} - {0}"])
    return "(" + form.format(inner, index(rng, depth - 1), c=rng.choice([1, 2, 3, 8, 64]), m=rng.choice([7, 63, 254, -2]), s=rng.choice([1, 3]), p=rng.choice([2, 64, 192]),
                             k=rng.choice([10, 63, 191, 300])) + ")"


def threads():
    return [{"t": t, "b": b, "i": b * THREADS + t} for b in range(BLOCKS) for t in range(THREADS)]


def meets(text, passes, n=0):
    """Returns whether two threads come to one element within the array, and how many come to each."""
    came = {}
    for each in threads():
        if passes(each):
            at = eval(text, {"min": min, "max": max, "n": n}, each)
            if at < 0 or at >= SIZE:
                return None
            came[at] = came.get(at, 0) + 1
    return any(number > 1 for number in came.values()), came


def source(text, guard, way, statement):
    lines = way.format(g=guard or "True", s=statement.format(e=f"y[{text}]"))
    return ("@kernel(block=64)\ndef f(x: i32[:], y: i32[:], n: i32):\n    i = grid(1)\n    t = threadIdx.x\n    b = blockIdx.x\n"
            + "\n".join("    " + line for line in lines.split("\n")) + "\n")


def warnings(kernc, path):
    done = subprocess.run([kernc, "check", str(path)], capture_output=True, text=True, timeout=60)
    if "error" in done.stderr + done.stdout:
        sys.exit(path.read_text() + done.stderr + done.stdout)
    return [line for line in (done.stdout + done.stderr).splitlines() if re.search(r"warning\[W07(45|02)\]", line)]


def follow(kernc, folder, path, program, found, came):
    atomic = re.search(r"; write `(.*)` \[", found)
    if not atomic:
        return "the warning writes no atomic: " + found
    line = int(re.search(r":(\d+):\d+: warning", found)[1]) - 1
    lines = program.split("\n")
    lines[line] = re.match(" *", lines[line])[0] + atomic[1]
    path.write_text("\n".join(lines))
    if again := warnings(kernc, path):
        return "still warned of: " + again[0]
    done = subprocess.run([kernc, "run", str(path), "f", f"x=ones:i32:{SIZE}", f"y=zeros:i32:{SIZE}", "n=1", f"--grid={BLOCKS}", f"--block={THREADS}", "-o", f"y={folder}/y.npy"],
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        return done.stdout + done.stderr
    got = {int(at): int(number) for at, number in enumerate(numpy.load(folder / "y.npy")) if number}
    return None if got == came else f"{got}, {came} expected"


def attempt(options, seed, folder):
    rng = random.Random(seed)
    text, guard, way = index(rng), rng.choice(list(GUARDS)), rng.choice(WAYS)
    model = meets(text, GUARDS[guard])
    if model is None:
        return None
    program = source(text, guard, way, rng.choice(["{e} += 1", "{e} = {e} + 1", "{e} = 1 + {e}"]))
    path = folder / "a.kern"
    path.write_text(program)
    found = warnings(options.kernc, path)
    if bool(found) != model[0]:
        return f"{found or 'nothing is said'}\n{program}"
    if found and (problem := follow(options.kernc, folder, path, program, found[0], model[1])):
        return f"{problem}\n{path.read_text()}"
    return None


def sized(options, folder):
    for text in SIZED:
        for guard, passes in SIZED_GUARDS.items():
            answers = [meets(text, lambda e, n=n, passes=passes: passes(e, n), n) for n in (1, 2, 5, 12, 13, 64, 100, 191, 192, 200, 1000)]
            # A size of 1 is mostly no division; where all larger ones keep the threads apart nothing is said.
            some = text not in STRIDES and any(answer is not None and answer[0] for answer in answers[1:])
            program = source(text, guard, WAYS[0], "{e} += 1")
            path = folder / "a.kern"
            path.write_text(program)
            found = warnings(options.kernc, path)
            if bool(found) != some:
                yield f"{found or 'nothing is said'}, though some size {'lets' if some else 'does not let'} threads meet\n{program}"


def main():
    options = arguments.parser(60).parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        failures = list(sized(options, pathlib.Path(scratch)))
    print(*failures, sep="\n", end="")
    return arguments.check_each(options, "own_updates", attempt) or bool(failures)


if __name__ == "__main__":
    sys.exit(main())

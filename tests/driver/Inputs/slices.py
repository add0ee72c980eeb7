#!/usr/bin/env python3
"""Compares what --print shows of random slices, steps of both signs among them, with what NumPy does.

usage: slices.py KERNC [COUNT]
"""
import random
import re
import subprocess
import sys

import numpy

kernc, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 150
extents = (5, 7, 3)
array = numpy.arange(numpy.prod(extents), dtype=numpy.int32).reshape(extents)
chance = random.Random(1)


def bound():
    return chance.choice(["", "", *map(str, range(-9, 10)), "99", "-99", "9223372036854775807", "-9223372036854775808"])


def selection(extent):
    if chance.random() < 0.2:
        return str(chance.randrange(-extent, extent))
    step = chance.choice(["", ":", *(f":{step}" for step in (-99, -3, -2, -1, 1, 2, 3, 99, 9223372036854775807, -9223372036854775808))])
    return chance.choice(["", " "]) + f"{bound()}:{bound()}{step}"


chosen = [",".join(selection(extent) for extent in extents[:chance.randint(1, 3)]) for _ in range(count)]
words = [kernc, "run", "-", "x=arange:i32:" + "x".join(map(str, extents)), "--grid", "1"]
for text in chosen:
    words += ["--print", f"x[{text}]"]
done = subprocess.run(words, input="@kernel\ndef f(x):\n    pass\n", capture_output=True, text=True)
lines = done.stdout.splitlines()
wrong = [] if done.returncode == 0 and len(lines) == count else [f"exit code {done.returncode}: {done.stderr}"]
for text, line in zip(chosen, lines):
    expected = re.sub(r"\s+", "", str(eval(f"array[{text}]").tolist()))
    if re.sub(r"\s+", "", line.split(" = ")[1]) != expected:
        wrong.append(f"FAIL: {line}, expected {expected}")
print("\n".join(wrong) or "slices: in order")
sys.exit(1 if wrong else 0)

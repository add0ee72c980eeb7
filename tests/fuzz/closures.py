#!/usr/bin/env python3
"""Every place where a kernel may stand inside of host code, with every way in which it may capture a value: what it reads is what
Python says. Python runs each program with a stub of Numba, gets the kernel by a call, and calls it as a plain function.

usage: closures.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import itertools
import re
import subprocess
import sys

import arguments
from module_names import stub

# Each place of a kernel: the lines around it, its path, the values to give, and the expression that makes it in Python. The
# captured names and the kernel go where `@` is.
PLACES = {
    "module": (["@"], "k", [], "k"),
    "function": (["def make(n):", "    @", "    return k"], "make.k", ["make.n=3"], "make(3)"),
    "by plain name": (["def make(n):", "    @", "    return k"], "k", ["n=3"], "make(3)"),
    "made": (["def make(n):", "    @", "    return k", "made = make(3)"], "made", [], "made"),
    "made by name": (["def make(m, n=1):", "    @", "    return k", "made = make(m=2, n=3)"], "made", [], "made"),
    "made by default": (["def make(n=3):", "    @", "    return k", "made = make()"], "made", [], "made"),
    "made twice": (["def make(n):", "    @", "    return k", "other = make(5)", "made = make(3)"], "made", [], "made"),
    "two functions": (["def outer(n):", "    def make(m):", "        @", "        return k", "    return make(1)"], "outer.make.k",
                      ["outer.n=3"], "outer(3)"),
    "suffix": (["def outer(n):", "    def make(m):", "        @", "        return k", "    return make(1)"], "make.k", ["outer.n=3"],
               "outer(3)"),
    "method": (["class T:", "    c = 99", "    def run(self, n):", "        @", "        return k"], "T.run.k", ["T.run.n=3"],
               "T().run(3)"),
    "static method": (["class T:", "    @staticmethod", "    def run(n):", "        @", "        return k"], "T.run.k",
                      ["T.run.n=3"], "T.run(3)"),
    "if": (["def make(n):", "    if n > 1:", "        @", "    return k"], "make.k", ["make.n=3"], "make(3)"),
    "with": (["def make(n):", "    with suppress(ValueError):", "        @", "    return k"], "make.k", ["make.n=3"], "make(3)"),
    "try": (["def make(n):", "    try:", "        @", "        return k", "    finally:", "        pass"], "make.k", ["make.n=3"],
            "make(3)"),
    "starred": (["def make(n, *rest, **options):", "    @", "    return k"], "make.k", ["make.n=3"], "make(3)"),
    "async": (["async def make(n):", "    @", "    return k"], "make.k", ["make.n=3"], "run(make(3))"),
}

# Each kind of capture: lines before the kernel, lines behind it, and what it reads.
CAPTURES = {
    "parameter": ([], [], "n"),
    "constant": (["c = 5"], [], "c"),
    "behind": ([], ["c = 6"], "c"),
    "of a parameter": (["c = n * 2 + 1"], [], "c"),
    "chain": (["b = n - 1", "c = b + b"], [], "c"),
    "tuple": (["b, c = 1, n"], [], "c - b"),
    "annotated": (["c: int = 8"], [], "c"),
    "hides": (["G = 4"], [], "G"),
    "module": ([], [], "G + LATE"),
    "device": (["@cuda.jit(device=True)", "def f(v):", "    return v + n"], [], "f(1)"),
    "device of device": (["@cuda.jit(device=True)", "def g(v):", "    return v * n", "@cuda.jit(device=True)", "def f(v):",
                          "    return g(v) + 1"], [], "f(2)"),
    "device default": (["@cuda.jit(device=True)", "def f(v, w=4):", "    return v + w"], [], "f(n)"),
    "given": (["def f(v):", "    return v * 3", "f2 = cuda.jit(device=True)(f)"], [], "f2(n)"),
    "lambda": (["f = cuda.jit(device=True)(lambda v, w=2: v * w + n)"], [], "f(4)"),
    "wrapper": (["f = adder(7)"], [], "f(n)"),
    "wrapped": (["f = jitted(plain)"], [], "f(n)"),
    "import": (["from math import floor"], [], "floor(n + 0.5)"),
    "import as": (["import math as m"], [], "m.floor(n + 0.5)"),
    "class constant": ([], [], "Config.SIZE + n"),
    "enum": ([], [], "Color.GREEN + n"),
    "dict": ([], [], "SIZES['b'] + n"),
    "list": (["c = [3, n, 5]"], [], "c[1]"),
    "array": (["c = np.arange(5)"], [], "c[n]"),
    "shape": ([], [], "shape(n)"),
    "unroll": (["c = (1, 2, n)"], [], "total(c)"),
}

HEAD = """from contextlib import suppress
from enum import IntEnum
import numpy as np
from numba import cuda, int64, literal_unroll

G = 10
SIZES = {'a': 1, 'b': 20}

class Config:
    N = 4
    SIZE = N * 2

class Color(IntEnum):
    RED = 1
    GREEN = 2

def plain(v):
    return v + 100

def adder(k):
    @cuda.jit(device=True)
    def add(v):
        return v + k
    return add

def jitted(function):
    return cuda.jit(device=True)(function)

@cuda.jit(device=True)
def shape(length):
    s = cuda.local.array(length, int64)
    return len(s)

@cuda.jit(device=True)
def total(values):
    sum = 0
    for value in literal_unroll(values):
        sum += value
    return sum
"""


def program(place, capture):
    lines, path, defines, make = PLACES[place]
    before, behind, reads = CAPTURES[capture]
    body = before + ["@cuda.jit", "def k(x):", f"    x[0] = {reads}"] + behind
    out = []
    if place == "module":
        out.append("n = 3")
    for line in lines:
        indent = line[:-1] if line.strip() == "@" else None
        out += [indent + each for each in body] if indent is not None else [line]
    text = HEAD + "\n" + "\n".join(out) + "\nLATE = 1\n"
    return text, path, defines, make


class Local:
    @staticmethod
    def array(length, dtype):
        return [0] * length


def run(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value


class Arrays:
    """The little of NumPy that the programs use, so that the test needs none."""

    @staticmethod
    def arange(count):
        return list(range(count))


def python_says(text, make):
    modules = stub()
    modules["numba"].cuda.jit = lambda function=None, **options: function or (lambda function: function)
    modules["numba"].cuda.local = Local
    modules["numba"].int64 = int
    modules["numba"].literal_unroll = tuple
    modules["numpy"] = Arrays
    before = dict(sys.modules)
    sys.modules.update(modules)
    scope = {"__name__": "program", "run": run}
    try:
        exec(compile(text, "program", "exec"), scope)
        x = [None]
        eval(make, scope)(x)
        return int(x[0])
    finally:
        sys.modules.clear()
        sys.modules.update(before)


def kernc_says(kernc, folder, text, path, defines):
    file = folder / "k.py"
    file.write_text(text)
    command = [kernc, "run", str(file), path, "x=zeros:int64:1", "--grid=1", "--block=1", "--device=cpu", "--print", "x"]
    done = subprocess.run(command + [f"-D{each}" for each in defines], capture_output=True, text=True, timeout=60)
    numbers = re.findall(r"-?\d+", done.stdout.rsplit("[", 1)[-1])
    return int(numbers[0]) if done.returncode == 0 and numbers else done.stdout + done.stderr


def main():
    cases = list(itertools.product(PLACES, CAPTURES))
    options = arguments.parser(len(cases), keep=True).parse_args()

    def check(options, seed, folder):
        [(place, capture)] = arguments.part_of(seed, cases, len(cases))
        text, path, defines, make = program(place, capture)
        expected, found = python_says(text, make), kernc_says(options.kernc, folder, text, path, defines)
        return None if expected == found else f"{place}, {capture}: Python says {expected}, kernc {found}"

    return arguments.check_each(options, "closures", check)


if __name__ == "__main__":
    sys.exit(main())

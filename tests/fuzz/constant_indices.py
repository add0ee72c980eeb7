#!/usr/bin/env python3
"""Extents and indices that the compiler knows, against what the language says of any: an extent is an i64 in every operation, and whether
an index is constant does not matter. In a .kern file only `-` and a literal count from the end, and any other negative index is a
fault, or an error (E0371) where the compiler knows it and the extent, both alone; in a .py file each negative index counts from the end. Arrays are
arguments, local or shared, with one axis or two.

usage: constant_indices.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import re
import subprocess
import sys

import arguments

CONFIGURATIONS = [], ["--lanes=1"], ["-O0", "--lanes=16"], ["--guards=shadow"]
NARROW = {"u8": 200, "i8": -3, "u16": 60000, "i16": 300, "u32": 4000000000, "i32": -7}
LONG = {"i": "int", "u": "uint"}


class Module:
    def __init__(self, rng, numba):
        self.rng, self.numba, self.text, self.kernels = rng, numba, [], []
        self.prefix = "cuda." if numba else ""
        head = ["import numpy as np", "from numba import cuda"] if numba else []
        device = "@cuda.jit(device=True)" if numba else "@device"
        self.text += [*head, "N = 4", "T = (-1, 2, -3)", "", device, "def same(i):", "    return i", "", device, "def put(a, i):", "    a[i] = 9", "",
                      device, "def size(a):", "    return a.size", ""]

    def cast(self, kind, text):
        return f"np.{LONG[kind[0]]}{kind[1:]}({text})" if self.numba else f"{kind}({text})"

    def array(self, kind, n, element="i64"):
        """Returns the line that makes `a` of n elements, or of 2 rows of n."""
        if kind == "argument":
            return "a = y"
        space = "shared" if "shared" in kind else "local"
        shape = f"(2, {n})" if "rows" in kind else str(n)
        return f"a = {self.prefix}{space}.array({shape}, {self.cast(element, '')[:-2]})"

    def index(self, n):
        """Returns lines before, an index and its value, and whether it is written as from the end."""
        rng = self.rng
        c = rng.randint(1, n + 1)
        forms = [([], f"-{c}", -c, True), ([], str(c - 1), c - 1, False), ([], f"N - {4 + c}", -c, False), ([f"i = -{c}"], "i", -c, False),
                 ([], self.cast("i8", f"-{c}"), -c, False), ([], f"min(-{c}, 3)", -c, False), ([], "-N", -4, False),
                 ([], f"-{c} if N == 4 else 0", -c, False), ([], "T[0]", -1, False), ([], "T[2]", -3, False), ([f"m = a.shape[AXIS]"], f"m - {n + c}", -c, False),
                 ([], f"a.shape[AXIS] - {n + c}", -c, False), ([], f"a.shape[AXIS] - {c}", n - c, False), ([], f"0 - {c}", -c, False), ([], f"same(-{c})", -c, False),
                 ([], f"-{2 * c} // 2", -c, False), ([], f"~{c - 1}", -c, False), ([], f"-{c} + 0", -c, False), ([f"i = {c}", "i = -i"], "i", -c, False)]
        return rng.choice(forms)

    def access(self):
        rng = self.rng
        n = rng.randint(3, 6)
        kind = rng.choice(["argument", "local", "shared", "local rows", "shared rows"])
        before, index, value, written = self.index(n)
        rows = "rows" in kind
        before = [line.replace("AXIS", "1" if rows else "0") for line in before]
        index = index.replace("AXIS", "1" if rows else "0")
        counts = self.numba or written
        place = value + n if counts and value < 0 else value
        name = f"k{len(self.kernels)}"
        body = [self.array(kind, n), *before]
        form = rng.choice(["plain", "plain", "loop", "callee"]) if not written else "plain"
        if form == "loop" and not before and rng.random() < 0.7:
            body += [f"for j in ({index}, 1):" if rng.random() < 0.5 else f"for j in range({index}, ({index}) + 1):"]
            body += [f"    a[{'1, ' * rows}j] = 9"]
        elif form == "callee" and not rows:
            body += [f"put(a, {index})"]
        else:
            body += [f"a[{'1, ' * rows}{index}] = 9"]
        body += [f"y[6] = a[{'1, ' * rows}{place}]"] if 0 <= place < n else []
        self.add(name, body, n if kind == "argument" else 7, None if 0 <= place < n else value, {6: 9} if kind != "argument" else {place: 9})

    def extent(self):
        rng = self.rng
        kind, n, element = rng.choice(["local", "shared", "local rows"]), rng.choice([1, 5, 100, 200, 255, 300]), rng.choice(["u8", "i16", "i64"])
        rows = "rows" in kind
        total = 2 * n if rows else n
        narrow = rng.choice(list(NARROW))
        extents = [("a.size", total), ("size(a)", total), ("len(a)", 2 if rows else n), ("a.shape[0]", 2 if rows else n), ("m", total), ("a[:].size" if not rows else "a.shape[1]", n)]
        text, value = rng.choice(extents)
        op = rng.choice(["-", "+", "*", "//", "%"])
        results = {"-": lambda a, b: a - b, "+": lambda a, b: a + b, "*": lambda a, b: a * b, "//": lambda a, b: a // b, "%": lambda a, b: a % b}
        other = NARROW[narrow]
        swap = rng.random() < 0.3
        result = results[op](*((other, value) if swap else (value, other)))
        # A word meets an extent only where nothing is lost.
        v = "i64(v)" if narrow == "u32" and op in "-+*" and not self.numba else "v"
        code = f"{v} {op} {text}" if swap else f"{text} {op} {v}"
        body = [self.array(kind, n, element), "m = a.size", "z = y[0]", f"v = {self.cast(narrow, f'z + {other}')}", f"y[6] = {code}"]
        self.add(f"k{len(self.kernels)}", body, 7, None, {6: result})

    def add(self, name, body, size, fault, stores):
        head = ["@cuda.jit", f"def {name}(y):"] if self.numba else ["@kernel", f"def {name}(y: i64[:]):"]
        if "y[6]" in body[-1] and size < 7:
            body = body[:-1]
        self.text += [*head, *("    " + line for line in body), ""]
        self.kernels.append((name, size, fault, stores))


def check(options, rng, folder):
    """Returns what is wrong, and how many kernels ran."""
    wrong, runs = "", 0
    for numba in False, True:
        module = Module(rng, numba)
        for _ in range(6):
            module.access()
        for _ in range(3):
            module.extent()
        path = folder / f"k.{'py' if numba else 'kern'}"
        path.write_text("\n".join(module.text) + "\n")
        for name, size, fault, stores in module.kernels:
            configuration = rng.choice(CONFIGURATIONS)
            done = subprocess.run([options.kernc, "run", str(path), name, f"y=zeros:i64:{size}", "--grid=1", "--block=1", "--print=y", *configuration],
                                  capture_output=True, text=True, timeout=60)
            runs += 1
            if fault is None:
                found = [int(word) for word in re.findall(r"-?\d+", done.stdout.partition("= [")[2])]
                right = done.returncode == 0 and all(found[place] == value for place, value in stores.items())
            else:
                right = done.returncode == 4 and f"fault[index]: index {fault} is out of range" in done.stderr
                right = right or not numba and size == 7 and done.returncode == 1 and done.stderr.count("error[") == done.stderr.count("error[E0371]") > 0
            if not right:
                expected = stores if fault is None else f"fault[index] {fault}"
                wrong += f"{path.name} {name} {' '.join(configuration)}: expected {expected}\n{done.stdout}{done.stderr}"
    return wrong, runs


def main():
    options = arguments.parser(12, keep=True).parse_args()
    runs = []

    def check_module(options, seed, folder):
        wrong, ran = check(options, random.Random(seed), folder)
        runs.append(ran)
        return wrong

    failed = arguments.check_each(options, "constant_indices", check_module)
    print(sum(runs), "runs")
    return failed


if __name__ == "__main__":
    sys.exit(main())

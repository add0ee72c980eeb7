#!/usr/bin/env python3
"""Bad indices of threads that go on, against a model in Python.

Writes random kernels of loads, stores, atomics and views whose indices are in range or not, and runs them with --on-fault=clamp on
the CPU with 1, 16 and 32 lanes, or on a GPU. The model does each thread by itself: a bad load reads zero, a bad store or atomic does
nothing, a view by a bad index has no element. What every thread wrote, and how many of them had a bad index, must be the model's.

usage: bad_indices.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR] [--device cpu|cuda]
"""
import random
import re
import subprocess
import sys

import arguments

THREADS = 40
COLUMNS = 6


class Array:
    def __init__(self, extents, values):
        self.extents = extents
        self.values = values

    def place(self, indices):
        """The number of an element; None where an index is bad."""
        number = 0
        for index, extent in zip(indices, self.extents):
            if not 0 <= index < extent:
                return None
            number = number * extent + index
        return number


class Kernel:
    """Statements as text, and as functions of a thread's variables."""

    def __init__(self, rng, numba):
        self.rng = rng
        self.numba = numba
        self.lines = []
        self.views = 0

    def index(self, extent):
        """An index expression, in range or around there."""
        name, factor, modulus = f"v{self.rng.randrange(3)}", self.rng.randint(1, 3), self.rng.randint(1, extent + 4)
        less = self.rng.randint(0, 3)
        return f"({name} * {factor}) % {modulus} - {less}", lambda v: (v[name] * factor) % modulus - less

    def at(self, thread, array, indices):
        """The element at places; counts a thread that has none there."""
        if self.numba:
            indices = [index + extent if index < 0 else index for index, extent in zip(indices, array.extents)]
        place = array.place(indices)
        thread["bad"] = thread["bad"] or place is None
        return place

    def load(self, thread, array, indices):
        place = self.at(thread, array, indices)
        return 0 if place is None else array.values[place]

    def statement(self, depth, arrays):
        """Writes a statement; returns what it does to a thread."""
        rng, pad, target = self.rng, "    " * depth, f"v{self.rng.randrange(3)}"
        form = rng.randrange(8 if depth < 3 else 6)

        def keep(v, value):
            v[target] = (value + v[target]) % 17

        if form == 0:
            text, of = self.index(len(arrays["x"].values))
            self.lines.append(f"{pad}{target} = (x[{text}] + {target}) % 17")
            return lambda v: keep(v, self.load(v, arrays["x"], [of(v)]))
        if form == 1:
            (row, row_of), (column, column_of) = (self.index(extent) for extent in arrays["m"].extents)
            self.lines.append(f"{pad}{target} = (m[{row}, {column}] + {target}) % 17")
            return lambda v: keep(v, self.load(v, arrays["m"], [row_of(v), column_of(v)]))
        if form == 2:
            text, of = self.index(COLUMNS)
            change = rng.choice(["=", "+="])
            self.lines.append(f"{pad}o[i, {text}] {change} {target}")

            def store(v):
                place = self.at(v, arrays["o"], [v["i"], of(v)])
                if place is not None:
                    arrays["o"].values[place] = v[target] + (arrays["o"].values[place] if change == "+=" else 0)

            return store
        if form == 3:
            text, of = self.index(COLUMNS)
            name = "cuda.atomic.add" if self.numba else "atomic.add"
            self.lines.append(f"{pad}{target} = ({name}(o, (i, {text}), 3) + {target}) % 17")

            def add(v):
                place = self.at(v, arrays["o"], [v["i"], of(v)])
                old = 0 if place is None else arrays["o"].values[place]
                if place is not None:
                    arrays["o"].values[place] += 3
                keep(v, old)

            return add
        if form == 4:
            (row, row_of), (column, column_of) = (self.index(extent) for extent in arrays["m"].extents)
            name = f"r{self.views}"
            self.views += 1
            self.lines.append(f"{pad}{name} = m[{row}]")
            self.lines.append(f"{pad}{target} = ({name}[{column}] + {name}.shape[0] + {target}) % 17")

            def view(v):
                array = arrays["m"]
                number = row_of(v) + (array.extents[0] if self.numba and row_of(v) < 0 else 0)
                inside = 0 <= number < array.extents[0]
                v["bad"] = v["bad"] or not inside
                columns = array.extents[1] if inside else 0
                part = Array([columns], array.values[number * columns:(number + 1) * columns] if inside else [])
                keep(v, self.load(v, part, [column_of(v)]) + columns)

            return view
        if form == 5:
            text, of = self.index(4)
            self.lines.append(f"{pad}l[{text}] = {target}")

            def store_local(v):
                place = self.at(v, v["l"], [of(v)])
                if place is not None:
                    v["l"].values[place] = v[target]

            return store_local
        if form == 6:
            bound = rng.randint(1, 8)
            self.lines.append(f"{pad}if {target} < {bound}:")
            inner = self.block(depth + 1, arrays)
            return lambda v: inner(v) if v[target] < bound else None
        count = rng.randint(1, 4)
        self.lines.append(f"{pad}for k{depth} in range({count}):")
        inner = self.block(depth + 1, arrays)

        def loop(v):
            for _ in range(count):
                inner(v)

        return loop

    def block(self, depth, arrays):
        steps = [self.statement(depth, arrays) for _ in range(self.rng.randint(1, 4))]

        def run(v):
            for step in steps:
                step(v)

        return run

    def kernel(self, arrays):
        if self.numba:
            self.lines = ["from numba import cuda, int64", "import numpy", "@cuda.jit('(int64[:], int64[:, :], int64[:, :])')",
                          "def f(x, m, o):", "    i = cuda.grid(1)", "    l = cuda.local.array(4, int64)"]
        else:
            self.lines = ["@kernel", "def f(x: i64[:], m: i64[:, :], o: i64[:, :]):", "    i = grid(1)", "    l = local.array(4, i64)"]
        self.lines += ["    if i >= o.shape[0]:", "        return"]
        if not self.numba:
            self.lines += [f"    v{k}: i64 = i64(i) * {k + 1} + {k}" for k in range(3)]
        else:
            self.lines += [f"    v{k} = i * {k + 1} + {k}" for k in range(3)]
            self.lines += ["    for j in range(4):", "        l[j] = 0"]
        body = [self.block(1, arrays) for _ in range(4)]
        self.lines += ["    o[i, 0] += l[0] + l[3] + v0 + v1 + v2"]

        def run(i):
            v = {"i": i, "bad": False, "l": Array([4], [0] * 4), **{f"v{k}": i * (k + 1) + k for k in range(3)}}
            for step in body:
                step(v)
            arrays["o"].values[i * COLUMNS] += v["l"].values[0] + v["l"].values[3] + v["v0"] + v["v1"] + v["v2"]
            return v["bad"]

        return run


def check(options, seed, folder):
    """Returns what is wrong, or None."""
    rng = random.Random(seed)
    numba = rng.random() < 0.4
    size, rows, columns = rng.choice([1, 3, 8]), rng.choice([1, 2, 5]), rng.choice([1, 4, 6])
    arrays = {"x": Array([size], list(range(5, 5 + size))), "m": Array([rows, columns], list(range(rows * columns))),
              "o": Array([THREADS, COLUMNS], [0] * (THREADS * COLUMNS))}
    kernel = Kernel(rng, numba)
    thread = kernel.kernel(arrays)
    path = folder / ("k.py" if numba else "k.kern")
    path.write_text("\n".join(kernel.lines) + "\n")
    bad = sum(thread(i) for i in range(THREADS))
    listed = ",".join(str(value) for value in arrays["x"].values)
    forms = [["--device=cuda"]] if options.device == "cuda" else [[f"--lanes={lanes}"] for lanes in (1, 16, 32)]
    for form in forms:
        command = [options.kernc, "run", str(path), "--on-fault=clamp", *form, f"x=[{listed}]", f"m=arange:i64:{rows}x{columns}",
                   f"o=zeros:i64:{THREADS}x{COLUMNS}", "--grid", "3", "--block", "16", "--print", "o"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode == 1 and "error[E0371]" in done.stderr:
            return None  # a constant index that is always wrong is an error
        printed = re.search(r"^o.*?(\[.*\])", done.stdout, re.MULTILINE | re.DOTALL)
        found = [int(text) for text in re.findall(r"-?\d+", printed[1])] if printed else None
        count = re.search(r"that went on: (\d+)", done.stderr)
        if done.returncode != 0 or found != arrays["o"].values or (int(count[1]) if count else 0) != bad:
            return f"exit {done.returncode}: {' '.join(command)}\n{done.stderr}\nfound {found}\nnot   {arrays['o'].values}\nbad threads: {bad}"
    return None


def main():
    options = arguments.parser(40, keep=True, device=True).parse_args()
    return arguments.check_each(options, "bad_indices", check)


if __name__ == "__main__":
    sys.exit(main())

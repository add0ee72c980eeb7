#!/usr/bin/env python3
"""Random histograms: loads of bins and weights, stores, conditions and 64-bit products between what is loaded and the atomic that it is the
place of. Whatever the lanes, the counts and what was stored are those that Python finds thread by thread.

usage: histograms.py KERNC [--count N] [--seed S] [--seconds T]
"""
import random
import subprocess
import sys

import numpy as np

import arguments

LANES = ["--lanes=1"], ["--lanes=16"], ["--lanes=32"], ["--arch=x86-64-v3", "--lanes=16"], []
TYPES = {"a": "u8", "h": "u16", "w": "i32"}
BINS = 300


class Histogram:
    """A kernel, and what one of its threads does in Python."""

    def __init__(self, random):
        self.random, self.names, self.kern, self.python = random, 0, [], []
        self.stores = random.random() < 0.5  # then each thread reads its own elements alone

    def add(self, depth, kern, python=None):
        self.kern.append("    " * (depth + 2) + kern)
        self.python.append("    " * depth + (python or kern))

    def load(self, depth):
        """Loads an index into a new variable, within the bins or tested to be."""
        self.names += 1
        name, array = f"v{self.names}", self.random.choice(["a", "a", "h", "w"])
        place = self.random.choice(["i", "n - 1 - i"]) if array == "a" and not self.stores else "i"
        self.add(depth, f"{name} = {array}[{place}]", f"{name} = int({array}[{place}])")
        if array == "a":
            return name
        return f"{name} & {'u16(255)' if array == 'h' else '255'}", f"{name} & 255"

    def weight(self):
        return self.random.choice([("1", "1"), ("w[i]", "int(w[i])"), ("i32(i)", "i"), ("i32(3 * w[i] - h[i])", "3 * int(w[i]) - int(h[i])")])

    def between(self, depth):
        """Something that happens between a load and its atomic."""
        kind = self.random.choice(["nothing", "nothing", "store", "shared", "product", "atomic", "global", "move"])
        self.names += 1
        if kind == "store" and self.stores:
            value = self.random.randint(0, 255)
            self.add(depth, f"a[i] = u8({value})", f"a[i] = {value}")
        elif kind == "shared":
            self.add(depth, "table[threadIdx.x] = i32(i)", "pass")
        elif kind == "product":
            name = f"p{self.names}"
            factor = self.random.choice([0xD2511F53, 0x9E3779B9, 3])
            self.add(depth, f"{name} = u64(u32({factor})) * u64(u32(w[i]))", f"{name} = {factor} * (int(w[i]) & 0xFFFFFFFF)")
            self.add(depth, f"out[i] = i32(out[i] + i64(u32({name})) + i64(u32({name} >> 32)))", f"out[i] = wrap(int(out[i]) + {name} + ({name} >> 32))")
        elif kind == "atomic":
            self.add(depth, "atomic.add(bins, 290, 1)", "bins[290] += 1")
        elif kind == "global":
            self.add(depth, "atomic.add(out, i, 5)", "out[i] = wrap(int(out[i]) + 5)")
        elif kind == "move":
            self.add(depth, "k += 1")

    def count(self, depth):
        index = self.load(depth)
        for _ in range(self.random.randint(0, 2)):
            self.between(depth)
        kern, python = index if isinstance(index, tuple) else (index, index)
        of_kern, of_python = self.weight()
        if self.random.random() < 0.2:
            of_kern, of_python = f"i32({kern})", python
        self.add(depth, f"atomic.add(bins, {kern}, {of_kern})", f"bins[{python}] += {of_python}")

    def body(self, depth):
        for _ in range(self.random.randint(1, 3)):
            if depth < 2 and self.random.random() < 0.3:
                self.add(depth, self.random.choice(["if i % 3 > 0:", "if w[i] > 0:", "if i > 40:", "for r in range(2):"]))
                self.body(depth + 1)
            else:
                self.count(depth)

    def kernel(self):
        arrays = ", ".join(f"{name}: {type}[::1]" for name, type in TYPES.items())
        head = [f"@kernel\ndef histogram({arrays}, out: i32[::1], total: i32[::1]):", f"    bins = shared.array({BINS}, i32)",
                "    table = shared.array(256, i32)", f"    for b in range(threadIdx.x, {BINS}, blockDim.x):", "        bins[b] = 0",
                "    syncthreads()", "    n = a.size", "    k = 0", "    for i in range(grid(1), n, gridsize(1)):"]
        tail = ["    syncthreads()", f"    for b in range(threadIdx.x, {BINS}, blockDim.x):", "        atomic.add(total, b, bins[b])"]
        return "\n".join([*head, *self.kern, *tail]) + "\n"

    def expected(self, arrays):
        values = {name: array.copy() for name, array in arrays.items()}
        bins = [0] * BINS
        code = compile("\n".join(self.python), "thread", "exec")
        size = len(values["a"])
        for i in range(size):
            exec(code, {"i": i, "n": size, "k": 0, "bins": bins, "wrap": wrap, **values})
        values["total"] = np.array([wrap(count) for count in bins], np.int32)
        return values


def wrap(value):
    return (int(value) + 2**31) % 2**32 - 2**31


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def check(options, seed, folder):
    choice, numbers = random.Random(seed), np.random.default_rng(seed)
    histogram = Histogram(choice)
    histogram.body(0)
    (folder / "histogram.kern").write_text(histogram.kernel())
    size = choice.choice([1, 70, 300, 1000])
    given = {"a": numbers.integers(0, 256, size, np.uint8), "h": numbers.integers(0, 2**16, size, np.uint16),
             "w": numbers.integers(-2**31, 2**31 - 1, size, np.int32), "out": np.zeros(size, np.int32)}
    found = histogram.expected(given)
    for name in found:
        np.save(folder / f"{name}.expected.npy", found[name])
    for name in given:
        np.save(folder / f"{name}.npy", given[name])
    arrays = [f"{name}=@{folder / name}.npy" for name in given]
    expect = [f"--expect={name}={folder / name}.expected.npy" for name in found]
    launch = ["--block", choice.choice(["64", "33", "256"]), "--grid", choice.choice(["1", "3", "20"])]
    for lanes in LANES:
        run([options.kernc, "run", folder / "histogram.kern", *arrays, f"total=zeros:i32:{BINS}", *launch, *lanes, *expect])


arguments.agree(arguments.parser(20).parse_args(), check)

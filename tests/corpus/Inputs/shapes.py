#!/usr/bin/env python3
"""Runs the executed tests of the corpus once more, in ways that their kernels allow: each array must come out as in one lane.

usage: shapes.py KERNC FOLDER [PART]

Of the ways of each test one in PART is taken, from a place by a hash of its name, so that each way meets many tests; 1 takes all.

All run with 1, 16 and 32 lanes and for x86-64-v3. Integers, and floats of kernels without transcendental functions, agree bit for bit;
floats of others within 4 units in the last place, or within what the test itself allows where more is computed of what functions give.

A kernel for which kernc itself would choose block and grid sees its threads by their place in the grid alone, and tests it: it gives the
same in blocks of 1, of 33, and of (7, 5, 3) as far as its grid has axes, each also on a grid that overhangs the data by far. One whose
grid has fewer axes also runs in blocks of (7, 5, 3), where several threads then do the same work, if they load nothing of what they
store and have no atomics. Left out are kernels that cooperate in blocks, that are told a grid, and those whose outcome depends on which
thread comes first.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import zlib

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import commands

LANES = [["--lanes=16"], ["--lanes=32"], ["--arch=x86-64-v3"], ["--arch=x86-64-v3", "--lanes=32"]]
BLOCKS = {1: ["1", "33", "7"], 2: ["1,1", "33,1", "7,5"], 3: ["1,1,1", "33,1,1", "7,5,3"]}
OVER = {1: "5000", 2: "150,90", 3: "40,30,20"}  # more than the data of any test
HAS_WARPS = "E0815"  # one lane is no warp
# Which thread comes first decides what these leave behind.
ANY_ORDER = {"builtins/atomic_cas.kern", "builtins/atomic_exch.kern"}
FUNCTIONS = re.compile(r"math\.(?!sqrt|fabs|floor|ceil|trunc|isnan|isinf|copysign|fma\b)\w+|\*\*|\b(pow|cbrt)\b|stdlib|import")
COOPERATES = re.compile(r"\batomic\.|\bprint\(|[-+*/|&^]=|\bshared\.|syncthreads|\bgridsize\b")
FIXED = re.compile(r"^@kernel\(.*\bblock=", re.M)
LEAST_TESTS, LEAST_SHAPED = 250, 120


class Run:
    """A run without what says how it is run and what it shows; -o takes its arrays."""
    def __init__(self, executed, kernc, place):
        self.name, self.place, self.executed = executed.name, place, executed
        kept = [(option, value) for option, value in executed.words if option not in commands.HOW | commands.SHOWS | {"-o"}]
        self.block = executed.options("--block")
        self.told_grid = executed.options("--grid", "--over", "--shared")
        self.words = kept
        self.environment = dict(word.split("=", 1) for word in executed.environment)
        self.kernc = kernc
        self.tolerances = [float(value) for value in executed.options("--rtol")], [float(value) for value in executed.options("--atol")]
        self.arrays = [name for name, value in (word.partition("=")[::2] for option, word in kept if option == "")
                       if re.match(r"@|(zeros|ones|full|arange|uniform|like|copy):", value)]
        file = next(value for option, value in kept if option == "")
        self.source = pathlib.Path(file).read_text(errors="replace") if pathlib.Path(file).exists() else ""

    def key(self):
        return self.name, tuple(self.words), tuple(self.environment.items())

    def __call__(self, number, *options, block=True):
        """Returns (exit code, standard error, arrays)."""
        files = {name: f"{self.place}.{number}.{name}.npy" for name in self.arrays}
        words = [word for option, value in self.words if block or option != "--block"
                 for word in ([value] if option == "" else [option, value] if value else [option])]
        outputs = [word for name, file in files.items() for word in ("-o", f"{name}={file}")]
        done = subprocess.run([self.kernc, "run", *words, *options, *outputs], capture_output=True, text=True,
                              env={**os.environ, **self.environment})
        arrays = {name: numpy.load(file) for name, file in files.items()} if done.returncode == 0 else {}
        for file in files.values():
            pathlib.Path(file).unlink(missing_ok=True)
        return done.returncode, done.stderr, arrays

    def axes(self):
        """Returns how many axes the kernels' grids have, where all have the same, else 0."""
        found = set(re.findall(r"\bgrid\((\d)\)", self.source))
        return int(found.pop()) if len(found) == 1 else 0


def ulps(array, other):
    bits = {2: numpy.int16, 4: numpy.int32, 8: numpy.int64}[array.dtype.itemsize]
    def line(values):
        whole = values.view(bits).astype(numpy.int64)
        return numpy.where(whole < 0, numpy.iinfo(bits).min - whole, whole).astype(object)
    return abs(line(numpy.atleast_1d(array)) - line(numpy.atleast_1d(other))).max(initial=0)


def agree(run, array, other):
    if array.tobytes() == other.tobytes():
        return True
    if array.shape != other.shape or array.dtype.kind not in "fc" or not FUNCTIONS.search(run.source):
        return False
    same = (array == other) | (numpy.isnan(array) & numpy.isnan(other))
    if array.dtype.kind == "f" and ulps(numpy.where(same, 0, array), numpy.where(same, 0, other)) <= 4:
        return True
    relative, absolute = run.tolerances
    return numpy.allclose(array, other, max(relative, default=0), max(absolute, default=0), equal_nan=True)


def may_repeat(source):
    """Says whether several threads may do the work of one: nothing is loaded of what is stored."""
    stores = collections.Counter(re.findall(r"^\s+(\w+)\[.*?\] = ", source, re.M))
    return not COOPERATES.search(source) and all(len(re.findall(rf"\b{name}\[", source)) == stores[name] for name in stores)


def ways_of(run):
    """Yields (options, whether the test's own block stays)."""
    for way in LANES:
        yield way, True
    axes = run.axes()
    # If the block is the kernel's own affair, or the grid, kernc refuses to choose.
    if not axes or run.told_grid or FIXED.search(run.source) or (run.block and run("choice", "--lanes=1", block=False)[0]):
        return
    blocks = [*BLOCKS[axes]]
    if axes < 3 and may_repeat(run.source):
        blocks.append("7,5,3")
    for block in blocks:
        for over in ([], ["--over", OVER[axes]]):
            for way in (["--lanes=1"], ["--lanes=16"], ["--arch=x86-64-v3"]) if over else (["--lanes=16"],):
                yield ["--block", block, *over, *way], False


def check(run, part):
    """Returns (the number of runs, whether some had other blocks, what is wrong)."""
    code, said, plain = run("plain", "--lanes=1")
    if code and HAS_WARPS in said:
        code, said, plain = run("plain", "--lanes=16")
    if code:
        return 1, False, [f"{run.name}: exit {code}: {run.executed.command}\n{said}"]
    wrong, shaped, total = [], False, 1
    ways = list(enumerate(ways_of(run)))
    for number, (way, own_block) in ways[zlib.crc32(run.name.encode()) % part::part]:
        code, said, arrays = run(number, *way, block=own_block)
        total, shaped = total + 1, shaped or not own_block
        if code and not (HAS_WARPS in said and "--lanes=1" in way):
            wrong.append(f"{run.name}: exit {code}: {run.executed.command}: {' '.join(way)}\n{said}")
        wrong += [f"{run.name}: {name} differs: {run.executed.command}: {' '.join(way)}" for name in arrays
                  if not agree(run, plain[name], arrays[name])]
    return total, shaped, wrong


def check_test(path, kernc, folder, part):
    """Checks the different runs of a test."""
    checked, results = set(), []
    for executed in commands.executed_of(path, kernc, folder):
        # Without guards what does not fit is cut, and no fault.
        if "off" in executed.options("--guards"):
            continue
        run = Run(executed, kernc, f"{folder}/{path.parent.name}.{path.stem}.out")
        if run.key() not in checked and run.name not in ANY_ORDER:
            checked.add(run.key())
            results.append(check(run, part))
    return results


def main(kernc, folder, part="1"):
    kernc = str(pathlib.Path(kernc).resolve())
    count = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for results in pool.map(lambda path: check_test(path, kernc, folder, int(part)), commands.sources()):
            for total, shaped, wrong in results:
                count.update(tests=1, runs=total, shaped=shaped, failed=len(wrong))
                print("\n".join(wrong), end="\n" * bool(wrong), flush=True)
    print(f"corpus: {count['tests']} tests, {count['shaped']} of them in other blocks, {count['runs']} runs, {count['failed']} failed")
    return 1 if count["failed"] or count["tests"] < LEAST_TESTS or count["shaped"] < LEAST_SHAPED else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Extents of values, against extents of declarations.

What a kernel knows of an array comes from where it was made: a parameter, a shared array (static, sized by an expression, or all that
the launch gives), a local or a constant one. These places take an extent, a stride or a range from there:

    check/arrays/arrays.cpp Value::extents of static arrays: .size, .shape and len become constants (attributes, slices, loops, unrolling)
    check/core/locals.cpp  a name keeps Value::extents while it has one assignment
    check/core/host.cpp    extents of parameters in contracts and in shapes for the host
    analysis/guards/evaluate.cpp  extents of SharedArray, LocalArray, ConstantArray and View for the proofs of guards
    analysis/guards/symbolic.cpp  extents of parameters, and of values that branches and loops join
    analysis/threads/shape.cpp     strides from extents: which accesses are contiguous
    analysis/guards/builtin_values.cpp  ranges of threadIdx, blockDim and blockIdx by block=, and of what the launch gives
    analysis/threads/rows.cpp, shared_layout.cpp  the bytes of static shared arrays
    lower/shared/memory.cpp  strides of C order, the places of dynamic arrays

So here names stand for one array, then for another: by branches, loops, conditional expressions, tuples, callees and slices of slices;
and each way to ask for an extent is used. A model in NumPy says the result, or the place, index and extent of the fault. Every proof is kept
as an assertion (--guards=shadow).

usage: extents.py KERNC [--numba] [--count N] [--seed S] [--seconds T]
"""
# fuzz: --numba
import random
import re
import subprocess
import sys

import numpy

import arguments

LANES = [], ["--lanes=1"], ["--lanes=16"], ["--lanes=32"], ["-O0"]
ROWS = 12  # results of a thread


class Fault(Exception):
    pass


class Model:
    """One thread of the kernel: what its statements do, line by line."""

    def __init__(self, numba):
        self.numba = numba

    def at(self, array, index, line, literal=False):
        index, extent = int(index), len(array)
        place = index + extent if index < 0 and (literal or self.numba) else index
        if not 0 <= place < extent:
            raise Fault(line, index, extent)
        return place

    def get(self, array, index, line, literal=False):
        return int(array[self.at(array, index, line, literal)])

    def put(self, array, index, value, line, literal=False):
        array[self.at(array, index, line, literal)] = value


class Writer:
    """Writes each statement twice, in Kern and for the model."""

    def __init__(self, rng, numba):
        self.rng, self.numba = rng, numba
        self.kern, self.python = [], []
        self.pools, self.count, self.rows = {}, 0, 0
        self.writes = rng.random() < 0.6  # by one thread alone; else many threads read

    def add(self, depth, kern, python=None):
        self.kern.append("    " * depth + kern)
        self.python.append("    " * depth + (kern if python is None else python))

    def line(self):
        return len(self.kern) + 1

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def number(self):
        return self.rng.choice(["n", "n", "k", "t % 3", "n - k", "k - n", "n + 1", "0", "1", "2", "3", "5"])

    def declare(self):
        rng, lib = self.rng, "cuda." if self.numba else ""
        i32 = "numba.int32" if self.numba else "i32"
        pool = self.pools.setdefault
        pool("global", ["a", "b"])
        self.add(1, "r = m[k % 3]", "r = m[k % 3]")
        pool("global", []).append("r")
        self.add(1, f"all = {lib}shared.array(0, {i32})", "all = dynamic")
        pool("shared", ["all"])
        if rng.random() < 0.5:
            # It lies where `all` does, and is only read.
            self.add(1, f"wide = {lib}shared.array(0, {i32.replace('32', '64')})", "wide = dynamic[:len(dynamic) // 2 * 2].view(numpy.int64)")
            pool("shared64", []).append("wide")
        for extent in rng.sample([1, 3, 7, 20], 2):
            name = self.fresh("s")
            self.add(1, f"{name} = {lib}shared.array({extent}, {i32})", f"{name} = numpy.zeros({extent}, numpy.int32)")
            pool("shared", []).append(name)
        for extent in rng.sample([1, 2, 5, 9], 2):
            name = self.fresh("l")
            self.add(1, f"{name} = {lib}local.array({extent}, {i32})", f"{name} = numpy.zeros({extent}, numpy.int32)")
            pool("local", []).append(name)
        fill = 2 if not self.writes else 1
        if not self.writes:
            self.add(1, f"if {lib}threadIdx.x == 0:", "if True:")
        for name in self.pools["shared"]:
            self.add(fill, f"for q in range({name}.size):", f"for q in range({name}.size):")
            self.add(fill + 1, f"{name}[q] = q * 3 + 1" if self.numba else f"{name}[q] = i32(q * 3 + 1)", f"{name}[q] = q * 3 + 1")
        if not self.writes:
            self.add(1, f"{lib}syncthreads()", "pass")
        for name in self.pools["local"]:
            self.add(1, f"for q in range({name}.size):", f"for q in range({name}.size):")
            self.add(2, f"{name}[q] = q + t" if self.numba else f"{name}[q] = i32(q + t)", f"{name}[q] = q + t")

    def slice_text(self):
        rng = self.rng
        start = rng.choice(["", "", self.number(), str(rng.randint(-4, 4))])
        stop = rng.choice(["", "", self.number(), str(rng.randint(-4, 6))])
        step = rng.choice(["", "", "", ":2", ":-1", ":1", ":k + 1"])
        return f"{start}:{stop}{step}"

    def derive(self):
        """Gives a name to another array."""
        rng = self.rng
        space = rng.choice(list(self.pools))
        pool = self.pools[space]
        first, second, name = rng.choice(pool), rng.choice(pool), self.fresh("w")
        kind = rng.choice(["slice", "slice", "branch", "select", "loop", "tuple", "swap", "callee", "whole", "round"])
        if kind == "slice":
            self.add(1, f"{name} = {first}[{self.slice_text()}]")
        elif kind == "branch":
            self.add(1, f"{name} = {first}[:]")
            self.add(1, f"if t % 2 == {rng.randint(0, 1)}:")
            self.add(2, f"{name} = {second}[{self.slice_text()}]")
        elif kind == "select":
            self.add(1, f"{name} = {first}[:] if {rng.choice(['n > k', 't % 2 == 0', 'k == 0'])} else {second}[:]")
        elif kind == "loop":
            self.add(1, f"{name} = {first}[:]")
            self.add(1, f"for q in range({self.number()}):")
            self.add(2, f"{name} = {name}[{rng.choice(['1:', ':-1', '::2', '1:-1', ':n'])}]")
        elif kind == "tuple":
            self.add(1, f"{name}, {name}x = {first}[1:], {second}[:{self.number()}]")
            pool.append(f"{name}x")
        elif kind == "swap":
            self.add(1, f"{name}, {name}x = {first}[:], {second}[{self.slice_text()}]")
            self.add(1, f"if {rng.choice(['n > k', 't % 2 == 0', 'k != 0'])}:")
            self.add(2, f"{name}, {name}x = {name}x, {name}")
            pool.append(f"{name}x")
        elif kind == "callee":
            self.add(1, f"{name} = part({first}, {self.number()})")
        elif kind == "round":
            # The second round sees what the first one left.
            self.add(1, f"{name} = {first}[:]")
            self.add(1, "for q in range(2):")
            self.add(2, "if q == k % 2:")
            self.add(3, f"{name} = {second}[{self.slice_text()}]")
            self.ask(2, name, space)
        else:
            self.add(1, f"{name} = {first}")
        pool.append(name)

    def result(self, depth, value, python=None):
        if self.rows == ROWS:
            return
        self.add(depth, f"out[t, {self.rows}] = {value}", f"out[t, {self.rows}] = {value if python is None else python}")
        self.rows += 1

    def access(self, depth, name, index, space, literal=False):
        """Reads or writes one element."""
        if self.writes and space != "shared64" and self.rng.random() < 0.6:
            return self.add(depth, f"{name}[{index}] = 4", f"model.put({name}, {index}, 4, {self.line()}, {literal})")
        if self.rng.random() < 0.2:
            return self.add(depth, f"sum += get({name}, {index})", f"sum += model.get({name}, {index}, 'callee', {literal and self.numba})")
        self.add(depth, f"sum += {name}[{index}]", f"sum += model.get({name}, {index}, {self.line()}, {literal})")

    def ask(self, depth, name, space):
        rng = self.rng
        kind = rng.choice(["size", "size", "index", "index", "countdown", "test", "last", "clamp", "range", "each", "fill", "literal", "margin"])
        if kind == "size":
            return self.result(depth, rng.choice([f"{name}.size", f"len({name})", f"{name}.shape[0]", f"{name}[1:].size"]))
        if kind == "index":
            if rng.random() < 0.6:
                self.add(depth, f"if {self.number()} < {name}.size:")
                return self.access(depth + 1, name, rng.choice(["n", "k", "t % 3"]), space) if rng.random() < 0.3 else self.result(depth + 1, "1")
            return self.access(depth, name, rng.choice(["k", "t % 3", "0", "n - k"]), space)
        if kind == "countdown":
            # A guard that passes says what the next one need not test.
            self.add(depth, f"for c in range({self.number()}):")
            self.add(depth + 1, "i = n - c")
            self.add(depth + 1, f"if i + 1 < {name}.size:")
            if rng.random() < 0.5:
                self.access(depth + 2, name, "i + 1", space)
            return self.access(depth + 2, name, "i" if not self.numba else "abs(i)", space)
        if kind == "test":
            index = rng.choice(["n", "k", "n - 1", "k + 1", "n - k"])
            self.add(depth, f"if 0 <= {index} and {index} < {name}.size:")
            return self.access(depth + 1, name, index, space)
        if kind == "last":
            self.add(depth, f"if {name}.size > k:")
            return self.access(depth + 1, name, f"{name}.size - 1 - k", space)
        if kind == "clamp":
            self.add(depth, f"if {name}.size > 0:")
            return self.access(depth + 1, name, f"min(max({rng.choice(['n', 'k - 2', 'n - k'])}, 0), {name}.size - 1)", space)
        if kind == "range":
            self.add(depth, f"for c in range({rng.choice(['', '1, ', 'k, '])}{name}.size):")
            return self.access(depth + 1, name, "c", space)
        if kind == "each":
            self.add(depth, f"for v in {name}:")
            return self.add(depth + 1, "sum += v", "sum += int(v)")
        if kind == "fill":
            if self.writes and space != "shared64":
                self.add(depth, f"{name}[{self.slice_text()}] = 7")
            return None
        if kind == "margin":
            self.add(depth, f"for c in range(1, {name}.size - 1):")
            self.access(depth + 1, name, "c - 1", space)
            return self.access(depth + 1, name, "c + 1", space)
        self.add(depth, f"if {name}.size >= 2:")
        return self.access(depth + 1, name, rng.choice(["-1", "-2", "1"]), space, True)

    def write(self):
        self.declare()
        for _ in range(self.rng.randint(2, 5)):
            self.derive()
            for _ in range(self.rng.randint(1, 2)):
                space = self.rng.choice(list(self.pools))
                self.ask(1, self.rng.choice(self.pools[space][-3:]), space)
        self.result(1, "sum")
        for space, pool in self.pools.items():
            self.result(1, f"{pool[-1]}.size")

    def source(self):
        if self.numba:
            head = ["import numba", "from numba import cuda", "@cuda.jit(device=True)", "def part(w, i):", "    return w[i:]",
                    "@cuda.jit(device=True)", "def get(w, i):", "    return w[i]", "@cuda.jit"]
            signature = "def extents(a, b, m, out, n, k):"
        else:
            head = ["@device", "def part(w, i: i64):", "    return w[i:]", "@device", "def get(w, i: i64):", "    return i64(w[i])", "@kernel"]
            signature = "def extents(a: i32[:], b: i32[:], m: i32[:, :], out: i64[:, :], n: i64, k: i64):"
        head += [signature, f"    t = {'cuda.' if self.numba else ''}grid(1)", "    sum = 0" if self.numba else "    sum: i64 = 0"]
        return "\n".join(head + self.kern) + "\n", len(head)


def check(options, seed, scratch):
    rng = random.Random(seed)
    writer = Writer(rng, options.numba)
    writer.write()
    text, first_line = writer.source()
    threads = 1 if writer.writes else rng.choice([1, 5, 33])
    n, k, bytes = rng.choice([0, 1, 2, 3, 5, 8]), rng.choice([0, 1, 2, 3]), rng.choice([0, 3, 4, 8, 20, 64, 100])
    sizes = [rng.choice([0, 1, 2, 5, 9]) for _ in range(3)]
    given = {"a": numpy.arange(sizes[0], dtype=numpy.int32), "b": numpy.arange(sizes[1], dtype=numpy.int32) * 5,
             "m": numpy.arange(3 * sizes[2], dtype=numpy.int32).reshape(3, sizes[2])}
    out = numpy.full((threads, ROWS), -7, numpy.int64)
    scope = {"numpy": numpy, "model": Model(options.numba), "out": out, "n": n, "k": k, "part": lambda w, i: w[i:],
             "get": None, **{name: array.copy() for name, array in given.items()}}
    body = "def run(t, dynamic):\n    sum = 0\n" + "\n".join(writer.python) + "\n"
    exec(compile(body, "model", "exec"), scope)
    faults = {}  # of each thread; those of a block may be told in any order
    for t in range(threads):
        try:
            scope["run"](t, numpy.zeros(bytes // 4, numpy.int32))
        except Fault as found:
            faults[t] = found.args
    suffix = "py" if options.numba else "kern"
    source = scratch / f"extents.{suffix}"
    source.write_text(text)
    for name, array in given.items():
        numpy.save(scratch / f"{name}.npy", array)
    numpy.save(scratch / "out.npy", out)
    command = [options.kernc, "run", source, *(f"{name}=@{scratch}/{name}.npy" for name in given), f"out=full:i64:{threads}x{ROWS}:-7", f"n={n}", f"k={k}",
               "--grid=1", f"--block={threads}", f"--shared={bytes}", "--guards=shadow", *rng.choice(LANES)]
    if not faults:
        command += ["--expect", f"out={scratch}/out.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    wanted = f"expected {faults or 'no fault'}"
    good = done.returncode == 0
    if faults:
        place = re.search(r":(\d+):\d+: fault\[index\]: index (-?\d+) is .*\(extent (\d+)\), block \(0,0,0\) thread \((\d+),0,0\)", done.stderr)
        line, index, extent = faults.get(int(place[4]), (0, 0, 0)) if place else (0, 0, 0)
        good = bool(place) and done.returncode == 4 and (int(place[2]), int(place[3])) == (index, extent) and \
            (line == "callee" or int(place[1]) == line + first_line)
    if not good:
        sys.exit(f"{' '.join(map(str, command))}\n{text}{body}{done.stdout}{done.stderr}\n{wanted}")
    return bool(faults)


def main():
    parser = arguments.parser(20)
    parser.add_argument("--numba", action="store_true")
    options, faults = parser.parse_args(), []
    arguments.agree(options, lambda *each: faults.append(check(*each)))
    print(sum(faults), "of them fault")


main()

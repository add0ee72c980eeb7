#!/usr/bin/env python3
"""Random kernels whose slices have bounds and steps of all integer types: numbers are exact to 64 bits, words and casts wrap at their
width. What a slice holds is what Python's does for the same numbers. With --numba an index may count from the end too.

usage: slices.py KERNC [--numba] [--count N] [--seed S] [--seconds T]
"""
# fuzz: --numba
import itertools
import random
import subprocess
import sys

import numpy

import arguments

WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
LANES = ["--lanes=1"], ["--lanes=16"], ["--lanes=32"], ["--guards=shadow"]
THREADS, VALUES = 40, 8  # a thread t reads element t % VALUES of an array of numbers
FAR = 2**63 - 1  # rounds of a loop; beyond there are none


class TooFar(Exception):
    pass


def least(type):
    return -(1 << (WIDTHS[type] - 1)) if type[0] == "i" else 0


def wrap(type, value):
    value &= (1 << WIDTHS[type]) - 1
    return value - (1 << WIDTHS[type]) if type[0] == "i" and value >> (WIDTHS[type] - 1) else value


def shown(places, start, stop, step):
    part = range(places)[start:stop:step]
    return [len(part), part[0] if part else -1, part[-1] if part else -1]


def rounds(*bounds):
    numbers = range(*bounds)
    if (numbers.stop - numbers.start) // numbers.step > FAR:
        raise TooFar
    return itertools.islice(numbers, 3)


class Writer:
    """Writes each statement twice: in Kern and in Python, where every result is wrapped by hand."""

    def __init__(self, random, numba):
        self.random, self.numba = random, numba
        self.types = ["i64"] if numba else list(WIDTHS)
        self.kern, self.python, self.names, self.rows = [], [], {type: [] for type in self.types}, 0

    def add(self, depth, kern, python=None):
        self.kern.append("    " * (depth + 1) + kern)
        self.python.append("    " * (depth + 1) + (kern if python is None else python))

    def name(self, type):
        self.names[type].append(f"{type}_{len(self.names[type])}")
        return self.names[type][-1]

    def atom(self, type):
        choices = [(f"x_{type}[t % {VALUES}]", f"x_{type}[t % {VALUES}]")] + [(name, name) for name in self.names[type]] * 2
        if type in ("i32", "i64"):
            choices.append(("threadIdx.x", "t") if type == "i32" else ("grid(1)", "t"))
        if type == "i64" and not self.numba:
            choices.append(("a.size", "n"))
            other = self.random.choice(self.types)
            name = self.random.choice(self.names[other] or [f"x_{other}[t % {VALUES}]"])
            choices += [(f"i64({name})", f"wrap('i64', {name})")]
        return self.random.choice(choices)

    def value(self, type, bound=False):
        a, a_python = self.atom(type)
        b, b_python = self.atom(type) if self.random.random() < 0.6 else [str(self.random.choice([0, 1, 2, 7, 100]))] * 2
        form = self.random.choice(["{a}", "{a}", "{a} + {b}", "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} // 3", "{a} % 5", "{a} % ({b} | 1)", "{a} >> 1",
                                   "{a} << 2", "{a} & {b}", "{a} | {b}", "{a} ^ {b}", "min({a}, {b})", "max({a}, {b})", "({a} if t % 2 == 0 else {b})"])
        kern = form.format(a=a, b=b)
        exact = bound and self.random.random() < 0.5
        if not self.numba and type not in ("u32", "u64"):
            kern, type = (kern, "i64") if exact else (f"{type}({kern})", type)
        return kern, f"wrap('{type}', {form.format(a=a_python, b=b_python)})"

    def statement(self, depth):
        type = self.random.choice(self.types)
        kind = self.random.choice(["local", "local", "sum", "range", "change"])
        kern, python = self.value(type)
        if kind == "local" or not self.names[type]:
            name = self.name(type)
            return self.add(depth, f"{name} = {kern}", f"{name} = {python}")
        name = self.random.choice(self.names[type])
        if kind == "change":
            return self.add(depth, f"{name} = {kern}", f"{name} = {python}")
        if kind == "sum":
            self.add(depth, f"for k in range({self.random.randint(1, 4)}):")
            op, (other, other_python) = self.random.choice("++*"), self.atom(type)
            return self.add(depth + 1, f"{name} {op}= {other}" if self.numba or type in ("i64", "u32", "u64") else f"{name} = {type}({name} {op} {other})", f"{name} = wrap('{type}', {name} {op} {other_python})")
        (start, start_python), (stop, stop_python) = self.atom(type), self.atom(type)
        step = f", {self.random.choice([1, 3, 100] + ([-1, -100] if type[0] == 'i' else []))}" if self.random.random() < 0.6 else ""
        self.add(depth, f"rounds_{name} = 0")
        self.add(depth, f"for {name} in range({start}, {stop}{step}):", f"for {name} in rounds({start_python}, {stop_python}{step}):")
        self.slice(depth + 1)
        self.add(depth + 1, f"rounds_{name} += 1")
        self.add(depth + 1, f"if rounds_{name} == 3:", "if False:")
        self.add(depth + 2, "break")

    def bound(self):
        if self.random.random() < 0.2:
            return "", "None"
        if self.random.random() < 0.2:
            return [str(self.random.randint(-9, 9))] * 2
        return self.value(self.random.choice(self.types), True)

    def slice(self, depth):
        (start, start_python), (stop, stop_python) = self.bound(), self.bound()
        step, step_python = self.random.choice([("", "None"), ("", "None"), ("2", "2"), ("-1", "-1"), self.value(self.random.choice(self.types), True)])
        if step not in ("", "2", "-1"):
            step, step_python = f"({step}) | 1", f"{step_python} | 1"
        row, self.rows = self.rows, self.rows + 1
        self.add(depth, f"v{row} = a[{start}:{stop}:{step}]", f"v = shown(n, {start_python}, {stop_python}, {step_python})")
        self.add(depth, f"out[t, {row}, 0] = v{row}.size", f"out[t, {row}] = v")
        self.add(depth, f"if v{row}.size > 0:", "if False:")
        self.add(depth + 1, f"out[t, {row}, 1] = v{row}[0]", "pass")
        self.add(depth + 1, f"out[t, {row}, 2] = v{row}[-1]", "pass")
        self.add(depth, "else:", "if False:")
        self.add(depth + 1, f"out[t, {row}, 1] = -1", "pass")
        self.add(depth + 1, f"out[t, {row}, 2] = -1", "pass")

    def index(self, depth):
        kern, python = self.value("i64")
        row, self.rows = self.rows, self.rows + 1
        self.add(depth, f"at{row} = {kern}", f"at = {python}")
        self.add(depth, f"if -a.size <= at{row} and at{row} < a.size:", "if -n <= at < n:")
        self.add(depth + 1, f"out[t, {row}, 0] = a[at{row}]", f"out[t, {row}, 0] = at % n")

    def source(self):
        params = "".join(f", x_{type}: {type}[:]" for type in self.types)
        decorator = "from numba import cuda\n@cuda.jit" if self.numba else "@kernel"
        kern = "\n".join(self.kern).replace("threadIdx", "cuda.threadIdx").replace("grid(", "cuda.grid(") if self.numba else "\n".join(self.kern)
        return f"{decorator}\ndef slices(a: i64[:], out: i64[:, :, :]{params}):\n    t = {'cuda.' * self.numba}grid(1)\n{kern}\n"


def numbers(random, type):
    low, high = least(type), least(type) + (1 << WIDTHS[type]) - 1
    near = [0, 1, 2, 3, 5, 9, high, high - 1, high // 2 + 1, high // 2, high // 3, low, low + 1]
    near += [-1, -2, -9] if low < 0 else []
    return [random.choice(near) for _ in range(VALUES)]


def check(options, seed, scratch):
    writer = Writer(random.Random(seed), options.numba)
    for _ in range(writer.random.randint(4, 9)):
        writer.statement(0)
        writer.slice(0)
        if options.numba:
            writer.index(0)
    values = {f"x_{type}": numbers(writer.random, type) for type in writer.types}
    n = writer.random.choice([0, 1, 2, 10, 33])
    expected = numpy.full((THREADS, writer.rows, 3), -7, numpy.int64)
    body = compile("def run(t, n, out):\n" + "\n".join(writer.python), "reference", "exec")
    scope = {"wrap": wrap, "shown": shown, "rounds": rounds, **values}
    exec(body, scope)
    try:
        for t in range(THREADS):
            scope["run"](t, n, expected)
    except (TooFar, UnboundLocalError):  # a loop without rounds leaves its variable as it was, or unset
        return arguments.SKIPPED
    source = scratch / ("slices.py" if options.numba else "slices.kern")
    source.write_text(writer.source())
    numpy.save(scratch / "expected.npy", expected)
    for type in writer.types:
        name = {"i": "int", "u": "uint"}[type[0]] + type[1:]
        numpy.save(scratch / f"x_{type}.npy", numpy.array(values[f"x_{type}"], name))
    arrays = [f"x_{type}=@{scratch}/x_{type}.npy" for type in writer.types]
    command = [options.kernc, "run", source, f"a=arange:i64:{n}", f"out=full:i64:{THREADS}x{writer.rows}x3:-7", *arrays, "--grid", "1", "--block", str(THREADS),
               "--expect", f"out={scratch}/expected.npy", *writer.random.choice(LANES)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{source.read_text()}{done.stdout}{done.stderr}")
    return None


def main():
    parser = arguments.parser(20)
    parser.add_argument("--numba", action="store_true")
    arguments.agree(parser.parse_args(), check)


main()

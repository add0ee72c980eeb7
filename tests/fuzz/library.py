#!/usr/bin/env python3
"""Random uses of the library's kernels for whole arrays, against NumPy and Python's integers: types, sizes around tiles, module constants, operations
of a file of its own, grids, lanes, guards, and views with any strides.

A case is a module's kernel by `std:NAME`, of one size or several, or a kernel of its own with the same text whose parameters are views: then what
lies around a view must stay as it was. Sums of floats, where they are not of whole numbers, must have the same bits with another grid and other
lanes. Of some cases an operation faults for an element: kernc must exit with 4 and name that operation. Some operations are strict: they fault
for what no use of theirs by the text of the library gives them, and must not. No run may take longer than PATIENCE seconds.

usage: library.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR] [--modules NAME,...] [--mild] [-- OPTIONS OF KERNC]

--mild leaves strict operations out.
"""
import ast
import functools
import math
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

import numpy as np

import arguments

STDLIB = pathlib.Path(__file__).resolve().parent.parent.parent / "stdlib"
PATIENCE = 120
SIGNED, UNSIGNED, FLOATS = ["i1", "i2", "i4", "i8"], ["u1", "u2", "u4", "u8"], ["f4", "f8"]
INTEGERS = SIGNED + UNSIGNED
KEYS = INTEGERS + FLOATS + ["f2", "?"]
RECORD = np.dtype([("a", "i4"), ("b", "f4")])    # of kernels of a case's own, which declare it
LIMIT = 77      # the element at which operations fault that are made to

OPERATIONS = '''
@device
def multiplied(a, b):
    return a * b


@device
def least(a, b):
    return min(a, b)


@device
def greatest(a, b):
    return max(a, b)


@device
def differing_bits(a, b):
    return a ^ b


@device
def last_nonzero(a, b):
    return b if b != 0 else a


@device
def first_nonzero(a, b):
    return a if a != 0 else b


@device
def on_a_clock(a, b):
    return (a + b) % 1009


@device
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@device
def lcm(a, b):
    return a // gcd(a, b) * b


@device
def add_bytes(a: u8, b: u8) -> u8:
    return a + b  # bytes


@device
def compose(f: u64, g: u64) -> u64:
    a = u32(g >> 32)
    return u64(u32(f >> 32) * a) << 32 | (u32(f) * a + u32(g))


@device
def best_at(x, i):
    v = i64(x[i])
    return v, v, v, v


@device
def best_join(a, b):
    return a[0] + b[0], max(a[1], a[0] + b[1]), max(b[2], a[2] + b[0]), max(a[3], b[3], a[2] + b[1])


@device
def put_best(y, i, v):
    y[i] = v[3]


@device
def negated(a):
    return -a


@device
def square_at(x, i):
    return i64(x[i]) * i64(x[i])


@device
def is_third(x):
    return x % 3 == 0


@device
def is_even(x):
    return x % 2 == 0


@device
def same_tens(a, b):
    return a // 10 == b // 10


@device
def by_last_digit(a, b):
    return a % 10 < b % 10


@device
def descending(a, b):
    return a > b


@device
def faulting(v):
    return 7 // (v - 77)  # faulting


@device
def faulting_at(x, i):
    return x[i] + 0 * faulting(x[i])


@device
def faulting_join(a, b):
    return max(a, b) + 0 * faulting(max(a, b))


@device
def faulting_test(a):
    return faulting(a) > -2


@device
def faulting_less(a, b):
    return faulting(a) > -9 and faulting(b) > -9 and a < b


@device
def faulting_equal(a, b):
    return faulting(a) > -9 and a == b
'''


def name_of(dtype):
    """Returns Kern's name of a type."""
    dtype = np.dtype(dtype)
    return {"b": "bool", "c": f"c{8 * dtype.itemsize}"}.get(dtype.kind, f"{dtype.kind}{8 * dtype.itemsize}")


def wrap(value, dtype):
    """Returns an integer in a type of 64 bits or fewer."""
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.kind == "i" and value >> bits - 1 else value


def compose(f, g):
    return (f >> 32) * (g >> 32) % 2**32 << 32 | ((f & 0xFFFFFFFF) * (g >> 32) + g) % 2**32


class Operation:
    """What joins elements: its name in Kern, its function of Python's numbers, and the types of the elements."""

    def __init__(self, name, function, types, sums=False, commutes=True, elements=None, starts=(0,), strict=False):
        self.name, self.function, self.types, self.sums, self.commutes = name, function, types, sums, commutes
        self.elements, self.starts, self.strict = elements, starts, strict

    def result(self, dtype):
        """Returns the type of what is joined of elements."""
        dtype = np.dtype(dtype)
        return np.dtype("i8") if self.sums and (dtype.kind in "ib" or dtype.itemsize < 4) and dtype.kind in "iub" else dtype

    def scan(self, values, dtype):
        """Returns what is made of the values up to each, as Python's numbers."""
        made = []
        for value in values:
            value = self.function(made[-1], value) if made else value
            made.append(wrap(value, dtype) if dtype.kind in "iu" else value)
        return made


def small(rng, numbers, dtype, n):
    return numbers.integers(0, 5, n)


ADD = Operation("add", lambda a, b: a + b, INTEGERS + FLOATS + ["f2", "c8", "c16"], True, starts=(0, 1, 100))
OPERATIONS_OF = [
    ADD, ADD, ADD,
    Operation("multiplied", lambda a, b: a * b, INTEGERS, True, starts=(1, 3)),
    Operation("least", min, INTEGERS + FLOATS, starts=(100, 0)),
    Operation("greatest", max, INTEGERS + FLOATS, starts=(0, 100)),
    Operation("differing_bits", lambda a, b: a ^ b, INTEGERS, starts=(0, 5)),
    Operation("last_nonzero", lambda a, b: b if b != 0 else a, INTEGERS + FLOATS, commutes=False, elements=small, starts=(0, 9)),
    Operation("first_nonzero", lambda a, b: a if a != 0 else b, INTEGERS + FLOATS, commutes=False, elements=small, starts=(0, 9)),
    Operation("on_a_clock", lambda a, b: (a + b) % 1009, ["i4", "i8", "i2"], True, elements=lambda r, numbers, t, n: numbers.integers(0, 1009, n), starts=(0, 5)),
    Operation("gcd", math.gcd, ["i8", "u4", "u8"], elements=lambda r, numbers, t, n: 6 * numbers.integers(0, 1000, n), starts=(0, 12)),
    Operation("compose", compose, ["u8"], commutes=False, starts=(2**32, 2**32 + 7)),
    Operation("lcm", math.lcm, ["i8", "u4"], elements=lambda r, numbers, t, n: numbers.choice([1, 2, 3, 4, 6, 12], n), starts=(1, 5), strict=True),
    Operation("add_bytes", lambda a, b: a + b, ["u1"], elements=lambda r, numbers, t, n: few_bytes(numbers, n), starts=(0, 20), strict=True),
]


def few_bytes(numbers, n):
    """Returns bytes whose sum is 200."""
    return np.bincount(numbers.integers(0, n, 200), minlength=n) if n > 0 else np.zeros(0, int)


def elements(rng, numbers, dtype, n):
    """Returns elements of a type, with many equal ones: of integers the extreme ones too, of floats whole numbers whose sums are exact."""
    dtype = np.dtype(dtype)
    if dtype == RECORD:
        values = np.zeros(n, RECORD)
        values["a"], values["b"] = numbers.integers(-9, 9, n), numbers.normal(size=n)
        return values
    if dtype == bool:
        return numbers.integers(0, 2, n).astype(bool)
    if dtype.kind in "fc":
        high = 3 if dtype == "f2" else rng.choice([2, 100, 1000])
        values = numbers.integers(-high, high, n, endpoint=True).astype(dtype)
        if dtype == "f2" and np.abs(np.cumsum(values.astype(int))).max(initial=0) > 1000:
            values = (values == 3).astype(dtype) * (np.arange(n) % 7 == 0)
        return values + 1j * numbers.integers(-9, 9, n) if dtype.kind == "c" else values
    info = np.iinfo(dtype)
    if rng.random() < 0.4:
        return numbers.integers(max(info.min, -20), min(info.max, 100), n, endpoint=True).astype(dtype)
    values = numbers.integers(info.min, info.max, n, dtype, endpoint=True)
    return np.where(numbers.random(n) < 0.3, numbers.choice(np.array([info.min, info.max, 0, 1, 100], dtype), n), values).astype(dtype)


def keys(rng, numbers, dtype, n):
    """Returns keys; of floats with every special value, in both signs."""
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        return elements(rng, numbers, dtype, n)
    few = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, np.finfo(dtype).max, np.finfo(dtype).tiny / 2], dtype)
    return np.where(numbers.random(n) < 0.4, numbers.choice(few, n), (numbers.normal(size=n) * 100).astype(dtype)).astype(dtype)


def radix_words(x):
    """Returns the words that a key is sorted by, u64."""
    if x.dtype.kind in "ub":
        return x.astype(np.uint64)
    width = 8 * x.dtype.itemsize
    sign, word = np.array(1 << width - 1, f"u{x.dtype.itemsize}"), np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")
    if x.dtype.kind == "i":
        return (word ^ sign).astype(np.uint64)
    word = np.where(x == 0, sign, np.where(word & sign != 0, ~word, word | sign))
    return np.where(np.isnan(x), np.array(2**width - 1, word.dtype), word).astype(np.uint64)


def order_of(x, descending=False, begin=0, end=64):
    """Returns the stable permutation that sorts by the bits from `begin` to `end`."""
    word = radix_words(-x if descending and x.dtype.kind == "f" else x)
    if descending and x.dtype.kind != "f":
        word = ~word
    return np.argsort(word << np.uint64(64 - end) >> np.uint64(64 - end + begin), kind="stable")


class Layout:
    """Where an array lies in a larger one, and the text that takes it out, in Kern as in Python."""

    def __init__(self, rng, shape, plain, of_records):
        self.text, self.shape, behind = "", [], []
        if plain:
            self.shape = list(shape)
            return
        first = []
        for extent in shape:
            step, before, after = rng.choice([1, 1, 2, 3, -1, -2, -3]), rng.choice([0, 0, 1, 5]), rng.choice([0, 0, 1, 7])
            span = (extent - 1) * abs(step) + 1 if extent else 0
            self.shape.append(before + span + after)
            first.append(f"{before}:{before + span}:{step}" if step > 0 else f"{before}:{before + span}")
            behind.append(f"::{step}" if step < 0 else ":")
        if len(shape) < 4 and rng.random() < 0.3:
            at, extra = rng.randint(0, len(shape)), rng.randint(1, 3)
            self.shape.insert(at, extra)
            first.insert(at, str(rng.randrange(extra)))
        # Arrays of records do not have the methods of others.
        if len(self.shape) > 1 and not of_records and rng.random() < 0.3:
            self.text, self.shape = ".T", self.shape[::-1]
        self.text += f"[{', '.join(first)}]" + (f"[{', '.join(behind)}]" if set(behind) != {":"} else "")

    def view(self, base):
        return eval(f"base{self.text}", {"base": base})


class Array:
    """An array of a case: what it holds before, and what it must hold afterwards, where that is checked."""

    def __init__(self, case, values, expected=None, zeros=False):
        values = np.asarray(values)
        self.layout = Layout(case.rng, values.shape, not case.wraps, values.dtype == RECORD)
        count = math.prod(self.layout.shape)
        around = np.zeros(count, values.dtype) if zeros else elements(case.rng, case.numbers, values.dtype, count)
        self.base = around.astype(values.dtype).reshape(self.layout.shape)
        self.layout.view(self.base)[...] = values
        self.expected, self.dtype, self.name, self.used, self.near = None, values.dtype, None, None, None
        if expected is not None:
            self.expected = self.base.copy()
            self.layout.view(self.expected)[...] = expected


@functools.cache
def module(name):
    """Returns the text of a module, its kernels and device functions, and all names of its top level."""
    text = (STDLIB / f"{name}.kern").read_text()
    functions, names = {}, set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        elif isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name for each in node.names}
    return text.splitlines(), functions, names


class Skip(Exception):
    pass


class Case:
    """Launches of one `kernc run`."""

    def __init__(self, options, seed, folder):
        self.rng, self.numbers, self.folder, self.mild = random.Random(seed), np.random.default_rng(seed), folder, options.mild
        self.module, self.defines, self.fault, self.compared = None, {}, None, []
        self.wraps, self.faults = self.rng.random() < 0.4, self.rng.random() < 0.2
        self.stages, self.words, self.names, self.kernels, self.imports = [], [], {}, {}, set()
        self.files, self.least_lanes, self.arrays = 0, 16, []

    def save(self, array):
        self.files += 1
        np.save(self.folder / f"{self.files}.npy", array)
        return self.folder / f"{self.files}.npy"

    def sizes(self, tile, most=3000):
        """Yields sizes of arrays: one, or several behind each other."""
        for _ in range(1 if self.wraps or self.faults else self.rng.randint(1, 3)):
            n = self.rng.choice([0, 1, 2, 31, 33, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 2, self.rng.randint(0, most), self.rng.randint(0, most), 33 * tile + 1])
            yield max(n, 2) if self.faults else min(n, 40000)

    def use(self, name, function, module=None):
        """Gives a module constant a function of the file of operations."""
        self.defines[f"{module or self.module}.{name}"] = f"{self.folder / 'ops.kern'}:{function}"

    def set(self, name, value, module=None):
        self.defines[f"{module or self.module}.{name}"] = value

    def expect_fault(self, kind, file, *texts):
        """Says where a fault of the case is: of that file, in a line with one of these texts."""
        self.fault = kind, file, texts

    def given(self, values, expected=None):
        return Array(self, values, expected)

    def zeros(self, shape, dtype, expected=None):
        """Memory that must be zeros before."""
        return Array(self, np.zeros(shape, dtype), expected, zeros=True)

    def out(self, n, dtype, expected=None, prefix=None):
        """An array that holds anything before, of which all is expected or a prefix."""
        values = elements(self.rng, self.numbers, dtype, n)
        if prefix is not None:
            expected = values.copy()
            expected[:len(prefix)] = prefix
        return Array(self, values, expected)

    def launch(self, kernel, grid, *more, **given):
        """Adds a launch. An array that a launch before had is its array again; `"x"` for a parameter is the array of parameter x."""
        arrays = {name: value for name, value in given.items() if isinstance(value, Array)}
        same = {name: value for name, value in given.items() if isinstance(value, str) and value in given}
        words = [self.wrapped(kernel, arrays, same) if self.wraps else kernel]
        prefix = "base_" if self.wraps else ""
        # What the stages before made is named first, since other arrays take these names.
        for name, value in sorted(arrays.items(), key=lambda item: item[1].name is None):
            if value.name is None:
                words.append(f"{prefix}{name}=@{self.save(value.base)}")
                value.name = prefix + name
                self.arrays.append(value)
            else:
                words.append(f"{prefix}{name}={value.name}")
            value.used = len(self.stages)
        words += [f"{name}={value}" for name, value in given.items() if name not in arrays and name not in same]
        self.stages.append((words, grid, list(map(str, more))))

    def wrapped(self, kernel, arrays, same):
        """Returns the name of a kernel with the text of that one whose parameters are views."""
        lines, functions, names = module(self.module)
        node = functions[kernel]
        key = kernel, *((name, array.layout.text) for name, array in arrays.items()), *same
        if key in self.kernels:
            return self.kernels[key][0]
        body = node.body[1:] if isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant) else node.body
        parameters = [self.parameter(each, arrays) for each in node.args.args if each.arg not in same]
        text = [f"@{ast.unparse(each)}" for each in node.decorator_list]
        text.append(f"def k{len(self.kernels)}({', '.join(parameters)}):")
        text += [f"    {name} = base_{name}{array.layout.text}" for name, array in arrays.items()]
        text += [f"    {name} = {other}" for name, other in same.items()]
        text += lines[body[0].lineno - 1:node.end_lineno]
        self.imports |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & names - {each.arg for each in node.args.args}
        self.kernels[key] = f"k{len(self.kernels)}", "\n".join(text)
        return self.kernels[key][0]

    @staticmethod
    def parameter(node, arrays):
        """Returns the text of a parameter, which is the array around a view where it is one of the arrays."""
        if node.arg not in arrays:
            return ast.unparse(node)
        array = arrays[node.arg]
        return f"base_{node.arg}" + (f": Pair[{', '.join(':' * array.base.ndim)}]" if array.dtype == RECORD else "")

    def command(self, options, lanes, compare_with=None, more_blocks=0):
        """Returns the words of kernc: those that check, or that compare with what a run before wrote."""
        if self.wraps:
            head = f"from {self.module} import {', '.join(sorted(self.imports))}\n\n\n@struct\nclass Pair:\n    a: i32\n    b: f32\n\n\n"
            (self.folder / "k.kern").write_text(head + "\n\n\n".join(text for _, text in self.kernels.values()) + "\n")
        words = [options.kernc, "run", str(self.folder / "k.kern") if self.wraps else f"std:{self.module}"]
        for number, (stage, grid, more) in enumerate(self.stages):
            words += (["--then"] if number else []) + stage + ["--grid", str(grid + more_blocks), *more]
            for array in self.arrays:
                if array.used == number and array.expected is not None and not self.fault:
                    words += ["--expect", f"{array.name}={self.save(array.expected)}"]
                if array.used == number and array in self.compared:
                    path = self.folder / f"compared{self.compared.index(array)}.npy"
                    words += ["--expect", f"{array.name}={path}"] if compare_with else ["-o", f"{array.name}={path}"]
        for name, value in self.defines.items():
            of, _, constant = name.partition(".")
            words.append(f"-D{constant if of == self.module and not self.wraps else name}={value}")
        return words + lanes + options.extra

    def compare(self, array, near):
        """Has the bits of an array compared between two runs, which may differ from these numbers by what rounding makes."""
        self.compared.append(array)
        array.near = near


def records(case):
    """Returns the record, as a list, where a case may have arrays of it."""
    return [RECORD] if case.wraps else []


def state_words(dtype):
    dtype = np.dtype(dtype)
    return dtype.itemsize // 4 if dtype.kind == "c" and dtype.itemsize == 16 else 2 if dtype.kind == "c" or dtype.itemsize == 8 else 1


def look_back_state(case, n, tile, words):
    t = -(-n // tile)
    return case.zeros(words * (t + t // 32 + t // 1024) + case.rng.choice([0, 0, 3]), "u8")


def operation(case, only=lambda op: True):
    """Returns an operation, a type of elements and a function of n that makes them, and sets OPERATION."""
    op = case.rng.choice([each for each in OPERATIONS_OF if only(each) and not (case.mild and each.strict)])
    dtype = np.dtype(case.rng.choice(op.types))
    if op.name != "add" or case.rng.random() < 0.3:
        if op.name == "add":
            case.set("OPERATION", "add")
        else:
            case.use("OPERATION", op.name)
    start = case.rng.choice(op.starts)
    if dtype.kind == "f" and op.name in ("least", "greatest") and case.rng.random() < 0.5:
        start = math.inf if op.name == "least" else -math.inf
    return op, dtype, start, lambda n: np.asarray((op.elements or elements)(case.rng, case.numbers, dtype, n)).astype(dtype)


def literal(value):
    return {math.inf: "math.inf", -math.inf: "-math.inf"}.get(value, value)


def out_type(case, dtype):
    """Returns the type, or a wider one that holds all of its numbers."""
    wider = {"u4": "u8", "f4": "f8", "f2": "f4", "i1": "i4", "u1": "i8", "i2": "i8", "u2": "u4", "i4": "i8", "c8": "c16"}
    key = f"{dtype.kind}{dtype.itemsize}"
    return np.dtype(wider[key]) if key in wider and case.rng.random() < 0.25 else np.dtype(dtype)


def best_scan(values):
    """Returns the greatest sum of a run of elements, up to each."""
    made, best, ending = [], None, None
    for value in values:
        ending = value if ending is None else max(value, ending + value)
        best = ending if best is None else max(best, ending)
        made.append(best)
    return made


def with_limit(case, n, dtype="i4"):
    """Returns elements of which some are those at which operations fault, and no other is greater."""
    x = case.numbers.integers(0, LIMIT, n).astype(dtype)
    x[case.numbers.integers(0, n, case.rng.choice([1, 1, 5]))] = LIMIT
    return x


def general(case, n, dtype):
    """Returns floats whose sums are rounded."""
    return (case.numbers.normal(size=n) * 10.0 ** case.numbers.integers(-3, 4, n)).astype(dtype)


def check_near(case, array, exact):
    """Compares with the exact sum, far enough from the bits that the order does not matter."""
    found = array.layout.view(np.load(case.folder / f"compared{case.compared.index(array)}.npy").reshape(array.base.shape))
    near = np.abs(found.astype(float) - exact) <= 1e-3 * (1 + np.abs(exact).max(initial=0)) if found.dtype.itemsize == 4 else np.isclose(found, exact, 1e-9, 1e-6)
    return None if near.all() else f"{found[~near][:3]} is not near {np.asarray(exact)[~near][:3]}"


def reduce(case):
    rng = case.rng
    threads, items = rng.choice([(64, 4), (32, 2), (64, 8), (128, 16), (256, 4), (96, 3), (32, 1)])
    case.set("THREADS", threads), case.set("ITEMS", items), case.set("MOST_BLOCKS", most := rng.choice([1, 3, 40]))
    tile = threads * items
    state = lambda words: case.zeros(most * words + 1, "u8")
    grid = lambda: rng.choice([1, 2, 3, 7])
    if case.faults:
        n = next(case.sizes(tile))
        which = rng.choice(["input", "operation", "out"])
        case.set("START", 0), case.set("COMMUTES", rng.random() < 0.5)
        if which == "out":
            case.expect_fault("fit", "operations.kern", "out[i] = value")
            return case.launch("reduce", grid(), x=case.given(np.full(n, 200, "i4")), out=case.out(1, "u1"), state=state(2))
        case.use(*(("INPUT", "faulting_at") if which == "input" else ("OPERATION", "faulting_join")))
        case.expect_fault("division", "ops.kern", "# faulting")
        return case.launch("reduce", grid(), x=case.given(with_limit(case, n)), out=case.out(1, "i8"), state=state(2))
    kind = rng.choice(["reduce"] * 5 + ["extremum", "best", "general"])
    if kind == "extremum":
        for n in case.sizes(tile):
            x = keys(rng, case.numbers, rng.choice(INTEGERS + FLOATS), n + 1)
            name = rng.choice(["argmin", "argmax"])
            place = int(getattr(x, name)())
            case.launch(name, grid(), x=case.given(x), value=case.out(1, x.dtype, x[place:place + 1]), place=case.out(1, "i8", [place]), state=state(4))
    elif kind == "best":
        case.use("INPUT", "best_at"), case.use("OPERATION", "best_join"), case.use("OUTPUT", "put_best")
        case.set("COMMUTES", False), case.set("START", "(0,0,0,0)")
        for n in case.sizes(tile):
            x = case.numbers.integers(-1000, 1000, n).astype(rng.choice(["i2", "i4", "i8"]))
            case.launch("reduce", grid(), x=case.given(x), out=case.out(1, "i8", [max([0, *best_scan(x.tolist())][-1], 0)]), state=state(8))
    elif kind == "general":
        dtype = np.dtype(rng.choice(FLOATS))
        for n in case.sizes(tile):
            out = case.out(1, dtype)
            x = general(case, n, dtype)
            case.compare(out, [math.fsum(x.tolist())])
            case.launch("reduce", grid(), x=case.given(x), out=out, state=state(2))
    else:
        op, dtype, start, make = operation(case)
        squares = dtype.kind in "iu" and dtype.itemsize < 8 and op.name == "add" and rng.random() < 0.3
        if squares:
            case.use("INPUT", "square_at")
        if not op.commutes or rng.random() < 0.3:
            case.set("COMMUTES", False)
        case.set("START", literal(start))
        result = np.dtype("i8") if squares else op.result(dtype)
        for n in case.sizes(tile):
            x = make(n)
            values = [v * v for v in x.tolist()] if squares else x.tolist()
            expected = op.scan([start, *values], result)[-1]
            out = out_type(case, result)
            case.launch("reduce", grid(), x=case.given(x), out=case.out(1, out, np.array([expected], result).astype(out)), state=state(state_words(result)))


def scan(case):
    rng = case.rng
    threads, items = rng.choice([(32, 2), (32, 4), (64, 4), (128, 8), (96, 3), (64, 1), (32, 32)])
    case.set("THREADS", threads), case.set("ITEMS", items)
    tile = threads * items
    grid = lambda n: max(1, -(-n // tile)) + rng.choice([0, 0, 2])
    name = rng.choice(["scan", "exclusive_scan"])
    if case.faults:
        n = next(case.sizes(tile))
        which = rng.choice(["input", "operation", "out"])
        if which == "out":
            case.expect_fault("fit", "operations.kern", "out[i] = value")
            return case.launch(name, grid(n), x=case.given(np.full(n, 300, "i4")), y=case.out(n, "u1"), state=look_back_state(case, n, tile, 2))
        case.use(*(("INPUT", "faulting_at") if which == "input" else ("OPERATION", "faulting_join")))
        case.expect_fault("division", "ops.kern", "# faulting")
        x = with_limit(case, n)
        x[0] = LIMIT    # an exclusive scan does not join the last one
        return case.launch(name, grid(n), x=case.given(x), y=case.out(n, "i8"), state=look_back_state(case, n, tile, 2))
    kind = rng.choice(["scan"] * 5 + ["best", "general"])
    if kind == "best":
        case.use("INPUT", "best_at"), case.use("OPERATION", "best_join"), case.use("OUTPUT", "put_best")
        for n in case.sizes(tile):
            x = case.numbers.integers(-1000, 1000, n).astype(rng.choice(["i2", "i4", "i8"]))
            case.launch("scan", grid(n), x=case.given(x), y=case.out(n, "i8", best_scan(x.tolist())), state=look_back_state(case, n, tile, 8))
        return
    if kind == "general":
        dtype = np.dtype(rng.choice(FLOATS))
        for n in case.sizes(tile):
            x, y = general(case, n, dtype), case.out(n, dtype)
            case.compare(y, np.cumsum(x.astype(float)))
            case.launch("scan", grid(n), x=case.given(x), y=y, state=look_back_state(case, n, tile, 2))
        return
    op, dtype, start, make = operation(case)
    case.set("START", literal(start))
    result = op.result(dtype)
    for n in case.sizes(tile):
        x = make(n)
        made = op.scan(x.tolist() if name == "scan" else [start, *x.tolist()][:n], result)
        state = look_back_state(case, n, tile, state_words(result))
        if case.wraps and result == dtype and rng.random() < 0.5:
            case.launch(name, grid(n), x=case.given(x, np.array(made, dtype)), y="x", state=state)
        else:
            out = out_type(case, result)
            case.launch(name, grid(n), x=case.given(x), y=case.out(n, out, np.array(made, result).astype(out)), state=state)


def runs_of(case, n, dtype="i4"):
    """Returns keys with runs of equal ones."""
    longest = case.rng.choice([1, 3, 100, n + 1])
    return np.repeat(case.numbers.integers(0, case.rng.choice([2, 50]), n), case.numbers.integers(1, longest, n, endpoint=True))[:n].astype(dtype)


def parts_of(x, heads):
    return [x[begin:end] for begin, end in zip(heads, [*heads[1:], len(x)])]


def by_key(case):
    rng = case.rng
    threads, items = rng.choice([(32, 2), (32, 4), (64, 4), (128, 8), (96, 3)])
    case.set("THREADS", threads, "scan"), case.set("ITEMS", items, "scan")
    tile = threads * items
    grid = lambda n: max(1, -(-n // tile)) + rng.choice([0, 0, 2])
    name = rng.choice(["scan_by_key", "exclusive_scan_by_key", "reduce_by_key", "run_length_encode"])
    if case.faults:
        n = next(case.sizes(tile))
        case.expect_fault("division", "ops.kern", "# faulting")
        if rng.random() < 0.5 or name == "run_length_encode":
            case.use("EQUAL", "faulting_equal")
            given, x = np.full(n, LIMIT, "i4"), np.zeros(n, "i4")
        else:
            case.use("OPERATION", "faulting_join")
            given, x = np.full(n, 5, "i4"), with_limit(case, n)
            x[0] = LIMIT
        arrays = {"keys": case.given(given), "x": case.given(x), "y": case.out(n, "i8"), "keys_out": case.out(n, "i4"), "out": case.out(n, "i8")}
        return launch_by_key(case, name, grid(n), n, arrays, case.out(1, "i8"), look_back_state(case, n, tile, 4))
    op, dtype, start, make = operation(case, lambda op: name != "run_length_encode" or op.name == "add")
    case.set("START", literal(start))
    result = op.result(dtype)
    tens = rng.random() < 0.3
    if tens:
        case.use("EQUAL", "same_tens")
    for n in case.sizes(tile):
        given, x = runs_of(case, n, rng.choice(["i4", "u1", "i8"])), make(n)
        compared = given // 10 if tens else given
        heads = np.flatnonzero(np.concatenate([[True], compared[1:] != compared[:-1]])[:n])
        tails = np.append(heads[1:], n)[:len(heads)] - 1
        parts = [part.tolist() for part in parts_of(x, heads)]
        scans = [op.scan(part if name != "exclusive_scan_by_key" else [start, *part][:-1], result) for part in parts]
        out = out_type(case, result)
        arrays = {"keys": case.given(given), "x": case.given(x),
                  "y": case.out(n, out, np.array([v for part in scans for v in part], result).astype(out)),
                  "keys_out": case.out(n, given.dtype, prefix=given[tails]),
                  "out": case.out(n, "i8", prefix=np.diff(np.append(heads, n))) if name == "run_length_encode" else
                  case.out(n, out, prefix=np.array([part[-1] for part in scans], result).astype(out))}
        words = 2 if name == "run_length_encode" else 1 + state_words(result)
        launch_by_key(case, name, grid(n), n, arrays, case.out(1, "i8", [len(heads)]), look_back_state(case, n, tile, words))


def launch_by_key(case, name, grid, n, arrays, count, state):
    if name == "run_length_encode":
        return case.launch(name, grid, x=arrays["keys"], values=arrays["keys_out"], lengths=arrays["out"], count=count, state=state)
    if name == "reduce_by_key":
        return case.launch(name, grid, keys=arrays["keys"], x=arrays["x"], keys_out=arrays["keys_out"], out=arrays["out"], count=count, state=state)
    return case.launch(name, grid, keys=arrays["keys"], x=arrays["x"], y=arrays["y"], state=state)


def select(case):
    rng = case.rng
    threads, items = rng.choice([(32, 2), (64, 2), (32, 4), (128, 4), (96, 3), (256, 1)])
    case.set("THREADS", threads), case.set("ITEMS", items)
    tile = threads * items
    grid = lambda n: max(1, -(-n // tile)) + rng.choice([0, 0, 2])
    name = rng.choice(["copy_if", "flagged", "unique", "unique_by_key", "partition", "partition_three"])
    tens = False
    if case.faults and name != "flagged":
        case.use({"unique": "EQUAL", "unique_by_key": "EQUAL", "partition_three": "SECOND"}.get(name, "KEEP"),
                 "faulting_equal" if name.startswith("unique") else "faulting_test")
        case.expect_fault("division", "ops.kern", "# faulting")
    else:
        case.faults = False
        if tens := rng.random() < 0.3:
            case.use("EQUAL", "same_tens")
        if even := rng.random() < 0.5:
            case.use("KEEP", "is_even"), case.use("FIRST", "is_third"), case.use("SECOND", "is_even")
    for n in case.sizes(tile):
        state = look_back_state(case, n, tile, 2 if name == "partition_three" else 1)
        if case.faults:
            x = np.full(n, LIMIT, "i4")
            if not name.startswith("unique"):
                x = with_limit(case, n)
            flags = None
        else:
            dtype = rng.choice(INTEGERS) if even or tens else rng.choice(INTEGERS + FLOATS)
            x = runs_of(case, n, dtype) if name.startswith("unique") else elements(rng, case.numbers, dtype, n)
            if name == "flagged" and rng.random() < 0.5:
                x = elements(rng, case.numbers, rng.choice(["c8", "?"] + records(case)), n)
        out = lambda part, like=x: case.out(n, like.dtype, prefix=part)
        if name == "flagged":
            flags = case.numbers.integers(0, rng.choice([2, 2, 1, 10]), n).astype(rng.choice(["u1", "?", "f4", "i8"]))
            some = x[flags != 0]
            case.launch(name, grid(n), x=case.given(x), flags=case.given(flags), y=out(some), count=case.out(1, "i8", [len(some)]), state=state)
        elif name in ("copy_if", "partition"):
            keep = x % 2 == 0 if "select.KEEP" in case.defines and not case.faults else x != 0
            rest = {"rest": out(x[~keep])} if name == "partition" else {}
            case.launch(name, grid(n), x=case.given(x), y=out(x[keep]), **rest, count=case.out(1, "i8", [keep.sum()]), state=state)
        elif name == "partition_three":
            first = x % 3 == 0 if "select.FIRST" in case.defines else x < 0
            second = ~first & (x % 2 == 0 if "select.SECOND" in case.defines and not case.faults else x != 0)
            case.launch(name, grid(n), x=case.given(x), y=out(x[first]), z=out(x[second]), rest=out(x[~first & ~second]),
                        count=case.out(2, "i8", [first.sum(), second.sum()]), state=state)
        else:
            compared = x // 10 if tens else x
            first = np.concatenate([[True], compared[1:] != compared[:-1]])[:n]
            count = case.out(1, "i8", [first.sum()])
            if name == "unique":
                case.launch(name, grid(n), x=case.given(x), y=out(x[first]), count=count, state=state)
            else:
                values = elements(rng, case.numbers, rng.choice(KEYS), n)
                case.launch(name, grid(n), keys=case.given(x), values=case.given(values), keys_out=out(x[first]), values_out=out(values[first], values), count=count, state=state)


def sort(case):
    rng = case.rng
    threads, items = rng.choice([(256, 1), (256, 2), (512, 1), (288, 3)])
    case.set("THREADS", threads), case.set("ITEMS", items), case.set("COUNTERS", rng.choice([256, 1024, 96]))
    tile = threads * items
    descending = rng.random() < 0.5
    case.set("DESCENDING", descending)
    dtype = np.dtype(rng.choice(KEYS))
    width = 1 if dtype == bool else 8 * dtype.itemsize
    begin, end = 0, 64
    if rng.random() < 0.4 and dtype != bool:
        begin = rng.randrange(width)
        end = rng.choice([64, rng.randint(begin + 1, width)])
        case.set("BEGIN_BIT", begin), case.set("END_BIT", end)
    passes = (min(end, 8 * dtype.itemsize) - begin + 7) // 8
    kind = rng.choice(["keys", "pairs", "argsort"])
    word = rng.choice(["u4", "u8"])
    value_type = np.dtype(rng.choice(["u4", "i8"]) if kind == "argsort" else rng.choice([*KEYS, "c16"] + records(case)))
    if case.faults:
        passes = (end - begin + 7) // 8
        case.use("INPUT", "faulting_at")
        n = next(case.sizes(tile))
        case.expect_fault("division", "ops.kern", "# faulting")
        return case.launch("digit_counts", 2, keys=case.given(with_limit(case, n, "i8")), counts=case.zeros((passes, 256), word))
    for n in case.sizes(tile):
        x = keys(rng, case.numbers, dtype, n)
        order = order_of(x, descending, begin, end)
        values = np.arange(n).astype(value_type) if kind == "argsort" else elements(rng, case.numbers, value_type, n)
        tiles = max(1, -(-n // tile))
        counts = case.zeros((passes, 256), word)
        now, now_values = case.given(x), None if kind == "argsort" else case.given(values)
        case.launch("digit_counts", rng.randint(1, 3), keys=now, counts=counts)
        case.launch("digit_starts", passes, counts=counts)
        for number in range(passes):
            last = number == passes - 1
            keys_out = case.out(n, dtype, x[order] if last else None)
            values_out = case.out(n, value_type, values[order] if last else None)
            common = {"starts": counts, "state": case.zeros((tiles, 256), word)}
            if kind == "keys":
                case.launch("sort_pass", tiles, keys=now, keys_out=keys_out, **common, number=number)
            elif now_values is None:
                case.launch("argsort_pass", tiles, keys=now, keys_out=keys_out, indices_out=values_out, **common)
            else:
                case.launch("sort_pairs_pass", tiles, keys=now, values=now_values, keys_out=keys_out, values_out=values_out, **common, number=number)
            now, now_values = keys_out, values_out


def merge_sort(case):
    rng = case.rng
    threads, items = rng.choice([(32, 3), (32, 1), (64, 2), (64, 5), (16, 3), (48, 3), (128, 1)])
    case.set("THREADS", threads), case.set("ITEMS", items)
    tile = threads * items
    kind, less = rng.choice(["keys", "pairs", "argsort"]), rng.choice(["less", "greater", "by_last_digit"])
    case.least_lanes = 1
    if case.faults:
        n = next(case.sizes(tile, 1000))
        case.use("LESS", "faulting_less")
        case.expect_fault("division", "ops.kern", "# faulting")
        x = np.concatenate([[LIMIT, 5], with_limit(case, n - 2)]) if n > 3 else np.array([LIMIT, 5])
        x = x.astype("i4")
        if min(tile, items) < 2:
            raise Skip
        return case.launch("block_sort", max(1, -(-len(x) // tile)), keys=case.given(x[::-1].copy()), keys_out=case.out(len(x), "i4"))
    if less == "by_last_digit":
        case.use("LESS", less)
    else:
        case.set("LESS", less)
    for n in case.sizes(tile, 1500):
        n = min(n, 2500)
        dtype = np.dtype(rng.choice(INTEGERS if less == "by_last_digit" else KEYS))
        x = keys(rng, case.numbers, dtype, n)
        order = np.argsort(x % 10, kind="stable") if less == "by_last_digit" else order_of(x, less == "greater")
        index_type = rng.choice(["i4", "i8", "u4", "u2"])
        value_type = np.dtype(index_type if kind == "argsort" else rng.choice(KEYS + records(case)))
        values = np.arange(n).astype(value_type) if kind == "argsort" else elements(rng, case.numbers, value_type, n)
        tiles, width = max(1, -(-n // tile)), tile
        last = width >= n
        made = lambda: (case.out(n, dtype, x[order] if last else None), case.out(n, value_type, values[order] if last else None))
        now, now_values = made()
        if kind == "keys":
            case.launch("block_sort", tiles, keys=case.given(x), keys_out=now)
        elif kind == "pairs":
            case.launch("block_sort_pairs", tiles, keys=case.given(x), values=case.given(values), keys_out=now, values_out=now_values)
        else:
            case.launch("block_argsort", tiles, keys=case.given(x), keys_out=now, indices_out=now_values)
        while width < n:
            last = 2 * width >= n
            splits = case.out(tiles, "i8")
            case.launch("merge_splits", max(1, -(-tiles // 64)), "--block", "64", keys=now, splits=splits, width=width)
            keys_out, values_out = made()
            if kind == "keys":
                case.launch("merge_pass", tiles, keys=now, keys_out=keys_out, splits=splits, width=width)
            else:
                case.launch("merge_pairs_pass", tiles, keys=now, values=now_values, keys_out=keys_out, values_out=values_out, splits=splits, width=width)
            now, now_values, width = keys_out, values_out, 2 * width


def top_k(case):
    rng = case.rng
    threads, items = rng.choice([(64, 2), (32, 1), (96, 3), (128, 4)])
    case.set("THREADS", threads), case.set("ITEMS", items), case.set("COUNTERS", rng.choice([256, 1024, 96]))
    largest = rng.random() < 0.5
    case.set("LARGEST", largest)
    word = rng.choice(["u4", "u8"])
    if case.faults:
        n = next(case.sizes(threads * items))
        case.use("INPUT", "faulting_at")
        case.expect_fault("division", "ops.kern", "# faulting")
        return case.launch("top_counts", 2, keys=case.given(with_limit(case, n)), counts=case.zeros((8, 256), word), chosen=case.zeros(2, "u8"), number=0)
    dtype = np.dtype(rng.choice(KEYS))
    for n in case.sizes(threads * items):
        x = keys(rng, case.numbers, dtype, n)
        k = rng.choice([0, min(n, 1), n, n // 2, rng.randint(0, n)])
        chosen_places = np.sort(order_of(x, largest)[:k])
        given, counts, chosen = case.given(x), case.zeros((dtype.itemsize, 256), word), case.zeros(2, "u8")
        for number in range(dtype.itemsize):
            case.launch("top_counts", rng.randint(1, 3), keys=given, counts=counts, chosen=chosen, number=number)
            case.launch("top_digit", 1, counts=counts, chosen=chosen, k=k, number=number)
        tiles = max(1, -(-n // (threads * items)))
        case.launch("top_gather", tiles, keys=given, keys_out=case.out(k, dtype, x[chosen_places]),
                    indices_out=case.out(k, rng.choice(["i4", "u4", "i8"]), chosen_places), chosen=chosen, state=case.zeros(tiles, "u8"))


def segmented(case):
    rng = case.rng
    by_block, threads, items = rng.random() < 0.5, rng.choice([64, 128, 256]), rng.choice([1, 2, 8])
    sort_items = rng.choice([256, 2048])
    case.set("BY_BLOCK", by_block), case.set("THREADS", threads), case.set("ITEMS", items), case.set("SORT_ITEMS", sort_items)
    group = threads if by_block else 32
    name = rng.choice(["segmented_reduce"] * 2 + ["segmented_inclusive_scan", "segmented_exclusive_scan"] * 2 + ["argument", "segmented_sort", "segmented_sort_pairs"])
    scans, sorts = "scan" in name, "sort" in name
    if case.faults:
        case.expect_fault("division", "ops.kern", "# faulting")
        lengths = [0, 3, rng.randint(2, 500), 1]
        n = sum(lengths) + 3
        offsets = case.given(np.cumsum([2, *lengths]).astype("i4"))
        if sorts:
            case.use("LESS", "faulting_less")
            x = np.arange(n)[::-1].astype("i4") % 100 + LIMIT - 3
            x[2:4] = LIMIT
            return case.launch("segmented_sort", 2, keys=case.given(x), offsets=offsets, scratch=case.out(n, "i4"), out=case.out(n, "i4"))
        case.use(*rng.choice([("INPUT", "faulting_at"), ("OPERATION", "faulting_join")]))
        x = np.zeros(n, "i4")
        x[rng.choice([2, 3])] = LIMIT
        out = case.out(n if scans else len(lengths), "i8")
        return case.launch(name if name != "argument" else "segmented_reduce", 2, x=case.given(x), offsets=offsets, out=out)
    op, dtype, start, make = operation(case, lambda op: scans or (op.commutes and name == "segmented_reduce") or op.name == "add")
    if name in ("argument", "segmented_sort", "segmented_sort_pairs"):
        dtype = np.dtype(rng.choice(INTEGERS + FLOATS))
    case.set("START", literal(start))
    result = op.result(dtype)
    less = rng.choice(["less", "descending"])
    if sorts and less == "descending":
        case.use("LESS", less)
    for size in case.sizes(group * items):
        size = min(size, 2500)
        lengths = [rng.choice([0, 1, 2, 31, 32, 33, rng.randint(0, 300), size]) for _ in range(rng.choice([0, 1, 3, 12]))]
        lead, trail = rng.choice([0, 0, 7]), rng.choice([0, 0, 5])
        bounds = np.cumsum([lead, *lengths])
        n = int(bounds[-1]) + trail
        offsets = case.given(bounds.astype(rng.choice(["i4", "i8", "u4", "u8"])))
        pieces = lambda x: [x[b:e] for b, e in zip(bounds, bounds[1:])]
        grid = rng.choice([1, 2, 3, max(1, -(-len(lengths) * group // threads))])
        x = np.zeros(n, dtype)
        if sorts or name == "argument":
            x = keys(rng, case.numbers, dtype, n)
            if sorts and less == "descending" and dtype.kind == "f":
                x = elements(rng, case.numbers, dtype, n)
        else:
            for b, e in zip(bounds, bounds[1:]):
                x[b:e] = make(e - b)

        def placed(old, results):
            new = old.copy()
            for b, e, values in zip(bounds, bounds[1:], results):
                new[b:e] = values
            return new

        def out_of(dtype, results):
            old = elements(rng, case.numbers, dtype, n)
            return case.given(old, placed(old, results))

        if name == "argument":
            kernel = rng.choice(["segmented_argmin", "segmented_argmax"])
            places = np.array([int(getattr(s, kernel[10:])()) if len(s) else -1 for s in pieces(x)], int)
            old = elements(rng, case.numbers, dtype, len(lengths))
            values = np.array([s[p] if p >= 0 else o for s, p, o in zip(pieces(x), places, old)], dtype)
            case.launch(kernel, grid, x=case.given(x), offsets=offsets, values=case.given(old, values), indices=case.out(len(lengths), rng.choice(["i4", "i8"]), places))
        elif name == "segmented_reduce":
            totals = [op.scan([start, *s.tolist()], result)[-1] for s in pieces(x)]
            out = out_type(case, result)
            case.launch(name, grid, x=case.given(x), offsets=offsets, out=case.out(len(lengths), out, np.array(totals, result).astype(out)))
        elif scans:
            made = [np.array(op.scan(s.tolist() if name == "segmented_inclusive_scan" else [start, *s.tolist()][:len(s)], result), result) for s in pieces(x)]
            if case.wraps and result == dtype and rng.random() < 0.5:
                case.launch(name, grid, x=case.given(x, placed(x, made)), offsets=offsets, out="x")
            else:
                case.launch(name, grid, x=case.given(x), offsets=offsets, out=out_of(out_type(case, result), made))
        else:
            orders = [np.argsort(-s.astype(float), kind="stable") if less == "descending" and dtype.itemsize < 8 else
                      np.array(sorted(range(len(s)), key=lambda i: -s.tolist()[i]), int) if less == "descending" else order_of(s) for s in pieces(x)]
            sorted_keys = [s[o] for s, o in zip(pieces(x), orders)]
            if name == "segmented_sort":
                case.launch(name, grid, keys=case.given(x), offsets=offsets, scratch=case.out(n, dtype), out=out_of(dtype, sorted_keys))
            else:
                values = elements(rng, case.numbers, rng.choice(KEYS), n)
                case.launch(name, grid, keys=case.given(x), values=case.given(values), offsets=offsets, keys_scratch=case.out(n, dtype), values_scratch=case.out(n, values.dtype),
                            keys_out=out_of(dtype, sorted_keys), values_out=out_of(values.dtype, [s[o] for s, o in zip(pieces(values), orders)]))


def transform(case):
    rng = case.rng
    threads, items = rng.choice([(32, 1), (64, 4), (256, 2), (96, 3), (20, 3)])
    case.set("THREADS", threads), case.set("ITEMS", items)
    tile = threads * items
    case.least_lanes = 1
    name = rng.choice(["transform", "transform_2", "transform_3", "transform_4", "transform_if", "transform_2_if", "transform_in_place", "transform_2_in_place",
                       "transform_if_in_place", "tabulate", "fill", "sequence", "adjacent_difference"])
    if case.faults:
        n = next(case.sizes(tile))
        x = with_limit(case, n)
        if rng.random() < 0.3:
            case.expect_fault("fit", "operations.kern", "out[i] = value")
            return case.launch("transform", rng.randint(1, 4), x=case.given(x + 300), out=case.out(n, "u1"))
        case.use("UNARY", "faulting")
        case.expect_fault("division", "ops.kern", "# faulting")
        return case.launch("transform", rng.randint(1, 4), x=case.given(x), out=case.out(n, "i8"))
    for n in case.sizes(tile):
        grid = rng.choice([1, 2, 5, max(1, -(-n // tile))])
        x, y, z, w = (case.numbers.integers(-100, 100, n).astype(rng.choice(["i1", "i2", "i4", "i8", "f4"])) for _ in range(4))
        stencil = case.numbers.integers(0, 2, n).astype(rng.choice(["u1", "?", "f4", "i8"]))
        kept = stencil != 0
        wide = lambda a: a.astype("f8" if a.dtype.kind == "f" else "i8")
        out_type_of = lambda *given: "f8" if any(a.dtype.kind == "f" for a in given) else "i8"
        out = lambda values, *given: case.out(n, out_type_of(*given), values)
        X, Y, Z, W = map(wide, (x, y, z, w))
        give = case.given
        if name == "transform":
            x = elements(rng, case.numbers, rng.choice([*KEYS, "c16"] + records(case)), n)
            case.launch(name, grid, x=give(x), out=case.out(n, x.dtype, x))
        elif name == "transform_2":
            case.launch(name, grid, x=give(x), y=give(y), out=out(X * Y, x, y))
        elif name == "transform_3":
            case.launch(name, grid, x=give(x), y=give(y), z=give(z), out=out(X * Y + Z, x, y, z))
        elif name == "transform_4":
            case.launch(name, grid, x=give(x), y=give(y), z=give(z), w=give(w), out=out(X * W - Y * Z, x, y, z, w))
        elif name == "transform_if":
            old = Z
            case.launch(name, grid, x=give(x.astype("i4")), stencil=give(stencil), out=case.given(old, np.where(kept, x.astype("i4"), old)))
        elif name == "transform_2_if":
            old = case.numbers.integers(0, 9, n).astype(out_type_of(x, y))
            case.launch(name, grid, x=give(x), y=give(y), stencil=give(stencil), out=give(old, np.where(kept, X * Y, old)))
        elif name == "transform_in_place":
            case.use("UNARY", "negated")
            case.launch(name, grid, x=give(X.astype("i8"), -X.astype("i8")))
        elif name == "transform_2_in_place":
            case.launch(name, grid, x=give(z.astype("i8"), z.astype("i8") * y.astype("i2")), y=give(y.astype("i2")))
        elif name == "transform_if_in_place":
            case.use("UNARY", "negated")
            case.launch(name, grid, x=give(X.astype("i8"), np.where(kept, -X.astype("i8"), X.astype("i8"))), stencil=give(stencil))
        elif name == "tabulate":
            case.launch(name, grid, out=case.out(n, rng.choice(["i8", "i4"]), np.arange(n)))
        elif name == "fill":
            case.launch(name, grid, out=case.out(n, rng.choice(["i8", "i4", "i1"]), np.full(n, -7)), value=-7)
        elif name == "sequence":
            case.launch(name, grid, out=case.out(n, rng.choice(["i8", "i4"]), 5 - 3 * np.arange(n)), start=5, step=-3)
        else:
            case.launch(name, grid, x=give(x), out=case.out(n, out_type_of(x), np.concatenate([X[:1], np.diff(X)])))


def gather(case):
    rng = case.rng
    threads, items = rng.choice([(32, 1), (64, 4), (256, 2), (96, 3), (20, 3)])
    case.set("THREADS", threads, "transform"), case.set("ITEMS", items, "transform")
    case.least_lanes = 1
    name = rng.choice(["gather", "gather_if", "scatter", "scatter_if", "reverse", "reverse_in_place", "rotate", "repeat", "tile"])
    if case.faults:
        n = next(case.sizes(threads * items))
        index = case.numbers.integers(0, n, n).astype("i4")
        index[rng.randrange(n)] = rng.choice([-1, n, 2**31 - 1, -2**31])
        x = case.given(np.arange(n))
        scatters = rng.random() < 0.5
        case.expect_fault("index", "gather.kern", "out[index[i]] = value" if scatters else "return x[index[i]]")
        return case.launch("scatter" if scatters else "gather", rng.randint(1, 3), x=x, index=case.given(index), out=case.out(n, "i8"))
    for n in case.sizes(threads * items):
        grid = rng.choice([1, 2, 5, max(1, -(-n // (threads * items)))])
        dtype = np.dtype(rng.choice([*KEYS, "c8", "c16"] + records(case)))
        x = elements(rng, case.numbers, dtype, n)
        m = n if n == 0 else rng.choice([0, n, rng.randint(0, 2000)])
        index_type = rng.choice(["i4", "i8", "u4", "u8"])
        if name.startswith("gather"):
            index = case.numbers.integers(0, max(n, 1), m).astype(index_type)
        else:
            index = case.numbers.permutation(n + 5)[:n].astype(index_type)
        stencil = case.numbers.integers(0, 2, len(index)).astype(rng.choice(["u1", "?", "f4"]))
        kept = stencil != 0
        wild = np.where(kept, index, np.array(2**31 - 1, index.dtype)).astype(index.dtype)
        old = elements(rng, case.numbers, dtype, m if name.startswith("gather") else n + 5)
        give = case.given
        if name == "gather":
            case.launch(name, grid, x=give(x), index=give(index), out=give(old, x[index]))
        elif name == "gather_if":
            expected = old.copy()
            expected[kept] = x[index[kept]]
            case.launch(name, grid, x=give(x), index=give(wild), stencil=give(stencil), out=give(old, expected))
        elif name == "scatter":
            expected = old.copy()
            expected[index] = x
            case.launch(name, grid, x=give(x), index=give(index), out=give(old, expected))
        elif name == "scatter_if":
            expected = old.copy()
            expected[index[kept]] = x[kept]
            case.launch(name, grid, x=give(x), index=give(wild), stencil=give(stencil), out=give(old, expected))
        elif name == "reverse":
            case.launch(name, grid, x=give(x), out=case.out(n, dtype, x[::-1]))
        elif name == "reverse_in_place":
            case.launch(name, grid, x=give(x, x[::-1]))
        elif name == "rotate":
            middle = rng.choice([0, 1, n, -1, rng.randint(-2**62, 2**62)])
            case.launch(name, grid, x=give(x), middle=middle, out=case.out(n, dtype, np.roll(x, -(middle % n)) if n else x))
        elif name == "repeat":
            times = rng.choice([0, 1, 2, 7])
            case.launch(name, grid, x=give(x), times=times, out=case.out(n * times, dtype, np.repeat(x, times)))
        else:
            size = rng.randint(0, 3 * n)
            case.launch(name, grid, x=give(x), out=case.out(size, dtype, np.resize(x, size) if size else x[:0]))


def transpose(case):
    rng = case.rng
    lanes, rows, tile = rng.choice([(32, 8, 64), (32, 4, 32), (16, 4, 32), (8, 8, 16)])
    case.set("LANES", lanes), case.set("ROWS", rows), case.set("TILE", tile)
    case.least_lanes = 1
    ndim = rng.choice([2, 2, 3, 4, 5, 6])
    shape = [rng.choice([0, 1, 2, 3, 5]) if rng.random() < 0.1 else rng.randint(1, 5) for _ in range(ndim)]
    for axis in rng.sample(range(ndim), 2 if ndim < 5 else 1):
        shape[axis] = rng.choice([1, tile - 1, tile, tile + 1, rng.randint(1, 100)])
    name = rng.choice(["transpose", "permute"])
    dtype = np.dtype(rng.choice([*KEYS, "c16"] + (records(case) if name == "transpose" else [])))
    x = elements(rng, case.numbers, dtype, math.prod(shape)).reshape(shape)
    axes = tuple(rng.sample(range(ndim), ndim))
    expected = x.swapaxes(-1, -2) if name == "transpose" else x.transpose(axes)
    if name == "permute":
        case.set("AXES", f"({','.join(map(str, axes))})")
    out = case.given(np.zeros(expected.shape, dtype), expected)
    case.faults = False
    case.launch(name, rng.choice([1, 2, 7]), src=case.given(x), dst=out)


def histogram(case):
    rng = case.rng
    threads, items = rng.choice([(64, 2), (32, 1), (512, 8), (100, 3)])
    case.set("THREADS", threads), case.set("ITEMS", items)
    case.set("COUNTERS", counters := rng.choice([64, 1000, 8192]))
    case.least_lanes = 1
    name = rng.choice(["histogram_even", "histogram_edges", "bincount", "bincount_bytes"])
    many = "_many" if rng.random() < 0.4 and name != "bincount_bytes" else ""
    if case.faults:
        n = next(case.sizes(threads * items))
        low, high = rng.choice([(1.0, 0.0), (0.0, math.nan), (-math.inf, 1.0)])
        case.expect_fault("assert", "search.kern", "assert low <= high")
        return case.launch(f"histogram_even{many}", rng.randint(1, 3), samples=case.given(np.zeros(n)), low=low, high=high, counts=case.zeros(5, "i8"))
    for n in case.sizes(threads * items):
        bins = rng.choice([1, 10, 64]) if not many else rng.choice([1, 10, 64, 3000])
        bins = min(bins, counters) if not many else bins
        dtype = rng.choice(["u4", "u8", "i4", "i8"])
        before = case.numbers.integers(0, 9, 256 if name == "bincount_bytes" else bins).astype(dtype)
        counted = lambda counts: case.given(before, (before + np.asarray(counts)).astype(dtype))
        grid = rng.choice([1, 2, 5])
        if name == "bincount_bytes":
            words, rest = case.numbers.integers(0, 2**32, n).astype("u4"), case.numbers.integers(0, 256, rng.randint(0, 3)).astype("u1")
            counts = np.bincount(np.concatenate([words.view("u1"), rest]), minlength=256)
            case.launch(name, grid, words=case.given(words), rest=case.given(rest), counts=counted(counts))
        elif name == "bincount":
            samples = elements(rng, case.numbers, rng.choice(INTEGERS), n)
            counts = np.zeros(bins, int)
            for v in samples.tolist():
                if 0 <= v < bins:
                    counts[v] += 1
            case.launch(name + many, grid, samples=case.given(samples), counts=counted(counts))
        else:
            samples = keys(rng, case.numbers, rng.choice(FLOATS), n) if rng.random() < 0.6 else case.numbers.integers(-20, 100, n).astype(rng.choice(["i4", "i2", "i8"]))
            if name == "histogram_even":
                low, high = rng.choice([(-1.0, 2.0), (0.0, 100.0), (-50.0, -50.0), (-100.0, 100.0), (0.1, 0.7)])
                # As the module says: equal bounds are moved apart, and bounds have the type of samples that are floats.
                bounds = [low - 0.5, high + 0.5] if low == high else [low, high]
                first, last = np.array(bounds).astype(samples.dtype if samples.dtype.kind == "f" else "f8")
                within = samples[(samples >= first) & (samples <= last)]
                counts = np.histogram(within, bins, (low, high))[0]
                case.launch(name + many, grid, samples=case.given(samples), low=low, high=high, counts=counted(counts))
            else:
                edges = np.sort(case.numbers.integers(-100, 100, bins + 1)).astype(rng.choice([samples.dtype.str, "f8", "i8"]))
                within = samples[(samples >= edges[0]) & (samples <= edges[-1])]
                case.launch(name + many, grid, samples=case.given(samples), edges=case.given(edges), counts=counted(np.histogram(within, edges)[0]))


MODULES = {each.__name__: each for each in (reduce, scan, by_key, select, sort, merge_sort, top_k, segmented, transform, gather, transpose, histogram)}


def run(case, words):
    """Runs kernc; returns the exit code, or None where it does not end, and what it said."""
    cache = {"KERN_CACHE": "on", "KERN_CACHE_DIR": str(case.folder / "cache")}
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **cache})
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, f"it does not end within {PATIENCE} s"


def wrong_fault(case, code, said):
    """Returns what is wrong with what is said of a fault."""
    kind, file, texts = case.fault
    found = re.search(r"^(\S+):(\d+):\d+: fault\[(\w+)\][^\n]*\n *\d+ \|([^\n]*)", said, re.M)
    if code != 4 or not found:
        return f"exit code {code}, a fault of {file} expected"
    # A view's kernel has the text of the module's.
    if pathlib.PurePath(found[1]).name != file or not any(text in found[4] for text in texts) or not found[3].startswith(kind):
        return f"fault[{found[3]}] of {found[1]}: {found[4].strip()}; fault[{kind}] of {file} expected: {texts}"
    return None


def check(options, seed, folder):
    """Returns what is wrong with the case of a seed, or None."""
    case = Case(options, seed, folder)
    case.module = case.rng.choice(options.modules)
    (folder / "ops.kern").write_text(OPERATIONS.lstrip())
    try:
        MODULES[case.module](case)
    except Skip:
        return arguments.SKIPPED
    ways = [["--lanes=16"], ["--lanes=32"], [], ["--guards=shadow"], ["--lanes=32", "--guards=shadow"], ["-O0"]] + [["--lanes=1"]] * (case.least_lanes == 1)
    for again in range(2 if case.compared else 1):
        words = case.command(options, case.rng.choice(ways), again > 0, again * case.rng.choice([1, 4]))
        code, said = run(case, words)
        problem = wrong_fault(case, code, said) if case.fault else f"exit code {code}" if code != 0 else None
        if not problem and again == 0:
            problem = next((wrong for wrong in (check_near(case, array, array.near) for array in case.compared) if wrong), None)
        if problem:
            keep_all(options, seed, folder)
            return f"{problem}\n{shlex.join(words)}\n{said[-3000:]}"
    return None


def keep_all(options, seed, folder):
    """Keeps all files of a case that fails, so that its command can be given again there."""
    if options.keep:
        target = options.keep / f"library{seed}"
        target.mkdir(parents=True, exist_ok=True)
        for path in [*folder.glob("*.npy"), *folder.glob("*.kern")]:
            (target / path.name).write_bytes(path.read_bytes())


def main():
    parser = arguments.parser(20, keep=True)
    parser.add_argument("--modules", default=",".join(MODULES), help="of which modules")
    parser.add_argument("--mild", action="store_true", help="without strict operations")
    options = parser.parse_args()
    options.modules = options.modules.split(",")
    return arguments.check_each(options, "library", check)


if __name__ == "__main__":
    sys.exit(main())

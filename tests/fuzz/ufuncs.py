#!/usr/bin/env python3
"""NumPy's functions of numbers, and of arrays with the array of the results, against NumPy: values and types, for random types and shapes that
broadcast, at numbers that matter.

usage: ufuncs.py KERNC [--count N] [--seed S] [--seconds T] [--device cpu|cuda]
"""
import random
import subprocess
import sys

import numpy

import arguments

LANES = [], ["--lanes=1"], ["--lanes=16", "-O0"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
ARITHMETIC = "add subtract multiply maximum minimum fmax fmin"
EXACT_TWO = "greater greater_equal less less_equal equal not_equal logical_and logical_or logical_xor"
BITS = "bitwise_and bitwise_or bitwise_xor"
BOUNDED = "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt deg2rad rad2deg degrees radians"
WHOLE = "sqrt floor ceil trunc rint fabs isnan isinf isfinite"
ONE = "negative positive absolute abs square sign logical_not"
TWO_FLOATS = "arctan2 hypot copysign fmod power nextafter"
ULP = 8


def signatures():
    """Yields each function with the types that its arguments may have, and whether it has an error bound."""
    for name in ARITHMETIC.split() + EXACT_TWO.split():
        yield name, [INTEGERS + FLOATS] * 2, False
    for name in BITS.split():
        yield name, [INTEGERS + ["bool"]] * 2, False
    for name in "left_shift", "right_shift":
        yield name, [INTEGERS, INTEGERS], False
    for name in "floor_divide", "remainder", "mod":
        yield name, [INTEGERS, INTEGERS], False
    for name in "true_divide", "divide":
        yield name, [INTEGERS + FLOATS] * 2, False
    for name in WHOLE.split():
        yield name, [FLOATS + ["int32", "int64"] if name == "sqrt" else FLOATS], False
    for name in BOUNDED.split():
        yield name, [FLOATS + ["int16", "int32", "int64", "uint8"]], True
    for name in ONE.split():
        yield name, [INTEGERS + FLOATS], False
    for name in "invert", "bitwise_not":
        yield name, [INTEGERS + ["bool"]], False
    yield "reciprocal", [FLOATS], False
    for name in TWO_FLOATS.split():
        yield name, [FLOATS, FLOATS], name != "copysign"
    yield "power", [["int32", "int64"], ["uint8"]], False


SIGNATURES = list(signatures())


def numbers(random, name, dtype, position, shape):
    dtype = numpy.dtype(dtype)
    size = int(numpy.prod(shape))
    if dtype == bool:
        return numpy.array([random.random() < 0.5 for _ in range(size)]).reshape(shape)
    if dtype.kind == "f":
        pool = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-3, 100.25, numpy.pi]
        if not name.startswith(("power", "fmod", "hypot", "nextafter")):
            pool += [numpy.inf, -numpy.inf, numpy.nan]
        return numpy.array([random.choice(pool) for _ in range(size)], dtype).reshape(shape)
    info = numpy.iinfo(dtype)
    pool = [0, 1, 2, 3, 7, 100, info.max, info.max - 1]
    if dtype.kind == "i":
        # The least number by -1 is what each makes of it.
        pool += [-1, -2, -7, info.min + 1]
    if "shift" in name and position == 1:
        pool = [0, 1, 3, 7]
    if name == "power":
        pool = [0, 1, 2, 3, 5] if position else [0, 1, 2, 3, -3, 11]
    return numpy.array([random.choice(pool) for _ in range(size)], dtype).reshape(shape)


def result_of(name, values):
    """What NumPy computes, where its halves are singles: Numba has no loops of halves."""
    function = getattr(numpy, name)
    with numpy.errstate(all="ignore"):
        result = function(*values)
        if result.dtype == numpy.float16:
            result = function(*(value.astype(numpy.float32) for value in values))
    return result


def make_case(random, number):
    """Returns a case; NumPy refuses some pairs of types, as the bits of int64 and uint64."""
    while True:
        try:
            return Case(random, number)
        except TypeError:
            continue


class Case:
    def __init__(self, random, number):
        self.name, types, self.bounded = random.choice(SIGNATURES)
        self.number = number
        self.shape = [random.randint(1, 5) for _ in range(random.randint(1, 2))]
        self.is_array = random.random() < 0.5
        self.values = []
        for position, choices in enumerate(types):
            shape = list(self.shape)
            if self.is_array and position and random.random() < 0.5:
                shape = [random.choice([1, extent]) for extent in shape[random.randrange(len(shape)):]]
            self.values.append(numbers(random, self.name, random.choice(choices), position, shape))
        self.result = result_of(self.name, self.values)
        self.keyword = random.random() < 0.5

    def lines(self):
        n, names = self.number, [f"x{self.number}_{i}" for i in range(len(self.values))]
        if self.is_array:
            out = f"out=o{n}" if self.keyword else f"o{n}"
            yield "    if t == 0:"
            yield f"        np.{self.name}({', '.join(names)}, {out})"
            return
        indices = ", ".join("ij"[: len(self.shape)])
        pad = "    "
        for variable, extent in zip("ij", self.shape):
            yield f"{pad}for {variable} in range({extent}):"
            pad += "    "
        yield f"{pad}if (i + t) % 8 == 0:"
        yield f"{pad}    r{n} = np.{self.name}({', '.join(f'{name}[{indices}]' for name in names)})"
        yield f"{pad}    o{n}[{indices}] = r{n}"
        yield f"{pad}    types[{n}] = r{n}.dtype == np.{'bool_' if self.result.dtype == bool else self.result.dtype.name}"

    def wrong(self, got):
        expected = self.result
        if expected.dtype.kind != "f":
            return got != expected
        with numpy.errstate(all="ignore"):
            near = numpy.abs(got - expected) <= (ULP * numpy.spacing(numpy.abs(expected)) if self.bounded else 0)
        return ~(near | (got == expected) | (numpy.isnan(got) & numpy.isnan(expected)))


def check(options, seed, scratch):
    writer = random.Random(seed)
    cases = [make_case(writer, number) for number in range(12)]
    params = ["types"]
    command = ["--grid=1", "--block=8", "-Wno-unset", "-Wno-widen", "-Wno-race", f"types=zeros:int32:{len(cases)}", "-o", f"types={scratch}/types.npy"]
    lines = []
    for case in cases:
        n = case.number
        for i, value in enumerate(case.values):
            numpy.save(scratch / f"x{n}_{i}.npy", value)
            params.append(f"x{n}_{i}")
            command.append(f"x{n}_{i}=@{scratch}/x{n}_{i}.npy")
        params.append(f"o{n}")
        shape = "x".join(map(str, case.result.shape))
        command += [f"o{n}=zeros:{case.result.dtype.name}:{shape}", "-o", f"o{n}={scratch}/o{n}.npy"]
        lines += case.lines()
    source = scratch / "ufuncs.py"
    head = ["import numpy as np", "from numba import cuda", "", "", "@cuda.jit", f"def k({', '.join(params)}):", "    t = cuda.threadIdx.x"]
    source.write_text("\n".join(head + lines) + "\n")
    command = [options.kernc, "run", source, "k", *command, f"--device={options.device}"]
    if options.device == "cpu":
        command += writer.choice(LANES)
    done = subprocess.run(command, capture_output=True, text=True)
    failures = [] if done.returncode == 0 else [done.stdout + done.stderr]
    for case in cases if not failures else []:
        got = numpy.load(scratch / f"o{case.number}.npy").reshape(case.result.shape)
        wrong = case.wrong(got)
        types = [value.dtype.name for value in case.values]
        if wrong.any():
            at = tuple(numpy.argwhere(wrong)[0])
            values = [numpy.broadcast_to(value, case.result.shape)[at] for value in case.values]
            failures.append(f"np.{case.name} of {types}, {values}: expected {case.result[at]}, got {got[at]}")
        if not case.is_array and numpy.load(scratch / "types.npy")[case.number] != 1:
            failures.append(f"np.{case.name} of {types}: not of type {case.result.dtype}")
    if failures:
        sys.exit(f"{' '.join(map(str, command))}\n{source.read_text()}" + "\n".join(failures))


arguments.agree(arguments.parser(20, device=True).parse_args(), check)

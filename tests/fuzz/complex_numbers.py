#!/usr/bin/env python3
"""Complex numbers: every operator and every function of cmath at edge values (infinities, NaN, signed zeros, numbers that are tiny, huge, or on
a branch cut) and at random ones, in both dialects and both precisions, against Python's cmath. Where Python raises an exception the
limit is expected, as NumPy gives it.

usage: complex_numbers.py KERNC [--count N] [--seed S] [--seconds T] [--edges N] [-- OPTION...]        the options go to `kernc run`
"""
# fuzz: -- --lanes=1
# fuzz: -- --lanes=32
import cmath
import math
import subprocess
import sys

import numpy

import arguments

numpy.seterr(all="ignore")

EDGES = [-math.inf, -1e300, -711.0, -2.5, -1.0, -0.75, -1e-310, -0.0, 0.0, 1e-310, 0.25, 1.0, 1.5, 711.0, 1e300, math.inf, math.nan]
SMALL_EDGES = [-math.inf, -2.5, -1.0, -0.75, -0.0, 0.0, 0.25, 1.0, 1.5, math.inf, math.nan]
FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10", "sin", "sinh", "sqrt", "tan", "tanh"]
NUMPY = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh"}
PREDICATES = ["isnan", "isinf", "isfinite"]
WILD = 20  # random numbers beside the edge values


def overflowed(name, z):
    """Returns what a function is that Python refuses because it is too large."""
    c, s = math.cos(z.imag), math.sin(z.imag)
    half = math.exp(abs(z.real) / 2) if abs(z.real) < 1400 else math.inf
    # A part that is zero stays so: the factor must not be infinite.
    whole = 1.0 if s == 0 else half
    if name == "exp":
        return complex(half * c * half, whole * s * whole)
    if name == "cosh":
        return complex(half * c * (half / 2), whole * s * (whole / 2) * math.copysign(1, z.real))
    if name == "sinh":
        return complex(half * c * (half / 2) * math.copysign(1, z.real), whole * s * (whole / 2))
    if name == "cos":
        return overflowed("cosh", complex(-z.imag, z.real))
    if name == "sin":
        w = overflowed("sinh", complex(-z.imag, z.real))
        return complex(w.imag, -w.real)
    return None


def reference(name, z):
    """Returns the value, and whether signs of infinities and zeros are specified."""
    try:
        return getattr(cmath, name)(z), True
    except OverflowError:
        return overflowed(name, z), True
    except ValueError:
        if name in ("log", "log10"):
            return complex(-math.inf, math.atan2(z.imag, z.real) / (math.log(10) if name == "log10" else 1)), True
        if name == "atanh" and abs(z.real) == 1:
            return complex(math.copysign(math.inf, z.real), z.imag), True
        if name == "atan":
            return complex(z.real, math.copysign(math.inf, z.imag)), True
        return complex(getattr(numpy, NUMPY.get(name, name))(numpy.complex128(z))), False


def quotient(a, b, dialect):
    if b == 0:
        if dialect == "py":
            return 0j
        size = numpy.float64(abs(b.real))
        return complex(float(a.real / size), float(a.imag / size))
    return a / b if not (cmath.isinf(b) or cmath.isnan(b)) else None


OPERATORS = {
    "+": lambda a, b, dialect: a + b,
    "-": lambda a, b, dialect: a - b,
    "*": lambda a, b, dialect: complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real),
    "/": quotient,
}


def same_part(got, expected, scale, tolerance, is_signed):
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    if math.isinf(expected) or math.isinf(got):
        return got == expected or (not is_signed and math.isinf(got) and math.isinf(expected))
    if expected == 0 and got == 0:
        return not is_signed or math.copysign(1, got) == math.copysign(1, expected)
    return abs(got - expected) <= tolerance * scale


def same(got, expected, tolerance, is_signed=True):
    finite = [abs(part) for part in (expected.real, expected.imag) if math.isfinite(part)]
    scale = max([*finite, sys.float_info.min])
    return same_part(got.real, expected.real, scale, tolerance, is_signed) and same_part(got.imag, expected.imag, scale, tolerance, is_signed)


def source(dialect, kind):
    kern = dialect == "kern"
    head = "" if kern else "import cmath\nfrom numba import cuda\n\n"
    place = "grid(1)" if kern else "cuda.grid(1)"
    text = head
    names = [*FUNCTIONS, *PREDICATES, "phase"]
    for name in names:
        out = kind if name in FUNCTIONS else "bool" if name in PREDICATES else {"c64": "f32", "c128": "f64"}[kind]
        params = f"z: {kind}[:], out: {out}[:]" if kern else "z, out"
        text += f"{'@kernel' if kern else '@cuda.jit'}\ndef k_{name}({params}):\n    i = {place}\n    if i < z.size:\n        out[i] = cmath.{name}(z[i])\n\n"
    params = f"a: {kind}[:], b: {kind}[:], sum: {kind}[:], difference: {kind}[:], product: {kind}[:], quotient: {kind}[:], equal: bool[:], negative: {kind}[:]"
    params = params if kern else "a, b, sum, difference, product, quotient, equal, negative"
    text += f"{'@kernel' if kern else '@cuda.jit'}\ndef k_operators({params}):\n    i = {place}\n    if i < a.size:\n"
    text += "        x = a[i]\n        y = b[i]\n        sum[i] = x + y\n        difference[i] = x - y\n        product[i] = x * y\n        quotient[i] = x / y\n"
    text += "        equal[i] = x == y\n        negative[i] = -x\n"
    return text


class Runner:
    def __init__(self, kernc, options, folder):
        self.kernc, self.options, self.folder, self.failures, self.values = kernc, options, folder, [], 0

    def run(self, path, kernel, arrays, outputs):
        arguments = []
        for name, values in arrays.items():
            numpy.save(self.folder / f"{name}.npy", values)
            arguments.append(f"{name}=@{self.folder}/{name}.npy")
        for name, (dtype, count) in outputs.items():
            arguments += [f"{name}=zeros:{dtype}:{count}", "-o", f"{name}={self.folder}/{name}.out.npy"]
        command = [self.kernc, "run", str(path), kernel, *arguments, *self.options]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr[:4000]}")
        return {name: numpy.load(self.folder / f"{name}.out.npy") for name in outputs}

    def check(self, holds, text):
        self.values += 1
        if not holds:
            self.failures.append(text)


def check_functions(runner, path, dialect, kind, numbers):
    tolerance = 2e-6 if kind == "c64" else 1e-14
    dtype = "complex64" if kind == "c64" else "complex128"
    z = numpy.array(numbers, dtype)
    for name in [*FUNCTIONS, *PREDICATES, "phase"]:
        out = dtype if name in FUNCTIONS else "bool" if name in PREDICATES else dtype.replace("complex64", "float32").replace("complex128", "float64")
        got = runner.run(path, f"k_{name}", {"z": z}, {"out": (out, z.size)})["out"]
        for value, result in zip(z, got):
            value = complex(value)
            if name in PREDICATES:
                runner.check(bool(result) == getattr(cmath, name)(value), f"{dialect} {kind} {name}({value}): {result}")
                continue
            if name == "phase":
                expected = math.atan2(value.imag, value.real)
                runner.check(same_part(float(result), expected, abs(expected), tolerance, True), f"{dialect} {kind} phase({value}): {result}, expected {expected}")
                continue
            expected, is_signed = reference(name, value)
            runner.check(same(complex(result), expected, tolerance, is_signed), f"{dialect} {kind} {name}({value}): {complex(result)}, expected {expected}")


def check_operators(runner, path, dialect, kind, pairs):
    dtype = "complex64" if kind == "c64" else "complex128"
    tolerance = 1e-6 if kind == "c64" else 4e-15
    a, b = (numpy.array([pair[k] for pair in pairs], dtype) for k in (0, 1))
    outputs = {"sum": dtype, "difference": dtype, "product": dtype, "quotient": dtype, "equal": "bool", "negative": dtype}
    got = runner.run(path, "k_operators", {"a": a, "b": b}, {name: (out, a.size) for name, out in outputs.items()})
    for k in range(a.size):
        x, y = complex(a[k]), complex(b[k])
        where = f"{dialect} {kind} of {x} and {y}"
        for (sign, compute), name in zip(OPERATORS.items(), ["sum", "difference", "product", "quotient"]):
            expected = compute(x, y, dialect)
            if expected is not None:
                # A sum of products is fused, and may lose all but the last bits of the greater one.
                scale = abs(x) * abs(y) if name == "product" and cmath.isfinite(x) and cmath.isfinite(y) else 0
                near = scale and abs(complex(got[name][k]) - expected) <= tolerance * scale
                runner.check(near or same(complex(got[name][k]), expected, tolerance), f"{where}: {sign} gives {complex(got[name][k])}, expected {expected}")
        runner.check(bool(got["equal"][k]) == (x == y), f"{where}: == gives {got['equal'][k]}")
        runner.check(same(complex(got["negative"][k]), -x, 0), f"{where}: - gives {complex(got['negative'][k])}")


def check(options, seed, folder):
    random = numpy.random.default_rng(seed)
    wild = [complex(*(random.choice([-1, 1], 2) * 10 ** random.uniform(-3, 2, 2))) for _ in range(WILD)]
    runner = Runner(options.kernc, options.extra, folder)

    def some(edges): return edges[seed % options.edges::options.edges]

    for dialect in "kern", "py":
        for kind in "c128", "c64":
            edges = EDGES if kind == "c128" else SMALL_EDGES
            path = folder / f"{kind}.{dialect}"
            path.write_text(source(dialect, kind))
            numbers = some([complex(x, y) for x in edges for y in edges]) + [z for z in wild if kind == "c128" or abs(z.real) + abs(z.imag) < 80]
            check_functions(runner, path, dialect, kind, numbers)
            few = [complex(x, y) for x in SMALL_EDGES for y in SMALL_EDGES]
            check_operators(runner, path, dialect, kind, some([(x, y) for x in few for y in few[::3]]) + list(zip(wild, wild[1:])))
    if runner.failures:
        sys.exit("\n".join([*runner.failures[:200], f"{len(runner.failures)} of {runner.values} differ"]))


def main():
    parser = arguments.parser(1)
    parser.add_argument("--edges", type=int, default=5, metavar="N", help="every N-th pair of edge values")
    arguments.agree(parser.parse_args(), check)


main()

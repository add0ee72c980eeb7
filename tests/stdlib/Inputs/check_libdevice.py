#!/usr/bin/env python3
"""Compares the functions of libdevice with Python's `math` and with exact fractions, and demands that each one is there.

usage: check_libdevice.py KERNC FOLDER
"""
import math
import pathlib
import random
import struct
import subprocess
import sys
from fractions import Fraction

import numpy as np

kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
generator = random.Random(1)


def bisected(function, wanted, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < wanted else (low, middle)
    return low


ONE = {"cos": math.cos, "sin": math.sin, "tan": math.tan, "exp": math.exp, "exp2": lambda x: 2.0**x, "exp10": lambda x: 10.0**x,
       "expm1": math.expm1, "log": math.log, "log2": math.log2, "log10": math.log10, "log1p": math.log1p, "acos": math.acos,
       "asin": math.asin, "atan": math.atan, "cosh": math.cosh, "sinh": math.sinh, "tanh": math.tanh, "asinh": math.asinh,
       "atanh": math.atanh, "erf": math.erf, "erfc": math.erfc, "tgamma": math.gamma, "lgamma": math.lgamma, "sqrt": math.sqrt,
       "rsqrt": lambda x: x**-0.5, "cbrt": lambda x: x**(1 / 3), "rcbrt": lambda x: x**(-1 / 3), "floor": math.floor,
       "ceil": math.ceil, "trunc": math.trunc, "rint": round, "nearbyint": round, "round": lambda x: math.floor(x + 0.5),
       "fabs": abs, "logb": lambda x: math.frexp(x)[1] - 1, "sinpi": lambda x: math.sin(math.pi * x),
       "cospi": lambda x: math.cos(math.pi * x), "normcdf": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
       "erfinv": lambda x: bisected(math.erf, x, -6.0, 6.0), "erfcinv": lambda x: bisected(math.erf, 1 - x, -6.0, 6.0),
       "erfcx": lambda x: math.exp(x * x) * math.erfc(x),
       "normcdfinv": lambda x: bisected(lambda y: 0.5 * math.erfc(-y / math.sqrt(2)), x, -8.0, 8.0)}
TWO = {"atan2": math.atan2, "copysign": math.copysign, "fmod": math.fmod, "hypot": math.hypot, "pow": math.pow,
       "remainder": math.remainder, "fdim": lambda x, y: max(x - y, 0.0), "fmax": max, "fmin": min}


def run(body, arrays):
    """Runs a kernel whose body computes one element of `o` for each element of the arrays."""
    count = len(next(iter(arrays.values())))
    program = folder / "program.py"
    program.write_text("from numba import cuda\nfrom numba.cuda import libdevice\n\n\n@cuda.jit\n"
                       f"def k(o, {', '.join(arrays)}):\n    i = cuda.grid(1)\n    if i < o.shape[0]:\n"
                       + "".join(f"        o[i, {k}] = {line}\n" for k, line in enumerate(body)))
    words = [f"o=zeros:f64:{count}x{len(body)}"]
    for name, value in arrays.items():
        np.save(folder / f"{name}.npy", value)
        words.append(f"{name}=@{folder}/{name}.npy")
    command = [kernc, "run", str(program), "k", *words, "-o", f"o={folder}/o.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return np.load(folder / "o.npy")


def check(name, got, expected, tolerance):
    wrong = np.abs(got - expected) > tolerance * np.maximum(np.abs(expected), 1e-3)
    assert not wrong.any(), f"{name}: {got[wrong][:3]} for {expected[wrong][:3]}"


def check_functions():
    x = np.array([generator.uniform(0.01, 0.99) for _ in range(64)])
    y = np.array([generator.uniform(0.1, 3) for _ in range(64)])
    body, expected, names = [], [], []
    for table, args in ((ONE, ["x[i]"]), (TWO, ["x[i]", "y[i]"])):
        for name, function in table.items():
            for suffix in ("", "f"):
                body.append(f"libdevice.{name}{suffix}({', '.join(args)})")
                given = [v if not suffix else v.astype(np.float32).astype(float) for v in (x, y)][:len(args)]
                expected.append(np.array([function(*row) for row in zip(*given)], float))
                names.append(name + suffix)
    got = run(body, {"x": x, "y": y})
    for k, name in enumerate(names):
        check(name, got[:, k], expected[k], 1e-5 if name not in ONE and name not in TWO else 1e-12)


def floats_around(value, width):
    """Returns the greatest float that is at most an exact value, and the least that is at least it."""
    kind = {32: np.float32, 64: np.float64}[width]
    near = kind(float(value)) if width == 64 else kind(value.numerator / value.denominator)
    low = high = near
    while Fraction(float(low)) > value:
        low = np.nextafter(low, kind(-np.inf))
    while Fraction(float(high)) < value:
        high = np.nextafter(high, kind(np.inf))
    while Fraction(float(np.nextafter(low, kind(np.inf)))) <= value:
        low = np.nextafter(low, kind(np.inf))
    while Fraction(float(np.nextafter(high, kind(-np.inf)))) >= value:
        high = np.nextafter(high, kind(-np.inf))
    return float(low), float(high)


def check_rounding():
    rows = 200
    x, y, z = (np.array([generator.choice([-1, 1]) * generator.uniform(1, 2) * 2.0**generator.randint(-30, 30)
                         for _ in range(rows)]).astype(np.float32).astype(float) for _ in range(3))
    n = np.array([generator.getrandbits(63) - 2**62 for _ in range(rows)], np.int64)
    exact = {"add": lambda a, b, c, m: a + b, "sub": lambda a, b, c, m: a - b, "mul": lambda a, b, c, m: a * b,
             "div": lambda a, b, c, m: a / b, "fma": lambda a, b, c, m: a * b + c, "rcp": lambda a, b, c, m: 1 / a,
             "ll2": lambda a, b, c, m: Fraction(int(m))}
    body, wanted = [], []
    for operation, function in exact.items():
        for prefix, width in (("f", 32), ("d", 64)):
            if operation == "sub" and width == 64:
                continue
            name = {"fma": "fmaf" if width == 32 else "fma", "ll2": "ll2float" if width == 32 else "ll2double"}.get(
                operation, prefix + operation)
            args = {"fma": "x[i], y[i], z[i]", "rcp": "x[i]", "ll2": "n[i]"}.get(operation, "x[i], y[i]")
            values = [function(*map(Fraction, row[:3]), row[3]) for row in zip(x, y, z, n)]
            around = [floats_around(value, width) for value in values]
            for mode in ("rd", "ru", "rz"):
                body.append(f"libdevice.{name}_{mode}({args})")
                wanted.append((body[-1], [low if mode == "rd" or (mode == "rz" and value > 0) else high
                                          for value, (low, high) in zip(values, around)]))
    got = run(body, {"x": x, "y": y, "z": z, "n": n})
    for k, (text, expected) in enumerate(wanted):
        assert (got[:, k] == np.array(expected)).all(), f"{text}: {got[:, k][got[:, k] != expected][:3]}"


def check_integers():
    values = [0, 1, -1, 5, -7, 2**31 - 1, -2**31, 0x01234567, -0x7ABBCCDD]
    pairs = [(a, b) for a in values for b in values]

    def signed(v, bits=32):
        v &= 2**bits - 1
        return v - 2**bits if v >> (bits - 1) else v

    unsigned = lambda v: v & 0xFFFFFFFF
    low24 = lambda v: signed(v << 8) >> 8
    expected = {
        "abs(a[i])": lambda a, b: signed(abs(a)), "clz(a[i])": lambda a, b: 32 - unsigned(a).bit_length(),
        "popc(a[i])": lambda a, b: bin(unsigned(a)).count("1"),
        "ffs(a[i])": lambda a, b: (unsigned(a) & -unsigned(a)).bit_length(),
        "brev(a[i])": lambda a, b: signed(int(f"{unsigned(a):032b}"[::-1], 2)),
        "hadd(a[i], b[i])": lambda a, b: (a + b) >> 1, "rhadd(a[i], b[i])": lambda a, b: (a + b + 1) >> 1,
        "uhadd(a[i], b[i])": lambda a, b: signed((unsigned(a) + unsigned(b)) >> 1),
        "mulhi(a[i], b[i])": lambda a, b: (a * b) >> 32,
        "umulhi(a[i], b[i])": lambda a, b: signed((unsigned(a) * unsigned(b)) >> 32),
        "mul24(a[i], b[i])": lambda a, b: signed(low24(a) * low24(b)),
        "sad(a[i], b[i], 7)": lambda a, b: signed(abs(a - b) + 7),
        "usad(a[i], b[i], 7)": lambda a, b: signed(abs(unsigned(a) - unsigned(b)) + 7),
        "byte_perm(a[i], b[i], 0x7531)": lambda a, b: signed(sum(
            ((unsigned(b) << 32 | unsigned(a)) >> 8 * s & 255) << 8 * k for k, s in enumerate((1, 3, 5, 7)))),
        "umax(a[i], b[i])": lambda a, b: signed(max(unsigned(a), unsigned(b))), "min(a[i], b[i])": min,
        "float_as_int(b[i])": lambda a, b: struct.unpack("i", struct.pack("f", b))[0],
        "double2hiint(b[i])": lambda a, b: struct.unpack("q", struct.pack("d", b))[0] >> 32,
        "frexp(b[i])[1]": lambda a, b: math.frexp(b)[1], "sincos(b[i])[1]": lambda a, b: math.cos(b),
        "signbitd(b[i])": lambda a, b: int(b < 0), "isnand(b[i])": lambda a, b: 0,
    }
    arrays = {"a": np.array([p[0] for p in pairs], np.int32), "b": np.array([p[1] for p in pairs], np.int32)}
    got = run([f"libdevice.{call}" for call in expected], arrays)
    for k, (call, function) in enumerate(expected.items()):
        check(call, got[:, k], np.array([function(*pair) for pair in pairs], float), 1e-12)


check_functions()
check_rounding()
check_integers()
print("libdevice: equal")

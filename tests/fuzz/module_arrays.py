#!/usr/bin/env python3
"""Arrays that the top level of a .py file makes: their elements, shapes and types as a kernel reads them are those of NumPy.

usage: module_arrays.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import subprocess
import sys

import numpy as np

import arguments

DTYPES = ["np.int8", "np.uint8", "np.int16", "np.int32", "np.uint32", "np.int64", "np.float32", "np.float64", "'float32'", "'int16'", "int",
          "float"]


class Writer:
    def __init__(self, random):
        self.random = random

    def dtype(self):
        r = self.random
        return r.choice([f", dtype={r.choice(DTYPES)}", f", dtype={r.choice(DTYPES)}", ""])

    def number(self):
        return self.random.choice(["0", "1", "2", "3", "7", "-1", "0.5", "2.25", "-3.5"])

    def small(self):
        return self.random.randrange(1, 5)

    def nested(self, extents):
        if not extents:
            return self.number()
        return "[" + ", ".join(self.nested(extents[1:]) for _ in range(extents[0])) + "]"

    def make(self):
        """Returns an expression that makes an array; not all of them are possible for all types."""
        r, a, b = self.random, self.small(), self.small()
        return r.choice([
            f"np.array({self.nested([a])}{self.dtype()})", f"np.array({self.nested([a, b])}{self.dtype()})",
            f"np.array(({self.number()}, {self.number()}){self.dtype()})", f"np.zeros({a}{self.dtype()})",
            f"np.zeros(({a}, {b}){self.dtype()})", f"np.ones(({a}, {b}, 2){self.dtype()})", f"np.full(({a},), {self.number()}{self.dtype()})",
            f"np.full({a}, np.float32(0.1))", f"np.arange({a + 1}{self.dtype()})", f"np.arange(1, {a + 2}{self.dtype()})",
            f"np.arange(0, {b}, 0.3{self.dtype()})", f"np.arange({a}, -3, -1)", f"np.linspace(0, {b}, {a + 1})",
            f"np.linspace({self.number()}, {self.number()}, num={a + 2}, endpoint=False)", f"np.linspace(0, 1, 7{r.choice(['', ', dtype=np.float32'])})",
            f"np.eye({a})", f"np.eye({a}, {b}, k={r.randrange(-1, 2)}, dtype=np.int32)", f"np.identity({a})",
            f"np.zeros_like(np.arange({a + 1}))", f"np.ones_like(np.zeros(({a}, {b}), np.float32))", f"np.full_like(np.arange({a + 1}), 3)",
        ])

    def power(self):
        """Returns an array to a power that NumPy makes by a product, a root or a quotient, or which it refuses."""
        r = self.random
        numbers = [r.choice([repr(r.uniform(-9, 9)), repr(r.uniform(0, 1e-3)), repr(r.uniform(-1e9, 1e9)), self.number(), "-0.0", "np.inf"])
                   for _ in range(r.randrange(2, 12))]
        whole = r.random() < 0.4
        elements = [str(r.choice([r.randrange(-9, 9), r.randrange(-3 * 10**9, 3 * 10**9)])) for _ in numbers] if whole else numbers
        made = f"np.array([{', '.join(elements)}]{'' if whole else r.choice(['', ', np.float32'])})"
        return f"{made} ** {r.choice(['2', '0.5', '-1', '2.0', '-1.0', '1', '0', 'np.float64(0.5)', 'np.int64(2)', 'np.int64(-1)', 'True'])}"

    def large(self):
        """The same with more elements than a tuple may have."""
        r, a = self.random, self.small()
        return r.choice([f"np.arange({a}, 17000{self.dtype()})", f"np.linspace(-1, {a}, 16500)", f"np.full((130, 140), {self.number()}{self.dtype()})",
                         "np.eye(129, 130, k=1)", f"np.ones((17000, {a}), np.int16)", f"np.zeros_like(np.arange(20000{self.dtype()}))",
                         f"np.array([np.arange(9000), np.arange(9000)[::-1]]{self.dtype()})", f"np.array([{', '.join(self.number() for _ in range(16400))}])",
                         f"np.arange(40000)[{a}::2]", f"np.arange(40000).reshape(200, 200)[::-1, 7:]"])

    def array(self):
        if self.random.random() < 0.2:
            return self.power()
        r, made = self.random, self.large() if self.random.random() < 0.15 else self.make()
        return r.choice([made, made, f"({made}).astype({r.choice(DTYPES)})", f"({made}) * 2", f"2.5 - ({made})", f"({made}) + ({made})",
                         f"-({made})", f"({made})[1:]", f"({made})[::-1]", f"({made}).ravel()",
                         f"({made}).reshape(-1)", f"({made}).T", f"({made}).transpose() * 3", f"np.concatenate(({made}, {made}))",
                         f"np.array(range({r.randrange(4)}, {r.choice([9, 17000])}))", f"np.array([{self.number()}, 2] * {r.choice([3, 9000])}{self.dtype()})", f"({made}).copy() / 4", f"({made}) ** 2", f"({made}).reshape(-1, 1) + np.arange(3)",
                         f"np.arange(12).reshape(3, 4)[:, {r.randrange(4)}]", f"np.arange(12).reshape(3, 4)[1:, ::2]",
                         f"np.arange(12).reshape(3, 4)[{r.randrange(3)}]", f"np.arange(24).reshape(2, 3, 4)[1, :, 1:3] * 0.5"])


def program(text, array):
    names = ["i", "j", "l"][:array.ndim]
    lines = ["import numpy as np", "from numba import cuda", "", f"A = {text}", "", "@cuda.jit", "def k(x):", "    n = 0"]
    for depth, name in enumerate(names):
        lines.append("    " * (depth + 1) + f"for {name} in range(A.shape[{depth}]):")
    deep = "    " * (array.ndim + 1)
    lines += [f"{deep}x[n] = A[{', '.join(names)}]", f"{deep}n += 1", "    x[n] = A.dtype(300.7)", "    x[n + 1] = len(A) + A.ndim"]
    return "\n".join(lines) + "\n"


def expected(array):
    cast = np.array([300.7]).astype(array.dtype).astype(np.float64)
    return list(array.astype(np.float64).ravel()) + [cast[0], len(array) + array.ndim]


def kernc_says(kernc, file, count):
    command = [kernc, "run", str(file), "k", f"x=zeros:float64:{count}", "--grid=1", "--block=1", "--device=cpu", "-o", f"x={file.parent}/x.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return list(np.load(file.parent / "x.npy")) if done.returncode == 0 else done.stderr


def is_same(found, want):
    """To the bit, but for the sign of NaN."""
    return np.array_equal(found, want, equal_nan=True) and np.array_equal(np.signbit(found) & (found == 0), np.signbit(want) & (want == 0))


def check(options, seed, folder):
    text = Writer(random.Random(seed)).array()
    try:
        with np.errstate(all="ignore"):
            array = eval(text, {"np": np})
    except (ValueError, OverflowError, IndexError) as error:
        if "negative integer powers" not in str(error):
            return arguments.SKIPPED
        array = None
    file = folder / "k.py"
    if array is None:
        file.write_text(program(text, np.zeros(1)))
        found = kernc_says(options.kernc, file, 3)
        return None if isinstance(found, str) and "error[" in found else f"{text}: NumPy raises, kernc {found}"
    if array.size == 0 or array.ndim > 3 or (array.dtype.kind == "u" or "uint" in text) and "-" in text:
        return arguments.SKIPPED  # what NumPy makes of a negative number there differs from version to version
    file.write_text(program(text, array))
    want = expected(array)
    found = kernc_says(options.kernc, file, len(want))
    if isinstance(found, list) and is_same(np.array(found), np.array(want)):
        return None
    return f"{text[:300]}: NumPy {array.dtype} {want[:40]}, kernc {found[:400]}"


def main():
    options = arguments.parser(200, keep=True).parse_args()
    return arguments.check_each(options, "module_arrays", check)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Random forms of arrays: transposed, reshaped, flat, with axes more, sliced, with narrower elements, of C order and of views. What is
read through them, and what the array holds when it was written through them, is NumPy's.

usage: array_forms.py KERNC [--count N] [--seed S] [--seconds T] [--device cpu|cuda]
"""
import random
import subprocess
import sys

import numpy

import arguments

LANES = [], ["--lanes=1"], ["--lanes=16", "-O0"], ["--guards=shadow"]
DTYPES = "int32", "float32", "int64", "float64", "int16", "uint8"
NARROWER = {8: ["int64", "float64", "int32", "uint8"], 4: ["int32", "float32", "int16", "uint8"], 2: ["int16", "uint16", "uint8"], 1: ["uint8", "int8"]}
THREADS, ARRAYS = 8, 6


def factors(random, size):
    """Returns a shape of so many elements; one extent may be left open."""
    shape = []
    while len(shape) < 3 and random.random() < 0.8:
        divisor = random.choice([d for d in (1, 2, 3, 4, 6) if size % d == 0])
        shape.insert(random.randrange(len(shape) + 1), divisor)
        size //= divisor
    shape.insert(random.randrange(len(shape) + 1), size)
    if random.random() < 0.3:
        shape[random.randrange(len(shape))] = -1
    return shape


def index_of(random, extent):
    choices = [":", ":", f"{random.randrange(extent)}:", f":{random.randint(1, extent)}", "::2", "::-1", f"-{random.randint(1, extent)}:"]
    return random.choice(choices)


def next_form(random, array):
    """Returns the text of one more form of an array; "" where there is none to be had by that choice."""
    kind = random.choice(["T", "transpose", "reshape", "ravel", "flat", "none", "slice", "row", "view"])
    dense = array.flags.c_contiguous
    if kind == "T":
        return ".T"
    if kind == "transpose" and array.ndim > 1:
        axes = random.sample(range(array.ndim), array.ndim)
        return f".transpose({', '.join(map(str, axes))})"
    if kind == "reshape" and dense and array.size:
        shape = factors(random, array.size)
        inner = ", ".join(map(str, shape))
        return f".reshape(({inner},))" if random.random() < 0.3 else f".reshape({inner})"
    if kind in ("ravel", "flat") and dense:
        return ".ravel()" if kind == "ravel" else ".reshape(-1)"
    if kind == "none" and array.ndim < 5:
        parts = [":"] * array.ndim
        parts.insert(random.randint(0, len(parts)), "None")
        return f"[{', '.join(parts)}]"
    if kind == "slice" and min(array.shape) > 0:
        return f"[{', '.join(index_of(random, extent) for extent in array.shape)}]"
    if kind == "row" and array.ndim > 1 and array.shape[0] > 0:
        return f"[{random.randrange(array.shape[0])}]"
    if kind == "view" and (array.strides[-1] == array.itemsize or array.itemsize == 1):
        dtype = random.choice(NARROWER[array.itemsize])
        return f".view(np.{dtype})"
    return ""


class Case:
    def __init__(self, random, number):
        self.number = number
        shape = [random.randint(1, 6) for _ in range(random.randint(1, 3))]
        dtype = numpy.dtype(random.choice(DTYPES))
        self.array = numpy.arange(1, numpy.prod(shape) + 1).astype(dtype).reshape(shape)
        self.given = self.array.copy()
        text, form = f"x{number}", self.array
        for _ in range(random.randint(1, 4)):
            step = next_form(random, form)
            form = eval(f"form{step}", {"form": form, "np": numpy})
            text += step
        self.text = text
        self.read = form.flatten()
        # Bits are turned so that no float becomes a NaN, whose bits a copy need not keep.
        self.read = numpy.where(numpy.isnan(self.read), 0, self.read).astype(form.dtype) if form.dtype.kind == "f" else self.read
        self.rank, self.dtype = form.ndim, form.dtype
        form[...] = numpy.array(7, form.dtype)

    def lines(self):
        n, indices = self.number, [f"i{axis}" for axis in range(self.rank)]
        yield f"    v{n} = {self.text}"
        yield "    c = 0"
        for axis in range(self.rank):
            yield f"{'    ' * (axis + 1)}for i{axis} in range(v{n}.shape[{axis}]):"
        pad = "    " * (self.rank + 1)
        yield f"{pad}if c % {THREADS} == t:"
        yield f"{pad}    e = v{n}[{', '.join(indices)}]"
        yield f"{pad}    o{n}[c] = e if e == e else 0"
        yield f"{pad}    v{n}[{', '.join(indices)}] = 7"
        yield f"{pad}c += 1"


def check(options, seed, scratch):
    writer = random.Random(seed)
    cases = [Case(writer, number) for number in range(ARRAYS)]
    params = [f"{kind}{n}" for n in range(ARRAYS) for kind in "xo"]
    lines = ["import numpy as np", "from numba import cuda", "", "", "@cuda.jit", f"def k({', '.join(params)}):", "    t = cuda.threadIdx.x"]
    for case in cases:
        lines += case.lines()
    source = scratch / "forms.py"
    source.write_text("\n".join(lines) + "\n")
    command = [options.kernc, "run", source, "k", "--grid=1", f"--block={THREADS}", "-Wno-unset", "-Wno-widen", f"--device={options.device}"]
    if options.device == "cpu":
        command += writer.choice(LANES)
    for n, case in enumerate(cases):
        for name, values in (f"x{n}", case.given), (f"wanted_x{n}", case.array), (f"wanted_o{n}", case.read):
            numpy.save(scratch / f"{name}.npy", values)
        command += [f"x{n}=@{scratch}/x{n}.npy", f"o{n}=zeros:{case.dtype.name}:{case.read.size}"]
        command += ["--expect", f"x{n}={scratch}/wanted_x{n}.npy", "--expect", f"o{n}={scratch}/wanted_o{n}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{source.read_text()}{done.stdout}{done.stderr}")


arguments.agree(arguments.parser(20, device=True).parse_args(), check)

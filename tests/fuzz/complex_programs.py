#!/usr/bin/env python3
"""Complex numbers through all that a program does with numbers: locals, swaps, branches, loops with jumps, functions with several results, tuples,
arrays of a thread and their parts. The same text is run by Python, thread by thread, on numbers whose arithmetic is exact.

usage: complex_programs.py KERNC [--count N] [--seed S] [--seconds T] [--device cpu|cuda] [-- OPTION...]        the options go to `kernc run`
"""
import math
import random
import subprocess
import sys

import numpy

import arguments

NAMES = ["a", "b", "c", "d"]
THREADS = 40
LIBRARY = '''{device}
def small(z):
    return complex(z.real - math.floor(z.real / 8.0) * 8.0, z.imag - math.floor(z.imag / 8.0) * 8.0)


{device}
def turn(z, w):
    if z == w:
        return w, z + 1
    return small(z * w), small(w - z.conjugate())


{device}
def either(z, w, k):
    return z if k > 1 else w
'''


class Parts:
    """The real or imaginary parts of a list, as a view."""

    def __init__(self, array, part):
        self.array, self.part = array, part

    def __getitem__(self, index):
        return getattr(self.array.values[index], self.part)

    def __setitem__(self, index, value):
        z = self.array.values[index]
        self.array.values[index] = complex(value, z.imag) if self.part == "real" else complex(z.real, value)


class Array:
    def __init__(self, count):
        self.values = [0j] * count
        self.real, self.imag = Parts(self, "real"), Parts(self, "imag")

    def __getitem__(self, index):
        return self.values[index]

    def __setitem__(self, index, value):
        self.values[index] = value


class Writer:
    def __init__(self, rng, kind):
        # Functions of literals alone compute in c128.
        self.literals = ["2j", "(1 - 1j)", "3"] if kind == "c128" else ["(zero + 2j)", "(zero + 1 - 1j)", "(zero + 3)"]
        self.rng, self.lines, self.loops = rng, [], 0

    def number(self, depth=2):
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            name = rng.choice(NAMES)
            return rng.choice([name, name, name, f"{name}.conjugate()", f"complex({name}.imag, {name}.real)", *self.literals, f"t[{rng.randrange(3)}]",
                               "z[i]", f"{name}.real", f"complex({name}.real, t.imag[{rng.randrange(3)}])"])
        left, right = self.number(depth - 1), self.number(depth - 1)
        kind = rng.randrange(6)
        if kind == 0:
            return f"either({self.complex(left)}, {self.complex(right)}, k)"
        if kind == 1:
            return f"({self.complex(left)} if {self.condition()} else {self.complex(right)})"
        return f"({left} {rng.choice('+-*')} {right})"

    def complex(self, text):
        return f"complex({text})"

    def condition(self):
        rng = self.rng
        a, b = rng.choice(NAMES), rng.choice(NAMES)
        return rng.choice([f"{a} == {b}", f"{a} != {b}", f"{a}.real > {rng.randrange(8)}", f"{a}.imag < {b}.real", f"i % 3 == {rng.randrange(3)}", f"not {a}",
                           f"({a} and {b} != 0)", f"k > {rng.randrange(3)}"])

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def statement(self, depth):
        rng = self.rng
        kind = rng.randrange(10 if depth < 4 else 7)
        a, b, c = rng.sample(NAMES, 3)
        if kind <= 1:
            self.line(depth, f"{a} = small({self.complex(self.number())})")
        elif kind == 2:
            self.line(depth, f"{a}, {b} = {b}, {a}")
        elif kind == 3:
            self.line(depth, f"{a}, {b} = turn({a}, {self.complex(self.number(1))})")
        elif kind == 4:
            place = rng.choice([f"t[{rng.randrange(3)}]", "t[k % 3]", f"t.real[{rng.randrange(3)}]", "t.imag[k % 3]"])
            value = f"small({self.complex(self.number(1))})"
            self.line(depth, f"{place} = {value}" + (".real" if ".real" in place else ".imag" if ".imag" in place else ""))
        elif kind == 5:
            self.line(depth, f"pair = ({a}, {b})")
            self.line(depth, f"{c} = pair[{rng.randrange(2)}]")
        elif kind == 6:
            self.line(depth, f"{a} {rng.choice('+-*')}= {self.number(1)}")
            self.line(depth, f"{a} = small({a})")
        elif kind == 7 or (kind == 9 and self.loops == 0):
            self.line(depth, f"if {self.condition()}:")
            self.block(depth + 1)
            if rng.random() < 0.5:
                self.line(depth, "else:")
                self.block(depth + 1)
        elif kind == 8 and self.loops < 2:
            self.loops += 1
            self.line(depth, f"for k{depth} in range({rng.choice(['3', 'n', 'i % 4'])}):")
            self.line(depth + 1, f"k = k{depth}")
            self.block(depth + 1)
            self.loops -= 1
        else:
            self.line(depth, f"{a} = small({b} + {c})")
            if self.loops > 0:
                self.line(depth, f"if {self.condition()}:")
                self.line(depth + 1, rng.choice(["break", "continue"]))

    def block(self, depth):
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(depth)

    def body(self):
        for _ in range(8):
            self.statement(1)
        return "\n".join(self.lines)


def source(seed, kind):
    body = Writer(random.Random(seed), kind).body()
    head = "    k = 0\n    zero = z[i] - z[i]\n    a = z[i]\n    b = small(z[i] * 3 + 1j)\n    c = complex(a.imag, 2)\n    d = a - b\n    d = small(d)\n"
    return head + body + "\n    return a, b, c, small(d + t[0] + t[1] * 2 + t[2] * 3j)\n"


def kern(text, kind):
    local = f"    t = local.array(3, {kind})\n"
    kernel = f'''
@kernel
def k(z: {kind}[:], out: {kind}[:, :], n: i64):
    i = grid(1)
    if i < z.size:
        a, b, c, d = work(z, i, n)
        out[i, 0] = a
        out[i, 1] = b
        out[i, 2] = c
        out[i, 3] = d
'''
    return LIBRARY.format(device="@device") + f"\n\n@device\ndef work(z, i, n):\n{local}{text}\n{kernel}"


def expected(text, values, n):
    scope = {"math": math, "Array": Array}
    exec(LIBRARY.format(device="") + f"\ndef work(z, i, n):\n    t = Array(3)\n{text}", scope)
    return [scope["work"](values, i, n) for i in range(len(values))]


def check(options, seed, folder):
    kind = ["c64", "c128"][seed % 2]
    text = source(seed, kind)
    path = folder / "program.kern"
    path.write_text(kern(text, kind))
    values = [complex(i % 7, (i * 5) % 8) for i in range(THREADS)]
    wanted = numpy.array(expected(text, values, 3), {"c64": "complex64", "c128": "complex128"}[kind])
    numpy.save(folder / "z.npy", numpy.array(values, wanted.dtype))
    numpy.save(folder / "out.npy", wanted)
    for how in [["--device=cuda"]] if options.device == "cuda" else [["--lanes=1"], ["--lanes=16"], ["--lanes=32", "-O0"]]:
        command = [options.kernc, "run", str(path), "k", f"z=@{folder}/z.npy", f"out=zeros:{kind}:{THREADS}x4", "n=3", "--expect", f"out={folder}/out.npy",
                   *how, *options.extra]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{' '.join(how)}\n{path.read_text()}\n{result.stdout[-2000:]}{result.stderr[-3000:]}")


arguments.agree(arguments.parser(6, device=True).parse_args(), check)

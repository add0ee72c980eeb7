#!/usr/bin/env python3
"""Top-level code of a .py file is Python: random assignments of expressions over earlier names, run by Python itself, against what a
kernel sees of the names, in value and type. Integers have no width there, up to 126 bits, `/` and math.sqrt give floats, math.floor and
its like ints.

usage: top_level.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import ast
import math
import random
import subprocess
import sys

import numpy

import arguments

NAMES = 12


def value_of(code, scope):
    try:
        return eval(code, scope)  # written below
    except (ArithmeticError, ValueError):
        return None


class Writer:
    def __init__(self, rng):
        self.rng, self.names = rng, []

    def integer(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            known = [name for name, value in self.names if type(value) is int]
            return rng.choice([str(rng.randint(-9, 9)), str(rng.randint(0, 100)), str(2**rng.randint(20, 62)), "0x7fffffff", *known, *known])
        form = rng.randrange(9)
        if form == 0:
            return f"({self.integer(depth - 1)} << {rng.randint(0, 20)})"
        if form == 1:
            return f"({self.integer(depth - 1)} >> {rng.randint(0, 70)})"
        if form == 2:
            return f"({self.integer(depth - 1)}) ** {rng.randint(0, 3)}"
        if form == 3:
            return f"math.{rng.choice(['floor', 'ceil', 'trunc'])}({self.real(depth - 1)})"
        if form == 4:
            return f"{rng.choice(['int', 'round'])}({self.real(depth - 1)})"
        if form == 5:
            return f"{rng.choice(['-', '~', 'abs'])}({self.integer(depth - 1)})"
        if form == 6:
            return f"{rng.choice(['min', 'max'])}({self.integer(depth - 1)}, {self.integer(depth - 1)})"
        if form == 7:
            return f"({self.integer(depth - 1)}, {self.integer(depth - 1)}, {self.integer(depth - 1)})[{rng.randint(-3, 2)}]"
        return f"({self.integer(depth - 1)} {rng.choice(['+', '-', '*', '//', '%', '&', '|', '^'])} {self.integer(depth - 1)})"

    def real(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            known = [name for name, value in self.names if type(value) is float]
            return rng.choice([repr(rng.choice([0.5, 2.5, -2.5, 0.1, 3.0, 1e10, -7.25])), repr(rng.uniform(-100, 100)), *known, *known])
        form = rng.randrange(7)
        if form == 0:
            return f"({self.integer(depth - 1)} / {self.integer(depth - 1)})"
        if form == 1:
            return f"float({self.integer(depth - 1)})"
        if form == 2:
            return f"math.{rng.choice(['sqrt', 'fabs'])}(abs({self.real(depth - 1)}))"
        if form == 3:
            return f"{rng.choice(['-', 'abs'])}({self.real(depth - 1)})"
        if form == 4:
            return f"({self.real(depth - 1)} if {self.condition(depth - 1)} else {self.real(depth - 1)})"
        left, right = self.real(depth - 1), rng.choice([self.real, self.integer])(depth - 1)
        return f"({left} {rng.choice(['+', '-', '*', '/', '//', '%'])} {right})"

    def condition(self, depth):
        pick = self.rng.choice([self.integer, self.real])
        return f"{pick(depth)} {self.rng.choice(['<', '<=', '==', '!=', '>'])} {self.rng.choice([self.integer, self.real])(depth)}"

    def statement(self, name):
        """Returns a statement that binds a name, and its value; nothing where Python raises, or a kernel could not hold it."""
        code = self.rng.choice([self.integer, self.integer, self.real, self.condition])(3)
        scope = {"math": math, **dict(self.names)}
        value = value_of(code, scope)
        parts = [value_of(ast.unparse(part), scope) for part in ast.walk(ast.parse(code)) if isinstance(part, ast.expr)]
        if any(type(part) is int and abs(part) >= 2**126 for part in parts):
            return None
        fits = type(value) is bool or (type(value) is int and -2**63 <= value < 2**63) or (type(value) is float and math.isfinite(value))
        return (f"{name} = {code}", value) if fits else None

    def module(self):
        lines = []
        while len(self.names) < NAMES:
            found = self.statement(f"C{len(self.names)}")
            if found:
                lines.append(found[0])
                self.names.append((f"C{len(self.names)}", found[1]))
        return "import math\nimport numpy as np\nfrom numba import cuda\n\n" + "\n".join(lines) + "\n\n" + self.kernel()

    def kernel(self):
        lines = ["@cuda.jit", "def k(i, f, t):"]
        for place, (name, value) in enumerate(self.names):
            kind = {bool: "bool_", int: "int64", float: "float64"}[type(value)]
            lines += [f"    {'f' if type(value) is float else 'i'}[{place}] = {name}", f"    v{place} = {name}", f"    t[{place}] = 1 if v{place}.dtype == np.{kind} else 0"]
        return "\n".join(lines) + "\n"


def check(options, seed, folder):
    writer = Writer(random.Random(seed))
    path = folder / "k.py"
    path.write_text(writer.module())
    done = subprocess.run([options.kernc, "run", str(path), "k", f"i=zeros:int64:{NAMES}", f"f=zeros:float64:{NAMES}", f"t=zeros:int8:{NAMES}", "--grid=1", "--block=1",
                           "-o", f"i={folder}/i.npy", "-o", f"f={folder}/f.npy", "-o", f"t={folder}/t.npy"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        return f"is refused:\n{done.stderr}"
    i, f, t = (numpy.load(folder / f"{name}.npy") for name in "ift")
    wrong = [f"{name} is {value!r}, and is {(f if type(value) is float else i)[k]!r}{'' if t[k] else ', of another type'}" for k, (name, value) in enumerate(writer.names)
             if not t[k] or (f if type(value) is float else i)[k] != value or (type(value) is float and math.copysign(1, f[k]) != math.copysign(1, value))]
    return "\n".join(wrong)


def main():
    return arguments.check_each(arguments.parser(60, keep=True).parse_args(), "top_level", check)


if __name__ == "__main__":
    sys.exit(main())

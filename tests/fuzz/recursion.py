#!/usr/bin/env python3
"""Random device functions that call themselves and each other: what a kernel makes of them is what Python says, by single threads and
by vectors of lanes, and beyond the stated depth a thread leaves by a fault.

usage: recursion.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import re
import subprocess
import sys

import arguments

MOST = 64  # calls in each other
THREADS = 20

VALUES = ["a", "n", "a + n", "a * 2 + 1", "n * n", "a - n", "3", "a // 2", "(a if n % 2 == 0 else -a)"]


class Writer:
    def __init__(self, random, functions, deep):
        self.random, self.functions, self.deep = random, functions, deep

    def value(self):
        return self.random.choice(VALUES)

    def call(self, name):
        step = 1 if self.deep else self.random.choice([1, 1, 2])
        return f"{name}(n - {step}, {self.value()})"

    def callee(self, own):
        # Each function calls the next one at least, so that all of them are in one circle.
        return self.functions[(own + 1) % len(self.functions)] if self.deep else self.random.choice(self.functions)

    def body(self, own):
        after = self.functions[(own + 1) % len(self.functions)]
        first = self.call(after)
        if self.deep:
            return self.random.choice([
                [f"return {first} + {self.value()}"],
                [f"s = {first}", f"return s + {self.value()}"],
                ["if a % 2 == 0:", f"    return {first}", f"return {self.call(after)} - 1"],
            ])
        second = self.call(self.callee(own))
        return self.random.choice([
            [f"return {first} + {second}"],
            ["s = a", "for j in range(2):", f"    s += {first} * (j + 1)", "return s"],
            ["if a % 3 == 0:", f"    return {first}", "elif a % 3 == 1:", f"    return {second} + 1", f"return {self.value()}"],
            ["s = 0", "while s < 2:", "    s += 1", f"    if {second} % 5 == 0:", "        break", f"return {first} + s"],
            [f"p, q = {first}, {second}", "return max(p, q) - min(p, q) // 3"],
            [f"return {after}(n - 1, {second})"],
            [f"return {first} if {self.value()} > 2 else {second}"],
        ])

    def function(self, own):
        lines = ["@cuda.jit(device=True)", f"def {self.functions[own]}(n, a):"]
        base = f"    return {self.value()}"
        lines += ["    if n <= 0:", "    " + base]
        body = self.body(own)
        # The results stay small, so that nothing wraps.
        body = [re.sub(r"return (.*)$", r"return (\1) % 1009", line) for line in body]
        return lines + ["    " + line for line in body]


def program(random):
    deep = random.random() < 0.3
    functions = [f"f{i}" for i in range(random.choice([1, 1, 2, 3]))]
    writer = Writer(random, functions, deep)
    lines = ["from numba import cuda", ""]
    for own in range(len(functions)):
        lines += writer.function(own) + [""]
    lines += ["@cuda.jit", "def k(x):", "    i = cuda.grid(1)", "    if i < x.size and x[i] % 7 != 6:", "        x[i] = f0(x[i], i)"]
    depths = [random.randrange(MOST + 4) for _ in range(THREADS)] if deep else [random.randrange(8) for _ in range(THREADS)]
    return "\n".join(lines) + "\n", depths, deep


class Stub:
    """Numba's decorators; `deepest` counts the calls in each other."""

    def __init__(self):
        self.depth = self.deepest = 0

    def jit(self, function=None, device=False):
        if function:
            return function

        def wrap(inner):
            def counted(*args):
                self.depth += 1
                self.deepest = max(self.deepest, self.depth)
                try:
                    return inner(*args)
                finally:
                    self.depth -= 1
            return counted
        return wrap

    def grid(self, axes):
        return self.thread


def python_says(text, depths):
    stub, x = Stub(), list(depths)
    scope = {"cuda": stub}
    exec(compile(text.replace("from numba import cuda", ""), "program", "exec"), scope)

    class Array(list):
        size = len(x)

    array = Array(x)
    for stub.thread in range(len(x)):
        scope["k"](array)
    return "fault" if stub.deepest > MOST else list(array)


def kernc_says(kernc, file, options, depths):
    x = "[" + ",".join(map(str, depths)) + "]"
    command = [kernc, "run", str(file), "k", f"x={x}", f"--over={len(depths)}", *options, "--print", "x"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode == 4 and "fault[recursion]" in done.stderr:
        return "fault"
    numbers = re.findall(r"-?\d+", done.stdout.rsplit("[", 1)[-1])
    return list(map(int, numbers)) if done.returncode == 0 else done.stdout + done.stderr


def make(rng):
    text, depths, _ = program(rng)
    return text, python_says(text, depths), depths


def main():
    options = arguments.parser(40, keep=True, device=True).parse_args()
    return arguments.check_programs(options, "recursion", make, kernc_says)


if __name__ == "__main__":
    sys.exit(main())

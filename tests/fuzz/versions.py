#!/usr/bin/env python3
"""Random functions whose variables change their kind, between integers, floats, arrays and tuples, in straight code, branches and loops:
what a kernel makes of them is what Python says, by single threads and by vectors of lanes.

usage: versions.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import re
import subprocess
import sys

import arguments

KINDS = {
    "int": (["3", "m + 1", "m * 2", "(m & 3)"], "float({0} & 7)"),
    "float": (["0.5", "2.0", "b[0] * 0.5", "min(b[1], 8.0)"], "{0} * 0.5"),
    "array": (["a", "b", "b[1:]"], "{0}[1]"),
    "pair": (["(m, 0.25)", "(2, b[0])"], "({0}[0] + {0}[1])"),
}
NAMES = ["u", "v", "w"]
THREADS = 4


class Writer:
    """Writes statements that read a variable only where all paths leave one kind in it."""

    def __init__(self, random):
        self.random, self.lines, self.loops = random, [], 0

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def assign(self, depth, kinds, name, kind):
        self.line(depth, f"{name} = {self.random.choice(KINDS[kind][0])}")
        kinds[name] = kind

    def statement(self, depth, kinds, fixed):
        form = self.random.choice(["assign", "assign", "read", "read", "read", "step", "if", "loop"])
        known = [name for name in NAMES if kinds[name]]
        if form == "assign":
            name = self.random.choice(NAMES)
            self.assign(depth, kinds, name, fixed.get(name) or self.random.choice(list(KINDS)))
        elif form == "read" and known:
            name = self.random.choice(known)
            self.line(depth, f"o[i] += {KINDS[kinds[name]][1].format(name)}")
        elif form == "step" and known:
            name = self.random.choice(known)
            if kinds[name] in ("int", "float"):
                self.line(depth, f"{name} += {'1' if kinds[name] == 'int' else '0.25'}")
        elif form == "if" and depth < 4:
            then, other = dict(kinds), dict(kinds)
            self.line(depth, f"if (i + m) % {self.random.choice([2, 3])} == 0:")
            self.block(depth + 1, then, fixed)
            self.line(depth, "else:")
            self.block(depth + 1, other, fixed)
            for name in NAMES:
                kinds[name] = then[name] if then[name] == other[name] else None
        elif form == "loop" and depth < 4:
            self.loop(depth, kinds, fixed)

    # The kind of a name that the body may give another one is not known where a round begins.
    def loop(self, depth, kinds, fixed):
        self.loops += 1
        free = {name for name in NAMES if name not in fixed and self.random.random() < 0.6}
        inner = {name: None if name in free else kinds[name] for name in NAMES}
        held = dict(fixed)
        for name in set(NAMES) - free:
            if kinds[name]:
                held[name] = kinds[name]
            else:
                held[name] = fixed.get(name) or "int"
        self.line(depth, f"for c{self.loops} in range({self.random.choice([1, 2, 3])}):")
        self.block(depth + 1, inner, held)
        if self.random.random() < 0.4:
            self.line(depth + 1, f"if c{self.loops} + i > 2:")
            self.line(depth + 2, self.random.choice(["break", "continue"]))
        for name in NAMES:
            if name in free or not kinds[name]:
                kinds[name] = None

    def block(self, depth, kinds, fixed):
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth, kinds, fixed)
        self.line(depth, "o[i] += 1.0")


def program(random):
    writer = Writer(random)
    kinds = dict.fromkeys(NAMES)
    for name in NAMES:
        writer.assign(2, kinds, name, random.choice(list(KINDS)))
    for _ in range(random.randrange(4, 14)):
        writer.statement(2, kinds, {})
    head = ["from numba import cuda", "", "@cuda.jit", "def k(o, a, b, m):", "    i = cuda.grid(1)", "    if i < o.size:"]
    return "\n".join(head + writer.lines) + "\n"


class Array(list):
    @property
    def size(self):
        return len(self)


class Stub:
    def jit(self, function):
        return function

    def grid(self, axes):
        return self.thread


def python_says(text):
    stub = Stub()
    scope = {"cuda": stub}
    exec(compile(text.replace("from numba import cuda", ""), "program", "exec"), scope)
    o = Array([0.0] * THREADS)
    for stub.thread in range(THREADS):
        scope["k"](o, Array([5.0, 6.0, 7.0]), Array([1.5, 2.5, 3.5]), 4)
    return list(o)


def kernc_says(kernc, file, options):
    command = [kernc, "run", str(file), "k", f"o=zeros:f64:{THREADS}", "a=[5.0,6.0,7.0]", "b=[1.5,2.5,3.5]", "m=4", f"--over={THREADS}", *options, "--print", "o"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    numbers = re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", done.stdout.rsplit("[", 1)[-1])
    return list(map(float, numbers)) if done.returncode == 0 else done.stdout + done.stderr


def make(rng):
    text = program(rng)
    return text, python_says(text)


def main():
    options = arguments.parser(40, keep=True, device=True).parse_args()
    return arguments.check_programs(options, "versions", make, kernc_says)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Proofs of guards, against runs.

Writes random kernels full of subscripts over integers of many types and runs them with --guards=shadow, where every guard that was
proved stays as an assertion, and so does every proved check of what goes into a narrower local. A fault of a shadow guard is a wrong proof. Only
the first fault of a launch is told, so accesses whose guards are kept are tested in full, what may not fit is mostly cast, and hardly
anything else faults.

usage: guards.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import re
import subprocess
import sys

import numpy

import arguments
import guard_idioms

TYPES = ["i64", "i64", "i32", "i8", "u8", "u32", "i16"]
AXES = [("a", "a.size"), ("b", "b.shape[0]"), ("m", "m.shape[0]"), ("m", "m.shape[1]"), ("t", "t.size"), ("s", "8")]
SIZES = [0, 1, 2, 5, 8, 13, 300]
NUMBERS = [0, 1, 2, 3, 7, 8, 200, -1, -5, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, 2**63 - 2, -(2**63)]


class Writer:
    """Writes one kernel. Every loop counts down `fuel`, so that each run ends."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.accesses = []  # line, depth and [(index, extent)] of each
        self.fits = []  # line of each assignment that is checked, and the same with a cast
        self.keeps_fits = rng.random() < 0.2  # proofs may rest on checks that may fault
        self.variables = {f"v{k}": rng.choice(TYPES) for k in range(rng.choice([3, 5]))}
        self.counter = 0
        self.in_loop = 0
        self.idioms = rng.choice([0.0, 0.3, 0.8])  # how much of it is written as people write loops

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def atom(self):
        rng = self.rng
        form = rng.randint(0, 9)
        if form <= 3:
            return rng.choice(list(self.variables))
        if form <= 5:
            return rng.choice(AXES)[1]
        if form == 6:
            return str(rng.randint(-3, 9))
        return rng.choice(["grid(1)", "threadIdx.x", "n", "k", "blockDim.x"])

    def value(self, depth=0):
        """Returns an expression of type i64, wherever its parts come from."""
        rng = self.rng
        form = rng.randint(0, 12)
        left = f"i64({self.atom()})"
        right = f"i64({self.atom()})" if rng.random() < 0.5 else str(rng.randint(1, 3))
        if form <= 3 or depth > 1:
            return left
        if form <= 6:
            return f"({left} {rng.choice('+-')} {right})"
        if form == 7:
            return f"({left} * {rng.randint(2, 4)})"
        if form == 8:
            return f"({left} // {rng.randint(1, 9)})" if rng.random() < 0.7 else f"({left} // max({right}, 1))"
        if form == 9:
            return f"({left} % {rng.randint(1, 9)})" if rng.random() < 0.7 else f"({left} % max({right}, 1))"
        if form == 10:
            return f"({left} {rng.choice(['&', '|', '^'])} {rng.randint(0, 15)})"
        if form == 11:
            return f"{rng.choice(['min', 'max'])}({self.value(depth + 1)}, {right})"
        return f"({left} if {self.comparison()} else {self.value(depth + 1)})"

    def comparison(self):
        rng = self.rng
        if rng.random() < 0.4:
            return f"i64({rng.choice(list(self.variables))}) < {rng.choice(AXES)[1]}"
        if rng.random() < 0.3:
            return f"0 <= {self.value()} < {rng.choice(AXES)[1]}"
        return f"{self.value()} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {self.value()}"

    def condition(self):
        rng = self.rng
        form = rng.randint(0, 5)
        if form == 0:
            return f"{self.comparison()} and {self.comparison()}"
        if form == 1:
            return f"{self.comparison()} or {self.comparison()}"
        if form == 2:
            return f"not ({self.comparison()})"
        return self.comparison()

    def access(self, depth):
        rng = self.rng
        array, extent = rng.choice(AXES)
        index = rng.choice(list(self.variables)) if rng.random() < 0.5 else self.value()
        if array == "m":
            other = rng.choice(["0", "0", "0", self.value()])
            indices = [index, other] if extent == "m.shape[0]" else [other, index]
            axes = [(indices[0], "m.shape[0]"), (indices[1], "m.shape[1]")]
        else:
            axes = [(index, extent)]
        # An access that faults ends its thread: most are tested.
        if rng.random() < 0.8:
            self.line(depth, f"if i64({index}) < {extent}:")
            depth += 1
            if rng.random() < 0.7:
                self.line(depth, f"if i64({index}) >= 0:")
                depth += 1
        self.accesses.append((len(self.lines), depth, axes))
        self.line(depth, f"{array}[{', '.join(index for index, _ in axes)}] {rng.choice(['=', '+='])} 1")

    def assign(self, depth):
        rng = self.rng
        target = rng.choice(list(self.variables))
        type = self.variables[target]
        if rng.random() < 0.4:
            op, by = rng.choice("++-"), rng.randint(1, 3)
            self.store(depth, target, f"{target} {op}= {by}", f"{target} {op} {by}", type)
        else:
            value = self.value()
            self.store(depth, target, f"{target} = {value}", value, type)

    def store(self, depth, target, plain, value, type):
        """Writes an assignment of a number to a local, with a cast or without one."""
        cast = f"{target} = {type}({value})"
        if plain != f"{target} = {value}" and type == "i64":
            return self.line(depth, plain)
        if type == "i64" or self.rng.random() < 0.5:
            return self.line(depth, cast)
        self.fits.append((len(self.lines), "    " * depth + cast))
        self.line(depth, plain)

    def loop(self, depth, nesting):
        rng = self.rng
        form = rng.randint(0, 2)
        self.counter += 1
        if form == 0:
            self.line(depth, f"while {self.condition()}:")
        else:
            target = f"r{self.counter}" if rng.random() < 0.7 else rng.choice([n for n, t in self.variables.items() if t == "i64"] or ["r"])
            stop = self.value() if rng.random() < 0.4 else rng.choice(AXES)[1]
            step = rng.choice(["", "", f", {rng.randint(1, 4)}", f", -{rng.randint(1, 3)}", f", max({self.value()}, 1)"])
            self.line(depth, f"for {target} in range({self.value()}, {stop}{step}):")
            self.variables[target] = "i64"
        self.fuel(depth + 1)
        self.in_loop += 1
        self.block(depth + 1, nesting + 1)
        self.in_loop -= 1

    def touch(self, depth, array, index, extent):
        """Writes an access without a test."""
        self.accesses.append((len(self.lines), depth, [(index, extent)]))
        self.line(depth, f"{array}[{index}] = 1")

    def fuel(self, depth):
        self.line(depth, "fuel -= 1")
        self.line(depth, "if fuel < 0:")
        self.line(depth + 1, "break")

    def name(self):
        self.counter += 1
        return f"q{self.counter}"

    def block(self, depth, nesting):
        for _ in range(self.rng.randint(1, 4)):
            self.statement(depth, nesting)

    def statement(self, depth, nesting):
        rng = self.rng
        form = rng.randint(0, 12)
        if rng.random() < self.idioms:
            rng.choice(guard_idioms.IDIOMS)(self, depth)
        elif form <= 3:
            self.access(depth)
        elif form <= 6:
            self.assign(depth)
        elif form == 7:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, rng.choice(["break", "continue", "return"]) if self.in_loop else "return")
        elif nesting >= 3:
            self.access(depth)
        elif form <= 9:
            self.line(depth, f"if {self.condition()}:")
            self.block(depth + 1, nesting + 1)
            if rng.random() < 0.5:
                self.line(depth, "else:")
                self.block(depth + 1, nesting + 1)
        else:
            self.loop(depth, nesting)

    def kernel(self):
        self.line(0, self.rng.choice(["@kernel", "@kernel(block=4)"]))
        self.line(0, "def k(a: i32[:], b: i32[:], m: i32[:, :], c: i64[:], n: i64, k: i32):")
        self.line(1, "t = local.array(16, i32)")
        self.line(1, "s = shared.array(8, i32)")
        self.line(1, "fuel = 60")
        declared = list(self.variables.items())
        for name, type in declared:
            start = self.rng.choice(["grid(1)", "n", "0", "threadIdx.x", "a.size", "c[grid(1)]", "c[grid(1)]", "c[(grid(1) + 5) % 64]", "c[(grid(1) * 3) % 64]"])
            self.line(1, f"{name}: {type} = {type}({start})")
        for number in range(6):
            self.line(1, f"r{number} = 0")
        self.line(1, "r = 0")
        for _ in range(4):
            self.block(1, 0)
        return self.text(set())

    def text(self, tested):
        """Returns the kernel with a full test before the accesses on these lines, and a cast in the assignments."""
        lines = list(self.lines)
        for line, cast in self.fits if not self.keeps_fits else []:
            if line + 1 in tested:
                lines[line] = cast
        for line, depth, axes in self.accesses:
            if line + 1 in tested:
                test = " and ".join(f"0 <= i64({index}) < {extent}" for index, extent in axes)
                # On one line, so that the others keep their numbers.
                lines[line] = "    " * depth + f"if {test}: {self.lines[line].strip()}"
        return "\n".join(lines) + "\n"


def kept_lines(kernc, path):
    done = subprocess.run([kernc, str(path), "--emit=guards"], capture_output=True, text=True, timeout=60)
    lines = re.findall(r"^(\d+):.*: (kept|proved)", done.stdout, re.MULTILINE)
    return {int(line) for line, state in lines if state == "kept"}, sum(state == "proved" for _, state in lines)


def run(kernc, rng, folder):
    """Returns what is wrong with the run, and how many guards ran proved."""
    writer = Writer(rng)
    path = folder / "k.kern"
    path.write_text(writer.kernel())
    tested, proved = set(), 0
    for _ in range(3):
        kept, proved = kept_lines(kernc, path)
        if kept <= tested:
            break
        tested |= kept
        path.write_text(writer.text(tested))
    sizes = [rng.choice(SIZES) for _ in range(4)]
    # Each thread starts from numbers of its own, many of them where some type wraps.
    edges = [edge + rng.randint(-3, 3) for edge in (0, 0, 0, 127, 255, -128, 2**15, 2**31, 2**32, -(2**31))]
    numpy.save(folder / "c.npy", numpy.array([rng.choice(edges + [rng.choice(NUMBERS), rng.randint(0, 9)]) for _ in range(64)], numpy.int64))
    number = rng.choice(NUMBERS)
    small = rng.choice([x for x in NUMBERS if -(2**31) <= x < 2**31])
    command = [kernc, "run", str(path), "--guards=shadow", "--lanes=1", "--grid", "16", "--block", "4", f"c=@{folder}/c.npy", f"a=zeros:i32:{sizes[0]}",
               f"b=zeros:i32:{sizes[1]}", f"m=zeros:i32:{sizes[2]}x{sizes[3]}", f"n={number}", f"k={small}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    fine = done.returncode == 0 or (done.returncode == 4 and re.search(r"fault\[(index|fit)\]", done.stderr))
    # A constant index that is always wrong is an error, and so is a constant that its local cannot hold, or a variable of a loop alone that never
    # runs: such a kernel is left out.
    errors = re.findall(r":(\d+):\d+: error\[(\w+)\]", done.stderr)
    checked = {line + 1 for line, _ in writer.fits}
    fine = fine or (done.returncode == 1 and errors and all(code in ("E0371", "E0330") or (code == "E0301" and int(line) in checked) for line, code in errors))
    return (None if fine else f"exit {done.returncode}: {' '.join(command)}\n{done.stderr}"), proved


def main():
    options = arguments.parser(60, keep=True).parse_args()
    proved = []

    def check(options, seed, folder):
        problem, some = run(options.kernc, random.Random(seed), folder)
        proved.append(some)
        return problem

    failed = arguments.check_each(options, "guards", check)
    print(sum(proved), "guards proved")
    return failed or sum(proved) < len(proved)


if __name__ == "__main__":
    sys.exit(main())

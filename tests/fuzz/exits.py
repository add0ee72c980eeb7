#!/usr/bin/env python3
"""Small loops in branches that some threads take, against Python itself and one lane.

Loops whose iterations, and whose breaks, returns and failing asserts, are the same for all threads that come to them, in branches
over the thread's index; and ranges of which the compiler may know that they are empty or go one way, with bounds that differ
between threads. Variables are set inside and read behind: a thread that is outside keeps its own whatever others do. Each kernel
is valid Python, run thread by thread by Python's interpreter.

usage: exits.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR] [-- EXTRA OPTIONS OF kernc run]
"""
import random
import subprocess
import sys

import numpy
import arguments
from divergence import FAILURES, SCOPE, Array, line_of, wrong_report

CONFIGURATIONS = [["--lanes=1"], ["--lanes=16"], ["--lanes=32"], ["--arch=x86-64-v3", "--lanes=16"], ["-O0", "--lanes=16"]]
FILL = -7
VARIABLES = "acc", "m", "v"


class Writer:
    """Writes one kernel; numbers stay small."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.loops = []  # variables of the loops around
        self.count = 0

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def branch(self):
        """A condition that some threads meet."""
        rng = self.rng
        return rng.choice([f"t {rng.choice(['<', '>=', '!='])} {rng.randint(0, 20)}", f"t % {rng.randint(2, 5)} == {rng.randint(0, 1)}", "t < n", "x[t % 3] > t % 5"])

    def uniform(self):
        """A condition that is the same in all threads which come to it, as a rule."""
        rng = self.rng
        of = rng.choice([*self.loops, "m", "n"])
        return f"{of} {rng.choice(['<', '>', '==', '!=', '>='])} {rng.randint(-2, 4)}"

    def value(self):
        rng = self.rng
        return rng.choice([*self.loops, "n", "t", "m - 1", "acc + 1", str(rng.randint(-3, 9)), f"x[{rng.choice(self.loops or ['0'])} % 3]"])

    def bound(self):
        rng = self.rng
        return rng.choice(["t", "grid(1)", "threadIdx.x", "t % 4", "n", "0", "-1", "1", "3", "min(n, 0)", "max(n, 2)", "-x.size", "n * -8", "t + 2", "x[t % 3]", "-t"])

    def loop(self, depth):
        rng = self.rng
        name = f"k{self.count}"
        self.count += 1
        form = rng.randint(0, 3)
        if form == 0:
            self.line(depth, f"{name} = {rng.randint(0, 1)}")
            self.line(depth, f"while {name} < {rng.randint(1, 5)}:")
            self.line(depth + 1, f"{name} += 1")
        elif form == 1:
            self.line(depth, f"for {name} in range({self.bound()}, {self.bound()}, {rng.choice([1, -1, 2, -3])}):")
        elif form == 2:
            self.line(depth, f"for {name} in range({self.bound()}, {self.bound()}):")
        else:
            self.line(depth, f"for {name} in range({rng.randint(0, 1)}, {rng.choice([1, 3, 4, 'n'])}):")
        self.loops.append(name)
        self.block(depth + 1, rng.randint(1, 4))
        self.loops.pop()

    def leave(self, depth):
        """A way out."""
        rng = self.rng
        form = rng.choice(["return", "break", "break", "continue", "assert", "index"])
        if form in ("break", "continue") and not self.loops:
            form = "return"
        if form == "assert":
            return self.line(depth, f"assert {self.uniform()}")
        if form == "index":
            return self.line(depth, f"{rng.choice(VARIABLES)} = x[{rng.choice(self.loops or ['m'])}]")
        self.line(depth, f"if {self.uniform() if rng.random() < 0.85 else self.branch()}:")
        if rng.random() < 0.3:
            self.line(depth + 1, f"{rng.choice(VARIABLES)} = {self.value()}")
        self.line(depth + 1, form)

    def leaving_loop(self, depth):
        """A loop that each thread which comes to it leaves for good, by a return or a fault; it has another exit as well, over a counter."""
        rng = self.rng
        name, start, rounds = f"k{self.count}", rng.randint(0, 2), rng.randint(2, 4)
        self.count += 1
        if rng.random() < 0.7:
            self.line(depth, f"for {name} in range({start}, {start + rounds}):")
        else:
            self.line(depth, f"{name} = {start - 1}")
            self.line(depth, f"while {name} < {start + rounds - 1}:")
            self.line(depth + 1, f"{name} += 1")
        self.loops.append(name)
        last = start + rng.randrange(rounds)
        leave = rng.choice([[f"if {name} == {last}:", "    return"], [f"assert {name} < {last}"], [f"if {name} >= {last}:", f"    v = x[{name} + 9]"]])
        parts = [["m -= 1", *[f"if m < {rng.randint(-6, 0)}:", "    break"] * (rng.random() < 0.9)], [f"acc = {rng.choice([name, 'acc + 2', 'm'])}"], leave]
        if rng.random() < 0.4:
            parts.append([f"v = {self.value()}"])
        rng.shuffle(parts)
        for part in parts:
            for text in part:
                self.line(depth + 1, text)
        self.loops.pop()

    def block(self, depth, size):
        rng = self.rng
        for _ in range(size):
            form = rng.random()
            if form < 0.4 or depth > 5:
                self.line(depth, f"{rng.choice(VARIABLES)} = {self.value()}")
            elif form < 0.5:
                self.line(depth, "m -= 1")
            elif form < 0.8 and self.loops:
                self.leave(depth)
            elif form < 0.9:
                self.line(depth, f"if {self.branch() if rng.random() < 0.5 else self.uniform()}:")
                self.block(depth + 1, rng.randint(1, 2))
            else:
                self.loop(depth)

    def kernel(self):
        rng = self.rng
        for text in "@kernel", "def k(out: i64[:], x: i64[:], n: i64):":
            self.line(0, text)
        for text in "t = grid(1)", "acc = 0", "m = n", "v = t":
            self.line(1, text)
        for _ in range(rng.randint(1, 2)):
            depth = 1
            for condition in [f"if {self.branch()}:"] * (rng.random() < 0.85) + ["if n <= 0:"] * (rng.random() < 0.15):
                self.line(depth, condition)
                depth += 1
            (self.leaving_loop if rng.random() < 0.4 else self.loop)(depth)
        self.line(1, f"out[t] = {' + 100 * '.join(rng.sample(VARIABLES, rng.choice([1, 1, 2, 3])))}")
        return "\n".join(self.lines) + "\n"


class Thread:
    """What a kernel asks of its thread."""

    def __init__(self, x):
        self.x = x


def python_result(text, threads, block, x, n):
    """Returns the array, and by block and thread the lines at which threads fail."""
    out, failed = Array([FILL] * threads), {}
    scope = SCOPE.copy()
    exec(compile(text, "kernel", "exec"), scope)  # the text was written above
    for t in range(threads):
        scope.update(grid=lambda rank: t, threadIdx=Thread(t % block))
        try:
            scope["k"](out, Array(x), n)
        except FAILURES as error:
            failed[(0, t // block), (t % block, 0)] = line_of(error)
    return numpy.array(out, numpy.int64), failed


def check(options, seed, folder):
    rng = random.Random(seed)
    text = Writer(rng).kernel()
    (folder / "k.kern").write_text(text)
    block, blocks, n = rng.choice([8, 20, 33, 64]), rng.choice([1, 2]), rng.choice([-2, 0, 1, 3, 30])
    x = [rng.randint(-2, 4) for _ in range(3)]
    numpy.save(folder / "x.npy", numpy.array(x, numpy.int64))
    wanted, failed = python_result(text, block * blocks, block, x, n)
    for configuration in CONFIGURATIONS:
        command = [options.kernc, "run", str(folder / "k.kern"), f"out=full:i64:{block * blocks}:{FILL}", f"x=@{folder}/x.npy", f"n={n}",
                   f"--grid={blocks}", f"--block={block}", f"-oout={folder}/out.npy", "-Wno-unset", *configuration, *options.extra]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        problem = wrong_report(done.returncode, f"{' '.join(command)}\n{done.stderr}", failed, False)
        if problem:
            return problem
        got = numpy.load(folder / "out.npy")
        if (got != wanted).any():
            first = int(numpy.flatnonzero(got != wanted)[0])
            return f"{' '.join(command)}\nout[{first}] is {got[first]}, Python gives {wanted[first]}"
    return None


def main():
    options = arguments.parser(40, keep=True).parse_args()
    return arguments.check_each(options, "exits", check)


if __name__ == "__main__":
    sys.exit(main())

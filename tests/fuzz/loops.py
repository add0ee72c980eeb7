#!/usr/bin/env python3
"""Random loops that gather: what guards report that have left their loop, and what the loop computes, is what guards report and the loop
computes that stay in it; bit by bit, with every index in range and with some out of range, in both dialects.

usage: loops.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR] [--device cpu|cuda]
"""
import random
import subprocess
import sys

import arguments

FAULT = 4  # what kernc exits with
HEADS = {
    "kern": "@kernel\ndef k(a: i32[:], b: i32[:], v: f32[:], w: i64[:], n: i64, s: i64, y: f32[:], z: i64[:]):\n    t = i64(threadIdx.x)\n",
    "py": "from numba import cuda, float32, int64\n@cuda.jit\ndef k(a, b, v, w, n, s, y, z):\n    t = int64(cuda.threadIdx.x)\n",
}
SIGNATURE = "k(int32[:], int32[:], float32[:], int64[:], int64, int64, float32[:], int64[:])"


class Writer:
    def __init__(self, random, dialect):
        self.random, self.dialect, self.lines, self.names = random, dialect, [], 0
        self.effects = random.random() < 0.15

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def new(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def affine(self, counters):
        pick = self.random.choice
        counter = pick(counters)
        return pick([counter, counter, f"{counter} + t", f"s * {counter} + t", f"2 * {counter}", f"n - 1 - {counter}", f"{counter} - 1",
                     "s", f"{pick(counters)} + {counter}", f"({counter} << 1) + s"])

    def index(self, counters, values):
        """A place, mostly small."""
        if values and self.random.random() < 0.6:
            return self.random.choice(values)
        return self.affine(counters)

    def load(self, depth, counters, values):
        name = self.new("q")
        array = self.random.choice(["a", "b", "a", "w"])
        if self.random.random() < 0.15:
            self.add(depth, "q = " + f"{array}[{self.index(counters, values)}]")
            self.add(depth, f"{name} = q + 0" if self.dialect == "py" else f"{name} = i64(q)")
        else:
            self.add(depth, f"{name} = {array}[{self.index(counters, values)}]")
        return name

    def trips(self, counters, values):
        pick = self.random.choice
        return pick(["3", "n", "n", "2, n", "t, n", "0, n, 2", *([counters[-1], f"{counters[-1]}, n"] if counters else []),
                     "n - 1, -1, -1", "t, n, s + 1", *([pick(values)] if values and self.random.random() < 0.2 else [])])

    def body(self, depth, counters, values, loops):
        values = list(values)
        i64 = (lambda e: f"i64({e})") if self.dialect == "kern" else (lambda e: f"int64({e})")
        for _ in range(self.random.randint(2, 5)):
            kind = self.random.choice(["load", "load", "sum", "sum", "if", "for", "check", "divide", "jump", "last", "effect"])
            if kind == "load":
                values.append(self.load(depth, counters, values))
            elif kind == "sum":
                self.add(depth, f"acc += v[{self.index(counters, values)}] * v[{self.index(counters, values)}]")
            elif kind == "last" and values:
                self.add(depth, f"last = last * 3 + {i64(self.random.choice(values))}")
            elif kind == "divide" and values:
                self.add(depth, f"last += {i64(self.affine(counters))} // {i64(self.random.choice(values) + ' - 2')}")
            elif kind == "check" and self.random.random() < 0.4:
                self.add(depth, f"assert {self.random.choice([*values, *counters])} < {self.random.choice([3, 9, 99])}")
            elif kind == "if" and depth < 5:
                self.add(depth, f"if {self.random.choice([*values, *counters])} % 2 == {self.random.randint(0, 1)}:")
                self.body(depth + 1, counters, values, loops)
            elif kind == "for" and depth < 5 and loops < 3:
                self.loop(depth, counters, values, loops)
            elif kind == "jump" and self.random.random() < 0.5:
                self.add(depth, f"if {self.random.choice([*values, *counters])} == {self.random.randint(0, 5)}:")
                self.add(depth + 1, self.random.choice(["break", "continue", "continue", "break", "return" if self.effects else "continue"]))
            elif kind == "effect" and self.effects:
                self.add(depth, f"z[{self.affine(counters)}] = last")
        self.add(depth, f"acc += v[{self.index(counters, values)}]")

    def loop(self, depth, counters, values, loops):
        name = self.random.choice(["p", self.new("k")]) if "p" not in counters else self.new("k")
        trips = self.trips(counters, values)
        self.add(depth, f"for {name} in range({trips}):")
        self.body(depth + 1, [*counters, name], values, loops + 1)

    def kernel(self):
        real, whole = ("f32", "i64") if self.dialect == "kern" else ("float32", "int64")
        self.add(1, f"acc = {real}(0.5)")
        self.add(1, f"last = {whole}(1)")
        for _ in range(self.random.randint(1, 2)):
            self.loop(1, [], [], 0)
        self.add(1, "y[t] = acc")
        self.add(1, "z[t] = last")
        return HEADS[self.dialect] + "\n".join(self.lines) + "\n"


def values(random, type, count, size, wrong):
    """Indices below `size`, one of them perhaps not."""
    made = [random.randrange(size) if size > 0 else 0 for _ in range(count)]
    for _ in range(random.choice([1, 1, 2]) if wrong and made else 0):
        made[random.choice([0, len(made) // 2, len(made) - 1])] = random.choice([-1, -size, -size - 1, size, size + 7, 2**31 - 1, -2**31])
    return type + ":[" + ",".join(map(str, made)) + "]"


def array(name, type, random, count, size, wrong):
    return f"{name}=zeros:{type}:0" if count == 0 else f"{name}={values(random, type, count, size, wrong)}"


def call(random):
    size, wrong = random.choice([0, 1, 5, 8, 8, 40]), random.random() < 0.5
    many = max(size, random.choice([size, 60, 60]))
    return [array("a", "i32", random, many, size, wrong), array("b", "i32", random, many, size, wrong), f"v=uniform:f32:{size}",
            array("w", "i64", random, many, size, wrong and random.random() < 0.5), f"n={random.choice([0, 1, size, size, size, size + 1])}", f"s={random.choice([0, 1, 1, 2, -1, 2**31, 2**62, -2**63])}", "y=zeros:f32:8", f"z=zeros:i64:{random.choice([8, 60])}"]


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return 124, "", "it takes longer than a minute"
    return done.returncode, done.stdout, done.stderr


def check(options, seed, folder, tally):
    chance = random.Random(seed)
    dialect = chance.choice(["kern", "py"])
    source = folder / f"loops.{dialect}"
    source.write_text(Writer(chance, dialect).kernel())
    common = [options.kernc, "run", source, "k"]
    extra = ["--sig", SIGNATURE] if dialect == "py" else []
    code, report, said = run([options.kernc, source, *extra, "--emit=guards", "--target=cpu", "--loops=all"])
    if code == 1:  # types that do not fit, or a constant divisor of zero
        return arguments.SKIPPED
    tally["copies"] += "hoisted" in report or "deferred" in report
    for _ in range(3):
        launch = [*call(chance), "--grid", "1", "--block", str(chance.choice([1, 4])), "--print", "y", "--print", "z",
                  f"--device={options.device}", *options.extra, *(["--lanes=1"] if options.device == "cpu" and not options.extra else [])]
        expected = run([*common, *launch, "--loops=none"])
        if expected[0] not in (0, FAULT):
            sys.exit(f"{' '.join(map(str, [*common, *launch]))}\n{source.read_text()}\n{expected}")
        for mode in (["--loops=all"], ["--loops=all", "--guards=shadow"]):
            found = run([*common, *launch, *mode])
            tally["runs"] += 1
            if found != expected:
                arguments.keep(options, f"loops{seed}", source)
                sys.exit(f"{' '.join(map(str, [*common, *launch, *mode]))}\n{source.read_text()}\n{expected}\n{found}")
        tally["faults"] += expected[0] != 0
    return None


def main():
    options, tally = arguments.parser(30, keep=True, device=True).parse_args(), {"runs": 0, "faults": 0, "copies": 0}
    arguments.agree(options, lambda *each: check(*each, tally))
    print(f"in {tally['runs']} runs, {tally['faults']} launches with a fault, {tally['copies']} kernels whose loops are copied")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Integers that go into places of other types, against Python's.

Writes random kernels that store what is loaded, computed of the thread's number or the same in all threads, directly or summed by a loop into a
local that has a type, and runs them on the CPU with 1, 16 and 32 lanes, or on a GPU. A thread whose value does not fit faults, and the lowest
thread's fault is reported with its value; with --on-fault=clamp all threads go on with the low bits, and are counted; with --guards=off they go
on. What is stored, who faults and with which value must be the model's.

usage: fits.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR] [--device cpu|cuda]
"""
import random
import re
import subprocess
import sys

import numpy

import arguments

TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]


def limits(kind):
    bits = int(kind[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)


def fits(value, kind):
    least, most = limits(kind)
    return least <= value <= most


def low_bits(value, kind):
    least, _ = limits(kind)
    return (value - least) % (1 << int(kind[1:])) + least


def holds_all(kind, other):
    return all(fits(end, kind) for end in limits(other))


class Misfit(Exception):
    """The value that does not fit, of the first place that a thread comes to."""


class Kernel:
    def __init__(self, rng):
        self.rng = rng
        self.source = rng.choice(TYPES)
        self.kind = rng.choice([kind for kind in TYPES if not holds_all(kind, self.source)] or ["u8"])
        self.size = rng.choice([20, 64, 83])
        self.form = rng.choice(["element", "number", "same", "loop", "loop"])
        self.factor, self.plus = rng.choice([-3, -1, 1, 2, 1 << 20]), rng.choice([0, 5, limits(self.kind)[1] % 1000 - 20, limits(self.kind)[0] % -1000])
        if self.form in ("number", "loop"):
            self.source, self.kind = "i64", rng.choice([kind for kind in TYPES if kind != "i64"])
        self.array = numpy.array([self.value() for _ in range(self.size)], {"i": "int", "u": "uint"}[self.source[0]] + self.source[1:])

    def value(self):
        """One of the type that is loaded, that mostly fits."""
        (least, most), (low, high) = limits(self.source), limits(self.kind)
        if self.form == "loop":
            return self.rng.randint(max(low, -(1 << 62)) // 8 - 1, min(high, 1 << 62) // 8 + 1)
        few = [value for value in (low - 1, high + 1, least, most) if least <= value <= most]
        low, high = max(least, low), min(most, high)
        return self.rng.choice(few) if self.rng.random() < 0.02 else self.rng.choice([low, high, self.rng.randint(low, high)])

    def text(self):
        lines = ["@kernel", f"def f(x: {self.source}[:], y: {self.kind}[:], n: i64):", "    i = grid(1)", "    if i < y.size:"]
        if self.form == "element":
            lines += ["        y[i] = x[i]"]
        elif self.form == "same":
            lines += ["        y[i] = x[n]"]
        elif self.form == "number":
            lines += [f"        y[i] = i * {self.factor} + {self.plus}"]
        else:
            lines += [f"        s: {self.kind} = 0", "        for k in range(n):", "            s = i64(s) + x[(i + k) % x.size]", "        y[i] = s"]
        return "\n".join(lines) + "\n"

    def run(self, thread, rounds, place):
        """What a thread stores; `place` makes of a value what goes into a place."""
        if self.form == "element":
            return place(int(self.array[thread]))
        if self.form == "same":
            return place(int(self.array[rounds]))
        if self.form == "number":
            return place(thread * self.factor + self.plus)
        total = 0
        for k in range(rounds):
            total = place(low_bits(total + int(self.array[(thread + k) % self.size]), "i64"))
        return total


def model(kernel, rounds):
    """What each thread stores where all go on, and the value that each faults by."""
    def strict(value):
        if not fits(value, kernel.kind):
            raise Misfit(value)
        return value

    stored, misfits = [], {}
    for thread in range(kernel.size):
        stored.append(kernel.run(thread, rounds, lambda value: low_bits(value, kernel.kind)))
        try:
            kernel.run(thread, rounds, strict)
        except Misfit as misfit:
            misfits[thread] = misfit.args[0]
    return stored, misfits


# Threads of a vector that go round a loop come to their faults in the order of its rounds.
def problem_of(done, mode, block, stored, misfits, is_lowest):
    printed = re.search(r"^y.*?(\[.*\])", done.stdout, re.MULTILINE | re.DOTALL)
    found = [int(text) for text in re.findall(r"-?\d+", printed[1])] if printed else None
    if mode in ("--guards=off", "--on-fault=clamp"):
        count = re.search(r"that went on: (\d+)", done.stderr)
        expected = len(misfits) if mode == "--on-fault=clamp" else 0
        return done.returncode != 0 or found != stored or (int(count[1]) if count else 0) != expected
    if not misfits:
        return done.returncode != 0 or found != stored
    fault = re.search(r"the value (-?\d+) does not fit .*, block \((\d+),0,0\) thread \((\d+),0,0\)", done.stderr)
    if not fault or done.returncode != 4:
        return True
    thread = int(fault[2]) * block + int(fault[3])
    return misfits.get(thread) != int(fault[1]) or (is_lowest and thread != min(misfits))


def check(options, seed, folder):
    """Returns what is wrong, or None."""
    rng = random.Random(seed)
    kernel = Kernel(rng)
    rounds = rng.choice([1, 7, 19])
    stored, misfits = model(kernel, rounds)
    path, data = folder / "k.kern", folder / "x.npy"
    path.write_text(kernel.text())
    numpy.save(data, kernel.array)
    is_cpu = options.device == "cpu"
    forms = [[f"--lanes={lanes}"] for lanes in (1, 16, 32)] if is_cpu else [["--device=cuda"]]
    for form in forms:
        block, mode = rng.choice([24, 32]), rng.choice(["--guards=on", "--guards=on", "--guards=shadow", "--guards=off", "--on-fault=clamp"])
        more = [rng.choice(["--loops=all", "--loops=none"]), rng.choice(["--arch=x86-64-v3", "--arch=x86-64-v4"])] if is_cpu else []
        command = [options.kernc, "run", str(path), f"x=@{data}", f"y=zeros:{kernel.kind}:{kernel.size}", f"n={rounds}", "--over", str(kernel.size + 9),
                   "--block", str(block), "--print", "y", mode, *form, *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if problem_of(done, mode, block, stored, misfits, is_cpu and kernel.form != "loop"):
            return f"exit {done.returncode}: {' '.join(command)}\n{done.stdout}{done.stderr}\nnot {stored}\nmisfits: {misfits}"
    return None


def main():
    options = arguments.parser(60, keep=True, device=True).parse_args()
    return arguments.check_each(options, "fits", check)


if __name__ == "__main__":
    sys.exit(main())

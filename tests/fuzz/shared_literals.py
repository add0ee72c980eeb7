#!/usr/bin/env python3
"""Calls of generic functions that differ in float literals, against each call in a file of its own.

Calls with different literals share an instance where the body only converts them; alone in a file each has its own, with the literal in it. The
results are the same bits: also where the body folds a literal, compares it, returns it, hands it on, keeps it in a tuple or a local, and where
the other arguments have different types.

usage: shared_literals.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import re
import subprocess
import sys

import arguments

LITERALS = ["0.5", "0.1", "2.0", "-3.25", "1e-3", "16777217.0", "0.0", "1e10", "-0.7", "3.0"]
TYPES = ["f32", "f64"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        inner = self.function("inner", "")
        self.functions = inner + self.function("f", "inner")
        self.calls = [(self.random.choice(TYPES), self.random.choice(LITERALS), self.random.choice(LITERALS)) for _ in range(6)]

    def term(self, callee):
        b = self.random.choice("bc")
        terms = ["a * {b}", "a + {b}", "{b} - a", "{b}", "{b} * 3.0", "a * ({b} * 0.3)", "a / ({b} + 1.7)", "(a if a > {b} else {b})", "min(a, {b})",
                 "math.sqrt(abs(a * {b}))", "a * t[1]", "t[0] * a", "u * a", "(a if {b} > 1.0 else -a)", "a * f32({b})", "f64({b}) * a"]
        if callee:
            terms += [callee + "(a, {b}, {b})", callee + "(a, {b}, 0.25)"] * 2
        return self.random.choice(terms).format(b=b)

    def function(self, name, callee):
        body = ["t = (b, c)", "u = c", "r = a"] + [f"r {self.random.choice('+-')}= {self.term(callee)}" for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.3:
            body.append(f"if b > {self.random.choice(LITERALS)}: r = r + {self.term(callee)}")
        last = self.random.choice(["r", "r", "r * b", "r + c"])
        return f"@device\ndef {name}(a, b, c):\n" + "".join(f"    {line}\n" for line in body) + f"    return {last}\n\n"

    def source(self, calls):
        lines = "".join(f"    {type}s[{place}] = f({type}s[{place}], {b}, {c})\n" for place, (type, b, c) in calls)
        return self.functions + f"@kernel\ndef k(f32s: f32[:], f64s: f64[:]):\n{lines}"


def run(options, folder, source):
    (folder / "k.kern").write_text(source)
    command = [options.kernc, "run", "k.kern", "k", "f32s=uniform:f32:6:seed=7", "f64s=uniform:f64:6:seed=8", "--grid=1", "--block=1", "--print", "f32s", "--print", "f64s",
               "-Wno-race", *options.extra]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode == 1:
        return None
    if done.returncode:
        raise AssertionError(f"exit {done.returncode}\n{done.stderr}\n{source}")
    return re.findall(r"(?<=[\[ ])[-+.\w]+(?=[\],])", done.stdout)


def check(options, seed, folder):
    program = Program(seed)
    calls = list(enumerate(program.calls))
    together, *alone = (run(options, folder, program.source(part)) for part in (calls, *([call] for call in calls)))
    if together is None or None in alone:
        return arguments.SKIPPED if together is None and None in alone else "refused in one form alone"
    for place, (type, _, _) in calls:
        at = place + (len(calls) if type == "f64" else 0)
        if together[at] != alone[place][at]:
            (folder / "k.kern").write_text(program.source(calls))
            return f"call {place}: {together[at]} beside others, {alone[place][at]} alone"


if __name__ == "__main__":
    options = arguments.parser(20, keep=True).parse_args()
    sys.exit(arguments.check_each(options, "shared_literals", check))

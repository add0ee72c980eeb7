#!/usr/bin/env python3
"""Random asserts over integers at the head of a kernel: the host must test them (exit code 2 where one does not hold, never a fault
of a thread), and find what a thread finds that computes the same expression behind the head.

usage: contracts.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import subprocess
import sys

import arguments

WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
RANGES = {type: (-(1 << width - 1), (1 << width - 1) - 1) if type[0] == "i" else (0, (1 << width) - 1) for type, width in WIDTHS.items()}


class Writer:
    def __init__(self, random):
        self.random = random
        self.params = [(f"p{i}", random.choice(list(WIDTHS))) for i in range(4)]
        self.shapes = ["x.size", "y.shape[1]", "i64(blockDim.x)"]
        self.functions = []

    def literal(self, type):
        low, high = RANGES[type]
        return str(self.random.choice([0, 1, 2, 3, 7, high, max(low, -1), max(low, -5), self.random.randint(low, high)]))

    def atom(self, type):
        own = [name for name, its in self.params if its == type]
        kind = self.random.randrange(5)
        if type == "i64" and kind == 0:
            return self.random.choice(self.shapes)
        if own and kind < 3:
            return self.random.choice(own)
        if kind < 4:
            return f"{type}({self.random.choice(self.params)[0]})"
        return f"{type}({self.literal(type)})"

    def number(self, type, depth):
        r = self.random
        if depth == 0:
            return self.atom(type)
        if r.random() < 0.08:
            return self.called(type, lambda: self.number(type, depth - 1))
        inner = lambda: self.number(type, depth - 1)  # noqa: E731
        other = r.choice(list(WIDTHS))
        return r.choice([
            lambda: f"({inner()} {r.choice(['+', '-', '*', '&', '|', '^'])} {inner()})",
            lambda: f"{r.choice(['min', 'max'])}({inner()}, {inner()})",
            lambda: f"({inner()} if {self.truth(depth - 1)} else {inner()})",
            lambda: f"{type}({self.number(other, depth - 1)})",
            lambda: f"({inner()} {r.choice(['//', '%'])} {type}({r.randrange(1, 9)}))",
            lambda: f"({inner()} {r.choice(['<<', '>>'])} {r.randrange(0, min(WIDTHS[type] - 1, 60))})",
            lambda: f"abs({inner()})",
            lambda: f"(~{inner()})",
            lambda: f"(-{inner()})" if type[0] == "i" else inner(),
            inner,
        ])()

    def called(self, result, expression):
        """A call of a new device function of two numbers and an array, which returns early or at its end."""
        arguments = [self.random.choice(self.params)[0] for _ in range(2)]
        array = self.shapes[0].split(".")[0]
        types = dict(self.params)
        # What may not fit a result is checked, by the thread: a cast wraps as the host does.
        cast = "" if result in ("bool", "i64") else result
        kept = self.params, self.shapes
        self.params, self.shapes = [("a", types[arguments[0]]), ("b", types[arguments[1]])], ["v.size", "v.shape[0]"]
        name = f"f{len(self.functions)}"
        self.functions.append("")
        lines = [f"@device\ndef {name}(a: {self.params[0][1]}, b: {self.params[1][1]}, v: f32[:]) -> {result}:\n"]
        if self.random.random() < 0.6:
            early = f"        return {cast}({expression()})\n"
            if self.random.random() < 0.3:
                early = f"        if {self.truth(0)}:\n            return {cast}({expression()})\n"
            lines.append(f"    if {self.truth(0)}:\n{early}")
        if self.random.random() < 0.3:
            lines.append(f"    c = {cast}({expression()})\n    return c\n")
        else:
            lines.append(f"    return {cast}({expression()})\n")
        self.params, self.shapes = kept
        self.functions[int(name[1:])] = "".join(lines)
        return f"{name}({arguments[0]}, {arguments[1]}, {array})"

    def truth(self, depth):
        r = self.random
        if depth > 0 and r.random() < 0.15:
            return self.called("bool", lambda: self.truth(depth - 1))
        if depth > 0 and r.random() < 0.4:
            return r.choice([lambda: f"({self.truth(depth - 1)} and {self.truth(depth - 1)})",
                             lambda: f"({self.truth(depth - 1)} or {self.truth(depth - 1)})",
                             lambda: f"(not {self.truth(depth - 1)})",
                             lambda: f"({self.truth(depth - 1)} if {self.truth(depth - 1)} else {self.truth(depth - 1)})"])()
        type, second = r.choice(list(WIDTHS)), r.choice(list(WIDTHS))
        ops = ["<", "<=", ">", ">=", "==", "!="]
        if r.random() < 0.2:
            return f"({self.number(type, depth)} {r.choice(ops)} {self.number(type, depth)} {r.choice(ops)} {self.number(type, 0)})"
        return f"({self.number(type, depth)} {r.choice(ops)} {self.number(r.choice([type, second]), depth)})"

    def files(self):
        conditions = [self.truth(self.random.choice([0, 1, 2])) for _ in range(3)]
        head = ", ".join(f"{name}: {type}" for name, type in self.params)
        functions = "\n\n".join(self.functions)
        asserts = "\n".join(f"    assert {condition}, \"c{i}\"" for i, condition in enumerate(conditions))
        values = "\n".join(f"    out[{i}] = 1 if {condition} else 0" for i, condition in enumerate(conditions))
        return (f"{functions}\n\n@kernel\ndef k(x: f32[:], y: f32[:, :], out: i64[:], {head}):\n",
                f"{asserts}\n    out[0] = 1\n", f"    i = grid(1)\n    if i >= 1:\n        return\n{values}\n")

    def arguments(self):
        words = ["x=zeros:f32:5", "y=zeros:f32:2x3", "out=zeros:i64:3"]
        return words + [f"{name}={type}:{self.literal(type)}" for name, type in self.params]


def run(kernc, path, words):
    command = [kernc, "run", path, "k", *words, "--grid", "1", "--block", "1", "--device=cpu", "--print", "out"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def check(options, seed, folder):
    """Returns what is wrong, or None."""
    writer = Writer(random.Random(seed))
    head, asserts, values = writer.files()
    host, thread = folder / "host.kern", folder / "thread.kern"
    host.write_text(head + asserts)
    thread.write_text(head + values)
    for _ in range(2):
        words = writer.arguments()
        expected = run(options.kernc, str(thread), words)
        if expected.returncode != 0:
            return arguments.SKIPPED if expected.returncode in (1, 4) else expected.stderr  # constants that do not fit, shifts too far
        truths = eval(expected.stdout.partition("=")[2])
        got = run(options.kernc, str(host), words)
        broken = [i for i, truth in enumerate(truths) if not truth]
        said = [i for i in range(len(truths)) if f"does not hold: c{i}" in got.stderr]
        if got.returncode != (2 if broken else 0) or said[: len(broken)] != broken[: len(said)] or bool(said) != bool(broken):
            return f"{head}{asserts}{' '.join(words)}\nthreads: {truths}, host: exit {got.returncode}, {said}\n{got.stderr}"
    return None


def main():
    options = arguments.parser(100, keep=True).parse_args()
    return arguments.check_each(options, "contracts", check)


if __name__ == "__main__":
    sys.exit(main())

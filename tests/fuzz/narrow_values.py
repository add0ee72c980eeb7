#!/usr/bin/env python3
"""Integers of 64 bits that are computed from narrower ones, in expressions, choices and loops of known rounds: what is proved to fit
32 bits is computed in 32, and gives what Python makes of it.

usage: narrow_values.py KERNC [--count N] [--seed S] [--seconds T] [--lanes N]

N files are written, each of 16 statements.
"""
# fuzz: --lanes=1
import random
import re
import subprocess

import numpy

import arguments

TYPES = {"u8": (0, 255), "i8": (-128, 127), "i16": (-32768, 32767), "u16": (0, 65535), "i32": (-(1 << 31), (1 << 31) - 1), "u32": (0, (1 << 32) - 1)}
STATEMENTS, VALUES = 16, 40


def wrapped(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


class Writer:
    """Writes expressions of i64s; each comes as its text and as a function of a row, which gives its number."""

    def __init__(self, rng):
        self.rng = rng

    def leaf(self, names):
        if names and self.rng.random() < 0.4:
            name = self.rng.choice(names)
            return name, lambda row: row[name]
        if self.rng.random() < 0.25:
            number = self.rng.choice([0, 1, 2, 3, 7, 28, 77, 255, 1000, 65535, 1 << 31, -1, -5])
            return f"i64({number})", lambda row: number
        name = self.rng.choice(["u8", "u8", "i8", "i16", "u16", "i32", "u32"])
        # Arithmetic of narrower numbers is exact without a cast; a u32 wraps.
        is_cast = name == "u32" or self.rng.random() < 0.5
        return f"i64(a_{name}[i])" if is_cast else f"a_{name}[i]", lambda row: row[name]

    def number(self, depth, names=()):
        if depth == 0:
            return self.leaf(names)
        (a, f), (b, g) = self.number(depth - 1, names), self.number(self.rng.randrange(depth), names)
        by = self.rng.choice([1, 2, 3, 9, 256, 1000])
        bits = self.rng.randrange(9)
        (test, holds) = self.test(names)
        return self.rng.choice([
            (f"({a} + {b})", lambda row: wrapped(f(row) + g(row))),
            (f"({a} - {b})", lambda row: wrapped(f(row) - g(row))),
            (f"({a} * {b})", lambda row: wrapped(f(row) * g(row))),
            (f"({a} // {by})", lambda row: f(row) // by),
            (f"({a} % {by})", lambda row: f(row) % by),
            (f"({a} // ({b} if {b} != 0 else i64(-1)))", lambda row: wrapped(f(row) // (g(row) or -1))),
            (f"({a} % ({b} if {b} != 0 else i64(-1)))", lambda row: f(row) % (g(row) or -1)),
            (f"({a} >> {bits})", lambda row: f(row) >> bits),
            (f"({a} << {bits})", lambda row: wrapped(f(row) << bits)),
            (f"({a} & {b})", lambda row: f(row) & g(row)),
            (f"({a} | {b})", lambda row: f(row) | g(row)),
            (f"({a} ^ {b})", lambda row: f(row) ^ g(row)),
            (f"min({a}, {b})", lambda row: min(f(row), g(row))),
            (f"max({a}, {b})", lambda row: max(f(row), g(row))),
            (f"min(max({a}, -{by}), {by})", lambda row: min(max(f(row), -by), by)),
            (f"abs({a})", lambda row: wrapped(abs(f(row)))),
            (f"(-{a})", lambda row: wrapped(-f(row))),
            (f"(~i64({a}))", lambda row: ~f(row)),
            (f"({a} if {test} else {b})", lambda row: f(row) if holds(row) else g(row)),
        ])

    def test(self, names):
        (a, f), (b, g) = self.leaf(names), self.leaf(names)
        return self.rng.choice([(f"{a} < {b}", lambda row: f(row) < g(row)), (f"{a} == {b}", lambda row: f(row) == g(row)), (f"{a} >= {b}", lambda row: f(row) >= g(row))])

    def statement(self, number):
        """Returns the lines that compute the local `v<number>`, and what gives its number."""
        rng, name = self.rng, f"v{number}"
        depth = rng.randint(1, 3)
        if rng.random() < 0.1:
            # The least i32 by -1 is the only quotient that 32 bits do not hold.
            op = rng.choice(["//", "%"])
            return [f"d: i64 = i64(a_i32[i]) | 1", f"{name}: i64 = i64(b_i32[i]) {op} d"], lambda row: eval(f"row['b'] {op} (row['i32'] | 1)", {}, {"row": row})
        if rng.random() < 0.4:
            text, f = self.number(depth)
            return [f"{name}: i64 = {text}"], f
        # A loop that adds, in one branch or two, or keeps the greatest.
        (start, first), rounds = self.leaf(()), rng.choice([0, 1, 3, 9, 25])
        (text, f), (test, holds) = self.number(depth, ("k",)), self.test(("k",))
        kind = rng.choice(["sum", "some", "most", "scaled"])
        change = {"sum": f"{name} += {text}", "most": f"{name} = max({name}, {text})", "some": f"{name} -= {text}", "scaled": f"{name} = ({name} + {text}) // 2"}[kind]
        head = [f"{name}: i64 = {start}", f"for k{number} in range({rounds}):", f"    k: i64 = k{number}"]
        body = [f"    if {test}:", f"        {change}"] if kind == "some" else [f"    {change}"]

        def compute(row):
            value = first(row)
            for k in range(rounds):
                at = row | {"k": k}
                if kind == "sum": value = wrapped(value + f(at))
                if kind == "most": value = max(value, f(at))
                if kind == "some" and holds(at): value = wrapped(value - f(at))
                if kind == "scaled": value = wrapped(value + f(at)) // 2
            return value

        return head + body, compute


def check(options, seed, folder):
    rng = random.Random(seed)
    writer = Writer(rng)
    params = [f"a_{type}: {type}[:]" for type in TYPES] + ["b_i32: i32[:]"] + ["o: i64[:, :]", "p: u8[:, :]"]
    lines, statements = [], []
    for number in range(STATEMENTS):
        text, compute = writer.statement(number)
        statements.append(compute)
        lines += [*text, f"o[{number}, i] = v{number}", f"p[{number}, i] = min(max(v{number}, 0), 255)"]
    path = folder / "k.kern"
    path.write_text(f"@kernel\ndef k({', '.join(params)}):\n    i = grid(1)\n    if i >= {VALUES}:\n        return\n" + "".join(f"    {line}\n" for line in lines))
    data, words = {}, []
    for type, (low, high) in TYPES.items():
        data[type] = [rng.choice([low, high, low + 1, max(low, -1), max(low, -2), high - 1, 0, 1, 2, high // 2, rng.randint(low, high)]) for _ in range(VALUES)]
        numpy.save(folder / f"{type}.npy", numpy.array(data[type], {"i": "int", "u": "uint"}[type[0]] + type[1:]))
        words.append(f"a_{type}=@{folder}/{type}.npy")
    data["b"] = [rng.choice([-(1 << 31), -(1 << 31), (1 << 31) - 1, 7, -7]) for _ in range(VALUES)]
    numpy.save(folder / "b.npy", numpy.array(data["b"], numpy.int32))
    words.append(f"b_i32=@{folder}/b.npy")
    words += [f"o=zeros:i64:{STATEMENTS}x{VALUES}", f"p=zeros:u8:{STATEMENTS}x{VALUES}", "-o", f"o={folder}/o.npy", "-o", f"p={folder}/p.npy"]
    shown = subprocess.run([options.kernc, str(path), "--emit=ir", "--passes=guards,narrow_cpu"], capture_output=True, text=True, timeout=120)
    options.narrowed += len(re.findall(r"^ *(?:var |%)?\w+: i32 = (?:%\w+|v\d+|\d+) [-+*/%&|^]", shown.stdout, re.M))
    command = [options.kernc, "run", str(path), "k", *words, "--grid=1", "--block=64", f"--lanes={options.lanes}", *options.extra]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    o, p = numpy.load(folder / "o.npy"), numpy.load(folder / "p.npy")
    for number, compute in enumerate(statements):
        for i in range(VALUES):
            expected = compute({name: values[i] for name, values in data.items()})
            if int(o[number, i]) != expected or int(p[number, i]) != min(max(expected, 0), 255):
                return f"{path.read_text()}v{number}[{i}]: {o[number, i]}, {p[number, i]}; {expected} expected of {[data[type][i] for type in TYPES]}"
    return None


def main():
    parser = arguments.parser(20)
    parser.add_argument("--lanes", default="16")
    options = parser.parse_args()
    options.narrowed = 0
    status = arguments.check_each(options, "narrow_values", check)
    print(f"{options.narrowed} operations in 32 bits")
    raise SystemExit(status)


main()

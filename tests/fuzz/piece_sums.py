#!/usr/bin/env python3
"""Sums of small terms in loops of unknown length, in several at once, in branches, beside what keeps a loop from being cut into
pieces: they give what Python makes of the same text.

usage: piece_sums.py KERNC [--count N] [--seed S] [--seconds T] [--lanes N]

N files are written, each of 8 loops.
"""
# fuzz: --lanes=1
import random
import re
import subprocess

import numpy

import arguments

TYPES = {"u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767)}
LOOPS, THREADS = 8, 37


class Writer:
    """Writes lines that are Kern and Python alike; `k` counts the loop, `i` is the thread."""

    def __init__(self, rng):
        self.rng = rng

    def element(self):
        name = self.rng.choice(list(TYPES))
        return f"a_{name}[{self.rng.choice(['k', 'k', 'k', 'size - 1 - k', '(k + i) % size'])}]"

    def term(self):
        a, b = self.element(), self.element()
        small = self.rng.choice(["u8", "i8"])
        return self.rng.choice([
            # The largest ones that are cut: a piece has 128 or 256 rounds.
            *["a_u8[k] * a_u16[k]", "a_i8[k] * a_i16[k]"] * 4, a, a, f"{a} * a_{small}[k]", f"a_{small}[k] * a_{small}[k]",
            f"({a} - {b})", f"abs({a} - {b})", f"min({a}, {b})", f"(-{a})", f"({a} << {self.rng.randrange(9)})", f"({a} & {self.rng.choice([1, 15, 255])})",
            f"({a} * {b} // {self.rng.choice([2, 256, 1000])})", f"({a} * {b} >> {self.rng.randrange(1, 12)})", f"{a} * {b}", f"{self.rng.randrange(-9, 9)}",
            f"({a} if {self.test()} else {b})", f"({a} * a_{small}[k] if {self.test()} else 0)",
        ])

    def test(self):
        return self.rng.choice([f"{self.element()} > {self.rng.choice([0, 7, 100, -100])}", f"(k + i) % {self.rng.choice([2, 3])} == 0", "k > i", "i > 20", "flag > 0"])

    def change(self, name):
        a, b = self.term(), self.term()
        return self.rng.choice([[f"{name} += {a}"]] * 3 + [
            [f"{name} -= {a}"], [f"{name} = {a} + {name}"], [f"{name} = {name} + {a} - {b}"],
            [f"if {self.test()}:", f"    {name} += {a}"], [f"if {self.test()}:", f"    {name} += {a}", "else:", f"    {name} -= {b}"],
            [f"{name} = {name} + {a} if {self.test()} else {name}"], [f"if {self.test()}:", "    continue", f"{name} += {a}"],
        ])

    def hindrance(self, name):
        return self.rng.choice([[f"if {name} > 1000:", "    other += 1"], [f"if {self.test()}:", f"    {name} = 0"], [f"if {self.test()}:", "    break"],
                                [f"other = {name}"], [f"{name} = {name} * 1"]])

    def loop(self, number):
        rng = self.rng
        names = [f"s{number}", f"t{number}"][:rng.choice([1, 1, 2])]
        lines = [f"{name}: i64 = {rng.choice(['0', 'i', '-i', '1 << 40', '-(1 << 33)'])}" for name in names] + ["other = 0"]
        body = [line for name in names for _ in range(rng.choice([1, 1, 1, 2])) for line in self.change(name)]
        if rng.random() < 0.2:
            at = rng.choice([0, len(body)])
            body[at:at] = self.hindrance(names[0])
        ends = rng.choice(["n", "n", "n", "low, n", "low, n, 3", "n - 1, low - 1, -1", "n - 1, -1, -2", "i, n", "n - i", "100", "min(n, 200)"])
        loop = [f"for k in range({ends}):"] + [f"    {line}" for line in body]
        if rng.random() < 0.3:
            loop = [f"for turn in range({rng.choice(['2', 'turns'])}):"] + [f"    {line}" for line in loop]
        # What a loop leaves in its variable stays as well.
        shown = [f"o[{3 * number + place}, i] = {name}" for place, name in enumerate([*names, "other"])]
        return lines + loop + shown


def check(options, seed, folder):
    rng = random.Random(seed)
    writer = Writer(rng)
    lines = [line for number in range(LOOPS) for line in writer.loop(number)]
    text = "".join(f"    {line}\n" for line in lines)
    scalars = {"n": rng.choice([0, 1, 100, 127, 128, 129, 255, 256, 257, 512, 513, 640, 640, 640]), "low": rng.choice([0, 1, 5]), "turns": rng.choice([0, 1, 3]), "flag": rng.choice([0, 1])}
    scalars["size"] = max(scalars["n"], 100)
    types = {name: rng.choice(["i32", "i64"]) for name in scalars}
    params = [f"a_{type}: {type}[:]" for type in TYPES] + [f"{name}: {type}" for name, type in types.items()] + ["o: i64[:, :]"]
    path = folder / "k.kern"
    path.write_text(f"@kernel\ndef k({', '.join(params)}):\n    i = i64(threadIdx.x)\n" + text)
    data, words = {"i64": int}, []
    extreme = rng.choice([None, 0, 1])
    for type, (low, high) in TYPES.items():
        kind = rng.randrange(4) if extreme is None else extreme
        values = [[low, high, rng.choice([low, high]), rng.randint(low, high)][kind] for _ in range(scalars["size"])]
        data[f"a_{type}"] = values
        numpy.save(folder / f"{type}.npy", numpy.array(values, {"i": "int", "u": "uint"}[type[0]] + type[1:]))
        words.append(f"a_{type}=@{folder}/{type}.npy")
    words += [f"{name}={value}" for name, value in scalars.items()] + [f"o=zeros:i64:{3 * LOOPS}x{THREADS}", "-o", f"o={folder}/o.npy"]
    shown = subprocess.run([options.kernc, str(path), "--emit=ir", "--passes=guards,pieces"], capture_output=True, text=True, timeout=120)
    options.pieces += len(re.findall(r"^  var %\d+: i32$", shown.stdout, re.M))
    command = [options.kernc, "run", str(path), "k", *words, "--grid=1", f"--block={THREADS}", f"--lanes={options.lanes}", *options.extra]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return f"{path.read_text()}{' '.join(command)}\n{done.stdout}{done.stderr}"
    places = data | scalars | {"o": {}}
    exec(f"def k(i):\n{text}", places)
    for i in range(THREADS):
        places["k"](i)
    o = numpy.load(folder / "o.npy")
    for (row, i), expected in places["o"].items():
        if int(o[row, i]) != expected:
            return f"{path.read_text()}{scalars} o[{row}, {i}]: {o[row, i]}, not {expected}"
    return None


def main():
    parser = arguments.parser(20)
    parser.add_argument("--lanes", default="16")
    options = parser.parse_args()
    options.pieces = 0
    status = arguments.check_each(options, "piece_sums", check)
    print(f"{options.pieces} pieces")
    raise SystemExit(status)


main()

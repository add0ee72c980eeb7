#!/usr/bin/env python3
"""Random integer expressions rich in min, max, clamps, abs, negation, comparisons and the arithmetic of indices: CPU against
GPU. NVIDIA's PTX compiler has made wrong code of such expressions (compiler/emit/ptxas_defects.def).

usage: expressions.py KERNC [--count N] [--seed S] [--seconds T] [--device cpu|cuda] [--keep DIR]

N files are written, each of 40 expressions, run by 256 threads. On the CPU they run with 16 lanes and with 1, and both must agree.
"""
import pathlib
import random
import struct
import subprocess
import sys

import arguments

CODES = {"i32": "<i4", "i64": "<i8", "u32": "<u4", "u64": "<u8"}
TYPES = tuple(CODES)
COLUMNS, THREADS, WIDTH = 40, 256, 16


def bits(t):
    return int(t[1:])


def limits(t):
    return (-(1 << (bits(t) - 1)), (1 << (bits(t) - 1)) - 1) if t[0] == "i" else (0, (1 << bits(t)) - 1)


class Generator:
    def __init__(self, rng, t):
        self.rng, self.t, self.signed = rng, t, t[0] == "i"

    def leaf(self):
        r = self.rng.random()
        if r < 0.5:
            return f"x{self.rng.randrange(3)}"
        if r < 0.75:
            return f"s{self.rng.randrange(2)}"
        c = self.rng.choice([0, 0, 1, 2, 3, 4, 7, 31, 32, 50, 127, 128, 255, 256, 65535])
        return f"{self.t}({-c if self.signed and self.rng.random() < 0.4 else c})"

    def expression(self, depth):
        """A number is computed in 64 bits: to have 32 of them, some are cast on the way."""
        text = self.computed(depth)
        return f"{self.t}({text})" if self.t == "i32" and self.rng.random() < 0.7 else text

    def computed(self, depth):
        rng, t = self.rng, self.t
        if depth <= 0 or rng.random() < 0.12:
            return self.leaf()
        e = lambda: self.expression(depth - 1)
        k = rng.randrange(19)
        if k == 0: return f"min({e()}, {e()})"
        if k == 1: return f"max({e()}, {e()})"
        if k == 2: return f"max(min({e()}, {e()}), {t}(0))"
        if k == 3: return f"min(max({e()}, {t}(0)), {e()})"
        if k == 4 and self.signed: return f"abs({e()})"
        if k == 5 and self.signed: return f"(-{e()})"
        if k == 6 and self.signed: return f"(-abs({e()}))"
        if k in (7, 8): return f"({e()} if {self.condition(depth - 1)} else {e()})"
        if k == 9: return f"{t}({self.condition(depth - 1)})"
        if k == 10: return f"({e()} {rng.choice(['<<', '>>'])} ({e()} & {t}({bits(t) - 1})))"
        if k == 11: return f"({e()} {rng.choice(['//', '%'])} ({e()} | {t}(1)))"
        if k == 12: return f"{t}({rng.choice([u for u in TYPES if u != t])}({e()}))"
        if k == 13: return f"{rng.choice(['min', 'max'])}({rng.choice(['min', 'max'])}({e()}, {'-' + e() if self.signed else e()}), {e()})"
        if k == 14: return f"a[{self.index(depth - 1)}]"
        if k == 15: return f"m[{self.pixel('y', depth - 1)}, {self.pixel('x', depth - 1)}]"
        return f"({e()} {rng.choice(['+', '-', '*', '&', '|', '^', '+', '-'])} {e()})"

    def condition(self, depth):
        left = self.expression(depth)
        right = self.rng.choice([self.expression(depth - 1), f"{self.t}({self.rng.choice([0, 1, 4, 50])})", f"s{self.rng.randrange(2)}"])
        if self.rng.random() < 0.2:
            # A clamp is compared with what it was clamped by.
            left = self.rng.choice([f"max(min({left}, {right}), {self.t}(0))", f"min(max({left}, {self.t}(0)), {right})"])
        c = f"({left} {self.rng.choice(['==', '!=', '<', '<=', '>', '>='])} {right})"
        return f"({c} {self.rng.choice(['and', 'or'])} {self.condition(depth - 1)})" if depth > 1 and self.rng.random() < 0.25 else c

    # Offsets of -7 to 7 from a number of any type, so that no sum overflows.
    def offset(self, depth):
        return f"(i64(({self.expression(depth)}) & {self.t}(15)) - 8)"

    # An index of `a`: clamped, mirrored at the ends, wrapped, or of a tile.
    def index(self, depth):
        o = self.offset(depth)
        return self.rng.choice([f"max(min(i + {o}, a.size - 1), 0)", f"min(max(i - {o}, 0), a.size - 1)", f"min(abs(i + {o}), a.size - 1)",
                                f"a.size - 1 - min(abs(a.size - 1 - abs(i + {o})), a.size - 1)", f"(i + {o}) % a.size", f"(i // 32) * 32 + ((i + {o}) % 32)"])

    # A coordinate of the image `m`: replicated, reflected or periodic at its borders.
    def pixel(self, axis, depth):
        o, size = self.offset(depth), "m.shape[0]" if axis == "y" else "m.shape[1]"
        return self.rng.choice([f"max(min({axis} + {o}, {size} - 1), 0)", f"min(max({axis} + {o}, 0), {size} - 1)", f"min(abs({axis} - {o}), {size} - 1)",
                                f"({size} - 1 - abs({size} - 1 - abs({axis} + {o})))", f"({axis} + {o}) % {size}"])


def program(seed):
    """Returns the type, the source, the elements of `a` (258) and `m` (16 x 16) and the two scalars."""
    rng = random.Random(seed)
    t = TYPES[seed % 4]
    generator = Generator(rng, t)
    lines = ["@kernel", f"def k(a: {t}[:], m: {t}[:, :], o: {t}[:, :], s0: {t}, s1: {t}):", "    i = grid(1)", "    if i >= o.shape[0] or i >= a.size - 2:",
             "        return", "    x0 = a[i]", "    x1 = a[i + 1]", "    x2 = a[i + 2]", f"    y = i // {WIDTH}", f"    x = i % {WIDTH}"]
    for column in range(COLUMNS):
        lines.append(f"    o[i, {column}] = {t}({generator.expression(rng.choice([2, 3, 3, 4]))})")
    low, high = limits(t)
    special = [0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 49, 50, 51, 127, 128, 255, 256, high, high - 1, low, low + 1]
    if t[0] == "i":
        special += [-1, -2, -3, -4, -5, -31, -32, -50, -51, -128]
    values = [rng.choice(special) if rng.random() < 0.8 else rng.randrange(low, high) for _ in range(THREADS + 2 + WIDTH * WIDTH)]
    return t, "\n".join(lines) + "\n", values[: THREADS + 2], values[THREADS + 2 :], [rng.choice(special[:17]) for _ in range(2)]


def pack(t, values):
    return struct.pack(f"<{len(values)}{ {'i32': 'i', 'u32': 'I', 'i64': 'q', 'u64': 'Q'}[t]}", *values)


def write_npy(path, t, shape, values):
    head = f"{{'descr': '{CODES[t]}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + pack(t, values))


def elements_of(path):
    """Returns the bytes of a .npy file's elements."""
    data = pathlib.Path(path).read_bytes()
    return data[10 + struct.unpack("<H", data[8:10])[0] :]


def write_inputs(folder, seed):
    t, text, a, m, scalars = program(seed)
    pathlib.Path(folder, "k.kern").write_text(text)
    write_npy(f"{folder}/a.npy", t, (len(a),), a)
    write_npy(f"{folder}/m.npy", t, (WIDTH, WIDTH), m)
    return t, [f"{folder}/k.kern", "k", f"a=@{folder}/a.npy", f"m=@{folder}/m.npy", f"o=zeros:{t}:{THREADS}x{COLUMNS}", f"s0={scalars[0]}",
               f"s1={scalars[1]}", "--grid=2", "--block=128"]


def check(options, seed, folder):
    """Returns what is wrong, or None."""
    _, words = write_inputs(folder, seed)
    ways = [["--device=cpu,cuda"]] if options.device == "cuda" else [[f"--lanes={lanes}", "-o", f"o={folder}/{lanes}.npy"] for lanes in (16, 1)]
    for way in ways:
        try:
            done = subprocess.run([options.kernc, "run", *words, *way], capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return "it does not end"
        if done.returncode:
            return f"{' '.join(words + way)}\n{done.stderr[-600:]}"
    if options.device == "cpu" and elements_of(folder / "16.npy") != elements_of(folder / "1.npy"):
        return f"{' '.join(words)}\n16 lanes and 1 lane differ"
    return None


def main():
    return arguments.check_each(arguments.parser(20, keep=True, device=True).parse_args(), "expressions", check)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Random kernels whose indices are clamped to the edges of arrays, in nested conditions and loops, with variables that are read as
vectors as well, and with narrow ones that wrap in lanes that have left a loop: what one lane computes, every lane count computes.

usage: clamps.py KERNC [--count N] [--seed S] [--seconds T]
"""
import random
import subprocess
import sys

import arguments

LANES = ["--lanes=16"], ["--lanes=32"], ["--arch=x86-64-v3", "--lanes=16"], ["--arch=x86-64-v3", "--lanes=32"], []
SHAPES = [(1, 1), (17, 1), (33, 3), (70, 2), (128, 1), (209, 2)]
ARRAYS = {"b": "u8", "h": "i16", "w": "i32", "f": "f32", "p": "u8"}  # p has a last axis of channels
KERNEL = """
@kernel
def clamps(b: u8[:, :], h: i16[:, :], w: i32[:, :], f: f32[:, :], p: u8[:, :, :], y: i64[:, :]):
    x, r = grid(2)
    n = y.shape[1]
    m = y.shape[0]
    t = threadIdx.x % 32
    if r < m and x < n:
        total = i64(x)
"""


class Writer:
    def __init__(self, random):
        self.random, self.lines, self.names = random, [], 0
        self.narrow = []  # (name, type, its value as a small i64) of what counts down to the end of its type

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def linear(self, loops):
        """Something that steps by one from thread to thread, or down, or stays."""
        base = self.random.choice(["x", "x", "x", "n - 1 - x", "2 * x", "r", "x // 2"])
        terms = [self.random.choice(["", f" + {self.random.randint(-9, 9)}"])] + [f" + {name}" for name in loops if self.random.random() < 0.6]
        terms += [f" + {value}" for _, _, value in self.narrow if self.random.random() < 0.6]
        return base + "".join(terms)

    def clamped(self, loops):
        value = self.linear(loops)
        return self.random.choice([f"max(0, min({value}, n - 1))", f"min(max({value}, 0), n - 1)", f"max(0, min({value}, n - 1) - 0)",
                                   f"min(n - 1, max(0, {value}))"])

    def load(self, index):
        name = self.random.choice(list(ARRAYS))
        row = self.random.choice(["r", "0", "m - 1 - r"])
        channel = f", {self.random.choice(['0', '2', 'r % 3'])}" if name == "p" else ""
        return f"i64({name}[{row}, {index}{channel}])"

    def leaving(self, depth, loops, indices):
        """A loop whose lanes leave one by one, the first one first, while a variable counts down in them all."""
        name, first, trips = self.names, self.random.randint(40, 150), self.random.randint(1, 9)
        type, least = self.random.choice([("u32", 0), ("u8", 0), ("i32", -(2**31))])
        least_left, end = least + self.random.choice([0, 0, 3]), first + trips
        self.add(depth, f"for k{name} in range(i32({first}) - t, i32({end})):")
        self.add(depth + 1, f"v{name} = {type}(i32({least_left + end - 1}) - k{name})")
        self.narrow.append((f"v{name}", type, f"i64(v{name})" if least == 0 else f"(i64(v{name}) + {-least})"))
        self.body(depth + 1, loops, indices)
        self.narrow.pop()

    def condition(self, indices):
        if self.narrow and self.random.random() < 0.4:
            name, type, _ = self.random.choice(self.narrow)
            bound = self.random.randint(1, 30) - (2**31 if type == "i32" else 0)
            return f"{name} {self.random.choice(['<', '<=', '>', '>='])} {type}({bound})"
        return self.random.choice(["x > 5", "x % 3 == 0", "total % 2 == 0", "r == 0", f"{self.random.choice(indices)} < n // 2"])

    def body(self, depth, loops, indices):
        indices = list(indices)
        for _ in range(self.random.randint(2, 4)):
            kind = self.random.choice(["index", "index", "load", "load", "load", "if", "for", "value", "leave"])
            if kind == "index" or not indices:
                self.names += 1
                indices.append(f"at{self.names}")
                self.add(depth, f"{indices[-1]} = {self.clamped(loops)}")
            elif kind == "load":
                self.add(depth, f"total = total * 3 + {self.load(self.random.choice(indices))}")
            elif kind == "value":
                values = [*indices, *(value for _, _, value in self.narrow)]
                self.add(depth, f"total += 7 * {self.random.choice(values)}")
            elif kind == "leave":
                self.names += 1
                if depth < 4 and len(self.narrow) < 2:
                    self.leaving(depth, loops, indices)
            elif depth < 5:
                self.names += 1
                if kind == "for":
                    trips = self.random.choice(["3", "5", "9", "r + 2", "x % 3", "total & 3", *(f"{v}, {t}({'90' if t != 'i32' else '-2147483558'}), 17" for v, t, _ in self.narrow)])
                    self.add(depth, f"for k{self.names} in range({trips}):")
                    self.body(depth + 1, [*loops, f"k{self.names}"], indices)
                else:
                    self.add(depth, f"if {self.condition(indices)}:")
                    self.body(depth + 1, loops, indices)
                    if self.random.random() < 0.4:
                        self.add(depth, "else:")
                        self.body(depth + 1, loops, indices)
                    elif loops and self.random.random() < 0.2:
                        self.add(depth + 1, self.random.choice(["break", "continue"]))
        self.add(depth, f"total = total * 5 + {self.load(self.random.choice(indices))}")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def check(options, seed, folder):
    source, expected = folder / "clamps.kern", folder / "y.npy"
    writer = Writer(random.Random(seed))
    writer.body(2, [], [])
    writer.add(2, "y[r, x] = total")
    source.write_text(KERNEL + "\n".join(writer.lines) + "\n")
    columns, rows = writer.random.choice(SHAPES)
    block = writer.random.choice(["64", "256", "16,4", "33"])
    arrays = [f"{name}=uniform:{type}:{rows}x{columns}{'x3' if name == 'p' else ''}:seed={seed}" for name, type in ARRAYS.items()]
    command = [options.kernc, "run", source, *arrays, f"y=zeros:i64:{rows}x{columns}", "--block", block]
    run([*command, "--lanes=1", "-o", f"y={expected}"])
    for lanes in LANES:
        run([*command, *lanes, "--expect", f"y={expected}"])


arguments.agree(arguments.parser(20).parse_args(), check)

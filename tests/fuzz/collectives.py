#!/usr/bin/env python3
"""Collectives of the standard library behind threads that left, against a model in Python.

Writes random kernels that call `reduce`, `scan`, `exclusive_scan`, `broadcast` and those of a warp one after the other, in loops too;
between the calls random threads return: single ones, whole warps, every other lane, the first or the last ones. The operations are
associative, and most neither commute nor have a neutral element: products of 2x2 matrices, joined strings (a hash and a power), the
first, the last, the first half with the last half. Each must give what Python makes of the threads that are still there, in order;
a second launch keeps what was proved as assertions. With --cuda a GPU runs them instead.

usage: collectives.py KERNC [--cuda] [--count N] [--seed S] [--seconds T] [--keep DIR] [-- EXTRA OPTIONS OF kernc run]
"""
import random
import subprocess
import sys

import numpy

import arguments

CONFIGURATIONS = [["--lanes=16"], ["--lanes=32"], ["--arch=x86-64-v3", "--lanes=32"], ["--guards=shadow"]]
BLOCKS = [(1, 1, 1), (5, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (100, 1, 1), (256, 1, 1), (7, 5, 3), (16, 16, 1), (31, 33, 1), (1024, 1, 1)]
NEVER = 100  # the step at which a thread leaves that stays

# The text of an operation in Kern, which is Python too.
COMBINES = {
    "matrices": """
    a0, a1, a2, a3 = a % 31, a // 31 % 31, a // 961 % 31, a // 29791
    b0, b1, b2, b3 = b % 31, b // 31 % 31, b // 961 % 31, b // 29791
    return ((a0 * b0 + a1 * b2) % 31 + (a0 * b1 + a1 * b3) % 31 * 31 + (a2 * b0 + a3 * b2) % 31 * 961
            + (a2 * b1 + a3 * b3) % 31 * 29791)""",
    "strings": """
    hash = (a % 1009 * (b // 1009) + b % 1009) % 1009
    return hash + a // 1009 * (b // 1009) % 1009 * 1009""",
    "first": """
    return a""",
    "last": """
    return b""",
    "ends": """
    return a // 1009 * 1009 + b % 1009""",
    "sums": """
    return (a + b) % 923521""",
}
MOST = {"matrices": 31**4, "strings": 1009 * 1009}


def operation(name):
    scope = {}
    exec(f"def combine(a, b):{COMBINES[name]}", scope)  # written above
    return scope["combine"]


def leaving(rng, count, steps):
    """Returns for each thread at which step it leaves."""
    when = [NEVER] * count
    for step in range(steps):
        kind = rng.randint(0, 8)
        low, high = sorted(rng.randint(0, count) for _ in range(2))
        picks = {
            0: lambda t: False, 1: lambda t: t >= high, 2: lambda t: t < low, 3: lambda t: low <= t < high, 4: lambda t: t % 2 == low % 2,
            5: lambda t: t // 32 == low // 32, 6: lambda t: t // 32 != low // 32, 7: lambda t: rng.random() < 0.5, 8: lambda t: t == 0,
        }[kind]
        for t in range(count):
            if when[t] == NEVER and picks(t):
                when[t] = step
    return when


class Case:
    def __init__(self, rng):
        self.rng = rng
        self.name = rng.choice(list(COMBINES))
        self.combine = operation(self.name)
        self.block = rng.choice(BLOCKS)
        self.count = self.block[0] * self.block[1] * self.block[2]
        self.blocks = rng.randint(1, 2)
        self.type = rng.choice(["i64", "i64", "i32", "f64"]) if self.name in ("first", "last") else "i64"
        self.fixed = rng.random() < 0.3
        self.calls = []  # (step, text of the call with its value, how the model gives it)
        self.steps = rng.randint(1, 4)
        self.lines = []
        self.write()
        most = MOST.get(self.name, 923521)
        self.x = [[rng.randint(0, most - 1) for _ in range(self.count)] for _ in range(self.blocks)]
        self.when = [leaving(rng, self.count, self.steps) for _ in range(self.blocks)]

    def write(self):
        rng = self.rng
        step = 0
        while step < self.steps:
            rounds = rng.randint(2, 3) if rng.random() < 0.2 and self.steps - step >= 3 else 1
            indent = "    "
            if rounds > 1:
                self.lines.append(f"    for round in range({rounds}):")
                indent = "        "
            now = f"{step} + round" if rounds > 1 else str(step)
            self.lines += [f"{indent}if when[i] == {now}:", f"{indent}    return"]
            kinds = [rng.choice(["reduce", "scan", "exclusive_scan", "broadcast", "warp_reduce", "warp_scan", "warp_exclusive_scan"])
                     for _ in range(rng.randint(1, 3))]
            for kind in kinds:
                call = {"broadcast": f"broadcast(value, who[{now}, blockIdx.x])"}.get(kind, f"{kind}(value, combine)")
                if "exclusive" in kind:
                    call = f"{kind}(value, combine, {self.type}(7))"
                index = len(self.calls)
                for r in range(rounds):
                    self.calls.append((step + r, kind))
                place = f"{index} + round" if rounds > 1 else str(index)
                self.lines.append(f"{indent}out[{place}, i] = {call}")
            step += rounds

    def kernel(self):
        head = f"@kernel(block={self.block})" if self.fixed else "@kernel"
        array = f"{self.type}[:]"
        return f"""from block import broadcast, exclusive_scan, reduce, scan, thread_id, warp_exclusive_scan, warp_reduce, warp_scan


@device
def combine(a, b):{COMBINES[self.name]}


{head}
def k(x: {array}, when: i32[:], who: i32[:, :], out: {self.type}[:, :]):
    i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + thread_id()
    value = x[i]
""" + "\n".join(self.lines) + "\n"

    def who(self, block, step):
        """Returns a thread that is still there."""
        there = [t for t in range(self.count) if self.when[block][t] > step]
        return there[(7 * step + 3) % len(there)] if there else 0

    def expected(self):
        out = numpy.zeros((len(self.calls), self.blocks * self.count), {"i64": "i8", "i32": "i4", "f64": "f8"}[self.type])
        for block in range(self.blocks):
            for row, (step, kind) in enumerate(self.calls):
                there = [t for t in range(self.count) if self.when[block][t] > step]
                for t in there:
                    out[row, block * self.count + t] = self.model(block, step, kind, there, t)
        return out

    def model(self, block, step, kind, there, t):
        """Returns what a thread gets; what was made for the others of its block is kept."""
        key = (block, step, "warp" in kind)
        scans = self.scans.setdefault(key, {})
        if not scans:
            groups = {}
            for each in there:
                groups.setdefault(each // 32 if "warp" in kind else 0, []).append(each)
            for group in groups.values():
                total, below, seven = None, None, 7
                for each in group:
                    value = self.x[block][each]
                    before = seven if total is None else self.combine(7, total)
                    total = value if total is None else self.combine(total, value)
                    scans[each] = (total, before)
                for each in group:
                    scans[each] += (total,)
        if kind == "broadcast":
            return self.x[block][self.who(block, step)]
        return scans[t][1 if "exclusive" in kind else 0 if "scan" in kind else 2]

    def run(self, kernc, folder, extra, configurations):
        """Returns what went wrong, or none."""
        self.scans = {}
        text = self.kernel()
        (folder / "k.kern").write_text(text)
        kind = {"i64": "i8", "i32": "i4", "f64": "f8"}[self.type]
        numpy.save(folder / "x.npy", numpy.array(self.x, kind).reshape(-1))
        numpy.save(folder / "when.npy", numpy.array(self.when, "i4").reshape(-1))
        who = [[self.who(block, step) for block in range(self.blocks)] for step in range(self.steps)]
        numpy.save(folder / "who.npy", numpy.array(who, "i4"))
        expected = self.expected()
        numpy.save(folder / "expected.npy", expected)
        words = [kernc, "run", str(folder / "k.kern"), "k"]
        words += [f"{name}=@{folder / name}.npy" for name in ("x", "when", "who")]
        words += [f"out=zeros:{self.type}:{expected.shape[0]}x{expected.shape[1]}", "--expect", f"out={folder / 'expected'}.npy"]
        words += ["--grid", str(self.blocks), "--block", ",".join(map(str, self.block)), "-Wno-partial_warp", "-Wno-large"]
        for configuration in configurations:
            done = subprocess.run(words + configuration + extra, capture_output=True, text=True, timeout=120)
            if done.returncode or done.stderr:
                return f"{' '.join(words + configuration + extra)}\n{done.stderr}\n{text}"
        return None


def main():
    options = arguments.parser(20, keep=True, device=True).parse_args()
    configurations = [["--device=cuda"]] if options.device == "cuda" else CONFIGURATIONS

    def check(options, seed, folder):
        return Case(random.Random(seed)).run(options.kernc, folder, options.extra, configurations)

    return arguments.check_each(options, "collectives", check)


if __name__ == "__main__":
    sys.exit(main())

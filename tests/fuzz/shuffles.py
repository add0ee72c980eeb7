#!/usr/bin/env python3
"""Shuffles of which kernc says nothing: no lane of a full mask is missing there, for any launch of whole warps.

Writes random kernels in which threads return, break and go through branches and loops by arithmetic of their numbers, of blocks that are
fixed or not, also in device functions, and come to shuffles. Where `kernc check` has no W0715, each thread is run here: in each warp
either all lanes come to a shuffle or none, as often; to one that reads the lane below, the first ones. Of those with a warning most must miss a lane in some launch, so that it is not just said.

usage: shuffles.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import itertools
import random
import subprocess
import sys
import types

import arguments

FIXED = [None, None, None, (64, 1, 1), (128, 1, 1), (16, 16, 1), (32, 4, 1), (8, 4, 2), (4, 8, 4)]
FREE = [(32, 1, 1), (96, 1, 1), (64, 2, 1), (32, 2, 3)]
HEAD = """@device
def warp_of(step):
    return (threadIdx.x + blockIdx.x * blockDim.x) // 32 + step


@device
def linear():
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x


"""


class Writer:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.shuffles = 0
        self.loops = 0
        self.block = rng.choice(FIXED)

    def number(self):
        """An integer that differs between warps, or between lanes."""
        rng = self.rng
        base = rng.choice(["grid(1)", "i32(threadIdx.x)", "linear()", "i32(threadIdx.y)", "laneid", "(blockIdx.x * blockDim.x + threadIdx.x)", "t"])
        return rng.choice([f"{base} // 32", f"{base} // 32", f"{base} // 64 + 1", f"({base} >> 5)", f"({base} & ~31)", f"{base} - laneid", f"{base} // 16",
                           f"{base} % 64 // 32", f"{base} - {base} % 32", f"{base} // warpsize * 3", f"{base} // 2", "warp_of(1)", "i32(blockIdx.x)", "w", base])

    def condition(self):
        rng = self.rng
        limit = rng.choice(["n", "0", "1", "2", "32", "64", "31", "16", "n * 32"])
        if rng.random() < 0.15:
            return f"{self.number()} > {limit} and {self.number()} < 3"
        if rng.random() < 0.1:
            return rng.choice(["any_sync(0xffffffff, laneid == n)", "n > 2", "ballot_sync(0xffffffff, t > 40) != 0"])
        return f"{self.number()} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {limit}"

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def shuffle(self, depth):
        self.shuffles += 1
        self.line(depth, f"v = shfl_{self.rng.choice(['up', 'down', 'xor'])}_sync(0xffffffff, v + {self.shuffles}, 1)")

    def block_of(self, depth, in_loop):
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, in_loop)

    def statement(self, depth, in_loop):
        rng = self.rng
        form = rng.randint(0, 10)
        if form <= 2 or depth > 3:
            self.shuffle(depth)
        elif form <= 4:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, rng.choice(["return", "return", "break", "continue"] if in_loop else ["return"]))
        elif form <= 6:
            self.line(depth, f"if {self.condition()}:")
            self.block_of(depth + 1, in_loop)
            if rng.random() < 0.3:
                self.line(depth, "else:")
                self.block_of(depth + 1, in_loop)
        elif form == 7:
            self.loops += 1
            bounds = rng.choice(["2", "n", f"i32({self.number()}) % 3", f"i32({self.number()}), 4", "i32(threadIdx.x), 96, 32"])
            self.line(depth, f"for r{self.loops} in range({bounds}):")
            self.block_of(depth + 1, True)
        elif form == 8:
            self.strided(depth)
        else:
            self.line(depth, f"w = i32({self.number()})")

    def strided(self, depth):
        """A loop of which each round goes a step further, which differs between lanes or not."""
        rng = self.rng
        self.loops += 1
        name = f"c{self.loops}"
        step = rng.choice(["32", "64", "blockDim.x", "blockDim.x // 32 * 32 + 32", "16", "laneid + 1", "33 - laneid % 2"])
        self.line(depth, f"{name} = i32({rng.choice([self.number(), 't', 't // 32 * 32'])})")
        self.line(depth, f"while {rng.choice([f'{name} // 32', f'{name} // 32', f'{name} // 64', name, f'({name} >> 5)'])} < {rng.choice(['2', '3', 'n'])}:")
        if rng.random() < 0.2:
            self.line(depth + 1, f"if {self.condition()}:")
            self.line(depth + 2, f"{name} += 32")
        self.line(depth + 1, rng.choice([f"{name} += {step}", f"{name} = {name} + {step}", f"{name} = {step} + {name}"]))
        self.block_of(depth + 1, True)

    def kernel(self):
        self.block_of(1, False)
        self.block_of(1, False)
        self.shuffle(1)
        head = f"@kernel(block={self.block})" if self.block else "@kernel"
        start = "    t = i32(threadIdx.x)\n    w = t // 32\n    v = x[0]\n"
        return f"{HEAD}{head}\ndef k(x: i32[:], n: i32):\n{start}" + "\n".join(self.lines) + "\n    x[0] = v\n"


class Gone:
    """A thread that has returned, or is at its end."""

    def send(self, _):
        raise StopIteration


GONE = Gone()


def missing(text, block, n):
    """Says whether a lane misses a shuffle that another one of its warp comes to. Threads of a warp run to the next collective."""
    python = text.replace("@device\n", "").split("@kernel")[0] + "def k" + text.split("def k", 1)[1].split("\n    x[0] = v")[0]
    python = python.replace("x: i32[:], n: i32", "x, n")
    lines = []
    for number, line in enumerate(python.split("\n")):
        for vote in ("any_sync(0xffffffff, laneid == n)", "ballot_sync(0xffffffff, t > 40) != 0"):
            if vote in line:
                lines.append(line[: len(line) - len(line.lstrip())] + f"vote = yield ('vote', {number}, {'laneid == n' if 'any' in vote else 't > 40'})")
                line = line.replace(vote, "vote")
        if "_sync(" in line:
            line = line[: len(line) - len(line.lstrip())] + f"yield ('shuffle', {number}, {'shfl_up' in line})"
        lines.append(line)
    code = "\n".join(lines) + "\n    if False:\n        yield\n"
    dims = types.SimpleNamespace(x=block[0], y=block[1], z=block[2])
    for place in (0, 1):
        threads = []
        for z, y, x in itertools.product(range(block[2]), range(block[1]), range(block[0])):
            scope = {"threadIdx": types.SimpleNamespace(x=x, y=y, z=z), "blockDim": dims, "warpsize": 32, "laneid": len(threads) % 32,
                     "blockIdx": types.SimpleNamespace(x=place, y=0, z=0), "i32": int, "grid": lambda _, x=x: place * block[0] + x}
            exec(code, scope)  # written above
            threads.append(scope["k"]([1], n))
        for first in range(0, len(threads), 32):
            warp = threads[first: first + 32]
            answers = [None] * len(warp)
            while True:
                at = []
                for lane, thread in enumerate(warp):
                    try:
                        at.append(thread.send(answers[lane]))
                    except StopIteration:
                        at.append(None)
                        warp[lane] = GONE
                here = [each for each in at if each]
                if not here:
                    break
                votes = [each for each in here if each[0] == "vote"]
                if len({each[:2] for each in here}) > 1:
                    return True
                # The lane below, or any.
                reads_below = not votes and here[0][2]
                if reads_below and any(at[lane] and not at[lane - 1] for lane in range(1, len(at))):
                    return True
                if not votes and not reads_below and len(here) < len(at):
                    return True
                answers = [any(each[2] for each in votes)] * len(at)
    return False


def check(options, seed, folder, tally):
    writer = Writer(random.Random(seed))
    text = writer.kernel()
    (folder / "k.kern").write_text(text)
    done = subprocess.run([options.kernc, "check", str(folder / "k.kern"), "-Wno-race"], capture_output=True, text=True)
    if done.returncode:
        return f"exit code {done.returncode}\n{done.stderr}"
    is_warned = "W0715" in done.stderr
    misses = any(missing(text, block, n) for block in ([writer.block] if writer.block else FREE) for n in (0, 1, 3))
    tally["warned" if is_warned else "silent"] += 1
    tally["missed"] += is_warned and misses
    return "it has no warning, and lanes are missing" if misses and not is_warned else None


def main():
    options, tally = arguments.parser(60, keep=True).parse_args(), {"silent": 0, "warned": 0, "missed": 0}
    failed = arguments.check_each(options, "shuffles", lambda *each: check(*each, tally))
    print(f"{tally['silent']} without a warning, {tally['warned']} with one, of which {tally['missed']} miss a lane")
    ran = tally["silent"] + tally["warned"]
    tame = ran >= 40 and (tally["silent"] < ran // 10 or tally["missed"] < tally["warned"] // 5)
    return failed or tame


if __name__ == "__main__":
    sys.exit(main())

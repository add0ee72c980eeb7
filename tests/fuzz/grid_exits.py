#!/usr/bin/env python3
"""Threads that return before barriers of the grid, in random kernels, against a model of how a grid's threads meet.

In the model each thread is a generator that yields at a barrier, which is passed when all threads that have not left have come. Threads,
warps, whole blocks, the first block or the last leave at random places, in loops and branches, some after others wait; those that
live read what others wrote before, and vote: what they get is all there is to see. With --device=cuda a barrier that is never
passed ends the run by its time limit.

usage: grid_exits.py KERNC [--device D] [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import subprocess
import sys

import numpy

import arguments

CONFIGURATIONS = [[], ["--lanes=1"], ["--lanes=32"], ["-O0"], ["--arch=x86-64-v3", "--lanes=16"]]
LEAVES = ["b == {block}", "b != {block}", "b % 2 == {bit}", "t == {thread}", "t != {thread}", "t // 32 == {warp}", "t < {thread}", "t >= {thread}", "i % 3 == {bit}",
          "x[i] % 4 == {bit}", "b == {block} and t != {thread}", "b <= {block}", "i >= {many}", "m[i] > {limit}"]
PREDICATES = ["x[i] > {limit}", "i % 2 == {bit}", "t < {thread}", "b > {block}", "m[i] < {limit}", "True", "False"]


class Writer:
    """Writes one kernel twice, in Kern and as a generator in Python."""

    def __init__(self, rng, blocks, threads):
        self.rng, self.blocks, self.threads = rng, blocks, threads
        self.kern, self.model = [], []
        self.loops = 0

    def line(self, depth, text, model=None):
        self.kern.append("    " * depth + text)
        self.model.append("    " * depth + (text if model is None else model))

    def condition(self, texts):
        rng = self.rng
        return rng.choice(texts).format(block=rng.randrange(self.blocks), thread=rng.randrange(self.threads), warp=rng.randrange(3), bit=rng.randrange(2),
                                        many=rng.randrange(self.blocks * self.threads), limit=rng.randint(-3, 30))

    def leave(self, depth):
        """Some write their element before they leave: a barrier stands between that and the next who reads it, else the two would race."""
        self.line(depth, f"if {self.condition(LEAVES)}:")
        writes = self.rng.random() < 0.3
        if writes:
            self.line(depth + 1, f"x[i] = {self.rng.randint(1, 9)}")
        self.line(depth + 1, "return")
        if writes:
            self.meet(depth)

    def meet(self, depth):
        rng = self.rng
        kind = rng.choice(["", "", "_count", "_and", "_or", "device"])
        if kind in ("", "device"):
            return self.line(depth, "meet()" if kind else "syncgrid()", "yield None, 0")
        predicate = self.condition(PREDICATES)
        self.line(depth, f"v = syncgrid{kind}({predicate})", f"v = yield '{kind}', {predicate}")
        self.line(depth, "m[i] += v")

    def work(self, depth):
        """Each reads what others wrote before the last barrier, and writes what is its own behind the next one."""
        self.line(depth, f"y[i] = x[(i + {self.rng.randint(1, self.blocks * self.threads)}) % n] % 1000 + m[i]")
        self.meet(depth)
        self.line(depth, "x[i] = y[i] + 1")
        self.meet(depth)

    def block(self, depth, size):
        rng = self.rng
        for _ in range(size):
            form = rng.random()
            if form < 0.35:
                self.leave(depth)
            elif form < 0.65:
                self.work(depth)
            elif form < 0.75:
                self.line(depth, "syncthreads()", "pass")
            elif form < 0.85 and depth < 3:
                self.line(depth, f"if n > {rng.choice([0, 0, 9999])}:")
                self.block(depth + 1, rng.randint(1, 3))
            elif depth < 3:
                self.loops += 1
                self.line(depth, f"for k{self.loops} in range({rng.randint(1, 4)}):")
                if rng.random() < 0.5:
                    self.line(depth + 1, f"if k{self.loops} == {rng.randint(0, 2)} and {self.condition(LEAVES)}:")
                    self.line(depth + 2, "return")
                self.block(depth + 1, rng.randint(1, 3))
            else:
                self.meet(depth)

    def kernel(self):
        self.line(0, "@device", "def k(x, y, m, n, i, b, t):")
        for text in "def meet():", "    syncgrid()", "@kernel", "def k(x: i64[:], y: i64[:], m: i64[:]):", "    n = x.size", "    i = grid(1)", "    b = blockIdx.x", "    t = threadIdx.x":
            self.kern.append(text)
        self.line(1, "v = 0")
        self.block(1, self.rng.randint(2, 5))
        if self.rng.random() < 0.5:
            self.leave(1)
        self.line(1, "m[i] += 100", "m[i] += 100; yield from ()")
        return "\n".join(self.kern) + "\n", "\n".join(self.model) + "\n"


def run_model(text, blocks, threads, x):
    """Returns the arrays x, y and m behind the kernel."""
    scope = {}
    exec(compile(text, "model", "exec"), scope)  # the text was written above
    n = blocks * threads
    y, m = [0] * n, [0] * n
    living = {i: scope["k"](x, y, m, n, i, i // threads, i % threads) for i in range(n)}
    results = dict.fromkeys(living)
    while living:
        votes = {}
        for i, thread in list(living.items()):
            try:
                votes[i] = thread.send(results[i])
            except StopIteration:
                del living[i]
        kinds = {kind for kind, _ in votes.values()}
        assert len(kinds) <= 1, "the model's threads meet at one barrier"
        given = [bool(vote) for _, vote in votes.values()]
        result = {"_count": sum(given), "_and": int(all(given)), "_or": int(any(given))}.get(next(iter(kinds), None))
        results = dict.fromkeys(living, result)
    return x, y, m


def check(options, seed, folder):
    rng = random.Random(seed)
    blocks, threads = rng.choice([(1, 40), (2, 33), (3, 64), (5, 7), (8, 1), (4, 96)])
    kern, model = Writer(rng, blocks, threads).kernel()
    (folder / "k.kern").write_text(kern)
    x = [rng.randint(0, 20) for _ in range(blocks * threads)]
    numpy.save(folder / "x.npy", numpy.array(x, numpy.int64))
    wanted = run_model(model, blocks, threads, x)
    for configuration in [["--device=cuda"]] if options.device == "cuda" else rng.sample(CONFIGURATIONS, 2):
        command = [options.kernc, "run", str(folder / "k.kern"), "k", f"x=@{folder}/x.npy", f"y=zeros:i64:{blocks * threads}", f"m=zeros:i64:{blocks * threads}", "--timeout=20",
                   f"--grid={blocks}", f"--block={threads}", *(f"-o{name}={folder}/{name}2.npy" for name in "xym"), "-Wno-unset", *configuration, *options.extra]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr}"
        for name, values in zip("xym", wanted):
            got = numpy.load(folder / f"{name}2.npy")
            if (got != values).any():
                first = int(numpy.flatnonzero(got != values)[0])
                return f"{' '.join(command)}\n{name}[{first}] is {got[first]}, the model has {values[first]}"
    return None


def main():
    options = arguments.parser(40, keep=True, device=True).parse_args()
    return arguments.check_each(options, "grid_exits", check)


if __name__ == "__main__":
    sys.exit(main())

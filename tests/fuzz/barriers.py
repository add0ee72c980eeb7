#!/usr/bin/env python3
"""Barriers in random kernels, against Python itself.

As divergence.py, and threads of a block tell each other values through shared memory and counting barriers, inside of loops and
conditions that are the same in the whole block; local arrays and variables live across them. Threads that return early or fault
hold nobody up. They also wait for a lock, all or one of each warp. In Python each thread is a generator that yields at its barriers.

usage: barriers.py KERNC [--faults] [--device D] [--count N] [--seed S] [--seconds T] [--keep DIR] [-- EXTRA OPTIONS OF kernc run]
"""
# fuzz: --faults
import itertools
import re
import sys
import types

import divergence
from divergence import FAILURES, SCOPE, Array, Arrays

VOTES = {"sync": lambda votes: None, "count": sum, "and": all, "or": any}


class Writer(divergence.Writer):
    """Writes barriers where all that is around them is uniform."""

    def __init__(self, rng, faults, columns):
        super().__init__(rng, faults, columns)
        self.has_local = rng.random() < 0.5
        self.varying = 0  # how many conditions and loops around differ between threads

    def statement(self, depth, nesting):
        rng = self.rng
        form = rng.randint(0, 10) if self.varying == 0 and nesting < 4 else 9
        if form <= 1:
            self.line(depth, f"s[t] = {self.integer()} % 1009")
            self.line(depth, "syncthreads()")
            self.line(depth, f"{self.name()} = s[(t + {rng.randint(0, 70)}) % threads]")
            self.line(depth, "syncthreads()")
        elif form == 2:
            self.line(depth, f"{self.name()} = syncthreads_count({self.condition()}) + {rng.randint(0, 9)}")
        elif form == 3:
            self.line(depth, f"if syncthreads_{rng.choice(['and', 'or'])}({self.condition()}):")
            self.block(depth + 1, nesting + 1, 3)
        elif form == 8:
            self.strides(depth)
            self.line(depth, f"{self.name()} = (g + h) % 1009")
        elif form == 4 and self.has_local:
            self.line(depth, f"l[({self.integer(1)}) % 4] = {self.name()}")
        elif form == 5 and self.has_local:
            self.line(depth, f"{self.name()} = l[({self.integer(1)}) % 4]")
        elif form == 6:
            self.counter += 1
            counter = f"turn{self.counter}"
            self.line(depth, f"{counter} = 0")
            self.line(depth, f"while {counter} < n % {rng.randint(2, 5)}:")
            self.line(depth + 1, f"{counter} += 1")
            self.block(depth + 1, nesting + 1, 3)
        elif form == 7:
            self.counter += 1
            self.line(depth, f"for turn{self.counter} in range({rng.randint(0, 3)}):")
            self.line(depth + 1, f"{self.name()} = (turn{self.counter} + {self.name()}) % 1009")
            self.block(depth + 1, nesting + 1, 3)
        elif form == 10:
            self.locked(depth)
        else:
            self.varying += 1
            super().statement(depth, nesting)
            self.varying -= 1

    def locked(self, depth):
        """Adds to an element in any order. What may fault comes before, since nobody would give the lock back."""
        rng = self.rng
        self.line(depth, f"own = {self.integer()} % 1009")
        inner = depth
        if rng.random() < 0.6:
            self.line(depth, f"if t % 32 == {rng.randint(0, 31)}:")
            inner += 1
        self.line(inner, "while atomic.cas(lock, 0, 0, 1) != 0:")
        self.line(inner + 1, "pass")
        self.line(inner, "threadfence_block()")
        self.line(inner, "total[0] = (total[0] + own) % 1009")
        self.line(inner, "threadfence_block()")
        self.line(inner, "atomic.exch(lock, 0, 0)")
        self.line(depth, "syncthreads()")
        self.line(depth, f"{self.name()} = total[0]")
        self.line(depth, "syncthreads()")

    def kernel(self):
        text = super().kernel()
        start = ["s = shared.array(64, i64)", "lock, total = shared.array(1, i32), shared.array(1, i64)",
                 "t = threadIdx.y * blockDim.x + threadIdx.x", "threads = blockDim.x * blockDim.y", "s[t] = t",
                 "lock[0] = 0", "total[0] = 0", "syncthreads()"]
        if self.has_local:
            start += ["l = local.array(4, i64)", "for first in range(4):", "    l[first] = first"]
        return text.replace("    n = x.size\n", "".join(f"    {line}\n" for line in start) + "    n = x.size\n")


def start_threads(code, arguments, scope, block, place):
    """Yields (thread, generator) of a block's threads. Each has functions of its own, which see its place."""
    for v, u in itertools.product(range(block[1]), range(block[0])):
        x, y = place[1] * block[0] + u, place[0] * block[1] + v
        own = scope | {"threadIdx": types.SimpleNamespace(x=u, y=v), "grid": lambda rank, x=x, y=y: x if rank == 1 else (x, y)}
        exec(code, own)  # written above
        yield (u, v), own["k"](*arguments)


def shared_arrays():
    """Returns what `shared.array` is for a block: its threads ask for the same arrays, in the same order."""
    arrays = {}

    def array(extent, of):
        return arrays.setdefault((extent, of), Array([0] * extent))

    return array


def run_block(threads, place, failed):
    """Runs the threads of a block from barrier to barrier until none is left."""
    answer = None
    waiting = list(threads)
    while waiting:
        votes, still = [], []
        for thread, generator in waiting:
            try:
                votes.append(generator.send(answer))
                still.append((thread, generator))
            except StopIteration:
                pass
            except FAILURES as error:
                failed[place, thread] = divergence.line_of(error)
        kinds = {kind for kind, _ in votes}
        assert len(kinds) <= 1, "the barriers are not in uniform control flow"
        answer = VOTES[kinds.pop()](vote for _, vote in votes) if kinds else None
        waiting = still


def python_result(text, x, over, block):
    """As divergence.python_result."""
    arrays = Arrays(x)
    text = re.sub(r"syncthreads_(\w+)\(", r'(yield "\1", ', text).replace("syncthreads()", '(yield "sync", 0)')
    # Threads run one after the other from barrier to barrier, so a lock is free.
    atomic = types.SimpleNamespace(cas=lambda *_: 0, exch=lambda *_: 0)
    scope = SCOPE | {"blockDim": types.SimpleNamespace(x=block[0], y=block[1]), "atomic": atomic, "threadfence_block": lambda: None}
    code = compile(text, "kernel", "exec")
    failed = {}
    rows, columns = (range(-(-over[axis] // block[axis])) for axis in (1, 0))
    for place in itertools.product(rows, columns):
        scope["shared"] = types.SimpleNamespace(array=shared_arrays())
        scope["local"] = types.SimpleNamespace(array=lambda extent, _: Array([0] * extent))
        run_block(start_threads(code, arrays.arguments, scope, block, place), place, failed)
    return arrays.results(), failed


if __name__ == "__main__":
    sys.exit(divergence.main("barriers", Writer, python_result))

#!/usr/bin/env python3
"""Shared memory that decides about barriers: whatever kernc accepts must be the same for all threads in every order in which they may run.

Writes random kernels that store to shared arrays and load them, in branches, loops, functions, views and arrays that lie over each
other, and that come to a barrier where a loaded element says so. Those that `kernc check` accepts are run here, step by step, the threads
in many random orders between barriers: no two may wait at different barriers. The orders find races too in most of those that
it refuses, which shows that the kernels are not too tame.

usage: shared_flags.py KERNC [--count N] [--orders N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import subprocess
import sys

import arguments

THREADS = 3
# Arrays by name, and where they begin in the memory of the block: `c` and `d` are one.
PLACES = {"a": 0, "b": 2, "c": 4, "d": 4}
HEAD = """@device
def get(flags):
    return flags[0]


@device
def put(flags, value):
    flags[0] = value


@device
def told(flags):
    syncthreads()
    result = flags[0]
    syncthreads()
    return result


@device
def asked(flags):
    syncthreads()
    return flags[0]


@kernel
def k(p: i32[:]):
    a = shared.array(2, i32)
    b = shared.array(2, i32)
    c = shared.array(0, i32)
    d = shared.array(0, i32)
    t = i32(threadIdx.x)
    v0 = v1 = i32(0)
"""


class Writer:
    """Writes statements as tuples, which print as Kern and run in Python."""

    def __init__(self, rng):
        self.rng = rng
        self.syncs = 0

    def sync(self):
        self.syncs += 1
        return ("sync", self.syncs)

    def place(self):
        return self.rng.choice("aaabcd"), self.rng.choice([0, 0, 1])

    def store(self):
        rng = self.rng
        name, index = self.place()
        value = rng.choice(["t", "v0", "v1", "0", "1", "2"])
        form = rng.randint(0, 3)
        if form == 0:
            return ("put", name, value)
        if form == 1:
            return ("atomic", name, index)
        return ("view_store" if form == 2 else "store", name, index, value)

    def load(self):
        rng = self.rng
        name, index = self.place()
        kind = rng.choice(["load", "load", "load", "view_load", "get"])
        return (kind, rng.choice(["v0", "v1"]), name, index)

    def block(self, depth, uniform):
        return [self.statement(depth, uniform) for _ in range(self.rng.randint(1, 4))]

    def statement(self, depth, uniform):
        rng = self.rng
        form = rng.randint(0, 11)
        if form <= 1:
            return self.load()
        if form <= 3:
            return self.store()
        if form == 4 or (form == 5 and not uniform):
            test = rng.choice(["t == 0", "t != 1", "p[t] > 0"])
            return ("if", test, self.block(depth + 1, False), self.block(depth + 1, False) if rng.random() < 0.3 else [])
        if not uniform or depth > 2:
            return self.store()
        if form <= 7:
            return self.sync()
        if form == 8:
            return ("for", rng.randint(1, 3), self.block(depth + 1, True))
        if form == 9:
            self.syncs += 2
            return ("told", rng.choice(["v0", "v1"]), rng.choice("abcd"), self.syncs)
        if form == 10:
            self.syncs += 1
            return ("asked", rng.choice(["v0", "v1"]), rng.choice("abcd"), self.syncs)
        return ("if", f"{rng.choice(['v0', 'v1'])} > {rng.randint(-1, 1)}", self.block(depth + 1, True) + [self.sync()], [])

    def kernel(self):
        body = self.block(0, True) + self.block(0, True)
        var = self.rng.choice(["v0", "v1"])
        name, index = self.place()
        body += [self.sync(), ("load", var, name, index)] + ([self.store()] if self.rng.random() < 0.5 else [])
        body += [self.sync()] if self.rng.random() < 0.5 else []
        return body + [("if", f"{var} > 0", [self.sync()], []), self.sync()]


def text_of(stmt, indent="    "):
    kind, *rest = stmt
    inner = indent + "    "
    if kind == "sync":
        return f"{indent}syncthreads()\n"
    if kind == "store":
        return f"{indent}{rest[0]}[{rest[1]}] = {rest[2]}\n"
    if kind == "view_store":
        return f"{indent}part = {rest[0]}[{rest[1]}:2]\n{indent}part[0] = {rest[2]}\n"
    if kind == "put":
        return f"{indent}put({rest[0]}, {rest[1] if rest[1] in 't v0 v1' else f'i32({rest[1]})'})\n"
    if kind == "atomic":
        return f"{indent}atomic.add({rest[0]}, {rest[1]}, 1)\n"
    if kind == "load":
        return f"{indent}{rest[0]} = {rest[1]}[{rest[2]}]\n"
    if kind == "view_load":
        return f"{indent}other = {rest[1]}[{rest[2]}:2]\n{indent}{rest[0]} = other[0]\n"
    if kind in ("get", "told", "asked"):
        return f"{indent}{rest[0]} = {kind}({rest[1]})\n"
    if kind == "for":
        return f"{indent}for r{len(indent)} in range({rest[0]}):\n" + "".join(text_of(each, inner) for each in rest[1])
    test, then, other = rest
    text = f"{indent}if {test}:\n" + "".join(text_of(each, inner) for each in then)
    return text + (f"{indent}else:\n" + "".join(text_of(each, inner) for each in other) if other else "")


def run(body, state, memory):
    """Yields None where another thread may go first, and the number of a barrier where this one waits."""
    for kind, *rest in body:
        if kind == "sync":
            yield rest[0]
        elif kind == "for":
            for _ in range(rest[0]):
                yield from run(rest[1], state, memory)
        elif kind == "if":
            yield from run(rest[1] if eval(rest[0], {}, state) else rest[2], state, memory)
        elif kind in ("load", "view_load", "get"):
            yield None
            state[rest[0]] = memory[PLACES[rest[1]] + (rest[2] if kind != "get" else 0)]
        elif kind in ("told", "asked"):
            yield rest[2]
            yield None
            state[rest[0]] = memory[PLACES[rest[1]]]
            if kind == "told":
                yield rest[2] - 1
        else:
            yield None
            place = PLACES[rest[0]] + (rest[1] if kind != "put" else 0)
            memory[place] = memory[place] + 1 if kind == "atomic" else eval(rest[-1], {}, state)


def agree(body, rng):
    """Runs the threads in a random order; says whether all came to each barrier alike."""
    memory = [rng.randint(-1, 2) for _ in range(6)]
    p = [rng.randint(-1, 1) for _ in range(THREADS)]
    threads = [run(body, {"t": t, "v0": 0, "v1": 0, "p": p}, memory) for t in range(THREADS)]
    while True:
        waiting = [None] * THREADS
        while None in waiting:
            t = rng.choice([t for t in range(THREADS) if waiting[t] is None])
            waiting[t] = next(threads[t], "end")
        if len(set(waiting)) > 1:
            return False
        if waiting[0] == "end":
            return True


def check(options, seed, folder, tally):
    rng = random.Random(seed)
    body = Writer(rng).kernel()
    (folder / "k.kern").write_text(HEAD + "".join(text_of(stmt) for stmt in body))
    done = subprocess.run([options.kernc, "check", str(folder / "k.kern"), "-Wno-race"], capture_output=True, text=True)
    is_refused = "E0601" in done.stderr
    if done.returncode != (1 if is_refused else 0) or done.stderr.count("error[") != done.stderr.count("error[E0601]"):
        return f"exit code {done.returncode}\n{done.stderr}"
    race = not all(agree(body, rng) for _ in range(options.orders))
    tally["refused" if is_refused else "accepted"] += 1
    tally["races"] += is_refused and race
    return "it is accepted, and threads come to barriers differently" if race and not is_refused else None


def main():
    parser = arguments.parser(60, keep=True)
    parser.add_argument("--orders", type=int, default=300)
    options, tally = parser.parse_args(), {"accepted": 0, "refused": 0, "races": 0}
    failed = arguments.check_each(options, "shared_flags", lambda *each: check(*each, tally))
    print(f"{tally['accepted']} accepted, {tally['refused']} refused, {tally['races']} of them with a race")
    ran = tally["accepted"] + tally["refused"]
    tame = ran >= 40 and (tally["accepted"] < ran // 10 or tally["races"] < ran // 10)
    return failed or tame


if __name__ == "__main__":
    sys.exit(main())

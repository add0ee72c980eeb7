#!/usr/bin/env python3
"""Barriers under any control flow in random kernels, against a model of how a GPU's threads meet.

In the model each thread is a generator that yields at a barrier; one is complete when all threads that have not left wait at the
same place, and where they wait at different places that is a fault. Barriers stand under conditions that differ between threads, in
loops with `continue`, `break` and `return` before and behind them, in both dialects. A .kern file may be refused; a .py file
may not. What threads tell each other are votes: who met whom is all there is to see. Half of the kernels have threads come to the
same votes in different rounds of a loop, so that a warp of a GPU comes in parts, from several copies of an unrolled loop.

usage: meetings.py KERNC [--device D] [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import re
import subprocess
import sys

import arguments

VOTES = {"sync": lambda votes: 0, "count": sum, "and": lambda votes: int(all(votes)), "or": lambda votes: int(any(votes))}


class Writer:
    """Writes the body of a kernel: variables a, b of each thread, its index t, the argument n."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.loops = 0
        self.barriers = 0

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def condition(self):
        rng = self.rng
        m = rng.randint(2, 4)
        left = rng.choice(["a + t", "t", "b", "n", "n", "a"])
        return rng.choice([f"({left}) % {m} == {rng.randrange(m)}", f"({left}) % 8 < {rng.randint(1, 7)}"])

    def vote(self):
        """Few threads, nearly all or any: a vote that is lost shows where it would have decided."""
        rng = self.rng
        return rng.choice([f"t == {rng.randrange(8)}", f"t != {rng.randrange(8)}", f"(a + t) % 8 != {rng.randrange(8)}", self.condition()])

    def barrier(self, depth):
        self.barriers += 1
        kind = self.rng.choice(["sync", "count", "count", "and", "or"])
        if kind == "sync":
            return self.line(depth, "<sync>")
        self.line(depth, f"b = (b * 3 + <{kind} {self.vote()}>) % 101")

    def block(self, depth, in_loop):
        for _ in range(self.rng.randint(1, 3)):
            if self.statement(depth, in_loop):
                return

    def statement(self, depth, in_loop):
        """Returns whether nothing can follow."""
        rng = self.rng
        form = rng.randint(0, 11 if depth < 4 else 4)
        if form <= 2:
            self.barrier(depth)
        elif form <= 4:
            self.line(depth, f"a = (a * {rng.randint(2, 5)} + b + {rng.choice(['t', 'n', '1'])}) % 101")
        elif form <= 7:
            self.line(depth, f"if {self.condition()}:")
            self.block(depth + 1, in_loop)
            if rng.random() < 0.3:
                self.line(depth, "else:")
                self.block(depth + 1, in_loop)
        elif form == 8 and in_loop:
            self.line(depth, f"if {self.condition()}:")
            if rng.random() < 0.5:
                self.line(depth + 1, "a = (a + 7) % 101")
            self.line(depth + 1, rng.choice(["continue", "continue", "break"]))
        elif form == 9:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, "o[t] = a * 1000 + b")
            self.line(depth + 1, "return")
        else:
            self.loops += 1
            turn = f"k{self.loops}"
            bound = rng.choice([str(rng.randint(1, 3)), "n % 3 + 1", "(a + t) % 4", "t % 3"])
            if rng.random() < 0.2:
                self.line(depth, f"for {turn} in {tuple(rng.randrange(4) for _ in range(rng.randint(2, 4)))}:")
            elif rng.random() < 0.6:
                self.line(depth, f"for {turn} in range({bound}):")
            else:
                self.line(depth, f"{turn} = 0")
                self.line(depth, f"end{turn} = {bound}")
                self.line(depth, f"while {turn} < end{turn}:")
                self.line(depth + 1, f"{turn} += 1")
            self.line(depth + 1, f"a = (a + {turn}) % 101")
            self.block(depth + 1, True)
        return False

    def body(self):
        self.line(1, "a = t * 5 % 7 + 0 * n")
        self.line(1, "b = n + 0 * t")
        for _ in range(self.rng.randint(1, 4)):
            self.statement(1, False)
        if self.barriers == 0:
            self.barrier(1)
        self.line(1, "o[t] = a * 1000 + b")
        return "\n".join(self.lines) + "\n"


class PartsWriter(Writer):
    """Writes loops whose votes all threads come to equally often, but in different rounds; some leave between two rounds."""

    def leave(self, depth, condition):
        self.line(depth, f"if {condition}:")
        self.line(depth + 1, "o[t] = a * 1000 + b")
        self.line(depth + 1, "return")

    def votes(self, depth, loop):
        if self.rng.random() < 0.5:
            self.leave(depth, f"c{loop} == {self.rng.randrange(4)} and t % 8 == {self.rng.randrange(8)}")
        for _ in range(self.rng.randint(1, 3)):
            self.barrier(depth)
        self.line(depth, f"c{loop} += 1")
        self.line(depth, f"a = (a * 3 + t + k{loop}) % 101")

    def rounds(self, loop, count):
        """Opens the loop: over constants, which LLVM or the compiler itself unrolls, or up to what the launch says."""
        if self.rng.random() < 0.3:
            return self.line(1, f"for k{loop} in {(*range(count), )}:")
        if self.rng.random() < 0.7:
            return self.line(1, f"for k{loop} in range({count}):")
        self.line(1, f"k{loop} = -1")
        self.line(1, f"while k{loop} < {count} - 1 + 0 * n:")
        self.line(2, f"k{loop} += 1")

    def skipping(self, loop):
        """Each thread skips one round of m."""
        m = self.rng.randint(2, 4)
        self.rounds(loop, m * self.rng.randint(1, 3))
        turn = f"(t + k{loop}) % {m}"
        if self.rng.random() < 0.5:
            self.line(2, f"if {turn} == {self.rng.randrange(m)}:")
            self.line(3, "continue")
            return self.votes(2, loop)
        self.line(2, f"if {turn} != {self.rng.randrange(m)}:")
        self.votes(3, loop)

    def shifted(self, loop):
        """Each thread begins, and ends, in a round of its own."""
        m, count = self.rng.randint(2, 4), self.rng.randint(1, 4)
        self.rounds(loop, count + m - 1)
        self.line(2, f"if k{loop} < t % {m}:")
        self.line(3, "continue")
        self.line(2, f"if k{loop} >= t % {m} + {count}:")
        self.line(3, self.rng.choice(["break", "continue"]))
        self.votes(2, loop)

    def body(self):
        self.line(1, "a = t * 5 % 7 + 0 * n")
        self.line(1, "b = n + 0 * t")
        if self.rng.random() < 0.3:
            self.leave(1, self.condition())
        for loop in range(self.rng.randint(1, 2)):
            self.line(1, f"c{loop} = 0 * t")
            self.rng.choice([self.skipping, self.shifted])(loop)
        self.line(1, "o[t] = a * 1000 + b")
        return "\n".join(self.lines) + "\n"


def call(prefix):
    return lambda match: f"{prefix}syncthreads()" if match[1] == "sync" else f"{prefix}syncthreads_{match[1]}({match[2]})"


BARRIER = re.compile(r"<(sync|count|and|or)(?: ([^>]*?))?>")


def kernel_text(body, dialect):
    if dialect == "kern":
        return "@kernel\ndef k(o: i64[:], n: i64):\n    t = i64(threadIdx.x)\n" + BARRIER.sub(call(""), body)
    head = "from numba import cuda, int64\n@cuda.jit\ndef k(o, n):\n    t = int64(cuda.threadIdx.x)\n"
    return head + BARRIER.sub(call("cuda."), body)


def model(body, threads, n):
    """Returns what is in o, and whether threads wait at different barriers."""
    places = iter(range(10**6))
    text = BARRIER.sub(lambda match: f"(yield {next(places)}, '{match[1]}', {match[2] or 0})", body)
    scope = {}
    exec("def k(o, t, n):\n" + text + "    if False: yield\n", scope)  # written above
    o = [0] * threads
    waiting = [scope["k"](o, t, n) for t in range(threads)]
    answer = None
    while waiting:
        votes, still = [], []
        for thread in waiting:
            try:
                votes.append(thread.send(answer))
                still.append(thread)
            except StopIteration:
                pass
        if len({place for place, _, _ in votes}) > 1:
            return o, True
        answer = VOTES[votes[0][1]]([bool(vote) for _, _, vote in votes]) if votes else None
        waiting = still
    return o, False


def run(options, path, threads, n, extra):
    command = [options.kernc, "run", str(path), "k", f"o=zeros:i64:{threads}", f"n=int64:{n}" if path.suffix == ".py" else f"n={n}",
               "--grid=1", f"--block={threads}", "--print", "o[:]", "-Wno-barrier", *extra]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def check(options, seed, folder, tally):
    rng = random.Random(seed)
    body = rng.choice([Writer, PartsWriter])(rng).body()
    threads, n = rng.choice([1, 3, 8, 17, 33, 40]), rng.randint(0, 7)
    expected, faults = model(body, threads, n)
    on_gpu = options.device == "cuda"
    for dialect in ("kern", "py"):
        path = folder / f"k.{dialect}"
        path.write_text(kernel_text(body, dialect))
        forms = [["--device=cuda"]] if on_gpu else [["--lanes=1"], ["--lanes=16"], ["--lanes=32"]]
        for extra in forms[: 1 if dialect == "py" and not on_gpu and rng.random() < 0.7 else 3]:
            # Threads of a GPU that wait at different barriers do something undefined.
            if on_gpu and faults:
                continue
            done = run(options, path, threads, n, extra)
            if dialect == "kern" and done.returncode == 1 and "E0601" in done.stderr:
                tally["refused"] += 1
                break
            if done.returncode == 0 and not faults:
                found = [int(word) for word in re.findall(r"-?\d+", done.stdout.split("= [")[-1])]
                right = found == expected
            else:
                right = faults and done.returncode == 4 and "fault[barrier]" in done.stderr
            tally["faults" if faults else "equal"] += 1
            if not right:
                return f"{dialect}, {' '.join(extra)}: {threads} threads, n={n}, expected {'fault[barrier]' if faults else expected}\n{done.stdout}{done.stderr}"
    return None


def main():
    options, tally = arguments.parser(40, keep=True, device=True).parse_args(), {"equal": 0, "faults": 0, "refused": 0}
    failed = arguments.check_each(options, "meetings", lambda *each: check(*each, tally))
    print(f"{tally['equal']} runs equal, {tally['faults']} faults, {tally['refused']} refused")
    return failed or not tally["equal"]


if __name__ == "__main__":
    sys.exit(main())

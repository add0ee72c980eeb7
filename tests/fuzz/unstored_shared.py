#!/usr/bin/env python3
"""Kernels that fill shared memory in some way, or not at all, before a `return`, behind one or under a condition, and then load from it or count in it:
kernc warns of elements that nobody has stored where a model, which runs the threads of a block for each size that cuts it short, finds a thread at
one, and nowhere else. In the form that the warnings ask for, where all threads stay and fill all of it, there is none.

usage: unstored_shared.py KERNC [--count N] [--seed S] [--seconds T]
"""
import json
import random
import subprocess
import sys

import arguments

BLOCK = 64
# How an array of N elements is filled: lines, and the elements that thread t stores.
FILLS = {
    "": lambda t, n: [],
    "if t < {N}:\n    s[t] = 0": lambda t, n: [t] if t < n else [],
    "for k in range(t, {N}, 64):\n    s[k] = 0": lambda t, n: range(t, n, 64),
    "if t == 0:\n    for k in range({N}):\n        s[k] = 0": lambda t, n: range(n) if t == 0 else [],
    "if t == 63:\n    for k in range({N}):\n        s[k] = 0": lambda t, n: range(n) if t == 63 else [],
    "if t < 9 and t < {N}:\n    s[t] = 0": lambda t, n: [t] if t < min(n, 9) else [],
    "if 0 < t < {N}:\n    s[t] = 0": lambda t, n: [t] if 0 < t < n else [],
}
# Each use of the array behind that: lines, and the elements that thread t comes to; None stands for what data pick.
USES = {
    "atomic.add(s, x[i] % {N}, 1)": lambda t, n: None,
    "atomic.add(s, t % {N}, 1)": lambda t, n: [t % n],
    "atomic.add(s, 0, 1)": lambda t, n: [0],
    "acc += s[x[i] % {N}]": lambda t, n: None,
    "acc += s[t % {N}]": lambda t, n: [t % n],
    "acc += s[(t + 1) % {N}]": lambda t, n: [(t + 1) % n],
    "acc += s[{N} - 1]": lambda t, n: [n - 1],
    # The analysis looks at some rounds only of a loop that only loads.
    "for k in range({N}):\n    acc += s[k]": lambda t, n: range(min(n, 36)),
}
EXITS = ["before", "behind", "around", "none"]


def source(size, fill, use, leave):
    lines = ["@kernel(block=64)", "def f(x: u8[:], out: i32[:]):", f"    s = shared.array({size}, i32)", "    i = grid(1)", "    t = threadIdx.x", "    acc = 0"]
    own = ["    " + line for line in fill.format(N=size).split("\n") if line]
    inner = ["    " + line for line in use.format(N=size).split("\n")]
    if leave == "before":
        lines += ["    if i >= x.size:", "        return"]
    if leave == "around":
        own = (["    if i < x.size:"] + ["    " + line for line in own]) if own else []
    lines += own + ["    syncthreads()"]
    if leave == "behind":
        lines += ["    if i >= x.size:", "        return"]
    # All threads come to what is used, but for those that left.
    lines += inner + ["    syncthreads()", "    out[i] = acc"]
    return "\n".join(lines) + "\n"


def misses(size, fill, use, leave):
    """Returns whether a thread comes to an element that nobody stored, where another thread would have in a whole block, or none at all."""
    whole = {}
    for t in range(BLOCK):
        for at in FILLS[fill](t, size):
            whole.setdefault(at, t)
    elements = range(size)
    is_filled = bool(whole)
    for count in range(1, BLOCK + 1):
        stores = [t for t in range(BLOCK) if leave in ("behind", "none") or t < count]
        stays = [t for t in range(BLOCK) if leave in ("around", "none") or t < count]
        stored = {at for t in stores for at in FILLS[fill](t, size)}
        for t in stays:
            at = USES[use](t, size)
            # Data may pick the elements that are stored, where an array is filled in part; counters are all picked.
            picked = elements if at is None else at
            for element in picked:
                if element in stored:
                    continue
                if element not in whole:
                    if at is not None or not is_filled or use.startswith("atomic"):
                        return True
                elif whole[element] != t and not (FILLS[fill](t, size) and t not in stores):
                    return True
    return False


def check(kernc, path):
    done = subprocess.run([kernc, "check", str(path), "--diagnostics=json", "-Wno-race", "-Wno-coalesce"], capture_output=True, text=True, timeout=60)
    return [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]


def attempt(options, seed, folder):
    rng = random.Random(seed)
    size, fill, use, leave = rng.choice([1, 2, 16, 64, 65, 100, 200]), rng.choice(list(FILLS)), rng.choice(list(USES)), rng.choice(EXITS)
    # A store that no thread comes to may be another mistake.
    if fill and not any(list(FILLS[fill](t, size)) for t in range(BLOCK)):
        return
    path = folder / "a.kern"
    path.write_text(source(size, fill, use, leave))

    def fail(text, found):
        sys.exit(f"{text} {[(one['code'], one['message']) for one in found]}\n{path.read_text()}")
    found = check(options.kernc, path)
    if any(one["code"] != "W0717" for one in found):
        fail("something else is said", found)
    if bool(found) != misses(size, fill, use, leave):
        fail(f"the model {'finds no such element' if found else 'finds one'}", found)
    path.write_text(source(size, "for k in range(t, {N}, 64):\n    s[k] = 0", use, "behind"))
    found = check(options.kernc, path)
    if found:
        fail("all of it is filled by threads that stay", found)


arguments.agree(arguments.parser(40).parse_args(), attempt)

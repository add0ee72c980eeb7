#!/usr/bin/env python3
"""Loops that wait for another thread of their block, and loops that do not.

A loop that waits is an exit (a condition, break, a flag, a counter, a for, a return of a callee, a local array) x a read (plain, atomic,
of global or shared memory, in a callee) x a writer (which thread, where, by which statement): each must end, with each number of lanes, and the
kernel then has its result. With --stuck nobody writes: each must end as a `progress` fault, 10 s later. Loops that do not wait
(retries, probing, union-find, pointer chasing, counters) must take no turns: --emit=ir shows it.

usage: waiting.py KERNC [--count N] [--seed S] [--seconds T] [--stuck]
"""
# fuzz: --stuck
import pathlib
import random
import subprocess
import sys
import tempfile

import arguments

CONFIGURATIONS = [], ["--lanes=1"], ["--lanes=16"], ["--lanes=32"], ["-O0"], ["--arch=x86-64-v3"]

# READ becomes an expression that is 0 until the writer has written.
EXITS = {
    "condition": ["while READ == 0:", "    pass"],
    "break": ["while True:", "    if READ != 0:", "        break"],
    "flag": ["done = False", "while not done:", "    if READ != 0:", "        done = True"],
    "number": ["t = 1", "while t > 0:", "    if READ > 0:", "        t -= 1"],
    "several": ["t = 3", "while t != 0:", "    if READ != 0:", "        t = t // 2"],
    "beside": ["n = 0", "while READ == 0:", "    n += 1"],
    "bounded": ["n = 0", "while READ == 0 and n < 1000000000:", "    n += 1"],
    "for": ["for r in range(1000000000):", "    if READ != 0:", "        break"],
    "for_flag": ["seen = 0", "for r in range(1000000000):", "    if seen > 0:", "        break", "    seen = READ"],
    "sum": ["total = 0", "while total < 5:", "    total += READ"],
    "nested": ["t = 0", "while t == 0:", "    for q in range(2):", "        if READ != 0:", "            t = q + 1"],
    "inner_break": ["t = 0", "while t == 0:", "    for q in range(3):", "        if READ == 0:", "            break", "        t = q + 1"],
    "continue": ["while True:", "    if READ == 0:", "        continue", "    break"],
    "local": ["l = LOCAL", "l[0] = 0", "while l[0] == 0:", "    l[0] = READ"],
    "select": ["t = 1", "while t == 1:", "    t = 0 if READ != 0 else 1"],
    "chain": ["a = 0", "b = 0", "while b == 0:", "    b = a", "    a = READ"],
    "return": ["wait_for(m, k)"],
    "work": ["n = 0", "while READ == 0:", "    x[i] = n", "    n += 1"],
}
READS = ["m[0]", "m[k]", "m[:2][0]", "m[k + 0]", "atomic.add(m, 0, 0)", "atomic.max(m, k, 0)", "atomic.cas(m, 0, 1, 1)", "atomic.exch(m, 1, m[0])", "get(m, 0)",
         "get(m, k)", "get_atomic(m, 0)", "m[z[i]]", "s[0]", "atomic.add(s, k, 0)", "min(m[0], 1)", "m[0] + m[0]"]
WRITES = ["m[0] = 1", "atomic.exch(m, 0, 1)", "atomic.add(m, 0, 1)", "atomic.cas(m, 0, 0, 1)", "put(m, k)"]

LOOPS_THAT_DO_NOT = """
def retry(m, x, z):
    old = m[0]
    while True:
        seen = old
        old = atomic.cas(m, 0, seen, seen * 2 + 1)
        if old == seen:
            break
def retry_load(m, x, z):
    while True:
        old = m[0]
        if atomic.cas(m, 0, old, old + 1) == old:
            break
def retry_bounded(m, x, z):
    for attempt in range(100):
        old = m[0]
        if atomic.cas(m, 0, old, old + 1) == old:
            break
def retry_flag(m, x, z):
    done = False
    while not done:
        old = m[0]
        done = atomic.cas(m, 0, old, old + 1) == old
def greatest(m, x, z):
    old = m[0]
    while old < 7:
        seen = old
        old = atomic.cas(m, 0, seen, 7)
        if old == seen:
            break
def push(m, x, z):
    while True:
        head = m[0]
        x[1] = head
        if atomic.cas(m, 0, head, 1) == head:
            break
def retry_callee(m, x, z):
    while not add_once(m, 0):
        pass
def probe(m, x, z):
    slot = x[0] % 8
    while True:
        found = atomic.cas(m, slot, 0, 5)
        if found == 0 or found == 5:
            break
        slot = (slot + 1) % 8
def probe_for(m, x, z):
    m[0] = 3
    for p in range(8):
        if m[(x[0] + p) % 8] == 3:
            break
def find(m, x, z):
    i = x[0]
    m[1] = 0
    while m[i] != i:
        m[i] = m[m[i]]
        i = m[i]
def unite(m, x, z):
    a = x[0]
    b = x[1]
    while True:
        a = root(m, a)
        b = root(m, b)
        if a == b:
            break
        if atomic.cas(m, a, a, b) == a:
            break
def chase(m, x, z):
    node = x[0]
    while node != -1:
        m[node] = 1
        node = m[node + 1] - 1
def take(m, x, z):
    i = atomic.add(m, 1, 1)
    while i < m.size:
        x[i] = 1
        i = atomic.add(m, 1, 1)
def reads_what_nobody_writes(m, x, z):
    v = x[0]
    while v > z[0]:
        v = v // 2
    m[0] = v
def works_on_its_own(m, x, z):
    while x[1] > 0:
        x[1] = x[1] - 1
def halves(m, x, z):
    for r in range(10):
        if x[0] < 2:
            break
        x[0] = x[0] // 2
"""

HELPERS = """from numba import cuda, int32
atomic = cuda.atomic
@cuda.jit(device=True)
def get(m, k):
    return m[k]
@cuda.jit(device=True)
def get_atomic(m, k):
    return cuda.atomic.add(m, k, 0)
@cuda.jit(device=True)
def put(m, k):
    m[k] = 1
@cuda.jit(device=True)
def root(m, i):
    while m[i] != i:
        i = m[i]
    return i
@cuda.jit(device=True)
def add_once(m, k):
    old = m[k]
    return cuda.atomic.cas(m, k, old, old + 1) == old
"""


def indented(lines, depth):
    return "".join("    " * depth + line + "\n" for line in lines)


def program(rng, stuck):
    """Returns the source of a kernel whose threads all set their x to 1 once the writer has written, and the writer."""
    exit, read = rng.choice(list(EXITS)), rng.choice(READS)
    writer, block = rng.choice([0, 1, 31, 32, 38, 39]), 40
    lines = [line.replace("LOCAL", "cuda.local.array(1, int32)") for line in EXITS[exit]]
    text = HELPERS + "@cuda.jit(device=True)\ndef wait_for(m, k):\n"
    way = rng.choice([["while True:", "    if READ != 0:", "        return 1"], ["for r in range(1000000000):", "    if READ != 0:", "        return r", "return 0"]])
    plain = read if exit == "return" and read[0] == "m" and "z" not in read or read.startswith("get") else "m[k]"
    text += indented([line.replace("READ", plain) for line in way], 1)
    if exit == "return":
        read = "m[0]"
    write = rng.choice(WRITES)
    if read.startswith("atomic.exch"):
        write = "m[0] = 1"
    shared = "s" in read.replace("cas", "")
    array = "s" if shared else "m"
    text += "@cuda.jit\ndef kernel(x, m, z, k):\n    i = cuda.grid(1)\n"
    if shared:
        write = write.replace("(m", "(s").replace("m[", "s[")
        text += "    s = cuda.shared.array(4, int32)\n    if i == 0:\n        s[0] = 0\n    cuda.syncthreads()\n"
    if stuck:
        write = "if z[0] == 5:\n" + " " * 12 + write
    loop = indented([line.replace("READ", read) for line in lines], 1)
    if rng.random() < 0.5:
        text += f"    if i == {writer}:\n        {write}\n{loop}"
    else:
        text += f"    if i == {writer}:\n        {write}\n    else:\n" + "".join("    " + line + "\n" for line in loop.splitlines())
    text += f"    x[i] = 1\n    if i == {writer}:\n        {array}[3] = 1\n"
    return text, block


def run(options, seed, folder):
    rng = random.Random(seed)
    text, block = program(rng, options.stuck)
    file = folder / "waiting.py"
    file.write_text(text)
    configuration = rng.choice(CONFIGURATIONS)
    command = [options.kernc, "run", file, "kernel", f"x=zeros:i32:{block}", "m=zeros:i32:4", f"z=zeros:i32:{block}", "k=0", "--grid=1", f"--block={block}", "--print=x", *configuration]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        sys.exit(f"does not end: {' '.join(map(str, command))}\n{text}")
    if options.stuck:
        good = done.returncode == 4 and "fault[progress]" in done.stderr
    else:
        good = done.returncode == 0 and done.stdout.count("1") >= block
    if not good:
        sys.exit(f"{' '.join(map(str, command))}\n{text}{done.stdout}{done.stderr}")


def check_others(options, scratch):
    for body in LOOPS_THAT_DO_NOT.split("def ")[1:]:
        file = scratch / "others.py"
        file.write_text(HELPERS + "@cuda.jit\ndef " + body)
        done = subprocess.run([options.kernc, file, "--emit=ir", "-o", "-", "--sig", f"{body.split('(')[0]}(int32[:], int32[:], int32[:])"], capture_output=True, text=True)
        if done.returncode != 0 or "_take_turn" in done.stdout or "poll" in done.stdout:
            sys.exit(f"takes turns:\n{file.read_text()}{done.stdout}{done.stderr}")


def main():
    parser = arguments.parser(20)
    parser.add_argument("--stuck", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        check_others(options, pathlib.Path(scratch))
    arguments.agree(options, run)


main()

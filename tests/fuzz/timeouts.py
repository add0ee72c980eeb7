#!/usr/bin/env python3
"""Runs kernels that never end, one for each kind of loop and place of it, with lanes and without: each ends by --timeout with
exit code 6 and the place of a loop; and kernels that end, which --timeout does not change.

usage: timeouts.py KERNC [--long] [--device cuda]

Without --long a third of the matrix runs, in a few seconds. On a GPU there is one form of lanes.
"""
# fuzz: --long
import itertools
import pathlib
import subprocess
import sys
import tempfile

# The parameters of each are x: i32[:] of zeros, and n: i64, which is 2**60.
ENDLESS = {
    "while_true": "    while True:\n        pass\n",
    "while_load": "    i = grid(1)\n    while x[i] == 0:\n        x[i + 64] += 1\n",
    "divergent": "    i = grid(1)\n    while i % 3 != 1 or x[i] == 0:\n        x[i] += 0\n",
    "for_long": "    i = grid(1)\n    for k in range(n):\n        x[i] = i32(x[i] * 3 + (k & 1))\n",
    "nested": "    i = grid(1)\n    for j in range(n):\n        for k in range(1000):\n            x[i] ^= i32(k)\n",
    "continue": "    i = grid(1)\n    while True:\n        if x[i] == 0:\n            continue\n        x[i] = 1\n",
    "break_of_some": "    i = grid(1)\n    while True:\n        if i % 2 == 0 and x[i] == 0:\n            break\n        x[i] += 2\n",
    "barrier": "    i = threadIdx.x\n    while True:\n        x[i] += 1\n        syncthreads()\n",
    "barrier_for": "    i = threadIdx.x\n    for k in range(n):\n        x[i] += 1\n        syncthreads()\n        x[i + 64] = x[63 - i]\n        syncthreads()\n",
    "before_barrier": "    i = threadIdx.x\n    if i == 5:\n        while x[i] == 0:\n            x[i + 64] += 1\n    syncthreads()\n    x[i] = 1\n",
    "in_function": "    spin(x, grid(1))\n",
    "some_left": "    i = grid(1)\n    if i % 4 == 0:\n        return\n    while x[0] == 0:\n        x[i] += 1\n",
    "waiting": "    i = grid(1)\n    while atomic.add(x, 64, 0) == 0:\n        pass\n    x[i] = 1\n",
    "lock": "    while atomic.cas(x, 64, 1, 2) != 1:\n        threadfence()\n    x[0] = 1\n",
    "sleeping": "    i = grid(1)\n    while atomic.add(x, 64, 0) == 0:\n        nanosleep(1000)\n    x[i] = 1\n",
    "grid_barrier": "    i = grid(1)\n    while True:\n        x[i] += 1\n        syncgrid()\n",
    "deep": "    i = grid(1)\n    while True:\n        for a in range(100):\n            for b in range(x[i] & 7):\n                for c in range(9):\n                    x[i] += i32(a ^ b ^ c)\n",
    "warp": "    i = grid(1)\n    while True:\n        x[i] += shfl_down_sync(0xffffffff, x[i], 1)\n",
}
ENDING = {
    "counts": "    i = grid(1)\n    for k in range(10):\n        x[i] += i32(k)\n",
    "barriers": "    i = threadIdx.x\n    for k in range(3):\n        x[i] += 15\n        syncthreads()\n",
}
HEAD = """@device
def spin(x: i32[:], i: i64):
    while x[i] == 0:
        x[i + 64] += 1

"""
LANES, OPTIMIZATION = ["1", "16", "32"], ["3", "0"]


DEVICE = ["--device", "cuda"] if "--device" in sys.argv else []


def run(kernc, folder, name, body, lanes, level, timeout):
    source = folder / f"{name}.kern"
    block = "@kernel(block=64)\n"
    source.write_text(HEAD + block + "def f(x: i32[:], n: i64):\n" + body)
    words = [kernc, "run", source, "f", "x=zeros:i32:128", f"n={1 << 60}", "--grid", "1", f"--lanes={lanes}", "-O", level,
             f"--timeout={timeout}", "--print", "x[0:64]", "-Wno-race", "-Wno-coalesce", *DEVICE]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def main():
    kernc, long = sys.argv[1], "--long" in sys.argv
    wrong = []
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        endless = list(itertools.product(ENDLESS, LANES[:1] if DEVICE else LANES, OPTIMIZATION))
        for number, (name, lanes, level) in enumerate(endless):
            if name == "warp" and lanes == "1" and not DEVICE:
                continue
            if not long and not DEVICE and number % 3 != (number // 6) % 3:
                continue
            done = run(kernc, folder, name, ENDLESS[name], lanes, level, "200ms")
            said = "error[E0836]: kernel `f` ran longer than --timeout=200ms" in done.stderr and "stopped in this loop" in done.stderr
            if done.returncode != 6 or not said or not done.stdout.startswith("x[0:64] = ["):
                wrong.append(f"FAIL: {name}, {lanes} lanes, -O{level}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        for name, lanes in itertools.product(ENDING, LANES):
            done = run(kernc, folder, name, ENDING[name], lanes, "3", "60s")
            if done.returncode != 0 or done.stdout != f"x[0:64] = {[45] * 64}\n":
                wrong.append(f"FAIL: {name}, {lanes} lanes: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    print("\n".join(wrong) or "timeouts: in order")
    return 1 if wrong else 0


sys.exit(main())

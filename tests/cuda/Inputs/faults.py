#!/usr/bin/env python3
"""Runs kernels in which one thread faults on the GPU and on the CPU: exit code, words and arrays must be the same, also for `--device cpu,cuda`.
With `lanes`, on the CPU alone: with one lane and with several.

usage: faults.py KERNC FOLDER [lanes]

That the arrays come back shows that the context lives on after the fault: a sticky error would fail the copies.
"""
import os
import pathlib
import subprocess
import sys

import numpy

KERNELS = {
    "load": "v = x[i + 95 if i == 37 else i]\n    y[i] = v",
    "store": "y[200 if i == 37 else i] = 3",
    "atomic": "atomic.add(y, -5 if i == 37 else i, 2)",
    "view": "w = x[10:20]\n    y[i] = w[12 if i == 37 else 3]",
    "local": "s = local.array(4, i32)\n    s[i % 4] = 1\n    y[i] = s[7 if i == 37 else 1]",
    "shared": "s = shared.array(64, i32)\n    s[threadIdx.x] = 5\n    syncthreads()\n    y[i] = s[64 if i == 37 else 3]",
    "barrier_loop": "s = shared.array(64, i32)\n    for k in range(4):\n        s[threadIdx.x] = i32(k)\n        syncthreads()\n"
                    "        y[i] = y[i] + s[99 if i == 37 and k == 2 else 5]\n        syncthreads()",
    "grid_barrier": "for k in range(4):\n        y[i] = y[i] + x[200 if i == 37 and k == 2 else i]\n        syncgrid()",
    "divergent": "t = 0\n    while t < i % 5:\n        if i == 37 and t == 1:\n            y[500] = 1\n        t += 1\n    y[i] = i32(t)",
    "callee": "y[i] = pick(x, 1000 if i == 37 else 0)",
    "assert": "assert i != 37, 'not thirty-seven'\n    y[i] = 1",
    "division": "y[i] = i32(100 // (i - 37))",
}


def run(kernc, folder, name, *options):
    out = folder / f"{name}.npy"
    out.unlink(missing_ok=True)
    command = [kernc, "run", f"{folder}/{name}.kern", "--grid", "2", "--block", "50", "x=arange:i32:100", "y=zeros:i32:100", "-o",
               f"y={out}", *options]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"KERN_WARNINGS": "off"})
    return done.returncode, done.stderr, numpy.load(out) if out.exists() else None


def same(first, second):
    return first[0] == second[0] == 4 and first[1] == second[1] and numpy.array_equal(first[2], second[2])


def check(kernc, folder, name, lanes):
    """Returns what differs, as text."""
    ways = [("--lanes=1",), (), ("--lanes=32",), ("--arch=x86-64-v3",)] if lanes else [("--device", "cpu"), ("--device", "cuda")]
    done = [run(kernc, folder, name, *options) for options in ways]
    report = "".join(f"--- {' '.join(options)}: exit {code}\n{words}{array}\n" for options, (code, words, array) in zip(ways, done))
    if not all(same(done[0], other) for other in done[1:]):
        return report
    if lanes:
        return ""
    code, words, _ = run(kernc, folder, name, "--device", "cpu,cuda")
    return "" if code == 4 else f"{report}--- --device cpu,cuda: exit {code}\n{words}\n"


def main(kernc, folder, lanes=""):
    folder = pathlib.Path(folder)
    failed = 0
    for name, body in KERNELS.items():
        (folder / f"{name}.kern").write_text(
            "@device\ndef pick(a: i32[:], j: i64) -> i32:\n    return a[j]\n\n\n"
            f"@kernel\ndef k_{name}(x: i32[:], y: i32[:]):\n    i = grid(1)\n    {body}\n")
        differs = check(kernc, folder, name, lanes)
        failed += bool(differs)
        print(f"{name:16} {'DIFFERS' if differs else 'same fault, same arrays'}\n{differs}", end="")
    print(f"faults: {failed} failed")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

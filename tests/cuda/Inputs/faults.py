#!/usr/bin/env python3
"""Runs kernels in which one thread faults on the GPU and on the CPU: exit code, words and arrays must be the same, also for `--device cpu,cuda`.

usage: faults.py KERNC FOLDER

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


def run(kernc, folder, name, device):
    out = folder / f"{device}.npy"
    command = [kernc, "run", f"{folder}/{name}.kern", "--grid", "2", "--block", "50", "x=arange:i32:100", "y=zeros:i32:100", "-o",
               f"y={out}", "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"KERN_WARNINGS": "off"})
    return done.returncode, done.stderr, numpy.load(out) if out.exists() else None


def main(kernc, folder):
    folder = pathlib.Path(folder)
    failed = 0
    for name, body in KERNELS.items():
        (folder / f"{name}.kern").write_text(
            "@device\ndef pick(a: i32[:], j: i64) -> i32:\n    return a[j]\n\n\n"
            f"@kernel\ndef k_{name}(x: i32[:], y: i32[:]):\n    i = grid(1)\n    {body}\n")
        cpu, gpu = run(kernc, folder, name, "cpu"), run(kernc, folder, name, "cuda")
        both = run(kernc, folder, name, "cpu,cuda")
        same = both[0] == cpu[0] == gpu[0] == 4 and cpu[1] == gpu[1] and numpy.array_equal(cpu[2], gpu[2])
        failed += not same
        print(f"{name:16} {'same fault, same arrays' if same else 'DIFFERS'}")
        if not same:
            print(f"--- cpu: exit {cpu[0]}\n{cpu[1]}{cpu[2]}\n--- gpu: exit {gpu[0]}\n{gpu[1]}{gpu[2]}\n--- both: exit {both[0]}\n{both[1]}")
    print(f"faults: {failed} failed")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

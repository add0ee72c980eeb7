"""Compares views of wider elements with NumPy's, on vectors of 1, 16 and 32 lanes, and what cannot be seen so with its faults.
Usage: wide_views.py FOLDER KERNC FILE"""
import os
import subprocess
import sys

import numpy as np

folder, kernc, source = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
x = np.random.default_rng(3).integers(0, 256, 1024, dtype=np.uint8)
matrix = x[:960].reshape(40, 24)
np.save(f"{folder}/x.npy", x)
np.save(f"{folder}/m.npy", matrix)
failed = 0


def run(name, expected, arguments, lanes, shape=None, kind="u64"):
    """Expects an array, or a part of a message."""
    global failed
    out = f"{folder}/y.npy"
    shape = shape or "x".join(map(str, np.shape(expected)))
    kind = str(expected.dtype).replace("uint", "u") if isinstance(expected, np.ndarray) else kind
    command = [kernc, "run", source, name, *arguments, f"y=zeros:{kind}:{shape or 8}", f"--lanes={lanes}", "-o", f"y={out}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if isinstance(expected, str):
        good = done.returncode == 4 and expected in done.stderr
    else:
        good = done.returncode == 0 and np.array_equal(np.load(out), expected)
    if not good:
        failed += 1
        print(" ".join(command), done.stdout, done.stderr, sep="\n")


for lanes in (1, 16, 32):
    run("sums", x.view(np.uint32), [f"x=@{folder}/x.npy", "--over=256"], lanes)
    run("tile", x[:128].view(np.uint32), [f"x=@{folder}/x.npy", "--grid=1"], lanes)
    run("own_rows", matrix[:, :8].copy().view(np.uint64)[:, 0], [f"x=@{folder}/m.npy", "--over=40"], lanes)
    for first, last in ((0, 1024), (8, 1024), (16, 16), (256, 1000)):
        run("part", x[first:last].copy().view(np.uint64), [f"x=@{folder}/x.npy", f"first={first}", f"last={last}", "step=1", "--over=128"], lanes)
    for first in (0, 2, 22):
        run("rows", matrix[:, first:].copy().view(np.uint16), [f"x=@{folder}/m.npy", f"first={first}", "--over=12,40"], lanes)
    run("part", "do not lie where those as u64 may", [f"x=@{folder}/x.npy", "first=4", "last=1020", "step=1", "--over=1"], lanes, "128")
    run("part", "has no whole number of elements as u64", [f"x=@{folder}/x.npy", "first=0", "last=1020", "step=1", "--over=1"], lanes, "128")
    run("part", "has gaps", [f"x=@{folder}/x.npy", "first=0", "last=1024", "step=2", "--over=1"], lanes, "128")
    run("rows", "has no whole number of elements as u16", [f"x=@{folder}/m.npy", "first=1", "--over=1,1"], lanes, "40x12", "u16")
sys.exit(failed > 0)

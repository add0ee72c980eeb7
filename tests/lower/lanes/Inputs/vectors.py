#!/usr/bin/env python3
"""What the kernels of benchmarks/vectors.kern must compute, in NumPy.

usage: vectors.py FOLDER    writes inputs and expected outputs
"""
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
ROWS, COLUMNS, RADIUS = 23, 71, 2
arrays = {}

picture = random.integers(0, 256, (ROWS, COLUMNS), np.uint8)
around = np.pad(picture, RADIUS, "edge")
arrays["picture"] = picture
arrays["dilate"] = np.max([around[dy:dy + ROWS, dx:dx + COLUMNS] for dy in range(2 * RADIUS + 1) for dx in range(2 * RADIUS + 1)], axis=0)

u = random.random((ROWS, COLUMNS), np.float32)
near = np.pad(u.astype(np.float64), 1, "edge")
arrays["u"] = u
arrays["heat"] = (u + 0.1 * (near[:-2, 1:-1] + near[2:, 1:-1] + near[1:-1, :-2] + near[1:-1, 2:] - 4.0 * u)).astype(np.float32)

x = random.random(301, np.float32)
arrays["x"] = x
arrays["smooth"] = np.convolve(np.pad(x.astype(np.float64), RADIUS, "edge"), np.full(2 * RADIUS + 1, 1 / (2 * RADIUS + 1)), "valid").astype(np.float32)


def steps_of(value):
    steps = 0
    while value != 1 and steps < 1000:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        steps += 1
    return steps


arrays["collatz"] = np.array([steps_of(1 + i) for i in range(333)], np.int32)

# Which root each point comes to, by iterating longer in f64; points near the borders of the basins are left out.
at = (-1.6 + 0.13 * np.arange(25))[None, :] + 1j * (-1.3 + 0.13 * np.arange(21))[:, None]
z = at.copy()
for _ in range(60):
    z -= (z**3 - 1) / (3 * z**2 + 1e-20)
arrays["newton"] = np.where(z.real > 0.5, 0, np.where(z.imag > 0, 1, 2)).astype(np.int32)

for name, array in arrays.items():
    np.save(folder / f"{name}.npy", array)

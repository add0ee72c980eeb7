#!/usr/bin/env python3
"""Checks the kernels of module `histogram` against NumPy.

usage: check_histogram.py KERNC FOLDER [OPTION]...
"""
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
module = "std:histogram"
random = np.random.default_rng(4)
TILE = 4096

counted = Launches(kernc, module, folder, *options)
special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0])


def add(kernel, samples, arguments, expected, dtype, blocks):
    """Adds a launch of the kernel and of the one for many bins, on counts that are not all zeros."""
    before = np.arange(len(expected)) % 3
    for name in (kernel, kernel + "_many"):
        counted.add(name, {"samples": samples, **arguments, "counts": before.astype(dtype)}, {"counts": (before + expected).astype(dtype)},
                    "--grid", blocks)


for n, bins, dtype in ((0, 10, np.int64), (1, 1, np.uint64), (TILE - 1, 10, np.uint32), (TILE + 1, 300, np.int64), (2 * TILE + 100, 1000, np.int32)):
    blocks = 1 + n // TILE
    edges = np.linspace(-1.0, 2.0, bins + 1)
    x = np.concatenate([random.normal(size=n), edges, special] if n > 1 else [random.normal(size=n)])
    within = x[(x >= -1) & (x <= 2)]
    add("histogram_even", x, {"low": -1.0, "high": 2.0}, np.histogram(within, bins, (-1, 2))[0], dtype, blocks)
    single = x.astype(np.float32)
    within = single[(single >= -1) & (single <= 2)]
    add("histogram_even", single, {"low": -1.0, "high": 2.0}, np.histogram(within, bins, (-1, 2))[0], dtype, blocks)
    edges = np.sort(random.normal(size=bins + 1))
    x[:len(edges)] = edges[:len(x)]
    within = x[(x >= edges[0]) & (x <= edges[-1])]
    add("histogram_edges", x, {"edges": edges}, np.histogram(within, edges)[0], dtype, blocks)
    for kind in (np.int16, np.uint64):
        values = random.integers(-2 if kind == np.int16 else 0, bins + 5, n).astype(kind)
        values[:1] = np.iinfo(kind).max
        add("bincount", values, {}, np.bincount(values[(values >= 0) & (values < bins)].astype(int), minlength=bins), dtype, blocks)
integers = random.integers(0, 50, 500).astype(np.int32)
add("histogram_edges", integers, {"edges": np.array([0, 3, 10, 40], np.int32)}, np.histogram(integers, [0, 3, 10, 40])[0], np.int64, 1)
add("bincount", np.full(3 * TILE, 3, np.uint8), {}, np.bincount([3], minlength=9) * 3 * TILE, np.int64, 2)
add("bincount", np.arange(8192, dtype=np.int32), {}, np.ones(8192, int), np.int64, 2)
counted.add("bincount_many", {"samples": np.arange(20000), "counts": np.zeros(20001, int)}, {"counts": np.append(np.ones(20000, int), 0)},
            "--grid", 2)
for n in (0, 3, 4 * TILE + 5, 40001):
    data = random.integers(0, 256, n).astype(np.uint8)
    counted.add("bincount_bytes", {"words": data[:n - n % 4].view(np.uint32), "rest": data[n - n % 4:], "counts": np.zeros(256, np.uint64)},
                {"counts": np.bincount(data, minlength=256).astype(np.uint64)}, "--grid", 2)
counted.run()

views = Launches(kernc, here / "histogram_kernels.kern", folder, *options)
x, y = random.integers(0, 1000, 5000), random.integers(0, 1000, 10000)
counts = np.zeros(24, int)
counts[::3] = np.bincount((x[::-1] + y[::2]) % 10)[:8]
views.add("digits", {"x": x, "y": y, "counts": np.zeros(24, int)}, {"counts": counts}, "--grid", 2)
views.run()
finish("histogram")

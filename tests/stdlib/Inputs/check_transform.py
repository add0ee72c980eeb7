#!/usr/bin/env python3
"""Checks the kernels of module `transform` against NumPy.

usage: check_transform.py KERNC FOLDER [OPTION]...
"""
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
module = "std:transform"
mine = here / "transform_kernels.kern"
random = np.random.default_rng(1)
TILE = 1024


def blocks(n):
    return max(1, -(-n // TILE))


plain = Launches(kernc, module, folder, *options)
for n in (0, 1, 255, TILE - 1, TILE, TILE + 1, 3 * TILE + 100):
    launch = ["--grid", blocks(n)]
    x, y, z, w = (random.integers(-1000, 1000, n).astype(t) for t in (np.int32, np.int16, np.int64, np.int32))
    zeros = np.zeros(n, np.int64)
    plain.add("transform", {"x": x, "out": zeros}, {"out": x.astype(np.int64)}, *launch)
    plain.add("transform_2", {"x": x, "y": y, "out": zeros}, {"out": x.astype(np.int64) * y}, *launch)
    plain.add("transform_3", {"x": x, "y": y, "z": z, "out": zeros}, {"out": x.astype(np.int64) * y + z}, *launch)
    plain.add("transform_4", {"x": x, "y": y, "z": z, "w": w, "out": zeros}, {"out": x.astype(np.int64) * w - y * z}, *launch)
    stencil = random.integers(0, 2, n).astype(np.uint8)
    plain.add("transform_if", {"x": x, "stencil": stencil, "out": z}, {"out": np.where(stencil != 0, x, z)}, *launch)
    plain.add("transform_2_if", {"x": x, "y": y, "stencil": stencil.astype(bool), "out": z},
              {"out": np.where(stencil != 0, x.astype(np.int64) * y, z)}, *launch)
    plain.add("transform_in_place", {"x": x}, {"x": x}, *launch)
    plain.add("transform_2_in_place", {"x": z, "y": y}, {"x": z * y}, *launch)
    plain.add("tabulate", {"out": zeros}, {"out": np.arange(n)}, *launch)
    plain.add("fill", {"out": zeros, "value": -7}, {"out": np.full(n, -7)}, "--grid", 2)
    plain.add("sequence", {"out": zeros, "start": 5, "step": -3}, {"out": 5 - 3 * np.arange(n)}, *launch)
    plain.add("sequence", {"out": np.zeros(n, np.float32), "start": "f32:0.5", "step": "f32:0.25"},
              {"out": (0.5 + 0.25 * np.arange(n)).astype(np.float32)}, *launch)
    plain.add("adjacent_difference", {"x": x, "out": zeros}, {"out": np.diff(x.astype(np.int64), prepend=0)}, *launch)
plain.run()

special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, np.finfo(np.float32).max, np.finfo(np.float32).tiny], np.float32)
maps = Launches(kernc, module, folder, *options, "-D", f"UNARY={mine}:reciprocal", "-D", f"PREDICATE={mine}:is_nan")
for dtype in (np.float32, np.float64):
    x = special.astype(dtype)
    with np.errstate(all="ignore"):
        maps.add("transform", {"x": x, "out": np.zeros_like(x)}, {"out": 1 / x}, "--grid", 1)
    x = np.append(x, dtype(4))
    maps.add("transform_if", {"x": np.full_like(x, 2), "stencil": x, "out": x}, {"out": np.where(np.isnan(x), dtype(0.5), x)}, "--grid", 1)
x = random.uniform(1, 2, 1500)
maps.add("transform_in_place", {"x": x}, {"x": 1 / x}, "--grid", 2)
stencil = np.where(np.arange(1500) % 3 == 0, np.nan, 1)
maps.add("transform_if_in_place", {"x": x, "stencil": stencil}, {"x": np.where(np.isnan(stencil), 1 / x, x)}, "--grid", 2)
maps.run()

views = Launches(kernc, mine, folder, *options)
for n in (0, 1, 1500):
    x, y = random.normal(size=n), random.normal(size=2 * n)
    difference = np.zeros(3 * n)
    difference[::3] = x[::-1] - y[::2]
    views.add("pairs", {"x": x, "y": y, "total": np.zeros(n), "difference": np.zeros(3 * n)},
              {"total": x[::-1] + y[::2], "difference": difference}, "--grid", blocks(n))
    z = random.normal(size=n)
    even = np.arange(n) % 2 == 0
    views.add("in_place", {"x": x, "y": z}, {"x": np.where(even, x + z, x), "y": np.where(even, x - z, z)}, "--grid", blocks(n))
views.run()
finish("transform")

#!/usr/bin/env python3
"""Checks the kernels of module `gather` against NumPy.

usage: check_gather.py KERNC FOLDER [OPTION]...
"""
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
module = "std:gather"
mine = here / "gather_kernels.kern"
random = np.random.default_rng(2)
TILE = 1024


def blocks(n):
    return max(1, -(-n // TILE))


moves = Launches(kernc, module, folder, *options)
for n in (0, 1, TILE - 1, TILE, TILE + 1, 2 * TILE + 300):
    launch = ["--grid", blocks(n)]
    x = random.normal(size=n).astype(np.float32)
    old = random.normal(size=n).astype(np.float32)
    index = random.permutation(n).astype(np.int32)
    stencil = random.integers(0, 2, n).astype(np.uint8)
    # Indices that the stencil leaves out may be anything.
    wild = np.where(stencil != 0, index, -1).astype(np.int32)
    moves.add("gather", {"x": x, "index": index, "out": old}, {"out": x[index]}, *launch)
    moves.add("gather_if", {"x": x, "index": wild, "stencil": stencil, "out": old},
              {"out": np.where(stencil != 0, x[index], old)}, *launch)
    scattered = np.empty_like(x)
    scattered[index] = x
    moves.add("scatter", {"x": x, "index": index, "out": old}, {"out": scattered}, *launch)
    scattered = old.copy()
    scattered[index[stencil != 0]] = x[stencil != 0]
    moves.add("scatter_if", {"x": x, "index": wild, "stencil": stencil, "out": old}, {"out": scattered}, *launch)
    moves.add("reverse", {"x": x, "out": old}, {"out": x[::-1].copy()}, *launch)
    moves.add("reverse_in_place", {"x": x}, {"x": x[::-1].copy()}, "--grid", 1)
    for middle in (0, 1, n // 3, n, -1, 5 * n + 7, -2**62):
        moves.add("rotate", {"x": x, "middle": middle, "out": old}, {"out": np.roll(x, -(middle % n)) if n else x}, *launch)
    for times in (0, 1, 3):
        moves.add("repeat", {"x": x, "times": times, "out": np.zeros(times * n, np.float32)}, {"out": np.repeat(x, times)}, "--grid", 2)
    moves.add("tile", {"x": x, "out": np.zeros(5 * n // 2, np.float32)}, {"out": np.resize(x, 5 * n // 2)}, "--grid", 2)
for dtype in (np.uint8, np.uint64, np.float64, np.complex128):
    x = random.integers(0, 200, 9).astype(dtype)
    index = random.integers(0, 9, 20).astype(np.uint64)
    moves.add("gather", {"x": x, "index": index, "out": np.zeros(20, dtype)}, {"out": x[index]}, "--grid", 1)
moves.run()

chosen = Launches(kernc, module, folder, *options, "-D", f"PREDICATE={mine}:negative")
x, stencil = np.arange(5), np.array([0.0, -0.0, -np.inf, np.nan, -1])
chosen.add("gather_if", {"x": x, "index": x[::-1].copy(), "stencil": stencil, "out": np.zeros(5, int)}, {"out": np.array([0, 0, 2, 0, 0])},
           "--grid", 1)
chosen.run()

views = Launches(kernc, mine, folder, *options)
x, index = random.normal(size=1500), random.permutation(1500)
gathered, scattered = np.zeros(3000), np.zeros(1500)
gathered[::2] = x[::-1][index]
scattered[::-1][index] = x
views.add("views", {"x": x, "index": index, "gathered": np.zeros(3000), "scattered": np.zeros(1500)},
          {"gathered": gathered, "scattered": scattered}, "--grid", 2)
views.run()
finish("gather")

#!/usr/bin/env python3
"""Checks the module `tile` against NumPy: blocks and numbers of items of several sizes, arrays that end within a tile.

usage: check_tile.py KERNC FOLDER
"""
import sys

import numpy as np
from launches import Launches, finish, here

random = np.random.default_rng(2)


def warp_striped(threads, items):
    """Returns the places of the items of each thread, warp-striped."""
    places = np.zeros((threads, items), int)
    for t in range(threads):
        first = t // 32 * 32
        places[t] = first * items + t - first + np.arange(items) * min(32, threads - first)
    return places


def check_orders(stages, threads, items, launch):
    tile = threads * items
    for n in (0, 1, tile - 1, tile, 2 * tile + tile // 3):
        x = random.integers(-99, 99, n).astype(np.int16)
        blocks = max(-(-n // tile), 1)
        padded = np.full(blocks * tile, -7, np.int16)
        padded[:n] = x
        tiles = padded.reshape(blocks, tile)
        blocked = np.arange(tile).reshape(threads, items)
        striped = np.arange(tile).reshape(items, threads).T
        seen = [tiles[:, places].reshape(-1) for places in (blocked, striped, warp_striped(threads, items))]
        outputs = {"blocked": x, "striped": x, "warps": x, "seen": np.stack(seen, 1)}
        stages.add("orders", {"x": x}, outputs, "--grid", blocks, *launch)


def check_exchanges(stages, tile, launch):
    x = random.normal(size=tile)
    ranks = random.permutation(tile).astype(np.int32)
    ranked = np.zeros(tile)
    ranked[ranks] = x
    stages.add("exchanges", {"x": x}, {"out": np.stack([x] * 4)}, "--grid", 1, *launch)
    stages.add("scatters", {"x": x, "ranks": ranks}, {"out": np.stack([ranked] * 2)}, "--grid", 1, *launch)


def check_sums(stages, threads, items, launch):
    x = random.integers(-2**31, 2**31, threads * items).astype(np.int32)
    sums = np.cumsum(x, dtype=np.int64)
    totals = np.full((threads, items), sums[-1])
    totals[:, 0] = x.reshape(threads, items).sum(1, dtype=np.int64)
    outputs = {"totals": totals.reshape(-1), "inclusive": sums, "exclusive": sums - x + 1000, "most": np.maximum.accumulate(x),
               "ends": np.full_like(x, x[-1])}
    stages.add("sums", {"x": x}, outputs, "--grid", 1, *launch)
    values = random.random(len(x)).astype(np.float32)
    outputs = {"total": np.arange(1, len(x) + 1, dtype=np.float32), "top": np.maximum.accumulate(values)}
    stages.add("pairs", {"x": values}, outputs, "--grid", 1, *launch)


def check_runs(stages, tile, launch):
    x = random.integers(2, 5, tile).astype(np.uint8)
    changes = x[1:] != x[:-1]
    wide = x.astype(int)
    out = np.stack([np.append(True, changes), np.append(changes, True),
                    np.append(x[0] != 3, changes), np.append(changes, x[-1] != 3),
                    np.diff(wide, prepend=3), -np.diff(wide, append=3)]).astype(np.int32)
    stages.add("runs", {"x": x}, {"out": out}, "--grid", 1, *launch)


for shape, items in (((1,), 1), ((33,), 5), ((128,), 4), ((7, 5, 3), 2)):
    stages = Launches(sys.argv[1], here / "tile_kernels.kern", *sys.argv[2:])
    threads = int(np.prod(shape))
    launch = ["--block", ",".join(map(str, shape))]
    check_orders(stages, threads, items, launch)
    check_exchanges(stages, threads * items, launch)
    check_sums(stages, threads, items, launch)
    check_runs(stages, threads * items, launch)
    constants = [f"-DTHREADS={threads}", f"-DITEMS={items}"]
    stages.run(*constants)
    if items > 4:
        stages.run(*constants, "--guards=shadow")
finish("tile")

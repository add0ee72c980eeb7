#!/usr/bin/env python3
"""Checks the kernels of module `segmented` against NumPy.

usage: check_segmented.py KERNC FOLDER [OPTION]...
"""
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
module = "std:segmented"
mine = here / "segmented_kernels.kern"
random = np.random.default_rng(5)
# A tile of a warp is 256 elements, that of a block 2048; a warp sorts up to 256 elements, a block 2048, in shared memory.
LENGTHS = (0, 1, 2, 31, 32, 33, 0, 0, 64, 255, 256, 257, 511, 513, 1025, 2047, 2048, 2049, 5000, 3, 0)
START = 7


def segments(lengths, function, x):
    """Returns the results of a function of each segment; the first segment begins at 7."""
    ends = START + np.cumsum(lengths)
    return [function(x[end - length:end]) for length, end in zip(lengths, ends)]


def scattered(x, lengths, results):
    """Returns x with segments replaced by results."""
    return np.concatenate([x[:START], *results, x[START + sum(lengths):]]).astype(x.dtype)


def check(lengths, offsets_type, by_block):
    """Checks all kernels; what takes long to compile, and is there for types or views alone, only once."""
    chosen = "-D", f"BY_BLOCK={by_block}"
    offsets = (START + np.cumsum([0, *lengths])).astype(offsets_type)
    count, n = len(lengths), START + sum(lengths) + 5
    x = random.integers(-1000, 1000, n).astype(np.int32)
    zeros = np.zeros(n, np.int64)
    run = Launches(kernc, module, folder, *options, *chosen)
    for dtype in (np.int32, np.float32):
        y = x.astype(dtype)
        out = np.zeros(count, np.int64 if dtype == np.int32 else np.float32)
        run.add("segmented_reduce", {"x": y, "offsets": offsets, "out": out},
                {"out": np.array(segments(lengths, np.sum, x), out.dtype)}, "--grid", 3)
    run.add("segmented_inclusive_scan", {"x": x, "offsets": offsets, "out": zeros},
            {"out": scattered(zeros, lengths, segments(lengths, np.cumsum, x))}, "--grid", 2)
    run.add("segmented_exclusive_scan", {"x": x, "offsets": offsets, "out": zeros},
            {"out": scattered(zeros, lengths, segments(lengths, lambda s: np.cumsum(s) - s, x))}, "--grid", 2)
    z = (x % 50).astype(np.float64)
    z[::97] = np.nan
    z[START + 3] = -np.inf
    z[z == 0] *= -1
    for kernel, function in (("segmented_argmin", np.argmin), ("segmented_argmax", np.argmax)):
        # NumPy, too, gives the first NaN where there is one.
        places = np.array(segments(lengths, lambda s: function(s) if len(s) else -1, z))
        values = np.array([z[int(begin) + place] if place >= 0 else 5.0 for begin, place in zip(offsets, places)])
        run.add(kernel, {"x": z, "offsets": offsets, "values": np.full(count, 5.0), "indices": np.zeros(count, np.int32)},
                {"values": values, "indices": places.astype(np.int32)}, "--grid", 2)
    if by_block:
        run.add("segmented_sort", {"keys": z, "offsets": offsets, "scratch": np.zeros(n), "out": np.zeros(n)},
                {"out": scattered(np.zeros(n), lengths, segments(lengths, np.sort, z))}, "--grid", 2)
    order = segments(lengths, lambda s: np.argsort(s, kind="stable"), z)
    numbers = np.concatenate([np.zeros(START), *map(np.arange, lengths), np.zeros(5)]).astype(np.int32)
    run.add("segmented_sort_pairs", {"keys": z, "values": numbers, "offsets": offsets, "keys_scratch": np.zeros(n),
                                     "values_scratch": numbers, "keys_out": np.zeros(n), "values_out": np.zeros(n, np.int32)},
            {"keys_out": scattered(np.zeros(n), lengths, segments(lengths, np.sort, z)),
             "values_out": scattered(np.zeros(n, np.int32), lengths, order)}, "--grid", 3)
    run.run()

    begun = Launches(kernc, module, folder, *options, *chosen, "-D", "START=100")
    begun.add("segmented_reduce", {"x": x, "offsets": offsets, "out": np.zeros(count, np.int64)},
              {"out": np.array(segments(lengths, lambda s: 100 + np.sum(s), x), np.int64)}, "--grid", 2)
    begun.run()

    ordered = Launches(kernc, module, folder, *options, *chosen, "-D", f"OPERATION={mine}:last_nonzero", "-D", "START=-9",
                       "-D", f"LESS={mine}:descending")
    w = x * (random.integers(0, 40, n) == 0).astype(np.int32)
    # The place of the last element that is not 0, up to each; 0 where there is none.
    latest = segments(lengths, lambda s: np.maximum.accumulate((np.arange(len(s)) + 1) * (s != 0)), w)
    included = [np.append(0, s)[place] for s, place in zip(segments(lengths, np.copy, w), latest)]
    excluded = [np.append(-9, s)[np.append(0, place[:-1])[:len(s)]] for s, place in zip(segments(lengths, np.copy, w), latest)]
    ordered.add("segmented_inclusive_scan", {"x": w, "offsets": offsets, "out": zeros}, {"out": scattered(zeros, lengths, included)},
                "--grid", 2)
    ordered.add("segmented_exclusive_scan", {"x": w, "offsets": offsets, "out": zeros}, {"out": scattered(zeros, lengths, excluded)},
                "--grid", 2)
    if not by_block:
        u = (x % 256).astype(np.uint8)
        ordered.add("segmented_sort", {"keys": u, "offsets": offsets, "scratch": u, "out": u},
                    {"out": scattered(u, lengths, segments(lengths, lambda s: np.sort(s)[::-1], u))}, "--grid", 2)
    ordered.run()
    if by_block:
        return

    views = Launches(kernc, mine, folder, *options)
    y = random.integers(-9, 9, 2 * n)
    products = x[::-1].astype(np.int64) * y[::2]
    sums = np.zeros(3 * n, np.int64)
    sums[::3] = scattered(zeros, lengths, segments(lengths, np.cumsum, products))
    views.add("dot", {"x": x, "y": y, "offsets": offsets, "products": np.zeros(count, np.int64), "sums": np.zeros(3 * n, np.int64)},
              {"products": np.array(segments(lengths, np.sum, products)), "sums": sums}, "--grid", 2)
    square = x.astype(np.int64)
    views.add("sums_in_place", {"x": square, "offsets": offsets},
              {"x": scattered(square, lengths, segments(lengths, lambda s: np.cumsum(s * s) - s * s, square))}, "--grid", 2)
    views.run()


check(LENGTHS, np.int32, True)
check(LENGTHS, np.uint64, False)
check((), np.uint64, False)
finish("segmented")

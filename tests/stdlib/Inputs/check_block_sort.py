#!/usr/bin/env python3
"""Checks the module `block_sort` against NumPy: types, special values, ranges of bits, sizes.

usage: check_block_sort.py KERNC FOLDER
"""
import sys

import numpy as np
from launches import Launches, finish, here

random = np.random.default_rng(3)


def keys_of(dtype, count):
    """Returns keys with many equals, and with the ends of the type."""
    if np.issubdtype(dtype, np.floating):
        limits = np.finfo(dtype)
        tiny = limits.smallest_subnormal
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, limits.max, limits.min, tiny, -tiny]
        values = np.concatenate([special, random.normal(size=20)]).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        values = random.integers(limits.min, limits.max, 30, dtype, endpoint=True)
        values[:4] = limits.min, limits.max, 0, 1
    return random.choice(values, count)


def ordered_words(x):
    """Returns unsigned integers in the order of the keys."""
    bits = 8 * x.itemsize
    words = x.view(f"u{x.itemsize}")
    sign = words.dtype.type(1 << (bits - 1))
    if x.dtype.kind == "i":
        return words ^ sign
    if x.dtype.kind == "f":
        words = np.where(x < 0, ~words, words | sign)
        words = np.where(x == 0, sign, words)
        return np.where(np.isnan(x), ~(words & 0), words).astype(f"u{x.itemsize}")
    return words


def stable_order(x, descending=False, bits=None):
    """Returns the places of the keys in their order, or in that of a range of bits of their words; a NaN is last."""
    turned = ordered_words(-x) if x.dtype.kind == "f" else ~ordered_words(x)
    words = turned if descending else ordered_words(x)
    return np.argsort(words if bits is None else words & bits, kind="stable")


def check_keys(stages, dtype, count, launch):
    x = keys_of(dtype, count)
    stages.add("merge", {"x": x}, {"up": x[stable_order(x)], "down": x[stable_order(x, True)]}, *launch)
    bits = 8 * x.itemsize
    for descending, first, end in ((False, 0, bits), (True, bits - 5, bits), (False, 2, min(bits, 13)), (True, 3, 3)):
        order = stable_order(x, descending, np.dtype(f"u{x.itemsize}").type((1 << end) - (1 << first)))
        inputs = {"x": x, "descending": descending, "first": first, "end": end}
        stages.add("radix_pairs", inputs, {"keys": x[order], "places": order.astype(np.int32)}, *launch)


def check_others(stages, count, launch):
    x = keys_of(np.dtype(np.float32), count)
    stages.add("radix", {"x": x}, {"up": x[stable_order(x)]}, *launch)
    stages.add("radix_down", {"x": x}, {"down": x[stable_order(x, True)]}, *launch)
    x = random.integers(-100, 100, count).astype(np.int32)
    order = np.argsort(x % 2, kind="stable")
    stages.add("merge_pairs", {"x": x}, {"keys": x[order], "places": order.astype(np.int32)}, *launch)
    x = random.integers(0, 300, count).astype(np.uint16)
    order = np.argsort(x, kind="stable").astype(np.int32)
    stages.add("radix_records", {"x": x}, {"places": order}, *launch)
    stages.add("merge_records", {"x": x}, {"places": order}, *launch)


cases = ((np.float32, (128,), 4), (np.int64, (33,), 5), (np.uint8, (1,), 1), (np.float16, (7, 5, 3), 1), (np.int8, (1,), 6))
for number, (dtype, shape, items) in enumerate(cases):
    stages = Launches(sys.argv[1], here / "block_sort_kernels.kern", *sys.argv[2:])
    threads = int(np.prod(shape))
    launch = ["--grid", 1, "--block", ",".join(map(str, shape))]
    check_keys(stages, np.dtype(dtype), threads * items, launch)
    if number == 0:
        check_others(stages, threads * items, launch)
    constants = [f"-DTHREADS={threads}", f"-DITEMS={items}", f"-DT={np.dtype(dtype).name}"]
    stages.run(*constants)
    if number == 1:
        stages.run(*constants, "--guards=shadow")
finish("block_sort")

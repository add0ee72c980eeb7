#!/usr/bin/env python3
"""Checks the module `select` against NumPy.

usage: check_select.py KERNC FOLDER [OPTION...]
"""
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
random = np.random.default_rng(1)
small = ["-DTHREADS=64", "-DITEMS=2"]     # tiles of 128 elements
tile = 128
sizes = (0, 1, 128, 129, 33 * tile + 5)
operations = here / "operations_to_pass.kern"


def launches(*more):
    return Launches(kernc, "std:select", folder, "-Werror", "-Wno-generic_kernel", *small, *more, *options)


def grid(n):
    return max(1, (n + tile - 1) // tile)


def state(n, words=1):
    tiles = (n + tile - 1) // tile
    return f"zeros:u64:{words * (tiles + tiles // 32 + tiles // 1024)}"


def outputs(n, **parts):
    """Arrays of n elements that begin with these."""
    return {name: np.concatenate([part, np.zeros(n - len(part), part.dtype)]) for name, part in parts.items()}


def count(*parts):
    return np.array([len(part) for part in parts])


def check_parts():
    for lanes in ([], ["--lanes=16"], ["--lanes=32", "--guards=shadow", "-Wno-large"]):
        runs = launches(f"-DKEEP={operations}:is_even")
        for n in sizes:
            x = random.integers(-100, 100, n).astype(np.int32)
            even = x[x % 2 == 0]
            runs.add("copy_if", {"x": x, "state": state(n)}, {**outputs(n, y=even), "count": count(even)}, grid(n) + n % 2)
        runs.run(*lanes)
        runs = launches(f"-DKEEP={operations}:is_even", f"-DFIRST={operations}:is_third", f"-DSECOND={operations}:is_even")
        for n in sizes:
            x = random.integers(-100, 100, n).astype(np.int32)
            even, third = x % 2 == 0, x % 3 == 0
            runs.add("partition", {"x": x, "state": state(n)}, {**outputs(n, y=x[even], rest=x[~even]), "count": count(x[even])}, grid(n))
            first, second, others = x[third], x[even & ~third], x[~even & ~third]
            runs.add("partition_three", {"x": x, "state": state(n, 2)},
                     {**outputs(n, y=first, z=second, rest=others), "count": count(first, second)}, grid(n))
        runs.run(*lanes)
    runs = launches()
    for x in (np.zeros(300), np.ones(300)):
        some = x[x != 0]
        runs.add("partition", {"x": x, "state": state(300)}, {**outputs(300, y=some, rest=x[x == 0]), "count": count(some)}, 3)
    x = np.array([0, -0.0, np.nan, np.inf, -np.inf, 1])
    runs.add("copy_if", {"x": x, "state": state(6)}, {**outputs(6, y=x[2:]), "count": np.array([4])}, 1)
    runs.run()


def check_types():
    for dtype, flags in ((np.uint8, np.uint8), (np.float64, np.float32), (np.complex64, np.bool_)):
        runs = launches()
        for n in (0, 700):
            x = random.integers(0, 200, n).astype(dtype)
            flag = random.integers(0, 2, n).astype(flags)
            some = x[flag != 0]
            runs.add("flagged", {"x": x, "flags": flag, "state": state(n)}, {**outputs(n, y=some), "count": count(some)}, grid(n))
        runs.run()


def check_unique():
    for more, same in (((), lambda a, b: a == b), ((f"-DEQUAL={operations}:same_tens",), lambda a, b: a // 10 == b // 10)):
        runs = launches(*more)
        for n in (0, 1, 129, 33 * tile + 5):
            keys = np.repeat(random.integers(0, 40, n), random.integers(1, 5, n))[:n].astype(np.int16)
            values = random.normal(size=n)
            first = np.concatenate([[True], ~same(keys[:-1], keys[1:])])[:n]
            runs.add("unique", {"x": keys, "state": state(n)}, {**outputs(n, y=keys[first]), "count": count(keys[first])}, grid(n))
            runs.add("unique_by_key", {"keys": keys, "values": values, "state": state(n)},
                     {**outputs(n, keys_out=keys[first], values_out=values[first]), "count": count(keys[first])}, grid(n))
        runs.run()


def check_skeleton():
    """Pairs, and outputs that share an array, at the real sizes."""
    runs = Launches(kernc, here / "select_kernels.kern", folder, "-Werror", "-Wno-generic_kernel", *options)
    for n in (1, 4096, 10000):
        x, y = random.integers(-15, 15, (2, n)).astype(np.float32)
        inside = x * x + y * y < 100
        runs.add("points", {"x": x, "y": y, "state": "zeros:u64:9"},
                 {**outputs(n, out_x=x[inside], out_y=y[inside]), "count": count(x[inside])}, 3)
        x = random.integers(-15, 15, 2 * n).astype(np.int32)
        low = x[::2] < 0
        runs.add("ends", {"x": x, "state": "zeros:u64:9"},
                 {"y": np.concatenate([x[::2][low], x[::2][~low][::-1]]), "count": count(x[::2][low])}, 3)
    runs.run()


for check in (check_parts, check_types, check_unique, check_skeleton):
    check()
finish("select")

#!/usr/bin/env python3
"""Checks the modules `look_back`, `scan` and `by_key` against NumPy.

usage: check_scan.py KERNC FOLDER [OPTION...]
"""
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
random = np.random.default_rng(1)
small = ["-DTHREADS=32", "-DITEMS=2"]     # tiles of 64 elements
tile = 64
sizes = (1, 63, 64, 65, 32 * tile, 33 * tile + 1)
operations = here / "operations_to_pass.kern"


def launches(name, *more):
    return Launches(kernc, f"std:{name}", folder, "-Werror", "-Wno-generic_kernel", *more, *options)


def grid(n):
    return max(1, (n + tile - 1) // tile)


def state(n, words=2):
    tiles = (n + tile - 1) // tile
    return f"zeros:u64:{words * (tiles + tiles // 32 + tiles // 1024)}"


def before(sums, start):
    """What is before each element, of what is up to it."""
    return np.concatenate([[start], sums[:-1] + start])[:len(sums)].astype(sums.dtype)


def check_sums():
    for lanes in ([], ["--lanes=16"], ["--lanes=32", "--guards=shadow"]):
        runs = launches("scan", *small, "-DSTART=7")
        for n in (0, *sizes):
            x = random.integers(-2**31, 2**31, n).astype(np.int32)
            sums = np.cumsum(x, dtype=np.int64)
            runs.add("scan", {"x": x, "state": state(n)}, {"y": sums}, grid(n))
            if n % 2 == 1 or n == 0:
                runs.add("exclusive_scan", {"x": x, "state": state(n)}, {"y": before(sums, 7)}, grid(n) + n % 2)
        runs.run(*lanes)
    for dtype, total in ((np.uint8, np.int64), (np.uint32, np.uint32), (np.float32, np.float32), (np.complex128, np.complex128)):
        runs = launches("scan", *small)
        for n in (1, 33 * tile + 1):
            x = random.integers(0, 50, n).astype(dtype)
            sums = np.cumsum(x, dtype=total)
            runs.add("scan", {"x": x, "state": state(n, 4)}, {"y": sums}, grid(n))
        runs.run()
    runs = launches("scan")
    for n in (2047, 2048, 9000):
        x = random.integers(0, 50, n).astype(np.float32)
        runs.add("exclusive_scan", {"x": x, "state": state(n)}, {"y": before(np.cumsum(x), 0)}, 5)
    runs.run()
    special = np.array([1, np.inf, 3, np.nan, -0.0, 2], np.float32)
    runs = launches("scan", *small)
    runs.add("scan", {"x": special, "state": state(64)}, {"y": np.cumsum(special)}, 1)
    runs.add("exclusive_scan", {"x": special[-2:-1], "state": state(64)}, {"y": np.zeros(1, np.float32)}, 1)
    runs.run()


def check_order():
    """An operation that does not commute, past a group of tiles."""
    n = 1057 * tile + 5
    x = random.integers(0, 2**64, n, np.uint64)
    y = np.zeros(n, np.uint64)
    a, b = 1, 0
    for i, word in enumerate(map(int, x)):
        a, b = a * (word >> 32) % 2**32, (b * (word >> 32) + word) % 2**32
        y[i] = a << 32 | b
    runs = launches("scan", *small, f"-DOPERATION={operations}:compose")
    runs.add("scan", {"x": x, "state": state(n)}, {"y": y}, grid(n))
    runs.run()


def check_skeletons():
    small = ["-Dscan.THREADS=32", "-Dscan.ITEMS=2"]
    runs = Launches(kernc, here / "scan_kernels.kern", folder, "-Werror", "-Wno-generic_kernel", *small, *options)
    n = 33 * tile + 1
    x = np.zeros(n, np.dtype([("slope", "u8"), ("offset", "u8")]))
    x["slope"], x["offset"] = random.integers(0, 2**64, (2, n), np.uint64)
    y = x.copy()
    for i in range(1, n):
        a, b = map(int, y[i - 1])
        y[i] = a * int(x[i]["slope"]) % 2**64, (b * int(x[i]["slope"]) + int(x[i]["offset"])) % 2**64
    runs.add("records", {"x": x, "state": state(n, 4)}, {"y": y}, grid(n))
    runs.add("tuples", {"slopes": x["slope"].copy(), "offsets": x["offset"].astype(np.uint32), "state": state(n, 3)},
             {"slopes": y["slope"].copy(), "offsets": y["offset"].astype(np.uint32)}, grid(n))
    for n in (2, 200):
        x = random.integers(-10**12, 10**12, n)
        y = np.zeros((n // 2, 2), np.int64)
        y[:, 1] = before(np.cumsum(x[::-2]), 5)
        runs.add("views", {"x": x, "state": state(n)}, {"y": y.ravel()}, grid(n // 2))
    runs.run()


def check_look_back():
    runs = Launches(kernc, here / "scan_kernels.kern", folder, "-Werror", "-Wno-generic_kernel", *options)
    for n in (1, 33, 1024, 1025, 2050):
        x = random.integers(-10**12, 10**12, n)
        runs.add("prefixes", {"x": x, "state": f"zeros:u64:{2 * (n + n // 32 + n // 1024)}"}, {"y": before(np.cumsum(x), 0)}, n)
    runs.run()


def check_keys():
    runs = launches("by_key", "-Dscan.THREADS=32", "-Dscan.ITEMS=2", "-DSTART=3")
    for n, longest in ((0, 1), (1, 1), (65, 100), (33 * tile + 1, 9)):
        lengths = random.integers(1, longest + 1, n)
        keys = np.repeat(np.arange(n) % 7, lengths)[:n].astype(np.int32)
        x = random.integers(-1000, 1000, n)
        heads = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[:n])
        parts = np.split(x, heads[1:])
        first = np.array([part[0] for part in parts if len(part)], np.int64)
        count = np.array([len(heads)])

        def filled(values, dtype):
            return np.concatenate([values, np.zeros(n - len(values))]).astype(dtype)

        runs.add("scan_by_key", {"keys": keys, "x": x, "state": state(n, 3)},
                 {"y": np.concatenate([np.cumsum(part) for part in parts])}, grid(n))
        runs.add("exclusive_scan_by_key", {"keys": keys, "x": x, "state": state(n, 3)},
                 {"y": np.concatenate([before(np.cumsum(part), 3) for part in parts])}, grid(n))
        runs.add("reduce_by_key", {"keys": keys, "x": x, "state": state(n, 3)},
                 {"keys_out": filled(keys[heads], np.int32), "out": filled([part.sum() for part in parts][:len(first)], np.int64),
                  "count": count}, grid(n))
        runs.add("run_length_encode", {"x": keys, "state": state(n, 2)},
                 {"values": filled(keys[heads], np.int32), "lengths": filled(np.diff([*heads, n]), np.int64), "count": count}, grid(n))
    runs.run()
    runs = launches("by_key", "-Dscan.THREADS=32", "-Dscan.ITEMS=2", "-DOPERATION=larger", f"-DEQUAL={operations}:same_tens")
    keys = np.array([1, 5, 9, 10, 19, 20, 3, 4], np.uint8)
    x = np.array([-1, -5, 2, 8, 9, -np.inf, np.inf, 1], np.float32)
    runs.add("scan_by_key", {"keys": keys, "x": x, "state": state(64)},
             {"y": np.array([-1, -1, 2, 8, 9, -np.inf, np.inf, np.inf], np.float32)}, 1)
    runs.run("--lanes=16")


for check in (check_sums, check_order, check_skeletons, check_look_back, check_keys):
    check()
finish("scan")

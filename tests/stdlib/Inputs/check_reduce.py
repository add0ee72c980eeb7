#!/usr/bin/env python3
"""Checks the module `reduce` against NumPy.

usage: check_reduce.py KERNC FOLDER [OPTION...]
"""
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
random = np.random.default_rng(1)
small = ["-DTHREADS=64", "-DITEMS=4", "-DMOST_BLOCKS=3"]   # tiles of 256 elements, at most three parts
sizes = (1, 31, 33, 64, 65, 256, 257, 769, 1025, 5000)
operations = here / "operations_to_pass.kern"


def launches(*more):
    return Launches(kernc, "std:reduce", folder, "-Werror", "-Wno-generic_kernel", *small, *more, *options)


def state(words=2):
    """The state of three parts; its first element is 0 again behind the launch, the others are what the values were."""
    return f"zeros:u64:{3 * words + 1}"


def check_sums():
    for lanes in ([], ["--lanes=16"], ["--lanes=32", "--guards=shadow"]):
        runs = launches("-DSTART=1000")
        for n in (0, *sizes):
            x = random.integers(-2**31, 2**31, n).astype(np.int32)
            runs.add("reduce", {"x": x, "state": state()}, {"out": np.array([1000 + x.sum(dtype=np.int64)])}, n % 4 + 1)
        runs.run(*lanes)
    for dtype, total in ((np.uint8, np.int64), (np.uint32, np.uint32), (np.float64, np.float64), (np.complex128, np.complex128)):
        runs = launches()
        for n in (0, 1, 1025):
            x = random.integers(0, 200, n).astype(dtype)
            runs.add("reduce", {"x": x, "state": state(4)}, {"out": np.array([x.sum(dtype=total)])}, 3)
        runs.run()


def check_bits():
    """The sum of floats has the same bits with every grid, and is near the exact one."""
    x = random.uniform(-1, 1, 5000).astype(np.float32)
    exact = launches()
    exact.add("reduce", {"x": x, "state": state()}, {"out": np.array([x.sum(dtype=np.float64)], np.float32)}, 3)
    exact.stages[0] += ["-o", f"out={exact.folder / 'bits.npy'}"]
    exact.run("--rtol", "1e-6", "--atol", "1e-5")
    for lanes in ([], ["--lanes=16"]):
        runs = launches()
        for grid in (1, 2, 3, 7):
            runs.add("reduce", {"x": x, "state": state()}, {"out": np.load(exact.folder / "bits.npy")}, grid)
        runs.run(*lanes)


def check_order():
    """An operation that does not commute, in the order of the elements."""
    runs = launches("-DCOMMUTES=False", f"-DOPERATION={operations}:compose", "-DSTART=4294967303")
    for n in (0, *sizes):
        x = random.integers(0, 2**64, n, np.uint64)
        a, b = 1, 7
        for word in map(int, x):
            a, b = a * (word >> 32) % 2**32, (b * (word >> 32) + word) % 2**32
        runs.add("reduce", {"x": x, "state": state()}, {"out": np.array([a << 32 | b], np.uint64)}, n % 4 + 1)
    runs.run()


def check_extrema():
    special = np.array([3, np.inf, -0.0, 0.0, -2, -np.inf, -np.inf, 5, np.inf, 3], np.float32)
    nan = special.copy()
    nan[[4, 7]] = np.nan
    for values in ([special, nan, special[1:2], *(random.integers(-9, 9, n).astype(np.float32) for n in sizes)],
                   [random.integers(0, 256, n).astype(np.uint8) for n in (5, 1025)],
                   [random.integers(-2**63, 2**63, n) for n in (5, 1025)]):
        runs = launches()
        for x in values:
            for name, place in (("argmin", x.argmin()), ("argmax", x.argmax())):
                runs.add(name, {"x": x, "state": state(4)}, {"value": x[place:place + 1], "place": np.array([place])}, 3)
        runs.run()
    runs = launches("-DOPERATION=larger", "-DSTART=-math.inf")
    runs.add("reduce", {"x": special[:0], "state": state()}, {"out": np.array([-np.inf], np.float32)}, 1)
    runs.add("reduce", {"x": special, "state": state()}, {"out": np.array([np.inf], np.float32)}, 1)
    runs.run()
    runs = launches(f"-DINPUT={operations}:square_at")
    x = random.integers(-1000, 1000, 1025)
    runs.add("reduce", {"x": x, "state": state()}, {"out": np.array([(x * x).sum()])}, 2)
    runs.run()


def check_skeleton():
    """Products of two arrays, views with any strides, at the real sizes."""
    runs = Launches(kernc, here / "reduce_kernels.kern", folder, "-Werror", "-Wno-generic_kernel", *options)
    for n in (0, 1, 4095, 4096, 4097, 20000):
        x, y = random.integers(-10**6, 10**6, (2, n))
        runs.add("dot", {"x": x, "y": y, "state": "zeros:u64:20"}, {"out": np.array([(x * y).sum()])}, 2)
        z = random.normal(size=2 * n)
        z = np.rint(z * 1000)
        runs.add("views", {"x": z, "state": "zeros:u64:20"}, {"out": np.array([z[1::2][::-1].sum()])}, 3)
    runs.run()


check_sums()
check_bits()
check_order()
check_extrema()
check_skeleton()
finish("reduce")

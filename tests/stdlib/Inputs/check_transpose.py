#!/usr/bin/env python3
"""Checks the kernels of module `transpose` against NumPy.

usage: check_transpose.py KERNC FOLDER [OPTION]...
"""
import itertools
import sys

import numpy as np

from launches import Launches, finish, here

kernc, folder, *options = sys.argv[1:]
module = "std:transpose"
random = np.random.default_rng(3)
LAUNCH = "--grid", 2


def numbers(shape, dtype=np.int32):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


matrices = Launches(kernc, module, folder, *options)
for shape in ((0, 0), (0, 5), (1, 1), (63, 64), (64, 65), (65, 1), (130, 70), (3, 0, 2), (3, 65, 2), (2, 3, 7, 66), (2, 1, 2, 2, 3, 4)):
    x = numbers(shape)
    matrices.add("transpose", {"src": x, "dst": np.zeros_like(x.swapaxes(-1, -2), order="C")},
                 {"dst": np.ascontiguousarray(x.swapaxes(-1, -2))}, *LAUNCH)
for dtype in (np.uint8, np.float64, np.complex128):
    x = numbers((70, 33), dtype)
    matrices.add("transpose", {"src": x, "dst": np.zeros((33, 70), dtype)}, {"dst": np.ascontiguousarray(x.T)}, *LAUNCH)
matrices.run()

chosen = [(0, 1), (1, 0), (0, 2, 1), (1, 0, 2), (1, 2, 0), (1, 3, 0, 2), (0, 2, 1, 3), (4, 0, 1, 2, 3), (5, 3, 4, 1, 2, 0), (1, 4, 3, 2, 0, 5)]
for axes in chosen:
    permuted = Launches(kernc, module, folder, *options, "-D", f"AXES={axes}")
    shapes = {2: [(70, 66)], 3: [(5, 66, 3), (0, 3, 2)], 4: [(3, 4, 5, 66)], 5: [(3, 2, 5, 4, 66)], 6: [(2, 3, 4, 5, 6, 7)]}[len(axes)]
    for shape in shapes:
        x = numbers(shape)
        permuted.add("permute", {"src": x, "dst": np.zeros_like(x.transpose(axes), order="C")},
                     {"dst": np.ascontiguousarray(x.transpose(axes))}, *LAUNCH)
    permuted.run()

for axes, row, stays in (((0, 1), 0, 1), ((1, 0), 0, 0), ((0, 2, 1), 1, 0), ((1, 0, 2), 1, 1), ((5, 3, 4, 1, 2, 0), 0, 0), ((0, 1, 2, 4, 5, 3), 4, 0)):
    planes = Launches(kernc, here / "transpose_kernels.kern", folder, *options, "-D", f"transpose.AXES={axes}")
    planes.add("planes", {"out": np.zeros(2, np.int32)}, {"out": np.array([row, stays], np.int32)}, "--grid", 1)
    planes.run()

views = Launches(kernc, here / "transpose_kernels.kern", folder, *options)
x = numbers((70, 150), np.float32)
expected = np.full((76, 210), -1, np.float32)
expected[1:, ::3] = x[::-1, ::2].T
views.add("views", {"src": x, "dst": np.full((76, 210), -1, np.float32)}, {"dst": expected}, *LAUNCH)
views.run()
finish("transpose")

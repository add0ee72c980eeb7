#!/usr/bin/env python3
"""Checks the module `block_histogram` against NumPy.

usage: check_block_histogram.py KERNC FOLDER
"""
import sys

import numpy as np
from launches import Launches, finish, here

bins, items = 40, 4
random = np.random.default_rng(4)
stages = Launches(sys.argv[1], here / "block_histogram_kernels.kern", *sys.argv[2:])
for shape in ((1,), (33,), (16, 16)):
    threads = int(np.prod(shape))
    launch = ["--grid", 1, "--block", ",".join(map(str, shape))]
    for n in (0, 1, 1000):
        x = random.choice([0, 7, bins - 1, *range(bins)], n).astype(np.uint8)
        y = random.integers(0, bins, threads * items)
        once, more = (np.bincount(values, minlength=bins).astype(np.uint32) for values in (x, y))
        stages.add("columns", {"x": x, "y": y}, {"once": once, "twice": once + more}, *launch)
        stages.add("one_column", {"x": x, "y": y}, {"once": once, "twice": more}, *launch)
for options in ([], ["--lanes=1"], ["--guards=shadow"]):
    stages.run(*options)
finish("block_histogram")

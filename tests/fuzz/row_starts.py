#!/usr/bin/env python3
"""Kernels that do nothing outside of `lo < x < hi`, for bounds around everything that matters to rows of vectors: results as
Python computes them, with every lane count.

usage: row_starts.py KERNC [--count N] [--seed S] [--seconds T]        without a count every case is tried
"""
import itertools
import pathlib
import subprocess
import sys

import numpy

import arguments

LANES = ["--lanes=1"], ["--lanes=16"], ["--lanes=32"], ["--arch=x86-64-v3", "--lanes=16"], []
ROWS, COLUMNS = 5, 83
EXTREME = 2**63
# Threads and blocks along x; the rows are threads of one block, or blocks. Some grids end before the array does.
SHAPES = [((96, 1), (1, ROWS)), ((128, ROWS), (1, 1)), ((32, 1), (3, ROWS)), ((16, 3), (6, 2)), ((16, 3), (4, 2)), ((7, ROWS), (12, 1)), ((64, 2), (1, 3)),
          ((83, 1), (1, ROWS)), ((20, 1), (1, 3))]
BOUNDS = [(0, COLUMNS - 1), (0, COLUMNS), (-1, COLUMNS), (-5, COLUMNS + 9), (1, 17), (1, 18), (1, 34), (3, 19), (15, 80), (16, 82), (31, 65), (40, 40), (50, 20),
          (82, 83), (60, 200), (-EXTREME, 50), (0, EXTREME - 1), (EXTREME - 1, EXTREME - 1), (EXTREME - 1, -EXTREME), (-EXTREME, EXTREME - 1)]

CASES = [(kernel, shape, bounds, lanes) for kernel, shape, bounds, lanes in itertools.product(
    ("between", "from_to", "triangle", "in_turn", "lanes"), SHAPES, BOUNDS, LANES) if kernel != "triangle" or bounds[0] < EXTREME - 1]
FILE = pathlib.Path(__file__).resolve().parent.parent / "lower/lanes/row_starts.kern"


def expected(kernel, shape, lo, hi):
    (across, down), (blocks_across, blocks_down) = shape
    result = numpy.zeros((ROWS, COLUMNS), numpy.int64)
    for y, x in itertools.product(range(min(ROWS, down * blocks_down)), range(min(COLUMNS, across * blocks_across))):
        first = y + lo if kernel == "triangle" else lo
        if lo <= x <= hi if kernel == "from_to" else first < x < hi:
            thread, row = x % across, y % down
            lane = (row * across + thread) % 32
            result[y, x] = 100 * lane + thread // 16 + 1 if kernel == "lanes" else 1000 * y + x + 1
    return result


def check(options, seed, folder):
    [(kernel, shape, (lo, hi), lanes)] = arguments.part_of(seed, CASES, len(CASES))
    path = folder / "v.npy"
    numpy.save(path, expected(kernel, shape, lo, hi))
    (across, down), (blocks_across, blocks_down) = shape
    command = [options.kernc, "run", FILE, kernel, f"v=zeros:i64:{ROWS}x{COLUMNS}", f"lo={lo}", f"hi={hi}", "--grid", f"{blocks_across},{blocks_down}",
               "--block", f"{across},{down}", "--expect", f"v={path}", *lanes]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


arguments.agree(arguments.parser(len(CASES)).parse_args(), check)

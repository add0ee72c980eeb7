#!/usr/bin/env python3
"""What ../piece_sums_run.kern sums, as files in a folder, and what comes out.

usage: piece_sums_run.py FOLDER
"""
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
folder.mkdir(exist_ok=True)
lengths = numpy.array([0, 1, 127, 128, 129, 255, 256, 257, 512, 65536, 65537, 140000])
count = int(lengths.max())
arrays = {"a": numpy.full(count, 255, numpy.uint8), "b": numpy.full(count, 65535, numpy.uint16), "c": numpy.full(count, -128, numpy.int8), "d": numpy.full(count, -32768, numpy.int16)}
for name, array in arrays.items():
    numpy.save(folder / f"{name}.npy", array)
numpy.save(folder / "lengths.npy", lengths)
a, b, c, d = (array.astype(numpy.int64) for array in arrays.values())
i, k = numpy.arange(40)[:, None], numpy.arange(count)[None, :]
some = numpy.where((k + i) % 3 == 0, c, numpy.where(k > i, -a * b, 0))
o = numpy.zeros((5, lengths.size, 40), numpy.int64)
for q, n in enumerate(lengths):
    o[0, q] = (a * b)[:n].sum() + numpy.arange(40)
    o[1, q] = -(c * c)[:n].sum()
    o[2, q] = a[:n].sum() + 7
    o[3, q] = (2 * c * d - a)[:n].sum() - numpy.arange(40)
    o[4, q] = some[:, :n].sum(axis=1)
numpy.save(folder / "o.npy", o.transpose(1, 0, 2).reshape(lengths.size, 200))

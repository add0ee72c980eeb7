#!/usr/bin/env python3
"""Writes .npy files: the arguments of a test, and what an independent reference (NumPy, Python's math) makes of them.

usage: values.py (PATH EXPRESSION)...

`PREFIX.x.npy` gets the value of its expression and names it x in the expressions that follow. In scope are Python's
builtins, NumPy's other names, `math`, `bits` (random integers over a type's whole range) and `each` (a function of Python
over the elements).
"""
import builtins
import math
import sys

import numpy

random = numpy.random.default_rng(7)


def bits(dtype, count):
    """Returns random values of an integer type, its extremes first."""
    info = numpy.iinfo(dtype)
    edges = [info.min, info.max, 0, 1, info.max - 1, info.max // 2]
    values = random.integers(info.min, info.max, count - len(edges), dtype, endpoint=True)
    return numpy.concatenate([numpy.array(edges, dtype), values])


def each(function, dtype, *arrays):
    """Returns what a function gives for each element (or each group of elements)."""
    return numpy.array([function(*(item.item() for item in group)) for group in zip(*arrays)], dtype)


names = {**vars(numpy), **vars(builtins), "math": math, "bits": bits, "each": each, "random": random}
for path, expression in zip(sys.argv[1::2], sys.argv[2::2]):
    with numpy.errstate(all="ignore"):
        value = numpy.asarray(eval(expression, names))
    names[path.split(".")[-2]] = value
    numpy.save(path, value)

#!/usr/bin/env python3
"""Writes starts, stops and steps of small ranges and what Python's sum, any, all and reversed make of them."""
import sys

import numpy

cases = [(a, b, s) for a in range(-5, 6) for b in range(-5, 6) for s in (-4, -3, -2, -1, 1, 2, 3, 4)]
far = [(2**63 - 5, 2**63 - 1, 1), (-2**63, -2**63 + 3, 2), (2**40, -3, -2**38), (-2**63, 2**63 - 1, 2**62), (3, -2**63, -2**63), (-2**63 + 1, 5, 2**63 - 1)]
cases += far


def wrapped(value):
    return (value + 2**63) % 2**64 - 2**63


columns = [*zip(*cases),
           [wrapped(sum(range(*case), 3)) for case in cases],
           [any(range(*case)) for case in cases],
           [all(range(*case)) for case in cases],
           [wrapped(sum(k * value for k, value in enumerate(reversed(range(*case)), 1))) for case in cases]]
for path, column in zip(sys.argv[1:], columns):
    numpy.save(path, numpy.array(column, "int64"))

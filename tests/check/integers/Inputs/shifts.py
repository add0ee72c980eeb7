"""Writes what shifts.kern stores: shifts by any count, which shift everything out from the width on and below 0.

usage: shifts.py PREFIX
"""
import sys

import numpy


def wrapped(value, bits, signed=True):
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> bits - 1 else value


def left(value, count, bits, signed):
    return wrapped(value << count, bits, signed) if 0 <= count < bits else 0


def right(value, count, bits):
    return value >> count if 0 <= count < bits else -1 if value < 0 else 0


prefix = sys.argv[1]
counts = [int(count) for count in numpy.load(f"{prefix}.c.npy")]
numbers = [(200, 32), (-100, 32), (-2000000000, 32), (-9000000000000000000, 64)]
words = [(4000000000, 32), (18000000000000000000, 64)]
o = [[left(value, n, 64, True) for value, _ in numbers] + [right(value, n, bits) for value, bits in numbers] for n in counts]
u = [[left(value, n, bits, False) for value, bits in words] + [right(value, n, bits) for value, bits in words] for n in counts]
numpy.save(f"{prefix}.o.npy", numpy.array(o, "int64"))
numpy.save(f"{prefix}.u.npy", numpy.array(u, "uint64"))

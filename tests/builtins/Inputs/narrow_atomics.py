#!/usr/bin/env python3
"""Writes the arguments of atomic_narrow.kern and what they become: integers wrap in their type."""
import sys

import numpy

n, front = 250, sys.argv[1]
x = numpy.random.default_rng(5).integers(0, 256, n, numpy.uint8)
wide, signed = x.astype(int), x.view(numpy.int8).astype(int)


def save(name, values, dtype):
    numpy.save(f"{front}.{name}.npy", numpy.array(values, dtype))


def wrapped(values, dtype):
    return numpy.array(values, numpy.int64).astype(dtype)


save("x", x, numpy.uint8)
save("u8", [7, 3, 5, 200, 255, 1, 9, 0], numpy.uint8)
save("u8e", wrapped([7 + wide.sum(), 3 - wide.sum(), max(5, wide.max()), min(200, wide.min()), numpy.bitwise_and.reduce(wide | 16),
                     1 | numpy.bitwise_or.reduce(wide & 36), 9 ^ numpy.bitwise_xor.reduce(wide), n % 100], numpy.uint8), numpy.uint8)
save("i8", [0, 0, 1], numpy.int8)
save("i8e", wrapped([max(0, signed.max()), min(0, signed.min()), 1 + wide.sum()], numpy.int8), numpy.int8)
save("u16", [0, 60000], numpy.uint16)
save("u16e", wrapped([-n % 100, 60000 + wide.sum()], numpy.uint16), numpy.uint16)
save("i16", [0, 0], numpy.int16)
save("i16e", wrapped([-wide.sum(), -wide.max()], numpy.int16), numpy.int16)
save("he", [(wide % 4).sum(), -(wide % 4).sum(), wide.max(), -wide.max(), 0], numpy.float16)
blocks = [wide[k:k + 64] for k in range(0, n, 64)]
save("be", [max((b % 2).sum() for b in blocks), max((b % 2).sum() for b in blocks), (wide % 128).max(), (wide % 128).max(), 2.5], numpy.float32)
save("counts", numpy.bincount(wide % 7, minlength=7), numpy.uint16)

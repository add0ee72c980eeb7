#!/usr/bin/env python3
"""Views about the limits of 32-bit places: whatever variant a launch takes, it finds the elements that NumPy finds, and reports the same bad index.

Strides of 0 and overlapping rows make extents whose product passes 2^31 without memory. `--memory` adds those that need 2 GiB.

usage: wide_views.py KERNC [--count N] [--seed S] [--seconds T] [--device cpu|cuda] [--memory] [--library FILE [--build]] [--cxx CXX] [-- OPTIONS OF KERNC]

A seed is all of the extents, with indices of its own.
"""
import pathlib
import random
import sys
import tempfile

import arguments
import launcher
import numpy

TILE = 8
SOURCE = """
@kernel
def read{rank}(u: {type}[{axes}], at: i64[:, ::1], out: i64[::1]):
    t = threadIdx.x
    out[t] = -1
    {names} = {indices}
    if {inside}:
        out[t] = i64(u[{names}]) + i64(u[{first}])


@kernel
def fetch{rank}(u: {type}[{axes}], at: i64[:, ::1], out: i64[::1]):
    t = threadIdx.x
    {names} = {indices}
    out[t] = i64(u[{names}])


@kernel
def write{rank}(u: {type}[{axes}], at: i64[:, ::1], out: i64[::1]):
    t = threadIdx.x
    {names} = {indices}
    u[{names}] = {type}(t + 1)
    out[t] = i64(u[{names}])
"""
SMALL = 1 << 30  # what a variant promises of an extent or a stride


def source(element):
    text = ""
    for rank in (2, 3, 4):
        names = [f"i{axis}" for axis in range(rank)]
        text += SOURCE.format(rank=rank, type=element, axes=", ".join([":"] * rank), names=", ".join(names), first=", ".join(["0"] * rank),
                              indices=", ".join(f"at[t, {axis}]" for axis in range(rank)),
                              inside=" and ".join(f"{name} < u.shape[{axis}]" for axis, name in enumerate(names)))
    return text


class Wide(launcher.View):
    """Any extents and strides over a base that they stay within."""

    def __init__(self, shape, strides, dtype, value=lambda n: numpy.arange(1, n + 1)):
        low = sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride < 0)
        high = sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride > 0)
        self.base = value(high - low + 1).astype(dtype)
        self.first, self.shape, self.strides = -low, shape, strides

    def of(self, base):
        size = base.itemsize
        return numpy.lib.stride_tricks.as_strided(base[self.first:], self.shape, [stride * size for stride in self.strides])


def layouts(memory):
    """Extents and strides, by hand: those at which a fact turns, and one to either side of it."""
    for big in (SMALL - 1, SMALL, SMALL + 1, 2**31 - 1, 2**31, 2**32 + 3, 2**40):
        yield (big, 5), (0, 1)
        yield (5, big), (1, 0)
        yield (big, 3, 4), (0, 4, 1)
        yield (3, big, 4), (4, 0, 1)
        yield (2, big, 2, 3), (6, 0, 3, 1)
    for rows in (46340, 46341, 65536, 65537):
        yield (rows, 65536), (0, 1)
        yield (rows, 65536), (1, 1)
        yield (rows, 65536), (2, 0)
    yield (4, 6), (-6, 1)
    yield (4, 6), (6, -1)
    yield (1, 6), (-SMALL * 8, 1)
    yield (1, 6), (2**33 + 1, 1)
    yield (2, 1, 3), (3, 2**62, 1)
    yield (6, 4), (1, 6)
    yield (4, 6), (9, 1)
    if memory:
        yield (SMALL, SMALL), (1, 1)          # the last place is 2^31 - 2
        yield (SMALL, 2), (2, 1)              # 2^31 - 1
        yield (SMALL, 3), (2, 1)              # 2^31
        yield (SMALL, 2, 8), (2, 0, 1)
        yield (3, SMALL), (SMALL // 2, 1)     # 2^31 - 1
        yield (3, SMALL), (SMALL // 2 + 1, 1) # 2^31 + 1


def indices(rng, shape):
    rows = [[0] * len(shape), [extent - 1 for extent in shape]]
    while len(rows) < TILE:
        rows.append([rng.choice([0, extent - 1, extent // 2, rng.randrange(extent)]) for extent in shape])
    return rows


def bad(rng, shape):
    """An index one off in one axis, or off by what 32 bits forget."""
    row = [rng.randrange(extent) for extent in shape]
    axis = rng.randrange(len(shape))
    row[axis] = rng.choice([shape[axis], shape[axis] + 2**32, max(row[axis] + 2**32, shape[axis]), 2**62])
    return row, axis


def are_apart(shape, strides):
    """No two elements share a place; else a kernel that writes them is not launched."""
    span = 1
    for stride, extent in sorted((abs(stride), extent) for stride, extent in zip(strides, shape) if extent > 1):
        if stride < span:
            return False
        span += stride * (extent - 1)
    return True


def check(runtime, rng, shape, strides, dtype):
    rank, failures = len(shape), []
    made = lambda: Wide(shape, strides, dtype)
    places = lambda row: Wide((1, rank), (rank, 1), "int64", lambda n: numpy.array(row))
    rows = indices(rng, shape)
    at = Wide((TILE, rank), (rank, 1), "int64", lambda n: numpy.array(rows).reshape(-1))
    u, out = made(), Wide((TILE,), (1,), "int64")
    wanted = [int(u.array[tuple(row)]) + int(u.array[(0,) * rank]) for row in rows]
    fault = runtime.launch(0, f"read{rank}", 1, TILE, [u, at, out])
    if fault or out.base.tolist() != wanted:
        failures.append(f"read: {fault or out.base.tolist()}, not {wanted}")
    if are_apart(shape, strides):
        u, out = made(), Wide((TILE,), (1,), "int64")
        model = u.base.copy()
        u.of(model)[tuple(rows[1])] = 1
        fault = runtime.launch(0, f"write{rank}", 1, 1, [u, places(rows[1]), out])
        if fault or not numpy.array_equal(model, u.base):
            failures.append(f"write: {fault or 'another element'}")
    row, axis = bad(rng, shape)
    fault = runtime.launch(0, f"fetch{rank}", 1, 1, [made(), places(row), Wide((TILE,), (1,), "int64")])
    found = fault and (fault["array"], fault["axis"], fault["index"], fault["extent"])
    if found != ("u", axis, row[axis], shape[axis]):
        failures.append(f"fetch of {row}: {fault}")
    return [f"{shape} by {strides}: {text}" for text in failures]


def main():
    parser = arguments.parser(1, device=True)
    parser.add_argument("--memory", action="store_true")
    launcher.add_library(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library, path = options.library or folder / "wide.so", folder / "wide.kern"
        path.write_text(source("u8"))
        if options.build or not options.library:
            launcher.build(options.kernc, [(path, [])], library, folder, options.cxx, options.runtime, options.extra)
        if options.build:
            return 0
        runtime = launcher.Runtime(library, options.device)
    cases = list(layouts(options.memory))

    def check_layouts(options, seed, folder):
        rng = random.Random(seed)
        return "\n".join(text for shape, strides in cases for text in check(runtime, rng, shape, strides, "uint8"))

    print(f"{len(cases)} layouts on {options.device}")
    return arguments.check_each(options, "wide_views", check_layouts)


if __name__ == "__main__":
    sys.exit(main())

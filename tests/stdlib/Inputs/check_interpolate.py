#!/usr/bin/env python3
"""Checks stdlib/interpolate.kern against sums over all taps in f64.

usage: check_interpolate.py KERNC FOLDER
"""
import itertools
import pathlib
import subprocess
import sys

import numpy as np

kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
source = pathlib.Path(__file__).with_name("interpolate_kernels.kern")
random = np.random.default_rng(1)
failures = 0

# The elements that stand for 0, 1, ... of an axis of n, one period; what np.pad makes of the same.
PERIODS = {
    "wrap": lambda n: list(range(n)),
    "mirror": lambda n: [*range(n), *reversed(range(n))],
    "mirror_101": lambda n: [*range(n), *range(n - 2, 0, -1)],
}
PADS = {"clamp": "edge", "wrap": "wrap", "mirror": "symmetric", "mirror_101": "reflect"}
MODES = ["clamp", *PERIODS, "border"]


def places(mode, i, n):
    """Returns the elements that stand for the indices `i` of an axis, -1 for those that none does."""
    if n == 0 or mode == "border":
        return np.where((0 <= i) & (i < n), i, -1)
    if mode == "clamp":
        return np.clip(i, 0, n - 1)
    period = np.array(PERIODS[mode](n))
    return period[i % len(period)]


for mode, pad in PADS.items():
    for n in (2, 3, 5):
        assert np.array_equal(places(mode, np.arange(1 - n, 2 * n - 1), n), np.pad(np.arange(n), n - 1, pad)), mode


def bump(kind, d):
    """Returns the weight of an element at the distance d."""
    d = abs(d)
    if kind == "linear":
        return np.maximum(1 - d, 0)
    if kind == "cubic":
        return np.where(d < 1, 1.5 * d**3 - 2.5 * d**2 + 1, np.where(d < 2, -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2, 0))
    return np.where(d < 1, 2 / 3 - d**2 + d**3 / 2, np.where(d < 2, (2 - d)**3 / 6, 0))


def near(u):
    """Returns positions as the module takes them, NaN as 0."""
    return np.clip(np.nan_to_num(u.astype(np.float64), nan=0, posinf=1e300, neginf=-1e300), -2.0**62, 2.0**62)


def pick(x, index, value):
    """Returns the elements at indices of which -1 is outside."""
    inside = np.all([i >= 0 for i in index], axis=0)
    if x.size == 0:
        return np.full(inside.shape, value)
    return np.where(inside, x[tuple(np.where(inside, i, 0) for i in index)], value)


def interpolated(x, u, kind, modes, value):
    """Returns what elements at a distance below 2 along each axis make, in f64."""
    total = np.zeros(u.shape[1])
    wide = x.astype(np.float64)
    for offsets in itertools.product((-1, 0, 1, 2), repeat=x.ndim):
        weight, index = 1.0, []
        for axis, offset in enumerate(offsets):
            position = near(u[axis])
            i = np.floor(position).astype(np.int64)
            weight = weight * bump(kind, position - i - offset)
            index.append(places(modes[axis], i + offset, x.shape[axis]))
        total += np.where(weight == 0, 0, weight * pick(wide, index, value))
    # A NaN counts where an element is read for it: nothing is in an empty array, or where an axis before is all outside.
    counts = np.full(u.shape[1], x.size > 0)
    taps = range(0, 2) if kind == "linear" else range(-1, 3)
    for axis, n in enumerate(x.shape):
        total[counts & np.isnan(u[axis])] = np.nan
        i = np.floor(near(u[axis])).astype(np.int64)
        counts &= np.any([places(modes[axis], i + offset, n) >= 0 for offset in taps], axis=0)
    return total


def nearest(x, u, modes, value):
    index = []
    for axis in range(x.ndim):
        position = near(u[axis])
        i = np.floor(position).astype(np.int64)
        index.append(places(modes[axis], i + (position - i >= 0.5), x.shape[axis]))
    return pick(x, index, x.dtype.type(value))


def run(kernel, inputs, outputs, *options):
    """Runs a kernel; returns what it makes of the arrays `outputs`."""
    global failures
    words = []
    for name, value in {**inputs, **outputs}.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            value = f"@{folder / name}.npy"
        words.append(f"{name}={value}")
    for name in outputs:
        words += ["-o", f"{name}={folder / name}.out.npy"]
    command = [kernc, "run", str(source), kernel, *words, "-Werror", *options, *sys.argv[3:]]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or "warning" in done.stderr:
        failures += 1
        print(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr}")
        return list(outputs.values())
    return [np.load(folder / f"{name}.out.npy") for name in outputs]


def compare(what, got, want, tolerance=0.0):
    global failures
    with np.errstate(invalid="ignore"):
        off = ~((got == want) | (np.isnan(got) & np.isnan(want)) | (abs(got - want) <= tolerance))
    if off.any():
        failures += 1
        at = np.argwhere(off)[0]
        print(f"{what}: {np.count_nonzero(off)} of {off.size} differ, first at {at}: {got[tuple(at)]}, not {want[tuple(at)]}")


def positions(shape, dtype):
    """Returns positions around the elements of an array: at random, on elements, halfway, and far away."""
    special = [0.0, -0.0, -1e-30, 0.49999997, 0.5, -0.5, -0.50000006, 8388609.0, -8388609.0, 1e30, -1e30, np.inf, -np.inf, np.nan, 2.0**62,
               2.0**63, -2.0**63]
    rows = [np.concatenate([random.uniform(-3 * n - 3, 4 * n + 3, 70), random.uniform(-1, n, 40), random.integers(-3, n + 3, 20) / 2,
                            random.permutation(special)]) for n in shape]
    return np.array(rows).astype(dtype)


KINDS = ("linear", "cubic", "b_spline")
KERNELS = (None, "line", "image", "volume")


def check(x, u, mode, value, *options):
    """Reads an array in one mode in every way; returns the results."""
    n, wide = u.shape[1], np.float64 if np.float64 in (x.dtype, u.dtype) else np.float32
    what = f"{mode} {x.dtype}{list(x.shape)} at {u.dtype} {' '.join(options)}"
    got_near, got = run(KERNELS[x.ndim], {"x": x, "u": u}, {"near": np.zeros(n, x.dtype), "out": np.zeros((3, n), wide)},
                        f"-DMODE={mode}", f"-DVALUE={value}", *options)
    modes = [mode] * x.ndim
    compare(f"nearest {what}", got_near, nearest(x, u, modes, value))
    scale = max(np.abs(x.astype(np.float64)).max(initial=0), abs(value))
    for kind, row in zip(KINDS, got):
        compare(f"{kind} {what}", row, interpolated(x, u, kind, modes, value), 16 * x.ndim * np.finfo(wide).eps * scale)
    return got


def array(shape, dtype):
    if np.issubdtype(dtype, np.integer):
        return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    return random.uniform(-1, 1, shape).astype(dtype)


TYPES = (np.float32, np.float64, np.float16, np.uint8, np.int16, np.uint32, np.int64)
for mode, dtype, extent in zip(itertools.cycle(MODES), TYPES * 2, (7, 1, 2, 1, 1, 1, 4, 1, 6, 8, 0, 0, 40, 2)):
    value = 7 if np.issubdtype(dtype, np.integer) else 0.5
    check(array(extent, dtype), positions((extent,), np.float32 if extent % 2 else np.float64), mode, value)
for mode, shape in zip(MODES, ((5, 3), (1, 4), (3, 0), (2, 6), (6, 1))):
    check(array(shape, np.float32), positions(shape, np.float32), mode, 0.25)

# Lanes and the assertion of every proved guard change no bit.
OPTIONS = ("--lanes=16",), ("--lanes=1", "--guards=shadow"), ("--lanes=32",)
for mode in MODES:
    x, u = array(5, np.int16), positions((5,), np.float32)
    results = [check(x, u, mode, 9, *options).view(np.uint32) for options in OPTIONS]
    for other in results[1:]:
        compare(f"lanes, {mode}", other, results[0])
for mode, options in zip(MODES, itertools.cycle(OPTIONS)):
    check(array((3, 4, 5), np.uint8), positions((3, 4, 5), np.float32), mode, 9, *options)

# Elements that are equal give just that; on elements `linear` and `cubic` give these.
for x, u in ((np.full(9, 0.1, np.float32), random.uniform(-9, 20, (1, 300))), (array(9, np.float32), np.arange(9.0)[None])):
    equal = x[0] == x[1]
    _, got = run("line", {"x": x, "u": u.astype(np.float32)}, {"near": np.zeros(u.size, np.float32), "out": np.zeros((3, u.size), np.float32)})
    for row in got if equal else got[:2]:
        compare("equal elements" if equal else "on elements", row, np.full(u.size, x[0]) if equal else x)

# Complex numbers are two arrays.
x, u = (array(5, np.float64) + 1j * array(5, np.float64)).astype(np.complex64), positions((5,), np.float32)
near_got, got = run("line", {"x": x, "u": u}, {"near": np.zeros(u.size, x.dtype), "out": np.zeros((3, u.size), x.dtype)}, "-DMODE=wrap")
for part in (np.real, np.imag):
    compare("nearest complex", part(near_got), nearest(part(x), u, ["wrap"], 0))
    for kind, row in zip(KINDS, got):
        compare(f"{kind} complex", part(row), interpolated(part(x), u, kind, ["wrap"], 0), 2e-6)

# A view with any strides, a mode for each axis, normalized coordinates.
x, u = array((9, 5), np.float32), random.uniform(-2, 3, (2, 200))
view, p = x[::-2, 1:], np.stack([u[0] * 5 - 0.5, u[1]])
compare("views", *run("views", {"x": x, "u": u}, {"out": np.zeros(200)}), interpolated(view, p, "cubic", ("clamp", "wrap"), 0), 1e-14)

# A mode of one's own that leaves the axis reads `value` there.
x, u = np.array([1, 2, 3], np.int16), np.array([[0, 0.5, 1, 1.5, -4, np.inf]])
near_got, got = run("own_mode", {"x": x, "u": u}, {"near": np.zeros(6, np.int16), "out": np.zeros(6)})
compare("own mode, nearest", near_got, np.array([1, 3, 3, 0, 0, 0]))
compare("own mode", got, np.array([1, 2, 3, 1, -1, -1]))

# An element that is not finite makes NaN of what reads it, also with the weight 0.
x, u = np.array([1, np.nan, 3, np.inf]), np.array([[0, 0.5, 2, 2.5, 3, 9]])
_, got = run("line", {"x": x, "u": u}, {"near": np.zeros(6), "out": np.zeros((3, 6))})
compare("not finite", got[0], np.array([np.nan, np.nan, np.nan, np.inf, np.nan, np.nan]))

# The coefficients solve (c[i - 1] + 4 c[i] + c[i + 1]) / 6 = x[i], where those outside are mirrored.
for n, mode, dtype in zip((0, 1, 2, 3, 100), itertools.cycle(("clamp", "mirror")), itertools.cycle((np.float64, np.float64, np.float32))):
    x = array((n, 3), dtype)
    matrix = 4 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    if n:
        matrix[0, 0] += 1
        matrix[-1, -1] += 1
    c, values = run("filtered", {}, {"x": x, "values": np.zeros((n, 3))}, f"-DMODE={mode}")
    compare(f"prefilter {n}", c, np.linalg.solve(matrix / 6, x), 8 * np.finfo(dtype).eps)
    compare(f"prefiltered {n}", values, x, 8 * np.finfo(dtype).eps)

print(f"interpolate: {failures} failed")
sys.exit(1 if failures else 0)

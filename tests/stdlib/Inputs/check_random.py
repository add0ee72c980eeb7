#!/usr/bin/env python3
"""Checks what the module random makes of the words of Philox: accuracy, exact integers, permutations, whole arrays.

usage: check_random.py KERNC FOLDER [OPTION...]
"""
import itertools
import pathlib
import subprocess
import sys

import numpy as np

from random_oracle import laid_out, normal, pairs, permuted, philox, uniform

here = pathlib.Path(__file__).resolve().parent
KERNC, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
LANES = (["--lanes=1"], ["--lanes=16"], ["--lanes=32", "--guards=shadow"])
failures = 0


def check(condition, message):
    global failures
    if not condition:
        failures += 1
        print(message)


def run(kernel, arrays, scalars, results, *options):
    """Runs a kernel and returns the arrays named `results`."""
    words = [f"{name}={value}" for name, value in scalars.items()]
    for name, value in arrays.items():
        np.save(FOLDER / f"{name}.npy", value)
        words.append(f"{name}=@{FOLDER / name}.npy")
    for name in results:
        words += ["-o", f"{name}={FOLDER / name}.out.npy"]
    command = [KERNC, "run", str(here / "random_kernels.kern"), kernel, *words, "-Werror", *options, *sys.argv[3:]]
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode == 0 and not done.stderr, f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return [np.load(FOLDER / f"{name}.out.npy") for name in results]


def check_accuracy():
    edges = np.array([0, 1, 2, 3, 2**29 - 1, 2**29, 2**29 + 1, 3 << 29, 2**30 - 1, 2**30, 2**31 - 1, 2**31, 0xAAAAAAAA, 0xAAAAAAAB, 0xAAAAAAAC,
                      2**32 - 2, 2**32 - 1] + [1 << k for k in range(32)], np.uint32)
    words = np.concatenate([np.stack(np.meshgrid(edges, edges), 2).reshape(-1, 2), np.random.default_rng(3).integers(0, 2**32, (200000, 2), np.uint32)])
    n = len(words)
    arrays = {"words": words, "single": np.zeros((n, 5), np.float32), "double": np.zeros(n)}
    runs = [run("accurate", arrays, {}, ["single", "double"], *lanes) for lanes in LANES]
    single, double = runs[0]
    check(all(other[0].tobytes() == single.tobytes() for other in runs), "the bits of f32 depend on the lanes")
    # Long doubles: the sine of a whole turn that is rounded to an f64 is not 0.
    first, second = (words[:, k].astype(np.longdouble) for k in (0, 1))
    waiting = -np.log((words[:, 0] | 1).astype(np.longdouble) / 2**32)
    # The angle is taken from the nearest half turn, whose sine is 0 exactly.
    halves = np.rint(second / 2**31)
    angle, sign = (second / 2**31 - halves) * (4 * np.arctan(np.longdouble(1))), 1 - 2 * (halves % 2)
    quarter = words[:, 1] % 2**31 == 2**30
    cosine, sine = np.where(quarter, 0, sign * np.cos(angle)), sign * np.sin(angle)
    radius = np.sqrt(2 * waiting)
    expected = np.stack([waiting, cosine, sine, radius * cosine, radius * sine], 1)
    ulps = np.abs(single - expected) / np.spacing(np.abs(expected).astype(np.float32))
    # A cosine next to a quarter turn is a sine there, so that no error is large beside its value.
    for name, found, limit in zip(("exponential", "cosine", "sine", "normal", "normal"), ulps.max(0), (2, 2.5, 2.5, 4, 4)):
        check(found < limit, f"{name}: the error is {found} ulp, {limit} are allowed")
    u = ((words[:, 1].astype(np.uint64) << np.uint64(32) | words[:, 0]) >> np.uint64(11)) * 2.0**-53
    check(np.allclose(double, -np.log1p(-u), 1e-14, 0), "exponential_f64 is wrong")
    check(np.float32(22.18) < single[:, 0].max() < np.float32(22.19) and single[:, 0].min() == np.float32(2**-32), "the ends of exponential are wrong")


def check_chances():
    words = np.concatenate([[0, 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1], np.random.default_rng(4).integers(0, 2**32, 500)]).astype(np.uint32)
    for (name, dtype), lanes in zip((("f16", np.float16), ("f32", np.float32), ("f64", np.float64)), LANES):
        p = np.array([0, -0.0, -1, 1, 2, np.nan, np.inf, -np.inf, 0.5, 2**-32, 2**-34, 1 - 2.0**-30, 0.3, 0.7], dtype)
        limit = np.nan_to_num(np.rint(p.astype(float) * 2**32), nan=0)
        out, = run("chances", {"words": words, "p": p, "out": np.zeros((p.size, words.size), bool)}, {}, ["out"], f"-DT={name}", *lanes)
        check((out == (words[None] < limit[:, None])).all(), f"bernoulli of {name} is wrong")


def check_integers():
    random = np.random.default_rng(5)
    words = np.concatenate([[[0] * 4, [0xFFFFFFFF] * 4], random.integers(0, 2**32, (300, 4))]).astype(np.uint32)
    first = [int(a) | int(b) << 32 for a, b, _, _ in words]
    wide = [x | int(c) << 64 | int(d) << 96 for x, (_, _, c, d) in zip(first, words)]
    for k, name in enumerate(("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")):
        dtype = np.dtype(f"{name[0]}{int(name[1:]) // 8}")
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        limits = [(0, 1), (least, most), (most - 1, most), (least, least + 7), (3, 100)]
        low, high = (np.array([pair[side] for pair in limits], dtype) for side in (0, 1))
        out, = run("ranges", {"words": words, "low": low, "high": high, "out": np.zeros((2, low.size, len(words)), dtype)}, {}, ["out"],
                   f"-DT={name}", *LANES[k % 3])
        expected = [[[a + (x * (b - a) >> bits) for x in source] for a, b in limits] for source, bits in ((first, 64), (wide, 128))]
        check(out.tolist() == expected, f"integers of {name} are wrong")


def deviation(counts):
    """How far the chi-square of counts that should be equal is from its mean, in standard deviations."""
    expected, freedom = counts.mean(), counts.size - 1
    return (((counts - expected)**2 / expected).sum() - freedom) / np.sqrt(2 * freedom)


def orders(seeds, n, *options):
    out, = run("orders", {"seeds": np.array(seeds, np.uint64), "out": np.zeros((len(seeds), n), np.int64)}, {"n": n}, ["out"], "--grid", "64", *options)
    check((np.sort(out, 1) == np.arange(n)).all(), f"an order of {n} elements is none")
    return out


def check_permutation():
    for k, n in enumerate((1, 2, 3, 5, 9, 16, 31, 1000, 4096, 4097)):
        found = orders([0, 1, 2**64 - 1], n, *LANES[k % 3])
        places = range(0, n, n // 16 + 1)
        check((found[2, places] == permuted(places, n, 2**64 - 1)).all(), f"the order of {n} elements is another")
    for n in (2**32, 2**32 + 1, 2**40 + 12345, 2**63 - 1):
        places = [0, 1, 2, n // 3, n - 2, n - 1]
        out, = run("elements", {"places": np.array(places), "out": np.zeros(6, np.int64)}, {"n": n, "seed": 7}, ["out"])
        check((out == permuted(places, n, 7)).all(), f"elements of the order of {n} are wrong")
    # Every order is as frequent as any other.
    for n in (2, 3, 4, 5):
        found = orders(np.arange(60000), n)
        counts = np.array([(found == order).all(1).sum() for order in itertools.permutations(range(n))])
        check(deviation(counts) < 4, f"the orders of {n} elements are not equally frequent: {deviation(counts)}")
    # Every element comes to every place, every distance between neighbours is as frequent, one element stays on average.
    found = orders(np.arange(20000), 30)
    places = np.stack([np.bincount(found[:, i], minlength=30) for i in range(30)])
    steps = np.bincount((np.diff(found, axis=1) % 30).ravel(), minlength=30)[1:]
    stay = (found == np.arange(30)).sum(1)
    check(deviation(places) < 4 and deviation(steps) < 4, f"places {deviation(places)}, steps {deviation(steps)}")
    check(abs(stay.mean() - 1) < 0.03 and abs(stay.var() - 1) < 0.07, f"elements that stay: {stay.mean()}, {stay.var()}")


def filled(kernel, dtype, n, seed, scalars, *options):
    """Fills each third element of an array and returns these; the others must stay zeros."""
    out, = run(kernel, {"out": np.zeros(3 * n + 1 if n else 0, dtype)}, {"seed": seed, **scalars}, ["out"], *options)
    rest = np.delete(out, np.arange(1, out.size - 1, 3))
    check(not rest.any(), f"{kernel} wrote where nothing was to be filled")
    return out[1:-1:3]


def check_fill():
    seed, most = 2**63 + 5, 1000
    words = philox(seed, np.arange(1024))
    four, two = np.stack(words, 1), pairs(words)
    single, double = np.dtype(np.float32), np.dtype(np.float64)
    wide = [int(x) | int(y) << 64 for x, y in two]
    # Each kernel with its type: the numbers of each call.
    cases = {("bits_of", "u32"): four.astype(np.uint32), ("bits_of", "u64"): two,
             ("uniforms", "f32"): uniform(single, words).astype(single), ("uniforms", "f64"): uniform(double, words),
             ("wholes", "i8"): np.array([[-100 + (int(x) * 200 >> 64) for x in row] for row in two], np.int8),
             ("wholes", "i64"): np.array([[-100 + (x * 200 >> 128)] for x in wide]),
             ("flips", "f32"): four < 0.25 * 2**32}
    launches = itertools.cycle(itertools.product((1, 3, 40), (32, 96, 256)))
    for k, ((kernel, name), numbers) in enumerate(cases.items()):
        scalars = {"wholes": {"low": -100, "high": 100}, "flips": {"p": 0.25}}.get(kernel, {})
        for n in (0, 1, 32 * numbers.shape[1] + 1, most):
            grid, block = next(launches)
            found = filled(kernel, numbers.dtype, n, seed, scalars, f"-DT={name}", "--grid", f"{grid}", "--block", f"{block}", *LANES[(k + n) % 3])
            check((found == laid_out(numbers, n)).all(), f"{kernel} of {name} is wrong for {n} elements in {grid} blocks of {block}")
    found = filled("normals", np.float32, most, seed, {}, "-DT=f32", "--grid", "2")
    check(np.allclose(found, laid_out(normal(single, words), most), 1e-6, 1e-6), "normals of f32 are wrong")
    check(found.tobytes() == filled("normals", np.float32, most, seed, {}, "-DT=f32", "--grid", "5", "--block", "64", "--lanes=1").tobytes(),
          "normals of f32 depend on the launch")
    found = filled("normals", np.float64, most, seed, {}, "-DT=f64", "--grid", "2")
    check(np.allclose(found, laid_out(normal(double, words), most), 1e-12, 1e-12), "normals of f64 are wrong")
    # Moments of many, within five standard deviations.
    many = filled("normals", np.float32, 10**6, 1, {}, "-DT=f32", "--grid", "64").astype(float)
    for power, moment, spread in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)):
        found = (many**power).mean()
        check(abs(found - moment) < 5 * np.sqrt(spread / many.size), f"moment {power} of normals is {found}")


FOLDER.mkdir(parents=True, exist_ok=True)
check_accuracy()
check_chances()
check_integers()
check_permutation()
check_fill()
print(f"random: {failures} failed")
sys.exit(1 if failures else 0)

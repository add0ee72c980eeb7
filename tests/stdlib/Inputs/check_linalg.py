#!/usr/bin/env python3
"""Checks `linalg` against NumPy in f64, by residuals in units of eps.

usage: check_linalg.py KERNC FOLDER
"""
import fractions
import functools
import pathlib
import sys

import numpy as np

import small_matrices as small
from small_matrices import check, size

COUNT = 50


def vectors(run, random, n, dtype, eps):
    a, b = (random.normal(size=(COUNT, n)).astype(dtype) for _ in range(2))
    a[0], a[1], a[2, 1] = 0, -0.0, np.nan
    dots, unit, normal = run("vectors", {"a": a, "b": b}, {
        "dots": np.zeros((COUNT, 4), dtype), "unit": np.zeros_like(a), "normal": np.zeros((COUNT, 3), dtype)})
    check("of length 0 or NaN", [np.array_equal(unit[k], a[k].astype(np.float64), equal_nan=True) for k in range(3)])
    check("a signed zero", np.signbit(unit[1]))
    check("the length NaN", np.isnan(dots[2, 1:3]))
    a, b, unit, dots, normal = (x[3:].astype(np.float64) for x in (a, b, unit, dots, normal))
    length = size(a)
    check("dot", np.abs(dots[:, 0] - (a * b).sum(1)) <= n * eps * (np.abs(a) * np.abs(b)).sum(1))
    check("dot of tuples", np.abs(dots[:, 3] - (a[:, :2] * unit[:, :2]).sum(1)) <= 4 * eps * length)
    check("norm", np.abs(dots[:, 1] - length) <= n * eps * length)
    check("length of normalize", dots[:, 1] == dots[:, 2])
    check("normalize", np.abs(unit * length[:, None] - a).max(1) <= n * eps * length)
    third = np.concatenate([unit[:, :1], a[:, 1:2], np.full_like(a[:, :1], 2)], 1)
    check("cross", np.abs(normal - np.cross(third, b[:, :3])).max(1) <= 4 * eps * size(third) * size(b[:, :3]))


def products(run, random, n, dtype, eps):
    a, b = (random.normal(size=(COUNT, n, n + 1)).astype(dtype) for _ in range(2))
    x = random.normal(size=(COUNT, n + 1)).astype(dtype)
    ab, ax = run("products", {"a": a, "b": b, "x": x}, {"ab": np.zeros((COUNT, n, n), dtype), "ax": np.zeros((COUNT, n), dtype)})
    a, b, x = (each.astype(np.float64) for each in (a, b.transpose(0, 2, 1), x[:, :, None]))
    check("matmul", np.abs(ab - a @ b) <= (n + 1) * eps * (np.abs(a) @ np.abs(b)))
    check("matvec", np.abs(ax - (a @ x)[:, :, 0]) <= (n + 1) * eps * (np.abs(a) @ np.abs(x))[:, :, 0])


def exact_determinant(a):
    """Returns the determinant of a matrix of floats: NumPy's is the exponential of a logarithm, and off by as many eps as that is long."""
    rows = [[fractions.Fraction(x) for x in row] for row in a.tolist()]
    product = fractions.Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), k)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            product = -product
        product *= rows[k][k]
        for row in rows[k + 1:]:
            factor = row[k] / rows[k][k]
            row[k:] = [x - factor * y for x, y in zip(row[k:], rows[k][k:])]
    return float(product)


def systems(run, random, n, dtype, eps):
    regular, singular, not_finite = small.regular(random, n, dtype), small.singular(n, dtype), small.not_finite(n, dtype)
    a = np.concatenate([regular, singular, not_finite])
    b = random.normal(size=(len(a), n)).astype(dtype)
    zeros = np.zeros(len(a), bool)
    x, solved = run("systems", {"a": a, "b": b}, {"x": np.zeros_like(b), "ok": zeros})
    inverse, inverted = run("inverses", {"a": a}, {"inverse": np.zeros_like(a), "ok": zeros})
    d, = run("determinants", {"a": a}, {"d": np.zeros(len(a), dtype)})
    factors, pivots, y, factored = run("lu", {"a": a, "b": b}, {
        "factors": np.zeros_like(a), "pivots": np.zeros((len(a), n), np.int32), "x": np.zeros_like(b), "ok": zeros})
    two, = run("two_sides", {"a": a, "b": b}, {"x": np.zeros((len(a), n, 2), dtype)})
    count = len(regular)
    is_regular = np.arange(len(a)) < count
    check("solve says", solved == is_regular)
    check("inv says", inverted == is_regular)
    check("lu_factor says", factored == is_regular)
    check("det of singular", d[count:count + len(singular)] == 0)
    check("det of NaN", np.isnan(d[count + len(singular):]))
    check("lu_solve of two columns", two[:count, :, 0] == y[:count])
    a, b, x, y, inverse, d, factors, pivots, two = (each[:count].astype(np.float64) for each in (a, b, x, y, inverse, d, factors, pivots, two))
    bound = 8 * n * eps * size(a)
    check("solve", size(np.einsum("kij,kj->ki", a, x) - b) <= bound * size(x))
    check("lu_solve", size(np.einsum("kij,kj->ki", a, y) - b) <= bound * size(y))
    check("lu_solve of ones", size(np.einsum("kij,kj->ki", a, two[:, :, 1]) - 1) <= bound * size(two[:, :, 1]))
    check("inv", size(a @ inverse - np.eye(n)) <= bound * size(inverse))
    lower, upper = np.tril(factors, -1) + np.eye(n), np.triu(factors)
    permuted = a.copy()
    for k in range(n):
        rows = pivots[:, k].astype(int)
        assert np.all((rows >= k) & (rows < n))
        every = np.arange(count)
        permuted[every, k], permuted[every, rows] = permuted[every, rows], permuted[every, k].copy()
    check("lu_factor", size(lower @ upper - permuted) <= 2 * n * eps * size(a))
    check("partial pivoting", np.abs(lower).max((1, 2)) <= 1)
    # Each of the n factors of the determinant is off by some eps of the longest it could be. Beyond the range it is infinite or 0.
    most = np.prod(np.sqrt((a * a).sum(2)), 1)
    within = (most < np.finfo(dtype).max) & (most > np.finfo(dtype).tiny / eps)
    exact = np.array([exact_determinant(each) if fine else 0 for each, fine in zip(a, within)])
    check("det", np.abs(d - exact)[within] <= 8 * n * eps * most[within])


def definite(run, random, n, dtype, eps):
    roots = small.regular(random, n, np.float64)
    roots = roots[np.linalg.cond(roots) < 0.01 / np.sqrt(eps)]
    roots = roots[(size(roots) < 1e10) & (size(roots) > 1e-10)]
    positive = (roots @ roots.transpose(0, 2, 1)).astype(dtype)
    eye = np.eye(n)
    others = [small.singular(n, dtype)[[0, 3, 4]], small.not_finite(n, dtype), -positive[:5], (eye - 2 * eye[-1] * eye[-1:].T)[None]]
    if n > 1:
        others.append((np.ones((1, n, n)) - 2 * eye * (np.arange(n) == n - 1)))
    a = np.concatenate([positive, *others]).astype(dtype)
    count = len(positive)
    # Above the diagonal nothing is read.
    a += np.triu(np.full((n, n), np.nan), 1).astype(dtype) if n > 1 else 0
    b = random.normal(size=(len(a), n)).astype(dtype)
    factors, x, ok = run("definite", {"a": a, "b": b}, {"factors": np.zeros_like(a), "x": np.zeros_like(b), "ok": np.zeros(len(a), bool)})
    check("cholesky says", ok == (np.arange(len(a)) < count))
    factors, x, b, a = (each[:count].astype(np.float64) for each in (factors, x, b, positive))
    check("above the diagonal", np.triu(factors, 1) == 0)
    check("cholesky", size(factors @ factors.transpose(0, 2, 1) - a) <= 2 * n * eps * size(a))
    check("cholesky_solve", size(np.einsum("kij,kj->ki", a, x) - b) <= 8 * n * eps * size(a) * size(x))


def in_place(run, random, n, dtype, eps):
    a, b = random.normal(size=(20, n, n)).astype(dtype), random.normal(size=(20, n, 3)).astype(dtype)
    x, ok = run("in_place", {"a": a}, {"b": b, "ok": np.zeros(20, bool)})
    a, b = a.astype(np.float64).transpose(0, 2, 1), b.astype(np.float64)
    check("solve in place says", ok)
    check("solve in place", size(a @ x - b) <= 8 * n * eps * size(a) * size(x))


kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for n, dtype, options in ((1, np.float64, ["-O0"]), (2, np.float32, ["--lanes=1"]), (3, np.float32, ["--lanes=16"]), (4, np.float64, ["--guards=shadow", "-O0"]),
                          (6, np.float64, ["--lanes=32"])):
    run = functools.partial(small.run, kernc, "linalg_kernels.kern", folder, [f"-DN={n}", f"-DT=f{8 * dtype().itemsize}", *options])
    for part in (vectors, products, systems, definite, in_place):
        if part is not vectors or n >= 3:
            small.label = f"{n} {dtype.__name__} {' '.join(options)}"
            part(run, np.random.default_rng(n), n, dtype, np.finfo(dtype).eps)
print(f"linalg: {small.failures} failed")
sys.exit(1 if small.failures else 0)

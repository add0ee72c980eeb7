#!/usr/bin/env python3
"""Checks `jacobi` against NumPy in f64, by residuals in units of eps.

usage: check_jacobi.py KERNC FOLDER
"""
import functools
import pathlib
import sys

import numpy as np

import small_matrices as small
from small_matrices import check, size


def transposed(a):
    return a.transpose(0, 2, 1)


def not_orthonormal(a):
    return size(transposed(a) @ a - np.eye(a.shape[2]))


def symmetric_matrices(random, n, dtype):
    """Returns matrices with given eigenvalues, repeated, zero and of both signs, and diagonal, singular, graded, large and small ones."""
    q = small.orthogonal(random, 40, n)
    values = random.integers(-2, 3, (40, n))
    ones = np.ones((n, n))
    wide = np.geomspace(1, 1e-8 if dtype == np.float32 else 1e-30, n)
    graded = wide[:, None] * wide * (np.eye(n) + 0.25)
    a = random.normal(size=(40, n, n))
    parts = [a + transposed(a), q * values[:, None] @ transposed(q), np.diag(wide)[None], np.zeros((1, n, n)),
             ones[None], 1e-30 * ones[None], graded[None], graded[None, ::-1, ::-1], (1 - np.eye(n))[None]]
    a = np.concatenate(parts).astype(dtype)
    return np.tril(a) + transposed(np.tril(a, -1))


def symmetric(run, random, n, dtype, eps):
    regular = symmetric_matrices(random, n, dtype)
    a = np.concatenate([regular, small.not_finite(n, dtype)])
    # Above the diagonal nothing is read.
    given = (a + np.triu(np.full((n, n), np.nan), 1).astype(dtype)) if n > 1 else a
    w, v, ok = run("symmetric", {"a": given}, {"w": np.zeros((len(a), n), dtype), "v": np.zeros_like(a), "ok": np.zeros(len(a), bool)})
    count = len(regular)
    check("eigh says", ok == (np.arange(len(a)) < count))
    a, w, v = (each[:count].astype(np.float64) for each in (a, w, v))
    exact = np.linalg.eigvalsh(a)
    check("eigenvalues", np.abs(w - exact).max(1) <= 4 * n * eps * size(a))
    check("ascending", np.diff(w, axis=1) >= 0)
    check("eigenvectors", not_orthonormal(v) <= 8 * n * eps)
    check("a v = v w", size(a @ v - v * w[:, None]) <= 8 * n * eps * size(a))
    # The graded matrices are w D (1 + 0.25) D with a well conditioned middle: each eigenvalue has its own digits.
    small_first = np.abs(w[-3:-1] - w[-2][None]) <= 32 * n * eps * np.abs(w[-2])
    check("graded", small_first.all(1) & (w[-3:-1] > 0).all(1))


def singular(run, random, n, dtype, eps, m):
    tall = np.zeros((m, n))
    parts = [random.normal(size=(40, m, n))]
    values = np.sort(random.integers(0, 3, (40, n)), axis=1)
    parts.append(np.linalg.qr(random.normal(size=(40, m, n)))[0] * values[:, None] @ small.orthogonal(random, 40, n))
    parts.append(random.integers(-1, 2, (40, m, n)))
    tall[:n] = np.eye(n)
    reflection = tall - 2 * tall[:, :1] @ np.eye(n)[:1]
    far = 1e38 if dtype == np.float32 else 1e300
    column = random.normal(size=(m, 1)) * np.ones((1, n))
    wide = np.geomspace(1, 1e-30, n)
    parts.append(np.stack([0 * tall, tall, -tall, tall[::-1], reflection, np.ones((m, n)), column, column.round(), tall * wide, tall[:, ::-1] * wide,
                           far * tall, 0.1 * far * np.ones((m, n)), tall / far, np.full((m, n), 5e-324 if dtype == np.float64 else 1e-45)]))
    regular = np.concatenate(parts).astype(dtype)
    wrong = np.zeros((3, m, n), dtype)
    wrong[0, 0, 0], wrong[1, m - 1, n - 1], wrong[2, 0, n - 1] = np.nan, np.inf, -np.inf
    a = np.concatenate([regular, wrong])
    u, s, v, ok = run("singular", {"a": a}, {"u": np.zeros_like(a), "s": np.zeros((len(a), n), dtype), "v": np.zeros((len(a), n, n), dtype),
                                             "ok": np.zeros(len(a), bool)})
    count = len(regular)
    check("svd says", ok == (np.arange(len(a)) < count))
    a, u, s, v = (each[:count].astype(np.float64) for each in (a, u, s, v))
    scale = np.where(np.abs(a).max((1, 2)) > 0, np.abs(a).max((1, 2)), 1)
    a, s = a / scale[:, None, None], s / scale[:, None]
    # A number without all its digits is the least that a singular value of tiny ones is off by.
    least = np.finfo(dtype).smallest_subnormal / scale
    exact = np.linalg.svd(a, compute_uv=False)
    check("singular values", np.abs(s - exact).max(1) <= 4 * m * eps * size(a) + least)
    check("descending", (np.diff(s, axis=1) <= 0).all(1) & (s >= 0).all(1))
    check("u", not_orthonormal(u) <= 8 * m * eps)
    check("v", not_orthonormal(v) <= 8 * m * eps)
    check("u s v", size(u * s[:, None] @ transposed(v) - a) <= 8 * m * eps * size(a) + n * least)


kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for m, n, dtype, options in ((1, 1, np.float64, ["-O0"]), (2, 2, np.float32, ["--lanes=1"]), (3, 3, np.float32, ["--lanes=16"]), (3, 3, np.float64, ["--lanes=32"]),
                             (5, 4, np.float32, ["--guards=shadow", "-O0"]), (6, 6, np.float64, [])):
    run = functools.partial(small.run, kernc, "jacobi_kernels.kern", folder, [f"-DM={m}", f"-DN={n}", f"-DT=f{8 * dtype().itemsize}", *options])
    small.label = f"{m} {n} {dtype.__name__} {' '.join(options)}"
    eps = np.finfo(dtype).eps
    symmetric(run, np.random.default_rng(n), n, dtype, eps)
    singular(run, np.random.default_rng(m), n, dtype, eps, m)
print(f"jacobi: {small.failures} failed")
sys.exit(1 if small.failures else 0)

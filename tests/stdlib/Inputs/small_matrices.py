"""Matrices that are hard for the checks of `linalg` and `jacobi`, and how these run kernels and count what failed."""
import pathlib
import subprocess
import sys

import numpy as np

here = pathlib.Path(__file__).resolve().parent
label = ""
failures = 0
extra = sys.argv[3:]


def check(name, is_right):
    global failures
    if not np.all(is_right):
        failures += 1
        wrong = np.flatnonzero(~np.atleast_1d(is_right))
        print(f"{label} {name}: wrong for {wrong[:8]} of {np.size(is_right)}")


def run(kernc, file, folder, options, kernel, inputs, outputs):
    """Runs a kernel; returns the arrays of `outputs` after it."""
    words = []
    for name, value in {**inputs, **outputs}.items():
        np.save(folder / f"{name}.npy", value)
        words.append(f"{name}=@{folder / name}.npy")
    for name in outputs:
        words += ["-o", f"{name}={folder / name}.out.npy"]
    command = [kernc, "run", str(here / file), kernel, *words, "-Werror", *options, *extra]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or done.stderr:
        raise SystemExit(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return [np.load(folder / f"{name}.out.npy") for name in outputs]


def size(a):
    """Returns the Frobenius norms of matrices or vectors; of NaN infinity, which no bound admits."""
    norms = np.sqrt(np.sum(np.abs(a.reshape(len(a), -1)) ** 2, axis=1))
    return np.where(np.isnan(norms), np.inf, norms)


def orthogonal(random, count, n):
    return np.linalg.qr(random.normal(size=(count, n, n)))[0]


def of_singular_values(random, values):
    """Returns matrices with the singular values of each row."""
    count, n = values.shape
    return orthogonal(random, count, n) * values[:, None, :] @ orthogonal(random, count, n)


def regular(random, n, dtype):
    """Returns matrices that have inverses, up to the condition 1/eps: random, orthogonal, permuted, graded, of large and small numbers."""
    eps = np.finfo(dtype).eps
    eye = np.eye(n)
    far = 1e12 if dtype == np.float32 else 1e40
    exact = [eye, -eye, eye[::-1], np.roll(eye, 1, 0), np.tril(np.ones((n, n))), np.triu(np.ones((n, n))) - 2 * eye,
             1 / (np.arange(n)[:, None] + np.arange(n) + 1) + eye]
    parts = [random.normal(size=(40, n, n)), orthogonal(random, 10, n), np.stack(exact), far * random.normal(size=(5, n, n)),
             random.normal(size=(5, n, n)) / far]
    if n > 1:
        parts.append(of_singular_values(random, np.geomspace(1, 16 * eps, n) * np.ones((10, 1))))
    return np.concatenate(parts).astype(dtype)


def singular(n, dtype):
    """Returns matrices that are singular without rounding."""
    ones = np.ones((n, n)) if n > 1 else np.zeros((1, 1))
    column, row = np.eye(n), np.eye(n)
    column[:, n // 2] = 0
    row[-1] = 0
    return np.stack([np.zeros((n, n)), ones, -2 * ones, column, row]).astype(dtype)


def not_finite(n, dtype):
    """Returns matrices with a NaN or an infinity."""
    a = np.eye(n) + np.zeros((4, n, n))
    a[2] = 0
    a[0, 0, 0] = a[1, n - 1, n - 1] = a[2, n - 1, 0] = np.nan
    a[3] = np.nan
    return a.astype(dtype)

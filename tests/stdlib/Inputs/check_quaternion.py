#!/usr/bin/env python3
"""Checks `quaternion` against matrices of complex numbers and rotations in f64.

usage: check_quaternion.py KERNC FOLDER
"""
import functools
import pathlib
import sys

import numpy as np

import small_matrices as small
from small_matrices import check

COUNT = 200


def wide(*arrays):
    return [each.astype(np.float64) for each in arrays]


def as_matrix(q):
    """Returns the complex matrices (2, 2) whose products are those of quaternions."""
    x, y, z, w = q.T
    return np.stack([np.stack([w - 1j * z, y + 1j * x], 1), np.stack([-y + 1j * x, w + 1j * z], 1)], 1)


def rodrigues(axis, angle):
    """Returns the matrices of rotations around unit axes."""
    x, y, z = axis.T
    zero = np.zeros_like(x)
    k = np.stack([np.stack([zero, -z, y], 1), np.stack([z, zero, -x], 1), np.stack([-y, x, zero], 1)], 1)
    return np.eye(3) + np.sin(angle)[:, None, None] * k + (1 - np.cos(angle))[:, None, None] * (k @ k)


def units(random, count):
    q = random.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def algebra(run, random, dtype, eps):
    p, q = (random.normal(size=(COUNT, 4)).astype(dtype) for _ in range(2))
    v = random.normal(size=(COUNT, 3)).astype(dtype)
    p[:8] = np.concatenate([np.eye(4), -np.eye(4)])
    q[:8] = np.eye(4)[[1, 2, 0, 3, 2, 1, 0, 3]]
    product, opposite, unit, turned = run("algebra", {"p": p, "q": q, "v": v}, {
        "product": np.zeros_like(p), "opposite": np.zeros_like(p), "unit": np.zeros_like(p), "turned": np.zeros_like(v)})
    check("conjugate", opposite == p * np.array([-1, -1, -1, 1], dtype))
    p, q, v, product, unit, turned = wide(p, q, v, product, unit, turned)
    length = np.linalg.norm(p, axis=1)
    check("multiply", np.abs(as_matrix(product) - as_matrix(p) @ as_matrix(q)).max((1, 2)) <= 8 * eps * length * np.linalg.norm(q, axis=1))
    check("normalize", np.abs(unit - p / length[:, None]).max(1) <= 4 * eps)
    sine = np.linalg.norm(unit[:, :3], axis=1)
    axis = unit[:, :3] / np.where(sine > 0, sine, 1)[:, None]
    expected = rodrigues(axis, 2 * np.arctan2(sine, unit[:, 3])) @ v[:, :, None]
    check("rotate", np.abs(turned - expected[:, :, 0]).max(1) <= 16 * eps * np.linalg.norm(v, axis=1))


def matrices(run, random, dtype, eps):
    axis = random.normal(size=(COUNT, 3))
    axis[:6] = np.concatenate([np.eye(3), -np.eye(3)])
    axis = (axis / np.linalg.norm(axis, axis=1)[:, None]).astype(dtype)
    angle = random.uniform(-7, 7, COUNT).astype(dtype)
    angle[:20] = np.pi
    angle[20:30] = 0
    angle[30:40] = 1e-6
    q, m, back = run("matrices", {"axis": axis, "angle": angle}, {
        "q": np.zeros((COUNT, 4), dtype), "m": np.zeros((COUNT, 3, 3), dtype), "back": np.zeros((COUNT, 4), dtype)})
    axis, angle, q, m, back = wide(axis, angle, q, m, back)
    check("from_axis_angle", np.abs(q - np.concatenate([axis * np.sin(angle / 2)[:, None], np.cos(angle / 2)[:, None]], 1)).max(1) <= 8 * eps)
    check("to_matrix", np.abs(m - rodrigues(axis, angle)).max((1, 2)) <= 16 * eps)
    check("from_matrix", np.minimum(np.abs(back - q).max(1), np.abs(back + q).max(1)) <= 16 * eps)


def between(run, random, dtype, eps):
    p, q = units(random, COUNT), units(random, COUNT)
    t = random.uniform(0, 1, COUNT)
    t[:40] = np.arange(40) % 3 / 2
    q[40:50], q[50:60] = p[40:50], -p[50:60]
    q[60:80] = p[60:80] + np.geomspace(1e-12, 1e-2, 20)[:, None] * q[60:80]
    q[80:90] = np.stack([-p[80:90, 1], p[80:90, 0], -p[80:90, 3], p[80:90, 2]], 1)
    q /= np.linalg.norm(q, axis=1)[:, None]
    p, q, t = (each.astype(dtype) for each in (p, q, t))
    out, = run("between", {"p": p, "q": q, "t": t}, {"out": np.zeros_like(p)})
    p, q, t, out = wide(p, q, t, out)
    # At right angles rounding decides which of two ways is the shorter one.
    cosine = (p * q).sum(1)
    best = np.full(COUNT, np.inf)
    for side in (1, -1):
        end = side * q
        angle = 2 * np.arctan2(np.linalg.norm(p - end, axis=1), np.linalg.norm(p + end, axis=1))
        sine = np.where(np.sin(angle) > 0, np.sin(angle), 1)
        a = np.where(np.sin(angle) > 0, np.sin((1 - t) * angle) / sine, 1)
        b = np.where(np.sin(angle) > 0, np.sin(t * angle) / sine, 0)
        error = np.abs(out - a[:, None] * p - b[:, None] * end).max(1)
        best = np.where(side * cosine >= -eps, np.minimum(best, error), best)
    check("slerp", best <= 16 * eps)
    check("the length of slerp", np.abs(np.linalg.norm(out, axis=1) - 1) <= 16 * eps)


kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for dtype, options in ((np.float32, ["--lanes=1"]), (np.float32, ["--lanes=16"]), (np.float64, ["--lanes=32"]), (np.float64, ["--guards=shadow"])):
    run = functools.partial(small.run, kernc, "quaternion_kernels.kern", folder, [f"-DT=f{8 * dtype().itemsize}", *options])
    small.label = f"{dtype.__name__} {' '.join(options)}"
    for part in (algebra, matrices, between):
        part(run, np.random.default_rng(3), dtype, np.finfo(dtype).eps)
print(f"quaternion: {small.failures} failed")
sys.exit(1 if small.failures else 0)

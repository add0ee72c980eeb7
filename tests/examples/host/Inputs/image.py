#!/usr/bin/env python3
"""The picture of the image pipeline, and what must come out of it, in NumPy.

usage: image.py make PHOTO.png | image.py check EDGES.npy
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "examples"))
import reference

height, width = 61, 83


def weighted(array, weights, axis):
    """Returns the sums over windows along an axis, which gets shorter by the window less one."""
    count = array.shape[axis] - len(weights) + 1
    return sum(weight * np.take(array, range(k, k + count), axis) for k, weight in enumerate(weights))


def edges():
    photo = np.pad(reference.picture(height, width).astype(np.int64), ((2, 2), (2, 2), (0, 0)), "edge")
    blurred = (weighted(weighted(photo, (1, 4, 6, 4, 1), 0), (1, 4, 6, 4, 1), 1) + 128) // 256
    green = blurred[:, :, 1]
    gx = weighted(weighted(green, (1, 2, 1), 0), (-1, 0, 1), 1)
    gy = weighted(weighted(green, (1, 2, 1), 1), (-1, 0, 1), 0)
    result = np.zeros((height, width), np.uint8)
    result[1:-1, 1:-1] = np.minimum(np.sqrt(gx * gx + gy * gy), 255)
    return result


what, path = sys.argv[1:]
if what == "make":
    reference.write_png(pathlib.Path(path), reference.picture(height, width))
else:
    found = np.load(path)
    assert found.shape == (height, width) and (found == edges()).all(), f"{(found != edges()).sum()} pixels differ"
    assert found.max() > 50, "a picture without edges shows nothing"

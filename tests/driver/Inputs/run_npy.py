"""Copies arrays of every dtype and order through `kernc run`."""
import pathlib
import subprocess
import sys

import numpy as np

kernc, source, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(exist_ok=True)
values = np.random.default_rng(1).integers(0, 100, (5, 7))
for dtype in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
    for order in "CF":
        for kernel, x in (("copy_2d", values), ("copy", values[0])):
            x = np.array(x, dtype, order=order)
            np.save(folder / "x.npy", x)
            subprocess.run([kernc, "run", source, kernel, f"x=@{folder}/x.npy", "y=like:x", "-o", f"y={folder}/y.npy"], check=True)
            y = np.load(folder / "y.npy")
            assert y.dtype == x.dtype and np.array_equal(x, y), (dtype, order, kernel)

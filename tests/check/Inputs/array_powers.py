#!/usr/bin/env python3
"""Squares, roots and reciprocals of complex arrays at the top level of a file are NumPy's, bit for bit.

usage: array_powers.py KERNC FOLDER
"""
import pathlib
import subprocess
import sys

import numpy

VALUES = [1 + 0j, 1j, -2 + 0j, 3 - 4j, -0.0 - 1e-3j]
POWERS = 2, 0.5, -1
KERNEL = """
@cuda.jit("void(complex128[:, :], complex64[:, :])")
def k(o, p):
    i = cuda.grid(1)
    if i < X.size:
"""


def main(kernc, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    draw = numpy.random.default_rng(5)
    values = VALUES + [complex(*draw.normal(size=2) * 10.0 ** draw.integers(-3, 4, 2)) for _ in range(60)]
    text = "import numpy as np\nfrom numba import cuda\nX = np.array([" + ", ".join(f"complex({v.real!r}, {v.imag!r})" for v in values) + "])\nY = X.astype(np.complex64)\n"
    text += "".join(f"{array}{row} = {array} ** {power}\n" for array in "XY" for row, power in enumerate(POWERS)) + KERNEL
    text += "".join(f"        {out}[{row}, i] = {array}{row}[i]\n" for array, out in (("X", "o"), ("Y", "p")) for row in range(len(POWERS)))
    (folder / "k.py").write_text(text)
    shape = f"{len(POWERS)}x{len(values)}"
    subprocess.run([kernc, "run", "k.py", "k", f"o=zeros:c128:{shape}", f"p=zeros:c64:{shape}", f"--over={len(values)}", "-o", "o=o.npy", "-o", "p=p.npy"], cwd=folder, check=True)
    wrong = 0
    for name, array in (("o", numpy.array(values)), ("p", numpy.array(values).astype(numpy.complex64))):
        for power, row in zip(POWERS, numpy.load(folder / f"{name}.npy")):
            different = [value for value, ours, theirs in zip(array, row, array ** power) if ours.tobytes() != theirs.tobytes()]
            wrong += len(different)
            if different:
                print(f"{array.dtype} ** {power}: {len(different)} differ, first of {different[0]}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

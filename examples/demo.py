#!/usr/bin/env python3
"""`./dev demo`: draws the Mandelbrot set, finds the edges of a picture and multiplies matrices, all on the CPU.

usage: demo.py KERNC FOLDER
"""
import pathlib
import subprocess
import sys
import time

import numpy as np

import reference

here = pathlib.Path(__file__).resolve().parent


def run(kernc, example, *args):
    """Runs an example; returns the seconds that took, compiling included."""
    command = [kernc, "run", str(here / example), *args]
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"demo: failed with exit code {done.returncode}: {' '.join(command)}")
    return seconds


def main(kernc, folder):
    out = pathlib.Path(folder)
    out.mkdir(exist_ok=True)

    seconds = run(kernc, "mandelbrot.kern", "mandelbrot", "image=zeros:u8:1200x1600x3", "left=-2.25", "top=-1.2",
                  "step=0.002", "limit=400", "-o", f"image={out}/mandelbrot.png")
    print(f"mandelbrot  1600 x 1200 points, at most 400 steps each     {seconds:6.2f} s   {out}/mandelbrot.png")

    photo = reference.picture(960, 1280)
    reference.write_png(out / "photo.png", photo)
    reference.write_png(out / "grey.png", photo.mean(-1).astype(np.uint8))
    seconds = run(kernc, "sobel.kern", f"src=@{out}/grey.png", "dst=like:src", "-o", f"dst={out}/edges.png")
    print(f"sobel       the edges of a picture of 1280 x 960           {seconds:6.2f} s   {out}/edges.png")
    seconds = run(kernc, "gaussian_blur.kern", f"src=@{out}/photo.png", "dst=like:src", "-o", f"dst={out}/blurred.png")
    print(f"blur        the same picture, in colour                    {seconds:6.2f} s   {out}/blurred.png")

    n = 1024
    a, b = reference.uniform(n, n, seed=1), reference.uniform(n, n, seed=2)
    np.save(out / "A.npy", a)
    np.save(out / "B.npy", b)
    seconds = run(kernc, "matmul.kern", f"A=@{out}/A.npy", f"B=@{out}/B.npy", f"C=zeros:f32:{n}x{n}", "-o", f"C={out}/C.npy")
    error = np.abs(np.load(out / "C.npy") - a @ b).max()
    print(f"matmul      {n} x {n}, differs from NumPy by {error:.1e}        {seconds:6.2f} s   {out}/C.npy")
    if not error < 1e-3:
        sys.exit("demo: the product is wrong")
    print("Each line was compiled and run by kernc; the seconds hold both.")


main(*sys.argv[1:])

#!/usr/bin/env python3
"""Checks the modules of the standard library.

usage: check.py KERNC random|block FOLDER
"""
import pathlib
import subprocess
import sys

import numpy as np

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "examples"))
import reference

failures = 0


def expect(kernc, module, kernel, folder, inputs, outputs, *options):
    """Runs a kernel; `outputs` has what each written array must hold."""
    global failures
    words = []
    for name, value in {**inputs, **{name: np.zeros_like(value) for name, value in outputs.items()}}.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            value = f"@{folder / name}.npy"
        words.append(f"{name}={value}")
    for name, value in outputs.items():
        np.save(folder / f"{name}.expected.npy", value)
        words += ["--expect", f"{name}={folder / name}.expected.npy"]
    command = [kernc, "run", str(here / f"{module}_kernels.kern"), kernel, *words, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        failures += 1
        print(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr}")


def check_random(kernc, folder):
    # The known answers of Random123 1.14, kat_vectors, philox4x32 10.
    counter = np.array([[0] * 4, [0xFFFFFFFF] * 4, [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]], np.uint32)
    key = np.array([[0] * 2, [0xFFFFFFFF] * 2, [0xA4093822, 0x299F31D0]], np.uint32)
    answers = np.array([[0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
                        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]], np.uint32)
    for lanes in ([], ["--lanes=1"]):
        expect(kernc, "random", "vectors", folder, {"counter": counter, "key": key}, {"words": answers}, *lanes)
        sequence = np.concatenate([np.arange(2000), [2**32, 2**64 - 1]]).astype(np.uint64)
        seed, offset = 0x123456789ABCDEF0, 2**33 + 7
        words = np.stack(reference.philox(seed, sequence, offset), 1)
        expect(kernc, "random", "places", folder, {"sequence": sequence, "seed": str(seed), "offset": str(offset)},
               {"words": words}, *lanes)
        words = np.concatenate([words, [[0] * 4, [0xFFFFFFFF] * 4]]).astype(np.uint32)
        a, b, c, d = (word.astype(np.uint64) for word in words.T)
        u = (a >> np.uint64(8)) * 2.0**-24, (b >> np.uint64(8)) * 2.0**-24
        radius, angle = np.sqrt(-2 * np.log(1 - u[0])), 2 * np.pi * u[1]
        single = np.stack([u[0], radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)
        v = [((high << np.uint64(32) | low) >> np.uint64(11)) * 2.0**-53 for low, high in ((a, b), (c, d))]
        radius, angle = np.sqrt(-2 * np.log(1 - v[0])), 2 * np.pi * v[1]
        double = np.stack([v[0], radius * np.cos(angle), radius * np.sin(angle)], 1)
        expect(kernc, "random", "numbers", folder, {"words": words}, {"single": single, "double": double}, "--rtol", "2e-5",
               "--atol", "4e-6", *lanes)


def warps(function, x):
    """Applies a function to the values of each warp."""
    return np.concatenate([np.broadcast_to(function(x[k:k + 32]), x[k:k + 32].shape) for k in range(0, len(x), 32)])


def check_block(kernc, folder):
    random = np.random.default_rng(1)
    for shape in ((1,), (33,), (7, 5, 3), (32,), (256,), (16, 16), (31, 33), (1024,)):
        n = int(np.prod(shape))
        launch = ["--grid", "1", "--block", ",".join(map(str, shape))]
        x = random.integers(-10**12, 10**12, n)
        sums = np.cumsum(x)
        expect(kernc, "block", "whole_block", folder, {"x": x}, {
            "total": np.full(n, sums[-1]), "sums": sums, "before": sums - x + 1000, "fourth": np.full(n, x[min(4, n - 1)])}, *launch)
        y = random.uniform(-1, 1, n).astype(np.float32)
        lowest = warps(lambda w: np.concatenate([[2], np.minimum.accumulate(w)[:-1]]), y).astype(np.float32)
        expect(kernc, "block", "one_warp", folder, {"x": y}, {
            "top": warps(np.max, y), "tops": warps(np.maximum.accumulate, y), "before": lowest, "third": warps(lambda w: w[0], y)},
               *launch)
        u = random.integers(0, 256, n).astype(np.uint8)
        double = random.normal(size=n)
        expect(kernc, "block", "types", folder, {"x": u, "double": double}, {
            "product": np.multiply.accumulate(u, dtype=np.uint8), "end": np.full(n, double[-1])}, *launch)
        sums, wide = np.cumsum(u, dtype=np.int32), u.astype(np.int32)
        block = np.stack([np.full(n, sums[-1]), sums, sums - u + 7, np.full(n, u[min(4, n - 1)]), np.full(n, u.max())])
        warp = np.stack([warps(np.sum, wide), warps(np.cumsum, wide), warps(lambda w: np.cumsum(w) - w + 7, wide), warps(lambda w: w[0], wide),
                         warps(lambda w: np.multiply.reduce(w, dtype=np.int32), wide)])
        expect(kernc, "block", "bytes", folder, {"x": u}, {"block": block.astype(np.int32), "warp": warp.astype(np.int32)}, *launch)


folder = pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
{"random": check_random, "block": check_block}[sys.argv[2]](sys.argv[1], folder)
print(f"{sys.argv[2]}: {failures} failed")
sys.exit(1 if failures else 0)

#!/usr/bin/env python3
"""`./dev bench [NAME...]`: each example on the CPU against the same computation as plain C++ loops with OpenMP (clang -O3
-march=native), both with all threads, medians in microseconds. Data fills half of the L1 cache, of the L2 cache, or comes
from memory; blocks are of 256 threads and of 16 x 16, or what the kernel fixes.
"""
import dataclasses
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

root = pathlib.Path(__file__).resolve().parent.parent
KERNC = root / "build/bin/kernc"
PEERS = root / "build/bin/cpu_peers"
SIZES = {"L1": 24 << 10, "L2": 1 << 20, "memory": 512 << 20}


@dataclasses.dataclass
class Bench:
    """`sizes` maps bytes to the peer's sizes; `args` maps those to kernc's arguments; `blocks` are launch options."""
    example: str
    peer: str
    sizes: object
    args: object
    blocks: tuple = ("--block 256",)


def vector(bytes_each):
    return lambda total: [total // bytes_each]


def square(bytes_each):
    return lambda total: [math.isqrt(total // bytes_each)] * 2


def f32(name, *shape, seed=1):
    return f"{name}=uniform:f32:{'x'.join(map(str, shape))}:seed={seed}"


def zeros(name, *shape, type="f32"):
    return f"{name}=zeros:{type}:{'x'.join(map(str, shape))}"


def saved(name, array):
    """Writes an array for a run; returns its argument."""
    path = pathlib.Path(scratch) / f"{name}.npy"
    np.save(path, array)
    return f"{name}=@{path}"


def spmv_args(rows, each):
    values = np.arange(rows * each, dtype=np.int64)
    return [saved("first", np.arange(rows + 1, dtype=np.int32) * np.int32(each)),
            saved("columns", (values * 7919 % rows).astype(np.int32)), f32("values", rows * each), f32("x", rows, seed=2),
            zeros("y", rows)]


def tensor_args(rows, columns):
    def strides(*values): return np.array(values, np.int32)
    return ["add", zeros("out", rows * columns), saved("shape", strides(rows, columns)), saved("out_strides", strides(columns, 1)),
            f32("a", rows * columns), saved("a_strides", strides(columns, 1)), f32("b", columns), saved("b_strides", strides(0, 1)),
            "--over", str(rows * columns)]


FLAT = ("--block 256",)
PLANE = ("--block 256", "--block 16,16")
FIXED = ("",)
BENCHES = [
    Bench("doublify", "doublify", vector(4), lambda n: ["doublify", f32("a", n)]),
    Bench("saxpy", "saxpy", vector(8), lambda n: ["a=0.001", f32("x", n), f32("y", n)]),
    Bench("grid_stride", "add", vector(12), lambda n: [f32("a", n), f32("b", n), zeros("c", n), "--grid", "64"]),
    Bench("matmul", "matmul", lambda total: [min(math.isqrt(total // 12), 1024)],
          lambda n: [f32("A", n, n), f32("B", n, n, seed=2), zeros("C", n, n)], FIXED),
    Bench("transpose", "transpose", square(8), lambda h, w: [f32("src", h, w), zeros("dst", w, h), "--grid",
                                                             f"{-(-w // 32)},{-(-h // 32)}"], FIXED),
    Bench("block_reduce", "sum", vector(4), lambda n: [f32("x", n), zeros("out", 1), "--grid", str(min(64, -(-n // 256)))], FIXED),
    Bench("warp_reduce", "sum", vector(4), lambda n: [f32("x", n), zeros("out", 1), "--grid", str(min(64, -(-n // 256)))]),
    Bench("histogram", "histogram", vector(1), lambda n: [saved("data", np.random.default_rng(1).integers(0, 256, n, np.uint8)),
                                                         zeros("bins", 256, type="i32"), "--grid", str(min(64, -(-n // 256)))], FIXED),
    Bench("stencil2d", "stencil2d", square(8), lambda h, w: [f32("u", h, w), zeros("v", h, w)], PLANE),
    Bench("stencil3d", "stencil3d", lambda total: [round((total / 8) ** (1 / 3))] * 3,
          lambda d, h, w: [f32("u", d, h, w), zeros("v", d, h, w)], PLANE),
    Bench("mandelbrot", "mandelbrot", lambda total: [min(math.isqrt(total // 4), 1024)] * 2 + [200],
          lambda h, w, limit: ["escape_time", zeros("count", h, w, type="i32"), "left=-2.2", "top=-1.2", f"step={3 / w}",
                               f"limit={limit}"], PLANE),
    Bench("sobel", "sobel", lambda total: [min(math.isqrt(total // 2), 8192)] * 2,
          lambda h, w: [saved("src", np.random.default_rng(1).integers(0, 256, (h, w), np.uint8)), "dst=like:src"], PLANE),
    Bench("gaussian_blur", "gaussian_blur", lambda total: [min(math.isqrt(total // 6), 2048)] * 2,
          lambda h, w: [saved("src", np.random.default_rng(1).integers(0, 256, (h, w, 3), np.uint8)), "dst=like:src"], PLANE),
    Bench("black_scholes", "black_scholes", lambda total: [min(total // 20, 4 << 20)], lambda n: [
        zeros("call", n), zeros("put", n), *(saved(name, np.random.default_rng(k).uniform(0.5, 1.5, n).astype(np.float32))
                                             for k, name in enumerate(("spot", "strike", "years"))), "rate=0.02", "volatility=0.3"]),
    Bench("nbody", "nbody", lambda total: [min(total // 28, 8192)], lambda n: [
        f32("position", n, 3), f32("mass", n), zeros("acceleration", n, 3), "softening=0.01"], FIXED),
    Bench("softmax", "softmax", lambda total: [max(1, total // 8 // 1000), 1000] if total > 1 << 17 else [3, 1000],
          lambda h, w: [f32("x", h, w), zeros("y", h, w), "--grid", str(h)], FIXED),
    Bench("spmv", "spmv", lambda total: [total // (16 * 8 + 12), 16], spmv_args),
    Bench("conv1d", "conv1d", vector(8), lambda n: [f32("a", n), f32("weights", 32), zeros("out", n)], FIXED),
    Bench("monte_carlo_pi", "monte_carlo_pi", lambda total: [min(total // 4, 1 << 16) // 256 * 256, 16],
          lambda n, draws: [zeros("hits", 1, type="u64"), f"draws={draws}", "seed=42", "--grid", str(n // 256)]),
    Bench("tensor", "broadcast_add", square(8), tensor_args),
]


def median_microseconds(words):
    """Runs kernc; returns the median that --time prints."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    found = re.search(r"median\D*([\d.]+) *(ns|us|ms|s)\b", done.stdout + done.stderr)
    if done.returncode or not found:
        return None
    return float(found[1]) * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[found[2]]


def run(bench, size):
    sizes = bench.sizes(SIZES[size])
    peer = float(subprocess.run([PEERS, bench.peer, *map(str, sizes)], capture_output=True, text=True, check=True).stdout)
    args = bench.args(*sizes)
    for block in bench.blocks:
        kern = median_microseconds([KERNC, "run", root / "examples" / f"{bench.example}.kern", *args, *block.split(), "--time"])
        label = block.removeprefix("--block ").replace(",", "x") or "fixed"
        shape = "x".join(map(str, sizes))
        if kern is None:
            print(f"{bench.example:15} {size:7} {shape:>15} {label:>6} {peer:12.1f}       failed", flush=True)
        else:
            print(f"{bench.example:15} {size:7} {shape:>15} {label:>6} {peer:12.1f} {kern:12.1f} {kern / peer:8.2f}", flush=True)
            ratios.append(kern / peer)


def build_peers():
    command = ["clang++-19", "-std=c++20", "-O3", "-march=native", "-fopenmp", "-w", root / "benchmarks/cpu_peers.cpp", "-o", PEERS]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    build_peers()
    ratios = []
    print(f"{'example':15} {'data':7} {'size':>15} {'block':>6} {'C++ us':>12} {'Kern us':>12} {'ratio':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        for this in BENCHES:
            if len(sys.argv) < 2 or this.example in sys.argv[1:]:
                for cache in SIZES:
                    run(this, cache)
    if ratios:
        print(f"ratios: median {np.median(ratios):.2f}, worst {max(ratios):.2f} (below 1: Kern is faster)")

#!/usr/bin/env python3
"""`./dev bench [NAME...]`: each example on the CPU against the same computation as plain C++ loops with OpenMP (clang -O3
-march=native). Data fills half of the L1 cache, of the L2 cache, or comes from memory; blocks are of 256 threads and of
16 x 16, or what the kernel fixes.

Both sides get the same number of threads and are timed alike: one process, warm, arrays put back before each run, the
median of many runs. The two take turns for some rounds; times are medians over the rounds, and so is the ratio.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np

root = pathlib.Path(__file__).resolve().parent.parent
KERNC = root / "build/bin/kernc"
PEERS = root / "build/bin/cpu_peers"
CACHES = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")


def half_of_cache(level, otherwise):
    """Returns half the bytes of a core's data cache of a level; half of `otherwise` where the system does not tell."""
    for cache in CACHES.glob("index*"):
        kind, size = (cache / "type").read_text().strip(), (cache / "size").read_text().strip()
        if int((cache / "level").read_text()) == level and kind in ("Data", "Unified") and size.endswith("K"):
            return (int(size[:-1]) << 10) // 2
    return otherwise // 2


# No power of two from memory: rows that far apart share the sets of every cache, and blocks of 16 rows would measure that alone.
SIZES = {"L1": half_of_cache(1, 48 << 10), "L2": half_of_cache(2, 2 << 20), "memory": 500_000_000}


@dataclasses.dataclass
class Bench:
    """`sizes` maps bytes to the peer's sizes; `args` maps those to kernc's arguments; `blocks` are launch options; `limit`
    is the most that Kern's time may be of the peer's."""
    example: str
    peer: str
    sizes: object
    args: object
    blocks: tuple = ("--block 256",)
    limit: float = 1.5


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


def strided(n):
    """A grid of 256 threads a block that stride over n elements: a block for each core, each with enough to do; from
    memory 16, so that together they read long rows."""
    each = 16 if n > 1 << 22 else 1
    return ["--grid", str(max(1, min(each * options.threads, n // 16384)))]


def histogram_blocks(n):
    """A block for each core, each with enough to do; from memory many, so that a block's trips lie on few pages."""
    return ["--grid", str(n // 8192 if n > 1 << 22 else max(1, min(options.threads, n // 8192)))]


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


PLANE = ("--block 256", "--block 16,16")
FIXED = ("",)
BENCHES = [
    Bench("doublify", "doublify", vector(4), lambda n: ["doublify", f32("a", n)]),
    Bench("saxpy", "saxpy", vector(8), lambda n: ["a=0.001", f32("x", n), f32("y", n)]),
    Bench("grid_stride", "add", vector(12), lambda n: [f32("a", n), f32("b", n), zeros("c", n), *strided(n)]),
    Bench("matmul", "matmul", lambda total: [min(math.isqrt(total // 12), 1024)],
          lambda n: [f32("A", n, n), f32("B", n, n, seed=2), zeros("C", n, n)], FIXED),
    Bench("transpose", "transpose", square(8), lambda h, w: [f32("src", h, w), zeros("dst", w, h), "--grid",
                                                             f"{-(-w // 32)},{-(-h // 32)}"], FIXED),
    Bench("block_reduce", "sum", vector(4), lambda n: [f32("x", n), zeros("out", 1), *strided(n)], FIXED),
    Bench("warp_reduce", "sum", vector(4), lambda n: [f32("x", n), zeros("out", 1), *strided(n)]),
    Bench("histogram", "histogram", vector(1), lambda n: [saved("data", np.random.default_rng(1).integers(0, 256, n, np.uint8)),
                                                         zeros("bins", 256, type="i32"), *histogram_blocks(n)], FIXED),
    Bench("stencil2d", "stencil2d", square(8), lambda h, w: [f32("u", h, w), zeros("v", h, w)], PLANE),
    Bench("stencil3d", "stencil3d", lambda total: [round((total / 8) ** (1 / 3))] * 3,
          lambda d, h, w: [f32("u", d, h, w), zeros("v", d, h, w)], PLANE),
    Bench("mandelbrot", "mandelbrot", lambda total: [min(math.isqrt(total // 4), 1024)] * 2 + [200],
          lambda h, w, limit: ["escape_time", zeros("count", h, w, type="i32"), "left=-2.2", "top=-1.2", f"step={3 / w}",
                               f"limit={limit}"], PLANE, limit=0.25),
    Bench("sobel", "sobel", lambda total: [min(math.isqrt(total // 2), 8000)] * 2,
          lambda h, w: [saved("src", np.random.default_rng(1).integers(0, 256, (h, w), np.uint8)), "dst=like:src"], PLANE),
    Bench("gaussian_blur", "gaussian_blur", lambda total: [min(math.isqrt(total // 6), 2048)] * 2,
          lambda h, w: [saved("src", np.random.default_rng(1).integers(0, 256, (h, w, 3), np.uint8)), "dst=like:src"], PLANE),
    Bench("black_scholes", "black_scholes", lambda total: [min(total // 20, 4 << 20)], lambda n: [
        zeros("call", n), zeros("put", n), *(saved(name, np.random.default_rng(k).uniform(0.5, 1.5, n).astype(np.float32))
                                             for k, name in enumerate(("spot", "strike", "years"))), "rate=0.02", "volatility=0.3"]),
    # At least a block for each of 8 cores, all of which read the same 32 KiB, and for each there is.
    Bench("nbody", "nbody", lambda total: [max(2048, 256 * options.threads, min(total // 28, 8192))], lambda n: [
        f32("position", n, 3), f32("mass", n), zeros("acceleration", n, 3), "softening=0.01"], FIXED),
    Bench("softmax", "softmax", lambda total: [max(1, total // 8 // 1000), 1000] if total > 1 << 17 else [3, 1000],
          lambda h, w: [f32("x", h, w), zeros("y", h, w), "--grid", str(h)], FIXED),
    Bench("spmv", "spmv", lambda total: [total // (16 * 8 + 12), 16], spmv_args),
    Bench("conv1d", "conv1d", vector(8), lambda n: [f32("a", n), f32("weights", 32), zeros("out", n)], FIXED),
    Bench("monte_carlo_pi", "monte_carlo_pi", lambda total: [min(total // 4, 1 << 16) // 256 * 256, 16],
          lambda n, draws: [zeros("hits", 1, type="u64"), f"draws={draws}", "seed=42", "--grid", str(n // 256)]),
    Bench("tensor", "broadcast_add", square(8), tensor_args),
]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; all without any")
    standard = os.environ.get("KERN_CPU_THREADS") or os.environ.get("OMP_NUM_THREADS") or len(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=int, default=int(standard), help="of both sides")
    parser.add_argument("--sizes", default=",".join(SIZES), help="some of " + ",".join(SIZES))
    parser.add_argument("--rounds", type=int, default=3, help="how often the two sides take turns")
    parser.add_argument("--json", metavar="FILE", help="writes the table as JSON too")
    options = parser.parse_args()
    unknown = set(options.names) - {bench.example for bench in BENCHES} or set(options.sizes.split(",")) - set(SIZES)
    if unknown:
        parser.error("there is no " + ", ".join(sorted(unknown)))
    return options


def output_of(words):
    """Runs a program on as many threads as asked for; returns what it prints, or None if it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment)
    return None if done.returncode else done.stdout


def peer_time(bench, sizes):
    return float(output_of([PEERS, bench.peer, *sizes]))


def kern_time(bench, args, block):
    """Returns the median that `kernc run --time` prints, in microseconds; None if the run fails."""
    text = output_of([KERNC, "run", root / "examples" / f"{bench.example}.kern", *args, *block.split(), "--time"])
    found = text and re.search(r"([\d.]+) ms median", text)
    return float(found[1]) * 1000 if found else None


def measure(bench, size):
    """Returns a row of the table for each block."""
    sizes = bench.sizes(SIZES[size])
    args = bench.args(*sizes)
    rounds = []
    for _ in range(options.rounds):
        rounds.append((peer_time(bench, sizes), *(kern_time(bench, args, block) for block in bench.blocks)))
    rows = []
    for column, block in enumerate(bench.blocks, 1):
        row = {"example": bench.example, "data": size, "size": "x".join(map(str, sizes)),
               "block": block.removeprefix("--block ").replace(",", "x") or "fixed", "limit": bench.limit,
               "peer_us": statistics.median(times[0] for times in rounds), "kern_us": None, "ratio": None, "holds": False}
        if None not in (times[column] for times in rounds):
            row["kern_us"] = statistics.median(times[column] for times in rounds)
            row["ratio"] = statistics.median(times[column] / times[0] for times in rounds)
            row["holds"] = row["ratio"] <= bench.limit
        rows.append(row)
    return rows


def line_of(row):
    head = f"{row['example']:15} {row['data']:7} {row['size']:>15} {row['block']:>6} {row['peer_us']:12.2f}"
    if row["ratio"] is None:
        return f"{head}       failed"
    return f"{head} {row['kern_us']:12.2f} {row['ratio']:8.2f}" + ("" if row["holds"] else f"  over {row['limit']}")


def write_summary(rows):
    ratios = [row["ratio"] for row in rows if row["ratio"] is not None]
    if ratios:
        print(f"ratios: median {statistics.median(ratios):.2f}, worst {max(ratios):.2f} (below 1: Kern is faster)")
    missing = [f"{row['example']} {row['data']} {row['block']}" for row in rows if not row["holds"]]
    print(f"{len(rows) - len(missing)} of {len(rows)} within their limit" + (": all but " + ", ".join(missing) if missing else ""))


def build_peers():
    command = ["clang++-19", "-std=c++20", "-O3", "-march=native", "-fopenmp", "-w", root / "benchmarks/cpu_peers.cpp", "-o", PEERS]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    options = parse_options()
    environment = os.environ | {"KERN_CPU_THREADS": str(options.threads), "OMP_NUM_THREADS": str(options.threads)}
    build_peers()
    table = []
    print(f"{options.threads} threads, {options.rounds} rounds, L1 {SIZES['L1'] >> 10} KiB, L2 {SIZES['L2'] >> 10} KiB")
    print(f"{'example':15} {'data':7} {'size':>15} {'block':>6} {'C++ us':>12} {'Kern us':>12} {'ratio':>8}")
    for this in BENCHES:
        for cache in options.sizes.split(",") if not options.names or this.example in options.names else ():
            with tempfile.TemporaryDirectory() as scratch:
                for row in measure(this, cache):
                    print(line_of(row), flush=True)
                    table.append(row)
    write_summary(table)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"threads": options.threads, "rows": table}, indent=1) + "\n")

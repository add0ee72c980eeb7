#!/usr/bin/env python3
"""Checks module `top_k` against the first k of NumPy's stable sort.

usage: check_top_k.py KERNC FOLDER
"""
import sys

import numpy as np

from check_merge_sort import save
from check_sort import check_all, here, keys_of, order_of, run, type_name

KERNELS = ("top_counts", "top_digit", "top_gather")
SMALL = {"THREADS": 64, "ITEMS": 2, "COUNTERS": 256}


def select_stages(files, x, k, order, kernels, given, word, tile):
    """Returns the stages that select the first k of an order, by the kernels of these names."""
    counts, digit, gather = kernels
    chosen = np.sort(order[:k])
    wanted, indices = save(files, wanted=x[chosen], indices=chosen.astype(np.int32))
    passes, tiles = x.dtype.itemsize, max(1, -(-x.size // tile))
    stages = []
    for number in range(passes):
        temporaries = ["counts=counts", "chosen=chosen"] if number else [f"counts=zeros:{word}:{passes}x256", "chosen=zeros:u64:2"]
        stages.append([counts, *given, *temporaries, f"number={number}", "--grid", "3"])
        stages.append([digit, "counts", "chosen", f"k={k}", f"number={number}", "--grid", "1"])
    out = [f"keys_out=zeros:{type_name(x.dtype)}:{k}", f"indices_out=zeros:i32:{k}"]
    stages.append([gather, *given, *out, "chosen=chosen", f"state=zeros:u64:{tiles}", "--grid", f"{tiles}",
                   "--expect", f"keys_out={wanted}", "--expect", f"indices_out={indices}"])
    return stages


def check_top_k(kernc, folder, dtype, cases, largest, word, defines, *options):
    stages = []
    for n, k in cases:
        x = keys_of(dtype, n, n)
        given, = save(folder / f"{n}.{k}", keys=x)
        tile = defines.get("THREADS", 256) * defines.get("ITEMS", 8)
        stages += select_stages(folder / f"{n}.{k}", x, k, order_of(x, {"DESCENDING": largest}), KERNELS,
                                [f"keys=@{given}"], word, tile)
    defines = {**defines, "LARGEST": largest}
    return run(kernc, folder, "std:top_k", stages, *(f"-D{name}={value}" for name, value in defines.items()), *options)


def check_products(kernc, folder):
    """Selects of computed keys, many of them equal."""
    n, k = 4500, 333
    random = np.random.default_rng(2)
    x, y = random.integers(-20, 20, 2 * n).astype(np.float32), random.integers(-20, 20, n).astype(np.float32)
    product = x[::-2] * y
    x_file, y_file = save(folder, x=x, y=y)
    stages = select_stages(folder, product, k, np.argsort(-product, kind="stable"), ("product_counts", "product_digit", "product_gather"),
                           [f"x=@{x_file}", f"y=@{y_file}"], "u32", 128)
    return run(kernc, folder, here / "top_k_kernels.kern", stages, *(f"-Dtop_k.{name}={value}" for name, value in SMALL.items()))


def check_far_tile(kernc, folder):
    """Looks back over 99 tiles that have published their own counts alone, of equal keys more than there is room for."""
    random = np.random.default_rng(6)
    before, equal = random.integers(0, 2**31 // 100, 100), random.integers(0, 2**31 // 40, 100)
    state = (before << 31 | equal).astype(np.uint64) + np.uint64(1 << 62)
    state[0] += np.uint64(1 << 62)
    state[-1] = 0
    count = int(before[:-1].sum()) << 31 | min(int(equal[:-1].sum()), 2**31 - 1)
    given, wanted = save(folder, state=state, before=np.array([count], np.uint64))
    stage = ["far_tile", f"state=@{given}", "before=zeros:u64:1", "--grid", "1", "--expect", f"before={wanted}"]
    return run(kernc, folder, here / "top_k_kernels.kern", [stage])


CASES = [
    (check_top_k, "f4", ((0, 0), (1, 1), (128, 5), (129, 128), (5000, 0), (5000, 1000), (5000, 5000)), True, "u32", SMALL),
    (check_top_k, "f8", ((3000, 100), (3000, 2900)), False, "u64", SMALL, "--guards=shadow", "-Wno-large"),
    (check_top_k, "i2", ((3000, 700),), True, "u32", SMALL, "--lanes=32"),
    (check_top_k, "?", ((3000, 2000),), False, "u32", SMALL),
    (check_top_k, "u4", ((20000, 50),), True, "u32", {}),
    (check_products,),
    (check_far_tile,),
]
if __name__ == "__main__":
    sys.exit(check_all("top_k", CASES))

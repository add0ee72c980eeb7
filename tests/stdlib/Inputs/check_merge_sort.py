#!/usr/bin/env python3
"""Checks module `merge_sort` against NumPy's stable sort.

usage: check_merge_sort.py KERNC FOLDER
"""
import sys

import numpy as np

from check_sort import check_all, here, keys_of, run, type_name

SMALL = {"THREADS": 32, "ITEMS": 3}


def save(folder, **arrays):
    """Saves arrays; returns their files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return [folder / f"{name}.npy" for name in arrays]


def merges(n, tile):
    """Yields the widths of the passes, and how many tiles there are."""
    tiles, width = max(1, -(-n // tile)), tile
    while width < n:
        yield width, tiles
        width *= 2


def check_merge_sort(kernc, folder, kind, dtype, sizes, less, defines, *options):
    stages = []
    for n in sizes:
        x = keys_of(dtype, n, n + 1)
        if less == "less":
            order = np.argsort(x, kind="stable")
        elif less == "greater":
            order = np.argsort(-x if x.dtype.kind == "f" else ~x, kind="stable")
        else:
            order = np.argsort(x % 10, kind="stable")
        values = np.arange(n, dtype=np.int64) if kind == "argsort" else np.random.default_rng(n).normal(size=n)
        given, wanted, payload, wanted_payload = save(folder / str(n), keys=x, sorted=x[order], values=values, sorted_values=values[order])
        tile = defines.get("THREADS", 256) * defines.get("ITEMS", 11)
        tiles = ["--grid", f"{max(1, -(-n // tile))}"]
        out, values_out = f"keys_out=zeros:{type_name(x.dtype)}:{n}", f"values_out=zeros:{type_name(values.dtype)}:{n}"
        values_name = "values_out"
        if kind == "keys":
            stages.append(["block_sort", f"keys=@{given}", out, *tiles])
        elif kind == "argsort":
            stages.append(["block_argsort", f"keys=@{given}", out, f"indices_out=zeros:i64:{n}", *tiles])
            values_name = "indices_out"
        else:
            stages.append(["block_sort_pairs", f"keys=@{given}", f"values=@{payload}", out, values_out, *tiles])
        for width, count in merges(n, tile):
            splits = f"splits=zeros:i64:{count}"
            stages.append(["merge_splits", "keys=keys_out", splits, f"width={width}", "--over", f"{count}", "--block", "64"])
            if kind == "keys":
                stages.append(["merge_pass", "keys=keys_out", out, "splits=splits", f"width={width}", *tiles])
            else:
                stages.append(["merge_pairs_pass", "keys=keys_out", f"values={values_name}", out, values_out, "splits=splits", f"width={width}", *tiles])
                values_name = "values_out"
        stages[-1] += ["--expect", f"keys_out={wanted}"]
        if kind != "keys":
            stages[-1] += ["--expect", f"{values_name}={wanted_payload}"]
    return run(kernc, folder, "std:merge_sort", stages, f"-DLESS={less}", *(f"-D{name}={value}" for name, value in defines.items()), *options)


def check_records(kernc, folder):
    """Sorts records, which are read backwards in steps of two."""
    n, tile = 250, 96
    random = np.random.default_rng(3)
    points = np.zeros(2 * n, [("x", "i4"), ("y", "f4")])
    points["x"], points["y"] = random.integers(-4, 4, 2 * n), random.normal(size=2 * n)
    read = points[::-2]
    given, empty, wanted = save(folder, points=points, empty=np.zeros_like(read), wanted=read[np.lexsort((read["y"], -read["x"]))])
    stages = [["sort_points", f"points=@{given}", f"out=@{empty}", "--grid", "3"]]
    for width, tiles in merges(n, tile):
        stages.append(["split_points", "points=out", f"splits=zeros:i64:{tiles}", f"width={width}", "--over", f"{tiles}", "--block", "64"])
        stages.append(["merge_points", "points=out", f"out=@{empty}", "splits=splits", f"width={width}", "--grid", f"{tiles}"])
    stages[-1] += ["--expect", f"out={wanted}"]
    return run(kernc, folder, here / "merge_sort_kernels.kern", stages, *(f"-Dmerge_sort.{name}={value}" for name, value in SMALL.items()))


DIGIT = f"{here / 'merge_sort_kernels.kern'}:last_digit"
CASES = [
    (check_merge_sort, "argsort", "f4", (0, 1, 95, 96, 97, 193, 700), "less", SMALL),
    (check_merge_sort, "argsort", "f8", (700,), "greater", SMALL, "--guards=shadow", "-Wno-large"),
    (check_merge_sort, "pairs", "i4", (500,), DIGIT, SMALL),
    (check_merge_sort, "keys", "u1", (500,), "less", SMALL, "--lanes=1"),
    (check_merge_sort, "keys", "i8", (500,), "greater", SMALL, "--lanes=32"),
    (check_merge_sort, "keys", "i8", (10000,), "less", {}),
    (check_records,),
]
if __name__ == "__main__":
    sys.exit(check_all("merge_sort", CASES))

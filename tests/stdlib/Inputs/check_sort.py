#!/usr/bin/env python3
"""Checks module `sort` against NumPy's stable sort.

usage: check_sort.py KERNC FOLDER
"""
import concurrent.futures
import pathlib
import sys

import numpy as np

from launches import here, run_stages

SMALL = {"THREADS": 256, "ITEMS": 2}
FLAGS = sys.argv[3:]


def keys_of(dtype, n, seed):
    """Returns keys with many equal ones; of floats with every special value, in both signs."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return random.integers(0, 2, n).astype(bool)
    if dtype.kind == "f":
        few = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, np.finfo(dtype).max, np.finfo(dtype).tiny / 2], dtype)
        x = (random.normal(size=n) * 100).astype(dtype)
        return np.where(random.random(n) < 0.4, random.choice(few, n), x)
    x = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)
    few = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1, 100], dtype)
    return np.where(random.random(n) < 0.3, random.choice(few, n), x)


def radix_bits(x):
    """Returns the words that are sorted by, u64."""
    if x.dtype == bool or x.dtype.kind == "u":
        return x.astype(np.uint64)
    width = 8 * x.dtype.itemsize
    unsigned = f"u{x.dtype.itemsize}"
    sign = np.array(1 << width - 1, unsigned)
    word = x.view(unsigned)
    if x.dtype.kind == "i":
        return (word ^ sign).astype(np.uint64)
    word = np.where(word & sign != 0, ~word, word | sign)
    word = np.where(x == 0, sign, word)
    return np.where(np.isnan(x), np.array(2**width - 1, unsigned), word).astype(np.uint64)


def order_of(x, defines):
    """Returns the stable permutation that sorts."""
    width = 1 if x.dtype == bool else 8 * x.dtype.itemsize
    begin, end = defines.get("BEGIN_BIT", 0), defines.get("END_BIT", 64)
    descending = defines.get("DESCENDING", False)
    if begin == 0 and end >= width:
        if not descending:
            return np.argsort(x, kind="stable")
        return np.argsort(-x if x.dtype.kind == "f" else ~x, kind="stable")
    word = radix_bits(-x if x.dtype.kind == "f" and descending else x)
    word = ~word if descending and x.dtype.kind != "f" else word
    return np.argsort(word << np.uint64(64 - end) >> np.uint64(64 - end + begin), kind="stable")


def type_name(dtype):
    """Returns Kern's name of a type."""
    return dtype.name.replace("float", "f").replace("uint", "u").replace("int", "i")


def sort_stages(folder, kind, x, defines, word):
    """Returns the stages that sort keys, and what the last of them must write."""
    n = x.size
    name = type_name(x.dtype)
    width = 8 * x.dtype.itemsize
    passes = (min(defines.get("END_BIT", 64), width) - defines.get("BEGIN_BIT", 0) + 7) // 8
    tiles = max(1, -(-n // (defines.get("THREADS", 512) * defines.get("ITEMS", 16))))
    file = folder / f"{n}.npy"
    np.save(file, x)
    order = order_of(x, defines)
    np.save(folder / f"{n}.keys.npy", x[order])
    values = np.arange(n, dtype=np.uint32) if kind == "argsort" else np.random.default_rng(n).normal(size=n)
    np.save(folder / f"{n}.values.npy", values)
    np.save(folder / f"{n}.values_out.npy", values[order])
    stages = [["digit_counts", f"keys=@{file}", f"counts=zeros:{word}:{passes}x256", "--grid", "3"], ["digit_starts", "counts", "--grid", f"{passes}"]]
    for number in range(passes):
        keys = "keys=keys_out" if number else f"keys=@{file}"
        state = f"state=zeros:{word}:{tiles}x256"
        if kind == "keys":
            stage = ["sort_pass", keys, f"keys_out=zeros:{name}:{n}", "starts=counts", state, f"number={number}"]
        elif kind == "argsort" and number == 0:
            stage = ["argsort_pass", keys, f"keys_out=zeros:{name}:{n}", f"indices_out=zeros:u32:{n}", "starts=counts", state]
        else:
            given = f"values={'indices_out' if kind == 'argsort' and number == 1 else 'values_out'}" if number else f"values=@{folder / f'{n}.values.npy'}"
            out = f"values_out=zeros:{'u32' if kind == 'argsort' else 'f64'}:{n}"
            stage = ["sort_pairs_pass", keys, given, f"keys_out=zeros:{name}:{n}", out, "starts=counts", state, f"number={number}"]
        stages.append(stage + ["--grid", f"{tiles}"])
    stages[-1] += ["--expect", f"keys_out={folder / f'{n}.keys.npy'}"]
    if kind != "keys":
        values_out = "indices_out" if kind == "argsort" and passes == 1 else "values_out"
        stages[-1] += ["--expect", f"{values_out}={folder / f'{n}.values_out.npy'}"]
    return stages


def run(kernc, folder, file, stages, *options):
    folder.mkdir(parents=True, exist_ok=True)
    return 0 if run_stages(kernc, file, folder.parent, stages, *options, "-Werror", *FLAGS) else 1


def check_sort(kernc, folder, kind, dtype, sizes, defines, word, *options):
    folder.mkdir(parents=True, exist_ok=True)
    stages = []
    for n in sizes:
        stages += sort_stages(folder, kind, keys_of(dtype, n, n + 1), defines, word)
    return run(kernc, folder, "std:sort", stages, *(f"-D{name}={value}" for name, value in defines.items()), *options)


def check_words(kernc, folder, dtype, descending):
    """Compares the words that are sorted by themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    x = keys_of(dtype, 300, 7)
    np.save(folder / "x.npy", x)
    words = radix_bits(-x if x.dtype.kind == "f" else ~x) if descending else radix_bits(x)
    np.save(folder / "words.npy", words)
    return run(kernc, folder, here / "sort_kernels.kern", [["words", f"x=@{folder / 'x.npy'}", "out=zeros:u64:300", f"--expect=out={folder / 'words.npy'}"]],
               f"-Dsort.DESCENDING={descending}")


def check_functions(kernc, folder):
    """Sorts computed keys and values, which are records, by way of a kernel's own passes."""
    folder.mkdir(parents=True, exist_ok=True)
    n = 1500
    random = np.random.default_rng(5)
    x, y = random.integers(-9, 9, 2 * n).astype(np.float32), random.integers(-9, 9, n).astype(np.float32)
    distance = np.abs(x[::-2] - y)
    order = np.argsort(distance, kind="stable")
    labels = np.zeros(n, [("at", "i4"), ("y", "f4")])
    labels["at"], labels["y"] = order, y[order]
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    np.save(folder / "keys.npy", distance[order])
    np.save(folder / "labels.npy", labels)
    np.save(folder / "empty.npy", np.zeros_like(labels))
    given = [f"x=@{folder / 'x.npy'}", f"y=@{folder / 'y.npy'}"]
    out = [f"keys_out=zeros:f32:{n}", f"labels_out=@{folder / 'empty.npy'}", "starts=counts", "state=zeros:u32:3x256"]
    stages = [["distance_counts", *given, "counts=zeros:u32:4x256", "--grid", "2"], ["starts_of", "counts", "--grid", "4"]]
    stages += [["distance_pass", *given, *out, "--grid", "3"]]
    for number in (1, 2, 3):
        stages += [["label_pass", "keys=keys_out", "labels=labels_out", *out, f"number={number}", "--grid", "3"]]
    stages[-1] += ["--expect", f"keys_out={folder / 'keys.npy'}", "--expect", f"labels_out={folder / 'labels.npy'}"]
    return run(kernc, folder, here / "sort_kernels.kern", stages, *(f"-Dsort.{name}={value}" for name, value in SMALL.items()))


def check_far_tile(kernc, folder, dtype):
    """Looks back over tiles that have published no more than their own counts, which are as great as a word of state holds."""
    folder.mkdir(parents=True, exist_ok=True)
    tiles = 71
    unit = 1 << 8 * np.dtype(dtype).itemsize - 2
    counts = np.random.default_rng(4).integers(0, (unit - 8) // tiles, (tiles, 256)).astype(dtype)
    state = counts + np.array(unit, dtype)
    state[0] += np.array(unit, dtype)
    state[-1] = 0
    before = counts[:-1].sum(0, dtype=dtype)
    np.save(folder / "state.npy", state)
    np.save(folder / "before.npy", before)
    state[-1] = before + np.array(2 * unit + 7, dtype)
    np.save(folder / "state_after.npy", state)
    stage = ["far_tile", f"state=@{folder / 'state.npy'}", f"before=zeros:{type_name(before.dtype)}:256", "--grid", "1"]
    stage += ["--expect", f"state={folder / 'state_after.npy'}", "--expect", f"before={folder / 'before.npy'}"]
    return run(kernc, folder, here / "sort_kernels.kern", [stage])


CASES = [
    (check_sort, "argsort", "f4", (0, 1, 511, 512, 513, 2500), {**SMALL, "DESCENDING": True}, "u32"),
    (check_sort, "pairs", "i8", (1, 2500), {**SMALL, "DESCENDING": True, "BEGIN_BIT": 5, "END_BIT": 47}, "u64"),
    (check_sort, "keys", "u8", (0, 2500), SMALL, "u32"),
    (check_sort, "argsort", "?", (2500,), {**SMALL, "DESCENDING": True}, "u32"),
    (check_sort, "keys", "u4", (8192, 20000), {}, "u32", "--guards=shadow", "-Wno-large"),
    (check_functions,),
    (check_far_tile, "u4"),
    (check_far_tile, "u8"),
    *((check_words, dtype, descending) for dtype in ("i1", "u1", "i2", "u2", "f2", "i4", "f4", "i8", "u8", "f8") for descending in (False, True)),
]


def check_all(module, cases):
    """Runs the cases, two at a time; returns the exit code."""
    kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = sum(pool.map(lambda k: cases[k][0](kernc, folder / str(k), *cases[k][1:]), range(len(cases))))
    print(f"{module}: {failed} of {len(cases)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(check_all("sort", CASES))

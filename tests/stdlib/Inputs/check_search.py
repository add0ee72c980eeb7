#!/usr/bin/env python3
"""Checks the module search against numpy.searchsorted and numpy.histogram.

usage: check_search.py KERNC FOLDER [OPTION...]
"""
import bisect
import pathlib
import subprocess
import sys

import numpy as np

KERNC, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
KERNELS = pathlib.Path(__file__).resolve().parent / "search_kernels.kern"
SIZES = (0, 1, 2, 3, 4, 31, 32, 100, 0)
TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"]
LANES = (["--lanes=1"], ["--lanes=16"], ["--lanes=32", "--guards=shadow"])
RANGES = [(0.0, 1.0, 10), (0.0, 1.0, 1), (-1.0, 1.0, 7), (0.1, 0.7, 6), (-3.3, 9.7, 13), (2.0, 2.0, 4), (0.0, 100.0, 37), (-128.0, 127.0, 255)]
failures = 0


def expect(kernel, inputs, outputs, *options):
    """Runs a kernel; `outputs` has what each written array must hold."""
    global failures
    words = []
    for name, value in {**inputs, **{name: np.zeros_like(value) for name, value in outputs.items()}}.items():
        np.save(FOLDER / f"{name}.npy", value)
        words.append(f"{name}=@{FOLDER / name}.npy")
    for name, value in outputs.items():
        np.save(FOLDER / f"{name}.expected.npy", value)
        words += ["--expect", f"{name}={FOLDER / name}.expected.npy"]
    command = [KERNC, "run", str(KERNELS), kernel, *words, "-Werror", *options, *sys.argv[3:]]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or done.stderr:
        failures += 1
        print(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr}")


def samples(name, count, random):
    """Returns numbers of a type, with its extremes and many that occur twice; bf16 as f32s."""
    if name in ("f16", "bf16", "f32", "f64"):
        dtype = {"f16": np.float16, "f64": np.float64}.get(name, np.float32)
        x = np.round(random.normal(0, 3, count), 1).astype(dtype)
        special = np.array([-np.inf, np.inf, np.nan, -0.0, 0.0, np.finfo(np.float16).max, 1, np.nextafter(dtype(1), dtype(2))], dtype)
        x = np.where(random.random(count) < 0.2, random.choice(special, count), x).astype(dtype)
        return (x.view(np.uint32) & 0xFFFF0000).view(np.float32) if name == "bf16" else x
    dtype = np.dtype(f"{name[0]}{int(name[1:]) // 8}")
    limits = np.iinfo(dtype)
    x = random.integers(max(limits.min, -50), 100, count).astype(dtype)
    return np.where(random.random(count) < 0.1, random.choice(np.array([limits.min, limits.max], dtype), count), x)


def stored(x, name):
    return (x.view(np.uint32) >> 16).astype(np.uint16) if name == "bf16" else x


def check_parts(name, options, random):
    parts = [np.sort(samples(name, n, random)) for n in SIZES]
    starts = np.cumsum([0, *SIZES])
    v = samples(name, 200, random)

    def both(arrays):
        return np.stack([[part.searchsorted(v, side) for part in arrays] for side in ("left", "right")])

    # Behind v in a part that is turned round is what stands before it in the part.
    turned = np.array(SIZES)[:, None] - both(parts)[::-1]
    expect("parts", {"x": stored(np.concatenate(parts), name), "starts": starts, "v": stored(v, name)},
           {"ascending": both(parts), "descending": turned, "strided": both([part[1::3] for part in parts])}, *options)


def bins_of(v, **histogram):
    """Asks numpy.histogram for the bin of each value alone."""
    counts = [np.histogram(v[i:i + 1], **histogram)[0] for i in range(len(v))]
    return np.array([int(np.argmax(count)) if count.any() else -1 for count in counts])


def check_bins(name, options, random):
    v = samples(name, 250, random)
    edges = [np.sort(samples(name, n, random)) for n in (1, 2, 3, 8, 20)]
    edges[3][4:] = edges[3][4]
    edges.append(np.array([1, 1, 1], edges[0].dtype))
    starts = np.cumsum([0] + [part.size for part in edges])
    of = np.stack([bins_of(v, bins=part) if part.size > 1 else np.full(v.size, -1) for part in edges])
    # Values that lie on edges, and beside them, where an error of one bit shows.
    kind = v.dtype if v.dtype.kind == "f" else np.float64
    on = np.concatenate([np.linspace(low, high, count + 1, dtype=kind)[:40] for low, high, count in RANGES[:6]])
    if v.dtype.kind == "f" and name != "bf16":
        v = np.concatenate([v, on, np.nextafter(on, kind.type(9)), np.nextafter(on, kind.type(-9))])
        of = np.concatenate([of, [bins_of(v[250:], bins=part) if part.size > 1 else np.full(v.size - 250, -1) for part in edges]], 1)
    inputs = {"v": stored(v, name), "edges": stored(np.concatenate(edges), name), "starts": starts,
              "limits": np.array([row[:2] for row in RANGES]), "counts": np.array([row[2] for row in RANGES])}
    # NumPy has no bf16: of f32s it makes other edges, and these only matter to values beside them.
    if name == "bf16":
        return expect("bins", {**inputs, "limits": np.zeros((0, 2))}, {"of": of, "even": np.zeros((0, v.size), np.int64)}, *options)
    even = np.stack([bins_of(v, bins=count, range=(low, high)) for low, high, count in RANGES])
    expect("bins", inputs, {"of": of, "even": even}, *options)


def check_mixed():
    top = 2**53
    words = [0, 1, top, top + 1, top + 2, 2**63, 2**64 - 1, 2**64 - 1]
    wholes = [-2**63, -1, 0, top - 1, top + 1, top + 1, 2**63 - 2, 2**63 - 1]
    numbers = [-2.0**63, -0.5, 0.5, float(top), top + 2.0, 2.0**63, 2.0**64, np.inf]
    left, right = bisect.bisect_left, bisect.bisect_right
    # An integer beside a float is rounded to an f64.
    words_f64, wholes_f64 = [float(v) for v in words], [float(v) for v in wholes]
    out = [[left(words, v) for v in wholes], [left(words_f64, v) for v in numbers], [right(wholes, v) for v in words],
           [right(wholes_f64, v) for v in numbers], [left(numbers, v) for v in wholes_f64], [right(numbers, v) for v in words_f64]]
    expect("mixed", {"words": np.array(words, np.uint64), "wholes": np.array(wholes), "numbers": np.array(numbers)}, {"out": np.array(out)})


def check_records(random):
    entries = np.zeros(77, np.dtype([("key", "i4"), ("weight", "f4")]))
    entries["key"] = np.sort(random.integers(0, 30, 77))
    entries["weight"] = random.random(77)
    keys = np.arange(-2, 33, dtype=np.int32)
    out = np.stack([entries["key"].searchsorted(keys, side) for side in ("left", "right")])
    expect("records", {"entries": entries, "keys": keys}, {"out": out})


FOLDER.mkdir(parents=True, exist_ok=True)
for k, name in enumerate(TYPES):
    random = np.random.default_rng(k)
    types = [f"-DT={name}", f"-DSTORED={'u16' if name == 'bf16' else name}"]
    check_parts(name, types + LANES[k % 3], random)
    check_bins(name, types + LANES[(k + 1) % 3], random)
check_mixed()
check_records(np.random.default_rng(99))
print(f"search: {failures} failed")
sys.exit(1 if failures else 0)

#!/usr/bin/env python3
"""Compares the states and numbers of xoroshiro128+ with a model in Python's integers, which knows nothing of Kern.

usage: check_xoroshiro.py KERNC FOLDER [STREAMS [NUMBERS]]
"""
import math
import pathlib
import subprocess
import sys

import numpy as np

MASK = 2**64 - 1
here = pathlib.Path(__file__).resolve().parent


def rotated(x, k):
    return (x << k | x >> (64 - k)) & MASK


class Stream:
    def __init__(self, s0, s1):
        self.s0, self.s1 = s0, s1

    def next(self):
        result = (self.s0 + self.s1) & MASK
        mixed = self.s0 ^ self.s1
        self.s0 = (rotated(self.s0, 55) ^ mixed ^ mixed << 14) & MASK
        self.s1 = rotated(mixed, 36)
        return result

    def jumped(self):
        """Returns the stream 2**64 numbers on."""
        source, target = Stream(self.s0, self.s1), Stream(0, 0)
        bits = 0xD86B048B86AA9922 << 64 | 0xBEAC0467EBA5FACB
        for b in range(128):
            if bits >> b & 1:
                target.s0 ^= source.s0
                target.s1 ^= source.s1
            source.next()
        return target

    def unit(self):
        return (self.next() >> 11) * 2.0**-53


def streams(count, seed, start):
    z = (seed + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    z ^= z >> 31
    stream = Stream(z, z)
    for _ in range(start):
        stream = stream.jumped()
    result = [stream]
    while len(result) < count:
        result.append(result[-1].jumped())
    return result


def run(kernc, kernel, words):
    command = [kernc, "run", str(here / "xoroshiro_kernels.py"), kernel, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def check(kernc, folder, count, numbers, seed, start, options):
    model = streams(count, seed, start)
    states = f"states=xoroshiro:{count}:seed={seed}:start={start}"
    after = np.array([[s.s0, s.s1] for s in streams(count, seed, start + 1)], np.uint64)
    np.save(folder / "after.npy", after)
    run(kernc, "jumped", [states, f"after=zeros:u64:{count}x2", "--expect", f"after={folder}/after.npy", *options])

    # The same states as records, as Numba has them.
    records = np.array([(s.s0, s.s1) for s in model], np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True))
    np.save(folder / "records.npy", records)
    run(kernc, "jumped_records", [f"states=@{folder}/records.npy", f"after=zeros:u64:{count}x2", "--expect", f"after={folder}/after.npy", *options])
    run(kernc, "jumped_records", [states, f"after=zeros:u64:{count}x2", "--expect", f"after={folder}/after.npy", *options])

    words = np.array([[s.next() for _ in range(numbers)] for s in model], np.uint64)
    single, double, normal_single, normal_double = (np.zeros((count, numbers)) for _ in range(4))
    for i, s in enumerate(model):
        for k in range(numbers):
            single[i, k] = np.float32(s.unit())
            double[i, k] = s.unit()
            u1, u2 = np.float32(s.unit()), np.float32(s.unit())
            normal_single[i, k] = np.sqrt(np.float32(-2) * np.log(u1)) * np.cos(np.float32(2 * math.pi) * u2)
            u1, u2 = np.float32(s.unit()), np.float32(s.unit())
            normal_double[i, k] = math.sqrt(-2.0 * float(np.log(u1))) * math.cos(2 * math.pi * float(u2))
    exact = {"words": words, "single": single.astype(np.float32), "double": double}
    close = {"normal_single": normal_single.astype(np.float32), "normal_double": normal_double}
    for tolerance, group in (([], exact), (["--rtol", "4e-6", "--atol", "1e-6"], close)):
        arguments = []
        for name, value in {**exact, **close}.items():
            arguments.append(f"{name}=zeros:{value.dtype.name}:{count}x{numbers}")
        for name, value in group.items():
            np.save(folder / f"{name}.npy", value)
            arguments += ["--expect", f"{name}={folder}/{name}.npy"]
        for given in (states, f"states=@{folder}/records.npy"):
            run(kernc, "numbers", [given, *arguments, *tolerance, *options])


kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
count, numbers = (int(word) for word in (sys.argv[3:] + ["100", "1000"][len(sys.argv) - 3:]))
folder.mkdir(parents=True, exist_ok=True)
check(kernc, folder, count, numbers, 1, 0, [])
check(kernc, folder, 7, 20, 2**63 + 5, 3, ["--lanes=1"])
print("xoroshiro: equal")

#!/usr/bin/env python3
"""Checks the library's algorithms as `kernc run std:...` calls them, on cases that are drawn by a seed, against NumPy.

usage: check_algorithms.py KERNC FOLDER [--seed N] [--count N] [--only N] [OPTION]...

The first cases are of one algorithm each, the others of any; each has element types, sizes, data and settings of its own. Where a call
can be wrong, a fourth of them are: those must be refused with exit code 2. Sizes that are not within the arrays, and what a result does
not hold, are faults, with exit code 4. --only N runs case N alone.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys

import numpy as np

from algorithm_cases import TABLE, draw


def difference(result, wanted, tolerance=0, is_whole=False):
    """Says how an array differs from the one that was wanted, of which it may have more where that is not the whole; None where it does not."""
    if result.dtype != wanted.dtype:
        return f"is of {result.dtype}, not {wanted.dtype}"
    if (is_whole or wanted.ndim > 1) and result.shape != wanted.shape:
        return f"has the shape {result.shape}, not {wanted.shape}"
    result, wanted = result.ravel(), wanted.ravel()
    if len(result) < len(wanted):
        return f"has {len(result)} elements, not {len(wanted)}"
    result = result[:len(wanted)]
    with np.errstate(invalid="ignore"):
        same = (result == wanted) | ((result != result) & (wanted != wanted))
        if tolerance:
            same |= np.abs(result - wanted) <= tolerance
        elif result.dtype.kind == "f":
            # Zeros differ in their signs, which tell whether a sort is stable.
            same &= (np.signbit(result) == np.signbit(wanted)) | (result != result)
    if same.all():
        return None
    i = int(np.flatnonzero(~same)[0])
    return f"has {result[i]!r} at {i}, not {wanted[i]!r}; {np.count_nonzero(~same)} of {len(wanted)} differ"


def check(case, kernc, folder, options):
    """Runs a case and returns what is wrong with it, as lines."""
    folder = folder / str(case.number)
    words = case.command(kernc, folder, options)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    wrong = []
    if done.returncode != case.code:
        wrong.append(f"exit code {done.returncode}, not {case.code}: {done.stderr[:1500]}")
    elif not case.code:
        for name, (wanted, tolerance) in case.wanted.items():
            result = np.load(folder / f"{name}.result.npy")
            how = difference(result, wanted, tolerance, name in case.whole)
            if name in case.behind:
                size, rest = case.behind[name]
                how = how or difference(result[size:], rest, is_whole=True)
            if how:
                wrong.append(f"{name} {how}")
    elif ("fault[" if case.code == 4 else "error[") not in done.stderr:
        wrong.append(f"no error is shown: {done.stderr[:500]}")
    return [f"case {case.number}: {shlex.join(words)}", *wrong] if wrong else []


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("kernc")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=len(TABLE))
    parser.add_argument("--only", type=int)
    asked, options = parser.parse_known_args()
    numbers = range(asked.count) if asked.only is None else [asked.only]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for wrong in pool.map(lambda number: check(draw(asked.seed, number), asked.kernc, asked.folder.resolve(), options), numbers):
            failed += bool(wrong)
            print("\n    ".join(wrong), end="\n" if wrong else "", flush=True)
    print(f"algorithms, seed {asked.seed}: {failed} of {len(numbers)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

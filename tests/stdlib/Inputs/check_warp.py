#!/usr/bin/env python3
"""Checks the module `warp` and the shifts of `block` against NumPy: whole blocks, and threads that have returned.

usage: check_warp.py KERNC FOLDER
"""
import sys

import numpy as np
from launches import Launches, finish, here


def threads_of_warps(keep):
    """The threads of each warp that do not return."""
    return [np.flatnonzero(keep[k:k + 32]) + k for k in range(0, len(keep), 32)]


def segments(members, heads):
    starts = [0] + [k for k in range(1, len(members)) if heads[members[k]]] + [len(members)]
    return [members[a:b] for a, b in zip(starts, starts[1:])]


def check_segments(stages, random, keep, launch):
    n = len(keep)
    x = random.integers(-2**31, 2**31, n).astype(np.int32)
    heads = random.random(n) < random.choice([0, 0.1, 0.6, 1])
    sums, before, totals = np.zeros((3, n), np.int64)
    ends, most = np.zeros((2, n), np.int32)
    for warp in threads_of_warps(keep):
        # A head that has returned begins no segment: it takes no part.
        for segment in segments(warp, heads):
            values = x[segment].astype(np.int64)
            sums[segment] = np.cumsum(values)
            before[segment] = np.cumsum(values) - values + 1000
            totals[segment] = values.sum()
            ends[segment] = values[-1:]
            most[segment] = np.maximum.accumulate(values)
    outputs = {"sums": sums, "before": before, "totals": totals, "ends": ends, "most": most}
    stages.add("segments", {"x": x, "heads": heads, "keep": keep}, outputs, *launch)


def check_votes(stages, random, keep, launch):
    x = random.integers(90, 112, len(keep)).astype(np.uint8)
    out = np.zeros((5, len(keep)), np.uint32)
    for warp in threads_of_warps(keep):
        high = x[warp] > 100
        out[0, warp] = high.sum()
        out[1, warp] = np.cumsum(high) - high
        out[2, warp[:1]] = 1
        for t in warp:
            out[3, t] = sum(1 << int(u % 32) for u in warp if x[u] % 4 == x[t] % 4)
            out[4, t] = sum(1 << int(u % 32) for u in warp if x[u] == x[t])
    stages.add("votes", {"x": x, "keep": keep}, {"out": out}, *launch)


def check_sorts(stages, random, keep, launch):
    n = len(keep)
    x = random.choice(np.array([np.nan, np.inf, -np.inf, 0, 1e-45, *random.normal(size=9)], np.float32), n)
    numbers = random.integers(-3, 3, n) * 2**40
    up, down = np.zeros((2, n), np.float32)
    keys, places = np.zeros(n, np.int64), np.zeros(n, np.int32)
    for warp in threads_of_warps(keep):
        up[warp] = np.sort(x[warp])
        down[warp] = -np.sort(-x[warp])
        order = warp[np.argsort(numbers[warp], kind="stable")]
        keys[warp], places[warp] = numbers[order], order
    stages.add("sorts", {"x": x, "n": numbers, "keep": keep}, {"up": up, "down": down, "keys": keys, "places": places}, *launch)
    small = (numbers >> 40).astype(np.int16)
    weighed, firsts = np.zeros(n, np.int16), np.zeros(n, np.int32)
    for warp in threads_of_warps(keep):
        weighed[warp] = np.sort(small[warp])[::-1]
        firsts[warp] = warp[np.argsort(small[warp], kind="stable")]
    outputs = {"keys": weighed, "firsts": firsts, "seconds": firsts.astype(np.float32)}
    stages.add("sorts_items", {"n": small, "keep": keep}, outputs, *launch)


def check_shifts(stages, random, keep, launch):
    here = np.flatnonzero(keep)
    x = random.normal(size=len(keep))
    up, down = np.zeros((2, len(keep)))
    if len(here):
        up[here] = np.concatenate([[-1], x[here[:-1]]])
        down[here] = np.concatenate([x[here[1:]], [-2]])
    outputs = {"up": up, "down": down, "places": (np.cumsum(keep) - 1).astype(np.int32) * keep}
    stages.add("shifts", {"x": x, "keep": keep}, outputs, *launch)


random = np.random.default_rng(1)
stages = Launches(sys.argv[1], here / "warp_kernels.kern", *sys.argv[2:])
for shape in ((1,), (64,), (7, 5, 3)):
    n = int(np.prod(shape))
    for keep in (np.ones(n, bool), random.random(n) < 0.7, (np.arange(n) // 32 % 2 == 1) & (random.random(n) < 0.2)):
        launch = ["--grid", 1, "--block", ",".join(map(str, shape))]
        for check in (check_segments, check_votes, check_sorts, check_shifts):
            check(stages, random, keep, launch)
stages.run()
stages.run("--guards=shadow")
finish("warp")

#!/usr/bin/env python3
"""Runs the executed tests of the corpus once more, in every way that their kernels allow; the outcome must be what it was.

usage: shapes.py KERNC FOLDER

All run with 1, 16 and 32 lanes and for x86-64-v3. Kernels that kernc itself would choose a block for also run in blocks of 1, of 33, and
of (7, 5, 3) as far as their grids have axes, each on a grid that overhangs the data. (In a block with more axes than the grid several
threads do the same work: what such a kernel means with atomics is another thing.)
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import commands

WAYS = ["--lanes=1", "--lanes=16", "--lanes=32", "--arch=x86-64-v3", "--arch=x86-64-v3 --lanes=32"]
BLOCKS = {1: ["1", "33", "7"], 2: ["1,1", "33,1", "7,5"], 3: ["1,1,1", "33,1,1", "7,5,3"]}
OVER = {1: "5000", 2: "150,90", 3: "40,30,20"}  # more than the data of any test
HAS_WARPS = "E0815"  # one lane is no warp


def run(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True)


def axes_of(source):
    """Returns how many axes the file's kernels have, where all have the same, else 0."""
    found = set(re.findall(r"\bgrid\((\d)\)", source))
    return int(found.pop()) if len(found) == 1 else 0


def chooses_block(executed):
    """Says whether kernc would choose a block itself: then the kernel gives the same with every one."""
    if re.search(r"--(grid|over|shared)", executed.command):
        return False
    return run(re.sub(r"--block \S+", "", executed.command)).returncode == 0


def ways_of(executed):
    ways = [f"{executed.command} {way}" for way in WAYS]
    axes = axes_of(executed.source)
    if axes and chooses_block(executed):
        plain = re.sub(r"--block \S+", "", executed.command)
        for block in BLOCKS[axes]:
            ways += [f"{plain} --block {block}", f"{plain} --block {block} --over {OVER[axes]}",
                     f"{plain} --block {block} --over {OVER[axes]} --lanes=1", f"{plain} --block {block} --arch=x86-64-v3"]
    return ways


def check(executed):
    """Returns (the number of runs, what is wrong)."""
    wrong, ways = [], ways_of(executed)
    for command in ways:
        done = run(command)
        if done.returncode and not ("--lanes=1" in command and HAS_WARPS in done.stderr):
            wrong.append(f"{executed.name}: exit {done.returncode}: {command}\n{done.stderr}")
    return len(ways), wrong


def main(kernc, folder):
    runs = list(commands.executed(kernc, folder))
    total, shaped, failed = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for count, wrong in pool.map(check, runs):
            total += count
            shaped += count > len(WAYS)
            failed += len(wrong)
            for text in wrong:
                print(text)
    print(f"corpus: {len(runs)} tests, {shaped} of them in every block, {total} runs, {failed} failed")
    return 1 if failed or not shaped else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

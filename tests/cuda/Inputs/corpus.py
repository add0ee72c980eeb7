#!/usr/bin/env python3
"""Runs the executed tests of the corpus once more, on the GPU: each gets --device DEVICE: cuda, or cpu,cuda.

usage: corpus.py KERNC FOLDER DEVICE
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "corpus/Inputs"))
import commands


# The results of these depend on which thread comes last: their own --expect sorts that out, an array by array comparison cannot.
ANY_ORDER = {"builtins/atomic_cas.kern", "builtins/atomic_exch.kern"}


def main(kernc, folder, device):
    ran = failed = 0
    for run in commands.executed(kernc, folder):
        # Tests in deeper folders are about how the CPU goes over threads.
        if run.name.count("/") > 1 or not run.options("--expect") or run.options("--lanes", "--arch", "--guards"):
            continue
        if "," in device and run.name in ANY_ORDER:
            continue
        done = subprocess.run(run.command + " --device " + device, shell=True, capture_output=True, text=True)
        ran += 1
        if done.returncode:
            failed += 1
            print(f"{run.name}: exit {done.returncode}: {run.command}\n{done.stderr}")
    print(f"corpus: {ran} runs, {failed} failed")
    return 1 if failed or not ran else 0


sys.exit(main(*sys.argv[1:]))

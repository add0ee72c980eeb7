#!/usr/bin/env python3
"""Runs one example against its reference, over launches, lane counts and CPUs.

usage: run.py KERNC CASE FOLDER [--warp] [LAUNCH...]

A LAUNCH is the launch options of one run in one word (`--block 33`); without any, the case's own is used. Each is run with the
default lanes and with one lane (not with --warp: collectives need a warp), for this machine's CPU and for x86-64-v3;
the first also with 32 lanes.
"""
import pathlib
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "examples"))
import reference

LANES = [[], ["--lanes=1"]]
ARCHS = ([], ["--arch=x86-64-v3"])


def main(kernc, name, folder, *rest):
    case, example, args, expect = reference.write(name, folder)
    launches = [word for word in rest if word != "--warp"] or [case.launch]
    failed = 0
    for launch in launches:
        for lanes in (LANES[:1] if "--warp" in rest else LANES) + ([["--lanes=32"]] if launch == launches[0] else []):
            for arch in ARCHS:
                command = [kernc, "run", str(root / "examples" / f"{example}.kern"), *args, *shlex.split(launch), *expect,
                           *lanes, *arch]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    failed += 1
                    print(f"exit code {done.returncode}: {shlex.join(command)}\n{done.stderr}")
    print(f"{name}: {failed} failed")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Compiles every text test that is a program, and assembles its PTX; names those that ptxas refuses.

usage: assemble.py KERNC PTXAS FOLDER

All are for sm_90, what is built in also for sm_80. (PTX that a test's own lines make, with their options, tests/assembled looks at.)
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

tests = pathlib.Path(__file__).resolve().parents[2]
LEAST = 300  # programs; others need options, or have no kernel


def sources():
    for path in sorted((*tests.rglob("*.kern"), *tests.glob("*/**/*.py"))):
        parts = path.relative_to(tests).parts
        if not path.stem.startswith("fail_") and not {"Inputs", "fuzz", "unit", "__pycache__"} & set(parts):
            yield path, "sm_90"
            if parts[0] == "builtins":
                yield path, "sm_80"


def refusal(kernc, ptxas, out, path, arch):
    """Returns what ptxas said, "" where it said nothing, None where there is no program."""
    if subprocess.run([kernc, str(path), f"--arch={arch}", "-o", f"{out}.ptx"], capture_output=True).returncode:
        return None
    done = subprocess.run([ptxas, f"-arch={arch}", f"{out}.ptx", "-o", f"{out}.cubin"], capture_output=True, text=True)
    return f"{path.relative_to(tests)} for {arch}: {done.stderr or done.stdout}" if done.returncode else ""


def main(kernc, ptxas, folder):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda job: refusal(kernc, ptxas, f"{folder}/{job[0]}", *job[1]), enumerate(sources())))
    programs = [text for text in said if text is not None]
    refused = [text for text in programs if text]
    print("\n".join([*refused, f"{len(programs)} programs of {len(said)}, {len(refused)} refused"]))
    return 1 if refused or len(programs) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Runs every example on the GPU against its reference, with the launches of tests/examples, and prints a table.

usage: examples.py KERNC FOLDER [OPTIONS of kernc run]
"""
import pathlib
import re
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "examples"))
import reference


def launches():
    """Yields the case and the launches of each test of tests/examples that runs one."""
    for path in sorted((root / "tests" / "examples").glob("*.test")):
        for line in re.findall(r"RUN:.*run\.py %kernc (.*)", path.read_text()):
            name, _, *rest = shlex.split(line)
            yield name, [word for word in rest if word != "--warp"]


def run(kernc, folder, name, launch, options):
    case, example, args, expect = reference.write(name, folder)
    command = [kernc, "run", str(root / "examples" / f"{example}.kern"), *args, *shlex.split(launch or case.launch), *expect, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, shlex.join(command) + "\n" + done.stderr


def main(kernc, folder, *options):
    failed = 0
    for name, words in launches():
        results = [run(kernc, folder, name, launch, options) for launch in words or [""]]
        wrong = [text for code, text in results if code]
        failed += bool(wrong)
        print(f"{name:32} {len(results)} launches  {'differs or fails' if wrong else 'agrees'}")
        for text in wrong:
            print(text)
    print(f"examples: {failed} failed")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

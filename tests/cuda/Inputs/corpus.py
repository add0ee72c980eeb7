#!/usr/bin/env python3
"""Runs the executed tests of the corpus once more, on the GPU: each `kernc run ... --expect` of their RUN lines gets --device cuda.

usage: corpus.py KERNC FOLDER

Lines that choose lanes or a CPU, or that pipe into FileCheck, say nothing about a GPU and are passed over.
"""
import pathlib
import re
import subprocess
import sys

tests = pathlib.Path(__file__).resolve().parents[2]
CPU_ONLY = re.compile(r"--lanes|--arch|FileCheck|--device|--emit|%exits|\|")


def run_lines(path):
    text = re.sub(r"\\\s*\n\s*#\s*(RUN:)?", " ", path.read_text(errors="replace"))
    return [line.strip() for line in re.findall(r"#\s*RUN:(.*)", text)]


def command_of(line, path, kernc, place):
    for name, value in (("%python", sys.executable), ("%kernc", kernc), ("%S", str(path.parent)), ("%s", str(path)), ("%t", place)):
        line = line.replace(name, value)
    return line


def main(kernc, folder):
    ran = failed = 0
    for path in sorted(tests.glob("*/*.*")):
        lines = run_lines(path)
        if not any("--expect" in line and "%kernc run" in line for line in lines) or path.parent.name == "cuda":
            continue
        place = f"{folder}/{path.stem}"
        for line in lines:
            is_run = "%kernc run" in line
            if (is_run and ("--expect" not in line or CPU_ONLY.search(line))) or not (is_run or "values.py" in line or "mkdir" in line):
                continue
            command = command_of(line, path, kernc, place) + (" --device cuda" if is_run else "")
            done = subprocess.run(command, shell=True, capture_output=True, text=True)
            ran += is_run
            if done.returncode:
                failed += 1
                print(f"{path.relative_to(tests)}: exit {done.returncode}: {command}\n{done.stderr}")
    print(f"corpus: {ran} runs, {failed} failed")
    return 1 if failed or not ran else 0


sys.exit(main(*sys.argv[1:]))

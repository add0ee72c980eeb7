#!/usr/bin/env python3
"""Runs every `kernc run` line of the examples' docstrings, as a reader would, in a folder with the files that they name.

usage: commands.py KERNC FOLDER
"""
import pathlib
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "examples"))
import reference

kernc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
count = failed = 0
for example in sorted((root / "examples").glob("*.kern")):
    lines = [line.strip() for line in example.read_text().splitlines() if line.startswith("    kernc ")]
    if not lines:
        print(f"FAIL: {example.name} shows no command")
        failed += 1
    for line in lines:
        words = shlex.split(line)
        case = f"{example.stem}.{words[3]}" if f"{example.stem}.{words[3]}" in reference.CASES else example.stem
        reference.write(case, folder / case)
        if (folder / case / "src.png").exists():
            (folder / case / "src.png").rename(folder / case / "photo.png")
        command = [kernc, "run", str(example), *words[3:]]
        done = subprocess.run(command, cwd=folder / case, capture_output=True, text=True)
        count += 1
        if done.returncode:
            failed += 1
            print(f"FAIL: exit code {done.returncode}: {line}\n{done.stderr}")
print(f"{count} commands, {failed} failed")
sys.exit(1 if failed or not count else 0)

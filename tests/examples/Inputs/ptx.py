#!/usr/bin/env python3
"""Compiles every example and the benchmark suite to PTX, twice, and assembles it where there is a ptxas.

usage: ptx.py KERNC FOLDER [PTXAS]
"""
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
kernc, folder, *ptxas = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
failed = 0


def run(*command):
    global failed
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        failed += 1
        print(f"FAIL: exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


sources = [*sorted((root / "examples").glob("*.kern")), root / "benchmarks/suite.kern"]
for source in sources:
    for arch in ("sm_80", "sm_90"):
        out = folder / f"{source.stem}.{arch}.ptx"
        run(kernc, source, f"--arch={arch}", "-o", out)
        if ptxas and out.exists():
            run(ptxas[0], f"-arch={arch}", out, "-o", folder / "out.cubin")
    if out.exists() and run(kernc, source, f"--arch={arch}", "--emit=ptx") != out.read_text():
        failed += 1
        print(f"FAIL: {source.name} compiles to other bytes the second time")
print(f"{len(sources)} files, {failed} failed")
sys.exit(1 if failed else 0)

#!/usr/bin/env python3
"""Compiles every test of a folder to PTX and assembles it; names those that ptxas refuses.

usage: assemble.py KERNC PTXAS FOLDER TEMPORARY ARCH
"""
import pathlib
import subprocess
import sys

kernc, ptxas, folder, temporary, arch = sys.argv[1:]
failed = 0
for path in sorted(pathlib.Path(folder).glob("*.kern")):
    if path.stem.startswith("fail_"):
        continue
    ptx = f"{temporary}.{path.stem}.ptx"
    for command in ([kernc, str(path), f"--arch={arch}", "-o", ptx], [ptxas, f"-arch={arch}", ptx, "-o", f"{temporary}.cubin"]):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            failed += 1
            print(f"{path.name} for {arch}: {command[0]}: {result.stderr or result.stdout}")
            break
sys.exit(1 if failed else 0)

#!/usr/bin/env python3
"""How long a module takes to load on a GPU, compiled by the driver or out of its cache: each kernel of suite.kern as a module of its
own. Makes build/load_time/: manifests, PTX and the program load_time, which needs nothing else, and runs it where there is a driver.

usage: load_time.py [BUILD]
"""
import ctypes
import os
import pathlib
import subprocess
import sys

from compile_time import kernels_apart, root

build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "build")
folder = build / "load_time"
folder.mkdir(exist_ok=True)
for name, source in kernels_apart((root / "benchmarks/suite.kern").read_text()):
    (folder / f"{name}.kern").write_text(source)
    subprocess.run([build / "bin/kernc", f"{name}.kern", "-o", f"{name}.json", "-o", f"{name}.ptx"], cwd=folder, check=True)
subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O2", f"-I{root / 'runtime/include'}", root / "benchmarks/load_time.cpp",
                build / "runtime/libkern_runtime.a", "-lpthread", "-ldl", "-o", folder / "load_time"], check=True)
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    sys.exit(f"load_time.py: no driver here; on a machine with a GPU run {folder / 'load_time'} {folder}")
sys.exit(subprocess.run([folder / "load_time", folder]).returncode)

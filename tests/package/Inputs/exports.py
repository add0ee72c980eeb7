"""Demands that each NAME.so exports only what NAME.o defines.

Usage: exports.py NAME...
"""
import subprocess
import sys


def names(file, *options):
    said = subprocess.run(["nm", *options, "--defined-only", file], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in said.splitlines()}


for name in sys.argv[1:]:
    more = names(f"{name}.so", "-D") - names(f"{name}.o") - {"_init", "_fini", "_edata", "_end", "__bss_start"}
    assert not more, sorted(more)

"""Runs each command of kernc that writes to the standard output with one that is full, and one that is closed: exit code 2 (or that of another
error), and E0802 says why.

Usage: unwritable.py KERNC
"""
import json
import os
import re
import subprocess
import sys

KERNC = sys.argv[1]
SOURCE = "@kernel\ndef f(y: f32[:]):\n    y[0] = 1.0\n"
PRINTS = "@kernel\ndef f(y: f32[:]):\n    print(y[0])\n"
RUN = ["run", "k.kern", "y=zeros:f32:4", "--device=cpu", "--grid=1"]
# The cache has an entry to tell of.
ENVIRONMENT = {**os.environ, "KERN_CACHE": "on", "KERN_CACHE_DIR": os.path.abspath("cache")}
FULL, CLOSED = "No space left on device", "Bad file descriptor"


def commands():
    refused = subprocess.run([KERNC, "k.kern", "--emit=none"], capture_output=True, text=True).stderr
    for form in re.search(r"give one of: (.*)", refused).group(1).split(", "):
        if form != "cubin":  # takes ptxas
            yield ["k.kern", f"--emit={form}"]
    yield from (["k.kern", "-o", "-"], ["k.kern", "-o", "-", "--target=cpu"], ["k.kern", "-o", "-", "-o", "k.o"], ["large.kern", "--emit=ast"])
    yield from (RUN, RUN + ["--print", "y"], RUN + ["--print", "y", "--diagnostics=json"], RUN + ["--time"], ["run", "p.kern", *RUN[2:]], RUN + ["--print", "y", "-o", "y=y.npy"])
    yield from (["check", "k.kern", "--numba-report"], ["check", "k.kern", "--numba-report", "--diagnostics=json"])
    yield from (["--version"], ["--help"], ["help"], ["help", "run"], ["run", "--help"], ["check", "--help"], ["explain", "E0302"], ["builtins"], ["builtins", "sqrt"])
    yield from (["devices"], ["doctor"], ["cache", "info"], ["cache", "explain"], ["cache", "clear"])


def wrong(words, full):
    shell = '"$@" > /dev/full' if full else '"$@" >&-'
    done = subprocess.run(["sh", "-c", shell, "sh", KERNC, *words], capture_output=True, text=True, env=ENVIRONMENT)
    said = [line for line in done.stderr.splitlines() if "<stdout>" in line]
    if "--diagnostics=json" in words:
        said = [json.loads(line)["message"] for line in done.stderr.splitlines() if json.loads(line)["code"] == "E0802"]
    why = FULL if full else CLOSED
    if done.returncode in (2, 3) and len(said) == 1 and said[0].endswith(why):
        return None
    return f"{' '.join(words)} {shell}: exit code {done.returncode}, {done.stderr!r}"


def main():
    for name, text in (("k", SOURCE), ("p", PRINTS), ("large", SOURCE + "".join(f"A{i} = {i}\n" for i in range(20000)))):
        with open(f"{name}.kern", "w") as file:
            file.write(text)
    found = [(words, full) for words in commands() for full in (True, False)]
    failures = [text for text in (wrong(words, full) for words, full in found) if text]
    print("\n".join(failures + [f"{len(found)} commands, {len(failures)} wrong"]))


main()

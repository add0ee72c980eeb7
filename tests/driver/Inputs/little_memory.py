#!/usr/bin/env python3
"""Runs kernc with less and less address space, from what is enough down to what its libraries need: each run ends with its result or
with an error, never as a bug of kernc. usage: little_memory.py KERNC ARGUMENTS..."""
import resource
import subprocess
import sys


def run(mebibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))

    return subprocess.run(sys.argv[1:], capture_output=True, text=True, preexec_fn=limit, timeout=60)


results = []
for mebibytes in range(400, 0, -4):
    done = run(mebibytes)
    # The loader of shared libraries, not kernc, says that there is no room for them.
    if done.returncode == 127 or done.returncode < 0 and "kernc" not in done.stderr:
        break
    results.append(done.returncode)
    if done.returncode not in (0, 3) or "bug in kernc" in done.stderr:
        sys.exit(f"with {mebibytes} MiB: exit code {done.returncode}\n{done.stderr}")
print(f"{results.count(0)} runs had enough, {results.count(3)} had an error: none is a bug")

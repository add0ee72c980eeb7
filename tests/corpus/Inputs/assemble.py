#!/usr/bin/env python3
"""Compiles the text tests and examples that are programs, in each form, and assembles their PTX; names those that ptxas refuses.

usage: assemble.py KERNC PTXAS FOLDER [PART [SEED]]

Of all pairs of a program and a form one in PART is taken, by a hash of its name and SEED; 1 takes all. The form `large` has behind its own
kernels one that is too long to be optimised, which calls nothing; only a program with device functions that stay functions is taken so. All
are for sm_90, what is built in also for sm_80. (PTX that a test's own lines make, tests/assembled looks at.)
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import zlib

root = pathlib.Path(__file__).resolve().parents[3]
FORMS = {"default": [], "O0": ["-O0"], "clamp": ["--on-fault=clamp"], "large": []}
LEAST = 1000  # pairs with PART 1; other programs need options, or have no kernel
LINES = "\n        ".join(f"if v > {j}: v = v * 2" for j in range(700))
HEADS = {".kern": "@kernel\ndef too_large(y: i32[:]):", ".py": "from numba import cuda as cuda_too_large\n@cuda_too_large.jit('void(int32[:])')\ndef too_large(y):"}
BODY = f"\n    i = {{}}grid(1)\n    if i < y.size:\n        v = y[i]\n        {LINES}\n        y[i] = v\n"


def sources():
    for path in sorted((*root.glob("tests/**/*.kern"), *root.glob("tests/*/**/*.py"), *root.glob("examples/*.kern"), *root.glob("examples/**/*.py"))):
        parts = path.relative_to(root).parts
        if not path.stem.startswith("fail_") and not {"Inputs", "fuzz", "unit", "__pycache__"} & set(parts):
            yield path, "sm_90"
            if parts[:2] == ("tests", "builtins"):
                yield path, "sm_80"


def has_functions(ptx):
    return bool(re.search(r"^\.func.*\bkern_[0-9]+_", ptx.read_text(), re.MULTILINE))


def compiles(kernc, source, arch, form, ptx):
    options = [f"--arch={arch}", f"-I{source.parent}", "-o", str(ptx), *FORMS[form]]
    if form == "large":
        beside = ptx.with_suffix(source.suffix)
        beside.write_text(source.read_text() + "\n\n" + HEADS[source.suffix] + BODY.format("" if source.suffix == ".kern" else "cuda_too_large."))
        if not compiles(kernc, source, arch, "O0", ptx) or not has_functions(ptx):
            return False
        source = beside
    return subprocess.run([kernc, str(source), *options], capture_output=True).returncode == 0


def refusal(kernc, ptxas, folder, job):
    """Returns what ptxas said, "" where it said nothing, None where there is no program."""
    number, (source, arch, form) = job
    ptx = folder / f"{number}.ptx"
    if not compiles(kernc, source, arch, form, ptx):
        return None
    # What the driver would refuse, ptxas refuses before it optimises.
    level = "-O3" if form == "default" else "-O0"
    done = subprocess.run([ptxas, f"-arch={arch}", level, str(ptx), "-o", f"{ptx}.cubin"], capture_output=True, text=True)
    return f"{source.relative_to(root)} for {arch}, {form}: {done.stderr or done.stdout}" if done.returncode else ""


def main(kernc, ptxas, folder, part="1", seed="1"):
    jobs = [(*source, form) for source in sources() for form in FORMS]
    jobs = [job for job in jobs if zlib.crc32(f"{job[0].relative_to(root)} {job[1:]} {seed}".encode()) % int(part) == 0]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda job: refusal(kernc, ptxas, pathlib.Path(folder), job), enumerate(jobs)))
    programs = collections.Counter(job[2] for job, text in zip(jobs, said) if text is not None)
    refused = [text for text in said if text]
    print("\n".join([*refused, f"{dict(programs)} programs of {len(said)}, {len(refused)} refused"]))
    return 1 if refused or programs.total() < LEAST // int(part) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

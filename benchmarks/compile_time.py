#!/usr/bin/env python3
"""How long the compiler takes, in milliseconds: each kernel of suite.kern alone, to PTX and to CPU code, as --time-report adds its phases
up; each example to PTX as a process of its own; and one file of 2,000 lines. `C` stands for C-contiguous arrays (`f32[:, ::1]`), which is
what Numba compiles for and what `kernc run` knows of arrays that are. `warm` is a compilation for a launch in a process that has compiled
before, by the program compile_time beside kernc (ninja compile_time); the others begin in a process of their own.

usage: compile_time.py [KERNC]
"""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
TARGETS = {"PTX": ["--emit=ptx"]}
for arch in ("v3", "v4"):
    TARGETS[arch] = TARGETS[f"{arch} C"] = ["--emit=asm", "--target=cpu", f"--arch=x86-64-{arch}"]
REPEATS = 7


def names(text):
    """Of an option: `a,b`."""
    return [name for name in text.split(",") if name]


def kernels_apart(text):
    """Yields (name, source) of each kernel, with what all of them share."""
    pieces = re.split(r"(?m)^(?=@)", text)
    shared = [pieces[0]] + [piece for piece in pieces[1:] if piece.startswith("@device")]
    for piece in pieces[1:]:
        if piece.startswith("@kernel"):
            yield re.search(r"^def (\w+)", piece, re.M)[1], "".join(shared) + piece


def contiguous(source):
    return re.sub(r"\[((?::, )*):\]", r"[\1::1]", source)


def reported(kernc, file, options):
    """The total of --time-report: the median of several compilations."""
    totals = []
    for _ in range(REPEATS):
        done = subprocess.run([kernc, file, *options, "-o", "/dev/null", "--time-report"], capture_output=True, text=True, check=True)
        totals.append(float(re.search(r"(?m)^ *total +([\d.]+) ms", done.stderr)[1]))
    return statistics.median(totals)


def warm(program, arch, file):
    """The same in a process that has compiled before."""
    done = subprocess.run([program, arch, str(REPEATS), file], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[2])


def as_process(command):
    """Milliseconds of a whole process: the median of several."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def long_file(lines):
    """Kernels and device functions, each with a loop, a branch and guards, until there are so many lines."""
    text = []
    for number in range(lines // 14 + 1):
        text.append(f"@device\ndef step{number}(x: f32, n: i32) -> f32:\n    total = f32(0.0)\n    for k in range(n):\n"
                    f"        total += x * f32(k + {number})\n    return total\n\n@kernel\ndef k{number}(x: f32[:], y: f32[:], n: i32):\n"
                    f"    i = grid(1)\n    if i < y.size:\n        y[i] = step{number}(x[i], n) + {number}.5\n\n\n")
    return "".join(text)


def main(kernc):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "one.kern"
        program = pathlib.Path(kernc).parent / "compile_time"
        ways = {f"warm {arch}": name for arch, name in (("PTX", "cuda"), ("v3", "x86-64-v3"), ("v4", "x86-64-v4"))} if program.exists() else {}
        columns = {name: [] for name in (*TARGETS, *ways)}
        print(f"{'kernel':16}" + "".join(f"{name:>9}" for name in columns))
        for name, source in kernels_apart((root / "benchmarks/suite.kern").read_text()):
            for target, options in TARGETS.items():
                file.write_text(contiguous(source) if target.endswith("C") else source)
                columns[target].append(reported(kernc, file, options))
            for column, arch in ways.items():
                file.write_text(contiguous(source))
                columns[column].append(warm(program, arch, file))
            print(f"{name:16}" + "".join(f"{times[-1]:9.1f}" for times in columns.values()), flush=True)
        print(f"{'median':16}" + "".join(f"{statistics.median(times):9.1f}" for times in columns.values()))
        processes = [as_process([kernc, example, "-o", f"{folder}/x.ptx"]) for example in sorted((root / "examples").glob("*.kern"))]
        print(f"a process, .kern to .ptx, {len(processes)} examples: median {statistics.median(processes):.1f}, most {max(processes):.1f}")
        file.write_text(long_file(2000))
        print(f"{len(file.read_text().splitlines())} lines to PTX: {as_process([kernc, file, '-o', f'{folder}/x.ptx']):.0f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else root / "build/bin/kernc")

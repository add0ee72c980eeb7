"""The command line that the generators share: KERNC, how many kernels from which seed on, for how long at most.

A generator adds what it has beyond: `parser(40, keep=True)` has --keep DIR as well, `device` --device; `extra` is what is written
behind `--`. Imported by the scripts beside it; it is no generator itself.
"""
import argparse
import os
import pathlib
import random
import sys
import tempfile
import time


class Parser(argparse.ArgumentParser):
    """Takes what is written behind `--` for options of kernc, wherever KERNC stands."""

    def parse_args(self, words=None):
        words = sys.argv[1:] if words is None else list(words)
        end = words.index("--") if "--" in words else len(words)
        options = super().parse_args(words[:end])
        options.extra = words[end + 1:]
        return options


def parser(count, keep=False, device=False):
    made = Parser(description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("kernc")
    made.add_argument("--count", type=int, default=count, help="how many are written")
    made.add_argument("--seed", type=int, default=1, help="of the first one")
    made.add_argument("--seconds", type=float, default=float("inf"), help="no other is begun after so many")
    if keep:
        made.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="where those that fail are kept")
    if device:
        made.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
        made.add_argument("--cuda", dest="device", action="store_const", const="cuda", help="--device=cuda")
    return made


def rounds(options):
    """0, 1, ... as often as the command line says."""
    end = time.monotonic() + options.seconds
    for number in range(options.count):
        if number > 0 and time.monotonic() > end:
            return
        yield number


def seeds(options):
    """The seeds of the kernels, one after the other."""
    return (options.seed + number for number in rounds(options))


def agree(options, check):
    """Calls check(options, seed, scratch), which ends the program where a kernel is wrong, for each seed, and says how many agree."""
    count = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in seeds(options):
            check(options, seed, pathlib.Path(scratch))
            count += 1
    print(count, "kernels agree")


def check_each(options, name, check):
    """Calls check(rng, folder, options) for each kernel, which returns what is wrong, and shows and keeps the files `k.*` of those that
    fail. Returns the exit status."""
    tried = failures = 0
    for number in rounds(options):
        tried += 1
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            problem = check(random.Random(options.seed * 100_003 + number), folder, options)
            if problem:
                failures += 1
                paths = sorted(folder.glob("k.*"))
                print(f"kernel {number}: {problem}", *(path.read_text() for path in paths), sep="\n")
                keep(options, f"{name}{number}", *paths)
    print(f"{name}: {tried - failures} passed, {failures} failed")
    return failures > 0


def check_programs(options, name, make, kernc_says):
    """Compares kernc with Python over programs of a .py file: make(rng) returns a text, what Python says of it, and what else
    kernc_says(kernc, file, ways' options, more...) needs. Each runs by single threads and by vectors, or on the GPU. Returns the exit status."""
    ways = [["--device=cuda"]] if options.device == "cuda" else [["--device=cpu", f"--lanes={n}"] for n in (1, 16)]

    def check(rng, folder, options):
        text, expected, *more = make(rng)
        file = folder / "k.py"
        file.write_text(text)
        for way in ways:
            found = kernc_says(options.kernc, file, way, *more)
            if found != expected:
                return f"{' '.join(way)}: Python says {expected}, kernc {found}"
        return None

    os.environ["KERN_CACHE"] = "off"
    return check_each(options, name, check)


def keep(options, name, *paths):
    """Keeps files of what failed, as `name` and their suffixes."""
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        for path in paths:
            (options.keep / (name + path.suffix)).write_bytes(path.read_bytes())

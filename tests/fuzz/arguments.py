"""The command line that the generators share: KERNC, how many kernels from which seed on, or for how long.

Tests give counts and seeds, so that they do the same on every machine; ../generators.py gives seconds and new seeds. Each kernel has a seed of
its own: `--seed S --count 1` makes the kernel again of which it was said that seed S fails. A generator adds what it has beyond: `parser(40,
keep=True)` has --keep DIR as well, `device` --device; `extra` is what is written behind `--`. Imported by the scripts beside it; it is no
generator itself.
"""
import argparse
import itertools
import os
import pathlib
import random
import sys
import tempfile
import time

SKIPPED = "nothing came of this seed"  # what a check returns then: it does not count


class Parser(argparse.ArgumentParser):
    """Takes what is written behind `--` for options of kernc, wherever KERNC stands."""

    def __init__(self, count):
        super().__init__(description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.count = count

    def parse_args(self, words=None):
        words = sys.argv[1:] if words is None else list(words)
        end = words.index("--") if "--" in words else len(words)
        options = super().parse_args(words[:end])
        options.extra = words[end + 1:]
        if options.count is None:
            options.count = self.count if options.seconds is None else sys.maxsize
        if options.seconds is None:
            options.seconds = float("inf")
        # As where lit runs it: nothing is kept from run to run, and nothing said of launches that are small.
        os.environ |= {"KERN_CACHE": "off", "KERN_WARNINGS": "off"}
        return options


def parser(count, keep=False, device=False):
    made = Parser(count)
    made.add_argument("kernc")
    made.add_argument("--count", type=int, help=f"how many are written; {count}, or with --seconds as many as there is time for")
    made.add_argument("--seed", type=int, default=1, help="of the first one")
    made.add_argument("--seconds", type=float, help="no other is begun after so many")
    if keep:
        made.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="where those that fail are kept")
    if device:
        made.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
        made.add_argument("--cuda", dest="device", action="store_const", const="cuda", help="--device=cuda")
    return made


def each(options, check):
    """Calls check(seed, folder) for each seed that the command line asks for, with a folder for its files, and says the seed of an
    exception. Returns how many were not skipped."""
    end, count = time.monotonic() + options.seconds, 0
    for seed in itertools.count(options.seed):
        if count == options.count or (seed > options.seed and time.monotonic() > end):
            return count
        with tempfile.TemporaryDirectory() as scratch:
            try:
                count += check(seed, pathlib.Path(scratch)) is not SKIPPED
            except BaseException:
                print(f"seed {seed}:", file=sys.stderr, flush=True)
                raise


def agree(options, check):
    """Calls check(options, seed, folder), which ends the program where a kernel is wrong, for each seed, and says how many agree."""
    print(each(options, lambda seed, folder: check(options, seed, folder)), "kernels agree")


def check_each(options, name, check):
    """Calls check(options, seed, folder) for each seed, which returns what is wrong, and shows and keeps the files `k.*` of those that
    fail. Returns the exit status."""
    failures = []

    def check_one(seed, folder):
        problem = check(options, seed, folder)
        if problem and problem is not SKIPPED:
            failures.append(seed)
            paths = sorted(folder.glob("k.*"))
            print(f"seed {seed}: {problem}", *(path.read_text() for path in paths), sep="\n", flush=True)
            keep(options, f"{name}{seed}", *paths)
        return problem

    tried = each(options, check_one)
    print(f"{name}: {tried - len(failures)} passed, {len(failures)} failed")
    return len(failures) > 0


def part_of(seed, cases, parts):
    """Which of the parts of a matrix a seed stands for: as many seeds in a row as there are parts have all of it, in an order by chance."""
    turn, part = divmod(seed, parts)
    return random.Random(turn).sample(cases, len(cases))[part::parts]


def batches(options, size):
    """The seeds, some at a time, for kernels that are built together."""
    end = time.monotonic() + options.seconds
    for done in itertools.count(0, size):
        if done >= options.count or (done > 0 and time.monotonic() > end):
            return
        yield range(options.seed + done, options.seed + min(done + size, options.count))


def check_programs(options, name, make, kernc_says):
    """Compares kernc with Python over programs of a .py file: make(rng) returns a text, what Python says of it, and what else
    kernc_says(kernc, file, ways' options, more...) needs. Each runs by single threads and by vectors, or on the GPU. Returns the exit status."""
    ways = [["--device=cuda"]] if options.device == "cuda" else [["--device=cpu", f"--lanes={n}"] for n in (1, 16)]

    def check(options, seed, folder):
        text, expected, *more = make(random.Random(seed))
        file = folder / "k.py"
        file.write_text(text)
        for way in ways:
            found = kernc_says(options.kernc, file, way, *more)
            if found != expected:
                return f"{' '.join(way)}: Python says {expected}, kernc {found}"
        return None

    return check_each(options, name, check)


def keep(options, name, *paths):
    """Keeps files of what failed, as `name` and their suffixes, where a generator has the option."""
    if getattr(options, "keep", None):
        options.keep.mkdir(parents=True, exist_ok=True)
        for path in paths:
            (options.keep / (name + path.suffix)).write_bytes(path.read_bytes())

#!/usr/bin/env python3
"""Runs the generators of tests/fuzz by the clock and with new seeds. Text tests run them with counts and fixed seeds instead, so that a test
does the same on every machine.

A generator is a script there whose usage has [--seconds T]. It runs as it stands, and again with the options of each line `# fuzz: OPTIONS` in
it. Of a script without seeds such a line says with which options all of it runs, or `# fuzz: no, REASON`. What fails is shown, with a command
line that does it again; the exit code is 1 then.

usage: generators.py KERNC [--seconds N] [--list] [NAME...]
"""
import argparse
import ast
import concurrent.futures
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
FOLDER = root / "tests/fuzz"
LEFT_OUT = "no, "
PATIENCE = 300  # seconds beyond those that were asked for, until what still runs is taken to hang


def scripts():
    """The files that are run, and not only imported."""
    return [path for path in sorted(FOLDER.glob("*.py")) if path.read_text().startswith("#!")]


def lines_of(path):
    return re.findall(r"^# fuzz: (.+)$", path.read_text(), re.M)


def takes_seconds(path):
    return "[--seconds T]" in ast.get_docstring(ast.parse(path.read_text()))


def variants(path):
    """The options of each command line of a script."""
    given = [line for line in lines_of(path) if not line.startswith(LEFT_OUT)]
    return [shlex.split(options) for options in ([""] if takes_seconds(path) else []) + given]


def reason(path):
    """Why a script is left out, if it is."""
    return next((line[len(LEFT_OUT):] for line in lines_of(path) if line.startswith(LEFT_OUT)), None)


def command(path, kernc, options, more):
    """Puts more options before those that are for kernc."""
    end = options.index("--") if "--" in options else len(options)
    return [sys.executable, os.path.relpath(path), kernc, *options[:end], *more, *options[end:]]


def run(words, patience):
    """Returns all that was written, and the exit code; what still runs after so many seconds is ended with all that it began."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
    try:
        return process.communicate(timeout=patience)[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0] + f"it does not end within {patience:.0f} s\n", 1


def again(path, options, variant, words, said):
    """The command lines that repeat a failure: one for each seed that is named, or else the same once more."""
    seeds = list(dict.fromkeys(re.findall(r"^seed (\d+):", said, re.M)))
    return [command(path, options.kernc, variant, ["--seed", seed, "--count", "1"]) for seed in seeds[:5]] or [words]


def attempt(path, options, variant, seed):
    """Runs a command line. Returns whether it fails, and what to say of it."""
    more = ["--seed", str(seed), "--seconds", f"{options.seconds:g}"] if takes_seconds(path) else []
    words = command(path, options.kernc, variant, more)
    said, code = run(words, options.seconds + PATIENCE)
    name = " ".join([path.stem, *variant])
    if code == 0:
        return False, f"{name}: {'; '.join(said.splitlines())}"
    repeats = "\n".join(f"again: {shlex.join(each)}" for each in again(path, options, variant, words, said))
    return True, f"FAIL: {name}: exit code {code}\n{said[-6000:]}{repeats}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernc")
    parser.add_argument("--seconds", type=float, default=20, help="for each command line")
    parser.add_argument("--list", action="store_true", help="only shows the command lines, and what is left out")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a generator; all without one")
    options = parser.parse_intermixed_args()
    chosen = [path for path in scripts() if not options.names or path.stem in options.names]
    if unknown := set(options.names) - {path.stem for path in chosen}:
        parser.error(f"tests/fuzz has no generator {', '.join(sorted(unknown))}")
    tasks = [(path, variant) for path in chosen for variant in variants(path)]
    if options.list:
        print(*(" ".join([path.stem, *variant]) for path, variant in tasks), *(f"{path.stem}: left out, {reason(path)}" for path in chosen if reason(path)), sep="\n")
        return 0
    seed, failed = random.SystemRandom().randrange(10**9), 0
    print(f"fuzz: {len(tasks)} command lines, {options.seconds:g} s each, seeds from {seed} on", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in concurrent.futures.as_completed([pool.submit(attempt, path, options, variant, seed) for path, variant in tasks]):
            fails, text = done.result()
            failed += fails
            print(text, flush=True)
    print(f"fuzz: {failed} of {len(tasks)} command lines failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

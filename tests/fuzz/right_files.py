#!/usr/bin/env python3
"""Files of the tests and examples that are right: each compiles with every option that changes code, and with one expression that is wrong it is
told so; nothing ends kernc by a bug or a signal.

usage: right_files.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import pathlib
import random
import re
import shlex
import subprocess
import sys
import zlib

import arguments

root = pathlib.Path(__file__).resolve().parent.parent.parent
CODE_OPTIONS = [["-g"], ["-O0", "-g"], ["-O0"], ["--line-info=full"], ["--cancellable"], ["--on-fault=clamp"]]
WRONG = ["nope", "nope.x", "nope(1)", "nope[0]", "(1, 2)", "None", "'text'", "0.5", "-1", ""]
MUTANTS = 6  # of each file
# What is returned, an operand, and texts and comments, which stay.
SPOT = re.compile(r"(?P<skip>#.*|'[^'\n]*'|\"[^\"\n]*\")|(?<=\breturn )(?P<result>[^\n#]+)|(?<=\bassert )(?P<condition>[^\n#]+)|\b(?P<operand>\d[\w.]*|[A-Za-z_]\w*)\b")
KEYWORDS = set("and as assert break class continue def del elif else for from if import in is lambda not or pass return while with".split())


def files():
    paths = [path for folder in ("examples", "stdlib", "tests") for path in sorted((root / folder).rglob("*")) if path.suffix in (".kern", ".py")]
    for path in paths:
        if path.name.startswith("fail_") or path.stat().st_size > 20_000 or "fuzz" in path.parts:
            continue
        text = path.read_text(errors="replace")
        if path.suffix == ".kern" or "cuda.jit" in text or "vectorize" in text:
            yield path, text


def words_of(path, text):
    """The signatures and values that the first RUN line of a file gives to kernc, and its folder, for what it imports."""
    line = next((line for line in re.findall(r"RUN: (.*)", text) if "%kernc" in line and "%s" in line and "%exits" not in line), "")
    words = shlex.split(line.replace("%S", str(path.parent)))
    given = [[word, words[at + 1]] if word in ("--sig", "-D", "-I") else [word] for at, word in enumerate(words) if re.match("--sig|-D|-I", word)]
    return [word for each in given for word in each] + ["-I", str(path.parent)]


def mutant(rng, text):
    """A text with one wrong expression in it."""
    spots = [spot for spot in SPOT.finditer(text) if not spot["skip"] and spot["operand"] not in KEYWORDS]
    results = [spot for spot in spots if not spot["operand"]]
    spot = rng.choice(results if results and rng.random() < 0.4 else spots)
    wrong = rng.choice(WRONG) if not spot["operand"] else rng.choice(WRONG[:-1])
    return text[:spot.start()] + wrong + text[spot.end():]


def run(command):
    """Returns the exit code of kernc and what it says."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    return done.returncode, f"{shlex.join(command)}\nexit {done.returncode}\n{done.stderr}"


def check(options, seed, folder):
    rng = random.Random(seed)
    # By a hash, so that a file more does not change what other seeds take.
    path, text = min(check.files, key=lambda each: zlib.crc32(f"{each[0].relative_to(root)} {seed}".encode()))
    words, file = words_of(path, text), folder / f"k{path.suffix}"
    compiled = [options.kernc, str(path), *words, "--arch=sm_80,x86-64-v3", "-o", str(folder / "out.ptx"), "-o", str(folder / "out.o"), *options.extra]
    code, said = run([*compiled, *rng.choice(CODE_OPTIONS)])
    if code != 0:
        # What does not compile alone wants types, or is wrong.
        return said if code not in (1, 2) or run(compiled)[0] == 0 else arguments.SKIPPED
    for _ in range(MUTANTS):
        file.write_text(mutant(rng, text))
        code, said = run([options.kernc, "check", str(file), *words])
        if code not in (0, 1):
            return said
    return None


def main():
    options = arguments.parser(100, keep=True).parse_args()
    check.files = list(files())
    return arguments.check_each(options, "right_files", check)


if __name__ == "__main__":
    sys.exit(main())

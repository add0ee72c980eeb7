#!/usr/bin/env python3
"""Says what `./dev test --changed` runs, a line each: targets to build, a pattern of unit tests, paths for lit.

A folder reaches itself and the folders behind it in compiler/faces.txt; a text test stands for the folder that TEXTS names. The quick
text tests of the changed folders run, and MOST of those of the folders behind them, other ones for each commit. Quick is what runs kernc on
files that are there: no generator or other script, no program that is built. A test that changed itself runs in any case. unit_driver,
which takes minutes, runs where the driver changed. `./dev test` runs all of them.

usage: changed.py [REF]
"""
import hashlib
import pathlib
import re
import subprocess
import sys

import layers

ROOT = pathlib.Path(__file__).resolve().parent.parent
PHASES = [folder for folder in layers.read_faces(ROOT / "compiler/faces.txt") if "/" not in folder]
# The phase whose work the text tests of a folder look at; those of a folder without a row look at all of kernc.
TEXTS = {"lex": "lex", "parse": "parse", "load": "check", "check": "check", "messages": "check", "analysis": "analysis",
         "guards": "analysis", "transform": "transform", "lower": "lower", "builtins": "lower", "stdlib": "lower", "emit": "emit",
         "debug": "emit"}
# The folders of text tests that tell of something else, too.
ALSO = {"lint": ["analysis"], "docs": ["docs"], "examples": ["examples", "docs"], "benchmarks": ["benchmarks"],
        "runtime": ["aot", "driver", "jit"], "stdlib": ["stdlib", "builtins", "examples"], "cmake": ["package"]}
MOST = 200  # text tests of folders that did not change
RUNTIME_UNITS = "unit_runtime.*|unit_jit.*"
SLOW = re.compile(r"%python \S+\.py|%cxx|%cmake|%cpack|%build|%ptxas|%jit_formula|%print_names")


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


def changed_files(ref):
    """Returns the paths of what differs from REF, new files included; from the commit before where nothing differs from HEAD."""
    found = git("diff", "--name-only", ref or "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return found or ([] if ref else git("diff", "--name-only", "HEAD~1"))


def text_tests():
    """Yields (folder, path, text) of each text test."""
    for folder in sorted(path for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name not in ("unit", "fuzz")):
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".kern", ".py", ".test"} and "Inputs" not in path.parts:
                text = path.read_text(errors="replace")
                if "RUN:" in text:
                    yield folder.name, path, text


class Reach:
    """What changed files reach: the smallest phase, unit binaries, folders of text tests as a whole, names that a test may hold."""

    def __init__(self):
        self.phase, self.units, self.whole, self.named, self.paths = len(PHASES), set(), set(), set(), set()

    def add(self, path):
        place = pathlib.PurePath(path)
        top = place.parts[0]
        if top == "compiler" and place.suffix != ".md":
            self.add_phase(place.parts[1] if len(place.parts) > 2 else PHASES[0])
        elif top == "tests" and len(place.parts) > 2 and place.parts[1] == "unit":
            self.units.add(f"unit_{place.parts[2]}.*" if len(place.parts) > 3 else "unit_.*")
        elif top == "tests" and len(place.parts) > 2:
            self.paths.add(ROOT / place)
            self.named.add(place.name)
        elif top in ("tests", "CMakeLists.txt", "CMakePresets.json"):
            self.add_phase(PHASES[0])
        self.whole.update(ALSO.get(top, ()))
        if top == "runtime":
            self.units.add(RUNTIME_UNITS)
        if top == "stdlib":
            self.add_phase("driver")

    def add_phase(self, name):
        self.phase = min(self.phase, PHASES.index(name))
        self.whole.update(ALSO.get(name, ()))
        self.whole.update(folder for folder, phase in TEXTS.items() if phase == name)
        self.units.update(f"unit_{phase}" for phase in PHASES[self.phase:] if phase in (name, *PHASES[:-1]))

    def is_changed(self, folder, path, text):
        is_own = path in self.paths or any(name in text for name in self.named)
        return is_own or (folder in self.whole and not SLOW.search(text))

    def is_behind(self, folder, text):
        return PHASES.index(TEXTS.get(folder, PHASES[-1])) >= self.phase and not SLOW.search(text)


def main(ref=""):
    reach = Reach()
    for path in changed_files(ref):
        reach.add(path)
    tests = list(text_tests())
    texts = [path for folder, path, text in tests if reach.is_changed(folder, path, text)]
    commit = git("rev-parse", "HEAD")[0]
    behind = [path for folder, path, text in tests if path not in texts and reach.is_behind(folder, text)]
    behind.sort(key=lambda path: hashlib.sha1(f"{commit} {path.relative_to(ROOT)}".encode()).digest())
    texts = [str(pathlib.Path("build/tests") / path.relative_to(ROOT / "tests")) for path in texts + behind[:MOST]]
    units = "|".join(sorted(reach.units))
    # Which binaries a pattern means is CMake's to say; all of them are there where the runtime changed.
    targets = sorted(f"{unit}" for unit in reach.units if unit.isidentifier() and (ROOT / "tests/unit" / unit.removeprefix("unit_")).is_dir())
    if any(not unit.isidentifier() for unit in reach.units):
        targets = ["all"]
    print(" ".join(targets or ["kernc"]) if units or texts else "")
    print(units)
    print(" ".join(texts))


main(*sys.argv[1:2])

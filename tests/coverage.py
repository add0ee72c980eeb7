#!/usr/bin/env python3
"""Says what the tests do not cover: builtins without a file in tests/builtins/, diagnostics without an example that gives
exactly their code, diagnostics that no text test names, generators of tests/fuzz that none runs, or that the clock would end there.

A file of tests/builtins/ is named by its builtin ("atomic.add": atomic_add.kern), or begins with a line
"# covers: math.sin math.cos ..."; its code uses each of them. A diagnostic is named where a test looks for it: in a RUN or CHECK line.

usage: coverage.py [KERNC]
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import generators

root = pathlib.Path(__file__).resolve().parent.parent
string = r'"(?:[^"\\]|\\.)*"'

# Whose example would be too large to read or no text, or needs a machine without something; text tests make some of them.
NO_EXAMPLE = {"E0102", "E0356", "E0502", "E0510", "E0551", "E0552", "E0841", "E0890", "E0902", "E0903", "E0904", "E0905", "E0906", "E0950", "W0908", "W0909", "W0911", "E0912"}
# No program is known to cause these, or they need a machine without device math, with a broken ptxas or without memory
# (unit_jit_inject).
NO_TEST = {"E0890", "E0902", "E0903", "E0904", "E0905", "E0906", "E0912", "E0950"}


def builtins():
    """Yields the name of each builtin that a program can write."""
    text = (root / "compiler/builtins/builtins.def").read_text()
    for match in re.finditer(r'^BUILTIN\(\s*\w+,\s*"([^\[(: =]+)', text, re.M):
        if not match[1].startswith("_"):
            yield match[1]


def diagnostics():
    """Yields (code, level, explanation) of each diagnostic."""
    tables = re.findall(r'#include "(compiler/diagnostics/\w+\.def)"', (root / "compiler/diagnostics/diagnostics.def").read_text())
    for table in tables:
        text = (root / table).read_text()
        rows = re.findall(r'^DIAGNOSTIC\((\w+),\s*(\w+),.*?R"\((.*?)\)"\)$', text, re.M | re.S)
        assert len(rows) == len(re.findall(r"^DIAGNOSTIC\(", text, re.M)), f"a row of {table} is not understood"
        yield from rows


def code_of(text):
    """Returns a program without its comments and docstrings."""
    return re.sub(r'"""(?:.|\n)*?"""|#.*', "", text)


def uses(code, name):
    """Says whether code uses a builtin: by its whole name, by its last part after `from math import ...` and the like, or as a method."""
    module, _, last = name.rpartition(".")
    if re.search(r"\.[A-Z]", module):
        return f".{last}(" in code
    imported = module and re.search(rf"^from {re.escape(module)} import .*\b{last}\b", code, re.M)
    code = re.sub(r"^(from|import) .*$", "", code, flags=re.M)
    return any(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", code) for word in ([name, last] if imported else [name]))


def covered_builtins():
    named = {name.replace(".", "_"): name for name in builtins()}
    for path in sorted((root / "tests/builtins").glob("*.kern")):
        text = path.read_text()
        listed = re.match(r"# covers: (.*(?:\n#   .*)*)\n", text)
        names = listed[1].replace("\n#", " ").split() if listed else []
        # Other files are of several, or of something else that the language has.
        if path.stem in named:
            names.append(named[path.stem])
        for name in names:
            if uses(code_of(text), name):
                yield name
            else:
                print(f"FAIL: tests/builtins/{path.name} names {name} and does not use it")


def missing_builtins():
    covered = set(covered_builtins())
    for name in builtins():
        if name not in covered:
            yield f"no file of tests/builtins/ covers {name}"


def missing_text_tests(rows):
    texts = "".join(path.read_text() for suffix in ("kern", "py", "test") for path in (root / "tests").rglob(f"*.{suffix}")
                    if path.parent != root / "tests" and "unit" not in path.parts and "fuzz" not in path.parts)
    looks = "\n".join(re.findall(r"^ *#? *[A-Z][A-Z0-9_-]*:.*$", texts, re.M))
    named = set(re.findall(r"\b[EW]0\d{3}\b", looks))
    for code, _, _ in rows:
        if code not in named | NO_TEST:
            yield f"no text test names {code}"


def run_lines():
    """Yields (path, command) of each text test."""
    for path in sorted((root / "tests").rglob("*")):
        inside = path.relative_to(root / "tests")
        if path.suffix in (".kern", ".py", ".test") and len(inside.parts) > 1 and not {"Inputs", "unit", "fuzz"} & set(inside.parts):
            for line in re.findall(r"^\W*RUN:(.*)$", path.read_text(), re.M):
                yield inside, line


def wrong_generators():
    """A test covers the same on every machine, busy or not; ./dev fuzz knows what to do with each generator."""
    lines = list(run_lines())
    for path, line in lines:
        if re.search(r"--seconds\b", line):
            yield f"tests/{path} is ended by the clock: it takes --count and --seed, and no --seconds"
    # Not every machine has a GPU.
    named = {name for path, line in lines if path.parts[0] != "cuda" for name in re.findall(r"fuzz/(\w+)\.py", line)}
    for script in generators.scripts():
        if script.stem not in named:
            yield f"no text test runs tests/fuzz/{script.name}"
        if not generators.variants(script) and not generators.reason(script):
            yield f"tests/fuzz/{script.name} has neither [--seconds T] in its usage nor a line `# fuzz:`"


def block(explanation, fence):
    match = re.search(rf"^```{fence}\n(.*?)^```", explanation, re.M | re.S)
    return match[1] if match else None


def example_command(kernc, folder, level, explanation):
    """Writes an explanation's example into a folder; returns the command that shows it, or None where there is none."""
    source = block(explanation, "kern fail" if level == "Error" else "kern warn")
    if source is not None:
        dialect = "py" if "# dialect: numba" in source else "kern"
        (folder / f"example.{dialect}").write_text(source)
        options = re.findall(r"^# options: (.*)$", source, re.M)
        return [kernc, f"example.{dialect}"] + shlex.split(" ".join(options))
    command = block(explanation, "console fail" if level == "Error" else "console warn")
    if command is None:
        return None
    if (file := block(explanation, "kern")) is not None:
        (folder / "f.kern").write_text(file)
    words = shlex.split(command)
    return [kernc] + words[1:] if words[:1] == ["kernc"] else None


def wrong_examples(kernc, rows):
    for code, level, explanation in rows:
        with tempfile.TemporaryDirectory() as folder:
            command = example_command(kernc, pathlib.Path(folder), level, explanation)
            if not command:
                if code not in NO_EXAMPLE:
                    yield f"{code} has no example"
                continue
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            said = "error" if level == "Error" else "error|warning"
            codes = sorted(set(re.findall(rf"(?:{said})\[([EW]\d{{4}})\]", result.stderr)))
            if codes != [code]:
                yield f"the example of {code} gives {', '.join(codes) or 'nothing'} (exit {result.returncode})"


def main(kernc):
    rows = list(diagnostics())
    found = [*missing_builtins(), *missing_text_tests(rows), *wrong_generators(), *wrong_examples(str(pathlib.Path(kernc).resolve()), rows)]
    print("\n".join(f"FAIL: {line}" for line in found) or "coverage: complete")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [root / "build/bin/kernc"]))

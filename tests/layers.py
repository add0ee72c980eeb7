#!/usr/bin/env python3
"""Checks who includes whom: smaller phases never include larger ones, LLVM stays in lower/ and emit/, runtime/ never
includes compiler/."""
import pathlib
import re
import sys

ORDER = "support diagnostics lex ast parse types builtins ir check analysis transform lower emit driver".split()
# `check/dialect.h` is a leaf that analysis shares; everything else follows ORDER.
LLVM_FOLDERS = {"lower", "emit"}


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1)


def problems(root):
    for path in sorted((root / "compiler").rglob("*")):
        if path.suffix not in {".h", ".cpp", ".def"}:
            continue
        phase = path.relative_to(root / "compiler").parts[0]
        for number, target in includes(path):
            other = re.match(r"compiler/(\w+)/", target)
            if other and ORDER.index(other.group(1)) > ORDER.index(phase):
                yield f"{path}:{number}: {phase} may not include {target}"
            if target.startswith(("llvm/", "llvm-c/")) and phase not in LLVM_FOLDERS:
                yield f"{path}:{number}: only lower/ and emit/ include LLVM"
    for path in sorted((root / "runtime").rglob("*")):
        if path.suffix in {".h", ".hpp", ".cpp", ".def"}:
            for number, target in includes(path):
                if target.startswith("compiler/") and "jit" not in path.parts:
                    yield f"{path}:{number}: runtime/ may not include {target}"


found = list(problems(pathlib.Path(__file__).resolve().parent.parent))
print("\n".join(found) if found else "layers: in order")
sys.exit(1 if found else 0)

#!/usr/bin/env python3
"""Multiplies each pair of integer types at each place that widens, checks which of them are warned of, and that what
the warning writes is compiled without one."""
import itertools
import re
import subprocess
import sys

KERNC = sys.argv[1]
TYPES = ("i8", "u16", "i16", "i32", "u32", "i64")
PLACES = {
    "store": "y[0] = {}",
    "sum": "q += {}",
    "cast": "y[0] = i64({})",
    "local": "p = {}\n    y[0] = p",
    "sum of two": "y[0] = {} + 1",
}


def program(a, b, body):
    lines = "\n".join("    " + line.strip() for line in body.split("\n"))
    return f"@kernel\ndef k(a: {a}[:], b: {b}[:], y: i64[:]):\n    q: i64 = 0\n{lines}\n    y[1] = q\n"


def check(text, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([KERNC, "check", path], capture_output=True, text=True, timeout=60, check=False)
    return run.returncode, run.stdout + run.stderr


def limits(name):
    bits = int(name[1:])
    return (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def may_wrap(a, b):
    """Says whether the product is computed in 32 bits that may not hold it."""
    if "i64" in (a, b) or {a, b} == {"i32", "u32"} or ("u32" in (a, b) and min(limits(a)[0], limits(b)[0]) < 0):
        return False
    computed = "u32" if "u32" in (a, b) else "i32"
    ends = [x * y for x in limits(a) for y in limits(b)]
    least, greatest = limits(computed)
    return min(ends) < least or max(ends) > greatest


failures = 0
path = sys.argv[2]
for a, b in itertools.product(TYPES, TYPES):
    for name, place in PLACES.items():
        text = program(a, b, place.format("a[0] * b[0]"))
        code, said = check(text, path)
        warned = re.search(r"(W0730|W0744)\]: `(.*?)` is .* write `(.*?)`", said)
        right = bool(warned) == may_wrap(a, b)
        if right and warned:
            source, fix = warned.group(2), warned.group(3)
            mended = text.replace("p = a[0] * b[0]", fix) if source == "p" else text.replace(source, fix)
            code_after, after = check(mended, path)
            right = code_after == 0 and "W07" not in after
            said += "\nmended:\n" + mended + after
        if code != 0 or not right:
            failures += 1
            print(f"{a} * {b}, {name}: {text}{said}")
print(f"{failures} failures")
sys.exit(failures != 0)

#!/usr/bin/env python3
"""Puts the result of each operator on each pair of integer types, and on each type and a literal, into each narrower type, at
each kind of place. Where a message writes a text that saturates, that text is compiled, and saturates for every value at
the edges of the types; where it writes none, none is right for all of them. Rounded floats with literals around them too."""
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import numpy

KERNC, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
STEP = int(sys.argv[3]) if len(sys.argv) > 3 else 5  # of all cases one in so many
TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
TARGETS = ("i8", "u8", "i16", "u16", "i32", "u32")
FORMS = {
    "{a} + {b}": lambda a, b: a + b,
    "{a} - {b}": lambda a, b: a - b,
    "{a} * {b}": lambda a, b: a * b,
    "{a} + 65": lambda a, b: a + 65,
    "200 - {a}": lambda a, b: 200 - a,
    "3 * {a} - {b}": lambda a, b: 3 * a - b,
    "{a} + {b} * {b}": lambda a, b: a + b * b,
    "{a} * {b} + {b} * {a}": lambda a, b: 2 * a * b,
    "({a} + {b}) // 2": lambda a, b: (a + b) // 2,
    "({a} * {b}) >> 4": lambda a, b: (a * b) >> 4,
    "({a} - {b}) % 1000": lambda a, b: (a - b) % 1000,
    "-{a}": lambda a, b: -a,
    "abs({a})": lambda a, b: abs(a),
    "abs({a} - {b})": lambda a, b: abs(a - b),
    "{a} << 4": lambda a, b: a << 4,
    "{a} ** 2": lambda a, b: a * a,
    "min({a} + {b}, 70000)": lambda a, b: min(a + b, 70000),
    "{a} + 1 if {a} > {b} else {b} - 1": lambda a, b: a + 1 if a > b else b - 1,
}
CHUNK = 45  # fewer than the errors that are written of one file
AUGMENTED = ("+", "-", "*")
ROUNDED = {
    "round({x}) + 1": lambda x: round(x) + 1,
    "1 - round({x})": lambda x: 1 - round(x),
    "2 * round({x}) - 3": lambda x: 2 * round(x) - 3,
    "int({x}) + 40": lambda x: math.trunc(x) + 40,
    "round({x})": round,
}
REALS = [0.0, 0.5, -0.5, 1.5, 2.5, 99.49, 254.5, 255.5, 256.0, -129.0, 32767.5, -32769.0, 65535.0, 65534.6, 8388607.5, 16777217.0, 2147483647.0, 4e9, -4e9, 9.2e18, 1e19, -1e19, 3e38, -3e38]


def span(t):
    bits = int(t[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t[0] == "i" else (0, (1 << bits) - 1)


def edges(t):
    low, high = span(t)
    return sorted({low, low + 1, high, high - 1, high // 2, high // 2 + 1, 0, 1, 2, 100, *([-1, -2, low // 2] if low < 0 else [])})


class Case:
    def __init__(self, number, form, left, right, target, place):
        self.form, self.left, self.right, self.target, self.place = form, left, right, target, place
        a, b = f"a_{left}[i]", f"b_{right}[i]"
        self.at = 0
        if left in ("f32", "f64"):
            self.text = form.format(x=f"x_{left}[i]")
        elif place == "augmented":
            self.text = f"{form}= a_{left}[i]"
        else:
            self.text = form.format(a=a, b=b)
        element = f"o_{target}[{number}, i]"
        if place == "augmented":
            self.lines = [f"{element} = c_{target}[i]", f"{element} {self.text}"]
            self.at = 1
        elif place == "local":
            self.lines = [f"l{number}: {target} = {self.text}", f"{element} = l{number}"]
        elif place == "argument":
            self.lines = [f"{element} = take_{target}({self.text})"]
        else:
            self.lines = [f"{element} = {self.text}"]

    def meant(self, data, i):
        if self.left in ("f32", "f64"):
            return ROUNDED[self.form](data[f"x_{self.left}"][i])
        a = data[f"a_{self.left}"][i]
        if self.place == "augmented":
            c = data[f"c_{self.target}"][i]
            return {"+": c + a, "-": c - a, "*": c * a}[self.form]
        return FORMS[self.form](a, data[f"b_{self.right}"][i])


def all_cases():
    for form, left, right, target, place in itertools.product(FORMS, TYPES, TYPES, TARGETS, ("element", "local", "argument")):
        if "{b}" in form or right == left:
            yield form, left, right, target, place
    for op, left, target in itertools.product(AUGMENTED, TYPES, TARGETS):
        yield op, left, left, target, "augmented"
    for form, left, target, place in itertools.product(ROUNDED, ("f32", "f64"), TARGETS, ("element", "local")):
        yield form, left, left, target, place


def source(cases):
    lines, places = [], {}
    for t in TARGETS:
        lines += ["@device", f"def take_{t}(v: {t}) -> {t}:", "    return v", "", ""]
    params = [f"{side}_{t}: {t}[:]" for side in "ab" for t in TYPES] + [f"c_{t}: {t}[:]" for t in TARGETS]
    params += ["x_f32: f32[:]", "x_f64: f64[:]"] + [f"o_{t}: {t}[:, :]" for t in TARGETS]
    lines += ["@kernel", f"def k({', '.join(params)}):", "    i = grid(1)", "    if i >= a_i8.size:", "        return"]
    for case in cases:
        for at, line in enumerate(case.lines):
            lines.append("    " + line)
            places[len(lines)] = (case, at)
    return "\n".join(lines) + "\n", places


def diagnose(cases, path):
    text, places = source(cases)
    path.write_text(text)
    done = subprocess.run([KERNC, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=300)
    found = [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    return [(one, *places[one["line"]]) for one in found]


def saturating(one):
    for words in [one["message"]] + [note["message"] for note in one.get("notes", [])]:
        found = re.search(r"or `([^`]*)`, which saturates", words) or re.search(r"saturate instead of wrapping write `([^`]*)`", words)
        if found:
            return found[1]
    found = re.search(r"write `(\w+\((?:rint|math.trunc|x_)[^`]*)`$", one["message"])
    return found[1] if found else None


def main():
    FOLDER.mkdir(exist_ok=True)
    chosen = [case for n, case in enumerate(all_cases()) if n % STEP == 0 or case[4] == "augmented" or case[1][0] == "f"]
    offered = wrong = 0
    for begin in range(0, len(chosen), CHUNK):
        a, b = check([Case(n, *case) for n, case in enumerate(chosen[begin : begin + CHUNK])])
        offered, wrong = offered + a, wrong + b
    print(len(chosen), "conversions,", "some" if offered > len(chosen) // 8 else "too few", "saturating texts,", wrong, "wrong")
    sys.exit(wrong > 0)


def check(cases):
    path = FOLDER / "saturating.kern"
    fixed = []
    seen = set()
    for one, case, at in diagnose(cases, path):
        text = saturating(one) if one["code"][0] == "E" else None
        if not text or id(case) in seen:
            continue
        seen.add(id(case))
        if case.place == "augmented":
            case.lines[1] = text
        else:
            case.lines[0] = case.lines[0].replace(case.text, text)
        fixed.append(case)
    for number, case in enumerate(fixed):
        case.lines = [re.sub(r"(o_\w+)\[\d+, i\]", rf"\1[{number}, i]", re.sub(r"\bl\d+", f"l{number}", line)) for line in case.lines]
    errors = [f"{one['message']}\n    {case.lines}" for one, case, _ in diagnose(fixed, path) if one["code"][0] == "E"]
    if errors:
        sys.exit("not compiled:\n" + "\n".join(errors[:9]))
    return len(fixed), run(fixed, path)


def run(fixed, path):
    # Each edge of the one with each of the other.
    pairs = [(p, q) for p in range(13) for q in range(13)]
    pick = lambda values, n: values[n % len(values)]
    data = {f"a_{t}": [pick(edges(t), p) for p, _ in pairs] for t in TYPES}
    data |= {f"b_{t}": [pick(edges(t), q) for _, q in pairs] for t in TYPES}
    data |= {f"c_{t}": [pick(edges(t), q) for _, q in pairs] for t in TARGETS}
    data |= {f"x_{t}": [float(numpy.dtype(t.replace("f", "f")[0] + str(int(t[1:]) // 8)).type(pick(REALS, n))) for n in range(len(pairs))] for t in ("f32", "f64")}
    numpy_type = lambda t: {"i": "int", "u": "uint", "f": "float"}[t[0]] + t[1:]
    words = []
    for name, values in data.items():
        numpy.save(FOLDER / f"{name}.npy", numpy.array(values, numpy_type(name[2:])))
        words.append(f"{name}=@{FOLDER}/{name}.npy")
    for t in TARGETS:
        words += [f"o_{t}=zeros:{t}:{max(len(fixed), 1)}x{len(pairs)}", "-o", f"o_{t}={FOLDER}/o_{t}.npy"]
    done = subprocess.run([KERNC, "run", str(path), "k", *words, "--grid=1", f"--block={len(pairs)}"], capture_output=True, text=True, timeout=400, env={**os.environ, "KERN_WARNINGS": "off"})
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    stored = {t: numpy.load(FOLDER / f"o_{t}.npy") for t in TARGETS}
    wrong = 0
    for number, case in enumerate(fixed):
        low, high = span(case.target)
        for i in range(len(pairs)):
            meant = min(max(case.meant(data, i), low), high)
            if int(stored[case.target][number, i]) != meant:
                wrong += 1
                print(f"{case.lines}: {stored[case.target][number, i]}, {meant} expected in round {i}")
                break
    return wrong


main()

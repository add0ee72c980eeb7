#!/usr/bin/env python3
"""Lets an integer of each type meet a float of each type on the way into a target of each float type, at each kind of place,
and puts in what the errors write: it must compile, and compute the number as exactly as the target holds it."""
import itertools
import json
import pathlib
import subprocess
import sys

import numpy

KERNC, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
INTEGERS = {"i8": -7, "u8": 201, "i16": -3001, "u16": 60001, "i32": 16777217, "u32": 4294967041, "i64": 2**40 + 1, "u64": 2**40 + 3}
# Each float that the integer meets: the text, and its value.
FLOATS = {
    "literal": ("{n} * 0.5", lambda n: n * 0.5),
    "quotient": ("{n} / 4.0", lambda n: n / 4.0),
    "f16": ("h[0] * {n}", lambda n: n * 0.5),
    "bf16": ("b[0] * {n}", lambda n: n * 0.5),
    "f32": ("{n} * x[0]", lambda n: n * 0.5),
    "f64": ("{n} * d[0]", lambda n: n * 0.5),
    "sqrt": ("math.sqrt({n})", lambda n: abs(n) ** 0.5),
    "division": ("{n} / m[0]", lambda n: n / 4),
    "added": ("{n} * 0.5 + x[0]", lambda n: n * 0.5 + 0.5),
}
COMPUTED = {"f16": 24, "bf16": 24, "f32": 24, "added": 24}  # the digits of the type in which an integer beside these is computed
TARGETS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
PLACES = {
    "element": ["o_{t}[{k}] = {e}"],
    "local": ["l{k}: {t} = {e}", "o_{t}[{k}] = l{k}"],
    "carried": ["l{k} = {e}", "o_{t}[{k}] = l{k}"],
    "parameter": ["o_{t}[{k}] = take_{t}({e})"],
    "return": ["o_{t}[{k}] = give{k}({n}, m, h, b, x, d)"],
    "atomic": ["atomic.add(o_{t}, {k}, {e})"],
}
ARRAYS = "m: i32[:], h: f16[:], b: bf16[:], x: f32[:], d: f64[:]"


class Case:
    def __init__(self, number, integer, other, target, place):
        self.integer, self.other, self.target, self.place = integer, other, target, place
        text, self.meant = FLOATS[other]
        name = "n" if place == "return" else f"n_{integer}"
        fields = {"t": target, "k": number, "n": name, "e": text.format(n=name)}
        self.function = []
        lines = [line.format(**{**fields, "n": f"n_{integer}"}) for line in PLACES[place]]
        if place == "return":
            self.function = ["@device", f"def give{number}(n: {integer}, {ARRAYS}) -> {target}:", f"    return {fields['e']}", "", ""]
        self.lines = [f"    {line}" for line in lines]


def source(cases):
    lines, places = [], {}
    for t in TARGETS:
        lines += ["@device", f"def take_{t}(x: {t}) -> {t}:", "    return x", "", ""]
    def add(case, part):
        for at, line in enumerate(part):
            lines.append(line)
            places[len(lines)] = (case, part, at)
    for case in cases:
        add(case, case.function)
    params = [f"n_{t}: {t}" for t in INTEGERS] + [ARRAYS] + [f"o_{t}: {t}[:]" for t in TARGETS]
    lines += ["@kernel", f"def k({', '.join(params)}):", "    if grid(1) > 0:", "        return"]
    for case in cases:
        add(case, case.lines)
    return "\n".join(lines) + "\n", places


def operands(line, begin, end, fix):
    """Returns where the operand stands that a cast in a message names, within what the message is about."""
    inner = fix[fix.index("(") + 1 : -1]
    at = line.find(inner, begin, end)
    return (at, at + len(inner)) if at >= 0 else None


def apply(one, part, at):
    line = part[at]
    begin, end = one["column"] - 1, one["end_column"] - 1
    words = [one["message"]] + [note["message"] for note in one.get("notes", [])]
    marks = ("; write `", "convert it: `", " rounded down, or `")
    fix = next((w.split(mark)[1].split("`")[0] for mark in marks for w in words if mark in w), None)
    if fix is None:
        sys.exit(f"no fix: {words}\n{line}")
    if one["code"] == "E0303":
        head = fix.split("(")[0]
        inner = fix[len(head) + 1 : -1]
        # A cast of an operand, or the whole that goes into the target.
        where = operands(line, begin, end, fix)
        if where is None or any(c in inner for c in "*/"):
            begin, end = len(line) - len(line.lstrip()), len(line)
            for mark in (" = ", "return ", ", "):
                if mark in line[:one["column"] - 1]:
                    begin = line.rfind(mark, 0, one["column"] - 1) + len(mark)
                    break
            if "take_" in line:
                begin = line.index("(", line.index("take_")) + 1
            end -= line.endswith(")") and ("take_" in line or "atomic" in line)
        else:
            begin, end = where
    part[at] = line[:begin] + fix + line[end:]


def diagnose(cases, path):
    text, places = source(cases)
    path.write_text(text)
    done = subprocess.run([KERNC, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=120)
    found = [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    return [(one, places[one["line"]]) for one in found if one["code"].startswith("E")]


def main():
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "casts.kern"
    choices = list(itertools.product(INTEGERS, FLOATS, TARGETS, PLACES))
    choices = [c for c in choices if not (c[3] == "atomic" and c[2] in ("f16", "bf16"))]
    step = 200
    results = [check(choices[at : at + step], path) for at in range(0, len(choices), step)]
    print(len(choices), "casts,", sum(results), "wrong")
    sys.exit(sum(results) > 0)


def check(choices, path):
    cases = [Case(k, *choice) for k, choice in enumerate(choices)]
    rounds = 0
    while found := diagnose(cases, path):
        rounds += 1
        if rounds > 4:
            sys.exit("the fixes do not settle:\n" + "\n".join(f"{one['message']}\n{part[at]}" for one, (_, part, at) in found[:9]))
        done = set()
        for one, (case, part, at) in found:
            if (id(part), at) not in done:
                apply(one, part, at)
            done.add((id(part), at))
    words = [f"n_{t}={n}" for t, n in INTEGERS.items()] + ["m=[4]", "h=full:f16:1:0.5", "b=full:bf16:1:0.5", "x=full:f32:1:0.5", "d=full:f64:1:0.5"]
    words += [f"o_{t}=zeros:{t}:{len(cases)}" for t in TARGETS]
    stored = {}
    for t in TARGETS:
        words += ["-o", f"o_{t}={FOLDER}/{t}.npy"]
    done = subprocess.run([KERNC, "run", str(path), "k", *words, "--grid=1", "--block=1"], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    for t in TARGETS:
        stored[t] = numpy.load(FOLDER / f"{t}.npy")
    wrong = 0
    for k, case in enumerate(cases):
        meant = case.meant(INTEGERS[case.integer])
        got = stored[case.target][k]
        if stored[case.target].dtype.kind == "u" or stored[case.target].dtype == numpy.dtype("V2"):
            got = numpy.array([got]).view(numpy.uint16).astype(numpy.uint32).__lshift__(16).view(numpy.float32)[0]
        got = float(got)
        if case.other == "sqrt" and INTEGERS[case.integer] < 0:
            continue
        if case.target == "f16" and abs(meant) > 65504:
            ok = numpy.isinf(got)
        else:
            digits = min(TARGETS[case.target], COMPUTED.get(case.other, 53))
            ok = abs(got - meant) <= 2.0 ** (1 - digits) * abs(meant)
        if not ok:
            wrong += 1
            print(f"{' | '.join(case.function[2:3] + case.lines)}: {got}, {meant} expected")
    return wrong


main()

#!/usr/bin/env python3
"""Divides by `/` what each operator makes of each pair of integer types, nested too, at each kind of place. Each of the two texts
that the error writes is compiled, and computes the quotient of the operands, as Python does: numbers are exact, words wrap."""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
from fractions import Fraction

import numpy

KERNC, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
STEP = int(sys.argv[3]) if len(sys.argv) > 3 else 1  # of all cases one in so many
TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
PAIRS = [(t, t) for t in TYPES] + [("u8", "i32"), ("u8", "u32"), ("u16", "i16"), ("i32", "i64"), ("u64", "u32"), ("i32", "i16")]
OPERANDS = [
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} + 65", "100 - {a}", "{a} * 100", "1000 * {a}", "-{a}", "abs({a})", "{a} << 4", "{a} ** 2",
    "{a} + {b} * {b}", "{a} * ({b} - {a})", "({a} + {b}) * 3 - {b}", "{a} * {b} * {a}", "-({a} + {b})", "abs({a} - {b})", "abs({a} * {b})",
    "min({a} + {b}, 70000)", "max(-{a}, {b})", "({a} * {b}) % 1000", "({a} * {b}) // 3", "({a} + {b}) >> 1", "({a} * {b}) & 255",
    "({a} * {b} if {a} > {b} else {b} - 1)", "n * {a}", "n * n", "{a}",
]
DIVISORS = ["3", "n", "d[i]", "(d[i] + d[i])", "(d[i] * n)", "(-d[i])"]
PLACES = ["f32", "f64", "i64", "local", "augmented"]
CHUNK = 45  # fewer than the errors that are written of one file
COUNT, LIMIT = 24, 1 << 63


class Skip(Exception):
    """This row says nothing: no type holds what is computed on the way."""


class Number:
    """An integer, how great what it is made of is, whether it stays in 64 bits on the way, and the width of the word that it is, or 0."""

    def __init__(self, value, size=None, fits=True, word=0):
        self.word, self.value = word, value % (1 << word) if word else value
        self.size = abs(self.value) if size is None or word else size
        self.fits = fits and (word > 0 or -LIMIT <= value < LIMIT)

    def make(self, other, value, size):
        return Number(value, size, self.fits and number(other).fits, max(self.word, number(other).word))

    def alone(self, value, size=None): return Number(value, size, self.fits, self.word)
    def __add__(self, other): return self.make(other, self.value + number(other).value, self.size + number(other).size)
    def __sub__(self, other): return self.make(other, self.value - number(other).value, self.size + number(other).size)
    def __rsub__(self, other): return number(other) - self
    def __mul__(self, other): return self.make(other, self.value * number(other).value, self.size * number(other).size)
    def __rmul__(self, other): return number(other) * self
    def __neg__(self): return self.alone(-self.value, self.size)
    def __abs__(self): return self.alone(abs(self.value), self.size)
    def __lshift__(self, bits): return self.alone(self.value << bits, self.size << bits)
    def __pow__(self, power): return self.alone(self.value**power, self.size**power)
    def __mod__(self, by): return self.alone(self.value % by)
    def __floordiv__(self, by): return self.alone(self.value // by)
    def __rshift__(self, by): return self.alone(self.value >> by)
    def __and__(self, mask): return self.alone(self.value & mask)
    def __gt__(self, other): return self.value > number(other).value
    def __lt__(self, other): return self.value < number(other).value


def number(value):
    return value if isinstance(value, Number) else Number(value)


def values_of(t, shift):
    """The edges of a type, of 64 bits some that do not wrap, in another order for each operand."""
    bits = min(int(t[1:]), 32)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t[0] == "i" else (0, (1 << bits) - 1)
    if t in ("i64", "u64"):
        low, high = low >> 12, high >> 12
    edges = [low, low + 1, high, high - 1, high // 2, high // 2 + 1, 0, 1, 2, 100, max(low, -1), max(low, -2), low // 2, high // 3]
    return [edges[(k * (1 + 2 * shift) + 5 * shift) % len(edges)] for k in range(COUNT)]


class Case:
    def __init__(self, at, form, pair, divisor, place, choice):
        self.pair, self.place, self.choice = pair, place, choice
        self.top, self.divisor = form, divisor
        names = {"a": f"a_{pair[0]}[i]", "b": f"b_{pair[1]}[i]"}
        top = form.format(**names)
        bracketed = top if re.fullmatch(r"[\w\[\] *]+|\w+\(.*\)|\(.* else .*\)|-\w+\[i\]", top) and "<<" not in top else f"({top})"
        self.target = {"local": "f64", "augmented": "i64"}.get(place, place)
        element = f"o_{self.target}[{at}, i]"
        if place == "augmented":
            self.lines = [f"if s[{at}, i]:", f"    {element} = c[i]", f"    {element} /= {top}"]
        elif place == "local":
            self.lines = [f"l{at} = {bracketed} / {divisor}", f"{element} = l{at}"]
        else:
            self.lines = [f"{element} = {bracketed} / {divisor}"]
        self.written = list(self.lines)

    def parts(self, row):
        names = {name: Number(value) for name, value in row.items()}
        names |= {side: Number(row[f"{side}_{t}"], word=int(t[1:]) if t in ("u32", "u64") else 0) for side, t in zip("ab", self.pair)}
        names["min"] = lambda *values: min(map(number, values), key=lambda v: v.value)
        names["max"] = lambda *values: max(map(number, values), key=lambda v: v.value)
        code = lambda text: number(eval(text.replace("[i]", "").format(a="a", b="b"), {"abs": abs}, names))
        return (names["c"], code(self.top)) if self.place == "augmented" else (code(self.top), code(self.divisor))

    def expects(self, row):
        """Returns the quotient, and how far from it rounding may be."""
        top, by = self.parts(row)
        if by.value == 0:
            raise Skip
        if not (top.fits and by.fits):
            raise Skip
        exact = Fraction(top.value, by.value)
        whole = exact.numerator // exact.denominator if self.choice == "floor" else int(exact)
        if self.target[0] == "i":
            bits = int(self.target[1:])
            if not -(1 << (bits - 1)) <= whole < 1 << (bits - 1):
                raise Skip
        if self.choice == "floor":
            return Fraction(whole), abs(Fraction(whole)) / (1 << {"f32": 20, "f64": 52}.get(self.target, 99))
        # Numbers that no integer type holds are computed in floats, which cancel.
        size = Fraction(top.size, abs(by.value)) * max(1, Fraction(by.size, abs(by.value)))
        digits = 20 if any("f32(" in line for line in self.lines) or self.target == "f32" else 48
        error = (abs(exact) if size * abs(by.value) < LIMIT else size) / (1 << digits)
        return exact, error + (1 if self.target[0] == "i" else 0)


def source(cases):
    params = [f"{side}_{t}: {t}[:]" for side in "ab" for t in TYPES] + ["c: i32[:]", "d: i32[:]", "s: bool[:, :]", "n: i32"]
    params += [f"o_{t}: {t}[:, :]" for t in ("f32", "f64", "i64")]
    lines, places = ["@kernel", f"def k({', '.join(params)}):", "    i = grid(1)", "    if i >= d.size:", "        return"], {}
    for case in cases:
        for at, line in enumerate(case.lines):
            lines.append("    " + line)
            places[len(lines)] = (case, at)
    return "\n".join(lines) + "\n", places


def diagnose(cases, path):
    text, places = source(cases)
    path.write_text(text)
    done = subprocess.run([KERNC, "check", str(path), "--diagnostics=json", "-Wno-race"], capture_output=True, text=True, timeout=120)
    found = [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    return [(one, *places[one["line"]]) for one in found]


def fix_of(one, choice):
    words = [one["message"]] + [note["message"] for note in one.get("notes", [])]
    # Of a word and a signed integer the second text is exact.
    is_second = (one["code"] == "E0304" and choice == "float") or one["code"] == "E0374"
    pattern = r"or `([^`]*)`" if is_second else r"write `([^`]*)`"
    return next((found[1] for word in words if (found := re.search(pattern, word))), None)


def apply(one, case, at):
    fix, line = fix_of(one, case.choice), case.lines[at]
    begin, end = one["column"] - 5, one["end_column"] - 5
    if fix is None:
        sys.exit(f"no fix: {one}\n{line}")
    fix = fix.replace("...", line[begin:end])  # what is too long for a message
    if " = " in fix or "//=" in fix:
        begin, end = len(line) - len(line.lstrip()), len(line)
    elif one["code"] == "E0303":
        inner = fix[fix.index("(") + 1 : -1]
        begin = re.compile(rf"(?<!\w){re.escape(inner)}(?!\w)").search(line, begin).start()
        end = begin + len(inner)
    case.lines[at] = line[:begin] + fix + line[end:]


def settle(cases, path):
    """Takes what errors write, and then warnings."""
    for _ in range(6):
        found = sorted(diagnose(cases, path), key=lambda each: each[0]["severity"] != "error")
        done = set()
        for one, case, at in found:
            writes = one["severity"] == "error" or "write `" in one["message"]
            if (id(case), at) not in done and writes:
                apply(one, case, at)
                done.add((id(case), at))
        if not done:
            return
    sys.exit("the fixes do not settle:\n" + "\n".join(f"{one['message']}\n{case.written} {case.lines}" for one, case, _ in found[:5]))


def check(choices, path):
    cases = [Case(at, *choice) for at, choice in enumerate(choices)]
    settle(cases, path)
    data = {f"{side}_{t}": values_of(t, k) for k, side in enumerate("ab") for t in TYPES}
    data |= {"c": values_of("i32", 2), "d": [value or 5 for value in values_of("i32", 3)]}
    data["d"] = [value if abs(value) > 1 else 7 for value in data["d"]]
    rows = [{name: values[i] for name, values in data.items()} | {"n": 1000003} for i in range(COUNT)]
    numpy.save(FOLDER / "s.npy", numpy.array([[case.parts(row)[1].value != 0 and case.parts(row)[1].fits for row in rows] for case in cases]))
    words = ["n=1000003", f"s=@{FOLDER}/s.npy"]
    for name, values in data.items():
        kind = {"i": "int", "u": "uint"}[name[2]] + name[3:] if "_" in name else "int32"
        numpy.save(FOLDER / f"{name}.npy", numpy.array(values, kind))
        words.append(f"{name}=@{FOLDER}/{name}.npy")
    for t in ("f32", "f64", "i64"):
        words += [f"o_{t}=zeros:{t}:{len(cases)}x{COUNT}", "-o", f"o_{t}={FOLDER}/o_{t}.npy"]
    done = subprocess.run([KERNC, "run", str(path), "k", *words, "--grid=1", f"--block={COUNT}"], capture_output=True, text=True, timeout=300, env={**os.environ, "KERN_WARNINGS": "off"})
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    stored = {t: numpy.load(FOLDER / f"o_{t}.npy") for t in ("f32", "f64", "i64")}
    wrong = compared = 0
    for at, case in enumerate(cases):
        for i, row in enumerate(rows):
            try:
                exact, error = case.expects(row)
            except Skip:
                continue
            compared += 1
            got = stored[case.target][at, i].item()
            if got != got or abs(Fraction(got) - exact) > error:
                wrong += 1
                print(f"{case.written} became {case.lines}: {got}, {float(exact)} expected")
                break
    return wrong, compared


def main():
    FOLDER.mkdir(exist_ok=True)
    choices = []
    for form, pair, divisor, place, choice in itertools.product(OPERANDS, PAIRS, DIVISORS, PLACES, ("floor", "float")):
        is_same = "{b}" in form or pair[0] == pair[1]
        is_one = divisor == "3" and "u64" not in pair
        has_word = "u32" in pair or "u64" in pair
        # No word meets a signed integer; only the quotient of a u32 does.
        is_mixed = has_word and "n" in form.replace("min", "") or "u64" in pair and divisor != "3"
        if is_same and not is_mixed and (place != "augmented" or is_one):
            choices.append((form, pair, divisor, place, choice))
    choices = choices[::STEP]
    results = [check(choices[at : at + CHUNK], FOLDER / "quotients.kern") for at in range(0, len(choices), CHUNK)]
    wrong = sum(each for each, _ in results)
    print(f"{len(choices)} quotients, {sum(each for _, each in results)} values, {wrong} wrong")
    sys.exit(wrong > 0)


main()

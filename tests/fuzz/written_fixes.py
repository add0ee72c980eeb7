#!/usr/bin/env python3
"""Expressions of nested operators, literals, constants of the file, casts, signs, powers and conditionals, in statements that kernc
refuses: each fix that a message writes is put in its place until none is left. What then compiles must compute what Python makes of the
statement as it was written: no fix may lose the brackets of what it takes over.

usage: written_fixes.py KERNC [--count N] [--seed S] [--seconds T]

N files are written, each of 40 statements.
"""
import ast
import json
import math
import random
import re
import subprocess
import sys

import numpy

import arguments

STATEMENTS, VALUES, ROUNDS = 40, 24, 12
CONSTANTS = {"N": 3, "M": 12, "HALF": 0.5}
INPUTS = {"a": "i32", "b": "i32", "c": "i64", "h": "u16", "f": "f32", "s": "bool"}
OUTPUTS = {"y": "f64", "r": "f32", "z": "i32", "w": "i64", "t": "bool"}
NUMPY = {"i32": "int32", "i64": "int64", "u16": "uint16", "f32": "float32", "f64": "float64", "bool": "bool"}
ROUNDED = 2.0**-23  # an operation of floats, in f32


class Skip(Exception):
    """This row says nothing: an integer is too great for its type, a divisor is 0, or rounding decides."""


class Number:
    """An integer, or a float and how far rounding may have taken it."""

    def __init__(self, value, error=0.0):
        self.value, self.error = value, error
        if isinstance(value, int) and abs(value) >= 1 << 30:
            raise Skip

    @property
    def is_int(self):
        return isinstance(self.value, int)

    def exact(self):
        if not self.is_int:
            raise Skip
        return self.value

    def near(self, number, error):
        return Number(number, error + abs(number) * ROUNDED)

    def __add__(self, other): return self.sum(number(other), 1)
    def __radd__(self, other): return number(other).sum(self, 1)
    def __sub__(self, other): return self.sum(number(other), -1)
    def __rsub__(self, other): return number(other).sum(self, -1)
    def __mul__(self, other): return self.product(number(other))
    def __rmul__(self, other): return number(other).product(self)
    def __truediv__(self, other): return self.quotient(number(other))
    def __rtruediv__(self, other): return number(other).quotient(self)
    def __floordiv__(self, other): return self.integers(other, lambda x, y: x // y if y > 0 else skip())
    def __rfloordiv__(self, other): return number(other) // self
    def __mod__(self, other): return self.integers(other, lambda x, y: x % y if y > 0 else skip())
    def __rmod__(self, other): return number(other) % self
    def __lshift__(self, other): return self.integers(other, lambda x, y: x << y)
    def __rshift__(self, other): return self.integers(other, lambda x, y: x >> y)
    def __and__(self, other): return self.integers(other, lambda x, y: x & y)
    def __rand__(self, other): return self & other
    def __or__(self, other): return self.integers(other, lambda x, y: x | y)
    def __ror__(self, other): return self | other
    def __pow__(self, other): return self.integers(other, lambda x, y: x**y)
    def __rpow__(self, other): return number(other) ** self
    def __rlshift__(self, other): return number(other) << self
    def __rrshift__(self, other): return number(other) >> self
    def __neg__(self): return Number(-self.value, self.error)
    def __gt__(self, other): return self.exact() > number(other).exact()

    def sum(self, other, sign):
        value, error = self.value + sign * other.value, self.error + other.error
        return Number(value) if isinstance(value, int) else self.near(value, error + (abs(self.value) + abs(other.value)) * ROUNDED)

    def product(self, other):
        value = self.value * other.value
        error = abs(self.value) * other.error + abs(other.value) * self.error + self.error * other.error
        return Number(value) if isinstance(value, int) else self.near(value, error + 2 * abs(value) * ROUNDED)

    def quotient(self, other):
        if abs(other.value) <= 4 * other.error:
            raise Skip
        value = self.value / other.value
        return self.near(value, (self.error + abs(value) * other.error) / (abs(other.value) - other.error) + 3 * abs(value) * ROUNDED)

    def integers(self, other, operate):
        left, right = self.exact(), number(other).exact()
        return Number(operate(left, right))


def skip():
    raise Skip


def number(value):
    return value if isinstance(value, Number) else Number(int(value) if isinstance(value, bool) else value)


def cut(value):
    """The whole part of a float, where rounding does not decide it."""
    value = number(value)
    low, high = math.trunc(value.value - value.error), math.trunc(value.value + value.error)
    return Number(low) if low == high else skip()


class Writer:
    def __init__(self, rng):
        self.rng = rng

    def integer(self, depth):
        rng = self.rng
        one = lambda: self.integer(depth - 1)
        if depth <= 0:
            return rng.choice(["a[i]", "b[i]", "c[i]", "h[i]", "a[i]", "N", "M", "n", str(rng.randint(1, 40)), "i32(c[i])", "i64(a[i])"])
        kind = rng.randrange(13)
        if kind < 3: return f"({one()} + {one()})"
        if kind == 3: return f"({one()} - {one()})"
        if kind == 4: return f"({one()} * {one()})"
        if kind == 5: return f"(-{one()})"
        if kind == 6: return f"({self.integer(depth - 2)} ** {rng.randint(1, 3)})"
        if kind == 7: return f"({one()} // {rng.choice(['N', 'M', '5', '(N + 1)'])})"
        if kind == 8: return f"({one()} % {rng.choice(['N', 'M', '7', '(2 * N)'])})"
        if kind == 9: return f"({one()} << {rng.choice(['N', '1', '(N - 1)'])})"
        if kind == 10: return f"({one()} {rng.choice('&|')} {one()})"
        if kind == 11: return f"({one()} if s[i] else {one()})"
        return self.constant()

    def constant(self):
        return self.rng.choice(["(N + 1)", "(2 * N)", "(N * N - 1)", "(1 << 4)", "(1 << N)", "(-N)", "(-(N + M))", "(2 ** N)", "(M - N)", "(M | 1)", "(N if M > 5 else 5)"])

    def divided(self, depth):
        return f"({self.integer(depth)} / {self.rng.choice([self.integer(depth), self.constant(), self.integer(0)])})"

    def real(self, depth):
        rng = self.rng
        one = lambda: self.real(depth - 1)
        if depth <= 0:
            return rng.choice(["f[i]", "0.5", "HALF", "f64(a[i])", self.divided(1), self.divided(0)])
        kind = rng.randrange(8)
        if kind < 3: return self.divided(depth)
        if kind == 3: return f"({one()} + {one()})"
        if kind == 4: return f"({one()} - {one()})"
        if kind == 5: return f"({one()} * {rng.choice([one(), self.integer(0), self.constant()])})"
        if kind == 6: return f"(-{one()})"
        return f"({one()} if s[i] else {one()})"


def tidy(text):
    """A text with as few brackets as Python needs."""
    return ast.unparse(ast.parse(text.strip(), mode="eval"))


def shape_of(rng):
    """Returns the lines of a statement, the array it stores to, what it means as a text for eval(), and the fix that is chosen."""
    writer = Writer(rng)
    depth = rng.randint(1, 3)
    whole, kind = tidy(writer.integer(depth)), rng.choice(["real", "real", "real", "quotient", "count", "truth", "bits"])
    if kind == "real":
        text, name = tidy(writer.real(depth)), rng.choice("yr")
        return [f"{name}[K, i] = {text}"], name, f"number({text})", "float"
    if kind == "quotient":
        divisor, first = tidy(rng.choice([writer.constant(), writer.integer(depth)])), rng.choice(["a[i]", "c[i] + 9"])
        chosen = rng.choice(["float", "floor"])
        if chosen == "floor":
            divisor = rng.choice(["N + 1", "b[i] + N", "M if s[i] else b[i]", "b[i] | 4", "2 * b[i]", "N"])
        meant = f"number({first}) // ({divisor})" if chosen == "floor" else f"cut(number({first}) / ({divisor}))"
        return [f"w[K, i] = {first}", f"w[K, i] /= {divisor}"], "w", meant, chosen
    if kind == "count":
        return [f"w[K, i] = ({whole}) << (N + 29)"], "w", f"Wide(number({whole}).exact() << 32)", "float"
    if kind == "truth":
        return [f"t[K, i] = {whole}"], "t", f"Number(int(number({whole}).exact() != 0))", "float"
    op, right = rng.choice(["&", "|", "<<"]), rng.choice(["(N + 1)", "(M if n > 3 else N)", "(N if M > 5 else 2)", "(M & 5)"])
    real = tidy(rng.choice(["f[i]", "(f[i] + 1.5)", "(f[i] * 2.0)", "(f[i] if s[i] else 4.5)"]))
    return [f"w[K, i] = ({real}) {op} {right}"], "w", f"cut({real}) {op} {right}", "whole"


class Wide:
    """An i64, which may be greater than the numbers of expressions."""

    def __init__(self, value):
        self.value, self.error = value, 0.0
        if abs(value) >= 1 << 62:
            raise Skip


class Statement:
    def __init__(self, rng, number):
        lines, self.name, self.meant, self.chosen = shape_of(rng)
        self.lines = [line.replace("[K,", f"[{number},") for line in lines]
        self.written = list(self.lines)


def source(statements):
    params = [f"{name}: {type}[:]" for name, type in INPUTS.items()] + [f"{name}: {type}[:, :]" for name, type in OUTPUTS.items()]
    text = "".join(f"{name} = {value}\n" for name, value in CONSTANTS.items())
    text += f"\n\n@kernel\ndef k({', '.join(params)}, n: i32):\n    i = grid(1)\n    if i >= a.size:\n        return\n"
    places = {}
    for statement in statements:
        for at, line in enumerate(statement.lines):
            places[text.count("\n") + 1] = statement, at
            text += f"    {line}\n"
    return text, places


def fix_of(one, statement):
    """Returns the text that a message writes."""
    texts = [one["message"]] + [note["message"] for note in one.get("notes", [])]
    first = lambda pattern: next((found[1] for found in (re.search(pattern, text) for text in texts) if found), None)
    if one["code"] == "E0304":
        return first(r"write `([^`]*)` for the quotient") if statement.chosen == "floor" else first(r"or `([^`]*)`")
    if one["code"] == "E0302":
        return first(r"`([^`]*)` takes the whole part")
    return first(r"write `([^`]*)`")


def apply(one, statement, at):
    """Puts what a message writes where it belongs; says whether there is anything."""
    fix, line = fix_of(one, statement), statement.lines[at]
    begin, end = one["column"] - 5, one["end_column"] - 5
    if fix is None:
        return False
    fix = fix.replace("...", line[begin:end])  # what is too long for a message
    is_whole = re.match(r"\w+\[\d+, i\] [-+*/|]*= ", fix)
    if is_whole:
        begin, end = 0, len(line)
    elif one["code"] == "E0303":
        inner = re.sub(r"^[fiu]\d+\((.*)\)$", r"\1", fix)
        found = line.find(inner, begin)
        if found < 0:
            return False
        begin, end = found, found + len(inner)
    statement.lines[at] = line[:begin] + fix + line[end:]
    return True


def settle(options, folder, statements, rng):
    """Applies fixes until there is nothing left to mend. A warning is followed half the time."""
    path = folder / "k.kern"
    for _ in range(ROUNDS):
        text, places = source(statements)
        path.write_text(text)
        done = subprocess.run([options.kernc, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, 1):
            return f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        changed = set()
        for line in (done.stdout + done.stderr).splitlines():
            one = json.loads(line) if line.startswith("{") else None
            if not one:
                continue
            if one["line"] not in places:
                return f"{line}\n{text}"
            statement, at = places[one["line"]]
            is_error = one["severity"] == "error"
            if id(statement) in changed or not (is_error or rng.random() < 0.5):
                continue
            if one["code"] in ("E0305", "E0351"):  # no text mends a literal that does not fit, or a division by 0
                statement.lines, statement.meant = ["pass"], "skip()"
                changed.add(id(statement))
            elif apply(one, statement, at):
                changed.add(id(statement))
            elif is_error:
                return f"no fix in {one}\n{statement.written}\n{statement.lines}"
        if not changed and done.returncode == 0:
            return None
    return "the fixes do not settle:\n" + done.stdout + done.stderr


def meant(statement, row):
    """Returns what a statement stores, by Python."""
    integers = {"i32": int, "i64": int, "f32": float, "f64": float}
    cast = lambda make: lambda value: Number(make(number(value).value), number(value).error) if make is float else Number(number(value).exact())
    names = {name: type("Row", (), {"__getitem__": lambda self, i, value=row[name]: value})() for name in INPUTS}
    names |= {name: number(value) for name, value in CONSTANTS.items()} | {"n": Number(row["n"]), "i": 0}
    names |= {name: cast(make) for name, make in integers.items()}
    names |= {"number": number, "cut": cut, "Number": Number, "Wide": Wide, "skip": skip}
    return eval(statement.meant, names)


def check(options, seed, folder):
    rng = random.Random(seed)
    statements = [Statement(rng, number) for number in range(STATEMENTS)]
    data = {"a": [rng.randint(-30, 30) for _ in range(VALUES)], "b": [rng.randint(1, 50) for _ in range(VALUES)],
            "c": [rng.randint(-9, 90) for _ in range(VALUES)], "h": [rng.randint(0, 60) for _ in range(VALUES)],
            "f": [rng.randint(-64, 64) / 8 for _ in range(VALUES)], "s": [rng.random() < 0.5 for _ in range(VALUES)]}
    wrong = settle(options, folder, statements, rng)
    if wrong:
        return wrong
    words = []
    for name, type in INPUTS.items():
        numpy.save(folder / f"{name}.npy", numpy.array(data[name], NUMPY[type]))
        words.append(f"{name}=@{folder}/{name}.npy")
    words += [f"{name}=zeros:{type}:{STATEMENTS}x{VALUES}" for name, type in OUTPUTS.items()] + ["n=5"]
    words += [word for name in OUTPUTS for word in ("-o", f"{name}={folder}/{name}.npy")]
    command = [options.kernc, "run", str(folder / "k.kern"), "k", *words, "--grid=1", f"--block={VALUES}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    stored = {name: numpy.load(folder / f"{name}.npy") for name in OUTPUTS}
    compared = 0
    for at, statement in enumerate(statements):
        for i in range(VALUES):
            row = {name: values[i] if name == "s" else Number(values[i]) for name, values in data.items()} | {"n": 5}
            try:
                expected = meant(statement, row)
            except (Skip, ZeroDivisionError):
                continue
            got = stored[statement.name][at, i].item()
            compared += 1
            if abs(got - expected.value) > 4 * expected.error + abs(expected.value) * 1e-6 * (statement.name in "yr"):
                values = {name: value if isinstance(value, (bool, int)) else value.value for name, value in row.items()}
                return f"{statement.written} became {statement.lines}: {got}, {expected.value} expected, of {values}"
    return None if compared > STATEMENTS else "too few rows say anything"


def main():
    options = arguments.parser(12, keep=True).parse_args()
    return arguments.check_each(options, "fixes", check)


sys.exit(main())

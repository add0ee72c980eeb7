#!/usr/bin/env python3
"""Integer operators over pairs of all integer types in .kern files, loaded or literal, stored to all integer types: a model in
Python says what each statement computes, or which error or warning it gives. What its place does not hold is a fault there, and
stores nothing. Each fix that a message writes is put in its place; it must compile, and compute what was meant.

usage: integers.py KERNC [--count N | --all] [--seed S] [--seconds T] [--lanes N]

N files are written, each of 60 statements. Without --all they are a random choice, put into elements, declared locals and parameters or written
as augmented assignments; --all takes every pair, operator and target.
"""
# fuzz: --lanes=1
import itertools
import json
import random
import re
import subprocess
import sys

import numpy

import arguments

TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
LITERALS = (0, 1, 2, 3, 7, 8, 31, 100, 200, 255, 256, 300, 65535, 70000, -1, -3, -200)
OPERATORS = ("+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "**", "min", "max", "if", "neg", "~", "abs", "mean", "grey", "sum3", "half", "rest", "high", "least")
PLACES = ("element", "element", "element", "local", "param", "augmented", "named", "named")
STATEMENTS, VALUES = 60, 48
LEAST_FACTOR = 100  # of a literal whose product is warned of
UNTOUCHED = 77  # what elements hold before a kernel stores to them
BEYOND = 1 << 120


# ---- Types and intervals ----


def bits(t):
    return int(t[1:])


def signed(t):
    return t[0] == "i"


def narrow(t):
    return bits(t) < 32


def span(t):
    return (-(1 << (bits(t) - 1)), (1 << (bits(t) - 1)) - 1) if signed(t) else (0, (1 << bits(t)) - 1)


def holds(t, interval):
    low, high = span(t)
    return low <= interval[0] and interval[1] <= high


def wrap(t, value):
    value &= (1 << bits(t)) - 1
    return value - (1 << bits(t)) if signed(t) and value >> (bits(t) - 1) else value


def join(a, b):
    if signed(a) == signed(b):
        return a if bits(a) >= bits(b) else b
    with_sign, without = (a, b) if signed(a) else (b, a)
    if bits(with_sign) > bits(without):
        return with_sign
    return f"i{2 * bits(without)}" if bits(without) < 64 else None


def clamp(value):
    return max(-BEYOND, min(BEYOND, value))


def corners(f, a, b):
    numbers = [f(x, y) for x in a for y in b]
    return min(numbers), max(numbers)


def ones_over(value):
    return (1 << value.bit_length()) - 1


def bit_interval(op, a, b):
    if op == "&" and (a[0] >= 0 or b[0] >= 0):
        return 0, min(x[1] for x in (a, b) if x[0] >= 0)
    if a[0] >= 0 and b[0] >= 0:
        return (max(a[0], b[0]) if op == "|" else 0), ones_over(max(a[1], b[1]))
    ones = ones_over(max(a[1], b[1], -1 - a[0], -1 - b[0]))
    return -1 - ones, ones


def power(base, exponent):
    if exponent < 0:
        return 0
    return clamp(base ** min(exponent, 130 + exponent % 2))


def power_interval(a, b):
    if b[1] < 0:
        return 0, 0
    low = max(b[0], 0)
    if a[0] >= 0:
        numbers = [power(x, y) for x in a for y in (low, b[1])]
    elif b[0] == b[1]:
        numbers = [power(a[0], low), power(a[1], low)] + ([0] if low and low % 2 == 0 and a[1] > 0 else [])
    else:
        most = power(max(a[1], -a[0]), b[1])
        numbers = [-most, most]
    if b[0] < 0:
        numbers.append(0)
    return min(numbers), max(numbers)


def interval_of(op, a, b, width):
    if op == "+": return clamp(a[0] + b[0]), clamp(a[1] + b[1])
    if op == "-": return clamp(a[0] - b[1]), clamp(a[1] - b[0])
    if op == "*": return corners(lambda x, y: clamp(x * y), a, b)
    if op in ("<<", ">>"):
        if not 0 <= b[0] <= b[1] < width:
            b = (b[0] % width,) * 2 if b[0] == b[1] else (0, width - 1)
        return corners(lambda x, y: clamp(x << y) if op == "<<" else x >> y, a, b)
    if op == "//":
        divisors = [d for d in ({b[0], b[1], -1, 1}) if b[0] <= d <= b[1] and d != 0]
        return corners(lambda x, y: x // y, a, divisors) if divisors else (0, 0)
    if op == "%":
        if b[0] > 0 and a[0] >= 0 and a[1] < b[0]:
            return a
        high = b[1] - 1 if b[1] > 0 else 0
        if a[0] >= 0 and b[0] >= 0:
            high = min(high, a[1])
        return (b[0] + 1 if b[0] < 0 else 0), high
    if op == "**": return power_interval(a, b)
    if op == "min": return min(a[0], b[0]), min(a[1], b[1])
    if op == "max": return max(a[0], b[0]), max(a[1], b[1])
    if op == "if": return min(a[0], b[0]), max(a[1], b[1])
    return bit_interval(op, a, b)


# ---- Values and operators ----


class Value:
    """An expression: its text, its type (None of a literal), its numbers one a round, and what rule 1 to 3 say of it."""

    def __init__(self, text, type, numbers, interval=None, promoted=False, wraps=False, exact=None, wide=False, by_count=False):
        self.text, self.type, self.numbers = text, type, numbers
        self.interval = interval if interval else span(type)
        self.promoted, self.wraps = promoted, wraps
        self.exact = exact or numbers  # without wrapping
        self.wide = wide  # whether an operand, not the whole, is converted to a wider type
        self.by_product = False  # whether a product of two variables of 32 bits may have wrapped
        self.by_count = by_count  # whether a literal that has the type of its count may have wrapped
        self.loses = False  # whether an operator of it may have wrapped at all

    def small(self):
        return self.type is None or narrow(self.type) or self.promoted


def literal(number):
    return Value(str(number) if number >= 0 else f"({number})", None, [number] * VALUES, (number, number))


def beside(value, other):
    if value.type is None:
        return None if other.type is None or not narrow(other.type) or holds(other.type, value.interval) else "i32"
    if value.promoted and other.type in ("u32", "u64") and value.interval[0] >= 0:
        return other.type
    return value.type


class Refused(Exception):
    """An error of the operator itself, with its code."""


MODULAR = ("+", "-", "*", "<<", "&", "|", "^", "**", "if")


def exact_result(op, x, y, width):
    if op == "+": return x + y
    if op == "-": return x - y
    if op == "*": return x * y
    if op == "//": return x // y
    if op == "%": return x % y
    if op == "<<": return x << (y % width)
    if op == ">>": return x >> (y % width)
    if op == "&": return x & y
    if op == "|": return x | y
    if op == "^": return x ^ y
    if op == "**": return 0 if y < 0 else pow(x, y) if y < 300 else pow(x, y, 1 << 64)
    return min(x, y) if op == "min" else max(x, y)


def own_interval(value, modular):
    return value.interval if modular or value.type is None or holds(value.type, value.interval) else span(value.type)


def binary(op, a, b, warnings, text=None, picks=None):
    shift = op in ("<<", ">>")
    left, right = beside(a, b), beside(b, a)
    if shift:
        joined = left or b.type
    else:
        joined = left or right if not (left and right) else join(left, right)
        if joined is None:
            raise Refused("E0332" if op == "if" else "E0325" if op in ("min", "max") else "E0303")
    for value in (a, b):
        if not value.type and not (shift and value is b) and not holds(joined, value.interval):
            raise Refused("E0305")
    if shift and not b.type and not holds(joined if not narrow(joined) else "i32", b.interval):
        raise Refused("E0305")
    type = joined
    if narrow(joined) and op in ("+", "-", "*", "<<", "**", "//"):
        type = "i32"
    modular = op in MODULAR
    promoted = type == "i32" and (b.small() if shift and a.type is None else a.small() if shift else a.small() and b.small())
    width = max(bits(type), 32)
    exact = interval_of(op, own_interval(a, modular), own_interval(b, modular and not shift), width)
    fits = holds(type, exact)
    below_zero = op == "-" and type in ("u32", "u64") and exact[0] < 0
    wraps = modular and (a.wraps or (not shift and b.wraps)) and not (op == "&" and fits)
    wraps = wraps or (not fits and (promoted or below_zero))
    if not modular and (a.wraps or (b.wraps and op != ">>")):
        warnings.append(True)
    if not modular and (a.by_product or (b.by_product and op != ">>")):
        warnings.append("product")
    if shift and not b.type and b.interval[0] >= width:
        raise Refused("E0373")
    # Operands become of the type in which the operator computes; a count stays what it is.
    x = [n if narrow(type) else wrap(type, n) for n in a.numbers]
    y = [n if shift or narrow(type) else wrap(type, n) for n in b.numbers]
    if op == "if":
        results = [p if pick else q for p, q, pick in zip(x, y, picks)]
        exacts = [p if pick else q for p, q, pick in zip(a.exact, b.exact, picks)]
    else:
        results = [exact_result(op, p, q, width) for p, q in zip(x, y)]
        exacts = [exact_result(op, p, q, 64 if op == "<<" else width) for p, q in zip(a.exact, b.exact)]
    text = text or (f"{op}({a.text}, {b.text})" if op in ("min", "max") else f"({a.text} {op} {b.text})")
    interval = exact if fits or promoted else span(type)
    far_count = op == "<<" and not (b.interval[0] >= 0 and b.interval[1] < width)
    by_count = op in ("<<", "**") and a.type is None and bits(type) == 32 and not promoted and (not fits or far_count)
    result = Value(text, type, [wrap(type, n) for n in results], interval, promoted, wraps or by_count, exacts,
                 (op in ("+", "-", "*", "<<") or (op == "**" and b.type is None)) or (op in ("&", "|", "^") and (a.wide or b.wide)), by_count)
    great = signed(type) and any(v.type is None and max(abs(n) for n in v.interval) >= LEAST_FACTOR for v in (a, b))
    own = (op == "*" and (great or (a.type and b.type)) or op == "**" and a.type) and bits(type) == 32 and not promoted and not fits
    result.by_product = modular and not (op == "&" and fits) and bool(own or a.by_product or (b.by_product and not shift))
    result.loses = not fits or (modular and (a.loses or b.loses))
    return result


def unary(op, a, warnings):
    text = {"neg": f"(-{a.text})", "~": f"(~{a.text})", "abs": f"abs({a.text})"}[op]
    type = a.type if op == "~" or not narrow(a.type) else "i32"
    promoted = type == "i32" and a.small()
    if op == "abs":
        own = own_interval(a, False)
        exact = (0 if own[0] < 0 < own[1] else min(abs(own[0]), abs(own[1])), max(abs(own[0]), abs(own[1])))
        numbers = [abs(n) for n in a.numbers]
    elif op == "neg":
        exact, numbers = (-a.interval[1], -a.interval[0]), [-n for n in a.numbers]
    else:
        ones = -1 if signed(type) else span(type)[1]
        exact, numbers = (ones - a.interval[1], ones - a.interval[0]), [ones - n for n in a.numbers]
    if op == "abs" and a.by_product:
        warnings.append("product")
    fits = holds(type, exact)
    wraps = (a.wraps and op != "abs") or (not fits and (promoted or (op == "neg" and type in ("u32", "u64") and exact[0] < 0)))
    result = Value(text, type, [wrap(type, n) for n in numbers], exact if fits or promoted else span(type), promoted, wraps, numbers,
                   op == "neg")
    result.by_product = a.by_product and op != "abs"
    result.loses = not fits or a.loses
    return result


def named(value):
    """The same read from a local that one statement assigns: of its expression it has the interval, and 0 before."""
    low, high = min(value.interval[0], 0), max(value.interval[1], 0)
    interval = (low, high) if holds(value.type, (low, high)) else span(value.type)
    result = Value("d", value.type, value.numbers, interval, False, value.wraps, value.exact, False, value.by_count)
    result.by_product = value.by_product
    result.loses = value.loses
    return result


# ---- Statements ----


AUGMENTED = ("+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "**")


class Statement:
    """What is stored where, and what the model says of it: an error's code, or the numbers; whether a warning comes too."""

    def __init__(self, choice, data, picks):
        self.op, left, right, self.target, self.place = choice
        make = lambda side, what: literal(what) if isinstance(what, int) else Value(f"{side}_{what}[i]", what, data[f"{side}_{what}"])
        self.a, self.b = make("a", left), make("b", right)
        if self.place == "augmented":
            self.target = left
        warnings, self.error, self.value, self.may_fail = [], None, None, None
        self.checked = False  # whether what is stored is checked
        try:
            self.value = self.compute(warnings, picks)
            if self.place == "named":
                self.value = named(self.value)
            if not converts(self.value, self.target):
                cast = "E0323" if self.place == "param" else "E0301"
                self.error = cast if self.value.wraps or self.value.by_product else None
                # A signed operand may have made an i64 of what was a hash.
                was_word = self.target in ("u32", "u64") and "u32" in (self.a.type, self.b.type)
                self.may_fail = cast if self.value.loses or was_word else None
                self.checked = not self.error
        except Refused as refused:
            self.error = str(refused)
        if self.value and not self.error and bits(self.target) == 64 and bits(self.value.type) <= 32 and self.value.wraps:
            warnings.append(True)
        self.warns = True in warnings
        self.divides_product = "product" in warnings

    def compute(self, warnings, picks):
        op, a, b = self.op, self.a, self.b
        apply = lambda op, x, y: binary(op, x, y, warnings)
        if op in ("neg", "~", "abs"): return unary(op, a, warnings)
        if op == "if": return binary("if", a, b, warnings, self.text(), picks)
        if op == "mean": return apply("//", apply("+", a, b), literal(2))
        if op == "grey": return apply(">>", apply("+", apply("*", literal(77), a), apply("*", literal(151), b)), literal(8))
        if op == "sum3": return apply("+", apply("*", a, b), a)
        if op == "half": return apply("//", apply("*", a, b), literal(3))
        if op == "rest": return apply("%", apply("-", a, b), literal(7))
        if op == "high": return apply(">>", apply("*", a, b), literal(8))
        if op == "least": return apply("min", apply("+", a, b), literal(99))
        return apply(op, a, b)

    def text(self):
        op, a, b = self.op, self.a.text, self.b.text
        if op in ("neg", "~"): return f"{'-' if op == 'neg' else op}{a}"
        if op == "if": return f"{a} if pick[i] else {b}"
        if op == "mean": return f"({a} + {b}) // 2"
        if op == "grey": return f"(77 * {a} + 151 * {b}) >> 8"
        if op == "sum3": return f"{a} * {b} + {a}"
        if op == "half": return f"{a} * {b} // 3"
        if op == "rest": return f"({a} - {b}) % 7"
        if op == "high": return f"({a} * {b}) >> 8"
        if op == "least": return f"min({a} + {b}, 99)"
        if op == "abs": return f"abs({a})"
        return f"{op}({a}, {b})" if op in ("min", "max") else f"{a} {op} {b}"

    def lines(self, number):
        """Returns the kernel's lines, and which of them is judged."""
        element, text = f"o_{self.target}[{number}, i]", self.text()
        if self.place == "local":
            return [f"l{number}: {self.target} = {text}", f"{element} = l{number}"], 0
        if self.place == "named":
            return [f"d{number} = {text}", f"{element} = d{number}"], 1
        if self.place == "param":
            return [f"{element} = take_{self.target}({text})"], 0
        if self.place == "augmented":
            return [f"{element} = {self.a.text}", f"{element} {self.op}= {self.b.text}"], 1
        return [f"{element} = {text}"], 0

    def kept(self):
        """Returns what the element holds where what is stored last does not fit."""
        return [n if self.place == "augmented" else UNTOUCHED for n in self.a.numbers]

    def exact(self):
        """Says in which rounds the operands are numbers that 64 bits with a sign hold, as a fix computes."""
        # A product of a u32 and a literal wraps, as a hash does.
        factors = zip((77, 151), (self.a, self.b)) if self.op == "grey" else ()
        hashes = [f * max(v.numbers) >> 32 and v.type == "u32" for f, v in factors]
        if any(hashes):
            return [False] * VALUES
        return [all(abs(n) < 1 << 63 for n in pair) and abs(x) < 1 << 63 for *pair, x in zip(self.a.numbers, self.b.numbers, self.value.exact)]


def converts(value, target):
    return holds(target, value.interval) or join(value.type, target) == target


# ---- Files ----


class Job:
    """Lines of a kernel and what they store."""

    def __init__(self, statement, number, expected, mask=None, choose=None, faults=None):
        self.statement, self.expected, self.choose = statement, expected, choose
        self.mask = mask or [True] * VALUES
        self.faults = faults or [False] * VALUES
        self.text, self.judged = statement.lines(number)


def source(jobs):
    params = [f"{side}_{t}: {t}[:]" for side in "ab" for t in TYPES] + [f"o_{t}: {t}[:, :]" for t in TYPES] + ["pick: bool[:]"]
    text = "".join(f"@device\ndef take_{t}(x: {t}) -> {t}:\n    return x\n\n\n" for t in TYPES)
    text += f"@kernel\ndef k({', '.join(params)}):\n    i = threadIdx.x\n    if i >= pick.size:\n        return\n"
    places = {}
    for number, job in enumerate(jobs):
        # A block has one statement: a thread that faults leaves the others to run.
        text += f"    if blockIdx.x == {number}:\n"
        for at, line in enumerate(job.text):
            places[text.count("\n") + 1] = (job, at)
            text += f"        {line}\n"
    return text, places


def diagnose(kernc, path, jobs):
    """Returns the diagnostics of each job, as (code, message object, line of the job)."""
    text, places = source(jobs)
    path.write_text(text)
    done = subprocess.run([*kernc, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):
        sys.exit(f"{path}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    found = {id(job): [] for job in jobs}
    for line in (done.stdout + done.stderr).splitlines():
        one = json.loads(line) if line.startswith("{") else None
        if not one:
            continue
        if one["line"] not in places:
            sys.exit(f"{path}: {line}")
        job, at = places[one["line"]]
        found[id(job)].append((one["code"], one, at))
    return found


def fix_of(one):
    """Returns the text that a message writes."""
    if one["code"] == "E0323":
        notes = [note["message"] for note in one.get("notes", [])]
        return next(m[1] for m in (re.search(r"convert it: `([^`]*)`", n) for n in notes) if m)
    found = re.search(r"write `([^`]*)`", one["message"])
    return found[1] if found else None


def apply_fix(job, one, at):
    """Puts what a message writes where it belongs; returns whether it could."""
    line, fix = job.text[at], fix_of(one)
    if fix is None:
        return False
    if re.match(r"d\d+ = ", fix):
        job.text[0] = fix
        return True
    if one["code"][0] == "W" and " = " in fix:
        job.text[at] = fix
        return True
    begin, end = one["column"] - 9, one["end_column"] - 9
    if one["code"] == "E0303" and "=" not in fix:
        # The cast of one operand: what it converts stands in the expression.
        inner = re.sub(r"[iu]\d+\(([^()]*)\)", r"\1", fix)
        at_inner = line.find(inner, begin)
        if at_inner < 0:
            return False
        begin, end = at_inner, at_inner + len(inner)
    job.text[at] = line[:begin] + fix + line[end:]
    return True


def jobs_of(statement, number):
    """Returns the jobs that a judged statement gives: as it stands, and with each fix."""
    s, value, target = statement, statement.value, statement.target
    plain = lambda numbers: [wrap(target, n) for n in numbers]
    if s.error in ("E0305", "E0325", "E0332", "E0373"):
        return []
    if s.error == "E0303":
        # Both operands in 64 bits, then in the type of the target.
        numbers = [exact_result(s.op, p, q, 64) for p, q in zip(s.a.numbers, s.b.numbers)] if s.op in ("+", "-", "*", "&", "|", "^") else None
        return [Job(s, number, plain(numbers), choose="fix")] if numbers else []
    jobs = []
    if s.checked:
        faults = [wrap(target, n) != n for n in value.numbers]
        return [Job(s, number, [k if f else n for n, k, f in zip(value.numbers, s.kept(), faults)], faults=faults)]
    if not s.error:
        jobs.append(Job(s, number, plain(value.numbers)))
        no_wider = value.type == "u32" and target == "u64" and s.warns and not value.by_product
        if value.type == "u64" or no_wider:
            jobs.append(Job(s, number, plain(value.numbers), choose="fix"))  # no cast makes a difference of them exact
        elif s.warns or s.divides_product or (bits(target) == 64 and value.by_product):
            jobs.append(Job(s, number, plain(value.exact), s.exact(), choose="fix"))
        return jobs
    widens = bits(target) > bits(value.type)
    # An error may come with a warning, whose fix is made too.
    product = bits(target) == 64 and value.by_product
    exact = (widens and value.wide) or (bits(target) == 64 and value.wraps) or s.warns or s.divides_product or product
    masked = s.warns or s.divides_product or product
    jobs.append(Job(s, number, plain(value.exact if exact else value.numbers), s.exact() if masked else None, choose="fix"))
    return jobs


def check_file(options, seed, choices, folder):
    rng = random.Random(seed)
    data = {f"{side}_{t}": numbers(rng, t, side == "b") for side in "ab" for t in TYPES}
    picks = [rng.random() < 0.5 for _ in range(VALUES)]
    statements = [Statement(choice, data, picks) for choice in choices]
    kernc = [options.kernc]
    judged = [Job(s, n, None) for n, s in enumerate(statements)]
    found = diagnose(kernc, folder / "judged.kern", judged)
    wrong = []
    for job in judged:
        s = job.statement
        codes = [code for code, _, at in found[id(job)] if at == job.judged or code.startswith("E") or s.place == "named"]
        errors = [code for code in codes if code.startswith("E")]
        warns = any(code in ("W0730", "W0731", "W0733") for code in codes)
        if s.checked and s.may_fail and errors == [s.may_fail]:
            s.error, s.checked = s.may_fail, False
        if (s.error is None) != (not errors) or (s.error and s.error not in errors):
            wrong.append(f"{' | '.join(job.text)}: {errors or 'no error'}, {s.error or 'none'} expected")
        elif not s.error and warns != s.warns:
            wrong.append(f"{' | '.join(job.text)}: {'a' if warns else 'no'} warning, {'one' if s.warns else 'none'} expected")
    if wrong:
        sys.exit("\n".join(wrong))
    jobs = []
    for s in statements:
        for job in jobs_of(s, len(jobs)):
            job.text, job.judged = s.lines(len(jobs))
            jobs.append(job)
    for _ in range(5):
        found = diagnose(kernc, folder / "fixed.kern", jobs)
        changed = False
        for job in jobs:
            ones = [d for d in found[id(job)] if d[0][0] == "E" or job.choose]
            if ones and not apply_fix(job, ones[0][1], ones[0][2]):
                sys.exit(f"no fix in {ones[0][1]['message']}\n{job.text}")
            changed = changed or bool(ones)
        if not changed:
            break
    else:
        sys.exit("the fixes do not settle\n" + "\n".join(str(job.text) for job in jobs if any(d[0][0] == 'E' for d in found[id(job)])))
    run(options, folder, jobs, data, picks)
    return len(jobs)


def run(options, folder, jobs, data, picks):
    for name, values in data.items():
        numpy.save(folder / f"{name}.npy", numpy.array(values, numpy_type(name[2:])))
    numpy.save(folder / "pick.npy", numpy.array(picks))
    words = [f"{name}=@{folder}/{name}.npy" for name in data] + [f"pick=@{folder}/pick.npy"]
    words += [f"o_{t}=full:{t}:{max(len(jobs), 1)}x{VALUES}:{UNTOUCHED}" for t in TYPES]
    words += [word for t in TYPES for word in ("-o", f"o_{t}={folder}/o_{t}.npy")]
    command = [options.kernc, "run", str(folder / "fixed.kern"), "k", *words, f"--grid={max(len(jobs), 1)}", f"--block={VALUES}", f"--lanes={options.lanes}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    faulty = [job for job in jobs if any(job.faults)]
    # What a fix computes may not fit its place either.
    fault = re.search(r"fixed.kern:(\d+):\d+: fault\[fit\]", done.stderr)
    judged = {id(job): line for line, (job, at) in source(jobs)[1].items() if at == job.judged}
    last = judged[id(faulty[0])] if faulty else max(judged.values(), default=0)
    lines = {judged[id(job)] for job in jobs if job.choose or any(job.faults)}
    if done.returncode != (4 if fault else 0) or (faulty and not fault) or (fault and not (int(fault[1]) in lines and int(fault[1]) <= last)):
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    stored = {t: numpy.load(folder / f"o_{t}.npy") for t in TYPES}
    wrong = []
    for number, job in enumerate(jobs):
        got = [int(n) for n in stored[job.statement.target][number]]
        kept = job.statement.kept() if job.choose else job.expected
        for at, (g, e, asked, old) in enumerate(zip(got, job.expected, job.mask, kept)):
            if asked and g not in (e, old):
                s = job.statement
                wrong.append(f"{' | '.join(job.text)}: {g}, {e} expected, of {s.a.numbers[at]} and {s.b.numbers[at]}")
                break
    if wrong:
        sys.exit("\n".join(wrong))


def numpy_type(t):
    return {"i": "int", "u": "uint"}[t[0]] + t[1:]


def numbers(rng, t, divisor):
    low, high = span(t)
    near = [0, 1, 2, 3, 5, 7, 8, 9, 31, 100, high, high - 1, high // 2 + 1, high // 3, low, low + 1] + ([-1, -2, -9] if low < 0 else [])
    values = [rng.choice(near) if rng.random() < 0.7 else rng.randint(low, high) for _ in range(VALUES)]
    return [n if n or not divisor else 1 for n in values]


def every_choice():
    for op, left, right, target in itertools.product(OPERATORS, TYPES, TYPES, TYPES):
        yield op, left, right, target, "element"
    for op, left, right, target in itertools.product(OPERATORS, TYPES, LITERALS, TYPES):
        yield op, left, right, target, "element"
        if op in AUGMENTED + ("min", "max", "if"):
            yield op, right, left, target, "element"


def fits(choice):
    """Says whether a statement is one that the model knows: no quotient by a literal 0, no two literals, no huge power."""
    op, left, right, target, place = choice
    if op in ("//", "%") and right == 0 or op == "grey" and isinstance(right, int):
        return False
    if isinstance(left, int) and isinstance(right, int):
        return False
    if isinstance(left, int) and (place == "augmented" or op not in AUGMENTED + ("min", "max", "if")):
        return False
    if op in ("<<", ">>") and isinstance(right, int) and right < 0:
        return False
    return place != "augmented" or op in AUGMENTED


def random_choice(rng):
    while True:
        side = lambda: rng.choice(TYPES) if rng.random() < 0.75 else rng.choice(LITERALS)
        choice = (rng.choice(OPERATORS), side(), side(), rng.choice(TYPES), rng.choice(PLACES))
        if fits(choice):
            return choice


def main():
    parser = arguments.parser(12)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--lanes", default="16")
    options, counts, files = parser.parse_args(), [], []
    if options.all:
        choices = [choice for choice in every_choice() if fits(choice)]
        files = [choices[at : at + STATEMENTS] for at in range(0, len(choices), STATEMENTS)]
        options.count = len(files)

    def check(options, seed, folder):
        rng = random.Random(seed)
        chosen = files[seed % len(files)] if files else [random_choice(rng) for _ in range(STATEMENTS)]
        counts.append(check_file(options, seed, chosen, folder))

    arguments.agree(options, check)
    print(f"of {sum(counts)} statements")


main()

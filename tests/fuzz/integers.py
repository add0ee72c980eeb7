#!/usr/bin/env python3
"""Integers of .kern files against exact ones: a model (exact_integers.py) computes each statement with Python's integers and the types of the
rule, and says what is stored, at which line a thread faults and by which value, or which error there is.

Each file has 60 statements, by chance, of one to ten lines: operators nested up to three deep over elements of all types, literals and what is
made of them, put into elements, locals with and without a type, parameters, results, records, tuples, shared and local arrays, slices, atomics,
sums, and collectives where a warp has lanes. Each has a block of its own, so that a fault ends nothing else, of 128 threads with values of their
own. What a message offers is put in its place, and must compile. The count of what was run is of statements times values. --only writes some
statements of a file: a small program of what is wrong.

usage: integers.py KERNC [--count N] [--seed S] [--seconds T] [--lanes N] [--guards on|shadow|off|clamp] [--only STATEMENT...] [--keep DIR] [--device cpu|cuda]
"""
# fuzz: --lanes=1
# fuzz: --lanes=32
import collections
import json
import random
import re
import subprocess
import sys

import numpy

import arguments
from exact_integers import (ARITHMETIC, BITS, BIT_FUNCTIONS, CHOICES, COMPARISONS, COUNTS, EXACT, NUMBERS, OPERATORS, SHIFTS, TYPES, WORDS, Fault, Refused, Skip, Value,
                            binary, bit_function, cast, compared, conditional, fits, is_signed, join, limits, literal, local_type, low_bits, truth, unary, width)

FLOATS = ("f32", "f64")
STATEMENTS, VALUES, BEYOND = 60, 128, 8  # elements behind those of the threads
UNTOUCHED = {"bool": 1}  # what elements hold before a kernel stores to them, of other types 77
WARP = 32
LITERALS = [0, 1, 2, 3, 5, 7, 8, 13, 31, 32, 63, 64, 100, 127, 128, 200, 255, 256, 300, 32767, 65535, 65536, 70000, -1, -1, -2, -3, -7, -200]
PALETTES = [NUMBERS + ("bool",), NUMBERS, NUMBERS, WORDS + ("u8", "u16", "bool"), WORDS, ("u32",), ("u64",), ("u8", "i8"), ("i32",), TYPES]
# What the kinds of errors are reported as. Where two types meet in a local, an operator of it may be refused instead.
CODES = {"mixed": {"E0374", "E0332"}, "literal": {"E0305", "E0329"}, "start": {"E0375"}, "width": {"E0376"}, "count": {"E0373"}, "not": {"E0306"},
         "bool": {"E0301"}, "join": {"E0305", "E0329", "E0336", "E0374", "E0375"},
         "range": {"E0303"}}
GONE = {"W0730", "W0731", "W0732", "W0733", "W0734", "W0736", "W0744", "W0748"}


class Thread:
    def __init__(self, number, keeps_low_bits):
        self.number, self.keeps_low_bits = number, keeps_low_bits
        self.stored, self.locals, self.line, self.is_misfit = None, {}, None, False

    def place(self, t, value):
        """Returns what a place of a type holds then."""
        if t in FLOATS:
            wide = (numpy.uint64 if value >= 0 else numpy.int64)(value)
            return float((numpy.float32 if t == "f32" else numpy.float64)(wide))
        if fits(t, value):
            return value
        if not self.keeps_low_bits:
            raise Fault("fit", self.line, value)
        self.is_misfit = True
        return low_bits(t, value)


class Statement:
    """Lines of a file, and the steps that each thread takes, or all that are left together."""

    def __init__(self, number, rng, data, lanes):
        self.number, self.rng, self.data, self.lanes = number, rng, data, lanes
        self.lines = []  # (top of the file, head or body of the kernel, text)
        self.steps = []  # (whether threads meet, what is done)
        self.error, self.target, self.palette = None, None, rng.choice(PALETTES)
        form = rng.choice(FORMS)
        self.form = form.__name__
        try:
            form(self)
        except Refused as refused:
            self.error = str(refused)

    def name(self, letter):
        return f"{letter}{self.number}"

    def line(self, text, where="body"):
        self.lines.append((where, text))
        return len(self.lines) - 1

    def step(self, line, action):
        def act(thread):
            thread.line = line
            action(thread)
        self.steps.append((False, act))

    # -- Expressions --

    def element(self, t=None, offset="i"):
        t = t or self.rng.choice(self.palette)
        name = f"{self.rng.choice('abc')}_{t}"
        row = self.data[name]
        at = (lambda thread: thread.number) if offset == "i" else lambda thread: thread.number + thread.locals["k"]
        return Value(f"{name}[{offset}]", t, lambda thread: row[at(thread)], is_made=False, is_sum=False)

    def constant(self):
        """A literal, in one of the ways in which it can be written."""
        rng = self.rng
        low, high = limits(rng.choice(TYPES))
        value = rng.choice(LITERALS + [low, high, min(high + 1, limits("u64")[1])])
        form, is_i64 = rng.random(), fits("i64", value)
        if form < 0.12 and is_i64 and value >= 0:
            return literal(~value, f"~{value}", is_inverted=True)
        if form < 0.25 and is_i64:
            where = rng.choice(["top", "head"])
            name = f"{'C' if where == 'top' else 'h'}{self.number}_{len(self.lines)}"
            self.line(f"{name} = {value}", where)
            return literal(value, name)
        if form < 0.35 and value >= 0:
            return literal(value, hex(value))
        named = [f"{t}.{end}" for t in TYPES for end, limit in zip(("min", "max"), limits(t)) if limit == value != 0]
        return literal(value, rng.choice(named) if named and form < 0.6 else None)

    def made_of_literals(self):
        shifted = binary(self.rng.choice(["<<", "<<", "<<", ">>"]), literal(self.rng.choice([1, 1, 3, 255])), self.count())
        form = self.rng.randrange(4)
        return unary("~", shifted) if form == 0 else binary("-", shifted, literal(1)) if form == 1 else shifted

    def count(self):
        """A count, which a mask keeps small, or not."""
        value = self.element(self.rng.choice(TYPES))
        return binary("&", value, literal(self.rng.choice([7, 31, 63]))) if self.rng.random() < 0.7 else value

    def part(self):
        """What a function makes of a slice."""
        t, by, low, size = self.rng.choice(self.palette), self.rng.choice(["sum", "sum", "min", "max"]), self.rng.randrange(3), self.rng.randrange(1, 5)
        type, row = t if by != "sum" else "u64" if t in WORDS else "i64", self.data[f"a_{t}"]
        apply = {"sum": sum, "min": min, "max": max}[by]
        run = lambda thread: low_bits(type, apply(row[thread.number + low:thread.number + low + size]))
        return Value(f"{by}(a_{t}[i + {low}:i + {low + size}])", type, run, is_sum=None)

    def leaf(self):
        form = self.rng.random()
        if form < 0.7:
            return self.element()
        if form < 0.88:
            return self.constant()
        if form < 0.94:
            return self.made_of_literals()
        if form < 0.95:
            return Value("i", "i32", lambda thread: thread.number, is_made=False, is_sum=False)
        if form < 0.97:
            return self.part()
        index, t = binary("&", self.element(self.rng.choice(TYPES)), literal(7)), self.rng.choice(self.palette)
        row = self.data[f"b_{t}"]
        return Value(f"b_{t}[{index.text}]", t, lambda thread: row[index.run(thread)], is_made=False, is_sum=False)

    def operand(self, depth):
        return self.expression(depth - 1) if depth > 1 and self.rng.random() < 0.5 else self.leaf()

    def expression(self, depth=None):
        rng = self.rng
        depth, form = depth or rng.choice([1, 1, 2, 3]), rng.random()
        if form < 0.66:
            op, a = rng.choice(OPERATORS), self.operand(depth)
            return binary(op, a, self.count() if op in COUNTS and rng.random() < 0.7 else self.operand(depth))
        if form < 0.76:
            return unary(rng.choice(["-", "~", "abs"]), self.operand(depth))
        if form < 0.82:
            return conditional(self.operand(depth), self.condition(depth - 1), self.operand(depth))
        if form < 0.88:
            return cast(rng.choice(TYPES), self.operand(depth))
        if form < 0.91:
            return bit_function(rng.choice(list(BIT_FUNCTIONS)), self.operand(depth))
        return self.condition(depth) if form < 0.95 else self.leaf()

    def condition(self, depth):
        rng = self.rng
        form = rng.random()
        if form < 0.15 and depth > 0:
            name, a, b = rng.choice(["and", "or"]), self.condition(depth - 1), self.condition(depth - 1)
            run = (lambda thread: a.run(thread) and b.run(thread)) if name == "and" else lambda thread: a.run(thread) or b.run(thread)
            return truth(f"{a.inner()} {name} {b.inner()}", (a, b), run)
        # Any two types may be compared.
        palette, self.palette = self.palette, self.palette if rng.random() < 0.5 else TYPES
        values = [self.operand(depth) for _ in range(3 if form > 0.85 else 2)]
        self.palette = palette
        if form < 0.25:
            return truth(f"not {values[0].inner()}", values[:1], lambda thread: not values[0].run(thread))
        return compared(values, [rng.choice(COMPARISONS) for _ in values[1:]])

    def variable(self, text, t):
        """What a thread has in a local, or in an array or record of its own."""
        return Value(text, t, lambda thread: thread.locals[text], is_sum=None)

    def around(self, value):
        """An expression that may show the type of a value."""
        form, op = self.rng.random(), self.rng.choice(OPERATORS)
        if form < 0.25:
            return value
        if form < 0.4:
            return unary(self.rng.choice(["-", "~", "abs"]), value)
        if op in COUNTS:
            return binary(op, value, self.count())
        return binary(op, self.leaf(), value) if form < 0.6 else binary(op, value, self.leaf())

    # -- Places --

    def beside(self, value):
        """A type for a place, which often holds a value."""
        return self.rng.choice([value.type if value.type in TYPES else "i32", "i64", self.rng.choice(TYPES)])

    def goes_into(self, t, value, takes_bits=False):
        """Refuses what cannot go into a place of a type. Of an inverted literal a word takes the low bits, which not all forms know."""
        if value.error:
            raise Refused(value.error)
        if t == "bool" and value.type != "bool" and not value.is_literal:
            raise Refused("bool")
        if (t == "bool" and value.is_literal) or (t in FLOATS and value.is_open) or (value.is_constant and not value.is_literal):
            raise Skip
        is_bits = value.is_inverted and t in WORDS
        if is_bits and not takes_bits:
            raise Skip
        if value.is_literal and not fits(t, value.number) and not is_bits:
            raise Refused("literal")

    def put(self, text, t, value, keep):
        """Writes a line that puts a value into a place of a type; what the place holds then is kept."""
        line = self.line(text)
        self.goes_into(t, value, takes_bits=True)
        run = (lambda thread: low_bits(t, value.number)) if value.is_inverted and t in WORDS else value.run
        self.step(line, lambda thread: keep(thread, thread.place(t, run(thread))))

    def store(self, value):
        """Stores the result of the statement."""
        rng = self.rng
        if not self.target:
            is_bool = rng.random() < (0.7 if value.type == "bool" else 0.01)
            self.target = "bool" if is_bool else rng.choice(FLOATS) if rng.random() < 0.06 else self.beside(value)
        self.put(f"o_{self.target}[{self.number}, i] = {value.text}", self.target, value, lambda thread, new: setattr(thread, "stored", new))

    def assign(self, name, t, value, text=None):
        self.put(text or f"{name} = {value.text}", t, value, lambda thread, new: thread.locals.__setitem__(name, new))

    def update(self, name, t):
        """Changes what has a type, as `name op= x` or `name = name op x`."""
        op, x, old = self.rng.choice(OPERATORS), self.leaf(), self.variable(name, t)
        value = binary(op, old, x)
        self.assign(name, t, value, f"{name} {op}= {x.text}" if op not in CHOICES and self.rng.random() < 0.6 else None)


# ---- Forms of statements ----


def element(s):
    s.store(s.expression())


def augmented(s):
    t = s.target = s.rng.choice([t for t in s.palette if t != "bool"])
    s.store(s.element(t))
    op, x = s.rng.choice(ARITHMETIC + BITS + SHIFTS), s.operand(2)
    value = binary(op, Value("o", t, lambda thread: thread.stored, is_made=False), x)
    s.put(f"o_{t}[{s.number}, i] {op}= {x.text}", t, value, lambda thread, new: setattr(thread, "stored", new))


def single_local(s):
    value, name = s.expression() if s.rng.random() < 0.7 else s.leaf(), s.name("d")
    line = s.line(f"{name} = {value.text}")
    t = local_type([value])
    if value.is_literal:
        # A local whose only assignment is a literal is that literal.
        s.store(s.around(literal(value.number, name, value.is_inverted)))
        return
    s.step(line, lambda thread: thread.locals.__setitem__(name, low_bits(t, value.run(thread))))
    s.store(s.around(s.variable(name, t)))


def joined_local(s):
    """A local that branches assign values of several types."""
    values = [s.expression(1) if s.rng.random() < 0.5 else s.leaf() for _ in range(s.rng.choice([2, 2, 3]))]
    # Elements decide, since what can never be true is not compiled.
    conditions, name = [compared([s.element(s.rng.choice(TYPES)) for _ in "xy"], [s.rng.choice(COMPARISONS)]) for _ in values[1:]], s.name("d")
    lines = [(None, s.line(f"{name} = {values[0].text}"))]
    for value, condition in zip(values[1:], conditions):
        lines.append((s.line(f"if {condition.text}:"), s.line(f"    {name} = {value.text}")))
    used = s.line(f"o_i64[{s.number}, i] = i64({name})")
    t = local_type(values)
    s.lines.pop(used)

    def act(thread):
        for value, condition, (head, line) in zip(values, [None] + conditions, lines):
            thread.line = head
            if not condition or condition.run(thread):
                thread.line = line
                thread.locals[name] = low_bits(t, value.run(thread))

    s.steps.append((False, act))
    s.store(s.around(s.variable(name, t)))


def declared_local(s):
    value, name = s.expression(), s.name("l")
    t = s.beside(value)
    s.assign(name, t, value, f"{name}: {t} = {value.text}")
    for _ in range(s.rng.randint(1, 2)):
        s.update(name, t)
    s.store(s.around(s.variable(name, t)))


def loop(s):
    """A local without a type, or with one, that a loop changes by one operator or two."""
    rounds, name, parts = s.rng.randint(1, 7), s.name("s"), []
    start = s.rng.choice([s.element, s.constant, lambda: literal(0), lambda: literal(1), s.leaf])()
    declared = s.rng.choice(TYPES) if s.rng.random() < 0.3 else None
    for _ in range(s.rng.choice([1, 1, 2])):
        op = s.rng.choice(("+", "+", "-", "*", "//", "%") + BITS + CHOICES + SHIFTS)
        x = literal(s.rng.choice([1, 2, 3, 5])) if op in SHIFTS else s.element(offset="i + k") if s.rng.random() < 0.7 else s.constant()
        parts.append((op, x, op not in SHIFTS + ("//", "%") and s.rng.random() < 0.3))

    def apply(value):
        for op, x, is_swapped in parts:
            value = binary(op, x, value) if is_swapped else binary(op, value, x)
        return value

    if declared:
        s.assign(name, declared, start, f"{name}: {declared} = {start.text}")
        first = None
    else:
        first = s.line(f"{name} = {start.text}")
    # A literal start takes the type of what is added to it; types only widen.
    t = declared or local_type([start])
    inside = literal(start.number, name, start.is_inverted) if start.is_literal and not declared else s.variable(name, t)
    value, (op, x, is_swapped) = apply(inside), parts[0]
    s.line(f"for k in range({rounds}):")
    line = s.line(f"    {name} {op}= {x.text}" if len(parts) == 1 and not is_swapped and op not in CHOICES else f"    {name} = {value.text}")
    try:
        while not declared and (inside.is_literal or local_type([start, value]) != t):
            t = local_type([start, value])
            inside = s.variable(name, t)
            value = apply(inside)
        s.goes_into(t, value)
    except Refused as refused:
        # Two types meet in the local, or in an operator of it.
        raise Refused("join" if str(refused) in ("mixed", "start") and not declared else str(refused))
    if not declared:
        s.step(first, lambda thread: thread.locals.__setitem__(name, low_bits(t, start.run(thread))))

    def act(thread):
        for k in range(rounds):
            thread.locals["k"] = k
            thread.locals[name] = thread.place(t, value.run(thread))

    s.step(line, act)
    s.store(s.around(s.variable(name, t)))


def swapped(s):
    """Two locals that exchange their values, and so have one type."""
    a, b, p, q = s.leaf(), s.leaf(), s.name("p"), s.name("q")
    line = s.line(f"{p}, {q} = {a.text}, {b.text}")
    s.line(f"{p}, {q} = {q}, {p}")
    t = local_type([a, b])
    s.step(line, lambda thread: thread.locals.update({q: low_bits(t, a.run(thread)), p: low_bits(t, b.run(thread))}))
    s.store(s.around(binary(s.rng.choice(BITS + CHOICES), s.variable(p, t), s.variable(q, t))))


def called(s):
    """A function of two parameters and a result, which have types or not."""
    name, optional = s.name("g"), lambda: s.rng.choice(TYPES) if s.rng.random() < 0.4 else None
    values, types, result = [s.expression(s.rng.choice([1, 2])) for _ in "xy"], [optional(), optional()], optional()
    for value, t in zip(values, types):
        # A literal that a parameter without a type is given stays one.
        if value.error or (value.is_literal and not t):
            raise Skip
    given = [t or local_type([value]) for t, value in zip(types, values)]
    x, y = (s.variable(name, t) for name, t in zip("xy", given))
    condition = compared([x, y], ["<"]) if s.rng.random() < 0.4 else None
    bodies = []
    for _ in range(2 if condition else 1):
        a, b = s.rng.choice([(x, y), (y, x)])
        bodies.append(binary(s.rng.choice(OPERATORS), a, b if s.rng.random() < 0.7 else literal(s.rng.choice([1, 2, 3, 200, 300]))))
    params = ", ".join(each + (f": {t}" if t else "") for each, t in zip("xy", types))
    s.line("@device", "top"), s.line(f"def {name}({params}){f' -> {result}' if result else ''}:", "top")
    if condition:
        s.line("    if x < y:", "top")
    lines = [s.line(f"    {'    ' * (at < len(bodies) - 1)}return {each.text}", "top") for at, each in enumerate(bodies)]
    call = f"{name}({values[0].text}, {values[1].text})"
    used = s.line(f"o_i64[{s.number}, i] = i64({call})")
    for value, t in zip(values, types):
        s.goes_into(t, value) if t else None
    if result:
        for each in bodies:
            s.goes_into(result, each)
    t = result or local_type(bodies)
    s.lines.pop(used)

    def run(thread):
        got = [value.run(thread) for value in values]
        kept, line = thread.locals, thread.line
        inside = {each: thread.place(t, value) for each, t, value in zip("xy", given, got)}
        thread.locals = kept | inside
        at = 0 if not condition or condition.run(thread) else 1
        thread.line = lines[at]
        value = bodies[at].run(thread)
        value = thread.place(t, value) if result else low_bits(t, value)
        thread.locals, thread.line = kept, line
        return value

    s.store(s.around(Value(call, t, run, is_sum=None)))


def record(s):
    """Fields of a record, made whole and changed, in a local or an array."""
    values, name, where = [s.expression(), s.expression()], s.name("P"), s.name("p")
    types = [s.beside(value) for value in values]
    for text in ("@struct", f"class {name}:", f"    x: {types[0]}", f"    y: {types[1]}"):
        s.line(text, "top")
    if s.rng.random() < 0.5:
        where = s.name("m") + "[i]"
        s.line(f"{s.name('m')} = {s.rng.choice(['shared', 'local'])}.array({VALUES}, {name})")
    fields(s, f"{where} = {name}", [f"{where}.x", f"{where}.y"], types, values)
    s.update(f"{where}.x", types[0])
    s.store(s.around(s.variable(f"{where}.x", types[0]) if s.rng.random() < 0.6 else s.variable(f"{where}.y", types[1])))


def pair(s):
    """Tuples: in a local, where the numbers have types of their own, and in arrays, where each is checked."""
    values, where = [s.expression(), s.expression()], s.name("t")
    if any(value.is_open or value.is_constant for value in values):
        raise Skip
    types = [value.type for value in values]
    if s.rng.random() < 0.6:
        types = [s.beside(value) for value in values]
        s.line(f"{where} = {s.rng.choice(['shared', 'local'])}.array({VALUES}, ({', '.join(types)}))")
        where += "[i]"
    fields(s, f"{where} = ", [f"{where}[0]", f"{where}[1]"], types, values)
    s.store(s.around(s.variable(*s.rng.choice(list(zip([f"{where}[0]", f"{where}[1]"], types))))))


def fields(s, text, names, types, values):
    line = s.line(f"{text}({values[0].text}, {values[1].text})")
    for t, value in zip(types, values):
        s.goes_into(t, value)

    def act(thread):
        got = [value.run(thread) for value in values]
        thread.locals.update({name: thread.place(t, each) for name, t, each in zip(names, types, got)})

    s.step(line, act)


def own_array(s):
    """A shared or local array, of which a thread stores an element and changes it."""
    value, name = s.expression(), s.name("v")
    t, (kind, size, at) = s.beside(value), s.rng.choice([("shared", VALUES, "i"), ("local", 4, "i & 3"), ("local", 2, "1")])
    s.line(f"{name} = {kind}.array({size}, {t})")
    s.assign(f"{name}[{at}]", t, value)
    s.update(f"{name}[{at}]", t)
    s.store(s.around(s.variable(f"{name}[{at}]", t)))


def sliced(s):
    """Slices of a local array, which numbers or elements of another array go into or change."""
    t, name = s.rng.choice(TYPES), s.name("v")
    s.line(f"{name} = local.array(4, {t})")
    s.step(None, lambda thread: thread.locals.__setitem__(name, [0] * 4))
    for _ in range(s.rng.randint(1, 3)):
        low, high = s.rng.choice([(0, 4), sorted(s.rng.sample(range(5), 2))])
        text, op = f"{name}[{low}:{high}]", s.rng.choice(["=", "=", "+", "-", "*", "|", "^"])
        x = s.leaf() if s.rng.random() < 0.5 else s.element(offset="i + k")
        given = x.text.replace("i + k", f"i:i + {high - low}")
        value = x if op == "=" else binary(op, Value("e", t, lambda thread: thread.locals["e"], is_made=False), x)
        line = s.line(f"{name}.fill({x.text})" if high - low == 4 and op == "=" and given == x.text else f"{text} {op if op == '=' else op + '='} {given}")
        s.goes_into(t, value)

        def act(thread, low=low, high=high, value=value):
            for k in range(high - low):
                thread.locals |= {"k": k, "e": thread.locals[name][low + k]}
                thread.locals[name][low + k] = thread.place(t, value.run(thread))

        s.step(line, act)
    at = s.rng.randrange(4)
    s.store(s.around(Value(f"{name}[{at}]", t, lambda thread: thread.locals[name][at], is_sum=None)))


def atomic(s):
    """An atomic: its operand is checked, the sum in memory wraps."""
    apply = {"add": EXACT["+"], "sub": EXACT["-"], "max": max, "min": min, "and_": EXACT["&"], "or_": EXACT["|"], "xor": EXACT["^"], "exch": lambda x, y: y}
    value, op = s.expression(), s.rng.choice(list(apply))
    t = s.target = s.beside(value)
    keep = lambda thread, new: setattr(thread, "stored", low_bits(t, apply[op](77, new)))
    s.put(f"atomic.{op}(o_{t}, ({s.number}, i), {value.text})", t, value, keep)


def ranged(s):
    """The variable of a range, which has the widest type of its ends, or is declared and checked once."""
    first, step, name = s.element(), s.rng.choice([1, 1, 2, -1]), s.name("k")
    is_near = s.rng.random() < 0.6
    second = binary("+" if step > 0 else "-", first, literal(s.rng.randint(1, 5))) if is_near else s.element()
    types = [first.type, second.type]
    has_word = "u32" in types or "u64" in types
    # A range of u64s with 2^63 rounds or more runs none, as the language says.
    if "bool" in types or (has_word and step < 0) or ("u64" in types and not is_near):
        raise Skip
    declared = s.rng.choice(TYPES) if is_near and s.rng.random() < 0.4 else None
    if declared:
        s.line(f"{name}: {declared} = 0")
    s.target = s.rng.choice(["i64", declared or first.type, s.rng.choice(TYPES)])
    s.line(f"{s.name('n')} = 0")
    line = s.line(f"for {name} in range({first.text}, {second.text}{f', {step}' if step != 1 else ''}):")
    inside = s.line(f"    o_{s.target}[{s.number}, i] = {name}")
    for text in (f"    {s.name('n')} += 1", f"    if {s.name('n')} > 5:", "        break"):
        s.line(text)
    is_mixed = has_word and any(map(is_signed, types))
    if is_mixed and "u64" in types:
        raise Refused("range")
    t = declared or ("i64" if is_mixed else join(types))

    def act(thread):
        numbers = range(first.run(thread), second.run(thread), step)
        if declared and numbers:
            thread.place(t, numbers[0]), thread.place(t, numbers[-1])
        thread.line = inside
        for k in numbers[:6]:
            thread.stored = thread.place(s.target, low_bits(t, k))

    s.step(line, act)


def gathered(s):
    """Threads of a block meet: an atomic sum, which wraps, counts of a barrier, and in warps shuffles, votes and the library's reductions."""
    form, name = s.rng.choice(["sum", "count"] + ["shuffle", "vote", "reduce", "warp_reduce", "scan"] * (s.lanes == str(WARP))), s.name("d")
    if form == "sum":
        value = s.expression()
        t = s.beside(value)
        for text in (f"{name} = shared.array(1, {t})", "if i == 0:", f"    {name}[0] = 0", "syncthreads()"):
            s.line(text)
        s.put(f"atomic.add({name}, 0, {value.text})", t, value, lambda thread, new: thread.locals.__setitem__("own", new))
        s.line("syncthreads()")
        name += "[0]"
    else:
        value = s.condition(2) if form in ("count", "vote") else s.expression()
        if value.is_open or (form not in ("count", "vote") and value.type == "bool"):
            raise Skip
        distance, kind, combine = s.rng.choice([1, 2, 7, 16]), s.rng.choice(["up", "down", "xor"]), s.rng.choice(["add", "add", "larger"])
        line = s.line(f"{name} = " + {"count": f"syncthreads_count({value.text})", "vote": f"ballot_sync(0xffffffff, {value.text})",
                                      "shuffle": f"shfl_{kind}_sync(0xffffffff, {value.text}, {distance})"}.get(form, f"{form}({value.text}, {combine})"))
        t = {"count": "i32", "vote": "u32"}.get(form, "i64" if combine == "add" and form != "shuffle" and value.type not in WORDS else value.type)
        if value.error:
            raise Refused(value.error)
        s.step(line, lambda thread: thread.locals.__setitem__("own", value.run(thread)))

    def meet(threads):
        own = [thread.locals["own"] for thread in threads]
        # What is read of a lane that is gone nobody knows.
        if form != "sum" and len(threads) < VALUES:
            raise Skip
        for at, thread in enumerate(threads):
            warp, lane = own[at // WARP * WARP:][:WARP], at % WARP
            if form == "shuffle":
                other = {"up": lane - distance, "down": lane + distance, "xor": lane ^ distance}[kind]
                thread.locals[name] = warp[other if 0 <= other < WARP else lane]
            elif form in ("reduce", "warp_reduce", "scan"):
                given = own[:at + 1] if form == "scan" else own if form == "reduce" else warp
                thread.locals[name] = low_bits(t, sum(given)) if combine == "add" else max(given)
            else:
                thread.locals[name] = low_bits(t, sum(own)) if form == "sum" else sum(own) if form == "count" else sum(x << n for n, x in enumerate(warp))

    s.steps.append((True, meet))
    s.store(s.around(s.variable(name, t)))


FORMS = [element] * 6 + [augmented, augmented, single_local, joined_local, joined_local, declared_local, declared_local, loop, loop, loop, swapped,
         called, called, called, record, pair, own_array, sliced, sliced, atomic, ranged, gathered]


# ---- Files ----


Outcome = collections.namedtuple("Outcome", "stored faults misfits")  # what each thread stores, the fault of some, how many had a misfit


def outcome(statement, keeps_low_bits):
    threads, faults = [Thread(n, keeps_low_bits) for n in range(VALUES)], {}
    for is_meeting, action in statement.steps:
        alive = [thread for thread in threads if thread.number not in faults]
        for each in [alive] if is_meeting else alive:
            try:
                action(each)
            except Fault as fault:
                faults[each.number] = fault.args
    return Outcome([thread.stored for thread in threads], faults, sum(thread.is_misfit for thread in threads))


def source(statements):
    """A file of these statements, which line of which statement stands where, and the arrays that it takes."""
    of = lambda where: [(s, at, text) for s in statements for at, (w, text) in enumerate(s.lines) if w == where]
    used = sorted(set(re.findall(r"\b[abco]_(?:[iuf]\d+|bool)\b", " ".join(text for s in statements for _, text in s.lines))))
    params = ", ".join(f"{name}: {name[2:]}[{':, :' if name[0] == 'o' else ':'}]" for name in used)
    rows = [(None, 0, "from block import add, larger, reduce, scan, warp_reduce")] * any("reduce(" in text or "scan(" in text for _, _, text in of("body"))
    rows += of("top") + [(None, 0, text) for text in ("@kernel", f"def k({params}):", "    i = threadIdx.x")]
    rows += [(s, at, f"    {text}") for s, at, text in of("head")]
    previous = None
    for s, at, text in of("body"):
        if s is not previous:
            rows.append((None, 0, f"    if blockIdx.x == {s.number}:"))
        rows.append((s, at, f"        {text}"))
        previous = s
    return "\n".join(text for *_, text in rows) + "\n", {line: (s, at) for line, (s, at, _) in enumerate(rows, 1) if s}, used


def shown(s):
    return f"statement {s.number}, {s.form}:\n" + "\n".join(f"    {text}" for _, text in s.lines)


def diagnose(kernc, path, statements):
    """What kernc says of each statement, as (line of it, message)."""
    text, places, _ = source(statements)
    path.write_text(text)
    done = subprocess.run([kernc, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1):
        sys.exit(f"{path}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}\n{text}")
    found = {s.number: [] for s in statements}
    for one in (json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")):
        if one["line"] not in places or one["file"] != str(path):
            sys.exit(f"{one}\n{text}")
        s, at = places[one["line"]]
        found[s.number].append((at, one))
    return found


def offers_of(one):
    """What a message writes in place of what stands there: code in quotes behind `write`."""
    said = [one["message"].split("; write ", 1)[1]] if "; write " in one["message"] else []
    said += [note["message"] for note in one.get("notes", []) if re.match(r"declare|write|convert", note["message"])]
    return [offer for text in said for offer in re.findall(r"`([^`]*)`", text) if re.search(r"\)$|^-> |: \w+ = |[^.] = [^.]|[^.] != 0$|^not ", offer)]


def apply_fix(s, at, one, rng):
    """Puts what a message offers in its place; says whether it does offer something."""
    offers, (where, line) = offers_of(one), s.lines[at]
    if not offers:
        return False
    offer = rng.choice(offers)
    if offer.startswith("-> "):
        at = next(n for n, (_, text) in enumerate(s.lines) if text.startswith("def "))
        s.lines[at] = ("top", s.lines[at][1].replace("):", f") {offer}:"))
        return True
    declared = re.match(r"(\w+): \w+ = ", offer)
    if declared:
        at = next((n for n, (_, text) in enumerate(s.lines) if text.startswith(f"{declared[1]} = ")), None)
        if at is not None:
            s.lines[at] = ("body", s.lines[at][1].replace(f"{declared[1]} = ", declared[0], 1))
        return at is not None
    if " = " in offer:
        s.lines[at] = (where, line[:len(line) - len(line.lstrip())] + offer)
        return True
    indent = {"top": 1, "head": 5, "body": 9}[where]
    begin, end = one["column"] - indent, one["end_column"] - indent
    if one["code"] in CODES["mixed"] | CODES["range"]:
        # The cast of one operand, which stands in the expression without it.
        inner = offer[offer.index("(") + 1:-1]
        stands = re.compile(r"(?<!\w)" + re.escape(inner)).search(line, begin)
        if not stands:
            return False
        begin, end = stands.span()
    s.lines[at] = (where, line[:begin] + offer + line[end:])
    return True


def check_errors(options, statements, path, rng, tally):
    """Compares errors with the model's, and tries what they offer. Returns what is wrong, and the statements without an error."""
    is_error = lambda one: one["severity"] == "error"
    found, wrong, good, refused = diagnose(options.kernc, path, statements), [], [], []
    for s in statements:
        codes = {one["code"] for _, one in found[s.number] if is_error(one)}
        gone = GONE & {one["code"] for _, one in found[s.number]}
        if gone or bool(s.error) != bool(codes) or (s.error and not CODES[s.error] & codes):
            said = "\n".join(f"    {one['code']}: {one['message']}" for _, one in found[s.number])
            wrong.append(f"{shown(s)}\n  model: {s.error or 'no error'}; kernc: {sorted(codes) or 'no error'}\n{said}")
        else:
            (refused if s.error else good).append(s)
    tally["errors"] += len(refused)
    for turn in range(5):
        errors = [(s, next(((at, one) for at, one in found[s.number] if is_error(one)), None)) for s in refused]
        tally["fixed"] += sum(1 for _, error in errors if not error)
        left = [(s, error) for s, error in errors if error]
        # What an offer makes is to compile: another error is one that the statement may have had before.
        is_new = lambda code: turn == 4 or (turn > 0 and not any(code in codes for codes in CODES.values()))
        wrong += [f"what is offered does not compile:\n{shown(s)}\n    {one['message']}" for s, (at, one) in left if is_new(one["code"])]
        refused = [s for s, (at, one) in left if apply_fix(s, at, one, rng)]
        if not refused:
            break
        found = diagnose(options.kernc, path, refused)
    return wrong, good


def run(options, folder, statements, outcomes, data, mode):
    """Runs the statements, and compares what they store, and the fault. Returns what is wrong."""
    # Small programs are shown where they fail.
    path, high = folder / ("k.kern" if options.only else "all.kern"), max(s.number for s in statements) + 1
    text, places, used = source(statements)
    path.write_text(text)
    words = []
    for name in used:
        t = name[2:]
        if name[0] == "o":
            words += [f"{name}=full:{t}:{high}x{VALUES}:{UNTOUCHED.get(t, 77)}", "-o", f"{name}={folder}/{name}.npy"]
        else:
            numpy.save(folder / f"{name}.npy", numpy.array(data[name], {"b": "", "i": "int", "u": "uint"}[t[0]] + t.strip("iu")))
            words.append(f"{name}=@{folder}/{name}.npy")
    way = {"on": [], "shadow": ["--guards=shadow"], "off": ["--guards=off"], "clamp": ["--on-fault=clamp"]}[mode]
    command = [options.kernc, "run", str(path), "k", *words, f"--grid={high}", f"--block={VALUES}",
               "--device=cuda" if options.device == "cuda" else f"--lanes={options.lanes}", *way]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 4):
        return [f"exit code {done.returncode}: {' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"]
    faults = {(s.number, thread): fault for s, o in zip(statements, outcomes) for thread, fault in o.faults.items()}
    wrong = fault_problem(options, done, path, places, faults)
    if mode == "clamp" and not faults:
        count, expected = re.search(r"that went on: (\d+)", done.stderr), sum(o.misfits for o in outcomes)
        wrong += [f"{count and count[0]}, {expected} expected"] if int(count[1] if count else 0) != expected else []
    stored = {name[2:]: numpy.load(folder / f"{name}.npy") for name in used if name[0] == "o"}
    for s, o in zip(statements, outcomes):
        for thread, (got, expected) in enumerate(zip(stored[s.target][s.number].tolist(), o.stored)):
            if got != (UNTOUCHED.get(s.target, 77) if expected is None else expected):
                names = sorted(set(re.findall(r"\b[abc]_(?:[iu]\d+|bool)\b", " ".join(text for _, text in s.lines))))
                values = ", ".join(f"{name} = {data[name][thread]}" for name in names)
                wrong.append(f"{shown(s)}\n  thread {thread}: {got}, {expected} expected, with {o.faults.get(thread, 'no fault')}, of {values}")
                break
    return [f"{each}\n  ({mode}, {options.lanes} lanes)" for each in wrong]


def fault_problem(options, done, path, places, faults):
    """What is wrong with the fault that is reported: it is to be the first one of its thread, and that of the first thread that has one. Threads
    of a vector come to their faults line by line, those of a GPU in any order."""
    pattern = re.escape(str(path)) + r":(\d+):\d+: fault\[(\w+)\]: (?:.*?value (-?\d+) )?.*block \((\d+),0,0\) thread \((\d+),0,0\)"
    said, first = re.search(pattern, done.stderr), min(faults, default=None)
    if not said:
        return [f"no fault of the file; {first}: {faults.get(first)} expected\n{done.stderr[-1500:]}"] if faults or done.returncode else []
    (s, at), where = places[int(said[1])], (int(said[4]), int(said[5]))
    found = (said[2], at, *([int(said[3])] if said[3] else []))
    is_first = where == first or options.device == "cuda" or (options.lanes != "1" and first and where[0] == first[0])
    if is_first and faults.get(where) == found:
        return []
    return [f"{shown(s)}\n  {where}: {found}; {first}: {faults.get(first)} expected, and there {faults.get(where)}\n{said[0]}"]


def values_of(rng, t):
    low, high = limits(t)
    near = [n for n in (0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 100, high, high - 1, high // 2, high // 2 + 1, high // 3, low, low + 1, -1, -2, -9) if low <= n <= high]
    return [rng.choice(near) if rng.random() < 0.6 else rng.randint(low, high) >> rng.choice([0, 0, rng.randrange(width(t))]) for _ in range(VALUES + BEYOND)]


def check(options, seed, folder, tally):
    """Returns what is wrong, or None."""
    rng = random.Random(seed)
    data = {f"{side}_{t}": values_of(rng, t) for side in "abc" for t in TYPES + ("bool",)}
    mode = options.guards or rng.choice(["on", "on", "on", "clamp", "shadow", "off"])
    divides = mode in ("on", "shadow") and rng.random() < 0.3
    statements, outcomes = [], []
    while len(statements) < STATEMENTS:
        try:
            s = Statement(len(statements), rng, data, options.lanes)
            result = None if s.error else outcome(s, mode in ("off", "clamp"))
        except Skip:
            continue
        # Of faults only the first one is reported, which is to be of a value that does not fit in most files. Words beside numbers are many.
        if rng.random() < (0.85 if s.error == "mixed" else 0.5) if s.error else not divides and any(kind != "fit" for kind, *_ in result.faults.values()):
            continue
        statements.append(s)
        outcomes.append(result)
    if options.only is not None:
        statements = [s for s in statements if s.number in options.only]
    wrong, good = check_errors(options, statements, folder / "e.kern", rng, tally)
    if good:
        wrong += run(options, folder, good, [outcomes[s.number] for s in good], data, mode)
    tally["statements"] += len(good)
    return "\n".join(wrong) or None


def main():
    parser = arguments.parser(4, keep=True, device=True)
    parser.add_argument("--lanes", default="16")
    parser.add_argument("--guards", choices=["on", "shadow", "off", "clamp"], help="by chance, where it is not said")
    parser.add_argument("--only", type=int, nargs="+", help="the statements of a file that are written")
    options, tally = parser.parse_args(), collections.Counter()
    status = arguments.check_each(options, "integers", lambda *each: check(*each, tally))
    print(f"{tally['statements']} statements of {VALUES} values each, {tally['statements'] * VALUES} in all; {tally['errors']} errors, "
          f"of which {tally['fixed']} compile by what is offered")
    return status


if __name__ == "__main__":
    sys.exit(main())

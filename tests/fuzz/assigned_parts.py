#!/usr/bin/env python3
"""Statements that assign parts of records, against Python: swaps, chains, lists, nested targets, targets of loops, `op=`, `:=`, and what calls return.

A part is of any depth: a field, an element of an array in a record by a constant or a computed index, a record in a record. In a .kern file a
variable holds a record by value, a device function changes its own copy, and the model copies what is read; in a .py file a name refers to a
record of an array, and NumPy runs the same text. Values are read, and not computed, as often as not: only such ones still lie in what a target assigns.

usage: assigned_parts.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import copy
import random
import subprocess
import sys

import numpy

import arguments

SCALARS = {"i32": "i4", "i64": "i8", "u8": "u1", "f64": "f8"}
CONFIGURATIONS = [[], ["--lanes=1"], ["--lanes=32"], ["-O0"]]
COUNT, NUMBERS = 4, {"m": "i32", "n": "i64", "h": "f64", "b": "u8"}


class Record:
    """A type: names of fields, what each is (a scalar's name or a Record), and the extents of an array."""

    def __init__(self, rng, name, inner):
        self.name = name
        kinds = [*SCALARS, "i32", "i32", "i32", *([inner] * 3 if inner else [])]
        self.fields = [(f"{name.lower()}{k}", rng.choice(kinds), rng.choice([(), (), (), (2,), (3,), (2, 2)])) for k in range(rng.randint(2, 4))]
        self.fields += [(f"{name.lower()}x", "i32", ()), (f"{name.lower()}y", "i32", ())] + ([(f"{name.lower()}in", inner, ())] if inner else [])
        self.dtype = numpy.dtype([(n, k.dtype if isinstance(k, Record) else SCALARS[k], shape) for n, k, shape in self.fields], align=True)

    def kern(self):
        rows = [f"    {n}: {k.name if isinstance(k, Record) else k}{list(shape) if shape else ''}" for n, k, shape in self.fields]
        return "\n".join(["@struct", f"class {self.name}:", *rows, "", ""])

    def python(self):
        rows = ", ".join(f"('{n}', {k.name if isinstance(k, Record) else repr(SCALARS[k])}, {shape})" for n, k, shape in self.fields)
        return f"{self.name} = np.dtype([{rows}], align=True)\n"


class Struct:
    """A record of the model."""

    def __init__(self, record, value):
        for name, kind, _ in record.fields:
            setattr(self, name, model_of(kind, value[name]))


def model_of(kind, value):
    if isinstance(value, numpy.ndarray) and value.ndim:
        return [model_of(kind, each) for each in value]
    return Struct(kind, value) if isinstance(kind, Record) else value.item()


def plain(value):
    if isinstance(value, Struct):
        return [plain(each) for each in vars(value).values()]
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return plain(value.tolist()) if isinstance(value, (numpy.ndarray, numpy.generic)) else value


class Writer:
    """Writes statements as Kern and as the model; `holders` are what holds records: texts, their types, and whether they are in memory."""

    def __init__(self, rng, is_kern, holders, numbers, functions=()):
        self.rng, self.is_kern, self.holders, self.numbers, self.functions = rng, is_kern, holders, numbers, functions
        self.lines, self.model, self.indent = [], [], "    "

    def line(self, kern, model=None):
        self.lines.append(self.indent + kern)
        self.model.append(self.indent + (kern if model is None else model))

    def part(self, want=None):
        """A random part, of a type where one is wanted: Kern, model, kind, extents, whether it is in memory. None where there is none."""
        for _ in range(60):
            text, kind, in_memory = self.rng.choice(self.holders)
            model, extents = text, ()
            while isinstance(kind, Record) and not extents and self.rng.random() < 0.85:
                name, kind, extents = self.rng.choice(kind.fields)
                text, model = f"{text}.{name}", f"{model}.{name}"
                take = len(extents) if in_memory or not self.is_kern else self.rng.randint(0, len(extents))
                index = [self.index(extent) for extent in extents[:take]]
                extents = extents[take:]
                if index:
                    text += f"[{', '.join(index)}]" if self.rng.random() < 0.5 or in_memory or not self.is_kern else "".join(f"[{i}]" for i in index)
                    model += "".join(f"[{i}]" for i in index)
            found = text, model, kind, extents, in_memory
            whole = text in [holder[0] for holder in self.holders] and not (in_memory and self.is_kern)
            if (want is None or want == (kind, extents)) and not (whole and want is None and not self.is_kern):
                return found
        return None

    def index(self, extent):
        return self.rng.choice([str(self.rng.randrange(extent)), str(-1 - self.rng.randrange(extent)) if self.is_kern else "0", f"i % {extent}", f"(i + 1) % {extent}"])

    def target(self, want=None):
        """A part, or a number's name, as (Kern, model, kind, extents)."""
        if self.rng.random() < 0.15 and want is None and self.numbers:
            name = self.rng.choice(list(self.numbers))
            return name, name, self.numbers[name], ()
        found = self.part(want)
        return found[:4] if found else None

    def value(self, kind, extents, depth=1):
        """A value of a type: Kern and model."""
        rng = self.rng
        is_scalar = not isinstance(kind, Record) and not extents
        names = [name for name, type_ in self.numbers.items() if type_ == kind and not extents]
        if names and rng.random() < 0.2:
            return (rng.choice(names),) * 2
        found = self.part((kind, extents)) if rng.random() < 0.9 or not is_scalar else None
        if not found:
            return self.constant(kind) if is_scalar else None
        text, model = found[:2]
        if not is_scalar:
            if self.functions and kind is self.functions[0] and not extents and rng.random() < 0.3:
                return f"turn({text})", f"turn(cp({model}))"
            return text, (f"cp({model})" if self.is_kern else model)
        form = rng.randrange(9) if depth else 9
        if form == 0 and kind != "u8":
            return f"({text} + 0)", f"({model} + 0)"
        if form == 1 and self.is_kern:
            return f"{kind}({text})", model
        if form == 2:
            other = self.value(kind, extents, 0)
            return f"({text} if c else {other[0]})", f"({model} if c else {other[1]})"
        if form == 3 and names:
            return f"({names[0]} := {text})", f"({names[0]} := {model})"
        return text, model

    def constant(self, kind):
        number = str(self.rng.randint(0, 9))
        return (f"{number}.5",) * 2 if kind == "f64" else (f"{kind}({number})" if self.is_kern else number, number)

    def several(self, count):
        """Targets of different places, and values that are mostly what other targets of the type hold."""
        made = []
        for _ in range(count):
            target = self.target(self.rng.choice(made)[2:4] if made and self.rng.random() < 0.7 else None)
            # Python 3.11 swaps the values of `a, a = x, y`.
            if target and target[0] not in [each[0] for each in made]:
                made.append(target)
        values = []
        for target in made:
            alike = [each for each in made if each[2:] == target[2:]]
            other = self.rng.choice(alike)
            is_read = self.rng.random() < 0.6
            is_plain = other[2] in SCALARS and not other[3]
            copied = other[1] if is_plain or not self.is_kern else f"cp({other[1]})"
            values.append((other[0], copied) if is_read else self.value(*target[2:]) or (other[0], copied))
        return made, values

    def assign_several(self):
        made, values = self.several(self.rng.randint(2, 4))
        if len(made) < 2:
            return
        lists = [([each[k] for each in made], [each[k] for each in values]) for k in (0, 1)]
        form = self.rng.choice(["{}", "[{}]", "({})"])
        nested = len(made) > 2 and self.rng.random() < 0.3
        texts = []
        for left, right in lists:
            if nested:
                left, right = [f"({left[0]}, {left[1]})", *left[2:]], [f"({right[0]}, {right[1]})", *right[2:]]
            texts.append(f"{form.format(', '.join(left))} = {', '.join(right)}")
        self.line(*texts)

    def assign_chain(self):
        first = self.target()
        second = self.target(first[2:]) if first else None
        value = self.value(*first[2:]) if second else None
        if value and self.is_kern:
            self.line(f"{first[0]} = {second[0]} = {value[0]}", f"v = {value[1]}; {first[1]} = cp(v); {second[1]} = cp(v)")
        elif value and first[2] in SCALARS:
            self.line(f"{first[0]} = {second[0]} = {value[0]}")

    def assign_one(self):
        target = self.target()
        value = self.value(*target[2:]) if target else None
        if value and value[0] != target[0]:
            self.line(f"{target[0]} = {value[0]}", f"{target[1]} = {value[1]}")

    def change(self):
        target = self.target()
        if not target or target[2] not in SCALARS or target[3]:
            return
        kind = target[2]
        op = self.rng.choice(["^=", "|=", "&="] if kind == "u8" else ["+=", "-="] if kind == "f64" else ["+=", "-=", "^=", "|="])
        value = self.value(kind, (), 0) if op in ("^=", "|=", "&=") else self.constant(kind)
        self.line(f"{target[0]} {op} {value[0]}", f"{target[1]} {op} {value[1]}")

    def rebind(self):
        """Changes a field of the record that a variable refers to, while the operand makes the variable refer to another."""
        names = [each for each in self.holders if each[0].isidentifier()]
        name, record, _ = self.rng.choice(names)
        fields = [field for field, kind, extents in record.fields if kind == "i32" and not extents]
        other = self.rng.choice([text for text, kind, _ in self.holders if kind is record])
        if not self.is_kern:
            self.line(f"{name}.{self.rng.choice(fields)} += ({name} := {other}).{self.rng.choice(fields)}")

    def loop(self):
        made, values = self.several(2)
        if len(made) < 2 or any(each[2] not in SCALARS or each[3] for each in made):
            return
        (a, am, kind, _), (b, bm, other, _) = made
        more = self.value(kind, ()), self.value(other, ())
        form = self.rng.randrange(4)
        if form == 3 and kind in ("i32", "i64"):
            count = self.rng.randint(1, 3)
            self.line(f"for {a} in range({count}):", f"for {am} in range({count}):")
        elif form == 0:
            self.line(f"for {a}, {b} in (({values[0][0]}, {values[1][0]}), ({more[0][0]}, {more[1][0]})):",
                      f"for {am}, {bm} in (({values[0][1]}, {values[1][1]}), ({more[0][1]}, {more[1][1]})):")
        elif form == 1:
            self.line(f"for {a} in ({values[0][0]}, {more[0][0]}):", f"for {am} in ({values[0][1]}, {more[0][1]}):")
        else:
            self.line("for _ in range(2):")
        outer, self.indent = self.indent, self.indent + "    "
        before = len(self.lines)
        self.rng.choice([self.assign_several, self.change, self.assign_one])()
        if len(self.lines) == before:
            self.line("pass")
        self.indent = outer

    def unpack_call(self):
        made, values = self.several(2)
        if self.functions and len(made) == 2 and all(each[2:] == ("i32", ()) for each in made):
            self.line(f"{made[0][0]}, {made[1][0]} = swapped({values[0][0]}, {values[1][0]})", f"{made[0][1]}, {made[1][1]} = swapped({values[0][1]}, {values[1][1]})")

    def tuple_local(self):
        made, values = self.several(2)
        if len(made) < 2 or any(each[2] not in SCALARS or each[3] for each in made):
            return
        name = f"t{len(self.lines)}"
        self.line(f"{name} = ({values[0][0]}, {values[1][0]})", f"{name} = ({values[0][1]}, {values[1][1]})")
        self.line(f"{made[0][0]}, {made[1][0]} = {name}", f"{made[0][1]}, {made[1][1]} = {name}")

    def statements(self, count):
        while len(self.lines) < count:
            self.rng.choice([self.assign_several] * 4 + [self.assign_chain, self.assign_one, self.change, self.change, self.rebind, self.loop, self.unpack_call, self.tuple_local])()
        return self.lines, self.model


def function(name, head, writer, count, before=(), behind=()):
    lines, model = writer.statements(count)
    kern, python = ([each[k] for each in before] for k in (0, 1)), ([each[k] for each in behind] for k in (0, 1))
    before_kern, before_model = kern
    behind_kern, behind_model = python
    return "\n".join([*head, *before_kern, *lines, *behind_kern, "", ""]), "\n".join([f"def {name}:", *before_model, *model, *behind_model, "", ""])


def kern_program(rng, records):
    inner, outer = records
    turn = function("turn(r)", ["@device", f"def turn(r: {inner.name}) -> {inner.name}:"],
                    Writer(rng, True, [("r", inner, False)], {}), 3, [("    i, c = 1, True",) * 2], [("    return r",) * 2])
    swapped = ("@device\ndef swapped(x: i32, y: i32) -> (i32, i32):\n    return y, x\n\n\n", "def swapped(x, y):\n    return y, x\n\n\n")
    before = [("    i = o[0]",) * 2, ("    c = o[1] > 0",) * 2, ("    p = a[0]", "    p = cp(a[0])"), ("    q = a[1]", "    q = cp(a[1])"),
              (f"    r = a[0].{outer.name.lower()}in", f"    r = cp(a[0].{outer.name.lower()}in)"), ("    m = i32(3)", "    m = 3"), ("    n = i64(4)", "    n = 4"),
              ("    h = f64(5.5)", "    h = 5.5"), ("    b = u8(6)", "    b = 6")]
    behind = [("    a[2] = p", "    a[2] = p"), (f"    q.{outer.name.lower()}in, p = r, q", f"    q.{outer.name.lower()}in, p = r, cp(q)"), ("    a[0] = q", "    a[0] = q"),
              ("    o[2] = m", "    o[2] = m"), ("    o[3] = n", "    o[3] = n"), ("    o[4] = i64(h * 2.0)", "    o[4] = int(h * 2.0)"), ("    o[5] = b",) * 2]
    holders = [("p", outer, False), ("q", outer, False), ("p", outer, False), ("r", inner, False), ("a[3]", outer, True), ("a[i]", outer, True)]
    k = function("k(a, o)", ["@kernel", f"def k(a: {outer.name}[:], o: i64[:]):"], Writer(rng, True, holders, NUMBERS, (inner,)), rng.randint(6, 16), before, behind)
    return "".join(record.kern() + "\n" for record in records) + turn[0] + swapped[0] + k[0], turn[1] + swapped[1] + k[1]


def numba_program(rng, records):
    inner, outer = records
    before = [("    i = o[0]",) * 2, ("    c = o[1] > 0",) * 2, ("    p = a[0]",) * 2, ("    q = a[1]",) * 2, (f"    r = p.{outer.name.lower()}in",) * 2]
    before += [(f"    {name} = o[{6 + at}]",) * 2 for at, name in enumerate("mn")]
    behind = [("    o[2] = m",) * 2, ("    o[3] = n",) * 2]
    holders = [("p", outer, True), ("q", outer, True), ("r", inner, True), ("a[3]", outer, True), ("a[i]", outer, True)]
    head = [f"@cuda.jit((from_dtype({outer.name})[:], 'int64[:]'))", "def k(a, o):"]
    k = function("k(a, o)", head, Writer(rng, False, holders, {"m": "i64", "n": "i64"}), rng.randint(6, 16), before, behind)
    return "import numpy as np\nfrom numba import cuda, from_dtype\n" + "".join(record.python() for record in records) + "\n\n" + k[0], k[1]


def fill(rng, array):
    if array.dtype.names:
        for name in array.dtype.names:
            fill(rng, array[name])
        return
    array[...] = numpy.array([rng.randint(0, 40) for _ in range(array.size)]).reshape(array.shape)


def check(options, seed, folder):
    rng = random.Random(seed)
    is_kern = rng.random() < 0.7
    inner = Record(rng, "A", None)
    records = inner, Record(rng, "B", inner)
    text, model = (kern_program if is_kern else numba_program)(rng, records)
    path = folder / ("k.kern" if is_kern else "k.py")
    path.write_text(text)
    a, o = numpy.zeros(COUNT, records[1].dtype), numpy.array([rng.randrange(3), rng.randrange(2), 0, 0, 0, 0, 3, 4])
    fill(rng, a)
    numpy.save(folder / "a.npy", a)
    numpy.save(folder / "o.npy", o)
    scope = {"cp": copy.deepcopy}
    exec(compile(model, "model", "exec"), scope)  # the text was written above
    wanted = [Struct(records[1], each) for each in a] if is_kern else a.view(numpy.recarray)
    numbers = o.tolist() if is_kern else o
    scope["k"](wanted, numbers)
    wanted = plain(wanted if is_kern else a)
    for configuration in rng.sample(CONFIGURATIONS, 1):
        command = [options.kernc, "run", str(path), "k", f"a=@{folder}/a.npy", f"o=@{folder}/o.npy", "--grid=1", "--block=1", f"-oa={folder}/a2.npy", f"-oo={folder}/o2.npy", *configuration,
                   *options.extra]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr}"
        got = plain(numpy.load(folder / "a2.npy")), plain(numpy.load(folder / "o2.npy"))
        if got != (wanted, plain(numbers)):
            return f"{' '.join(command)}\n{records[1].dtype}\n{got}, Python has\n{wanted, plain(numbers)}"
    return None


def main():
    options = arguments.parser(30, keep=True).parse_args()
    return arguments.check_each(options, "assigned_parts", check)


if __name__ == "__main__":
    sys.exit(main())

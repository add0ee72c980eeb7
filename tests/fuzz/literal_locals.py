#!/usr/bin/env python3
"""Random functions of literals, locals and what these meet: the type that each local of literals gets is that of a model of the rule
(docs/language.md, Types), whatever the order of the statements.

usage: literal_locals.py KERNC [--count N] [--orders N] [--seed S] [--seconds T]
"""
import random
import re
import subprocess
import sys

import arguments

INTEGERS = ["i32", "i64", "u32", "u64"]
NARROW = ["i8", "u8", "i16", "u16"]
FLOATS = ["f32", "f64"]
LIT = {"int": "lit", "float": "flit"}


def bits(type):
    return int(type[1:])


def holds(type, value):
    if type[0] == "f":
        return abs(value) < 3.4e38
    low = -(1 << bits(type) - 1) if type[0] == "i" else 0
    return value == int(value) and low <= value < low + (1 << bits(type))


def join(a, b):
    """What two types have in common; None where there is nothing."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if a == "lit" and b[0] in "iuf":
        return b
    if b == "lit":
        return join(b, a)
    if a == "flit" or b == "flit":
        other = b if a == "flit" else a
        return other if other[0] == "f" else None
    if (a[0] == "f") != (b[0] == "f"):
        return None
    if a[0] == b[0]:
        return a if bits(a) >= bits(b) else b
    signed, unsigned = (a, b) if a[0] == "i" else (b, a)
    if bits(signed) > bits(unsigned):
        return signed
    return f"i{2 * bits(unsigned)}" if bits(unsigned) < 64 else None


class Mismatch(Exception):
    """A program that the rule makes an error."""


# Expressions are tuples: ("lit", v) ("local", name) ("elem", type) ("bool",) ("op", sign, a, b) ("call", name, a, b)
# ("neg", a) ("shift", a, count) ("pick", a, b) ("generic", a).
def text(e, random):
    kind = e[0]
    if kind == "lit":
        return str(e[1])
    if kind == "local":
        return e[1]
    if kind == "elem":
        return f"x_{e[1]}[{random.randrange(4)}]"
    if kind == "bool":
        return f"(x_f32[{random.randrange(4)}] > 0.5)"
    if kind == "op":
        return f"({text(e[2], random)} {e[1]} {text(e[3], random)})"
    if kind == "call":
        return f"{e[1]}({text(e[2], random)}, {text(e[3], random)})"
    if kind == "neg":
        return f"(-{text(e[1], random)})"
    if kind == "shift":
        return f"({text(e[1], random)} << ({text(e[2], random)} & 1))"
    if kind == "pick":
        return f"({text(e[1], random)} if x_f32[0] > 0.5 else {text(e[2], random)})"
    return f"same({text(e[1], random)})"


class Model:
    def __init__(self, kinds, statements):
        self.kinds, self.statements = kinds, statements
        self.seeds, self.pinned = {}, {}

    def reset(self):
        self.met = {name: set() for name in self.kinds}
        self.literals = {name: [] for name in self.kinds}

    def meet(self, left, right):
        """Of two operands: each is (type, locals, literals)."""
        for (type, names, _), (other, _, values) in ((left, right), (right, left)):
            for name in names if type in ("lit", "flit") else ():
                if other not in ("lit", "flit", "bool"):
                    self.met[name].add(other)
                if other in ("lit", "flit"):
                    self.literals[name] += values

    def value(self, e):
        """Returns type, the locals that it comes from, the literals that it is."""
        kind = e[0]
        if kind == "lit":
            return ("flit" if isinstance(e[1], float) else "lit"), set(), [e[1]]
        if kind == "local":
            type = self.types[e[1]]
            return type, {e[1]} if type in ("lit", "flit") else set(), []
        if kind == "elem":
            return e[1], set(), []
        if kind == "bool":
            return "bool", set(), []
        if kind == "neg":
            return self.value(e[1])
        if kind == "shift":
            self.value(e[2])
            return self.value(e[1])
        if kind == "generic":
            type, _, values = self.value(e[1])
            return type, set(), values
        left, right = self.value(e[-2]), self.value(e[-1])
        self.meet(left, right)
        type = join(left[0], right[0])
        if type is None:
            raise Mismatch
        self.fits(left, type)
        self.fits(right, type)
        return type, (left[1] | right[1] if type in LIT.values() else set()), []

    def fits(self, value, type):
        if self.final and not all(holds(type, literal) for literal in value[2]):
            raise Mismatch

    def run(self, statement):
        kind = statement[0]
        if kind == "assign":
            value = self.value(statement[2])
            name = statement[1]
            type = join(self.joined[name], value[0]) if name in self.joined else value[0]
            if type is None:
                raise Mismatch
            self.joined[name] = type
            self.literals[name] += value[2]
            self.fits(value, self.types[name])
            if name in self.seeds:
                self.store(value, self.types[name])
        elif kind == "store":
            self.store(self.value(statement[2]), statement[1])
        elif kind == "declare":
            self.store(self.value(statement[3]), statement[2])
        elif kind == "compare":
            left, right = self.value(statement[2]), self.value(statement[3])
            self.meet(left, right)
            if join(left[0], right[0]) is None and "f" in left[0][0] + right[0][0]:
                raise Mismatch
        elif kind == "use":
            self.value(statement[1])
        elif kind == "range":
            self.joined[statement[1]] = join(self.joined.get(statement[1], "lit"), "lit")
            self.literals[statement[1]] += [0, statement[2] - 1, 1]
            self.store(("lit", {statement[1]}, []) if self.types[statement[1]] == "lit" else (self.types[statement[1]], set(), []), statement[3])

    def store(self, value, type):
        for name in value[1]:
            self.met[name].add(type)
        if self.final and join(value[0], type) != type:
            raise Mismatch
        self.fits(value, type)

    def round(self):
        self.reset()
        self.joined = dict(self.seeds)
        for statement in self.statements:
            self.run(statement)
        types = {name: self.pinned.get(name, self.joined[name]) for name in self.kinds}
        changed, self.types = types != self.types, types
        return changed

    def decide(self):
        open_locals = [name for name in self.kinds if self.types[name] in ("lit", "flit")]
        found = {}
        for name in open_locals:
            wanted = "iu" if self.types[name] == "lit" else "f"
            met = sorted(type for type in self.met[name] if type[0] in wanted)
            joined = met[0] if met else None
            for type in met[1:]:
                joined = join(joined, type) if joined else None
            if joined and all(holds(joined, value) for value in self.literals[name]):
                found[name] = joined
        self.seeds.update(found)
        if not found:
            self.pinned.update({name: "i64" if self.types[name] == "lit" else "f64" for name in open_locals})
        return bool(open_locals)

    def infer(self):
        self.final = False
        self.types = {name: LIT[kind] for name, kind in self.kinds.items()}
        while True:
            for _ in range(40):
                if not self.round():
                    break
            if not self.decide():
                break
        self.final = True
        self.round()
        return self.types


class Writer:
    def __init__(self, random):
        self.random = random
        self.kinds = {}
        self.statements = []
        self.count = 0
        for k in range(random.randint(2, 5)):
            self.kinds[f"n{k}"] = "float" if random.random() < 0.25 else "int"
        for name, kind in self.kinds.items():
            self.statements.append(("assign", name, self.literal(kind)))
        for name, kind in list(self.kinds.items()):
            self.update(name, kind)
        for _ in range(random.randint(1, 6)):
            self.use()
        for k in range(random.randint(0, 2)):
            self.kinds[f"r{k}"] = "int"
            self.statements.append(("range", f"r{k}", random.choice([3, 256, 300, 70000]), random.choice(INTEGERS + NARROW)))
        if random.random() < 0.4:  # what is assigned literals alone may be narrow
            self.kinds["flag"] = "int"
            self.statements += [("assign", "flag", ("lit", random.choice([0, 1, 200, -1]))), ("assign", "flag", ("lit", random.choice([1, 300])))]
            self.statements.append(random.choice([("store", random.choice(NARROW), ("local", "flag")),
                                                  ("compare", "<", ("local", "flag"), ("elem", random.choice(NARROW)))]))

    def literal(self, kind):
        choices = [0, 1, 2, 7, 1000] * 4 + [-1, 70000, 3000000000] if kind == "int" else [0.0, 0.5, 1.5, 2.0]
        return ("lit", self.random.choice(choices))

    def local(self, kind):
        return ("local", self.random.choice([name for name, own in self.kinds.items() if own == kind and name[0] == "n"]))

    def type(self, kind):
        return self.random.choice(FLOATS if kind == "float" else INTEGERS[:3] * 3 + INTEGERS)

    def operation(self, a, b):
        return self.random.choice([("op", "+", a, b), ("op", "*", a, b), ("op", "-", a, b), ("call", "min", a, b), ("call", "max", a, b), ("pick", a, b)])

    def expression(self, kind):
        """Of literals and locals alone."""
        a = self.local(kind)
        form = self.random.choice(["local", "local", "literal", "both", "neg", "shift"])
        if form == "literal":
            return self.operation(a, self.literal(kind))
        if form == "both":
            return self.operation(a, self.local(kind))
        if form == "neg":
            return ("neg", a)
        if form == "shift" and kind == "int":
            return ("shift", a, self.random.choice([("lit", 1), ("elem", self.random.choice(INTEGERS))]))
        return a

    def update(self, name, kind):
        form = self.random.choice(["step", "step", "expression", "bool", "typed", "local"])
        own = ("local", name)
        if form == "bool":
            value = ("op", "+", own, ("bool",))
        elif form == "typed" and self.random.random() < 0.5:
            value = self.operation(own, ("elem", self.type(kind)))
        elif form == "expression":
            value = self.expression(kind)
        elif form == "local":
            value = self.local(kind)
        else:
            value = ("op", "+", own, self.literal(kind))
        self.statements.append(("assign", name, value))

    def use(self):
        kind = self.random.choice(list(self.kinds.values()))
        self.count += 1
        form = self.random.choice(["store", "store", "declare", "compare", "compare", "compare_locals", "operand", "nothing", "argument", "cross"])
        if form == "store":
            self.statements.append(("store", self.type(kind), self.expression(kind)))
        elif form == "declare":
            self.statements.append(("declare", f"d{self.count}", self.type(kind), self.expression(kind)))
        elif form == "compare":
            pair = [self.expression(kind), ("elem", self.type(kind))]
            self.random.shuffle(pair)
            self.statements.append(("compare", self.random.choice(["<", ">=", "=="]), *pair))
        elif form == "compare_locals":
            self.statements.append(("compare", "<", self.local(kind), self.local(kind)))
        elif form == "operand":
            self.statements.append(("use", self.operation(self.local(kind), ("elem", self.type(kind)))))
        elif form == "argument":
            self.statements.append(("argument", self.type(kind), self.expression(kind)))
        elif form == "cross" and kind == "int":  # an integer never becomes a float
            self.statements.append(("use", ("op", "*", self.local(kind), ("elem", "f32"))))
        elif kind == "int":
            self.statements.append(self.random.choice([("index", self.local(kind)), ("use", ("op", "+", ("elem", "i64"), ("shift", ("elem", "i64"), self.local(kind)))), ("use", ("generic", self.local(kind)))]))
        else:
            self.statements.append(("use", ("generic", self.local(kind))))

    def line(self, statement):
        say = lambda e: text(e, random.Random(0))
        kind = statement[0]
        if kind == "assign":
            return [f"{statement[1]} = {say(statement[2])}"]
        if kind == "store":
            return [f"x_{statement[1]}[1] = {say(statement[2])}"]
        if kind == "declare":
            return [f"{statement[1]}: {statement[2]} = {say(statement[3])}"]
        if kind == "compare":
            return [f"if {say(statement[2])} {statement[1]} {say(statement[3])}:", "    x_f32[2] += 1.0"]
        if kind == "argument":
            return [f"take_{statement[1]}({say(statement[2])})"]
        if kind == "index":
            return [f"x_f32[{say(statement[1])} & 3] = 0.0"]
        if kind == "range":
            return [f"for {statement[1]} in range({statement[2]}):", f"    x_{statement[3]}[0] = {statement[1]}"]
        return [f"print({say(statement[1])})"]

    def source(self, order):
        params = ", ".join(f"x_{type}: {type}[:]" for type in INTEGERS + NARROW + FLOATS)
        takes = "".join(f"@device\ndef take_{type}(a: {type}):\n    print(a)\n\n" for type in INTEGERS + FLOATS)
        lines = "".join(f"        {line}\n" for statement in order for line in self.line(statement))
        return f"@device\ndef same(a):\n    return a\n\n{takes}@kernel\ndef locals({params}):\n    for round in range(x_i64.size):\n{lines}"


def modelled(statement):
    if statement[0] == "argument":
        return ("store", statement[1], statement[2])
    return ("use", statement[1]) if statement[0] == "index" else statement


def check(options, seed, scratch):
    writer = Writer(random.Random(seed))
    try:
        expected = Model(writer.kinds, [modelled(statement) for statement in writer.statements]).infer()
    except Mismatch:
        expected = None
    results = set()
    for number in range(options.orders):
        order = list(writer.statements)
        if number > 0:
            writer.random.shuffle(order)
        source = scratch / "literals.kern"
        source.write_text(writer.source(order))
        command = [options.kernc, "--emit=ir", source]
        done = subprocess.run(command, capture_output=True, text=True)
        found = dict(re.findall(r"^  var (\w+): (\w+)$", done.stdout, re.M))
        types = {name: found.get(name) for name in writer.kinds}
        problem = ""
        if done.returncode not in (0, 1):
            problem = "crashed"
        elif expected is not None and done.returncode != 0:
            problem = f"is refused; the model has {expected}"
        elif expected is not None and any(types[name] != expected[name] for name in expected):
            problem = f"has {types}; the model {expected}"
        results.add("refused" if done.returncode else str(types))
        if len(results) > 1:
            problem = f"depends on the order: {results}"
        if problem:
            sys.exit(f"{problem}\n{source.read_text()}{done.stdout[:3000]}{done.stderr}")
    return expected is not None


def main():
    parser = arguments.parser(40)
    parser.add_argument("--orders", type=int, default=3)
    options, found = parser.parse_args(), []
    arguments.agree(options, lambda *each: found.append(check(*each)))
    print(f"in {options.orders} orders; {sum(found)} have types, the others are errors")


main()

#!/usr/bin/env python3
"""Random functions of float literals, locals and what these meet: the type that each local of literals gets is that of a model of the
rule (docs/language.md, Types), whatever the order of the statements.

usage: literal_locals.py KERNC [--count N] [--orders N] [--seed S] [--seconds T]
"""
import random
import re
import subprocess
import sys

import arguments

FLOATS = ["f32", "f64"]


def bits(type):
    return int(type[1:])


def join(a, b):
    """What two types have in common: a literal takes the other one's, and one without a point or a bool that of a literal with one."""
    order = ["bool", "lit", "flit", *FLOATS]
    return max(a, b, key=order.index)


class Mismatch(Exception):
    """A program that the rule makes an error."""


# Expressions are tuples: ("lit", v) ("local", name) ("elem", type) ("bool",) ("op", sign, a, b) ("call", name, a, b)
# ("neg", a) ("pick", a, b) ("generic", a).
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
    if kind == "pick":
        return f"({text(e[1], random)} if x_f32[0] > 0.5 else {text(e[2], random)})"
    return f"same({text(e[1], random)})"


class Model:
    def __init__(self, names, statements):
        self.names, self.statements = names, statements
        self.seeds, self.pinned = {}, {}

    def meet(self, left, right):
        """Of two operands: each is (type, locals)."""
        for (type, names), (other, _) in ((left, right), (right, left)):
            for name in names if type == "flit" else ():
                if other in FLOATS:
                    self.met[name].add(other)

    def value(self, e):
        """Returns type and the locals that it comes from."""
        kind = e[0]
        if kind == "lit":
            return ("flit" if isinstance(e[1], float) else "lit"), set()
        if kind == "local":
            type = self.types[e[1]]
            return type, {e[1]} if type == "flit" else set()
        if kind == "elem":
            return e[1], set()
        if kind == "bool":
            return "bool", set()
        if kind == "neg":
            return self.value(e[1])
        if kind == "generic":
            return self.value(e[1])[0], set()
        left, right = self.value(e[-2]), self.value(e[-1])
        self.meet(left, right)
        type = join(left[0], right[0])
        return type, left[1] | right[1] if type == "flit" else set()

    def run(self, statement):
        kind = statement[0]
        if kind == "assign":
            value = self.value(statement[2])
            name = statement[1]
            self.joined[name] = join(self.joined.get(name, "lit"), value[0])
            if name in self.seeds:
                self.store(value, self.types[name])
        elif kind == "store":
            self.store(self.value(statement[2]), statement[1])
        elif kind == "declare":
            self.store(self.value(statement[3]), statement[2])
        elif kind == "compare":
            self.meet(self.value(statement[2]), self.value(statement[3]))
        elif kind == "use":
            self.value(statement[1])

    def store(self, value, type):
        for name in value[1]:
            self.met[name].add(type)
        if self.final and join(value[0], type) != type:
            raise Mismatch

    def round(self):
        self.met = {name: set() for name in self.names}
        self.joined = dict(self.seeds)
        for statement in self.statements:
            self.run(statement)
        types = {name: self.pinned.get(name, self.joined[name]) for name in self.names}
        changed, self.types = types != self.types, types
        return changed

    def decide(self):
        open_locals = [name for name in self.names if self.types[name] == "flit"]
        found = {name: max(self.met[name], key=bits) for name in open_locals if self.met[name]}
        self.seeds.update(found)
        if not found:
            self.pinned.update({name: "f64" for name in open_locals})
        return bool(open_locals)

    def infer(self):
        self.final = False
        self.types = {name: "flit" for name in self.names}
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
        self.names = [f"n{k}" for k in range(random.randint(2, 5))]
        self.statements = []
        self.count = 0
        for name in self.names:
            self.statements.append(("assign", name, ("lit", random.choice([0.0, 0.5, 1.5, 2.0]))))
        for name in self.names:
            self.update(name)
        for _ in range(random.randint(1, 6)):
            self.use()

    def literal(self):
        return ("lit", self.random.choice([0.0, 0.5, 1.5, 2.0, 1, 2]))

    def local(self):
        return ("local", self.random.choice(self.names))

    def type(self):
        return self.random.choice(FLOATS)

    def operation(self, a, b):
        return self.random.choice([("op", "+", a, b), ("op", "*", a, b), ("op", "-", a, b), ("call", "min", a, b), ("call", "max", a, b), ("pick", a, b)])

    def expression(self):
        """Of literals and locals alone."""
        a = self.local()
        form = self.random.choice(["local", "local", "literal", "both", "neg"])
        if form == "literal":
            return self.operation(a, self.literal())
        if form == "both":
            return self.operation(a, self.local())
        return ("neg", a) if form == "neg" else a

    def update(self, name):
        form = self.random.choice(["step", "step", "expression", "bool", "typed", "local"])
        own = ("local", name)
        if form == "bool":
            value = ("op", "+", own, ("bool",))
        elif form == "typed" and self.random.random() < 0.5:
            value = self.operation(own, ("elem", self.type()))
        elif form == "expression":
            value = self.expression()
        elif form == "local":
            value = self.local()
        else:
            value = ("op", "+", own, self.literal())
        self.statements.append(("assign", name, value))

    def use(self):
        self.count += 1
        form = self.random.choice(["store", "store", "declare", "compare", "compare", "compare_locals", "operand", "generic", "argument"])
        if form == "store":
            self.statements.append(("store", self.type(), self.expression()))
        elif form == "declare":
            self.statements.append(("declare", f"d{self.count}", self.type(), self.expression()))
        elif form == "compare":
            pair = [self.expression(), ("elem", self.type())]
            self.random.shuffle(pair)
            self.statements.append(("compare", self.random.choice(["<", ">=", "=="]), *pair))
        elif form == "compare_locals":
            self.statements.append(("compare", "<", self.local(), self.local()))
        elif form == "operand":
            self.statements.append(("use", self.operation(self.local(), ("elem", self.type()))))
        elif form == "argument":
            self.statements.append(("argument", self.type(), self.expression()))
        else:
            self.statements.append(("use", ("generic", self.local())))

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
        return [f"print({say(statement[1])})"]

    def source(self, order):
        params = ", ".join(f"x_{type}: {type}[:]" for type in FLOATS)
        takes = "".join(f"@device\ndef take_{type}(a: {type}):\n    print(a)\n\n" for type in FLOATS)
        lines = "".join(f"        {line}\n" for statement in order for line in self.line(statement))
        return f"@device\ndef same(a):\n    return a\n\n{takes}@kernel\ndef locals({params}):\n    for round in range(x_f32.size):\n{lines}"


def modelled(statement):
    return ("store", statement[1], statement[2]) if statement[0] == "argument" else statement


def check(options, seed, scratch):
    writer = Writer(random.Random(seed))
    try:
        expected = Model(writer.names, [modelled(statement) for statement in writer.statements]).infer()
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
        types = {name: found.get(name) for name in writer.names}
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

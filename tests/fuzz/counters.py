#!/usr/bin/env python3
"""Random loops whose counters come near the limits of 32 bits: what kernels compute with counters that are held in 32 bits where they fit
is what Python's integers give.

usage: counters.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR] [--device cpu|cuda]
"""
import random
import re
import subprocess
import sys

import arguments

MOST, LEAST = 2**31 - 1, -2**31
EDGES = [MOST, MOST + 1, MOST - 1, MOST - 7, LEAST, LEAST - 1, LEAST + 1, LEAST + 9, 0, 1, -1, 40, 2**32, 2**32 - 1, 2**40, -2**40]
ROUNDS = 40
LAUNCHES = 3
SIGNATURE = "k(int64[::1], int64, int64, int32)"
HEADS = {
    "kern": "@kernel\ndef k(y: i64[::1], limit: i64, start: i64, small: i32):\n",
    "py": "from numba import cuda, int32, int64\n@cuda.jit\ndef k(y, limit, start, small):\n",
}


class Writer:
    """Writes the body of a kernel; as it is in both dialects, and in Python but for `i64()`."""

    def __init__(self, random, dialect):
        self.random, self.dialect = random, dialect
        self.lines, self.contracts, self.names = [], [], []

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def edge(self):
        return str(self.random.choice(EDGES) + self.random.choice([0, 0, 1, -1, 3]))

    def first(self):
        return self.random.choice(["0", "0", "1", "start", "start", "limit", "i64(small)", self.edge(), self.edge(), "limit - 5", "start - 9"])

    def limit(self):
        return self.random.choice(["limit", "limit", "i64(small)", "start", self.edge(), "limit - 1", "start + 6"])

    def step(self, counter, up):
        pick = self.random.choice
        constant = pick([1, 1, 1, 2, 3, 7])
        if self.random.random() < 0.15:
            return pick([f"{counter} = {counter} // 2", f"{counter} = min({counter} + 1, {self.limit()})", f"{counter} = max({counter} - 1, {self.limit()})",
                         f"{counter} = {counter} ^ 1", f"{counter} = {counter} % 1000003 + 1"])
        return f"{counter} += {constant}" if up else f"{counter} -= {constant}"

    def counter(self):
        name = f"n{len(self.names)}"
        self.names.append(name)
        self.add(1, f"{name} = i64({self.first()})")
        return name

    def wait(self):
        """A while with one or two counters."""
        name, up = self.counter(), self.random.random() < 0.6
        other = self.counter() if self.random.random() < 0.5 else None
        relation = self.random.choice(["<", "<", "<=", "!="] if up else [">", ">", ">=", "!="])
        self.add(1, "rounds = i64(0)")
        self.add(1, f"while {name} {relation} {self.limit()} and rounds < {ROUNDS}:")
        self.add(2, self.step(name, up))
        if other and self.random.random() < 0.5:
            self.add(2, f"if {name} % 3 == 0:")
            self.add(3, self.step(other, self.random.random() < 0.5))
        elif other:
            self.add(2, self.step(other, self.random.random() < 0.5))
        self.add(2, "rounds += 1")

    def count(self):
        """A for that leaves early enough."""
        name = self.counter()
        first, last = self.first(), self.limit()
        step = self.random.choice(["", "", ", 1", ", 2", ", -1", ", -3", ", 5"])
        text = last if not step and self.random.random() < 0.4 else f"{first}, {last}{step}"
        self.add(1, "rounds = i64(0)")
        self.add(1, f"for k in range({text}):")
        self.add(2, f"if rounds >= {ROUNDS}:")
        self.add(3, "break")
        self.add(2, "rounds += 1")
        self.add(2, f"{name} = {self.random.choice([f'{name} + 1', f'{name} - 2', 'k', 'k', 'k + 1', f'max({name}, k)', '2 * k + 1', f'k - {self.edge()}'])}")

    def kernel(self):
        for name in ("limit", "start"):
            for relation, edge in (("<=", MOST), (">=", LEAST)):
                if self.random.random() < 0.5:
                    self.contracts.append((name, relation, edge + self.random.choice([0, 0, 0, 1, -1])))
                    self.add(1, "assert {} {} {}".format(*self.contracts[-1]))
        for _ in range(self.random.randint(1, 3)):
            (self.wait if self.random.random() < 0.6 else self.count)()
        for place, name in enumerate(self.names):
            self.add(1, f"y[{place}] = {name}")
        return HEADS[self.dialect] + "\n".join(self.lines).replace("i64(", "i64(" if self.dialect == "kern" else "int64(") + "\n"

    def keeps(self, values):
        return all(values[name] <= edge if relation == "<=" else values[name] >= edge for name, relation, edge in self.contracts)

    def model(self, values):
        places = {"y": [0] * 8, "i64": int, **values}
        exec("def k():\n" + "\n".join(self.lines) + "\nk()", places)
        return places["y"]


def launch(random):
    return {"limit": random.choice(EDGES), "start": random.choice(EDGES), "small": random.choice([MOST, LEAST, 0, -1, 17, MOST - 3])}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(options, seed, folder, tally):
    chance = random.Random(seed)
    writer = Writer(chance, chance.choice(["kern", "py"]))
    source = folder / f"counters.{writer.dialect}"
    source.write_text(writer.kernel())
    extra = ["--sig", SIGNATURE] if writer.dialect == "py" else []
    text = run([options.kernc, source, *extra, "--emit=ir", f"--target={options.device}", "--loops=all", "-o", "-"])
    tally["narrow"] += bool(re.search(r"var (n\d|k)[.\d]*: i32", text))
    for values in (launch(chance) for _ in range(LAUNCHES)):
        if not writer.keeps(values):
            continue
        command = [options.kernc, "run", source, "k", "y=zeros:i64:8", *(f"{name}={value}" for name, value in values.items()), "--grid", "1",
                   "--block", "1", "--print", "y", "--loops=all", f"--device={options.device}", *options.extra]
        found = [int(word) for word in re.findall(r"-?\d+", run(command).partition("=")[2])]
        tally["runs"] += 1
        if found != writer.model(values):
            arguments.keep(options, f"counters{seed}", source)
            sys.exit(f"{' '.join(map(str, command))}\n{source.read_text()}\n{found}\n{writer.model(values)}")


def main():
    options, tally = arguments.parser(60, keep=True, device=True).parse_args(), {"runs": 0, "narrow": 0}
    arguments.agree(options, lambda *each: check(*each, tally))
    print(f"in {tally['runs']} runs, {tally['narrow']} with a counter in 32 bits")
    if tally["runs"] >= 30 and not tally["narrow"]:
        sys.exit("no counter was held in 32 bits")


if __name__ == "__main__":
    main()

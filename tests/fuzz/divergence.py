#!/usr/bin/env python3
"""Divergent control flow, against Python itself.

Writes random kernels (nested conditions, loops with divergent trip counts, break, continue, early return, device functions,
gathers), whose text is also valid Python: every thread is run once by Python's own interpreter, and `kernc run` must give the
same arrays bit for bit with every lane count and architecture. With --faults some indices leave their arrays, some asserts do
not hold and some divisors are 0: each such thread must end there and nothing else change, and the fault that is reported must
be one that Python raises, with its line. With --cuda a GPU runs them instead.

usage: divergence.py KERNC [--faults] [--device D] [--count N] [--seed S] [--seconds T] [--keep DIR] [-- EXTRA OPTIONS OF kernc run]
"""
# fuzz: --faults
# fuzz: --faults -- --arch=x86-64-v3
import itertools
import random
import re
import subprocess
import sys
import traceback

import numpy

import arguments

CONFIGURATIONS = [["--lanes=1"], ["--lanes=16"], ["--lanes=32"], ["--arch=x86-64-v3", "--lanes=16"]]
# Elements along x and y; threads of a block.
SHAPES = [((1, 1), (1, 1)), ((33, 1), (33, 1)), ((100, 1), (32, 1)), ((257, 1), (64, 1)), ((70, 1), (7, 1)), ((40, 9), (16, 4)), ((30, 7), (7, 5))]
FAILURES = IndexError, ZeroDivisionError, AssertionError  # what Python raises where a thread faults


class Writer:
    """Writes one kernel; integers stay below 2^31 by `% 1009`, so that Python's integers and i64 agree."""

    def __init__(self, rng, faults, columns):
        self.rng = rng
        self.faults = faults
        self.columns = columns  # of a plane; None: a row
        self.simple = rng.random() < 0.3  # no calls and no loops whose length threads decide on
        self.lines = []
        self.counter = 0
        self.in_loop = 0

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def name(self):
        return self.rng.choice("abcd")

    def fails(self, chance):
        """Says whether something that may fault is written here."""
        return self.faults and self.rng.random() < chance

    def index(self, of):
        """An index of an array of `n`; one in many is outside."""
        if self.fails(0.4):
            return f"({of}) % (n + {self.rng.randint(1, 3)}) - {self.rng.randint(0, 1)}"
        return f"({of}) % n"

    def clamped(self):
        """An index that is mostly linear in the thread's, and clamped to an array of `n`; one in many is outside."""
        rng = self.rng
        far = rng.choice([3, 40])
        of = rng.choice([f"i + {rng.randint(-far, far)}", f"n - i + {rng.randint(-far, far)}", f"i * 2 - {rng.randint(0, far)}", "b + i"])
        limit = "n" if self.fails(0.1) else "n - 1"
        return rng.choice([f"max(0, min({of}, {limit}))", f"min(max({of}, 0), {limit})", f"{limit} - max(0, min({of}, n - 1))",
                           f"max(1, min({limit} + 1, {of})) - 1", f"i64(max(i32(0), min(i32({of}), i32({limit}))))"])

    def pixel(self):
        """A channel of an element of `w`."""
        return f"{self.clamped() if self.rng.random() < 0.8 else 'i'}, min({self.rng.randint(0, 4)}, w.shape[1] - 1)"

    def integer(self, depth=0):
        rng = self.rng
        if rng.random() < 0.1:
            return f"i64(w[{self.pixel()}])" if rng.random() < 0.6 else f"x[{self.clamped()}]"
        if depth > 2 or rng.random() < 0.35:
            return rng.choice(["a", "b", "c", "d", "i", str(rng.randint(-9, 9)), f"x[{self.index(f'a + {rng.randint(0, 50)}')}]"])
        left, right = self.integer(depth + 1), self.integer(depth + 1)
        form = rng.randint(0, 7)
        if form == 0 and not self.simple:
            return f"helper({left}, {right})"
        if form == 1:
            return f"({left} if {self.condition(depth + 1)} else {right})"
        if form == 2:
            divisor = f"(({right}) % {rng.randint(20, 90)})" if self.fails(0.2) else rng.choice([2, 3, 7, -5])
            return f"(({left}) // {divisor})"
        if form == 3:
            return f"(({left}) % {rng.choice([5, 16, 1009, -6])})"
        if form == 4:
            return f"min({left}, {right})"
        return f"(({left}) {rng.choice('+-*&|^')} ({right})) % 1009"

    def condition(self, depth=0):
        rng = self.rng
        form = rng.randint(0, 5)
        if depth < 2 and form == 0:
            return f"({self.condition(depth + 1)} {rng.choice(['and', 'or'])} {self.condition(depth + 1)})"
        if form == 1:
            return f"{rng.randint(-20, 5)} < {self.integer(2)} <= {rng.randint(6, 500)}"
        if form == 2:
            return f"(i {rng.choice(['<', '>', '<=', '!='])} {rng.randint(0, 100)})"
        if form == 3 and depth < 2:
            return f"(not {self.condition(depth + 1)})"
        return f"({self.integer(2)} {rng.choice(['<', '>', '==', '!=', '<=', '>='])} {self.integer(2)})"

    def block(self, depth, nesting, size):
        for _ in range(self.rng.randint(1, size)):
            self.statement(depth, nesting)

    def statement(self, depth, nesting):
        rng = self.rng
        form = rng.randint(0, 14)
        if nesting >= 4 or form <= 3:
            target = self.name()
            if rng.random() < 0.3:
                self.line(depth, f"{target} += {self.integer()} % 1009")
                self.line(depth, f"{target} %= 1009")
            else:
                self.line(depth, f"{target} = {self.integer()} % 1009")
        elif form <= 5:
            self.line(depth, f"if {self.condition()}:")
            self.block(depth + 1, nesting + 1, 3)
            if rng.random() < 0.5:
                self.line(depth, "else:")
                self.block(depth + 1, nesting + 1, 3)
        elif form == 6 and not self.simple:
            self.counter += 1
            counter = f"w{self.counter}"
            self.line(depth, f"{counter} = 0")
            self.line(depth, f"while {counter} < {rng.randint(1, 6)} and {self.condition()}:")
            self.line(depth + 1, f"{counter} += 1")
            self.loop_body(depth + 1, nesting)
        elif form == 7:
            self.counter += 1
            rounds = rng.randint(1, 9)
            self.line(depth, f"for k{self.counter} in range({rounds if self.simple else f'({self.integer(1)}) % {rounds}'}):")
            self.line(depth + 1, f"{self.name()} = (k{self.counter} + {self.name()}) % 1009")
            self.loop_body(depth + 1, nesting)
        elif form == 8 and self.in_loop and not self.simple:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, rng.choice(["break", "continue"]))
        elif form == 9 and self.fails(0.5):
            if rng.random() < 0.5:
                self.line(depth, f"assert ({self.integer(1)}) % {rng.randint(20, 90)} != 7")
            else:
                self.line(depth, f"y[i if {self.condition()} else {rng.choice(['n + i', 'i - n', 'i'])}] = {self.name()}")
        elif form == 13 and not self.simple:
            self.row(depth)
        elif form == 14 and not self.simple:
            self.sparse_row(depth)
        elif form == 12:
            self.line(depth, f"o[i, min({rng.randint(0, 4)}, w.shape[1] - 1)] = u8({self.integer(1)})")
        elif form == 9:
            self.line(depth, f"y[i] = y[i] + {self.name()}")
        elif form == 10 and rng.random() < 0.4:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, f"y[i] = {self.name()}")
            self.line(depth + 1, "return")
        else:
            self.line(depth, f"z[i] = z[i] * 0.5 + float({self.name()})")

    def row(self, depth):
        """A loop in which each thread walks along elements of its own."""
        rng = self.rng
        self.counter += 1
        start, k = f"s{self.counter}", f"k{self.counter}"
        self.line(depth, f"{start} = {self.integer(1)} % n")
        self.line(depth, f"for {k} in range({start}, min({start} + {rng.choice([1, 3, 9, 30, f'{self.name()} % 20'])}, {'n + 1' if self.fails(0.1) else 'n'})):")
        for _ in range(rng.randint(1, 3)):
            target = self.name()
            self.line(depth + 1, f"{target} = ({target} + {rng.choice(['x', 'q'])}[{k}] * {rng.randint(-3, 9)}) % 1009")
        if rng.random() < 0.3:
            self.line(depth + 1, f"if {self.condition(1)}:")
            self.line(depth + 2, f"{self.name()} = {self.integer(2)} % 1009")

    def strides(self, depth):
        """Loops with which threads together go over arrays; `g` and `h` are what each finds."""
        rng = self.rng
        self.line(depth, f"g = {rng.randint(-9, 9)}")
        self.line(depth, "h = i % 7")
        for _ in range(rng.randint(0, 2)):
            step = rng.choice([1, 3, 7, 16, 33, "(n + 63) // 64"])
            self.line(depth, f"for e in range(i{rng.choice(['', ' + 2'])}, {'n + 1' if self.fails(0.2) else 'n'}, {step}):")
            for _ in range(rng.randint(1, 3)):
                self.line(depth + 1, rng.choice([f"g = (g + {rng.choice('xq')}[e] * {rng.randint(-3, 9)}) % 1009", "h = (h + g + e) % 1009"]))
            if rng.random() < 0.5:
                self.line(depth + 1, f"if x[{self.index('e + g') if rng.random() < 0.5 else 'e'}] {rng.choice('<>')} {rng.randint(-200, 1000)}:")
                self.line(depth + 2, rng.choice(["h = e", "g = g // 2", "g = (g + h) % 1009"]))
            if rng.random() < 0.3:
                self.line(depth, f"g = (g + h * {rng.randint(1, 5)}) % 1009")

    def sparse_row(self, depth):
        """A loop that lanes go round one by one: it does little but load, from anywhere. Some lanes have nothing to do."""
        rng = self.rng
        self.counter += 1
        start, k = f"s{self.counter}", f"k{self.counter}"
        self.line(depth, f"{start} = {self.integer(1)} % n")
        length = rng.choice([1, 3, 9, 30, f"{self.name()} % 20", f"ix[{start}] % 9 - 2"])
        stop = f"min({start} + {length}, {'n + 1' if self.fails(0.2) else 'n'})"
        narrow, after = rng.random() < 0.5, rng.random() < 0.3
        if after:
            self.line(depth, f"{k} = {'i32(0)' if narrow else '0'}")
        self.line(depth, f"for {k} in range(i32({start}), i32({stop})):" if narrow else f"for {k} in range({start}, {stop}):")
        targets = rng.sample("abcd", rng.randint(1, 2))
        for target in targets:
            array = "iy" if self.fails(0.4) else "ix"
            self.line(depth + 1, f"{target} = {target} + x[{array}[{k}]] * q[{array}[{k}]]")
        if rng.random() < 0.3:
            last = (set("abcd") - set(targets)).pop()
            self.line(depth + 1, f"{last} = i64(ix[{k}])")
        for target in targets:
            self.line(depth, f"{target} %= 1009")
        if after:
            self.line(depth, f"{targets[0]} = ({targets[0]} + i64({k})) % 1009")

    def loop_body(self, depth, nesting):
        self.in_loop += 1
        self.block(depth, nesting + 1, 3)
        self.in_loop -= 1

    def kernel(self):
        self.line(0, "@device")
        self.line(0, "def helper(p: i64, q: i64) -> i64:")
        self.line(1, f"if p > {self.rng.randint(0, 40)}:")
        self.line(2, "return (p - q) % 1009")
        self.line(1, f"while q > {self.rng.randint(0, 300)}:")
        self.line(2, f"q = q // {self.rng.randint(2, 4)} - 1")
        self.line(2, f"if q % {self.rng.randint(2, 5)} == 1:")
        self.line(3, "return q + 3")
        self.line(1, "return (p * q) % 1009")
        self.line(0, "")
        self.line(0, "@kernel")
        self.line(0, "def k(x: i64[:], q: i32[:], ix: i32[:], iy: i32[:], w: u8[:, :], y: i64[:], z: f64[:], o: u8[:, :]):")
        self.line(1, "n = x.size")
        if self.columns is None:
            self.line(1, "i = grid(1)")
            self.strides(1)
            self.line(1, "if i >= n:")
            self.line(2, "return")
        else:
            self.line(1, "u, v = grid(2)")
            self.line(1, f"i = v * {self.columns} + u")
            self.strides(1)
            self.line(1, f"if u >= {self.columns} or i >= n:")
            self.line(2, "return")
        self.line(1, "a = x[i]")
        self.line(1, "b = i % 13 + g")
        self.line(1, f"c = {self.rng.randint(-5, 90)}")
        self.line(1, "d = n - i + h")
        self.block(1, 0, 6)
        self.line(1, "y[i] = y[i] + a + 3 * b + 5 * c + 7 * d")
        return "\n".join(self.lines) + "\n"


def python_result(text, x, over, block):
    """Runs the kernel's own text in Python, thread after thread. Returns the arrays by name and, by the block and thread that fail,
    the lines at which they do: blocks as (y, x), in their order."""
    arrays = Arrays(x)
    scope = SCOPE.copy()
    exec(compile(text, "kernel", "exec"), scope)  # the text was written above
    failed = {}
    columns, rows = (range(-(-over[axis] // block[axis]) * block[axis]) for axis in (0, 1))
    for v, u in itertools.product(rows, columns):
        scope["grid"] = lambda rank: u if rank == 1 else (u, v)
        try:
            scope["k"](*arrays.arguments)
        except FAILURES as error:
            failed[(v // block[1], u // block[0]), (u % block[0], v % block[1])] = line_of(error)
    return arrays.results(), failed


def line_of(error):
    """Returns the line of the kernel's text, or of what it called, that raised an error."""
    frames = traceback.extract_tb(error.__traceback__)
    return next(frame.lineno for frame in reversed(frames) if frame.filename == "kernel")


class Scalar:
    """Stands for `i64` and `i64[:]` in annotations, and for casts."""

    def __init__(self, cast):
        self.cast = cast

    def __getitem__(self, key):
        return None

    def __call__(self, value):
        return self.cast(value)


SCOPE = {"device": lambda f: f, "kernel": lambda f: f, "i64": Scalar(int), "i32": Scalar(int), "f64": Scalar(float),
         "u8": Scalar(lambda value: value & 255)}


class Array(list):
    """A list of a fixed size, in which no index counts from the end."""

    @property
    def size(self):
        return len(self)

    def checked(self, index):
        if not 0 <= index < len(self):
            raise IndexError(index)
        return index

    def __getitem__(self, index):
        return super().__getitem__(self.checked(index))

    def __setitem__(self, index, value):
        super().__setitem__(self.checked(index), value)


class Plane(Array):
    """Rows of a fixed size."""

    def __init__(self, rows):
        super().__init__(map(Array, rows))
        self.shape = len(rows), len(rows[0])

    def __getitem__(self, index):
        return super().__getitem__(index[0])[index[1]]

    def __setitem__(self, index, value):
        super().__getitem__(index[0])[index[1]] = value

    def rows(self):
        return [list(row) for row in self]


def bytes_of(x):
    """The elements of `w`: one to five bytes a row, as x has it."""
    channels = 1 + x[0] % 5
    return [[(element * 31 + channel * 17) & 255 for channel in range(channels)] for element in x]


def indices_of(x, wrong):
    """The elements of `ix`, and of `iy` where some are wrong: indices of arrays like x."""
    size = len(x)
    return [-1 if wrong and element % 61 == 3 else size if wrong and element % 67 == 5 else (element * 7 + at) % size for at, element in enumerate(x)]


class Arrays:
    """The arguments of a kernel in Python."""

    def __init__(self, x):
        self.y, self.z = Array([0] * len(x)), Array([0.0] * len(x))
        plane = bytes_of(x)
        self.o = Plane([[0] * len(row) for row in plane])
        self.arguments = Array(x), Array(x), Array(indices_of(x, False)), Array(indices_of(x, True)), Plane(plane), self.y, self.z, self.o

    def results(self):
        return {"y": numpy.array(self.y, numpy.int64), "z": numpy.array(self.z, numpy.float64), "o": numpy.array(self.o.rows(), numpy.uint8)}


def run_kernc(kernc, folder, over, block, options):
    """Returns the exit code and the words."""
    def words(extents): return f"{extents[0]},{extents[1]}"

    size = over[0] * over[1]
    command = [kernc, "run", str(folder / "k.kern"), "--over", words(over), "--block", words(block), "--fp-contract=off", *options,
               f"x=@{folder}/x.npy", f"q=@{folder}/q.npy", f"ix=@{folder}/ix.npy", f"iy=@{folder}/iy.npy",
               f"w=@{folder}/w.npy", f"y=zeros:i64:{size}", f"z=zeros:f64:{size}", "o=like:w"]
    for name in "yzo":
        command += ["-o", f"{name}={folder}/{name}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, f"{' '.join(command)}\n{done.stderr}"


def wrong_report(code, words, failed, any_block):
    """Returns what is wrong with the exit code or the fault that is reported: of the lowest block that has any, or of `any_block`."""
    if code != (4 if failed else 0):
        return f"exit {code}, and Python's failures are {failed}: {words}"
    if not failed:
        return None
    found = re.search(r"k\.kern:(\d+):\d+: fault\[\w+\]: .* block \((\d+),(\d+),0\) thread \((\d+),(\d+),0\)", words)
    if not found:
        return f"no fault is reported: {words}"
    line, *place = map(int, found.groups())
    at_block = place[1], place[0]
    if failed.get((at_block, (place[2], place[3]))) != line:
        return f"a fault that Python does not have; Python's: {failed}: {words}"
    if at_block != min(failed)[0] and not any_block:
        return f"not of the lowest block that has any; Python's: {failed}: {words}"
    return None


def check(writer, reference, options, seed, folder):
    rng = random.Random(seed)
    over, block = rng.choice(SHAPES)
    on_gpu = options.device == "cuda"
    text = writer(rng, options.faults, over[0] if over[1] > 1 else None).kernel()
    (folder / "k.kern").write_text(text)
    x = [rng.randint(-200, 1000) for _ in range(over[0] * over[1])]
    numpy.save(folder / "x.npy", numpy.array(x, numpy.int64))
    numpy.save(folder / "q.npy", numpy.array(x, numpy.int32))
    for name, wrong in ("ix", False), ("iy", True):
        numpy.save(folder / f"{name}.npy", numpy.array(indices_of(x, wrong), numpy.int32))
    numpy.save(folder / "w.npy", numpy.array(bytes_of(x), numpy.uint8))
    results, failed = reference(text, x, over, block)
    for configuration in [["--device", "cuda"]] if on_gpu else CONFIGURATIONS:
        code, words = run_kernc(options.kernc, folder, over, block, configuration + options.extra)
        problem = wrong_report(code, words, failed, on_gpu)
        if problem:
            return problem
        for name, wanted in results.items():
            got, wanted = numpy.load(folder / f"{name}.npy").ravel(), wanted.ravel()
            differs = got.view(numpy.uint8) != wanted.view(numpy.uint8)
            if differs.any():
                first = int(numpy.flatnonzero(differs)[0]) // wanted.itemsize
                return f"{configuration} block {block} over {over}: {name}[{first}] is {got[first]}, Python gives {wanted[first]}"
    return None


def main(name, writer, reference):
    """Writes kernels by a Writer and runs them; `reference` gives what Python makes of one, as python_result does."""
    parser = arguments.parser(40, keep=True, device=True)
    parser.add_argument("--faults", action="store_true", help="some threads fault")
    options = parser.parse_args()
    return arguments.check_each(options, name, lambda *each: check(writer, reference, *each))


if __name__ == "__main__":
    sys.exit(main("divergence", Writer, python_result))

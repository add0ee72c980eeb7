#!/usr/bin/env python3
"""Random programs in and out of range, launched many times each: the GPU, the CPU and Python's own interpreter must agree.

A kernel is a random text that is also Python: loops of all forms, with loads by affine and by gathered indices, stores in the thread's
own row, and atomics. Python runs each thread with arrays that check their indices. Every launch has sizes, layouts, numbers and contents
of its own, about half of them such that some thread leaves its array. All elements of all arrays must be Python's, also round the
views; a fault must be one of those that Python found: line, array, axis, index, extent, block and thread. All launches run in one process.

With --clamp the kernels are compiled by --on-fault=clamp: a bad load reads zero, a bad store or atomic does nothing, and no thread ends; the launch reports how many threads had a bad index, and one that is the first of its thread.

usage: launches.py KERNC [--count KERNELS] [--seed S] [--seconds T] [--launches N] [--device cpu|cuda|cpu,cuda] [--clamp] [--library FILE [--build]] [--cxx CXX]
                   [-- OPTIONS OF KERNC]

--build only writes the library; --library without it only runs it, with the same --count and --seed.
"""
# fuzz: --clamp
import pathlib
import random
import re
import sys
import tempfile

import numpy

import arguments
import launcher

THREADS, BLOCK, WIDTH = 8, 4, 6
SIZES = [0, 1, 5, 7, 8, 8, 9, 16, 16, 31, 31, 40, 40, 40]


class Fault(Exception):
    pass


class Checked:
    """An array as a kernel sees it."""

    def __init__(self, name, array, numba, clamp):
        self.name, self.array, self.numba, self.clamp = name, array, numba, clamp
        self.size, self.shape = array.size, array.shape

    def place(self, indices):
        """Where the element is; None where there is none and that is no fault."""
        made = []
        for axis, (index, extent) in enumerate(zip(indices if isinstance(indices, tuple) else (indices,), self.shape)):
            index = int(index)
            place = index + extent if self.numba and index < 0 else index
            if not 0 <= place < extent:
                if self.clamp:
                    self.clamp(self.name, axis, index, extent)
                    return None
                raise Fault(self.name, axis, index, extent)
            made.append(place)
        return tuple(made)

    def __getitem__(self, indices):
        place = self.place(indices)
        return 0 if place is None else int(self.array[place])

    def __setitem__(self, indices, value):
        place = self.place(indices)
        if place is not None:
            # Sums of what is gathered may pass 64 bits: they wrap.
            self.array[place] = (int(value) + 2**63) % 2**64 - 2**63


class Atomic:
    @staticmethod
    def add(array, index, value):
        array[index] = array[index] + value

    @staticmethod
    def max(array, index, value):
        array[index] = max(array[index], value)


class Writer:
    def __init__(self, rng, name, numba):
        self.rng, self.name, self.numba, self.lines, self.loops, self.depth_of_loops = rng, name, numba, [], [], 0
        self.counter = 0
        lib = "cuda." if numba else ""
        if not numba:
            self.add(0, "@kernel")
            self.add(0, f"def {name}(x: i32[:], y: i32[:], c: i64[:], m: i32[:, :], o: i64[:, :], h: i64[:], n: i64, k: i64):")
        else:
            self.add(0, "@cuda.jit")
            self.add(0, f"def {name}(x, y, c, m, o, h, n, k):")
        self.add(1, f"t = {lib}grid(1)")
        for number in range(3):
            self.add(1, f"v{number}{'' if numba else ': i64'} = {rng.choice(['t', 'n', 'k', 't + n'])}")
        self.add(1, f"acc{'' if numba else ': i64'} = {'n - n' if numba else '0'}")
        for _ in range(rng.randint(3, 6)):
            self.statement(1)
        self.add(1, "o[t, 0] = acc")

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def atom(self):
        rng = self.rng
        return rng.choice(["t", "n", "k", "v0", "v1", "v2", str(rng.randint(0, 6)), "x.size", "m.shape[1]", *self.loops * 3])

    def value(self):
        rng, a, b = self.rng, self.atom(), self.atom()
        return rng.choice([a, a, f"{a} + {b}", f"{a} - {b}", f"{a} + {rng.randint(1, 3)}", f"{a} - 1", f"{a} * {rng.randint(2, 4)} + {b}", f"{a} // 2",
                           f"{a} % {rng.randint(2, 9)}", f"min({a}, {b})", f"max({a} - 2, {b})"])

    def index(self, extent):
        """An index: mostly one that a test, a remainder or luck keeps in the array."""
        rng = self.rng
        if rng.random() < 0.7:
            return f"({self.value()}) % max({extent}, 1)"
        return self.value()

    def load(self):
        rng = self.rng
        form = rng.randint(0, 5)
        if form <= 1:
            name = rng.choice("xy")
            text = f"{name}[{self.index(name + '.size')}]"
        elif form == 2:
            return f"c[{self.index('c.size')}]"
        elif form <= 4:
            name = rng.choice("xy")
            text = f"{name}[c[{self.index('c.size')}]]"
        else:
            text = f"m[{self.index('m.shape[0]')}, {self.index('m.shape[1]')}]"
        return text if self.numba else f"i64({text})"

    def test(self):
        rng, a = self.rng, self.value()
        array = rng.choice(["x.size", "y.size", "c.size", "m.shape[0]", "n"])
        return rng.choice([f"{a} < {array}", f"0 <= {a} < {array}", f"{a} >= 0 and {a} < {array}", f"{a} != {self.atom()}", f"{self.atom()} > {self.atom()}"])

    def statement(self, depth):
        rng, lib = self.rng, "cuda." if self.numba else ""
        form = rng.randint(0, 14)
        if form <= 3:
            self.add(depth, f"acc = acc + {self.load()}")
        elif form == 4:
            self.add(depth, f"o[t, {rng.choice([str(rng.randint(0, WIDTH - 1)), self.index('o.shape[1]')])}] = {rng.choice(['acc', self.load(), self.value()])}")
        elif form == 5:
            self.add(depth, f"{lib}atomic.add(h, {self.index('h.size')}, {rng.choice(['k', self.load(), '1'])})")
        elif form <= 7:
            self.add(depth, f"v{rng.randint(0, 2)} = ({self.value()}) % {rng.choice([7, 16, 41])}{rng.choice(['', '', ' - 1', ' - 3'])}")
        elif form == 8:
            self.add(depth, f"v{rng.randint(0, 2)} = c[{self.index('c.size')}] % 41")
        elif form <= 10:
            self.add(depth, f"if {self.test()}:")
            self.block(depth + 1)
        elif self.depth_of_loops < 3:
            self.loop(depth)
        else:
            self.add(depth, f"acc = acc + {self.load()}")

    def block(self, depth):
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth)

    def loop(self, depth):
        rng = self.rng
        self.counter += 1
        name = f"p{self.counter}"
        self.depth_of_loops += 1
        if rng.random() < 0.2:
            zero = "n - n" if self.numba else "0"
            self.add(depth, f"{name}{'' if self.numba else ': i64'} = {zero}")
            self.add(depth, f"while {name} < {rng.choice(['n % 8', '5', 'x.size % 9'])}:")
            self.add(depth + 1, f"{name} = {name} + 1")
        else:
            start = rng.choice(["0", "0", "1", "t", "k"])
            # Seldom more than a few rounds.
            stop = rng.choice(["n", "5", "x.size", "y.size", "c.size", f"{start} + 4", "n + 1"])
            step = rng.choice(["", "", "", ", 2", ", 3"])
            self.add(depth, f"for {name} in range({start}, min({stop}, 12){step}):")
        self.loops.append(name)
        if rng.random() < 0.2:
            self.add(depth + 1, f"if {self.test()}:")
            self.add(depth + 2, rng.choice(["break", "continue"]))
        if rng.random() < 0.5:
            # Nothing but loads: what may be deferred.
            for _ in range(rng.randint(1, 3)):
                self.add(depth + 1, f"acc = acc + {self.load()}")
        else:
            self.block(depth + 1)
        self.loops.pop()
        self.depth_of_loops -= 1

    def function(self):
        """The text for Python, on lines of the same numbers."""
        text = [re.sub(r"^@.*", "", line) for line in self.lines]
        text[1] = f"def {self.name}(x, y, c, m, o, h, n, k):"
        names = {"i64": int, "atomic": Atomic}
        code = "\n".join(text).replace("cuda.grid(1)", "grid(1)").replace("cuda.atomic", "atomic")
        exec(compile(code, "<kernel>", "exec"), names)
        return names


SIGNATURE = "(int32[:], int32[:], int64[:], int32[:, :], int64[:, :], int64[:], int64, int64)"


def arguments_of(rng):
    layout = lambda: rng.choice(["contiguous", "contiguous", "strided", "reversed", "padded"])  # noqa: E731
    size = rng.choice(SIZES)
    sizes = [size, size if rng.random() < 0.5 else rng.choice(SIZES), size if rng.random() < 0.5 else rng.choice(SIZES)]
    views = dict(x=launcher.View([sizes[0]], "int32", layout()), y=launcher.View([sizes[1]], "int32", layout()), c=launcher.View([sizes[2]], "int64", layout()),
                 m=launcher.View([rng.choice([1, 8, 12]), rng.choice([1, 8, 41])], "int32", layout()), o=launcher.View([THREADS, WIDTH], "int64", layout()),
                 h=launcher.View([rng.choice([8, 41])], "int64", layout()))
    top = max(min(sizes[0], sizes[1]), 1)
    gather = numpy.array([rng.randrange(top) for _ in range(sizes[2])], numpy.int64)
    if sizes[2] and rng.random() < 0.4:
        gather[rng.randrange(sizes[2])] = rng.choice([-1, -2, top, sizes[0], sizes[1], 2**31, 2**32 + 1, -2**32, 2**62, -2**63])
    views["c"].array[:] = gather
    for name in "xym":
        views[name].base[:] = numpy.arange(views[name].base.size) * 7 % 40
    return views, dict(n=rng.choice([0, 1, 4, 5, 8]), k=rng.choice([0, 0, 1, 3, -1]))


def run_model(writer, names, views, bases, numbers, clamp):
    """Runs all threads in Python over the bases. Returns the faults, one of a thread at most; under clamp what the threads went on at."""
    faults = []
    noted = {}

    def note(array, axis, index, extent):
        frame = sys._getframe()
        while frame.f_code.co_filename != "<kernel>":
            frame = frame.f_back
        noted.setdefault(at[0], (frame.f_lineno, (array, axis, index, extent)))

    def told(thread, line, fault):
        array, axis, index, extent = fault
        return dict(code="index", line=line + writer.offset, array=array, axis=axis, index=index, extent=extent, block=thread // BLOCK, thread=thread % BLOCK)

    at = [0]
    arrays = {name: Checked(name, view.of(bases[name]), writer.numba, clamp and note) for name, view in views.items()}
    for thread in range(THREADS):
        at[0] = thread
        names["grid"] = lambda _, thread=thread: thread
        try:
            names[writer.name](**arrays, **numbers)
        except Fault as fault:
            trace = fault.__traceback__
            while trace.tb_frame.f_code.co_filename != "<kernel>":
                trace = trace.tb_next
            faults.append(told(thread, trace.tb_lineno, fault.args))
    # Without faults there are notes: the first of each thread.
    return faults + [told(thread, line, fault) for thread, (line, fault) in noted.items()]


def check(runtimes, writer, names, rng, clamp):
    """One launch on each device; returns what is wrong, and whether it faults."""
    state = rng.getstate()
    views, numbers = arguments_of(rng)
    wanted = {name: view.base.copy() for name, view in views.items()}
    faults = run_model(writer, names, views, wanted, numbers, clamp)
    wrong = []
    for device, runtime in runtimes.items():
        again = random.Random()
        again.setstate(state)
        views, _ = arguments_of(again)
        found = runtime.launch(writer.module, writer.name, THREADS // BLOCK, BLOCK, [*views.values(), *map(numpy.int64, numbers.values())])
        shown = found and {key: found[key] for key in ("code", "line", "array", "axis", "index", "extent", "block", "thread")}
        if (found is not None) != bool(faults) or (found and shown not in faults):
            wrong.append(f"{device}: the fault is {shown}, Python has {faults[:3]}")
        if clamp and found and found["bad_threads"] != len(faults):
            wrong.append(f"{device}: {found['bad_threads']} threads with a bad index, in Python {len(faults)}")
        for name, view in views.items():
            if not numpy.array_equal(view.base, wanted[name]):
                places = numpy.flatnonzero(view.base != wanted[name])[:5]
                wrong.append(f"{device}: {name}: elements {places - view.border} are {view.base[places]}, not {wanted[name][places]}")
    if wrong:
        wrong.append(f"{numbers}, " + ", ".join(f"{name}: {view.array.shape} {view.cut[3]}" for name, view in views.items()))
    return wrong, bool(faults)


def write(writers, folder):
    files = []
    for numba in (False, True):
        mine = [writer for writer in writers if writer.numba == numba]
        for start in range(0, len(mine), 10):
            part = mine[start:start + 10]
            lines = ["from numba import cuda"] if numba else []
            for writer in part:
                writer.offset, writer.module = len(lines), len(files)
                lines += writer.lines
            path = folder / f"kernels{len(files)}.{'py' if numba else 'kern'}"
            path.write_text("\n".join(lines) + "\n")
            files.append((path, [f"--sig={writer.name}{SIGNATURE}" for writer in part] if numba else []))
    return files


def launch_all(options, writers):
    """Builds and launches the kernels of these writers, by seed. Returns how many launches faulted, and how many kernels failed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = write(list(writers.values()), folder)
        library = options.library or folder / "kernels.so"
        if options.build or not options.library:
            launcher.build(options.kernc, files, library, folder, options.cxx, options.runtime, (["--on-fault=clamp"] if options.clamp else []) + options.extra)
        if options.build:
            return 0, 0
        launcher.check_sources(library, files)
        runtimes = {device: launcher.Runtime(library, device) for device in options.device.split(",")}
    failed = faulted = 0
    for seed, writer in writers.items():
        names = writer.function()
        for launch in range(options.launches):
            wrong, faults = check(runtimes, writer, names, random.Random(seed * 1009 + launch), options.clamp)
            faulted += faults
            if wrong:
                failed += 1
                print(f"seed {seed}: kernel {writer.name}, launch {launch}: {'; '.join(wrong)}\n" + "\n".join(writer.lines), flush=True)
                break
    return faulted, failed


def main():
    parser = arguments.parser(20)
    parser.add_argument("--launches", type=int, default=20, help="of each")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "cpu,cuda"])
    parser.add_argument("--clamp", action="store_true")
    launcher.add_library(parser)
    options = parser.parse_args()
    kernels = faulted = failed = 0
    for seeds in arguments.batches(options, options.count if options.library else min(options.count, 6)):
        writers = {}
        for seed in seeds:
            rng = random.Random(seed)
            writers[seed] = Writer(rng, f"f{seed}", rng.random() < 0.4)
        found = launch_all(options, writers)
        kernels, faulted, failed = kernels + len(writers), faulted + found[0], failed + found[1]
    if options.build:
        return 0
    total = kernels * options.launches
    print(f"launches: {total} of {kernels} kernels on {options.device}, {faulted} with a fault, {failed} kernels failed")
    # Both kinds must be there, or nothing was shown.
    return failed > 0 or (total >= 100 and not total // 20 < faulted < total - total // 20)


if __name__ == "__main__":
    sys.exit(main())

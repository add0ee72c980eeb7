#!/usr/bin/env python3
"""Views of one buffer that lie on each other and are all written: each thread does what it does in the order that is written.

A kernel has three or four views of the same bytes, of types, beginnings and steps of their own. Between two barriers a thread keeps to one chunk
of the bytes, its own or that of another thread, so that each run has one result: that of a model over the bytes. Stores read through other views,
loops copy by less than they are long, atomics add, conditions ask what was just stored.

usage: overlaps.py KERNC [--count N] [--seed S] [--seconds T] [--device cpu|cuda] [--library FILE [--build]] [--cxx CXX] [-- OPTIONS OF KERNC]
"""
import pathlib
import random
import sys
import tempfile

import arguments
import launcher
import numpy

CHUNK = 64  # bytes, of which each thread has one between two barriers
TYPES = {"u8": "uint8", "i16": "int16", "i32": "int32", "u32": "uint32", "i64": "int64"}


class Part(launcher.View):
    """Every `step`-th element of a type from a byte on, to the end of the base or, of a negative step, to its start."""

    def __init__(self, base, dtype, first, step):
        self.base, self.dtype, self.first, self.step, self.buffer = base, numpy.dtype(dtype), first, step, 0

    def of(self, base):
        return base.view(self.dtype)[self.first // self.dtype.itemsize::self.step]


class View:
    """One of a kernel's: `p[i]` is the element at byte `first + i * step * bytes`."""

    def __init__(self, rng, name, threads):
        self.name, self.type = name, rng.choice(list(TYPES))
        self.dtype = numpy.dtype(TYPES[self.type])
        self.bytes = self.dtype.itemsize
        self.step = rng.choice([1, 1, 1, 1, 2, -1])
        end = CHUNK * (threads + 2)
        self.first = end - self.bytes if self.step < 0 else rng.randrange(0, CHUNK // 8) * 8
        self.is_plain = self.step == 1 and rng.random() < 0.5  # its strides are part of its type

    def parameter(self):
        return f"{self.name}: {self.type}[{'::1' if self.is_plain else ':'}]"

    def places(self):
        """The bytes within a chunk at which an element of the view begins."""
        width = abs(self.step) * self.bytes
        return [place for place in range(0, CHUNK, self.bytes) if (place + CHUNK - self.first) % width == 0]

    def index(self, place, chunk, extra=""):
        """The index of the element at a byte of a chunk whose number, from 1 on, is an expression."""
        width = self.step * self.bytes
        return f"{chunk} * {CHUNK // width} + {(place - self.first) // width}{extra}"

    def room(self, place):
        """How many elements there are from a place on in the direction of the indices, within a chunk."""
        return (CHUNK - place - self.bytes) // (self.step * self.bytes) + 1 if self.step > 0 else place // self.bytes + 1


class Program:
    """A kernel's statements as text, and as functions over the bytes of one thread."""

    def __init__(self, rng, threads):
        self.rng, self.threads = rng, threads
        self.views = [View(rng, name, threads) for name in "pqrs"[:rng.choice([3, 3, 4])]]
        self.lines, self.phases = [], []
        for phase in range(rng.randrange(1, 3)):
            shift = rng.choice([0, 1, threads // 2]) if phase else 0
            if phase:
                self.say("syncthreads()")
            self.say(f"c = (t + {shift}) % {threads} + 1" if shift else "c = t + 1")
            steps = []
            self.phases.append((shift, steps))
            for _ in range(rng.randrange(2, 6)):
                steps.append(rng.choice([self.store, self.store, self.update, self.loop, self.loop, self.atomic, self.branch])())
        # All of them are written.
        for view in self.views:
            place = view.places()[0]
            self.say(self.sum(view, view.index(place, "c"), "1"))
            self.phases[-1][1].append(self.added(view, place, lambda memory, t: 1))

    def say(self, line, depth=1):
        self.lines.append("    " * depth + line)

    def pick(self, room=1):
        """A view and a place with so much room behind it."""
        found = [(view, place) for view in self.views for place in view.places() if view.room(place) >= room]
        return self.rng.choice(found)

    def source(self, name):
        head = ", ".join(view.parameter() for view in self.views)
        return f"@kernel\ndef {name}({head}, n: i64):\n    t = threadIdx.x\n" + "\n".join(self.lines) + "\n"

    # What is done to the bytes of a chunk: functions of these, as an array, and of the number of the thread.

    @staticmethod
    def get(view, place, k=0):
        at = place + k * view.step * view.bytes
        return lambda memory, t: int(memory[at:at + view.bytes].view(view.dtype)[0])

    @staticmethod
    def put(view, place, value, k=0):
        at, bits = place + k * view.step * view.bytes, 8 * view.bytes

        def run(memory, t):
            memory[at:at + view.bytes] = numpy.frombuffer((value(memory, t) % (1 << bits)).to_bytes(view.bytes, "little"), numpy.uint8)
        return run

    def added(self, view, place, value, k=0):
        before = self.get(view, place, k)
        return self.put(view, place, lambda memory, t: before(memory, t) + value(memory, t), k)

    @staticmethod
    def sum(view, index, term):
        """What adds to an element and keeps the low bits."""
        return f"{view.name}[{index}] = {view.type}(i64({view.name}[{index}]) + {term})"

    def store(self, depth=1):
        (to, at), (source, place), factor = self.pick(), self.pick(), self.rng.randrange(1, 9)
        self.say(f"{to.name}[{to.index(at, 'c')}] = {to.type}(i64({source.name}[{source.index(place, 'c')}]) * {factor} + t)", depth)
        read = self.get(source, place)
        return self.put(to, at, lambda memory, t: read(memory, t) * factor + t)

    def update(self):
        (to, at), (source, place) = self.pick(), self.pick()
        self.say(self.sum(to, to.index(at, "c"), f"i64({source.name}[{source.index(place, 'c')}])"))
        return self.added(to, at, self.get(source, place))

    def atomic(self):
        to, at = self.pick()
        while to.bytes < 4:
            to, at = self.pick()
            if all(view.bytes < 4 for view in self.views):
                return self.store()
        (source, place) = self.pick()
        self.say(f"atomic.add({to.name}, {to.index(at, 'c')}, {to.type}({source.name}[{source.index(place, 'c')}]))")
        return self.added(to, at, self.get(source, place))

    def loop(self):
        rounds = self.rng.choice([2, 3, 4, 7])
        if not any(view.room(place) >= rounds for view in self.views for place in view.places()):
            return self.store()
        (to, at), (source, place), keeps = self.pick(rounds), self.pick(rounds), self.rng.random() < 0.5
        bound = f"n + {rounds}" if self.rng.random() < 0.5 else rounds
        self.say(f"for k in range({bound}):")
        read = f"{source.name}[{source.index(place, 'c', ' + k')}]"
        if keeps:
            self.say(f"{to.name}[{to.index(at, 'c', ' + k')}] = {to.type}({read})", 2)
        else:
            self.say(self.sum(to, to.index(at, "c", " + k"), f"i64({read}) + k"), 2)

        def run(memory, t):
            for k in range(rounds):
                if keeps:
                    self.put(to, at, self.get(source, place, k), k)(memory, t)
                else:
                    self.added(to, at, lambda memory, t, k=k: self.get(source, place, k)(memory, t) + k, k)(memory, t)
        return run

    def branch(self):
        source, place = self.pick()
        self.say(f"if i64({source.name}[{source.index(place, 'c')}]) % 2 == 0:")
        read, step = self.get(source, place), self.store(2)
        return lambda memory, t: step(memory, t) if read(memory, t) % 2 == 0 else None

    def run(self, memory):
        """What the threads make of all the bytes."""
        for shift, steps in self.phases:
            for t in range(self.threads):
                at = ((t + shift) % self.threads + 1) * CHUNK
                for step in steps:
                    step(memory[at:at + CHUNK], t)


def programs(seeds):
    for seed in seeds:
        rng = random.Random(seed)
        yield seed, Program(rng, rng.choice([1, 3, 16, 33, 64, 100]))


def check(runtime, program, seed):
    base = numpy.frombuffer(random.Random(-seed).randbytes(CHUNK * (program.threads + 2)), numpy.uint8).copy()
    wanted = base.copy()
    program.run(wanted)
    parts = [Part(base, view.dtype, view.first, view.step) for view in program.views]
    fault = runtime.launch(0, f"k{seed}", 1, program.threads, [*parts, numpy.int64(0)])
    if fault:
        return f"seed {seed}: {fault}\n{program.source(f'k{seed}')}"
    if not numpy.array_equal(base, wanted):
        places = [(int(at) // CHUNK - 1, int(at) % CHUNK) for at in numpy.flatnonzero(base != wanted)[:8]]
        return f"seed {seed}: the bytes of (thread, place) {places} are wrong\n{program.source(f'k{seed}')}"
    return ""


def check_all(options, seeds):
    """Builds and runs the kernels of these seeds. Returns how many are wrong."""
    made = list(programs(seeds))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "overlaps.kern"
        path.write_text("\n\n".join(program.source(f"k{seed}") for seed, program in made))
        library = options.library or folder / "overlaps.so"
        if options.build or not options.library:
            launcher.build(options.kernc, [(path, [])], library, folder, options.cxx, options.runtime, options.extra)
        if options.build:
            return 0
        launcher.check_sources(library, [(path, [])])
        runtime = launcher.Runtime(library, options.device)
    failures = list(filter(None, (check(runtime, program, seed) for seed, program in made)))
    for text in failures:
        print(text, flush=True)
    return len(failures)


def main():
    parser = arguments.parser(16, device=True)
    launcher.add_library(parser)
    options = parser.parse_args()
    tried = failed = 0
    for seeds in arguments.batches(options, options.count if options.library else min(options.count, 24)):
        failed += check_all(options, seeds)
        tried += len(seeds)
    if not options.build:
        print(f"{tried - failed} of {tried} kernels agree")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

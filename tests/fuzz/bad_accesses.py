#!/usr/bin/env python3
"""A matrix of bad accesses: each kind, rank and axis, type of the index, place in a loop, layout and dialect.

A row is a kernel of eight threads, of which one does a bad access (in some rows more behind it), and the same kernel with none. Of the first the fault must be at
its place, with its array, axis, index, extent, block and thread; every element of every array must be what a model in Python says: what the
thread did before, what the others did, and nothing else, also round the arrays, which are views of larger ones. The second launch shows
that the device lives on. All rows run in one process.

With --clamp the kernels are compiled by --on-fault=clamp, and the model is that of it: a bad load reads zero, a bad store or atomic does
nothing, and the thread goes on; the launch reports one thread, with the same words.

usage: bad_accesses.py KERNC [--count N] [--seed S] [--seconds T] [--device cpu|cuda] [--clamp] [--library FILE [--build]] [--cxx CXX] [-- OPTIONS OF KERNC]

A seed is a part of the matrix, and 32 in a row are all of it; what a row leaves open is drawn anew each time. --build only writes the library, --library without it only runs it: a machine with a GPU needs neither kernc nor a compiler then.
"""
# fuzz: --clamp
import collections
import pathlib
import random
import sys
import tempfile

import numpy

import arguments
import launcher

THREADS, BLOCK, ROUNDS, PARTS = 8, 4, 5, 32
OWN = THREADS * ROUNDS         # each round of each thread has an element of its own
EXTENT = OWN + ROUNDS + 2      # and indices that run out of the array start in a part that is nobody's
RANGES = {"i8": (-2**7, 2**7 - 1), "u8": (0, 2**8 - 1), "i16": (-2**15, 2**15 - 1), "u16": (0, 2**16 - 1), "i32": (-2**31, 2**31 - 1), "u32": (0, 2**32 - 1),
          "i64": (-2**63, 2**63 - 1), "u64": (0, 2**64 - 1)}
BAD = {"end": EXTENT, "beyond": EXTENT + 7, "minus": -1, "far_minus": -EXTENT - 1, "byte": 127, "2^31-1": 2**31 - 1, "2^31": 2**31, "2^32-1": 2**32 - 1,
       "2^32+3": 2**32 + 3, "2^63-1": 2**63 - 1, "-2^31": -2**31, "-2^32+3": -2**32 + 3, "-2^63": -2**63, "2^63": 2**63, "2^64-1": 2**64 - 1}
REPEATED = {"beyond", "2^31", "byte"}  # and every access of the thread behind the first bad one: that one is told
NUMPY = NUMBA = {"i32": "int32", "u32": "uint32", "f32": "float32"}


def wrap(value, bits=32, signed=True):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


# By name: what the element is afterwards, of the old one and the operand.
ATOMICS = {"add": lambda old, v: old + v, "sub": lambda old, v: old - v, "max": max, "min": min, "and_": lambda old, v: int(old) & v,
           "or_": lambda old, v: int(old) | v, "xor": lambda old, v: int(old) ^ v, "exch": lambda old, v: v, "cas": lambda old, v: v if old == 3 else old,
           "inc": lambda old, v: 0 if old >= v else old + 1, "dec": lambda old, v: v if old == 0 or old > v else old - 1}
KINDS = ["load", "store", "update", *ATOMICS, "add_f32", "view_load", "view_store", "slice_load", "slice_store", "local_load", "local_store", "shared_load",
         "shared_add", "constant_load", "function_load", "function_store"]
PLACES = ["none", "for", "affine", "nested", "while", "continue", "break", "stride", "pure"]
Row = collections.namedtuple("Row", "kind rank axis type bad place moment layout dialect")


def is_load(kind):
    return kind.endswith("load")


def fixed(row):
    """The row with what its kind or dialect cannot have replaced by what is near it; None where nothing is."""
    low, high = RANGES[row.type]
    kind = row.kind
    if kind.startswith(("slice", "local", "shared", "constant", "function")):
        row = row._replace(rank=1, axis=0)
    if kind.startswith("view"):
        row = row._replace(rank=2, axis=0)
    if kind.startswith("function"):
        row = row._replace(type="i64")
    if kind.startswith("constant"):
        row = row._replace(dialect="kern")
    if row.place == "pure" and not is_load(kind) or row.axis >= row.rank:
        return None
    low, high = RANGES[row.type]
    bad = BAD[row.bad]
    if row.dialect == "py" and -EXTENT <= bad < 0:
        bad = -EXTENT - 1
    if row.place == "affine":
        # It runs out of the end in the round that is asked for, or below 0 in the first.
        row = row._replace(type="i64")
        return row if bad >= 0 or row.moment == 0 else row._replace(bad="end")
    return row if low <= bad <= high else None


def rows(seed):
    rng = random.Random(seed)
    made = []

    def add(**given):
        axis_of = {1: [0], 2: [0, 1], 3: [0, 1, 2]}
        for _ in range(40):
            rank = given.get("rank", rng.choice([1, 1, 2, 3]))
            row = Row(given.get("kind", "load"), rank, given.get("axis", rng.choice(axis_of[rank])), given.get("type", rng.choice(["i64", "i64", "i32", "u32", "i16", "u64"])),
                      given.get("bad", rng.choice(list(BAD))), given.get("place", rng.choice(PLACES)), rng.choice([0, 2, 3, 4]),
                      given.get("layout", rng.choice(["contiguous", "strided", "reversed", "padded"])), given.get("dialect", rng.choice(["kern", "kern", "py"])))
            row = fixed(row)
            if row and row not in made:
                made.append(row)
                return

    for kind in KINDS:
        for place in PLACES:
            add(kind=kind, place=place)
    for kind in ("load", "store", "add"):
        for type in RANGES:
            for bad in BAD:
                if RANGES[type][0] <= BAD[bad] <= RANGES[type][1]:
                    add(kind=kind, type=type, bad=bad, place=rng.choice(["none", "for", "while", "stride"]))
        for rank in (1, 2, 3):
            for axis in range(rank):
                for layout in ("contiguous", "strided", "reversed", "padded"):
                    add(kind=kind, rank=rank, axis=axis, layout=layout)
    for place in ("affine", "pure", "for", "nested"):
        for dialect in ("kern", "py"):
            for bad in ("end", "minus", "far_minus", "2^32+3"):
                add(kind="load", place=place, dialect=dialect, bad=bad)
    return made


def moment_of(row):
    """The round of the bad access: one that the place comes to."""
    return {"none": 0, "continue": max(row.moment, 2), "break": min(row.moment, 3)}.get(row.place, row.moment)


def bad_of(row):
    bad = BAD[row.bad]
    if row.dialect == "py" and -EXTENT <= bad < 0:
        bad = -EXTENT - 1
    if row.place == "affine":
        return EXTENT if bad >= 0 else bad
    return bad


def element_of(row):
    return "f32" if row.kind == "add_f32" else "u32" if row.kind in ("inc", "dec") else "i32"


class Text:
    """The kernel of a row, and where its bad index stands."""

    def __init__(self, row, name):
        self.row, self.name, self.lines, self.place, self.array = row, name, [], None, "x"
        self.lib = "cuda." if row.dialect == "py" else ""
        self.write()

    def line(self, depth, text, mark=None):
        self.lines.append("    " * depth + text)
        if mark:
            self.place = (len(self.lines), self.lines[-1].index(mark[0]) + mark[1] + 1)

    def cast(self, type, text):
        if self.row.dialect == "kern":
            return f"{type}({text})"
        full = {"i": "int", "u": "uint", "f": "float"}[type[0]] + type[1:]
        return f"np.{full}({text})"

    def write(self):
        row, kern = self.row, self.row.dialect == "kern"
        type, axes = element_of(row), ", ".join(":" * row.rank)
        if kern:
            if row.kind == "constant_load":
                self.line(0, f"TABLE_{self.name} = ({', '.join(str(q * 3 + 1) for q in range(EXTENT))})")
            if row.kind == "function_load":
                self.line(0, "@device")
                self.line(0, f"def get_{self.name}(a: i32[:], j: i64) -> i32:")
                self.line(1, "return a[j]", ("[j]", 1))
            if row.kind == "function_store":
                self.line(0, "@device")
                self.line(0, f"def put_{self.name}(a: i32[:], j: i64, v: i32):")
                self.line(1, "a[j] = v", ("[j]", 1))
            self.line(0, "@kernel")
            self.line(0, f"def {self.name}(x: {type}[{axes}], at: {'u64' if row.type == 'u64' else 'i64'}[:], first: i64[:], out: i32[:], n: i32):")
        else:
            if row.kind.startswith("function"):
                self.line(0, "@cuda.jit(device=True)")
                load = row.kind == "function_load"
                self.line(0, f"def {'get' if load else 'put'}_{self.name}(a, j{'' if load else ', v'}):")
                self.line(1, "return a[j]" if load else "a[j] = v", ("[j]", 1))
            self.line(0, "@cuda.jit")
            self.line(0, f"def {self.name}(x, at, first, out, n):")
        self.signature = f"{self.name}({NUMBA[type]}[{axes}], {'uint64' if row.type == 'u64' else 'int64'}[:], int64[:], int32[:], int32)"
        self.line(1, f"t = {self.lib}grid(1)")
        if row.kind.startswith(("local", "shared")):
            place = row.kind.split("_")[0]
            self.line(1, f"s = {self.lib}{place}.array({EXTENT}, {'i32' if kern else 'numba.int32'})")
            self.array = "s"
            depth = 1
            if place == "shared":
                self.line(1, f"if {self.lib}threadIdx.x == 0:")
                depth = 2
            self.line(depth, f"for q in range({EXTENT}):")
            self.line(depth + 1, f"s[q] = {'i32(q * 3 + 1)' if kern else 'q * 3 + 1'}")
            if place == "shared":
                self.line(1, f"{self.lib}syncthreads()")
        self.line(1, "if t < out.size:")
        if row.kind.startswith("slice"):
            self.line(2, "v = x[1:]")
            self.array = "v"
        self.line(2, f"acc{': i32' if kern else ''} = {self.cast('i32', '0')}")
        self.loop(2)
        if row.place == "pure":
            self.line(2, "out[t] = acc")

    def loop(self, depth):
        row = self.row
        index = "t * n + p"
        if row.place == "none":
            self.line(depth, f"p = {self.cast('i32', '0')}")
        elif row.place == "nested":
            self.line(depth, "for q in range(0, 2):")
            self.line(depth + 1, "for p in range(0, n):")
            depth += 2
        elif row.place == "while":
            self.line(depth, f"p = {self.cast('i32', '0')}")
            self.line(depth, "while p < n:")
            depth += 1
        elif row.place == "stride":
            self.line(depth, f"for p in range(t, at.size, {self.lib}gridsize(1)):")
            index = "p"
            depth += 1
        else:
            self.line(depth, "for p in range(0, n):")
            depth += 1
            if row.place in ("continue", "break"):
                self.line(depth, f"if p == {1 if row.place == 'continue' else ROUNDS - 1}:")
                self.line(depth + 1, row.place)
        if row.place == "affine":
            self.access(depth, "first[t] + p")
        else:
            self.line(depth, f"j = {self.cast(row.type, f'at[{index}]')}")
            self.access(depth, "j")
        if row.place == "while":
            self.line(depth, "p += 1")

    def access(self, depth, index):
        row, kern = self.row, self.row.dialect == "kern"
        kind, name = row.kind, self.name
        type = element_of(row)
        value = self.cast(type, "t * 10 + 1")
        indices = ["1"] * row.rank
        indices[row.axis] = index
        inside = ", ".join(indices)
        array = self.array
        if kind.startswith("function"):
            self.array = "a"
        if kind in ATOMICS or kind in ("add_f32", "shared_add"):
            word = kind.replace("_f32", "").replace("shared_", "")
            target = inside if row.rank == 1 else f"({inside})"
            old = f", {self.cast(type, '3')}" if word == "cas" else ""
            before = f"r = {self.lib}atomic.{word}({array}, "
            self.mark(depth, f"{before}{target}{old}, {value})", len(before) + (row.rank > 1), indices)
            got = f"{self.cast('i32', 'r')}"
        elif kind == "function_load":
            self.line(depth, f"r = get_{name}(x, {index})")
            got = "r"
        elif kind == "function_store":
            self.line(depth, f"put_{name}(x, {index}, {value})")
            got = None
        elif kind == "constant_load":
            self.array = f"TABLE_{name}"
            self.mark(depth, f"r = TABLE_{name}[{index}]", len(f"r = TABLE_{name}["), [index])
            got = self.cast("i32", "r")
        elif kind.startswith("view"):
            self.mark(depth, f"w = x[{index}]", len("w = x["), [index])
            self.line(depth, "r = w[1]" if kind == "view_load" else f"w[1] = {value}")
            got = "r" if kind == "view_load" else None
        elif is_load(kind):
            self.mark(depth, f"r = {array}[{inside}]", len(f"r = {array}["), indices)
            got = "r"
        else:
            self.mark(depth, f"{array}[{inside}] {'+=' if kind == 'update' else '='} {value}", len(f"{array}["), indices)
            got = None
        if got:
            self.line(depth, f"acc = acc + {got}" if not kern else f"acc = i32(acc + {got})")
            if row.place != "pure":
                self.line(depth, "out[t] = acc")

    def mark(self, depth, text, start, indices):
        self.line(depth, text)
        before = sum(len(index) + 2 for index in indices[:self.row.axis]) if len(indices) > 1 else 0
        self.place = (len(self.lines), depth * 4 + start + before + 1)


def index_of(row, element, thread, round, bad_thread):
    """What a thread uses as index in a round: `element`, its own, but for the bad one."""
    if thread == bad_thread:
        if row.place == "affine":
            bad = bad_of(row)
            return (extent_of(row) - moment_of(row) if bad >= 0 else bad) + round
        if round == moment_of(row) or (row.bad in REPEATED and round > moment_of(row)):
            return bad_of(row)
    return element


def extent_of(row):
    return EXTENT - 1 if row.kind.startswith("slice") else EXTENT


def model(row, arrays, bad_thread, clamp):
    """Does to the arrays what the kernel does. Returns the fault's index, thread and so on; None without one."""
    x, out = arrays["x"], arrays["out"]
    first_fault = None
    shared = {block: [q * 3 + 1 for q in range(EXTENT)] for block in range(THREADS // BLOCK)}
    extent, limit = extent_of(row), 2**32 if element_of(row) == "u32" else None
    for thread in range(THREADS):
        local = [q * 3 + 1 for q in range(EXTENT)]
        acc, ended = 0, False
        turns = [(0, 0)] if row.place == "none" else [(q, p) for q in range(2 if row.place == "nested" else 1) for p in range(ROUNDS)]
        for _, round in turns:
            if row.place == "continue" and round == 1:
                continue
            if row.place == "break" and round == ROUNDS - 1:
                break
            element = round * THREADS + thread if row.place == "stride" else thread * ROUNDS + round
            index = index_of(row, element, thread, round, bad_thread)
            place = index + extent if row.dialect == "py" and index < 0 else index
            inside = 0 <= place < extent
            if not inside:
                first_fault = first_fault or dict(code="index", index=wrap(index, 64), extent=extent, block=thread // BLOCK, thread=thread % BLOCK)
                if not clamp:
                    ended = True
                    break
            array = local if row.kind.startswith("local") else shared[thread // BLOCK] if row.kind.startswith("shared") else None
            got = access(row, x, array, place, thread, inside, limit)
            if got is not None:
                acc = wrap(acc + int(got))
                if row.place != "pure":
                    out[thread] = acc
        if row.place == "pure" and not ended:
            out[thread] = acc
    return first_fault


def access(row, x, array, place, thread, inside, limit):
    value = thread * 10 + 1
    if row.kind == "constant_load":
        return place * 3 + 1 if inside else 0
    if array is None:
        where = [1] * row.rank
        where[row.axis] = place + row.kind.startswith("slice")
        where = tuple(where)
        array = x
    else:
        where = place
    returns = is_load(row.kind) or row.kind in ATOMICS or row.kind in ("add_f32", "shared_add")
    if not inside:
        return 0 if returns else None
    old = array[where] if array is not x else x[where].item()
    if not is_load(row.kind):
        word = row.kind.replace("_f32", "").replace("shared_", "")
        after = ATOMICS[word](old, value) if word in ATOMICS else old + value if row.kind == "update" else value
        array[where] = after if element_of(row) == "f32" else after % limit if limit else wrap(int(after))
    return old if returns else None


def views(row, bad_thread):
    """The arguments: arrays in larger ones, and the number of rounds."""
    shape = [3] * row.rank
    shape[row.axis] = EXTENT
    x = launcher.View(shape, NUMPY[element_of(row)], row.layout)
    at = launcher.View([OWN], "uint64" if row.type == "u64" else "int64")
    first, out = launcher.View([THREADS], "int64"), launcher.View([THREADS], "int32")
    for thread in range(THREADS):
        first.array[thread] = thread * ROUNDS
        for round in range(ROUNDS):
            slot = round * THREADS + thread if row.place == "stride" else thread * ROUNDS + round
            at.array[slot] = slot if row.place == "affine" else index_of(row, slot, thread, round, bad_thread)
    if row.place == "affine" and bad_thread is not None:
        first.array[bad_thread] = index_of(row, 0, bad_thread, 0, bad_thread)
    out.array[:] = 0
    return dict(x=x, at=at, first=first, out=out)


def check(runtime, row, text, module, bad_thread, clamp):
    """Runs a row once; returns what is wrong."""
    arguments = views(row, bad_thread)
    wanted = {name: view.base.copy() for name, view in arguments.items()}
    fault = model(row, {name: view.of(wanted[name]) for name, view in arguments.items()}, bad_thread, clamp)
    if fault:
        fault.update(array=text.array, axis=row.axis, line=text.place[0] + text.offset, column=text.place[1])
    found = runtime.launch(module, text.name, THREADS // BLOCK, BLOCK, [*arguments.values(), numpy.int32(ROUNDS)])
    wrong = []
    if clamp and fault:
        fault["bad_threads"] = 1
    for key in fault or ():
        if found is None or found[key] != fault[key]:
            wrong.append(f"{key} is {found and found[key]}, not {fault[key]}")
    if found and not fault:
        wrong.append(f"a fault that is none: {found}")
    for name, view in arguments.items():
        if not numpy.array_equal(view.base, wanted[name]):
            places = numpy.flatnonzero(view.base != wanted[name])[:5]
            wrong.append(f"{name}: elements {places - view.border} are {view.base[places]}, not {wanted[name][places]}")
    return wrong


def sources(texts, folder):
    """Writes the kernels in files of one dialect, some to a file. Returns (path, options) of each."""
    files = []
    for dialect in ("kern", "py"):
        of_dialect = [text for text in texts if text.row.dialect == dialect]
        for start in range(0, len(of_dialect), 24):
            part = of_dialect[start:start + 24]
            lines = [] if dialect == "kern" else ["import numba", "import numpy as np", "from numba import cuda"]
            for text in part:
                text.offset, text.module = len(lines), len(files)
                lines += text.lines
            path = folder / f"rows{len(files)}.{dialect}"
            path.write_text("\n".join(lines) + "\n")
            files.append((path, [f"--sig={text.signature}" for text in part] if dialect == "py" else []))
    return files


def check_rows(options, seeds):
    """Builds and runs the rows of these seeds. Returns how many there are, and how many failed."""
    seed_of = {}
    for seed in seeds:
        turn, part = divmod(seed, PARTS)
        seed_of |= {Text(row, f"r{seed}_{number}"): seed for number, row in enumerate(rows(turn)[part::PARTS])}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = sources(list(seed_of), folder)
        library = options.library or folder / "rows.so"
        if options.build or not options.library:
            launcher.build(options.kernc, files, library, folder, options.cxx, options.runtime, (["--on-fault=clamp"] if options.clamp else []) + options.extra)
        if options.build:
            return 0, 0
        launcher.check_sources(library, files)
        runtime = launcher.Runtime(library, options.device)
    failed = 0
    for number, (text, seed) in enumerate(seed_of.items()):
        bad_thread = (number * 5 + 3) % THREADS
        wrong = check(runtime, text.row, text, text.module, bad_thread, options.clamp) + check(runtime, text.row, text, text.module, None, options.clamp)
        if wrong:
            failed += 1
            print(f"seed {seed}: {text.row}: thread {bad_thread}: {'; '.join(wrong)}\n" + "\n".join(text.lines), flush=True)
    return len(seed_of), failed


def main():
    parser = arguments.parser(PARTS, device=True)
    parser.add_argument("--clamp", action="store_true")
    launcher.add_library(parser)
    options = parser.parse_args()
    tried = failed = 0
    for seeds in arguments.batches(options, options.count if options.library else 1):
        found = check_rows(options, seeds)
        tried, failed = tried + found[0], failed + found[1]
    print(f"bad accesses: {tried - failed} rows passed, {failed} failed on {options.device}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

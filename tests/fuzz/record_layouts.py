#!/usr/bin/env python3
"""Random layouts of records, in both dialects, against NumPy's structured arrays.

A layout is nested, packed or aligned as C does it, with arrays as fields and every type of scalar. Kernels read and write fields by attribute and by item,
elements of arrays in records, views of a field of all records, copy whole records through variables, shared and local memory, also in tuples there,
through shuffles, change parts of records that variables hold, and fields by atomics where they are aligned; a record by value gives what is added. NumPy runs the same statements, thread by thread.

usage: record_layouts.py KERNC [--device D] [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import subprocess
import sys

import numpy

import arguments

SCALARS = {"bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}
ATOMIC = "i32", "i64", "u32", "u64", "f32", "f64"
CONFIGURATIONS = [[], ["--lanes=1"], ["--lanes=32"], ["-O0", "--lanes=16"], ["--arch=x86-64-v3"]]
THREADS = 13


class Layout:
    """A record: what NumPy calls it, what a .kern file does, and where its scalars are."""

    def __init__(self, rng, align, depth=0, names=None):
        self.name = f"R{len(names)}"
        names.append(self)
        self.fields = []  # name, scalar or Layout, shape
        for number in range(rng.randint(1, 4)):
            nested = depth < 2 and rng.random() < 0.25
            kind = Layout(rng, align, depth + 1, names) if nested else rng.choice(list(SCALARS))
            shape = rng.choice([(), (), (), (rng.randint(1, 4),), (2, rng.randint(1, 3))])
            self.fields.append((f"{'fgh'[depth]}{number}", kind, shape))
        self.dtype = numpy.dtype([(name, kind.dtype if isinstance(kind, Layout) else SCALARS[kind], shape) for name, kind, shape in self.fields], align=align)

    def python(self, align):
        rows = ", ".join(f"('{name}', {kind.name if isinstance(kind, Layout) else repr(SCALARS[kind])}, {shape})" for name, kind, shape in self.fields)
        return f"{self.name} = np.dtype([{rows}], align={align})"

    def kern(self):
        rows = [f"    {name}: {kind.name if isinstance(kind, Layout) else kind}{list(shape) if shape else ''}" for name, kind, shape in self.fields]
        return "\n".join(["@struct", f"class {self.name}:", *rows, ""])

    def word(self):
        """How wide the words are that an array of such records is made of."""
        def widest(layout):
            return max(widest(kind) if isinstance(kind, Layout) else numpy.dtype(SCALARS[kind]).alignment for _, kind, _ in layout.fields)
        word = widest(self)
        while self.dtype.itemsize % word:
            word //= 2
        return word


class Writer:
    def __init__(self, rng, layout, is_kern):
        self.rng, self.layout, self.is_kern = rng, layout, is_kern
        self.lines, self.model = [], []

    def line(self, kern, model=None):
        self.lines.append("    " + kern)
        self.model.append("    " + (kern if model is None else model))

    def path(self, layout=None):
        """A way to a scalar: as it is written, as NumPy's items, and its type."""
        rng = self.rng
        name, kind, shape = rng.choice((layout or self.layout).fields)
        written, items = rng.choice([f".{name}", f"['{name}']"]), f"['{name}']"
        if shape:
            index = ", ".join(rng.choice([str(rng.randrange(extent)), f"(i + {rng.randint(0, 5)}) % {extent}"]) for extent in shape)
            written, items = f"{written}[{index}]", f"{items}[{index}]"
        if isinstance(kind, Layout):
            inner, inner_items, scalar = self.path(kind)
            return written + inner, items + inner_items, scalar
        return written, items, kind

    def constant(self, scalar):
        rng = self.rng
        if scalar == "bool":
            return rng.choice(["True", "False"])
        if scalar[0] in "iu":
            return str(rng.randint(0, 20))
        return f"{rng.randint(0, 40) / 4}" if scalar[0] in "fb" else f"{rng.randint(0, 9)}.5+{rng.randint(0, 9)}j"

    def statement(self):
        rng = self.rng
        form = rng.randrange(12)
        written, items, scalar = self.path()
        where = rng.choice(["i", "n - 1 - i"])
        if form == 0:
            value = self.constant(scalar)
            self.line(f"a[i]{written} = {value}", f"a[i]{items} = {value}")
        elif form == 1 and scalar != "bool" and not (self.is_kern and scalar in ("i8", "i16", "u8", "u16")):
            value = self.constant(scalar)
            self.line(f"a[i]{written} += {value}", f"a[i]{items} += {value}")
        elif form == 2:
            self.line(f"a[i]{written} = b[{where}]{written}", f"a[i]{items} = b[{where}]{items}")
        elif form == 3:
            self.line(f"a[i] = b[{where}]")
        elif form == 4 and not self.is_kern:
            self.line("r = a[i]")
            self.line(f"r{written} = b[{where}]{written}", f"r{items} = b[{where}]{items}")
        elif form == 4:
            self.line(f"p = b[{where}]", f"p = b[{where}].copy()")
            self.line(f"p{written} = a[i]{written}", f"p{items} = a[i]{items}")
            written, items, scalar = self.path()
            if scalar not in ("bool", "i8", "i16", "u8", "u16"):
                self.line(f"p{written} += {(value := self.constant(scalar))}", f"p{items} += {value}")
            self.line("a[i] = p")
        elif form == 9:
            lane = rng.randrange(1, THREADS)
            mask, prefix = ("0x1fff", "") if self.is_kern else ("0x1fff", "cuda.")
            self.line(f"q = {prefix}shfl_sync({mask}, b[i], (i + {lane}) % {THREADS})", f"q = b[(i + {lane}) % {THREADS}].copy()")
            self.line("a[i] = q")
        elif form == 10:
            self.tuples(scalar, written, items, where)
        elif form == 5:
            name = f"tile{len(self.lines)}"
            made = f"shared.array(n, {self.layout.name})" if self.is_kern else f"cuda.shared.array({THREADS}, {self.layout.name})"
            sync = "syncthreads()" if self.is_kern else "cuda.syncthreads()"
            self.line(f"{name} = {made}".replace("(n,", f"({THREADS},"), f"{name} = b")
            self.line(f"{name}[i] = b[i]", "pass")
            self.line(sync, "pass")
            self.line(f"a[i] = {name}[n - 1 - i]")
        elif form == 6:
            name = f"own{len(self.lines)}"
            made = f"local.array(2, {self.layout.name})" if self.is_kern else f"cuda.local.array(2, {self.layout.name})"
            self.line(f"{name} = {made}", f"{name} = b[:2].copy()")
            self.line(f"{name}[1] = b[{where}]")
            self.line(f"{name}[1]{written} = a[i]{written}", f"{name}[1]{items} = a[i]{items}")
            self.line(f"a[i] = {name}[1]")
        elif form == 7:
            self.view()
        else:
            self.atomic()

    def tuples(self, scalar, written, items, where):
        """Records and numbers in tuples, which an array of each thread or of the block holds."""
        name, kind = f"both{len(self.lines)}", self.rng.choice(["local", "shared"])
        prefix = "" if self.is_kern else "cuda."
        types = f"({scalar if self.is_kern else repr(SCALARS[scalar])}, (i8, {self.layout.name}))" if self.is_kern else None
        if types is None:
            names = {"f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128", "?": "bool_"}
            number = SCALARS[scalar]
            types = f"(np.{names.get(number, ('u' if number[0] == 'u' else '') + 'int' + str(8 * int(number[1:])) if number[1:] else '')}, (np.int8, {self.layout.name}))"
        count = THREADS if kind == "shared" else 2
        at = "i" if kind == "shared" else "1"
        self.line(f"{name} = {prefix}{kind}.array({count}, {types})", f"{name} = [None] * {count}")
        self.line(f"{name}[{at}] = (b[{where}]{written}, ({'i8(7)' if self.is_kern else '7'}, a[i]))", f"{name}[{at}] = (b[{where}]{items}, (7, a[i].copy()))")
        self.line(f"a[i] = {name}[{at}][1][1]")
        self.line(f"a[i]{written} = {name}[{at}][0]", f"a[i]{items} = {name}[{at}][0]")

    def view(self):
        """An element of the view of a field of all records."""
        rng = self.rng
        name, kind, shape = rng.choice(self.layout.fields)
        if isinstance(kind, Layout):
            return
        index = ", ".join(["i", *(str(rng.randrange(extent)) for extent in shape)])
        field = rng.choice([f"a.{name}", f"a['{name}']"])
        self.line(f"{field}[{index}] = b['{name}'][{index}]", f"a['{name}'][{index}] = b['{name}'][{index}]")

    def atomic(self):
        rng, word = self.rng, self.layout.word()
        rows = [(name, kind, shape) for name, kind, shape in self.layout.fields if kind in ATOMIC]
        rows = [row for row in rows if word % (size := numpy.dtype(SCALARS[row[1]]).itemsize) == 0 and self.layout.dtype.fields[row[0]][1] % size == 0]
        if not rows:
            return
        name, _, shape = rng.choice(rows)
        index = ", ".join(["i", *(str(rng.randrange(extent)) for extent in shape)])
        value = rng.randint(1, 9)
        call = "atomic.add" if self.is_kern else "cuda.atomic.add"
        self.line(f"{call}(a['{name}'], {f'({index})' if shape else 'i'}, {value})", f"a['{name}'][{index}] += {value}")

    def kernel(self, names, align):
        rng = self.rng
        for _ in range(rng.randint(2, 7)):
            self.statement()
        if not self.lines:
            self.line("pass")
        if self.is_kern:
            head = [layout.kern() for layout in names] + ["@kernel", f"def k(a: {self.layout.name}[:], b: {self.layout.name}[:], n: i64):", "    i = threadIdx.x"]
        else:
            head = ["import numpy as np", "from numba import cuda, from_dtype", *(layout.python(align) for layout in names), "",
                    f"@cuda.jit((from_dtype({self.layout.name})[:], from_dtype({self.layout.name})[:], 'int64'))", "def k(a, b, n):", "    i = cuda.threadIdx.x"]
        return "\n".join(head + self.lines) + "\n", "\n".join(["def k(a, b, n, i):", *self.model]) + "\n"


def fill(rng, dtype):
    """An array whose scalars are small; what lies between them is 0."""
    array = numpy.zeros(THREADS, dtype)

    def visit(view):
        if view.dtype.names:
            for name in view.dtype.names:
                visit(view[name])
            return
        values = numpy.array([rng.randint(0, 40) for _ in range(view.size)]).reshape(view.shape)
        view[...] = values % 2 == 1 if view.dtype == bool else values if view.dtype.kind in "iu" else values / 4 - (1j if view.dtype.kind == "c" else 0)

    visit(array)
    return array


def plain(value):
    """Lists and numbers: what is printed of an array says how its type is written as well."""
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    return plain(value.tolist()) if isinstance(value, (numpy.ndarray, numpy.void)) else value


def check(options, seed, folder):
    rng = random.Random(seed)
    is_kern = rng.random() < 0.4
    align = is_kern or rng.random() < 0.4
    names = []
    layout = Layout(rng, align, names=names)
    while layout.dtype.itemsize > 200:
        names.clear()
        layout = Layout(rng, align, names=names)
    text, model = Writer(rng, layout, is_kern).kernel(names[::-1], align)
    path = folder / ("k.kern" if is_kern else "k.py")
    path.write_text(text)
    a, b = fill(rng, layout.dtype), fill(rng, layout.dtype)
    numpy.save(folder / "a.npy", a)
    numpy.save(folder / "b.npy", b)
    scope = {}
    exec(compile(model, "model", "exec"), scope)  # the text was written above
    for i in range(THREADS):
        scope["k"](a, b, THREADS, i)
    # A single lane has no warp to shuffle in.
    configurations = [each for each in CONFIGURATIONS if "shfl_sync" not in text or "--lanes=1" not in each]
    for configuration in [["--device=cuda"]] if options.device == "cuda" else rng.sample(configurations, 2):
        command = [options.kernc, "run", str(path), "k", f"a=@{folder}/a.npy", f"b=@{folder}/b.npy", f"n={THREADS}", "--grid=1", f"--block={THREADS}", f"-oa={folder}/a2.npy", *configuration,
                   *options.extra]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr}"
        got = numpy.load(folder / "a2.npy")
        if got.dtype != numpy.load(folder / "a.npy").dtype or plain(got) != plain(a):
            first = next((i for i in range(THREADS) if plain(got[i]) != plain(a[i])), None)
            return f"{' '.join(command)}\n{layout.dtype}\na[{first}] is {got[first]}, NumPy has {a[first]}"
    return None


def main():
    options = arguments.parser(30, keep=True, device=True).parse_args()
    return arguments.check_each(options, "record_layouts", check)


if __name__ == "__main__":
    sys.exit(main())

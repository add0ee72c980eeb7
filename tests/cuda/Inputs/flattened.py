#!/usr/bin/env python3
"""Writes kernels whose indices are flattened by hand, and what each of them means in C++: `kernels.py` and `kernels.hpp`, which flattened.cpp runs.

A kernel has one to three accesses, `u[(k * ny + j) * nx + i]` in either nesting and others of that sort. Their coordinates come from
threads, blocks, loops, or a linear index taken apart; most are tested as they should be, some are not, and some by the wrong test.
The reference is written from the text of each kernel, statement by statement. The facts of the variant that a GPU takes first are written too,
with the guards that it has not, so that the program can say on any device whether a launch would take it, and whether it may.

usage: flattened.py KERNC FOLDER SEED KERNELS
"""
import ast
import pathlib
import random
import re
import subprocess
import sys

ARRAYS, SCALARS = ["u", "v", "acc"], ["nx", "ny", "nz", "a", "d"]
AXES = "xyz"
OPTIONS = ["-Wno-race", "-Wno-lost_update"]
# Of all scalars; few, because each makes the program's header instantiate its templates anew.
TYPES = [["int32"] * 5, ["int32"] * 5, ["int64"] * 5, ["int32", "int32", "int64", "int32", "int64"], ["int64", "int32", "int32", "int64", "int32"]]


# ---- Kernels ----


class Body:
    """The lines of a kernel, how each array is accessed, and along how many axes it is launched."""

    def __init__(self, modes):
        self.lines, self.depth = [], 1
        self.modes, self.axes = modes, 1

    def add(self, line):
        self.lines.append("    " * self.depth + line)

    def open(self, line):
        self.add(line)
        self.depth += 1


def flatten(rng, coordinates, sizes):
    """The index of coordinates, the fastest first, of which all but the last have a size."""
    nesting = rng.choice(["slow_first", "fast_first", "sum"])
    if nesting == "slow_first":
        index = coordinates[-1]
        for coordinate, size in zip(coordinates[-2::-1], sizes[len(coordinates) - 2::-1]):
            index = f"({index}) * {size} + {coordinate}"
        return index
    if nesting == "fast_first":
        index = coordinates[-1]
        for coordinate, size in zip(coordinates[-2::-1], sizes[len(coordinates) - 2::-1]):
            index = f"{coordinate} + {size} * ({index})"
        return index
    terms = [" * ".join([f"({coordinate})", *sizes[axis - 1::-1]] if axis else [coordinate]) for axis, coordinate in enumerate(coordinates)]
    return " + ".join(reversed(terms) if rng.random() < 0.7 else terms)


def moved(rng, coordinate, offsets=(0, 0, 0, 1, -1, 2, -2)):
    """A coordinate, or the neighbour of one."""
    offset = rng.choice(offsets)
    return f"{coordinate} {'-' if offset < 0 else '+'} {abs(offset)}" if offset else coordinate


def access(rng, body, index, array=None):
    """One access. All accesses of a kernel to an array are of one sort, so that their order does not matter."""
    array = array or rng.choice("uuv")
    body.add({"add": "cuda.atomic.add({0}, {1}, 1)", "store": "{0}[{1}] = 7", "load": "cuda.atomic.add(acc, 0, {0}[{1}])"}[body.modes[array]].format(array, index))


def test_of(rng, coordinate, size):
    """What limits a coordinate: mostly the right test, sometimes none or another."""
    kind = rng.random()
    if kind < 0.72:
        return [f"{coordinate} < {size}"]
    if kind < 0.80:
        return [f"{coordinate} >= 1", f"{coordinate} < {size} - 1"]
    if kind < 0.84:
        return [f"{coordinate} <= {size}"]
    if kind < 0.88:
        return [f"{coordinate} < {rng.choice(SCALARS)}"]
    if kind < 0.91:
        return [f"{coordinate} < {size} + {rng.choice(['1', 'a'])}"]
    return []


def apply_tests(rng, body, tests):
    if not tests:
        return
    style = rng.choice(["and", "nested", "return"])
    if style == "and":
        body.open(f"if {' and '.join(tests)}:")
    elif style == "nested":
        for test in tests:
            body.open(f"if {test}:")
    else:
        opposite = {"<": ">=", ">=": "<", "<=": ">"}
        left = [" ".join(opposite.get(word, word) for word in test.split(" ")) for test in tests]
        body.open(f"if {' or '.join(left)}:")
        body.add("return")
        body.depth -= 1


def loop(rng, body, name, size):
    begin = rng.choice(["0", "0", "1", "a", "2"])
    end = rng.choice([size, size, size, f"{size} - 1", f"{size} - a", f"{size} + 1", "4"])
    step = rng.choice(["", "", ", 2", ", d", ", d", f", cuda.blockDim.{rng.choice('xy')}"])
    if step and begin == "0" and rng.random() < 0.4:
        begin = "cuda.threadIdx.x"
    body.open(f"for {name} in range({begin}, {end}{step}):" if step or begin != "0" else f"for {name} in range({end}):")


def by_axes(rng, body):
    """Two to four axes, some of threads and the others of loops."""
    count = rng.choice([2, 2, 3, 3, 3, 4])
    names = ["i", "j", "k", "m"][:count]
    sizes = ["nx", "ny", "nz", "d"][:count]
    if rng.random() < 0.2:
        rng.shuffle(sizes)
    if rng.random() < 0.2:
        sizes[rng.randrange(count)] = rng.choice(["3", "5", "8"])
    threads = rng.randrange(1, min(count, 3) + 1)
    if rng.random() < 0.5:
        body.add(f"{', '.join(names[:threads])} = cuda.grid({threads})")
    else:
        for axis in range(threads):
            x = AXES[axis]
            body.add(f"{names[axis]} = " + rng.choice([f"cuda.blockIdx.{x} * cuda.blockDim.{x} + cuda.threadIdx.{x}", f"cuda.threadIdx.{x}", f"cuda.blockIdx.{x}",
                                                       f"cuda.blockIdx.{x} + 1", f"cuda.threadIdx.{x} + cuda.blockIdx.{x} * cuda.blockDim.{x} + a"]))
    body.axes = threads
    tests = [test for axis in range(threads) for test in test_of(rng, names[axis], sizes[axis])]
    apply_tests(rng, body, tests)
    for axis in range(count - 1, threads - 1, -1):
        loop(rng, body, names[axis], sizes[axis])
    for _ in range(rng.choice([1, 1, 2, 3])):
        is_near = rng.random() < 0.5
        access(rng, body, flatten(rng, [moved(rng, name) if is_near else name for name in names], sizes))


def by_launch(rng, body):
    """Coordinates of blocks and threads, which nothing tests."""
    body.axes = rng.choice([2, 2, 3])
    y = AXES[body.axes - 1]
    body.add(f"k = cuda.blockIdx.{y} + 1")
    first, second = rng.choice([("nx", "ny"), ("d", "nx"), ("ny", "a"), ("cuda.gridDim.x", "cuda.blockDim.x")])
    for _ in range(rng.choice([1, 2, 2])):
        access(rng, body, flatten(rng, [moved(rng, "cuda.threadIdx.x", (0, 1)), moved(rng, "cuda.blockIdx.x", (0, 1)), rng.choice(["k", "(k - 1)", "(k + 1)", "k - a"])], [first, second]))


def by_element(rng, body):
    """A linear index that is taken apart."""
    body.add("e = cuda.grid(1)")
    by_float = rng.random() < 0.4
    tests = rng.choice([["e < nx * ny * nz"]] * 5 + [["e < nx * ny * nz", "nx > 0", "ny > 0"], [], ["e < nx * ny"], ["e <= nx * ny * nz"]])
    before = rng.random() < 0.5
    if before:
        apply_tests(rng, body, tests)
    body.add("i = e % nx")
    body.add("j = int(e / nx) % ny" if by_float else "j = e // nx % ny")
    body.add("k = int(e / (nx * ny))" if by_float else rng.choice(["k = e // (nx * ny)", "k = e // nx // ny"]))
    if not before:
        apply_tests(rng, body, tests)
    for _ in range(rng.choice([1, 2, 3])):
        kind = rng.random()
        if kind < 0.5:
            access(rng, body, flatten(rng, [moved(rng, name) for name in "ijk"], ["nx", "ny"]))
        elif kind < 0.7:
            access(rng, body, rng.choice(["k", "j", "i", "e", "k + a", "e + nx", "i + 1", "2 * j - d", "e // nx", "e % (nx * ny)", "int(e / ny)", "e // nx % ny"]), "v")
        else:
            access(rng, body, flatten(rng, rng.choice([["j", "i", "k"], ["k", "j", "i"], ["j", "k", "i"]]), rng.choice([["ny", "nx"], ["nz", "ny"]])))


def by_difference(rng, body):
    """A scalar that is taken away."""
    body.axes = 2
    body.add(rng.choice(["j = cuda.blockIdx.y + 1", "j = cuda.grid(1) + 1", "j = cuda.threadIdx.y"]))
    tests = rng.choice([[], [], ["j < ny"], ["j >= 1", "j < ny"]])
    apply_tests(rng, body, tests)
    in_loop = rng.random() < 0.5
    if in_loop:
        loop(rng, body, "i", "nx")
    inner = "i" if in_loop else "cuda.threadIdx.x"
    for _ in range(rng.choice([1, 2])):
        access(rng, body, rng.choice([f"2 * j - d", f"2 * j - d + {inner}", f"(2 * j - d) * nx + {inner}", f"j * nx - d + {inner}", f"(j + 1) * nx - {inner}", f"{inner} + j * nx - a",
                                      f"nx * ny - 1 - (j * nx + {inner})"]))


def by_slices(rng, body):
    """Slices of dynamic shared memory: it is set to zero, counted up, and copied out."""
    every = "for z in range(t, s.shape[0], cuda.blockDim.x):"
    body.add('s = cuda.shared.array(0, "int32")')
    body.add("t = cuda.threadIdx.x")
    body.open(every)
    body.add("s[z] = 0")
    body.depth = 1
    body.add("cuda.syncthreads()")
    first, second = rng.choice(["a", "nx", "nx * ny", "2 * a", "nx * a", "3"]), rng.choice(["t * 5", "t * nx", "t * d", "5 * t + 1", "t"])
    name = "w"
    kind = rng.choice(["one", "other", "both", "both", "ended"])
    if kind == "one":
        body.add(f"w = s[{first}:]")
    elif kind == "other":
        body.add(f"w = s[{second}:]")
    elif kind == "ended":
        body.add(f"w = s[{second}:{second} + {rng.choice(['5', 'nx', 'd'])}]")
    else:
        body.add(f"w = s[{first}:]")
        body.add(f"x = w[{second}:]")
        name = "x"
    tests = rng.choice([[], [], ["t < nx"], ["t < ny"]])
    if tests:
        body.open(f"if {tests[0]}:")
    body.modes[name] = "add"
    if rng.random() < 0.5:
        loop(rng, body, "i", rng.choice(["5", "nx", "d"]))
        access(rng, body, rng.choice(["i", "i", "i + 1", "t * nx + i" if kind == "one" else "i"]), name)
    else:
        for _ in range(rng.choice([1, 2, 3])):
            access(rng, body, rng.choice(["0", "t", "3", "4", "a", "t * 3 + 2", "d - 1", "nx * t + a"]), name)
    body.depth = 1
    body.add("cuda.syncthreads()")
    body.open(every)
    body.add("cuda.atomic.add(u, z, s[z])")


def write_kernel(rng, name):
    body = Body({"u": rng.choice(["add", "add", "store", "load"]), "v": rng.choice(["add", "load", "load"])})
    kind = rng.choice([by_axes] * 8 + [by_launch] * 3 + [by_element] * 4 + [by_difference] * 2 + [by_slices] * 3)
    if kind == by_slices:
        body.modes["u"] = "add"
    kind(rng, body)
    types = rng.choice(TYPES)
    layouts = [rng.choice(["int32[::1]", "int32[::1]", "int32[:]"]) for _ in "uv"] + ["int32[::1]"]
    head = [f"@cuda.jit('void({', '.join(layouts + types)})')", f"def {name}({', '.join(ARRAYS + SCALARS)}):"]
    return head + body.lines, types, layouts, body.axes


# ---- What they mean in C++ ----

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.And: "&&", ast.Or: "||"}


def operation(left, op, right):
    if isinstance(op, ast.FloorDiv):
        return f"floor_divide({left}, {right})"
    if isinstance(op, ast.Mod):
        return f"modulo({left}, {right})"
    return f"({left} {OPERATORS[type(op)]} {right})"


class Meaning:
    """Writes the statements of a kernel as a function of one thread, a phase for each part between barriers."""

    def __init__(self):
        self.lines = []

    def expr(self, node):
        if isinstance(node, ast.Constant):
            return f"Int{{{node.value}}}"
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.BinOp):
            return operation(self.expr(node.left), node.op, self.expr(node.right))
        if isinstance(node, ast.Compare):
            return f"({self.expr(node.left)} {OPERATORS[type(node.ops[0])]} {self.expr(node.comparators[0])})"
        if isinstance(node, ast.BoolOp):
            return "(" + f" {OPERATORS[type(node.op)]} ".join(self.expr(value) for value in node.values) + ")"
        text = ast.unparse(node)
        part = re.fullmatch(r"cuda\.(threadIdx|blockIdx|blockDim|gridDim)\.([xyz])", text)
        if part:
            return f"thread.{part[1]}[{AXES.index(part[2])}]"
        if isinstance(node, ast.Call) and text.startswith("int("):
            return f"quotient({self.expr(node.args[0].left)}, {self.expr(node.args[0].right)})"
        if text == "cuda.grid(1)":
            return "thread.grid(0)"
        if text == "s.shape[0]":
            return "s.extent()"
        raise ValueError(text)

    def reach(self, array, index, line, done):
        """An access that ends the thread where it faults, and what is done with the element."""
        self.lines.append(f"if (!thread.reach({array}, {self.expr(index)}, {line})) return;")
        self.lines.append(done)

    def statement(self, node):
        text = ast.unparse(node)
        if isinstance(node, ast.Return):
            self.lines.append("return;")
        elif isinstance(node, ast.If):
            self.block(f"if ({self.expr(node.test)})", node.body)
        elif isinstance(node, ast.For):
            args = [self.expr(arg) for arg in node.iter.args]
            args = ["Int{0}", *args] if len(args) == 1 else args
            self.block(f"for ([[maybe_unused]] const Int {node.target.id} : thread.range({', '.join(args)}))", node.body)
        elif isinstance(node, ast.Expr):
            array, index, value = node.value.args
            if isinstance(value, ast.Subscript):
                self.reach(value.value.id, value.slice, node.lineno, "{ const std::int32_t loaded = thread.element();")
                self.reach(array.id, index, node.lineno, "thread.element() += loaded; }")
            else:
                self.reach(array.id, index, node.lineno, f"thread.element() += {value.value};")
        elif isinstance(node.targets[0], ast.Subscript):
            self.reach(node.targets[0].value.id, node.targets[0].slice, node.lineno, f"thread.element() = {node.value.value};")
        else:
            self.lines.append(self.declaration(node))

    def declaration(self, node):
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple):
            return " ".join(f"[[maybe_unused]] const Int {name.id} = thread.grid({axis});" for axis, name in enumerate(target.elts))
        if ast.unparse(value).startswith("cuda.shared.array"):
            return f'[[maybe_unused]] const Part {target.id}("{target.id}", thread.shared);'
        if isinstance(value, ast.Subscript):
            ends = [self.expr(end) for end in (value.slice.lower, value.slice.upper) if end]
            return f'[[maybe_unused]] const Part {target.id}("{target.id}", {value.value.id}, {", ".join(ends)});'
        return f"[[maybe_unused]] const Int {target.id} = {self.expr(value)};"

    def block(self, head, body):
        self.lines.append(f"{head} {{")
        for node in body:
            self.statement(node)
        self.lines.append("}")

    def function(self, node):
        """Says how many phases there are."""
        phases, declarations = [[]], []
        for part in node.body:
            if ast.unparse(part) == "cuda.syncthreads()":
                phases.append(list(declarations))
                continue
            phases[-1].append(part)
            if isinstance(part, ast.Assign) and not isinstance(part.targets[0], ast.Subscript):
                declarations.append(part)
        self.lines.append(f"[[maybe_unused]] static void {node.name}(Thread& thread, int phase) {{")
        self.lines += [f'[[maybe_unused]] const Part {name}("{name}", thread.{name});' for name in ARRAYS]
        self.lines += [f"[[maybe_unused]] const Int {name}{{thread.scalars[{place}]}};" for place, name in enumerate(SCALARS)]
        for place, phase in enumerate(phases):
            self.block(f"if (phase == {place})", phase)
        self.lines.append("}")
        return len(phases)


# ---- What a GPU takes first ----


def fact_expr(node):
    """A fact in C++, whose numbers know whether they fit 64 bits."""
    if isinstance(node, ast.Constant):
        return f"Exact{{{node.value}}}"
    if isinstance(node, ast.BinOp):
        return operation(fact_expr(node.left), node.op, fact_expr(node.right))
    if isinstance(node, ast.UnaryOp):
        return f"(Exact{{0}} - {fact_expr(node.operand)})"
    if isinstance(node, ast.Compare):
        return operation(fact_expr(node.left), node.ops[0], fact_expr(node.comparators[0]))
    text = ast.unparse(node)
    if text in SCALARS:
        return f"Exact{{c.scalars[{SCALARS.index(text)}]}}"
    if text == "dynamic_shared_bytes":
        return "Exact{c.shared_bytes}"
    part = re.fullmatch(r"(gridDim|blockDim)\.([xyz])", text)
    if part:
        return f"Exact{{c.{part[1]}[{AXES.index(part[2])}]}}"
    part = re.fullmatch(r"(u|v|acc)\.(shape|strides)\[0\]", text)
    if part:
        return f"Exact{{c.{part[1]}.{'extent' if part[2] == 'shape' else 'stride'}}}"
    raise ValueError(f"the fact `{text}` is of a kind that this program does not know")


def read_guards(report):
    """By kernel, the facts of the variant that is taken first and the lines and arrays whose guards it has not."""
    kernels, name = {}, None
    for line in report.splitlines():
        head = re.match(r"(\S+): \d+ of \d+ proved", line)
        if head:
            name = head[1]
            kernels[name] = ([], {})
        elif line.startswith("taken where "):
            kernels[name][0].append(line.removeprefix("taken where "))
        elif site := re.match(r"(\d+):\d+ (\w+)\[0\] .*?: (\w+)", line):
            proved = kernels[name][1]
            proved[int(site[1]), site[2]] = proved.get((int(site[1]), site[2]), True) and site[3] == "proved"
    return kernels


# ---- The files ----


def main(kernc, folder, seed, count):
    rng = random.Random(int(seed))
    folder = pathlib.Path(folder)
    kernels = {f"kernel_{place}": write_kernel(rng, f"kernel_{place}") for place in range(int(count))}
    source = "\n\n\n".join(["from numba import cuda"] + ["\n".join(lines) for lines, *_ in kernels.values()]) + "\n"
    (folder / "kernels.py").write_text(source)
    report = subprocess.run([kernc, "kernels.py", *OPTIONS, "--emit=guards", "--target=cuda", "-o", "-"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    guards = read_guards(report)
    meaning, rows = Meaning(), []
    for node in ast.parse(source).body[1:]:
        lines, types, layouts, axes = kernels[node.name]
        phases = meaning.function(node)
        facts, proved = guards[node.name]
        tests = " && ".join(fact_expr(ast.parse(fact, mode="eval").body) for fact in facts)
        without = ", ".join(f'{{{line}, "{array}"}}' for (line, array), is_proved in proved.items() if is_proved)
        text = "\n".join(lines)
        args = ", ".join(f"std::int{kind[3:]}_t(c.scalars[{place}])" for place, kind in enumerate(types))
        rows.append("".join([
            f'{{"{node.name}", R"py({text})py", {{{", ".join("1" if kind == "int64" else "0" for kind in types)}}}, {{{", ".join("1" if "::" in kind else "0" for kind in layouts)}}}, {axes}, {phases},\n',
            f" {node.name}, ", f"[]([[maybe_unused]] const Case& c) -> bool {{ return {tests}; }}" if facts else "nullptr", f", {{{without}}},\n",
            f" [](const kernels::Kernels& library, const kern::Launch& launch, const Views& views, const Case& c) {{ library.{node.name}(launch, views.u, views.v, views.acc, {args}); }}}},"]))
    (folder / "kernels.hpp").write_text("// What the kernels of kernels.py mean, and how they are launched.\n" + "\n".join(meaning.lines) +
                                        "\n\nstatic const std::vector<Row> rows = {\n" + "\n".join(rows) + "\n};\n")


main(*sys.argv[1:])

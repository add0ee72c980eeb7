#!/usr/bin/env python3
"""One arithmetic: every operator, cast and exactly defined builtin of constants against the same of loaded values, bit for bit and in
type, with special values of every type, in both dialects. The rows of builtins.def say what there is; one that is neither tried nor
excused here is an error.

usage: constants.py KERNC [--count N | --all] [--seed S] [--seconds T] [-- OPTION...]        the options go to `kernc run`
"""
import itertools
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy

import arguments

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f32", "f64"]
HALVES = ["f16", "bf16"]
LONG = {"i": "int", "u": "uint", "f": "float"}
CHECKS_PER_KERNEL = 200
# Integer literals of .kern are exact: these may leave 64 bits, which is an error, or become floats.
LEAVES_64_BITS = re.compile(r"\*|<<|>>|[-+] \{1\}|^[-~]|abs|sum|mulhi")
CLASSES = {"float": FLOATS, "integer": INTEGERS, "number": INTEGERS + HALVES + FLOATS, "scalar": INTEGERS + HALVES + FLOATS,
           "word": ["i32", "u32", "i64", "u64"]}
ARITHMETIC = ["+", "-", "*", "/", "//", "%"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
# These are no functions of numbers, or are tried as operators or casts.
EXCUSED = {"pow", "len", "range", "unroll", "enumerate", "zip", "print", "grid", "gridsize", "warpsize", "int", "float", "bool", "_round_even", "_modf_fraction",
           "_frexp_mantissa", "_frexp_exponent", "_integer_power", "_array", "_dynamic_shared_bytes", "shared.array", "local.array", "const.array_like", "match_all_sync",
           "cg.this_grid", "atomic.compare_and_swap", "ord", "_cache_hint", "complex", "conj", "_make_c64", "_make_c128", "_real_c64", "_imag_c64", "_real_c128", "_imag_c128", "T.max", "T.min", "T.eps", "math.pi", "math.e", "math.tau", "math.inf", "math.nan"}
BY_HAND = {"divmod": ("divmod({0}, {1})[0]", "divmod({0}, {1})[1]"), "round": ("round({0})", "round({0}, 1)", "round({0}, -2)", "round({0}, 25)"),
           "math.modf": ("math.modf({0})[0]", "math.modf({0})[1]"), "math.frexp": ("math.frexp({0})[0]", "math.frexp({0})[1]"),
           "selp": ("selp({0} != {1}, {0}, {1})",), "math.ldexp": ("math.ldexp({0}, 3)", "math.ldexp({0}, -1000)"),
           "sum": ("sum(({0}, {1}))", "sum(({0}, {1}, {2}))"), "any": ("any(({0}, {1}))",), "all": ("all(({0}, {1}))",), "reversed": ("reversed(({0}, {1}))[0]",),
           "bits": ("bits({0})",), "f16.from_bits": ("f16.from_bits({0})",), "bf16.from_bits": ("bf16.from_bits({0})",),
           "f32.from_bits": ("f32.from_bits({0})",), "f64.from_bits": ("f64.from_bits({0})",),
           "_maximum": ("np.maximum({0}, {1})",), "_minimum": ("np.minimum({0}, {1})",)}
BY_HAND_TYPES = {"sum": INTEGERS + HALVES + FLOATS, "any": INTEGERS + FLOATS, "all": INTEGERS + FLOATS, "reversed": INTEGERS + FLOATS,
                 "bits": INTEGERS + HALVES + FLOATS, "f16.from_bits": ["u16"], "bf16.from_bits": ["u16"], "f32.from_bits": ["u32"], "f64.from_bits": ["u64"], "divmod": INTEGERS + FLOATS, "round": FLOATS, "selp": INTEGERS + FLOATS, "_maximum": INTEGERS + FLOATS, "_minimum": INTEGERS + FLOATS}


def specials(kind):
    if kind in INTEGERS:
        bits, signed = int(kind[1:]), kind[0] == "i"
        low, high = (-(2**(bits - 1)), 2**(bits - 1) - 1) if signed else (0, 2**bits - 1)
        return [v for v in (0, 1, 2, 3, 5, 7, 63, 64, 70, 100, high, high - 1, low, low + 1, -1, -2, -7) if low <= v <= high]
    large = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}[kind]
    tiny = {"f16": 6e-8, "bf16": 1e-40, "f32": 1e-45, "f64": 5e-324}[kind]
    return [0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 2.5, -2.5, 3.0, -6.0, 300.7, 0.35, numpy.inf, -numpy.inf, numpy.nan, large, -large, tiny, 16777217.0, 1e10, -1e20]


class Dialect:
    """How the two dialects write types and constants."""

    def __init__(self, numba):
        self.numba, self.types = numba, [t for t in INTEGERS + HALVES + FLOATS if not (numba and t == "bf16")]
        self.checks = list(dict.fromkeys(checks(self)))

    def cast(self, kind, text):
        return f"np.{LONG[kind[0]]}{kind[1:]}({text})" if self.numba else f"{kind}({text})"

    def number(self, value):
        if isinstance(value, float):
            if numpy.isnan(value) or numpy.isinf(value):
                return "math.nan" if numpy.isnan(value) else "math.inf" if value > 0 else "-math.inf"
            return repr(value)
        return str(value)

    def constants(self, kind, value):
        """Returns the ways to write a constant of a type."""
        ways = [self.cast(kind, self.number(value))]
        if kind in ("i64", "f64"):
            ways.append(("name", value) if self.numba else f"({self.number(value)})")
        return ways


def builtin_rows():
    """Yields (name, types, templates) of each builtin whose result is exactly defined."""
    text = (ROOT / "compiler/builtins/builtins.def").read_text()
    for name, params, effects, doc in re.findall(r'^BUILTIN\(\s*\w+,\s*"([^\[(: =]+)([^"]*)",\s*(\w+),.*?\n((?:\s+".*\n?)+)', text, re.M):
        if effects not in ("Pure", "Syntax") or " ulp" in doc or "blockDim" in name or "gridDim" in name:
            continue
        if name in EXCUSED:
            continue
        if name in BY_HAND:
            yield name, BY_HAND_TYPES.get(name, FLOATS), BY_HAND[name]
            continue
        match = re.match(r"\[T: (\w+)\]\((.*?)\) -> \w+", params)
        if not match or not all(re.fullmatch(r"\*?\w+: T", p) for p in match[2].split(", ")):
            sys.exit(f"{name}: say here how it is tried, or why not")
        places = ", ".join(f"{{{i}}}" for i in range(match[2].count(": T")))
        yield name, CLASSES[match[1]], (f"{name}({places})",)


def checks(dialect):
    """Yields (template, types of its operands)."""
    numba = dialect.numba
    for kind in dialect.types:
        integer = kind in INTEGERS
        if integer:
            # In a .kern file a negative exponent is a fault.
            yield "{0} ** {1}" if numba else "{0} ** ({1} & 7)", (kind, kind)
        for op in ARITHMETIC:
            if op != "/" or not integer or numba:
                yield f"{{0}} {op} {{1}}", (kind, kind)
        for op in (["&", "|", "^", "<<", ">>"] if integer else []):
            yield f"{{0}} {op} {{1}}", (kind, kind)
        for op in COMPARISONS:
            yield f"{{0}} {op} {{1}}", (kind, kind)
        for op in ["-", "+", "not "] + (["~"] if integer else []):
            yield f"{op}{{0}}", (kind,)
        for other in dialect.types:
            yield dialect.cast(other, "{0}"), (kind,)
            if numba and other != kind:
                for op in ["+", "-", "*", "/", "//", "%"] + (["&", "<<", ">>"] if integer and other in INTEGERS else []):
                    yield f"{{0}} {op} {{1}}", (kind, other)
        for name in ("int", "float", "bool"):
            yield f"{name}({{0}})", (kind,)
        if kind not in INTEGERS:
            for literal in ("0.1", "3", "-0.0"):
                for op in ARITHMETIC + ["<", "=="]:
                    yield f"{{0}} {op} {literal}", (kind,)
    for name, kinds, templates in builtin_rows():
        for kind, template in itertools.product(kinds, templates):
            if numba and (kind == "bf16" or ".from_bits" in name or name in ("divmod",) and kind == "f16"):
                continue
            places = len(set(re.findall(r"\{(\d)\}", template)))
            if numba and "." not in name and name not in ("abs", "min", "max", "divmod", "round", "sum", "any", "all", "reversed") and not name.startswith("_"):
                template = "cuda." + template
            yield template, (kind,) * places


def allowed(dialect, template, values):
    """Leaves out what the language refuses or faults on: integers divided by 0 in .kern."""
    divides = "//" in template or "%" in template or "divmod" in template
    return dialect.numba or not (divides and isinstance(values[-1], int) and values[-1] == 0)


KERN_SAME = """
@device
def same(a, b):
    if a.dtype != b.dtype:
        return i8(2)
    if a.dtype == f32 or a.dtype == f64 or a.dtype == f16 or a.dtype == bf16:
        x = f64(a)
        y = f64(b)
        return i8(1) if (x == y and math.copysign(1.0, x) == math.copysign(1.0, y)) or (x != x and y != y) else i8(0)
    return i8(1) if a == b else i8(0)
"""
NUMBA_SAME = """
@cuda.jit(device=True)
def same(a, b):
    if a.dtype != b.dtype:
        return 2
    if a.dtype == np.float32 or a.dtype == np.float64 or a.dtype == np.float16:
        x = np.float64(a)
        y = np.float64(b)
        return 1 if (x == y and math.copysign(1.0, x) == math.copysign(1.0, y)) or (x != x and y != y) else 0
    return 1 if a == b else 0
"""


class Module:
    def __init__(self, dialect):
        self.dialect, self.inputs, self.body, self.names = dialect, {}, [], {}

    def load(self, kind, value):
        stored = "f64" if kind in HALVES else kind
        column = self.inputs.setdefault(stored, [])
        column.append(value)
        text = f"v_{stored}[{len(column) - 1}]"
        return self.dialect.cast(kind, text) if kind in HALVES else text

    def constant(self, way):
        if not isinstance(way, tuple):
            return way
        self.names.setdefault(repr(way[1]), (f"N{len(self.names)}", self.dialect.number(way[1])))
        return self.names[repr(way[1])][0]

    def add(self, template, kinds, values, ways):
        folded = template.format(*[self.constant(way) for way in ways])
        loaded = template.format(*[self.load(kind, value) for kind, value in zip(kinds, values)])
        self.body.append((f"    o[{len(self.body)}] = same({folded}, {loaded})", f"{folded}  of {', '.join(map(str, values))}"))

    def source(self):
        numba = self.dialect.numba
        names = "".join(f"{name} = {value}\n" for name, value in self.names.values())
        if numba:
            head, params = "import math\nimport numpy as np\nfrom numba import cuda\n", ", ".join(f"v_{kind}" for kind in self.inputs)
            return f"{head}{names}{NUMBA_SAME}\n@cuda.jit\ndef k(o, {params}):\n" + "\n".join(line for line, _ in self.body) + "\n"
        params = ", ".join(f"v_{kind}: {kind}[:]" for kind in self.inputs)
        return f"{names}{KERN_SAME}\n@kernel\ndef k(o: i8[:], {params}):\n" + "\n".join(line for line, _ in self.body) + "\n"

    def run(self, kernc, options, folder):
        path = folder / ("constants.py" if self.dialect.numba else "constants.kern")
        path.write_text(self.source())
        arguments = [f"o=zeros:int8:{len(self.body)}"]
        for kind, values in self.inputs.items():
            numpy.save(folder / f"{kind}.npy", numpy.array(values, f"{LONG[kind[0]]}{kind[1:]}"))
            arguments.append(f"v_{kind}=@{folder}/{kind}.npy")
        command = [kernc, "run", str(path), "k", *arguments, "--grid=1", "--block=1", "-Wno-widen", "-Wno-zero_division", "-o", f"o={folder}/o.npy", *options]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr[:4000]}")
        got = numpy.load(folder / "o.npy")
        why = {0: "the value differs", 2: "the type differs"}
        return [f"{path.suffix}: {name}: {why[int(g)]}" for g, (_, name) in zip(got, self.body) if g != 1]


def ways_of(dialect, template, kinds, values):
    """Returns, for each operand, the ways to write it as a constant."""
    ways = [dialect.constants(kind, value) for kind, value in zip(kinds, values)]
    if not dialect.numba and LEAVES_64_BITS.search(template):
        ways = [way[:1] if kind == "i64" else way for kind, way in zip(kinds, ways)]
    return ways


def every_case(dialect):
    for template, kinds in dialect.checks:
        for values in itertools.product(*map(specials, kinds)):
            if allowed(dialect, template, values):
                ways = ways_of(dialect, template, kinds, values)
                for n in range(max(map(len, ways))):
                    yield template, kinds, values, [way[n % len(way)] for way in ways]


def random_case(dialect, rng, template, kinds):
    values = tuple(rng.choice(specials(kind)) for kind in kinds)
    while not allowed(dialect, template, values):
        values = tuple(rng.choice(specials(kind)) for kind in kinds)
    return template, kinds, values, [rng.choice(way) for way in ways_of(dialect, template, kinds, values)]


def kernels(dialect):
    """How many seeds in a row try each check."""
    return -(-len(dialect.checks) // CHECKS_PER_KERNEL)


def random_cases(dialect, seed):
    rng = random.Random(seed)
    return [random_case(dialect, rng, *each) for each in arguments.part_of(seed, dialect.checks, kernels(dialect))]


def differences(options, folder, dialect, cases):
    module = Module(dialect)
    for case in cases:
        module.add(*case)
    return module.run(options.kernc, options.extra, folder)


def check_everything(options, dialects):
    with tempfile.TemporaryDirectory() as scratch:
        for dialect in dialects:
            cases = every_case(dialect)
            while some := list(itertools.islice(cases, CHECKS_PER_KERNEL)):
                if failures := differences(options, pathlib.Path(scratch), dialect, some):
                    sys.exit("\n".join(failures))
    print("all constants agree with loaded values")


def main():
    dialects = [Dialect(numba) for numba in (False, True)]
    parser = arguments.parser(max(map(kernels, dialects)))
    parser.add_argument("--all", action="store_true", help="all special values of each check, and no random ones")
    options = parser.parse_args()
    if options.all:
        return check_everything(options, dialects)

    def check(options, seed, folder):
        return "\n".join(line for dialect in dialects for line in differences(options, folder, dialect, random_cases(dialect, seed)))

    return arguments.check_each(options, "constants", check)


if __name__ == "__main__":
    sys.exit(main())

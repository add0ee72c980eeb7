#!/usr/bin/env python3
"""Signatures with every name of a type, as texts and objects, names and aliases, of the file and of a module, in lists and tuples, of `@cuda.jit`, `@vectorize`,
`@guvectorize`, calls of these, device functions and `--sig`: all read the types that a table of Numba's names has, compiled ahead and run; what cannot
be read is an error everywhere.

usage: signature_readers.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import re
import subprocess
import sys

import numpy as np

import arguments

# Numba's names, by the type that Kern writes for them.
NAMES = {
    "bool": "boolean bool_ b1", "i8": "int8 i1 char", "u8": "uint8 u1 byte uchar", "i16": "int16 i2 short", "u16": "uint16 u2 ushort",
    "i32": "int32 i4 intc", "u32": "uint32 u4 uintc", "i64": "int64 i8 intp int_ long_ longlong ssize_t",
    "u64": "uint64 u8 uintp uint ulong ulonglong size_t", "f16": "float16 f2", "f32": "float32 f4 float_", "f64": "float64 f8 double",
    "c64": "complex64 c8", "c128": "complex128 c16",
}
DTYPES = {"bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64",
          "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
MODULES = ["", "numba.", "nb.", "types.", "nb.types."]
IMPORTS = "import numba\nimport numba as nb\nfrom numba import *\nfrom numba import cuda, types, vectorize, guvectorize\nfrom numba.types import *\n"
WRONG = ["'banana({0})'", "'{0}(banana)'", "'{0}(f3)'", "'{0}('", "'{0}({0}, {0})'", "'void({0}[:,:,:])'", "banana({0})", "banana", "'{0}({0}[7])'"]


class Writer:
    def __init__(self, rng):
        self.rng, self.lines, self.other, self.count = rng, [], [], 0

    def named(self, text, may_be_elsewhere=True):
        """A text, or a name that is bound to it, here or in another file."""
        chosen = self.rng.random()
        if chosen < 0.6:
            return text
        self.count += 1
        name = f"N{self.count}"
        elsewhere = may_be_elsewhere and chosen > 0.85 and not re.search(r"\bN\d", text)
        (self.other if elsewhere else self.lines).append(f"{name} = {text}")
        if elsewhere:
            self.lines.append(f"from other import {name}")
        return name

    def spelling(self, kind, is_text, is_option=False):
        name = self.rng.choice([each for each in NAMES[kind].split() if not is_option or each not in ("i8", "u8")])
        return name if is_text else self.named(self.rng.choice(MODULES) + name)

    def typed(self, kind, axes, is_text):
        word = self.spelling(kind, is_text)
        if not axes or self.rng.random() < 0.8:
            return word + axes
        maker = "" if is_text else self.rng.choice(MODULES[3:])
        return f"{maker}Array({word}, 1, {repr('A' if axes == '[:]' else 'C')})"

    def signature(self, result, params, axes=""):
        """A signature in one of its forms; the result is None of one that says none."""
        is_text, space = self.rng.random() < 0.5, self.rng.choice(["", "", " "])
        inside = f",{space}".join(self.typed(kind, axes, is_text) for kind in params)
        if result is None:
            form = f"({inside},)"
        elif result == "void":
            form = f"{'' if is_text else self.rng.choice(['', 'types.', 'nb.'])}{self.rng.choice(['void', 'none'])}({space}{inside}{space})"
        else:
            form = f"{self.spelling(result, is_text)}({space}{inside}{space})"
        return self.named(f'"{form}"' if is_text else form)

    def decorate(self, name, decorator, params, body):
        """By `@`, or by a call. Returns the name that the function of `cuda.jit` has then."""
        if self.rng.random() < 0.7:
            made = decorator if self.rng.random() < 0.8 else self.named(decorator, False)
            self.lines += [f"@{made}", f"def {name}({params}):", *body]
            return name
        self.lines += [f"def plain_{name}({params}):", *body, f"{name} = {decorator}(plain_{name})"]
        return f"plain_{name}"

    def listed(self, signature):
        return self.named(f"[{signature}]", False) if self.rng.random() < 0.7 else self.rng.choice(["({},)", "[{}]"]).format(signature)


def make(rng, rows):
    """The file, what it imports from, the options, the functions that must come out, and the kernels to run."""
    writer, says, runs, options = Writer(rng), [], [], []
    for i in range(rows):
        kind, result = (rng.choice(list(NAMES)) for _ in range(2))
        if kind.startswith("c") and not result.startswith("c"):
            result = kind
        axes, core, outer = rng.choice([("[:]", ":", ":, :"), ("[::1]", "::1", ":, ::1")])
        nothing = rng.choice(["void", None])
        made = writer.decorate(f"j{i}", f"cuda.jit({writer.signature(nothing, [kind, result], axes)})", "x, out", ["    pass"])
        says.append(f"kernel {made}(x: {kind}[{core}], out: {result}[{core}])")
        writer.decorate(f"v{i}", f"{rng.choice(['', 'nb.', 'numba.'])}vectorize({writer.listed(writer.signature(result, [kind]))}, target='cuda')", "x", ["    return x"])
        says.append(f"kernel v{i}(x: {kind}[:], out: {result}[:])")
        listed = writer.listed(writer.signature(nothing, [kind, result], axes))
        writer.decorate(f"g{i}", f"guvectorize({listed}, '(n)->(n)', target='cuda')", "x, out", ["    out[0] = x[0]"])
        says.append(f"kernel g{i}(x: {kind}[{outer}], out: {result}[{outer}])")
        made = writer.decorate(f"d{i}", f"cuda.jit({writer.signature(result, [kind])}, device=True)", "x", ["    return x"])
        writer.lines += ["@cuda.jit", f"def s{i}(x, o):", f"    o[0] = d{i}(o[0]) == 1"]
        options += ["--sig", f"s{i}({writer.spelling(kind, True, True)}{axes}, {writer.spelling('i32', True, True)}[:])"]
        says.append(f"kernel s{i}(x: {kind}[{core}], o: i32[:])")
        says.append(f"device {made}(x: {kind})")
        runs += [(f"v{i}", kind, result), (f"g{i}", kind, result)]
    return IMPORTS + "\n".join(writer.lines) + "\n", IMPORTS + "\n".join(writer.other) + "\n", options, says, runs


def kernc(options, *words):
    return subprocess.run([options.kernc, *words], capture_output=True, text=True, timeout=120)


def dtype_of(folder, options, file, kernel, kind):
    """The type of the result that a run makes."""
    out = folder / "out.npy"
    out.unlink(missing_ok=True)
    done = kernc(options, "run", str(file), kernel, f"x={DTYPES[kind]}:[1,1,0]", "-o", f"out={out}")
    return np.load(out).dtype.name if done.returncode == 0 else done.stderr


def check(options, seed, folder):
    rng = random.Random(seed)
    written, other, words, says, runs = make(rng, 5)
    file = folder / "k.py"
    file.write_text(written)
    (folder / "other.py").write_text(other)
    done = kernc(options, str(file), *words, "--emit=ir", "-Wno-race", "-o", "-")
    found = {re.sub(r"\$\S*?\(", "(", line).split(")")[0] + ")" for line in done.stdout.splitlines() if line.startswith(("kernel ", "device "))}
    found = {re.sub(r"x.real: f(..), x.imag: f..", lambda half: f"x: c{2 * int(half[1])}", line) for line in found}
    if missing := set(says) - found:
        return f"kernc misses {sorted(missing)}, and has {sorted(found - set(says))}: {done.stderr}"
    for kernel, kind, result in rng.sample(runs, 3):
        got = dtype_of(folder, options, file, kernel, kind)
        if got != DTYPES[result]:
            return f"{kernel} of {kind} gives {got}, not {DTYPES[result]}"
    return unreadable(options, WRONG[seed % len(WRONG)].format(rng.choice(["f4", "float64", "int32"])), folder)


def unreadable(options, signature, folder):
    """Every reader reports what none can read."""
    file = folder / "wrong.py"
    readers = {"jit": f"@cuda.jit({signature})\ndef f(x, out):\n    pass", "device": f"@cuda.jit({signature}, device=True)\ndef f(x, y, z):\n    return x",
               "vectorize": f"@vectorize([{signature}], target='cuda')\ndef f(x):\n    return x",
               "guvectorize": f"@guvectorize([{signature}], '(n)->(n)', target='cuda')\ndef f(x, out):\n    pass"}
    for reader, code in readers.items():
        file.write_text(f"{IMPORTS}{code}\n@cuda.jit('void(int32[:])')\ndef c(o):\n    pass\n")
        for words in ([str(file), "--emit=ir", "-o", "-"], ["run", str(file), "f", "x=ones:f32:3"] + ["out=ones:f32:3", "--grid=1"] * (reader == "jit")):
            if reader == "device" and words[0] == "run":
                continue
            done = kernc(options, *words)
            if done.returncode not in (1, 2) or "error[E08" in done.stderr:
                return f"{reader} with {signature}: kernc {words[0]} returns {done.returncode}: {done.stderr}"
    return None


def main():
    options = arguments.parser(10, keep=True).parse_args()
    return arguments.check_each(options, "signature_readers", check)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Numba's arithmetic: what real Numba gave for some hundred expressions (Inputs/numba_probes.txt), against what a .py file gives here, in
type and value. The arguments are loaded from arrays, then constants of the same types.

usage: numba_probes.py KERNC [OPTION]...        the options go to `kernc run`
"""
# fuzz: no, its text test runs all of the probes
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

# Only what has an error bound may differ, by so many units in the last place.
BOUNDED = re.compile(r"math\.(?!fabs|floor|ceil|trunc|sqrt|is|copysign|fmod|modf|frexp|ldexp|inf|nan)|\*\*|pow\(")
ULP = 2
PROBES_PER_KERNEL = 60
FUSED = re.compile(r"a \* b - ")


def dtype_of(name):
    return numpy.dtype({"boolean": "bool"}.get(name, name))


def parse(word, dtype):
    if dtype.kind == "c":
        return dtype.type(complex(word))
    if dtype == bool:
        return {"True": True, "False": False}[word]
    return dtype.type(float(word) if dtype.kind == "f" else int(word))


def read_probes(path):
    probes = []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        code, types, result, cases = line.split("; ", 3)
        types, result = [dtype_of(t) for t in types.split()], dtype_of(result)
        parsed = []
        for case in cases.split(" | "):
            args, _, value = case.rpartition("-> ")
            parsed.append(([parse(a, t) for a, t in zip(args.split(), types, strict=True)], parse(value.strip(), result)))
        probes.append((code.replace(r"\n", "\n"), types, result, parsed))
    return probes


def written(value, dtype):
    """Returns a number as a constant of its type."""
    if dtype == bool:
        return str(bool(value))
    if dtype.kind == "c":
        part = numpy.dtype("float64")
        return f"np.{dtype.name}(complex({written(value.real, part)}, {written(value.imag, part)}))"
    if dtype.kind == "f":
        text = "math.nan" if numpy.isnan(value) else ("-" if value < 0 else "") + "math.inf" if numpy.isinf(value) else repr(float(value))
    else:
        text = str(int(value))
    return f"np.{dtype.name}({text})"


def substituted(code, values):
    return re.sub(r"\b[ab]\b", lambda match: values["ab".index(match[0])], code)


class Module:
    """A kernel for some probes: their code, the arrays of their arguments, what is expected."""

    def __init__(self, probes, constant):
        self.inputs, self.outputs, self.kernel, self.functions, self.names = {}, {}, [], [], {}
        for code, types, result, cases in probes:
            for args, value in cases:
                self.add(code, types, result, args, value, constant)

    def add(self, code, types, result, args, value, constant):
        expected = self.outputs.setdefault(result.name, [])
        place = f"o_{result.name}[{len(expected)}]"
        values = [written(v, t) if constant else self.load(v, t) for v, t in zip(args, types)]
        check = self.outputs.setdefault("int8", []) if result != "int8" else expected
        if "\n" in code or re.match(r"r = ", code):
            name = f"f{len(self.functions)}"
            body = "\n".join("    " + line for line in code.split("\n"))
            self.functions.append(f"@cuda.jit(device=True)\ndef {name}({', '.join('ab'[:len(args)])}):\n{body}\n    return r\n")
            expr = f"{name}({', '.join(values)})"
        else:
            expr = substituted(code, values)
        self.kernel.append(f"    {place} = {expr}")
        expected.append(value)
        self.names[result.name, len(expected) - 1] = (code, [str(a) for a in args], "value")
        # The type of a call is asked of a variable: it is made once.
        self.kernel.append(f"    t{len(self.kernel)} = {expr}")
        test = f"t{len(self.kernel) - 1}.dtype == np.{'bool_' if result == bool else result.name}"
        self.kernel.append(f"    o_int8[{len(check)}] = {test}")
        check.append(numpy.int8(1))
        self.names["int8", len(check) - 1] = (code, [t.name for t in types], f"type, expected {result.name}")

    def load(self, value, dtype):
        column = self.inputs.setdefault(dtype.name, [])
        column.append(value)
        return f"v_{dtype.name}[{len(column) - 1}]"

    def source(self):
        params = [f"v_{name}" for name in self.inputs] + [f"o_{name}" for name in self.outputs]
        count = "@cuda.jit(device=True)\ndef count(n, x):\n    n[0] += 1\n    return x\n"
        head = "import math\nimport numpy as np\nfrom numba import cuda\n\n"
        return head + count + "".join(self.functions) + f"@cuda.jit\ndef k({', '.join(params)}):\n" + "\n".join(self.kernel) + "\n"


def agrees(code, got, expected, dtype):
    if dtype.kind == "c":
        part = numpy.dtype(f"f{dtype.itemsize // 2}")
        return agrees(code, got.real, expected.real, part) and agrees(code, got.imag, expected.imag, part)
    if dtype.kind != "f":
        return got == expected
    if numpy.isnan(expected) or numpy.isnan(got):
        return numpy.isnan(expected) and numpy.isnan(got)
    bits = numpy.dtype(f"i{dtype.itemsize}")
    if got.view(bits) == expected.view(bits):
        return True
    return bool(BOUNDED.search(code)) and numpy.isfinite(got) and abs(got - expected) <= ULP * numpy.spacing(abs(expected))


def run(kernc, options, module, folder):
    path = folder / "probes.py"
    path.write_text(module.source())
    arguments, outputs = [], []
    for name, values in module.inputs.items():
        numpy.save(folder / f"v_{name}.npy", numpy.array(values, name))
        arguments.append(f"v_{name}=@{folder}/v_{name}.npy")
    for name, values in module.outputs.items():
        arguments.append(f"o_{name}=zeros:{name}:{len(values)}")
        outputs += ["-o", f"o_{name}={folder}/o_{name}.npy"]
    command = [kernc, "run", str(path), "k", *arguments, "--grid=1", "--block=1", "-Wno-widen", "-Wno-zero_division", *outputs, *options]
    result = subprocess.run(command, capture_output=True, text=True, env={"KERN_CACHE": "off"})
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr[:4000]}")
    failures = []
    for name, expected in module.outputs.items():
        dtype = numpy.dtype(name)
        got = numpy.load(folder / f"o_{name}.npy")
        for k, value in enumerate(expected):
            code, args, what = module.names[name, k]
            value = numpy.array(value, dtype)
            if not agrees(code, got[k], value, dtype):
                failures.append(f"{code!r} of {', '.join(args)}: {what}: expected {value}, got {got[k]}")
    return failures


def main():
    kernc, options = sys.argv[1], sys.argv[2:]
    probes = read_probes(pathlib.Path(__file__).parent / "Inputs/numba_probes.txt")
    failures, values = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for constant in False, True:
            for k in range(0, len(probes), PROBES_PER_KERNEL):
                some = [probe for probe in probes[k:k + PROBES_PER_KERNEL] if not (constant and FUSED.match(probe[0]))]
                module = Module(some, constant)
                how = "constant" if constant else "loaded"
                failures += [f"{how}: {failure}" for failure in run(kernc, options, module, pathlib.Path(scratch))]
                values += sum(map(len, module.outputs.values()))
    if failures:
        sys.exit("\n".join([*failures, f"{len(failures)} of {values} differ"]))
    print(len(probes), "probes agree,", values, "values and types")


main()

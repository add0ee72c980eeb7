"""Checks the table of integers in docs/from-numba.md: types and numbers of Kern and of its Numba dialect by kernc, those of C by the C++
compiler, where there is one.

usage: integer_table.py KERNC DOCS FOLDER
"""
import pathlib
import re
import shutil
import subprocess
import sys

KERN = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}
C_TYPES = {t: f"{n}_t" for n, t in KERN.items()}


def rows(text):
    for line in re.findall(r"^\| `[^`]*`, [iu]\d+ -?\d+\b.*\|$", text, re.M):
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        expression, operands = re.fullmatch(r"`(.*)`, (.*)", cells[0]).groups()
        parts = operands.split(" and ")
        first = parts[0].split()
        second = parts[1].split() if len(parts) > 1 else None
        if second and len(second) == 1:
            second = [first[0], *second]
        yield expression, first, second, cells[1:]


def kern(kernc, folder, suffix, expression, first, second):
    """Returns the type and the number of an expression; of an error none."""
    source = folder / f"row{suffix}"
    body = f"    a = x[0]\n    b = y[0]\n    v = {expression}\n    w[0] = {'u64' if suffix == '.kern' else 'np.uint64'}(v)\n"
    # Short names mean other types in a .py file.
    types = [next(n for n, t in KERN.items() if t == short) for short in (first[0], second[0] if second else "i32")]
    if suffix == ".kern":
        source.write_text(f"@kernel\ndef k(x: {types[0]}[:], y: {types[1]}[:], w: uint64[:]):\n{body}")
    else:
        source.write_text(f"import numpy as np\nfrom numba import cuda\n@cuda.jit\ndef k(x, y, w):\n{body}")
    numbers = [first[1], second[1] if second else "1"]
    signature = f"--sig=k({types[0]}[:], {types[1]}[:], uint64[:])"
    ir = subprocess.run([kernc, source, "--emit=ir", "-o", "-", *([signature] if suffix == ".py" else [])], capture_output=True, text=True)
    if ir.returncode == 1:
        return "an error", None
    found = re.search(r"^ *var v: (\w+)", ir.stdout, re.M)
    if ir.returncode or not found:
        sys.exit(f"{expression}: {ir.stdout}{ir.stderr}")
    run = subprocess.run([kernc, "run", source, "k", *(f"{n}=full:{t}:1:{v}" for n, t, v in zip("xy", types, numbers)), "w=zeros:uint64:1",
                          "--print", "w", "--grid=1", "--block=1"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{expression}: {run.stdout}{run.stderr}")
    number = int(re.search(r"w = \[(\d+)\]", run.stdout)[1])
    signed = found[1][0] == "i"
    return found[1], number - (1 << 64) if signed and number >> 63 else number


def c(folder, expression, first, second):
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++-19")
    if not compiler:
        return None
    expression = expression.replace("//", "/").replace("abs(a)", "(a < 0 ? -a : a)")
    b = f"{C_TYPES[second[0]]} b = {second[1]};" if second else ""
    source = folder / "row.cpp"
    source.write_text("#include <cstdint>\n#include <cstdio>\n#include <type_traits>\n"
                      f"int main() {{ {C_TYPES[first[0]]} a = {first[1]}; {b} auto v = {expression};\n"
                      'std::printf("%s %lld\\n", std::is_same_v<decltype(v), int> ? "int" : std::is_same_v<decltype(v), unsigned> ? "unsigned" : "other", (long long)v); }')
    subprocess.run([compiler, "-std=c++17", "-w", source, "-o", folder / "row"], check=True)
    return subprocess.run([folder / "row"], capture_output=True, text=True).stdout.strip()


def main():
    kernc, docs, folder = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    wrong, count = [], 0
    for expression, first, second, (in_kern, in_c, in_numba) in rows(docs):
        count += 1
        type, number = kern(kernc, folder, ".kern", expression, first, second)
        said = type if number is None else f"{type} {number}"
        if in_kern.split(",")[0] != said:
            wrong.append(f"{expression}: Kern: {said}, not {in_kern}")
        type, number = kern(kernc, folder, ".py", expression, first, second)
        type = next(n for n, t in KERN.items() if t == type)
        if in_numba != f"{type} {number}":
            wrong.append(f"{expression}: Numba: {type} {number}, not {in_numba}")
        if in_c and "undefined" not in in_c:
            found = c(folder, expression, first, second)
            if found and found != in_c:
                wrong.append(f"{expression}: C: {found}, not {in_c}")
    print("\n".join(wrong) if wrong else f"{count} rows are so")
    sys.exit(1 if wrong or count < 16 else 0)


main()

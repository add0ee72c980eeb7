#!/usr/bin/env python3
"""What kernc takes for sources of each kind at sizes n, 2n and 4n: time and memory must not grow faster than in proportion.

A kind is a statement, a line of the top level, a name, an error, a file that imports others or an option, so many times, wide or deep. Time is
what the process uses itself, less what an empty kernel takes; a kind fails where 4n takes more than RATIO times what n takes (16 would be a
square), twice in a row. --table N prints a table of sizes N, 2N, 4N instead.

usage: sizes.py KERNC [--kinds A,B] [--outputs ptx,obj] [--scale F] [--table N]
"""
# fuzz: no, it measures what kernc takes where nothing else runs
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

RATIO, MEMORY_RATIO = 6.25, 6  # of time 2.5 for twice as much
LEAST = 0.25  # seconds of 4n that tell anything
MOST = 190  # levels of nesting


def lines(*body):
    """A kernel of these statements for each j below n."""
    return lambda n: kernel(line.replace("J", str(j)) for j in range(n) for line in body)


def kernel(body, head=""):
    return head + "@kernel\ndef k(y: i32[:], x: f32[:], n: i64):\n    i = grid(1)\n    v: i32 = 1\n    w: f32 = 1.0\n" + "".join(f"    {line}\n" for line in body)


def nested(n, rounds="n"):
    return kernel(["    " * d + f"for i{d} in range({rounds.format(d)}):" for d in range(n)] + ["    " * n + "y[0] += 1"])


def nested_ifs(n):
    return kernel(["    " * d + f"if n > {d}:" for d in range(n)] + ["    " * n + "y[0] += 1"])


class Files(dict):
    """Files by their names that `kernc check` is given with these options, and what it exits with; `g.kern` where none is `main`."""

    def __init__(self, files, options=(), main="g.kern", exit=0):
        super().__init__(files)
        self.options, self.main, self.exit = options, main, exit


def report(n, imports):
    """Files with a kernel and a constant each that import others, for `check --numba-report`."""
    text = 'from numba import cuda\n{}C = J\n\n\n@cuda.jit("void(int64[:])")\ndef k(x):\n    x[0] = C\n'
    return Files({f"p/m{j}.py": text.format("".join(f"import m{other}\n" for other in imports(j))).replace("J", str(j)) for j in range(n)},
                 ["--numba-report"], "p")


def chain(n):
    """Files of constants that each import the next."""
    files = {f"m{j}.kern": f"import m{j + 1}\nC = m{j + 1}.C + 1\n" for j in range(n)} | {f"m{n}.kern": "C = 1\n"}
    return Files(files | {"g.kern": "import m0\n" + kernel(["y[0] = m0.C"])})


def python(body, head=""):
    return Files({"g.py": f"from numba import cuda\n{head}\n\n@cuda.jit('void(int64[:])')\ndef k(x):\n" + "".join(f"    {line}\n" for line in body)}, main="g.py")


def wrong(body, head=""):
    return Files({"g.kern": kernel(body, head)}, exit=1)


def fields(n):
    return "@struct\nclass P:\n" + "".join(f"    a{j}: f32\n" for j in range(n)) + "\n\n"


# What is checked alone, as what it has to do ends there.
CHECKED = {
    "report_files": (50, lambda n: report(n, lambda j: [])),
    "report_chain": (50, lambda n: report(n, lambda j: [j + 1] if j + 1 < n else [])),
    "report_circle": (50, lambda n: report(n, lambda j: [(j + 1) % n])),
    "report_all": (12, lambda n: report(n, lambda j: [other for other in range(n) if other != j])),
    "import_chain": (100, chain),
    "imports": (100, lambda n: Files({f"m{j}.kern": f"C = {j}\n" for j in range(n)} | {"g.kern": "".join(f"import m{j}\n" for j in range(n)) + kernel(f"y[0] += m{j}.C" for j in range(n))})),
    "undefined": (500, lambda n: wrong(f"wrong_name{j} = value_of_{j}" for j in range(n))),
    "misspelled": (500, lambda n: wrong([f"y[0] = constnat_{j}" for j in range(n)], "".join(f"constant_{j} = {j}\n" for j in range(n)))),
    "attributes": (500, lambda n: wrong(f"x[0] = math.sinn{j}(w)" for j in range(n))),
    "dict": (300, lambda n: python([f"x[0] = D['{n - 1}']"], "D = {" + ", ".join(f"'{j}': {j}" for j in range(n)) + "}\n")),
    "dicts": (100, lambda n: python([f"x[{j}] = D['{j}']" for j in range(n)], "D = {" + ", ".join(f"'{j}': {j}" for j in range(n)) + "}\n")),
    "lists": (4, lambda n: python(["x[0] = len(T)"], f"T = [[0] * 1000] * {n}\n")),
    "lists_refused": (1000, lambda n: Files(python(["x[0] = len(T)"], f"T = [[0] * 1000] * {n}\n"), main="g.py", exit=1)),
    "tuples_refused": (1000, lambda n: Files({"g.kern": f"S = (0,) * 16000\nT = (S,) * {n}\n" + kernel(["y[0] = len(T)"])}, exit=1)),
    "numba_tuples": (100, lambda n: python([f"x[0] += T[{j}]" for j in range(n)], f"T = ({', '.join(map(str, range(n)))},)\n")),
    "defines": (100, lambda n: Files({"g.kern": kernel(f"v += C{j}" for j in range(n)).join(["".join(f"C{j} = 0\n" for j in range(n)), ""])}, [f"-DC{j}={j}" for j in range(n)])),
    "signatures": (50, lambda n: Files({"g.py": "from numba import cuda\n\n\n@cuda.jit\ndef k(x, t):\n    x[0] = len(t)\n"},
                                       [f"--sig=k(int64[:], UniTuple(int64, {j + 1}))" for j in range(n)], "g.py")),
    "record_fields": (100, lambda n: Files({"g.kern": fields(n) + "@kernel\ndef k(p: P[:]):\n" + "".join(f"    p[0].a{j} = 1.0\n" for j in range(n))})),
    "records": (100, lambda n: Files({"g.kern": "".join(f"@struct\nclass P{j}:\n    a: f32\n\n\n" for j in range(n)) + "".join(f"@kernel\ndef k{j}(p: P{j}[:]):\n    p[0].a = 1.0\n\n\n" for j in range(n))})),
}

# Kind: the size n, what makes the source.
KINDS = {
    "add": (500, lines("y[0] += 1")),
    "guarded": (200, lines("if i + J < y.size:", "    y[i + J] += J")),
    "store": (300, lines("y[i + J] = v")),
    "load": (300, lines("v = y[i + J]")),
    "assign": (1000, lines("v = v * 3 + J")),
    "names": (1000, lines("vJ = v + J", "v = vJ")),
    "floats": (500, lines("w = math.sqrt(w) * 2.0 + J.5")),
    "math": (100, lines("w = math.sin(w)")),
    "select": (500, lines("v = J if v > J else v")),
    "if": (300, lines("if v > J:", "    v = v * 2")),
    "if_else": (300, lines("if v > J:", "    v = v * 2", "else:", "    v -= 1")),
    "elif": (45, lambda n: kernel(["if v == 0:", "    v = 1"] + [line for j in range(n) for line in (f"elif v == {j + 1}:", f"    v = {j} * v")])),
    "for": (60, lines("for q in range(n):", "    v = v * 3 + J")),
    "while": (60, lines("while v < J:", "    v += 3")),
    "nested": (45, nested),
    "nested_counts": (25, lambda n: nested(n, "y[{}]")),
    "nested_few": (4, lambda n: nested(n, "2")),
    "nested_ifs": (45, nested_ifs),
    "breaks": (75, lambda n: kernel(["while True:"] + [line for j in range(n) for line in (f"    if y[{j}] == v:", "        break")])),
    "continues": (75, lambda n: kernel(["for q in range(n):"] + [line for j in range(n) for line in (f"    if y[{j}] == v:", "        continue", "    v += 1")])),
    "returns": (150, lines("if v == y[J]:", "    return")),
    "prints": (60, lines('print("x", i, J)')),
    "many_prints": (500, lines("print('a', y[i], x[i])")),
    "asserts": (150, lines("assert v != J")),
    "atomics": (200, lines("atomic.add(y, J, 1)")),
    "barriers": (40, lines("x[i] = w", "syncthreads()", "w = x[0]")),
    "slices": (60, lines("a = x[J:]", "w += a[0]")),
    "locals": (60, lines("aJ = local.array(4, f32)", "aJ[v & 3] = w", "w = aJ[i & 3]")),
    "shared": (60, lines("aJ = shared.array(4, f32)", "aJ[v & 3] = w", "w = aJ[i & 3]")),
    "calls": (200, lambda n: kernel([f"v = f(v, {j})" for j in range(n)], "@device\ndef f(a: i32, b: i32) -> i32:\n    return a * b + 1\n")),
    "functions": (60, lambda n: "".join(f"@device\ndef fn{j}(a: i32) -> i32:\n    return a * {j} + 1\n" for j in range(n)) + kernel([f"v = fn{j}(v)" for j in range(n)])),
    "instances": (40, lambda n: kernel([f"v = f(v, ({', '.join(['1'] * (j + 1))},))" for j in range(n)], "@device\ndef f(a, t):\n    return a * len(t)\n")),
    "literal_calls": (250, lambda n: kernel(["for q in W:", "    w = f(w, q)", "x[i] = w"],
                                            f"W = ({', '.join(f'{j}.5' for j in range(n))})\n@device\ndef f(a, b):\n    return a * b + b\n")),
    "call_chain": (12, lambda n: kernel(["v = call0(v)"], "".join(f"@device\ndef call{j}(a: i32) -> i32:\n    return call{j + 1}(a) + {j}\n" for j in range(n)) + f"@device\ndef call{n}(a: i32) -> i32:\n    return a\n")),
    "growing": (100, lambda n: kernel(["t0 = (y[0],)"] + [f"t{j + 1} = t{j} + (y[{j + 1}],)" for j in range(n)] + [f"y[0] = t{n}[3]"])),
    "conditions": (100, lambda n: kernel([f"if {' and '.join(f'y[{j}] > {j}' for j in range(n))}:", "    y[0] = 1"])),
    "params": (50, lambda n: f"@kernel\ndef k(y: i32[:], {', '.join(f'a{j}: i32' for j in range(n))}):\n" + "".join(f"    y[{j}] = a{j}\n" for j in range(n))),
    "constants": (500, lambda n: kernel([f"v += C{j}" for j in range(n)], "".join(f"C{j} = {j} * 3\n" for j in range(n)))),
    "tuple": (200, lambda n: kernel(["for q in T:", "    v = v * q + 1"], f"T = ({', '.join(map(str, range(n)))},)\n")),
    "tuples": (10, lambda n: kernel(["for q in T:", "    for r in T:", "        pass"], f"T = (1,) * {4 * n}\n")),
    "tuple_nests": (6, lambda n: kernel(["for q in T:", "    for r in S:", "        for s in S:", "            v = v * q + r * s"],
                                        f"S = ({', '.join(map(str, range(9)))})\nT = ({', '.join(map(str, range(n)))},)\n")),
    "tuple_ifs": (3, lambda n: kernel(["for q in T:", "    for r in S:", "        for s in S:", "            if v > q + s:", "                v = v * q + r * s"],
                                      f"S = ({', '.join(map(str, range(9)))})\nT = ({', '.join(map(str, range(n)))},)\n")),
    "targets": (1500, lambda n: kernel([" = ".join(["v"] * n) + " = 1"])),
    "sums": (20, lines("v = " + " + ".join(["v"] * 30) + " + J")),
    "kernels": (15, lambda n: "".join(f"@kernel\ndef k{j}(y: i32[:]):\n    y[0] = {j}\n\n" for j in range(n))),
    "comments": (20000, lambda n: kernel(["# nothing"] * n + ["y[0] = v"])),
    "dead": (1000, lambda n: kernel(["return"] + ["y[0] = v"] * n)),
}
ALL = KINDS | CHECKED
OUTPUTS = {"ptx": ["-o", "g.ptx"], "obj": ["-o", "g.o", "-o", "g.hpp", "--arch=x86-64-v3"], "ir": ["--emit=ir", "-o", "g.ir"]}


def used(command, scratch, limit):
    """Returns the seconds and MB that a command used, its exit code and what it said."""
    with open(scratch / "said", "w+") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=scratch)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        said.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status), said.read()


def measure(options, scratch, source, output):
    if isinstance(source, str):
        (scratch / "g.kern").write_text(source)
        return used([options.kernc, "g.kern", "-Wno-race", "-Wno-coalesce", *OUTPUTS[output]], scratch, options.limit)
    folder = scratch / "files"
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in source.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    seconds, megabytes, code, said = used([options.kernc, "check", source.main, *source.options], folder, options.limit)
    return seconds, megabytes, 0 if code == source.exit else f"{code}, not {source.exit}", said


def size_of(kind, n, step):
    nests = kind.startswith("nested") or kind == "elif"
    return min(n * step, MOST) if nests else n * step


def length_of(source):
    return len(source) if isinstance(source, str) else sum(map(len, source.values())) + sum(map(len, source.options))


def grows(options, scratch, kind, output, base):
    n, make = ALL[kind]
    n = max(1, int(n * options.scale))
    sources = [make(size_of(kind, n, step)) for step in (1, 4)]
    # What a busy machine makes slow once is tried again: the least of three counts.
    tries = [[measure(options, scratch, source, output) for source in sources]]
    while len(tries) < 3 and is_slow(*least(tries), sources, base):
        tries.append([measure(options, scratch, source, output) for source in sources])
    few, many = least(tries)
    for seconds, megabytes, code, said in (few, many):
        if code != 0:
            sys.exit(f"{kind}: exit {code} {said[:2000]}")
    large = many[1] - base[1] > max(64, MEMORY_RATIO * max(few[1] - base[1], 4))
    slow = is_slow(few, many, sources, base)
    return f"{kind} {output}: {few[0]:.2f} s {few[1]:.0f} MB, 4 times as much: {many[0]:.2f} s {many[1]:.0f} MB" if slow or large else ""


def least(tries):
    """Of several measurements of the same sources the quickest of each."""
    return [min(results, key=lambda result: result[0]) for results in zip(*tries)]


def is_slow(few, many, sources, base):
    # A source of nested statements grows with the square of its depth: proportion is to what is written.
    wider = max(1, length_of(sources[1]) / length_of(sources[0]) / 4)
    return many[0] - base[0] > max(LEAST, RATIO * wider * max(few[0] - base[0], 0.015))


def table(options, scratch, kinds, outputs):
    for kind in kinds:
        n, make = options.table or ALL[kind][0], ALL[kind][1]
        for size in sorted({size_of(kind, n, step) for step in (1, 2, 4)}):
            row = f"{kind:12} {size:7}"
            for output in outputs if kind in KINDS else ["check"]:
                seconds, megabytes, code, said = measure(options, scratch, make(size), output)
                note = "" if code == 0 else f" exit {code}"
                row += f"   {output} {seconds:6.2f} s {megabytes:5.0f} MB{note}{' large' if 'W0909' in said else ''}"
            print(row, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernc")
    parser.add_argument("--kinds", default=",".join(ALL))
    parser.add_argument("--outputs", default="ptx,obj")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--table", type=int, nargs="?", const=0)
    parser.add_argument("--limit", type=float, default=120)
    options = parser.parse_args()
    options.kernc = str(pathlib.Path(options.kernc).resolve())
    kinds, outputs = options.kinds.split(","), options.outputs.split(",")
    failures = []
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        if options.table is not None:
            return table(options, scratch, kinds, outputs)
        for output in [*outputs, "check"]:
            base = measure(options, scratch, Files({"g.kern": kernel(["y[0] = v"])}) if output == "check" else kernel(["y[0] = v"]), output)
            for kind in (kind for kind in kinds if (kind in CHECKED) == (output == "check")):
                found = grows(options, scratch, kind, output, base) and grows(options, scratch, kind, output, base)
                if found:
                    failures.append(found)
    if failures:
        sys.exit("grows faster than in proportion:\n" + "\n".join(failures))
    print(f"{len(kinds)} kinds grow in proportion")


main()

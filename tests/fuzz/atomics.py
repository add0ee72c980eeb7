#!/usr/bin/env python3
"""Every atomic operation on every type of number, in global and shared memory, by vectors and one lane, against a model in NumPy: the element is
what all values make of it, neighbours keep what they are, and the old elements that come back are those of some order (their count and sum).

usage: atomics.py KERNC [--count N] [--seed S] [--seconds T] [-- OPTION...]        the options go to `kernc run`
"""
import random
import subprocess
import sys

import numpy

import arguments

LONG = {"i": "int", "u": "uint", "f": "float"}
INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
ANY = ["add", "sub", "max", "min", "nanmax", "nanmin", "exch"]
BITS = ["and_", "or_", "xor"]
COUNT = 150


def operations(kind):
    return ANY + (BITS if kind in INTEGERS else []) + (["inc", "dec"] if kind[0] == "u" else [])


def model(kind, operation, start, values):
    """Returns the element in exact integers; those of floats are small enough that no sum is rounded."""
    for value in values:
        if operation == "add":
            start += value
        elif operation == "sub":
            start -= value
        elif operation in ("max", "nanmax"):
            start = max(start, value)
        elif operation in ("min", "nanmin"):
            start = min(start, value)
        elif operation == "exch":
            start = value
        elif operation == "and_":
            start &= value
        elif operation == "or_":
            start |= value
        elif operation == "xor":
            start ^= value
        elif operation == "inc":
            start = 0 if start >= value else start + 1
        elif operation == "dec":
            start = value if start == 0 or start > value else start - 1
        if kind in INTEGERS:
            bits = int(kind[1:])
            start %= 2**bits
            if kind[0] == "i" and start >= 2**(bits - 1):
                start -= 2**bits
    return start


def kernel(kind, operations):
    lines = ["@kernel", f"def k(v: i64[:], start: i64[:], o: i64[:], old: i64[:], g: {kind}[:]):", f"    s = shared.array(2 * {len(operations)} + 1, {kind})",
             "    i = grid(1)", f"    if i < 2 * {len(operations)} + 1:", f"        s[i] = {kind}(start[i])", f"        g[i] = {kind}(start[i])", "    syncthreads()",
             "    if i < v.size:"]
    for place, operation in enumerate(operations):
        # All of `exch`, `inc` and `dec` give the same value: their result must not depend on the order.
        value = "5" if operation in ("exch", "inc", "dec") else "v[i]"
        for name in ("s", "g"):
            lines.append(f"        {name}{place} = atomic.{operation}({name}, {2 * place}, {kind}({value}))")
            lines.append(f"        atomic.add(old, {'0' if name == 's' else '1'}, 1 if {name}{place} == {name}{place} else 0)")
    lines += ["    syncthreads()", f"    if i < 2 * {len(operations)} + 1:", "        o[i] = i64(s[i])", f"        o[2 * {len(operations)} + 1 + i] = i64(g[i])"]
    return "\n".join(lines) + "\n"


def run(options, folder, kind, rng, lanes):
    chosen = operations(kind)
    limit = 1 if kind == "bf16" else 6 if kind == "f16" else 100
    values = [rng.randint(0 if kind[0] == "u" else -limit, limit) for _ in range(COUNT)]
    start = [rng.randint(0, 9) for _ in range(2 * len(chosen) + 1)]
    wanted = list(start)
    for place, operation in enumerate(chosen):
        constant = operation in ("exch", "inc", "dec")
        wanted[2 * place] = model(kind, operation, start[2 * place], [5] * COUNT if constant else values)
    (folder / "a.kern").write_text(kernel(kind, chosen))
    for name, column in (("v", values), ("start", start), ("want", wanted * 2), ("old", [COUNT * len(chosen)] * 2)):
        numpy.save(folder / f"{name}.npy", numpy.array([(value + 2**63) % 2**64 - 2**63 for value in column], numpy.int64))
    elements = "f32" if kind == "bf16" else kind
    source = (folder / "a.kern").read_text()
    if kind == "bf16":
        # There are no .npy files of bf16: its global elements are in another shared array.
        source = source.replace("g: bf16[:]", "unused: f32[:]").replace("    i = grid(1)\n", f"    g = shared.array({len(start)}, bf16)\n    i = grid(1)\n")
        (folder / "a.kern").write_text(source)
    argument = f"{'unused' if kind == 'bf16' else 'g'}=zeros:{elements}:{len(start)}"
    command = [options.kernc, "run", str(folder / "a.kern"), "k", f"v=@{folder}/v.npy", f"start=@{folder}/start.npy", f"o=zeros:i64:{len(wanted) * 2}", "old=zeros:i64:2",
               argument, "--grid=1", "--block=160", f"--expect=o={folder}/want.npy", f"--expect=old={folder}/old.npy", *([] if lanes is None else [f"--lanes={lanes}"]),
               *options.extra]
    result = subprocess.run(command, capture_output=True, text=True)
    return "" if result.returncode == 0 else f"{kind}, lanes {lanes}: {result.stdout}{result.stderr[:1500]}"


def check(options, seed, folder):
    for kind in INTEGERS + FLOATS:
        for lanes in (None,) if "cuda" in options.extra else (1, 16, 32):
            if failure := run(options, folder, kind, random.Random(seed), lanes):
                sys.exit(failure)


arguments.agree(arguments.parser(1).parse_args(), check)

"""Writes a kernel that compares the ends of all integer types by all comparisons, each with each, and what it stores.

usage: comparisons.py PREFIX
"""
import itertools
import operator
import sys

import numpy

prefix = sys.argv[1]
TYPES = {"i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64"}
SIGNS = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge}


def values(kind):
    bits = int(kind[1:])
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
    return [least, most, least + 1, most - 1, 0, 1, max(least, -1), most // 2, most // 2 + 1]


params = [f"x_{kind}: {kind}[:]" for kind in TYPES]
lines, expected = [], []
rounds = len(values("i8"))
for left, right in itertools.product(TYPES, TYPES):
    # Loaded: each value beside each; constants: the ends of the one beside what is loaded of the other.
    forms = [(f"x_{left}[i]", f"x_{right}[j]", lambda i, j, l=left, r=right: (values(l)[i], values(r)[j]))]
    forms += [(f"x_{left}[i]", f"({end})", lambda i, j, l=left, end=end: (values(l)[i], end)) for end in values(right)[:2]]
    forms += [(f"({end})", f"x_{right}[j]", lambda i, j, r=right, end=end: (end, values(r)[j])) for end in values(left)[:2]]
    for a, b, numbers in forms:
        row = len(lines)
        lines.append("        y[{}, i, j] = {}".format(row, " + ".join(f"{1 << k} * ({a} {sign} {b})" for k, sign in enumerate(SIGNS))))
        expected.append([[sum(1 << k for k, sign in enumerate(SIGNS) if SIGNS[sign](*numbers(i, j))) for j in range(rounds)] for i in range(rounds)])
with open(f"{prefix}.kern", "w") as file:
    file.write(f"@kernel\ndef k({', '.join(params)}, y: u8[:, :, :]):\n    i = grid(1) // {rounds}\n    j = grid(1) % {rounds}\n    if i < {rounds}:\n")
    file.write("\n".join(lines) + "\n")
for kind, name in TYPES.items():
    numpy.save(f"{prefix}.{kind}.npy", numpy.array(values(kind), name))
numpy.save(f"{prefix}.y.npy", numpy.array(expected, "uint8"))

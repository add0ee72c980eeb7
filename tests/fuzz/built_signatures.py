#!/usr/bin/env python3
"""Random signatures that are strings which Python makes of constants, by f-strings, `+`, `*`, `%`, `format` and `join`: a kernel has the
types that Python's own string says.

usage: built_signatures.py KERNC [--count N] [--seed S] [--seconds T] [--keep DIR]
"""
import random
import subprocess
import sys

import arguments

SHORT = {"int8": "i8", "int32": "i32", "uint16": "u16", "float32": "f32", "float64": "f64"}
CONSTANTS = ['A = "float32"', 'B = "int" + "32"', "N = 2", 'C = f"{A}"', 'D = "%s%d" % ("uint", 16)', "E = 64"]
SCALARS = ["A", "B", "C", "D", "'int8'", "f'float{E}'", "('float' + '{}'.format(E))", "'{}{}'.format('int', 8)"]


def scalar(rng):
    return rng.choice(SCALARS)


def text(rng, depth):
    """An expression whose string is a type."""
    kind = scalar(rng)
    if depth == 0 or rng.random() < 0.3:
        return kind
    form = rng.randrange(7)
    axes = rng.choice(["':'", "':, ' * N + ':'", "', '.join([':'] * N)", "', '.join((':', ':'))"])
    if form == 0:
        return "f\"{%s}[:]\"" % kind.replace('"', "'")
    if form == 1:
        return f"{kind} + '[' + {axes} + ']'"
    if form == 2:
        return f"'%s[%s]' % ({kind}, {axes})"
    if form == 3:
        return f"'{{}}[{{}}]'.format({kind}, {axes})"
    if form == 4:
        return f"'{{kind}}[{{axes}}]'.format(axes={axes}, kind={kind})"
    if form == 5:
        return f"'{{1}}[{{0}}]'.format({axes}, {kind})"
    return f"('%s' + '[:]') % {kind}"


def signature(rng, count):
    parts = [text(rng, 1) for _ in range(count)]
    form = rng.randrange(5)
    if form == 0:
        return "f\"void({%s})\"" % "}, {".join(f"({part})" for part in parts)
    if form == 1:
        return "'void(' + " + " + ', ' + ".join(f"({part})" for part in parts) + " + ')'"
    if form == 2:
        return "'void(" + ", ".join(["%s"] * count) + ")' % (" + ", ".join(f"({part})" for part in parts) + ",)"
    if form == 3:
        return "'void({})'.format(', '.join([" + ", ".join(parts) + "]))"
    return "'void(' f'{%s}' %s + ')'" % (parts[0].replace("'", '"'), "".join(f" + ', ' + ({part})" for part in parts[1:]))


def kern_type(word):
    name, _, axes = word.strip().partition("[")
    return SHORT[name] + ("[" + ", ".join([":"] * axes.count(":")) + "]" if axes else "")


def expected(scope, expression):
    string = eval(expression, dict(scope))
    inside = string[len("void("):-1]
    words, depth = [""], 0
    for c in inside:
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            words.append("")
        else:
            words[-1] += c
    return [kern_type(word) for word in words]


def make(rng):
    scope, lines, says = {}, ["from numba import cuda", *CONSTANTS], []
    exec("\n".join(CONSTANTS), scope)
    for number in range(6):
        count = rng.randrange(1, 4)
        while True:
            written = signature(rng, count)
            try:
                says.append(f"k{number}(" + ", ".join(f"p{i}: {kind}" for i, kind in enumerate(expected(scope, written))) + ")")
                break
            except SyntaxError:  # quotes within quotes, before Python 3.12
                continue
        named = rng.random() < 0.4
        if named:
            lines.append(f"S{number} = {written}")
        lines += [f"@cuda.jit({f'S{number}' if named else written})", f"def k{number}({', '.join(f'p{i}' for i in range(count))}):", "    pass"]
    return "\n".join(lines) + "\n", says


def check(options, seed, folder):
    rng = random.Random(seed)
    written, says = make(rng)
    file = folder / "k.py"
    file.write_text(written)
    done = subprocess.run([options.kernc, str(file), "--emit=ir", "-o", "-"], capture_output=True, text=True, timeout=120)
    found = [line.split(" ", 1)[1].split(")")[0] + ")" for line in done.stdout.splitlines() if line.startswith("kernel ")]
    return None if found == says else f"Python says {says}, kernc {found or done.stderr}"


def main():
    options = arguments.parser(40, keep=True).parse_args()
    return arguments.check_each(options, "built_signatures", check)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Lets all threads change one element, or one that data picks, by each operator, of each type: each is warned of, and with the
atomic that the warning writes there is no warning, and the number is right."""
import json
import pathlib
import re
import subprocess
import sys

import numpy

KERNC, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
TYPES = {"u8": "uint8", "i16": "int16", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "f32": "float32", "f64": "float64"}
COUNT = 96
# Words wrap; all other integers are numbers, which become each other without a cast where what is stored is checked.
NUMBERS = ("u8", "i16", "i32", "i64")
# The statement for elements `m`, of type T, and a value `x` of a type that may need a cast.
FORMS = {
    "add": ["{m} += {x}", "{m} = {m} + {x}", "{m} = {x} + {m}", "{m} = {m} + {x} + {c}", "{m} += {x} + {c}", "{m} = {m} + {x} - {c}"],
    "sub": ["{m} -= {x}", "{m} = {m} - {x} - {c}"],
    "max": ["{m} = max({m}, {x})", "{m} = max({x}, {m}, {c})", "if {x} > {m}:\n            {m} = {x}", "if {m} <= {x}:\n            {m} = {x}"],
    "min": ["{m} = min({m}, {x})", "{m} = min({x}, {m})", "if {x} < {m}:\n            {m} = {x}"],
    "or": ["{m} |= {x}", "{m} = {x} | {m}"],
    "and": ["{m} &= {x}", "{m} = {m} & {x} & {c}"],
    "xor": ["{m} ^= {x}", "{m} = {m} ^ {x} ^ {c}"],
}
NUMPY = {"add": numpy.add, "sub": numpy.subtract, "max": numpy.maximum, "min": numpy.minimum, "or": numpy.bitwise_or, "and": numpy.bitwise_and, "xor": numpy.bitwise_xor}


def cases():
    for element in TYPES:
        for given in TYPES:
            if given in ("u64", "f64", "u32") and element != given:
                continue
            for name, forms in FORMS.items():
                if name in ("or", "and", "xor") and (element[0] == "f" or given[0] == "f"):
                    continue
                for form in forms:
                    for picked in (False, True):
                        yield element, given, name, form, picked, False
                        if element in NUMBERS and given in NUMBERS:
                            yield element, given, name, form, picked, True


def statement(element, given, form, picked, is_checked, number):
    place = f"m_{element}[{number}, pick[i] % 4]" if picked else f"m_{element}[{number}, 0]"
    value = f"x_{given}[i]" if element == given or is_checked else f"{element}(x_{given}[i])"
    text = form.format(m=place, x=value, c="3")
    # Sums and differences of narrow integers go back by a cast, or are checked.
    narrow = element in ("u8", "i16", "i32")
    if narrow and not is_checked and re.search(r"[-+]=? ", text):
        found = re.fullmatch(r"(.*?) ([-+])= (.*)", text)
        target, value = (found[1], f"{found[1]} {found[2]} ({found[3]})") if found else text.split(" = ", 1)
        text = f"{target} = {element}({value})"
    return text


def source(statements):
    params = [f"x_{t}: {t}[:]" for t in TYPES] + [f"m_{t}: {t}[:, :]" for t in TYPES]
    head = f"@kernel\ndef k(pick: u8[:], {', '.join(params)}):\n    i = grid(1)\n    if i < pick.size:\n"
    return head + "".join(f"        {text}\n" for text in statements)


def check(statements, path):
    path.write_text(source(statements))
    done = subprocess.run([KERNC, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=120)
    found = [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    return [one for one in found if one["code"][0] == "E" or one["code"] in ("W0702", "W0745")]


def mended(chosen, path):
    """Returns the statements with what the warnings write; one of each array is warned of, so each has a file."""
    result = []
    for number, (element, given, _, form, picked, is_checked) in enumerate(chosen):
        text = statement(element, given, form, picked, is_checked, number)
        found = check([text], path)
        if len(found) != 1 or found[0]["code"] != ("W0745" if picked else "W0702"):
            sys.exit(f"{text}: {[one['message'] for one in found]}")
        fix = re.search(r"; write `(.*)`$", found[0]["message"])
        if not fix:
            sys.exit(f"{text}: {found[0]['message']}")
        result.append(fix[1])
    if found := check(result, path):
        sys.exit(f"{found[0]['message']}\n{result[found[0]['line'] - 5]}")
    return result


def expected(element, given, name, form, picked, data, pick, start):
    cells = numpy.full(4, start, TYPES[element])
    values = data[given].astype(TYPES[element])
    constant = numpy.array(3, TYPES[element])
    for at, value in zip(pick % 4 if picked else numpy.zeros(COUNT, int), values):
        cells[at] = NUMPY[name](cells[at], value)
        if "{c}" in form:
            other = numpy.subtract if form.endswith("- {c}") else NUMPY[name]
            cells[at] = other(cells[at], constant)
    return cells


def main():
    FOLDER.mkdir(exist_ok=True)
    numpy.seterr(all="ignore")
    rng = numpy.random.default_rng(5)
    chosen = list(cases())
    if len(sys.argv) < 4:
        chosen = chosen[:: len(chosen) // 90]
    fixes = mended(chosen, FOLDER / "one.kern")
    path = FOLDER / "all.kern"
    path.write_text(source(fixes))
    data = {t: (rng.integers(0, 100, COUNT) if t[0] != "f" else rng.integers(0, 100, COUNT) * 0.5).astype(n) for t, n in TYPES.items()}
    pick = rng.integers(0, 256, COUNT).astype("uint8")
    words = [f"pick=@{FOLDER}/pick.npy"]
    numpy.save(FOLDER / "pick.npy", pick)
    for t, name in TYPES.items():
        numpy.save(FOLDER / f"x_{t}.npy", data[t])
        numpy.save(FOLDER / f"m_{t}.npy", numpy.full((len(fixes), 4), 50, name))
        words += [f"x_{t}=@{FOLDER}/x_{t}.npy", f"m_{t}=@{FOLDER}/m_{t}.npy", "-o", f"m_{t}={FOLDER}/o_{t}.npy"]
    done = subprocess.run([KERNC, "run", str(path), "k", *words, "--grid=3", "--block=32"], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    stored = {t: numpy.load(FOLDER / f"o_{t}.npy") for t in TYPES}
    for number, (element, given, name, form, picked, _) in enumerate(chosen):
        want, got = expected(element, given, name, form, picked, data, pick, 50), stored[element][number]
        if not (want == got).all():
            sys.exit(f"{fixes[number]}, of {form}: {got}, {want} expected")
    print(len(chosen), "atomics are right")


main()

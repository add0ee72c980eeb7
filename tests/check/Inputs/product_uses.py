#!/usr/bin/env python3
"""Multiplies in 32 bits in each way, and uses the product in each way: checks which uses are warned of, and that what the
warning writes is compiled without one. The same of the sums that loops, `sum` and `reduce` make."""
import itertools
import json
import pathlib
import subprocess
import sys

KERNC, PATH = sys.argv[1], pathlib.Path(sys.argv[2])
# Each product, and whether it may pass 32 bits where that is warned of.
PRODUCTS = {
    "a[0] * b[0]": True,
    "a[0] ** 2": True,
    "a[0] ** 3": True,
    "a[0] * 100000": True,
    "-1000 * a[0]": True,
    "a[0] * b[0] + 1": True,
    "w * h": True,
    "w * 3600": True,
    "w * h * 4": True,
    "c[0] * 100000 * c[1]": True,
    "square(a[0])": True,
    "square_of(a[0])": True,
    "held(a[0])": True,
    "reduce(a[threadIdx.x] * b[0], add)": True,
    "reduce(a[threadIdx.x], add)": True,
    "reduce(a[threadIdx.x], plus)": True,
    "sum(a)": True,
    "p": True,
    "q": True,
    "s": True,
    # Small factors, small numbers, numbers of threads, and what says that 32 bits are enough.
    "a[0] * 2": False,
    "c[0] * c[1]": False,
    "c[0] * 1000": False,
    "reduce(c[threadIdx.x], add)": False,
    "sum(c)": False,
    "threadIdx.x * blockDim.x": False,
    "blockIdx.x * blockDim.x + threadIdx.x": False,
    "threadIdx.x * w": False,
    "(a[0] & 255) * (b[0] & 255)": False,
    "(a[0] % 1000) * 1000": False,
    "says(a[0])": False,
    "declared": False,
    "i32(c[0]) * i32(c[1])": False,
    "n * 4": False,
    "t": False,
}
USES = {
    "y[0] = {}": True,
    "y[0] += {}": True,
    "y[0] = i64({})": True,
    "take({})": True,
    "f[0] = f32({})": True,
    "y[0] = y[1] + ({})": True,
    "o[0] = ({}) // 3": True,
    "o[0] = ({}) % 3": True,
    "o[0] = ({}) >> 3": True,
    "o[0] = 1 if {} > 5 else 0": True,
    "if {} == a[1]:\n        o[0] = 1": True,
    "for j in range({}):\n        o[0] = j": True,
    "o[0] = abs({})": True,
    "o[0] = max({}, 0)": True,
    # As 32 bits it stays what it is.
    "o[0] = {}": False,
    "o[0] = ({}) & 255": False,
    "o[0] = o[1] + ({})": False,
}
HEAD = """from block import add, reduce


@device
def plus(x, y):
    return x + y


@device
def square(v):
    return v * v


@device
def square_of(v):
    return square(v)


@device
def held(v: i32):
    p = v * v
    return p


@device
def says(v: i32) -> i32:
    return v * v


@device
def take(v: i64):
    assert v != 1
"""
KERNEL = """

@kernel(block=64)
def k{}(a: i32[:], b: i32[:], c: u8[:], w: i32, h: i32, f: f32[:], y: i64[:], o: i32[:]):
"""
LOCALS = {
    "p": "p = a[0] * b[0]",
    "q": "q = a[0]\n    q *= b[0]",
    "s": "s = 0\n    for v in a:\n        s += v",
    "t": "t: i32 = 0\n    for v in a:\n        t += v",
    "n": "n = 0\n    while n < w:\n        n += h",
    "declared": "declared: i32 = a[0] * b[0]",
}


IN_FUNCTIONS = ("square(a[0])", "square_of(a[0])", "held(a[0])")
TOGETHER = 40


class Case:
    def __init__(self, product, use):
        self.product, self.use = product, use
        first = LOCALS.get(product.split(" ")[0], "")
        self.lines = ((first + "\n    " if first else "") + use.format(product)).split("\n")
        self.lines = [line.removeprefix("    ") for line in self.lines]


def diagnose(cases):
    text, at = HEAD, {}
    for number, case in enumerate(cases):
        text += KERNEL.format(number)
        for k, line in enumerate(case.lines):
            at[text.count("\n") + 1] = (case, k)
            text += f"    {line}\n"
    PATH.write_text(text)
    done = subprocess.run([KERNC, "check", str(PATH), "--diagnostics=json", "-Wno-race"], capture_output=True, text=True, timeout=60)
    found = {id(case): [] for case in cases}
    for line in (done.stdout + done.stderr).splitlines():
        one = json.loads(line)
        case, k = at[one["line"]]
        found[id(case)].append((one, k, [at.get(note["line"]) for note in one.get("notes", [])]))
    return found


def expected_codes(case):
    warns = PRODUCTS[case.product] and USES[case.use]
    return [case.product == "s" and "W0734" or case.product.startswith("c[0] * 100000") and "W0730" or "W0744"] if warns else []


def put_in(case, one, k, notes):
    """Puts what a warning writes in its place."""
    if "write `" not in one["message"] or case.product in IN_FUNCTIONS:
        return
    fix = one["message"].split("write `")[1].split("`")[0]
    line = case.lines[k]
    if fix.startswith(("p = ", "q = ")):
        case.lines[notes[0][1]] = fix
    elif fix.startswith(("o[0] = ", "y[0] = ")):
        case.lines[k] = fix
    else:
        case.lines[k] = line[: one["column"] - 5] + fix + line[one["end_column"] - 5 :]


def check(cases):
    failures = 0
    found = diagnose(cases)
    for case in cases:
        codes = [one["code"] for one, _, _ in found[id(case)]]
        # A counter of a loop that is widened may have wrapped, too.
        if case.product == "n * 4" and codes == ["W0734"] and "becomes" in found[id(case)][0][0]["message"]:
            continue
        if codes != expected_codes(case):
            failures += 1
            print(f"{case.lines}: {codes}, {expected_codes(case) or 'none'} expected")
        for each in found[id(case)]:
            put_in(case, *each)
    mended = [case for case in cases if expected_codes(case) == ["W0744"] and case.product not in IN_FUNCTIONS]
    after = diagnose(mended) if mended and not failures else {}
    for case in mended if after else []:
        for one, _, _ in after[id(case)]:
            # A product that was an i32 and is stored to one needs a cast now, which its own message writes.
            if not (one["code"] == "E0301" and "i64 does not become i32" in one["message"]):
                failures += 1
                print(f"{case.lines}: {one['message']}")
    return failures


cases = [Case(*each) for each in itertools.product(PRODUCTS, USES)]
failures = sum(check(cases[at : at + TOGETHER]) for at in range(0, len(cases), TOGETHER))
print(f"{failures} failures")
sys.exit(failures != 0)

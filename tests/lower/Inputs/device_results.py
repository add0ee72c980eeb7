#!/usr/bin/env python3
"""Device functions with each kind of result, short ones and those that nobody inlines, with faults and without: their PTX names no result
that has no bytes, and ptxas takes it in each form.

usage: device_results.py KERNC FOLDER [PTXAS]
"""
import pathlib
import subprocess
import sys

SCALARS = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64".split()
# A kind of result: its type, the expression that returns it, and what makes an i32 of it.
KINDS = {"none": ("", "", "0")}
KINDS |= {scalar: (scalar, "s > 1" if scalar == "bool" else f"{scalar}(s)", "i32(r)") for scalar in SCALARS}
KINDS |= {kind: (kind, f"{kind}(s)", "i32(r.imag)") for kind in ("c64", "c128")}
KINDS |= {
    "zero": ("()", "()", "len(r)"),
    "one": ("(f16,)", "(f16(s),)", "i32(r[0])"),
    "one_bool": ("(bool,)", "(s > 1,)", "i32(r[0])"),
    "mixed": ("(bool, f16, c64, i8)", "(s > 1, f16(s), c64(s), i8(s))", "i32(r[1]) + i32(r[2].real)"),
    "nested": ("((), (bool, (f64,)), u8)", "((), (s > 1, (f64(s),)), u8(s))", "i32(r[1][1][0])"),
    "record": ("Point", "Point(f32(s), s > 1, (f16(s), f16(1)), Empty(i8(s)))", "i32(r.h[1]) + i32(r.e.a)"),
    "array": ("i32[:]", "y[s:]", "r[0]"),
    "pair": ("(i32[:], bool)", "(y[s:], s > 1)", "r[0][0] + i32(r[1])"),
}
HEAD = """@struct
class Empty:
    a: i8


@struct
class Point:
    x: f32
    b: bool
    h: f16[2]
    e: Empty
"""
FORMS = [[], ["-O0"], ["--line-info=full"], ["--cancellable"], ["--on-fault=clamp"], ["--on-fault=clamp", "-O0"]]
LONG = 14  # lines, whose statements are more than transform/inline.cpp puts where they are called


def function(kind, size, faults):
    type, value, _ = KINDS[kind]
    body = ["    s = a"] + [f"    s = s * 3 + {j} if s > {j} else s - {j}" for j in range(LONG if size == "long" else 1)]
    body += ["    y[s] = a"] if faults else []
    body += [f"    return {value}"] if type else []
    return f"\n\n@device\ndef {name(kind, size, faults)}(y: i32[:], a: i32){' -> ' + type if type else ''}:\n" + "\n".join(body) + "\n"


def name(kind, size, faults):
    return f"{kind}_{size}{'_faults' if faults else ''}"


def calls(kind, names):
    for called in names:
        for argument in ("n", "n + 1"):
            yield f"    {'' if kind == 'none' else 'r = '}{called}(y, {argument})"
            yield f"    y[0] += {KINDS[kind][2]}"


def source(large):
    """Each kind has a kernel; where `large`, one more that is too long to be optimised calls all."""
    text, every = HEAD, []
    for kind in KINDS:
        sizes = [(size, faults) for size in ("short", "long") for faults in (False, True)]
        text += "".join(function(kind, *size) for size in sizes)
        body = list(calls(kind, [name(kind, *size) for size in sizes]))
        every += [line.replace("r", f"r_{kind}", 1) if line.startswith("    r = ") else line.replace("(r", f"(r_{kind}").replace("+= r", f"+= r_{kind}") for line in body]
        text += f"\n\n@kernel\ndef k_{kind}(y: i32[:], n: i32):\n" + "\n".join(body) + "\n"
    long = [f"    y[0] += {j} if y[0] > {j} else n" for j in range(large)]
    return text + ("\n\n@kernel\ndef large(y: i32[:], n: i32):\n" + "\n".join(every + long) + "\n" if large else "")


def main(kernc, folder, ptxas=None):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrong = tried = 0
    for large in (0, 400):
        (folder / "k.kern").write_text(source(large))
        for form in FORMS if not large else FORMS[:1]:
            for arch in ("sm_80", "sm_90"):
                tried += 1
                command = [kernc, "k.kern", f"--arch={arch}", "-o", "k.ptx", "-Wno-race", *form]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                said = done.stderr if done.returncode or ("W0909" in done.stderr) != (large > 0) else ""
                said += "a result without bytes\n" if not said and "[0])" in (folder / "k.ptx").read_text() else ""
                if ptxas and not said:
                    done = subprocess.run([ptxas, f"-arch={arch}", "-O1", "k.ptx", "-o", "k.cubin"], cwd=folder, capture_output=True, text=True)
                    said = done.stderr if done.returncode else ""
                if said:
                    wrong += 1
                    print(" ".join(command), said[:1000], sep="\n")
    print(f"{len(KINDS)} kinds of results, {tried} forms, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

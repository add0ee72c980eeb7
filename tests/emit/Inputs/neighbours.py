#!/usr/bin/env python3
"""What a kernel over a limit loses, its neighbours keep: their code is the same bytes alone and beside each kind of large kernel.

usage: neighbours.py KERNC FOLDER
"""
import pathlib
import re
import subprocess
import sys

LONG = "\n".join(f"    s = s * 3 + {j} if s > {j} else s - {j}" for j in range(20))
SMALL = f"""
T = {tuple(range(40))}

@device
def put(y: i32[:], i: i64, a: i32):
    s = a
{LONG}
    y[i] = s

@device
def pair(x: f32[:], i: i64) -> (f32, bool):
    return math.sin(x[i]), x[i] > 0.0

@kernel
def small(y: i32[:], x: f32[:], n: i32):
    i = grid(1)
    put(y, i, n)
    if i < y.size:
        s, b = pair(x, i)
        for j in range(n):
            y[i] += i32(const.array_like(T)[j % 40] * j)
        put(y, 0, i32(s) + i32(b))

"""
# Kinds of large kernels: what is written before the kernel, and its lines for a size.
LARGE = {
    "branches": ("", lambda size: [f"if v > {j}: v = v * 2" for j in range(800 * size)]),
    "variables": ("", lambda size: [line for j in range(400 * size) for line in (f"v{j} = v + {j}", f"if v > {j}: v{j} = v * 2")]
                  + [f"v += v{j}" for j in range(400 * size)]),
    "straight": ("", lambda size: [f"v = v * 3 + y[i] + {j}" for j in range(1200 * size)]),
    "tables": (f"W = {tuple(range(16000))}\nV = {tuple(range(1, 16001))}\n",
               lambda size: ["v += i32(const.array_like(W)[v & 1023] + const.array_like(V)[v & 1023])"]),
}
# With the size that passes the limit: a GPU's is ten times that of a CPU.
FORMS = {"ptx": (["--emit=ptx", "--arch=sm_90"], 11), "clamped ptx": (["--emit=ptx", "--on-fault=clamp"], 11),
         "assembly": (["--target=cpu", "--emit=asm", "--arch=x86-64-v3"], 1)}


def source(kind, size):
    head, lines_of = LARGE[kind]
    body = lines_of(size)
    lines = "\n".join("        " + line for line in body)
    return f"{head}\n@kernel\ndef large(y: i32[:]):\n    i = grid(1)\n    v = i32(0)\n    if i < y.size:\n{lines}\n        y[i] = v\n"


def functions(text):
    """The code of each function but for the large kernel."""
    # Blocks, frames and sites have numbers of the whole file.
    text = re.sub(r"(__local_depot|L__BB|LBB|LCPI|func_(?:begin|end))\d+", r"\1", text)
    text = re.sub(r"(\[param1\+0\], |mov(?:l|absq)\s+\$)\d+", r"\1", text)
    parts = re.split(r"\n(?=\.visible|\.func|\.const|\.global|[a-z][\w$]*:)", re.sub(r"^\s*//.*$", "", text, flags=re.M))
    return [part.strip() for part in parts[1:] if re.match(r"(\.visible \.entry|\.func.* kern_\d|\.func.*\n?kern_\d|(small|kern_\d+)\S*:)", part) and "large" not in part.split("\n")[0]]


def compiled(kernc, folder, text, options):
    (folder / "k.kern").write_text(text)
    done = subprocess.run([kernc, "k.kern", "-Wno-race", "-g0", "-o", "-", *options], cwd=folder, capture_output=True, text=True)
    return done.stdout, done.stderr


def main(kernc, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for form, (options, size) in FORMS.items():
        alone = functions(compiled(kernc, folder, SMALL, options)[0])
        for kind in LARGE:
            text, said = compiled(kernc, folder, SMALL + source(kind, size), options)
            is_over = "W0909" in said or kind == "tables"
            if not alone or not is_over or not set(alone) <= set(functions(text)):
                wrong += 1
                (folder / f"wrong_{wrong}").write_text(text)
                print(f"{form} beside {kind}: " + ("other code" if is_over else f"no limit was passed: {said}"))
    print(f"{len(FORMS)} forms beside {len(LARGE)} kinds of large kernels, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

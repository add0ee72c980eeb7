"""Scalar and array types of a written signature against arguments, by Numba's rule.

An integer is passed as any number that holds it, a real number as any real or complex one, an array as itself alone. Of two signatures
the one that an argument can take runs. The kernels tell what they were compiled for by what is stored.

usage: signature_matrix.py KERNC FILE.py
"""
import subprocess
import sys

KERNC, FILE = sys.argv[1:]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float32", "float64"]
ARGUMENTS = [("3", True)] + [(f"{kind}:3", True) for kind in INTEGERS] + [("2.5", False)] + [
    (f"{kind}:2.5", False) for kind in REALS]


def run(kernel, *words):
    command = [KERNC, "run", FILE, kernel, *words, "--device", "cpu", "--grid", "1", "--block", "1"]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    kernels = ["from numba import cuda"]
    for kind in INTEGERS + REALS:
        kernels.append(f"@cuda.jit('void(float64[:], {kind})')\ndef s_{kind}(r, v):\n    r[0] = v / 2\n    r[1] = cuda.grid(1)")
        kernels.append(f"@cuda.jit('void({kind}[:])')\ndef a_{kind}(r):\n    r[0] = 5 + cuda.grid(1)")
    with open(FILE, "w") as out:
        out.write("\n\n\n".join(kernels) + "\n")
    wrong = cases = 0
    for kind in INTEGERS + REALS:
        for text, is_whole in ARGUMENTS:
            cases += 1
            result = run(f"s_{kind}", "r=zeros:float64:2", f"v={text}", "--print", "r[0]")
            value = "1.5" if is_whole else "1.25"
            passes = is_whole or kind in REALS
            good = f"r[0] = {value}" in result.stdout if passes else (
                result.returncode == 2 and "error[E0828]: argument `v`" in result.stderr)
            if not good:
                wrong += 1
                print(f"{kind} of {text}:", result.stdout, result.stderr)
        kinds = INTEGERS + REALS
        for other in (kinds + kinds)[kinds.index(kind):][:3]:
            cases += 1
            result = run(f"a_{kind}", f"r=zeros:{other}:1", "--print", "r[0]")
            good = result.stdout.startswith("r[0] = 5") if other == kind else (
                result.returncode == 2 and "error[E0828]: argument `r`" in result.stderr)
            if not good:
                wrong += 1
                print(f"{kind}[:] of {other}[:]:", result.stdout, result.stderr)
    print(f"cases {cases}, wrong {wrong}")


main()

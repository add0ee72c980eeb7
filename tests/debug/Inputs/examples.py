"""Compiles every example with -g, and looks whether its debug information is sound and has variables: for CPUs by llvm-dwarfdump, PTX by
ptxas.

    examples.py KERNC FOLDER [PTXAS]
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

kernc, folder, *ptxas = sys.argv[1:]
# Objects have code for x86-64-v3 and x86-64-v4; with -O0 of one lane, where the kernel lets it.
OBJECTS = [["-O0", "-g"], ["-g"]]
OBJECTS += [["-O0", "-g", "--lanes=16", "--target=cpu", "--emit=obj", f"--arch={arch}"] for arch in ("x86-64-v3", "x86-64-v4")]


def run(*command):
    """Nothing, or what went wrong."""
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else " ".join(command) + "\n" + done.stdout + done.stderr


def check_object(example, options, file):
    wrong = run(kernc, str(example), *options, "-o", file) or run("llvm-dwarfdump", "--verify", file)
    if wrong:
        return wrong
    dump = subprocess.run(["llvm-dwarfdump", "--debug-info", file], capture_output=True, text=True).stdout
    return "" if "DW_TAG_formal_parameter" in dump else f"{example} has no variables with {options}"


def check_ptx(example, arch, folder):
    file, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    wrong = run(kernc, str(example), "-O0", "-g", f"--arch={arch}", "-o", file) or run(ptxas[0], "-g", f"-arch={arch}", file, "-o", cubin)
    if wrong:
        return wrong
    dump = subprocess.run(["llvm-dwarfdump", "--debug-info", cubin], capture_output=True, text=True).stdout
    places = dump.split("DW_TAG_formal_parameter")[1:]
    return "" if any("DW_OP_fbreg" in place for place in places) else f"{example} has no variables for {arch}"


def check(example):
    with tempfile.TemporaryDirectory() as name:
        if ptxas:
            return [check_ptx(example, arch, name) for arch in ("sm_80", "sm_90")]
        return [check_object(example, options, os.path.join(name, "k.o")) for options in OBJECTS]


examples = sorted(pathlib.Path(folder).glob("*.kern"))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    wrong = [text for texts in pool.map(check, examples) for text in texts if text]
print(*wrong, sep="\n")
print(f"{len(examples)} examples, {len(wrong)} wrong")
sys.exit(1 if wrong or not examples else 0)

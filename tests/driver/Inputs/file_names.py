"""Compiles a source under each of many names, in a folder of its own: PTX is assembled (where ptxas is given), make reads the rule of -MD and sees
exactly the two files, or kernc says that a rule has no way to name them; the headers compile, and JSON names the file.

Usage: file_names.py KERNC CXX INCLUDE MAKE|- PTXAS|-
"""
import json
import os
import subprocess
import sys

KERNC, CXX, INCLUDE, MAKE, PTXAS = sys.argv[1:]
SOURCE = "@kernel\ndef f(y: f32[:]):\n    assert y.size > 0\n    y[0] = 1.0\n"
INSIDE = list(" \t\n\r\x01\x0b\x7f\"'`:;#$%&|\\=+*?[]{}()<>!@,~^é\xff") + ["::", ":=", "$(x)", "\\ ", "\\\\ ", "\\:", "\\#", "\\\n", "\\|", "*_", "??_", "-"]
NAMES = [f"a{text}b.kern" for text in INSIDE] + ["-a.kern", "~a.kern", "@a.kern", " a.kern", "include a.kern", "define a.kern", "else.kern", "a", "a ", "a\\", "a\\\\", "a&", "a:", "a\t", "a\r", "a.kern\\", "é.py"]
NO_RULE = "a rule of make has no way to name"


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True)
    done.stdout, done.stderr = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
    return done


def path(name):
    return "./" + name if name.startswith(("-", "@")) else name


def rule_fault(folder, name, target):
    """Says what is wrong with the rule that FILE gets beside `target`."""
    made = run(folder, KERNC, path(name), "--dialect=kern", "--emit=ptx", "-o", target, "-MD", "-MF", "rule")
    if made.returncode == 2 and NO_RULE in made.stderr:
        return "" if not os.path.exists(f"{folder}/{target}") and set(name + target) & set("\n\t;=%\\& \r") else "refused"
    if made.returncode:
        return made.stderr
    if MAKE == "-":
        return ""
    os.utime(f"{folder}/{target}", (1000, 1000))
    said = run(folder, MAKE, "-rRd", "-f", "rule")
    plain = [each.removeprefix("./") for each in (name, target)]
    return "" if "Prerequisite '{}' is newer than target '{}'.".format(*plain) in said.stdout else f"make: {said.stderr or said.stdout[-200:]}"


def faults(number, name):
    folder = f"d{number}"
    os.mkdir(folder)
    with open(f"{folder}/{name}", "w") as file:
        file.write(SOURCE)
    yield rule_fault(folder, name, "out.ptx")
    yield rule_fault(folder, name, name.removesuffix(".kern") + ".ptx")
    common = [KERNC, path(name), "--dialect=kern", f"--namespace=n{number}", "-g"]
    outputs = ["-o", "k.ptx", "-o", "k.o", "-o", "k.hpp", "-o", "k.h", "-o", "k.json"]
    made = run(folder, *common, "--emit=ptx,obj,header,c-header,manifest", *outputs)
    yield made.stderr
    if PTXAS != "-":
        yield run(folder, PTXAS, "-arch=sm_80", "-lineinfo", "k.ptx", "-o", "k.cubin").stderr
    with open(f"{folder}/k.json", encoding="utf-8") as file:
        json.load(file)
    said = run(folder, KERNC, "check", path(name), "--dialect=kern", "--sig", "f(f32)", "--diagnostics=json").stderr
    yield "" if all(json.loads(line)["code"] for line in said.split("\n") if line) else said


def headers_fault(count):
    for suffix, words in (("hpp", ["-std=c++20", "-x", "c++"]), ("h", ["-std=c99", "-x", "c"])):
        with open(f"all.{suffix}", "w") as file:
            file.writelines(f'#include "d{number}/k.{suffix}"\n' for number in range(count))
        yield run(".", CXX, *words, "-Wall", "-Wextra", "-Werror", "-Wno-trigraphs", "-fsyntax-only", f"-I{INCLUDE}", f"all.{suffix}").stderr


def main():
    wrong = [(name, fault) for number, name in enumerate(NAMES) for fault in faults(number, name) if fault]
    wrong += [("headers", fault) for fault in headers_fault(len(NAMES)) if fault]
    for name, fault in wrong:
        print(ascii(name), ascii(fault[:300]))
    print(f"{len(NAMES)} names, {len(wrong)} wrong")


main()

#!/usr/bin/env python3
"""Random modules of module_names.py, or with --matrix those of module_changes.py: what python/ says that a kernel reads is what Python says, or
python/ does not know it. COMPARE_NAMES prints what check/ and python/ say; KERNC is not asked.

usage: host_names.py KERNC COMPARE_NAMES [--count N] [--seed S] [--matrix]
"""
# fuzz: no, it needs compare_names
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy

import arguments
import module_changes
import module_names


def says(binary, path):
    """Returns what is printed of each name: {(function, name): (old, new)}."""
    done = subprocess.run([binary, path], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode} {done.stderr}")
    found = {}
    for line in done.stdout.splitlines():
        kind, place, function, name, old, new = line.split("\t")
        if place.split(":")[0] == path:
            found[function, name] = old, new
    return found


def value_of(text, name):
    if text.startswith(("unknown", "nothing", "of a module", "function", "kind", "class", "file")) or "unknown" in text:
        return None
    value = eval(text)
    if name in module_names.LISTS:
        value = value if isinstance(value, tuple) else (value,)
        return len(value) * 1000 + value[0]
    return value


def object_of(text):
    """Returns the object that a text of the new side stands for; raises where it is not known."""
    if "unknown" in text or "array" in text[1:] or text.startswith(("nothing", "of a module", "function", "class", "file")):
        raise LookupError(text)
    if text.startswith("array"):
        kind, _, rest = text[len("array "):].partition(" [")
        shape, _, numbers = rest.partition("]")
        shape = [int(extent) for extent in shape.split(",") if extent.strip()]
        return numpy.array([complex(each) if kind.startswith("c") else float(each) for each in numbers.split()]).reshape(shape)
    return eval(re.sub(r"\b[fiu]\d+ ", "", text))


def check_matrix(binary, totals):
    """Evaluates what each kernel of module_changes.py reads with what python/ says of its names."""
    for text, made, given, exact in module_changes.cases():
        if given or made != "k":
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "cfg.py").write_text(module_changes.CFG)
            (folder / "module.py").write_text(text)
            expected = module_changes.python_says(text, made, given, folder)
            try:
                found = says(binary, str(folder / "module.py"))
            except RuntimeError as error:
                totals["crash"] += 1
                print(f"{error}\n{text}")
                continue
            read = text.split("    out[0] = ")[1].split("\n")[0]
            names = {name: each for (function, name), each in found.items() if function == "k"}
            totals["modules"] += 1
            known = {"new": True}
            known["old"] = all(not each[0].startswith("unknown") for each in names.values())
            try:
                scope = {name: object_of(each[1]) for name, each in names.items()}
            except (LookupError, ValueError):  # or an array that is too long to print
                known["new"] = False
            totals["old knows"] += known["old"]
            totals["new knows"] += known["new"]
            if known["new"] and abs(float(numpy.real(eval(read, dict(scope)))) - expected) > 1e-6:
                totals["wrong new"] += 1
                print(f"Python {expected}, new {eval(read, dict(scope))} of {scope}\n{text}")
            if known["old"] and not known["new"] and all("of a module" not in each[0] and "class" not in each[0] and "file" not in each[0] and "function" not in each[0] for each in names.values()):
                totals["only old"] += 1
                print(f"only old knows {names}: {text[len(module_changes.HEAD):]!r}")


def check_module(options, seed, folder, totals):
    writer = module_names.Writer(random.Random(seed))
    (folder / "cfg.py").write_text(writer.settings())
    text, path = writer.module(), folder / "module.py"
    path.write_text(text)
    seen = module_names.python_says(text, str(folder))
    if seen is None or "error" in seen["k"]:
        return arguments.SKIPPED
    found = says(options.binary, str(path))
    for place, name in enumerate(module_names.READ):
        texts = found.get(("k", name), ("nothing", "nothing"))
        old, new = (value_of(text, name) for text in texts)
        totals["names"] += 1
        totals["old knows"] += old is not None
        totals["new knows"] += new is not None
        if new is not None and new != seen["k"][place]:
            return f"{name} is {seen['k'][place]}, python/ says {texts[1]}, check/ {texts[0]}\n{text}"
    return None


def main():
    command_line = arguments.parser(200)
    command_line.add_argument("binary", help="compare_names")
    command_line.add_argument("--matrix", action="store_true", help="the modules of module_changes.py")
    options = command_line.parse_args()
    totals = dict.fromkeys(["modules", "names", "old knows", "new knows", "only old", "wrong new", "crash"], 0)
    if options.matrix:
        check_matrix(options.binary, totals)
        failed = totals["wrong new"] > 0 or totals["crash"] > 0
    else:
        failed = arguments.check_each(options, "host_names", lambda *each: check_module(*each, totals))
    print({name: count for name, count in totals.items() if count})
    return failed


if __name__ == "__main__":
    sys.exit(main())

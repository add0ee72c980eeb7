#!/usr/bin/env python3
"""Random modules whose names are bound in every way that Python has: what a kernel reads is what Python says, or kernc refuses the
name and asks for `-D NAME=VALUE`. Python runs each module with a stub of Numba, which reads a kernel's names where Numba would
compile it: at its first launch, or at the end where nothing launches it.

usage: module_names.py KERNC [--count N] [--seed S] [--seconds T]
"""
import math
import os
import random
import re
import subprocess
import sys
import types

import arguments

NAMES, LISTS = ["A", "B", "C", "D"], ["L", "M"]
READ = {name: f"{name}" for name in NAMES} | {name: f"len({name}) * 1000 + {name}[0]" for name in LISTS}


class Kernel:
    """What `cuda.jit` returns: it is compiled by running it once, with what the names are then."""

    def __init__(self, function):
        self.function, self.seen = function, None

    def compile(self):
        if self.seen is None:
            self.seen = {}
            try:
                self.function(self.seen)
            except Exception as error:  # of a name that is not there, or is no number
                self.seen["error"] = error

    def __getitem__(self, shape):
        return lambda *args: self.compile()

    def __call__(self, *args):
        return self.function(*args)


def stub():
    numba, cuda = types.ModuleType("numba"), types.ModuleType("numba.cuda")

    def jit(function=None, **options):
        if function is None:
            return lambda function: jit(function, **options)
        return function if options.get("device") else Kernel(function)

    cuda.jit, numba.cuda = jit, cuda
    numba.njit = numba.jit = lambda function: function
    return {"numba": numba, "numba.cuda": cuda}


class Writer:
    def __init__(self, random):
        self.random, self.lines, self.functions, self.serial = random, [], [], 0

    def name(self):
        return self.random.choice(NAMES)

    def number(self):
        return str(self.random.randrange(1, 9))

    def value(self):
        r = self.random
        return r.choice([self.number(), self.number(), self.name(), f"{self.name()} + {self.number()}", f"{self.name()} * 2",
                         f"len({r.choice(LISTS)})", f"{r.choice(LISTS)}[0]", f"({self.number()} if {self.name()} > 3 else {self.number()})",
                         f"max({self.name()}, {self.number()})", "(1 + 2 * 3)"])

    def fresh(self):
        self.serial += 1
        return f"f{self.serial}"

    def statement(self):
        """Returns the lines of one statement of the top level."""
        r, n, v, m = self.random, self.name(), self.value(), self.name()
        lst, f = r.choice(LISTS), self.fresh()
        forms = {
            "assign": [f"{n} = {v}"] , "assign2": [f"{n} = {v}"], "assign3": [f"{n} = {v}"],
            "augmented": [f"{n} {r.choice(['+=', '-=', '*=', '|='])} {v}"],
            "tuple": [f"{n}, {m} = {v}, {self.value()}"],
            "nested": [f"({n}, ({m}, D)) = ({v}, (7, {self.value()}))"],
            "list target": [f"[{n}, {m}] = {v}, 4"],
            "chain": [f"{n} = {m} = {v}"],
            "starred": [f"{n}, *rest = {v}, 2, 3"],
            "annotated": [f"{n}: int = {v}"],
            "semicolon": [f"{n} = {v}; {m} = {n}"],
            "if": [f"if {m} > 3:", f"    {n} = {v}"],
            "if else": [f"if {m} > 3:", f"    {n} = {v}", "else:", f"    {n} = {self.value()}"],
            "one line if": [f"if {m} > 3: {n} = {v}"],
            "for": [f"for {n} in range({self.number()}):", "    pass"],
            "for body": [f"for i in range({self.number()}):", f"    {n} += 1"],
            "for else": [f"for {n} in (1, 2):", "    pass", "else:", f"    {m} = {v}"],
            "while": [f"while {n} > 3:", f"    {n} -= 2"],
            "try": ["try:", f"    {n} = {r.choice([v, self.number()])}", "except ImportError:", f"    {n} = 5"],
            "try raises": ["try:", f"    {n} = 1 // 0", "except ZeroDivisionError:", f"    {n} = {v}"],
            "try finally": ["try:", f"    {n} = {v}", "finally:", f"    {m} = {self.value()}"],
            "try else": ["try:", f"    {n} = 3", "except ValueError:", "    pass", "else:", f"    {m} = {v}"],
            "guarded": ["try:", f"    from cfg import {n}", "except ImportError:", "    pass"],
            "guarded none": ["try:", f"    from nowhere import {n}", "except ImportError:", f"    {n} = {v}"],
            "guarded name": ["try:", f"    from cfg import missing as {n}", "except ImportError:", f"    {n} = {v}"],
            "guarded module": ["try:", "    import nowhere", f"    {n} = 4", "except ImportError:", f"    {n} = {v}"],
            "except as": ["try:", "    raise ValueError(1)", f"except ValueError as {n}:", "    pass", f"{n} = {v}"],
            "with": [f"with Context({v}) as {n}:", "    pass"],
            "with body": [f"with Context({v}):", f"    {m} = {self.value()}"],
            "with tuple": [f"with Context(({v}, 3)) as ({n}, {m}), Context(1):", "    pass"],
            "del": [f"del {n}", f"{n} = {v}"],
            "walrus": [f"print(({n} := {v}), file=quiet)"],
            "walrus in if": [f"if ({n} := {v}) > 2:", "    pass"],
            "format": [f"f'{{({n} := {v})}}'"],
            "match": [f"match ({v}, 3):", f"    case ({n}, {m}):", "        pass"],
            "item": [f"{lst}[0] = {v}"],
            "append": [f"{lst}.append({v})"],
            "extend": [f"{lst} += [{v}]"],
            "list": [f"{lst} = [{v}, {self.value()}]"],
            "alias": [f"M = L"],
            "alias in tuple": [f"M, {n} = L, {v}"],
            "slice": [f"{lst}[0:1] = [{v}, 6]"],
            "del item": [f"{lst}.append(1)", f"del {lst}[0]"],
            "loop over": [f"for {n} in L:", "    pass"],
            "handed on": [f"change({lst}, {v})"],
            "global": [f"def {f}():", f"    global {n}", f"    {n} = {v}", f"{f}()"],
            "global uncalled": [f"def {f}():", f"    global {n}", f"    {n} = {v}"],
            "global later": [f"def {f}():", f"    global {n}", f"    {n} = {v}", f"def {f}b(): {f}()", f"{f}b()"],
            "global inner": [f"def {f}():", "    def inner():", f"        global {n}", f"        {n} = {v}", "    inner()", f"{f}()"],
            "global escapes": [f"def {f}():", f"    global {n}", f"    {n} = {v}", f"todo.append({f})"],
            "own local": [f"def {f}():", f"    {n} = {v}", f"    return {n}", f"{f}()"],
            "changes list": [f"def {f}(): {lst}.append({v})", f"{f}()"],
            "class": [f"class {n}: pass", f"{n} = {v}"],
            "class body": [f"class K{f}:", f"    global {n}", f"    {n} = {v}"],
            "method": [f"class K{f}:", f"    def set(self):", f"        global {n}", f"        {n} = {v}", f"K{f}().set()"],
            "def over": [f"def {n}(): return 1", f"{n} = {v}"],
            "globals": [f"globals()['{n}'] = {v}"],
            "exec": [f"exec('{n} = 3')"],
            "vars": [f"vars()['{n}'] = {v}"],
            "import from": [f"from cfg import {n}"],
            "import as": [f"from cfg import {n} as {m}"],
            "import both": [f"from cfg import ({n}, {m} as D)"],
            "star": ["from cfg import *"],
            "star math": ["from math import *"],
            "module": ["import cfg", f"{n} = cfg.{m}"],
            "module as": ["import cfg as settings", f"{n} = settings.{m}"],
            "module attribute": ["import cfg", f"cfg.{m} = {v}", f"{n} = cfg.{m}"],
            "setattr": ["import cfg", f"setattr(cfg, '{m}', {v})", f"{n} = cfg.{m}"],
            "module call": ["import cfg", f"cfg.set_a({v})", "A = cfg.A"],
            "device again": ["@cuda.jit(device=True)", f"def given(v={m}):", "    return v + 10"],
            "import again": ["from numba import cuda"],
            "same again": [f"{n} = 3", "j[1, 1](x)", f"{n} = 3"],
            "math": ["import math as m", f"{n} = m.pi"],
            "from math": [f"from math import tau as {n}"],
            "math attribute": ["import math", "math.tau = 5", f"{n} = math.tau"],
            "comprehension": [f"{n} = [{m} for {m} in (1, 2)][0]"],
            "lambda": [f"{n} = (lambda {m}: {m})({v})"],
            "decorated": [f"@run", f"def {f}():", f"    global {n}", f"    {n} = {v}"],
            "launch": ["k[1, 1](x)"], "launch2": ["j[1, 1](x)"],
            "launch in main": [f"def {f}(): k[1, 1](x)", f"{f}()"],
            "launch under if": ["if True:", "    j[1, 1](x)"],
            "launch by name": ["go = k", "go[1, 1](x)"],
            "run todo": ["for each in todo:", "    each()"],
        }
        return forms[r.choice(list(forms))]

    def kernels(self):
        reads = "\n".join(f"    x[{i}] = {READ[name]}" for i, name in enumerate(READ))
        calls = "\n".join(f"    x[{i}] = read_{name}()" for i, name in enumerate(NAMES))
        devices = "\n".join(f"@cuda.jit(device=True)\ndef read_{name}():\n    return {name}" for name in NAMES)
        return [f"@cuda.jit\ndef k(x):\n{reads}", devices + f"\n@cuda.jit\ndef j(x):\n{calls}\n    x[4] = given()"]

    def module(self):
        r = self.random
        lines = ["import sys", "from numba import cuda", "quiet = sys.stderr", "todo, x = [], None", "def run(function): function()",
                 "class Context:", "    def __init__(self, value): self.value = value", "    def __enter__(self): return self.value",
                 "    def __exit__(self, *rest): pass", "def change(some, value): some[0] = value"]
        lines += [f"{name} = {self.number()}" for name in NAMES] + ["L = [1, 2]", "M = [3]"]
        parts = [["@cuda.jit(device=True)", f"def given(v={self.name()}):", "    return v"] + self.kernels()]
        parts += [self.statement() for _ in range(r.choice([1, 1, 2, 3, 5, 8]))]
        if r.random() < 0.5:  # else the kernels stand first, and can be launched anywhere
            parts = [part for part in parts[1:] if not re.search(r"\b[kj]\b", " ".join(part))] + parts[:1]
        return "\n".join(lines + [line for part in parts for line in part]) + "\n"

    def settings(self):
        r = self.random
        lines = [f"{name} = {self.number()}" for name in NAMES]
        lines += r.sample(["A += 1", "B = A", "_hidden = 3", "def set_a(v):\n    global A\n    A = v", "C = 9\nif True: C = 8",
                           "__all__ = ['A', 'B']", "from math import pi as D"], 3)
        return "\n".join(lines + ["def set_a(v):\n    global A\n    A = v"]) + "\n"


def python_says(text, folder):
    """Returns what each kernel sees: {kernel: {place: value}}; None where the module itself fails."""
    before, tau = dict(sys.modules), math.tau
    sys.modules.update(stub())
    sys.path.insert(0, folder)
    scope, error_stream = {"__name__": "module"}, sys.stderr
    try:
        sys.stderr = open(os.devnull, "w")
        exec(compile(text, "module.py", "exec"), scope)
        for kernel in "kj":
            scope[kernel].compile()
        return {kernel: scope[kernel].seen for kernel in "kj"}
    except Exception:
        return None
    finally:
        sys.stderr.close()
        sys.stderr = error_stream
        sys.path.remove(folder)
        for name in set(sys.modules) - set(before):
            del sys.modules[name]
        sys.modules.update(before)
        math.tau = tau


class Wrong(Exception):
    pass


def kern_says(kernc, path, kernel, defines):
    words = [kernc, "run", path, kernel, "x=zeros:f64:6", "--grid", "1", "--block", "1", "--device=cpu", "--print", "x"]
    for name, value in defines.items():
        words += ["-D", f"{name}={value}"]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def check(kernc, path, kernel, seen):
    """Raises Wrong where a value is another one; returns how many names were refused."""
    done = kern_says(kernc, path, kernel, {})
    if done.returncode == 0:
        values = eval(done.stdout.partition("=")[2])
        if "error" in seen:
            raise Wrong(f"Python: {seen['error']!r}\nKern: {values}")
        for place, value in seen.items():
            if values[place] != value:
                raise Wrong(f"x[{place}] of {kernel}: Python {value}, Kern {values[place]}")
        return 0
    if done.returncode != 1:
        raise Wrong(f"exit {done.returncode}\n{done.stderr}")
    errors = re.findall(r"error\[(E\d+)\]: (.*)", done.stderr)
    refused = {match for code, text in errors for match in re.findall(r"`-D ([\w.]+)=VALUE`", text)}
    # A function that a device function would return is refused as such.
    as_functions = {"E0460", "E0461"} | ({"E0337"} if any(map(callable, seen.values())) else set())
    other = [(code, text) for code, text in errors if "-D" not in text and code not in as_functions]
    if other and "error" not in seen:
        raise Wrong(f"refused in other words: {other}")
    # The advice helps: with every name given there is nothing to refuse.
    if refused and "error" not in seen and kernel == "k":
        given = {name: repr(seen[i]) for i, name in enumerate(READ) if name in NAMES}
        given |= {name: f"({int(seen[i]) % 1000},{' 0,' * (int(seen[i]) // 1000 - 1)})" for i, name in enumerate(READ) if name in LISTS}
        again = kern_says(kernc, path, kernel, given)
        if again.returncode or eval(again.stdout.partition("=")[2])[: len(seen)] != list(seen.values()):
            raise Wrong(f"with -D: {again.stdout}{again.stderr}")
    return len(refused) or 1


def check_module(options, seed, folder, refused):
    writer = Writer(random.Random(seed))
    (folder / "cfg.py").write_text(writer.settings())
    text, path = writer.module(), folder / "module.py"
    path.write_text(text)
    seen = python_says(text, str(folder))
    if seen is None:
        return arguments.SKIPPED
    for kernel in "kj":
        try:
            refused.append(check(options.kernc, str(path), kernel, seen[kernel]) > 0)
        except (Wrong, subprocess.TimeoutExpired) as error:
            return f"{error}\n---- cfg.py\n{(folder / 'cfg.py').read_text()}---- module.py\n{text}"
    return None


def main():
    options, refused = arguments.parser(100).parse_args(), []
    failed = arguments.check_each(options, "module_names", lambda *each: check_module(*each, refused))
    print(f"{len(refused)} kernels, {sum(refused)} with a name refused")
    return failed


if __name__ == "__main__":
    sys.exit(main())

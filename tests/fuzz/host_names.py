#!/usr/bin/env python3
"""Random modules of module_names.py, or with --matrix those of module_changes.py: what python/ says that a kernel reads is what Python says, or
python/ does not know it. With --arrays, modules that make arrays, take views of them and store into both. With --programs,
those of Inputs/host_programs.txt, each in functions, branches, loops and `try`. PRINT_NAMES prints what python/ says; KERNC is not asked.

usage: host_names.py KERNC PRINT_NAMES [--count N] [--seed S] [--matrix | --arrays | --programs]
"""
# fuzz: no, it needs print_names
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import types
import warnings

import numpy

import arguments
import module_arrays
import module_changes
import module_names


def says(binary, path):
    """Returns what is printed of each name: {(function, name): text}."""
    done = subprocess.run([binary, path], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode} {done.stderr}")
    found = {}
    for line in done.stdout.splitlines():
        place, function, name, text = line.split("\t")
        if place.split(":")[0] == path:
            found[function, name] = text
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
            try:
                scope = {name: object_of(each) for name, each in names.items()}
            except (LookupError, ValueError):  # or an array that is too long to print
                continue
            totals["known"] += 1
            if abs(float(numpy.real(eval(read, dict(scope)))) - expected) > 1e-6:
                totals["wrong"] += 1
                print(f"Python {expected}, python/ {eval(read, dict(scope))} of {scope}\n{text}")


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
        says_so = found.get(("k", name), "nothing")
        value = value_of(says_so, name)
        totals["names"] += 1
        totals["known"] += value is not None
        if value is not None and value != seen["k"][place]:
            return f"{name} is {seen['k'][place]}, python/ says {says_so}\n{text}"
    return None


# Where a program may stand: what it makes of A to H is the same in all of them.
WRAPS = {
    "plain": "{0}",
    "branch": "if len('a') == 1:\n{1}",
    "loop": "for once in range(1):\n{1}",
    "try": "try:\n{1}\nfinally:\n    done = 1",
    "function": "def main():\n    global A, B, C, D, E, F, G, H\n{1}\nmain()",
    "call": "def main(much):\n    global A, B, C, D, E, F, G, H\n    if much > 1:\n{2}\nmain(2)",
}


def indented(text, depth):
    return "".join(" " * 4 * depth + line for line in text.splitlines(True)).rstrip()


def check_program(binary, text, path, totals):
    """Runs a program with Python, and compares each of A to H that python/ knows."""
    module = types.ModuleType("host_program")
    sys.modules[module.__name__] = module
    real_pi = math.pi
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except SyntaxError:  # `global` of a name that is used before, or `nonlocal` of one that is none any more
        return
    finally:
        math.pi = real_pi
    wanted = {name: value for name, value in vars(module).items() if name in "ABCDEFGH" and not isinstance(value, type)}
    path.write_text(f"from numba import cuda\n{text}\n@cuda.jit\ndef k(out):\n    out[0] = ({', '.join(wanted)},)\n")
    found = says(binary, str(path))
    for name, want in wanted.items():
        new = found.get(("k", name), "unknown")
        totals["names"] += 1
        if "unknown" in new or new.startswith(("nothing", "of a module", "function", "class", "file")):
            continue
        totals["known"] += 1
        got = eval(new, {"inf": math.inf})
        # print_names prints lists as tuples, and one of one element as that element.
        same = (got, tuple(want) if isinstance(want, list) else want)
        if same[0] != same[1] and (got,) != same[1]:
            totals["wrong"] += 1
            print(f"{name} is {want!r}, python/ says {new}\n{text}\n")


def check_programs(binary, totals):
    texts = (pathlib.Path(__file__).parent / "Inputs" / "host_programs.txt").read_text().split("---\n")
    with tempfile.TemporaryDirectory() as folder:
        for text in texts:
            for wrap in WRAPS.values():
                check_program(binary, wrap.format(text.rstrip(), indented(text, 1), indented(text, 2)), pathlib.Path(folder) / "module.py", totals)


TYPES = {"f": "float", "i": "int", "u": "uint", "c": "complex"}


class Arrays(module_arrays.Writer):
    """Modules of arrays: names A to H, each made of those before it, and stores between them."""

    def dtype(self):
        r = self.random
        more = ["np.float16", "np.complex64", "np.complex128", "bool", "np.uint16", "np.uint64", "'<i2'", "'f4'", "np.dtype('u1')", "np.dtype(np.int32)"]
        return r.choice(["", f", dtype={r.choice(module_arrays.DTYPES + more)}"])

    def number(self):
        return self.random.choice(["0", "1", "2", "3", "7", "-1", "0.5", "2.25", "-3.5", "100", "True", "1j", "2 - 0.5j", "np.float32(0.1)", "np.int8(5)"])

    def view(self, of):
        return self.random.choice([f"{of}.T", f"{of}[::-1]", f"{of}[1:]", f"{of}[..., 0]", f"{of}[None]", f"{of}.ravel()", f"{of}.reshape(-1)", f"{of}[0]",
                                   f"{of}.real", f"{of}.imag", f"np.asarray({of})", f"np.ascontiguousarray({of})", f"{of}[::2, ::-1]", f"{of}.transpose()",
                                   f"{of}.view()", f"np.reshape({of}, -1)", f"{of}.reshape({of}.shape[::-1])", f"{of}[:, 1:].T", f"{of}.view(np.float64)",
                                   f"np.asfortranarray({of})", f"{of}.T.reshape(-1)", f"{of}[:, None]", f"{of}.view(np.uint32)"])

    def result(self, of, other):
        r = self.random
        op = r.choice(["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "<", ">=", "==", "!="])
        name = r.choice(["sqrt", "abs", "floor", "ceil", "trunc", "rint", "negative", "square", "fabs", "copy", "zeros_like", "ones_like", "positive", "invert"])
        two = r.choice(["minimum", "maximum", "fmin", "fmax", "add", "multiply", "less", "floor_divide", "mod", "bitwise_and"])
        right = r.choice([other, self.number(), self.number(), "[1, 2]", "2", "0.5", "-1"])
        # NumPy's own code for other powers differs between processors.
        return r.choice([f"{of} {op} {right}", f"{of} {op} {right}", f"{of} ** {r.choice([2, 2.0])}", f"{self.number()} {op} {of}", f"-{of}", f"~{of}", f"np.{name}({of})",
                         f"np.{two}({of}, {right})", f"{of}.astype({r.choice(module_arrays.DTYPES)})", f"{of}.copy()", f"{of}.flatten()", f"np.array([{of}, {other}])",
                         f"np.concatenate(({of}, {other}), axis={r.randrange(-1, 2)})", f"{of}.sum()", f"{of}.min()", f"{of}.max()", f"{of}.any()", f"{of}.tolist()",
                         f"{of}.argmax()", f"{of}.prod()", f"{of}.conj()", f"np.repeat({of}, {r.randrange(3)})", f"np.full_like({of}, {self.number()})", f"({of}.T + 1)",
                         f"np.array({of}.tolist(){self.dtype()})", f"{of}.dtype.itemsize + {of}.ndim + {of}.size", f"np.zeros({of}.shape, {of}.dtype)",
                         f"np.float32({of})", f"np.array([np.iinfo(np.int16).max, np.finfo(np.float32).eps]{self.dtype()})", f"{of}.item(0)", f"{of}.shape",
                         f"np.finfo({of}.dtype).{r.choice(['max', 'eps', 'tiny'])}", f"np.iinfo({of}.dtype).{r.choice(['max', 'min'])}"])

    def store(self, of, other):
        value = self.random.choice([other, self.number(), self.number(), f"{of} * 2", f"{of}[::-1]"])
        return self.random.choice([f"{of}[0] = {value}", f"{of}[:] = {value}", f"{of}[..., -1] = {value}", f"{of}[1:, 0] = {value}", f"{of} += {value}",
                                   f"{of}[0] *= {self.number()}", f"{of} -= {value}", f"{of}.fill({self.number()})", f"{of}[-1, -1] = {self.number()}",
                                   f"for i in range(len({of})):\n    {of}[i] = i"])

    def module(self):
        """Returns the statements that a run of them does not refuse, and what the names are then."""
        r, kept = self.random, []
        scope = {"np": numpy}
        for name in "ABCDEFGH":
            known = [each for each in "ABCDEFGH" if isinstance(scope.get(each), numpy.ndarray)] or [None]
            of, other = r.choice(known), r.choice(known)
            made = r.choice([f"{name} = {self.make()}", f"{name} = {self.make()}"] if of is None else
                            [f"{name} = {self.make()}", f"{name} = {self.view(of)}", f"{name} = {self.view(of)}", f"{name} = {self.result(of, other)}",
                             f"{name} = {self.result(of, other)}"])
            for statement in [made] + [self.store(r.choice(known), other) for _ in range(r.randrange(3)) if of]:
                trial = {"np": numpy}
                try:
                    with numpy.errstate(all="ignore"), warnings.catch_warnings():
                        warnings.simplefilter("error", DeprecationWarning)
                        exec("\n".join(kept + [statement]), trial)
                except (ValueError, TypeError, OverflowError, IndexError, AttributeError, DeprecationWarning, ZeroDivisionError):
                    continue
                kept.append(statement)
                scope = trial
        names = [name for name in "ABCDEFGH" if name in scope]
        text = ["import numpy as np", "from numba import cuda"] + kept + ["", "", "@cuda.jit", "def k(x):", f"    x[0] = {', '.join(names)},"]
        return "\n".join(text) + "\n", {name: scope[name] for name in names}


def dtype_of(short):
    return numpy.dtype("bool") if short == "bool" else numpy.dtype(f"{TYPES[short[0]]}{short[1:]}")


def is_array(text, want):
    """Compares what is printed of an array, or of a number with a type, to the bit; of a long one its front."""
    kind, _, rest = text.removeprefix("array ").partition(" ")
    shape, _, numbers = rest.partition("]") if text.startswith("array") else ("", "", rest)
    if text in ("True", "False"):
        kind, numbers = "bool", text
    if dtype_of(kind) != want.dtype or [int(extent) for extent in shape.strip("[").split(",") if extent.strip()] != list(want.shape):
        return False
    read = numbers.replace("True", "1").replace("False", "0").replace("(", "").replace(")", "").replace(",", " ").split()
    plain = numpy.ascontiguousarray(want).ravel()
    plain = plain.view(plain.real.dtype) if plain.dtype.kind == "c" else plain
    convert = int if plain.dtype.kind in "iub" else float
    found = numpy.array([convert(each) for each in read], plain.dtype)
    return (len(found) == len(plain) or len(text) > 400) and module_arrays.is_same(found, plain[:len(found)])


def is_value(text, want):
    if isinstance(want, (numpy.ndarray, numpy.generic)):
        return is_array(text, numpy.asarray(want)) or (isinstance(want, numpy.bool_) and text == str(want))
    found = eval(re.sub(r"\bi64 ", "", text), {"nan": numpy.nan, "inf": numpy.inf})
    return list(flat(found)) == list(flat(want)) or want != want and found != found


def flat(value):
    """The numbers of nested tuples or lists, as texts: of a tuple of one what is printed is that one."""
    if not isinstance(value, (list, tuple)):
        return [str(value)]
    return [each for part in value for each in flat(part)]


def check_arrays(options, seed, folder, totals):
    text, wanted = Arrays(random.Random(seed)).module()
    path = folder / "arrays.py"
    path.write_text(text)
    found = says(options.binary, str(path))
    for name, want in wanted.items():
        says_so = found["k", name]
        totals["names"] += 1
        if value_is_unknown(says_so):
            continue
        totals["known"] += 1
        if not is_value(says_so, want):
            return f"{name} is {want!r}, python/ says {says_so}\n{text}"
    return None


def value_is_unknown(text):
    return "unknown" in text or "of a module" in text or text == "nothing"


def main():
    command_line = arguments.parser(200)
    command_line.add_argument("binary", help="print_names")
    command_line.add_argument("--matrix", action="store_true", help="the modules of module_changes.py")
    command_line.add_argument("--arrays", action="store_true", help="modules of arrays")
    command_line.add_argument("--programs", action="store_true", help="what Python's statements and functions do")
    options = command_line.parse_args()
    totals = dict.fromkeys(["modules", "names", "known", "wrong", "crash"], 0)
    if options.matrix or options.programs:
        (check_matrix if options.matrix else check_programs)(options.binary, totals)
        failed = totals["wrong"] > 0 or totals["crash"] > 0
    else:
        if options.arrays and hasattr(numpy, "_set_promotion_state"):
            numpy._set_promotion_state("weak")  # as NumPy 2 computes
        check = check_arrays if options.arrays else check_module
        failed = arguments.check_each(options, "host_names", lambda *each: check(*each, totals))
    print({name: count for name, count in totals.items() if count})
    # Of most names it is known what they are.
    return failed or totals["known"] * 2 < max(totals["names"], totals["modules"])


if __name__ == "__main__":
    sys.exit(main())

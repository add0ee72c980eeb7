"""Which files of the tree are compiled for the table of guards, and with which options.

An executed test is a text test one of whose RUN lines runs its own file. Options that change the code (-D, -I, --dialect, ...) are taken
from that line, each set once; functions of a .py file get the types of the arguments there, as `kernc run` gives them.
"""
import ast
import re
import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    file: str
    options: tuple = ()

    def __str__(self):
        return " ".join([self.file, *self.options])


# Options of a run that change what guards there are.
TAKEN = re.compile(r"^(-D.+|-I.+|--dialect=.+|--negative-index=.+|--sig=.+|--fast-math)$")
# Types as a .py file's signature has them.
NUMBA = {"i": "int", "u": "uint", "f": "float", "c": "complex", "b": "bool"}


def run_lines(text):
    lines, going = [], ""
    for match in re.finditer(r"RUN:[ \t]*(.*)", text):
        line = going + match[1].rstrip()
        going = line[:-1] if line.endswith("\\") else ""
        if not going:
            lines.append(line)
    return lines


def runs_of(text):
    """The words behind each `%kernc run` that runs the test's own file."""
    for line in run_lines(text):
        for command in re.split(r"\s(?:\||&&|;|\|\|)\s", line):
            at = command.find("%kernc run ")
            if at < 0 or "%s" not in command:
                continue
            try:
                words = shlex.split(command[at + len("%kernc run "):])
            except ValueError:
                continue
            yield [word for word in words if not re.match(r"^\d?>", word)]


def numba_name(short):
    match = re.match(r"^(bool|[iufc])(\d*)$", short)
    return short if not match else "bool_" if match[1] == "bool" else NUMBA[match[1]] + match[2]


def value_type(value):
    """The type of an argument of `kernc run`; None where the words alone do not say it."""
    made = re.match(r"^(?:zeros|ones|full|arange|uniform):(\w+):([\dx]+)", value)
    if made:
        return numba_name(made[1]) + "[" + ", ".join(":" * len(made[2].split("x"))) + "]"
    listed = re.match(r"^(\w+):(\[+)", value)
    if listed:
        return numba_name(listed[1]) + "[" + ", ".join(":" * len(listed[2])) + "]"
    scalar = re.match(r"^([iuf]\d+|bool):", value)
    if scalar:
        return numba_name(scalar[1])
    if re.fullmatch(r"-?\d+", value):
        return "int64"
    if value in ("True", "False"):
        return "bool_"
    if re.fullmatch(r"-?\d*\.\d*(e-?\d+)?|-?\d+e-?\d+|-?inf|nan", value):
        return "float64"
    return None


def signatures_of(source, words):
    """--sig of each stage of a run of a .py file."""
    try:
        definitions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return []
    functions = {node.name: [a.arg for a in node.args.args] for node in definitions}
    decorated = [node.name for node in definitions if node.decorator_list]
    at = words.index("%s")
    words = words[at + 1:]
    if "--then" in words:
        return []
    name = words[0] if words and words[0] in functions else decorated[-1] if len(decorated) == 1 else None
    # A generated kernel has other parameters than its function, and `*args` are as many as are given.
    makers = "|".join(["vectorize", "reduce", *re.findall(r"^(\w+) = [\w.]*vectorize\(", source, re.MULTILINE)])
    if name is None or re.search(rf"@[\w.]*({makers})\b[^@]*?\ndef {name}\(|\ndef {name}\([^)]*\*", source):
        return []
    types = {}
    for word in words:
        given = re.match(r"^([A-Za-z_]\w*)=(.*)$", word)
        if given and given[1] in functions[name]:
            like = re.match(r"^(?:like|copy):(\w+)$", given[2])
            types[given[1]] = types.get(like[1]) if like else value_type(given[2])
    if any(types.get(parameter) is None for parameter in functions[name]):
        return []
    return [f"--sig={name}({', '.join(types[p] for p in functions[name])})"]


def units_of(path, relative):
    text = path.read_text(errors="replace")
    seen = []
    for words in runs_of(text):
        if "%s" not in words:
            continue
        if any("%" in word for word in words if TAKEN.match(word)):
            continue
        options = [word for word in words if TAKEN.match(word)]
        if path.suffix == ".py" or "--dialect=numba" in options:
            signatures = signatures_of(text, words)
            if not signatures and not re.search(r"@cuda\.jit\(\S", text):
                continue
            options += signatures
        unit = Unit(relative, tuple(dict.fromkeys(options)))
        if unit not in seen:
            seen.append(unit)
    return seen


def units(source):
    found = [Unit(str(p.relative_to(source))) for folder in ("examples", "benchmarks") for p in sorted((source / folder).glob("*.kern"))]
    for path in sorted((source / "tests").rglob("*")):
        relative = path.relative_to(source)
        # Tests of errors have no guards to lose; generators are no tests of one file.
        if path.suffix in (".kern", ".py") and "Inputs" not in relative.parts and relative.parts[1] not in ("fuzz", "unit", "guards") and not path.name.startswith("fail_"):
            found += units_of(path, str(relative))
    return found

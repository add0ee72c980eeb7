#!/usr/bin/env python3
"""Whatever text a message offers is put where it belongs and compiled: what it was offered for is gone, and nothing new has come. The
messages are those of the programs of the tests whose expected lines have an offer, and of the programs of `kernc explain`. An offer is what
stands in backquotes behind a verb of VERBS; a message of the tables that has another verb there must be added to one of the two lists.

usage: offers.py KERNC TESTS [--part K/N] [--only TEXT] [--verbose]
"""
import argparse
import ast
import collections
import copy
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# Verbs before a text that takes the place of another one, and those whose text is none: a name, an option without its value.
VERBS = ["write", "declare", "annotate it", "convert it", "convert the value", "convert what it meets"]
OTHERS = ["name", "give", "keep", "use", "take"]
SOURCE = pathlib.Path(__file__).resolve().parents[3] / "compiler"
OFFER = re.compile(rf"\b({'|'.join(VERBS)})(?: it where it starts)?:? ((?:the [a-z ]+ )?)`([^`]+)`((?:[^;`]*? or `[^`]+`(?! or))*)")
SEVERAL = re.compile(r"write `[^`]*` (?:for|before) `|\binstead of `|\band write `|before (?:this|the store)|others may have")  # that change more than one place
# Messages that name a construct, and no text for their place.
CONSTRUCTS = {"E0206", "E0213", "E0802", "E0831", "E0836"}
# What makes a float of an operand, or a local wider: where that goes into something narrower, the next message (E0301) writes the cast.
WIDENING = {"E0303", "E0304", "W0747"}
# An atomic of a part of a complex number is written with the whole number as its value, which has to be followed by the part's name.
PARTS = re.compile(r"atomic\.\w+\(\w+\.(?:real|imag), ")
HERE = re.compile(r"takes `([^`]+)` here")
WHOLE = re.compile(r"`([^`]+)` takes the whole part of a float, `([^`]+)` its bits")
STATEMENT = re.compile(r"(?:return\b|[A-Za-z_][\w.]*(?:\[[^=]*\])? *(?::[^=]+)?(?:[-+*/%&|^@]|<<|>>|//|\*\*)?= )")
DECLARED = re.compile(r"(\w+): ([\w\[\]:, ]+?)(?: = (.*))?$")


def new_verbs():
    """The verbs of the tables that neither list has."""
    known = {verb.split()[0] for verb in VERBS + OTHERS}
    for table in sorted((SOURCE / "diagnostics").glob("*.def")):
        for row in re.finditer(r'^DIAGNOSTIC\((\w+), \w+, \w+,\s*"((?:[^"\\]|\\.)*)"', table.read_text(), re.M):
            for verb in re.findall(r"[;:] (?:or )?([a-z]+) (?:it )?`?\{\d\}", row[2]):
                if verb not in known and verb not in ("a", "the", "of", "from", "kernel"):
                    yield f"{row[1]}: {verb}"


def codes_of_checks():
    """The warnings that say something of types, not of threads: they are as many for a program with an error as for one without."""
    text = "".join(path.read_text() for path in (SOURCE / "check").glob("*.cpp"))
    rows = re.findall(r"^DIAGNOSTIC\((W\d+), \w+, (\w+)", (SOURCE / "diagnostics/warnings.def").read_text(), re.M)
    return {code for code, name in rows if f"diag::{name}" in text}


class Program:
    def __init__(self, name, text, words, folder):
        self.name, self.text, self.words, self.folder = name, text, words, folder  # `words` of kernc, %s for the file

    def diagnostics(self, kernc, text):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / self.name
            path.write_text(text)
            words = [str(path) if word == "%s" else word.replace("%S", str(self.folder)).replace("%t", f"{scratch}/t") for word in self.words]
            words += ["-I", str(self.folder)] if self.folder else []
            done = subprocess.run([kernc, *words, "--diagnostics=json"], capture_output=True, text=True, timeout=60, cwd=scratch)
        if done.returncode not in range(7):
            sys.exit(f"exit code {done.returncode} of {self.name}: {done.stderr}\n{text}")
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith('{"severity"')]
        found = [json.loads(line) for line in lines]
        own = lambda place: place.get("file", str(path)) == str(path)
        return [one | {"notes": [note for note in one["notes"] if own(note)]} for one in found if own(one)]


def programs_of(path):
    """The commands of a test whose program is the test itself."""
    text = path.read_text()
    if not re.search(rf"(?:CHECK|[A-Z]+)(?:-\w+)?:.*(?:{'|'.join(VERBS)})[^`]*`|CHECK.*whole part", text):
        return
    seen = set()
    for line in re.findall(r"^# RUN: (.*)$", text, re.M):
        command = re.split(r" [|&]+ |;|>", line.replace("2>&1", "").strip())[0].strip()
        found = re.match(r"(?:%exits \d )?%kernc (.*%s.*)", command)
        if not found or "%python" in found[1] or "--diagnostics" in found[1] or found[1] in seen:
            continue
        seen.add(found[1])
        yield Program(path.name, text, shlex.split(found[1]), path.parent)


def programs_of_explanations(kernc):
    for table in sorted((SOURCE / "diagnostics").glob("*.def")):
        for code, body in re.findall(r'^DIAGNOSTIC\((\w+),.*?R"\((.*?)^\)"\)', table.read_text(), re.M | re.S):
            for kind, text in re.findall(r"^```kern ?(\w*)\n(.*?)^```", body, re.M | re.S):
                console = re.search(r"^```console \w+\nkernc (.*)\n```", body, re.M)
                words = re.search(r"^# options: (.*)$", text, re.M)
                if kind in ("fail", "warn"):
                    dialect = ["--dialect=numba"] if "# dialect: numba" in text else []
                    yield Program(f"{code}.kern", text, ["check", "%s", *dialect], None)
                elif console and "<" not in console[1]:
                    yield Program(f"{code}.kern", text, ["%s" if word == "f.kern" else word for word in shlex.split(console[1])], None)


# ---- Where an offer belongs ----


def offset(text, line, column):
    lines = text.split("\n")
    return sum(len(each) + 1 for each in lines[:line - 1]) + column - 1


def span_of(text, place):
    return offset(text, place["line"], place["column"]), offset(text, place["end_line"], place["end_column"])


def statement_at(text, begin, end):
    """The lines of a statement without their indent, and without what ends in a colon before it."""
    first = text.rfind("\n", 0, begin) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    while first < begin and text[first] == " ":
        first += 1
    return first, last


def plain(node):
    """An expression without its casts, to be compared."""
    class Strip(ast.NodeTransformer):
        def visit_Call(self, call):
            self.generic_visit(call)
            names = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            casts = re.fullmatch(r"[iufc]\d+|bf16|bool|int|float|(?:u?int|float)\d+|rint|trunc", names)
            return call.args[0] if casts and len(call.args) == 1 else call
    return ast.dump(Strip().visit(copy.deepcopy(node)))


def parts_like(text, begin, end, offered):
    """The places of expressions in a statement that are the offered one but for its casts."""
    first, last = statement_at(text, begin, end)
    source = text[first:last].split("#")[0].rstrip()
    source += " pass" if source.endswith(":") else ""
    try:
        wanted, tree = plain(ast.parse(offered, mode="eval").body), ast.parse(re.sub(r"^el(?=if)", "", source))
    except (SyntaxError, ValueError):
        return
    shift = 2 if source.startswith("elif") else 0
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and "\n" not in source[:1] and node.lineno == node.end_lineno == 1 and plain(node) == wanted:
            yield first + shift + node.col_offset, first + shift + node.end_col_offset


def function_at(text, at):
    """The begin and end of the function around a place."""
    heads = [found.start() for found in re.finditer(r"^def ", text, re.M)] + [len(text)]
    begin = max((head for head in heads if head <= at), default=0)
    return begin, min((head for head in heads if head > at), default=len(text))


def declared(text, at, offer):
    """The text with a declaration: in the place of the first assignment of the name, as a parameter, or on a line before."""
    name, type, value = DECLARED.match(offer).groups()
    begin, end = function_at(text, at)
    assign = re.compile(rf"^( *){name} *(?::[^=\n]+)?= *(.*)$", re.M).search(text, begin, end)
    if assign:
        value = assign[2] if value in (None, "...") else value
        yield text[:assign.start()] + f"{assign[1]}{name}: {type} = {value}" + text[assign.end():]
    param = re.compile(rf"(?<=[(, ]){name}(?=[,)=])").search(text, begin, end)
    if param:
        yield text[:param.start()] + f"{name}: {type}" + text[param.end():]
    for found in re.compile(rf"^( *)(?:for\b.*\b{name}\b.* in |.*\b{name}\b.* = )", re.M).finditer(text, begin, end):
        yield text[:found.start()] + f"{found[1]}{name}: {type}\n" + text[found.start():]


def applied(text, one, note, offer):
    """The texts that an offer may mean, the likeliest first."""
    places = [place for place in ([note] if note and "line" in note else []) + [one] + one["notes"] if "line" in place]
    spans = [span_of(text, place) for place in places]
    if not spans:
        return
    if DECLARED.match(offer):
        yield from declared(text, spans[0][0], offer)
    if STATEMENT.match(offer):
        target = re.split(r"(?:[-+*/%&|^@]|<<|>>|//|\*\*)?= ", offer)[0]
        for begin, end in spans:
            first, last = statement_at(text, begin, end)
            source = text[first:last]
            written = offer.replace("...", source.split("= ", 1)[-1]) if offer.endswith("= ...") else offer
            yield text[:first] + written + text[last:]
            inside = re.search(rf"(?:^|[:;] ){re.escape(target)} *(?:[-+*/%&|^@]|<<|>>|//|\*\*)?= ?[^;]*", source)
            if inside:
                start = first + inside.start() + len(inside[0]) - len(inside[0].lstrip(":; "))
                yield text[:start] + written + text[first + inside.end():]
        return
    for begin, end in spans:
        yield text[:begin] + offer.replace("...", text[begin:end]) + text[end:]
        for first, last in parts_like(text, begin, end, offer):
            yield text[:first] + offer + text[last:]
    for begin, end in spans:
        first, last = statement_at(text, begin, end)
        yield text[:first] + offer + text[last:]


def alone(text, one):
    """The text with no kernel but that of the message, where it can be told."""
    if "line" not in one:
        return text
    parts = re.split(r"(?m)^(?=@)", text)
    begin, kept = 0, []
    at = span_of(text, one)[0]
    for part in parts:
        inside = begin <= at < begin + len(part)
        is_kernel = re.match(r"@(?:kernel|cuda\.jit)\b(?!.*device)", part)
        # What stands behind the function stays, and so do the numbers of the lines.
        rest = re.search(r"\n(?=[^\s@)\]#])(?!def )", part)
        drop = is_kernel and not inside
        kept.append(re.sub(r"[^\n]", "", part[:rest.start()]) + part[rest.start():] if drop and rest else re.sub(r"[^\n]", "", part) if drop else part)
        begin += len(part)
    return "".join(kept)


# ---- What an offer does ----


def offers_of(one):
    """Each offer of a diagnostic with the note that makes it."""
    for note in [None] + one["notes"]:
        message = (note or one)["message"]
        for found in OFFER.finditer(message):
            for offer in [found[3]] + re.findall(r" or `([^`]+)`", found[4]):
                if not offer.endswith("(...)") and not SEVERAL.search(message) and not PARTS.search(offer) and "for another type" not in message:
                    yield note, offer
        for found in [*WHOLE.finditer(message), *HERE.finditer(message)]:
            yield from ((note, offer) for offer in found.groups())


def problem(options, program, one, note, offer, checks):
    checks = checks | {one["code"]}
    text = alone(program.text, one)
    before = program.diagnostics(options.kernc, text)
    if not any(same(one, other) for other in before):  # it needs its neighbours
        text, before = program.text, program.diagnostics(options.kernc, program.text)
    told = sum(alike(one, each) for each in before)
    before = collections.Counter(each["code"] for each in before if counts(each, checks))
    tried = []
    head = "import numpy as np\n" if "np." in offer and not re.search(r"\bas np\b", text) else ""
    for changed in (head + changed for changed in applied(text, one, note, offer)):
        after = [each for each in program.diagnostics(options.kernc, changed) if counts(each, checks)]
        codes = collections.Counter(each["code"] for each in after)
        is_gone = sum(alike(one, each) for each in after) < told
        if one["code"] in WIDENING or STATEMENT.match(offer) or DECLARED.match(offer):
            del codes["E0301"]
        if is_gone and not codes - before:
            return None
        tried.append((changed, after))
    if not tried:
        return "no place for it"
    changed, after = tried[0]
    lines = [f"    {line}" for line, old in zip(changed.split("\n"), text.split("\n")) if line != old][:2]
    news = [f"    {each['code']} {each.get('line')}: {each['message']}" for each in after if (codes := collections.Counter([each["code"]])) - before or each["code"] == one["code"]]
    return "\n".join(["does not help", *lines, *news[:3]])


def counts(one, checks):
    return one["severity"] == "error" or one["code"] in checks


def alike(one, other):
    return one["code"] == other["code"] and one["message"] == other["message"]


def same(one, other):
    return one["code"] == other["code"] and one.get("line") == other.get("line") and one["message"] == other["message"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernc", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("tests", type=pathlib.Path)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--only", default="", help="files whose names have this text")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    os.environ |= {"KERN_CACHE": "off", "KERN_WARNINGS": "off"}
    part, parts = map(int, options.part.split("/"))
    checks, wrong, tried = codes_of_checks(), [f"a verb in neither list: {each}" for each in new_verbs()], set()
    paths = sorted(path for path in options.tests.rglob("*") if path.suffix in (".kern", ".py") and "fuzz" not in path.parts)
    programs = [program for path in paths for program in programs_of(path)] + list(programs_of_explanations(options.kernc))
    for program in programs[part::parts]:
        if options.only not in program.name:
            continue
        for one in program.diagnostics(options.kernc, program.text):
            for note, offer in offers_of(one):
                key = program.name, one["code"], one.get("line"), offer
                if key in tried or one["code"] in CONSTRUCTS:
                    continue
                tried.add(key)
                found = problem(options, program, one, note, offer, checks)
                if options.verbose or found:
                    print(f"{program.name}:{one.get('line')}: {one['code']} {one['message']}\n  `{offer}` {found or 'helps'}", flush=True)
                wrong += [offer] if found else []
    print(f"{len(tried)} offers, {len(wrong)} wrong")
    return 1 if wrong or not tried else 0


sys.exit(main())

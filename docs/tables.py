#!/usr/bin/env python3
"""Writes docs/language.md with the tables of builtins and diagnostics in their places, from the compiler's .def files.

usage: tables.py FOLDER
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# Tells a reader what a row's Effects column means; the others go without saying.
EFFECTS = {"Block": "all threads of the block call it together", "Grid": "all threads of the grid call it together",
           "Warp": "the lanes of the mask call it together"}


def strings(text):
    """Joins the adjacent string literals of a C++ argument."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).replace('\\"', '"')


def builtins():
    """Returns (signature, effects, doc) of each row, in the table's order."""
    text = (root / "compiler/builtins/builtins.def").read_text()
    string = r'"(?:[^"\\]|\\.)*"'
    row = re.compile(rf'^BUILTIN\(\s*\w+,\s*({string}),\s*(\w+),.*?,\s*((?:{string}\s*)+)\)$', re.M | re.S)
    rows = [(strings(match[1]), match[2], strings(match[3])) for match in row.finditer(text)]
    assert len(rows) == len(re.findall(r"^BUILTIN\(", text, re.M)), "a row of builtins.def is not understood"
    return [row for row in rows if not row[0].startswith("_")]  # those are for the checker alone


def in_words(line, level):
    """Returns the first line of a warning's explanation as `kernc help` has it."""
    return line[0].lower() + line[1:].removesuffix(".") + (" (off)" if level == "Quiet" else "")


def diagnostics():
    """Yields (code, level, name, text) of each row; of a warning the text is the first line of its explanation."""
    tables = re.findall(r'#include "(compiler/diagnostics/\w+\.def)"', (root / "compiler/diagnostics/diagnostics.def").read_text())
    row = re.compile(r'^DIAGNOSTIC\((\w+),\s*(\w+),\s*(\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+),.*?R"\(\s*(.*?)\n', re.M | re.S)
    for table in tables:
        text = (root / table).read_text()
        rows = [(match[1], match[2], match[3], in_words(match[5], match[2]) if match[1][0] == "W" else strings(match[4])) for match in row.finditer(text)]
        assert len(rows) == len(re.findall(r"^DIAGNOSTIC\(", text, re.M)), f"a row of {table} is not understood"
        yield from rows


def cell(text):
    return text.replace("|", "\\|")


def builtin_table():
    lines = ["| | |", "|---|---|"]
    for signature, effects, doc in builtins():
        note = f" ({EFFECTS[effects]})" if effects in EFFECTS else ""
        lines.append(f"| `{cell(signature)}` | {cell(doc)}{note} |")
    return "\n".join(lines)


def diagnostic_table():
    lines = ["| | |", "|---|---|"]
    for code, level, name, text in diagnostics():
        flag = f" `-W{name}`" if code[0] == "W" else ""
        lines.append(f"| {code}{flag} | {cell(re.sub(r'{[^}]*}', '...', text))} |")
    return "\n".join(lines)


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    page = (root / "docs/language.md").read_text()
    head, rest = page.split("<!-- builtins -->\n")
    head = head.replace("](../", "](../../")  # build/docs/ is one folder deeper
    page = f"{head}## Builtins\n\n{builtin_table()}\n\n## Diagnostics\n\n{diagnostic_table()}\n"
    (folder / "language.md").write_text(page)


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))

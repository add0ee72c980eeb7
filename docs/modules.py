#!/usr/bin/env python3
"""Writes a page for each module of the standard library from its docstrings, and a table of them all.

usage: modules.py FOLDER
"""
import ast
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def decorator(function):
    """Returns "kernel", "device" or "" of a function."""
    for each in function.decorator_list:
        name = each.func if isinstance(each, ast.Call) else each
        if isinstance(name, ast.Name) and name.id in ("kernel", "device"):
            return name.id
    return ""


def signature(function):
    result = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{function.name}({ast.unparse(function.args)}){result}"


def functions(tree, kind):
    """Yields the functions of a kind."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and decorator(node) == kind:
            yield node


def formula(function):
    """Returns what a function computes, where its body is one expression without a condition on types."""
    last = function.body[-1]
    is_one = len(function.body) <= 2 and isinstance(last, ast.Return) and last.value is not None
    text = ast.unparse(last.value) if is_one else ""
    return f"`= {text}`" if is_one and len(text) < 100 else ""


def constants(tree):
    """Yields (name, value) of the module's constants."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = ast.unparse(node.value)
            yield node.targets[0].id, value if len(value) < 60 else "..."


def read(path):
    return ast.parse(path.read_text(), str(path))


def page(path):
    """Returns the page of a module."""
    tree = read(path)
    lines = [f"# {path.stem}", "", ast.get_docstring(tree) or "", "", f"Source: [stdlib/{path.name}](../../../stdlib/{path.name})", ""]
    for kind, title in (("kernel", "Kernels"), ("device", "Device functions")):
        found = list(functions(tree, kind))
        if found:
            lines += [f"## {title}", ""]
        for function in found:
            lines += [f"### `{signature(function)}`", ""]
            lines += [text + "\n" for text in (ast.get_docstring(function), formula(function)) if text]
    table = list(constants(tree))
    if table:
        lines += ["## Constants", "", "| | |", "|---|---|"]
        lines += [f"| `{name}` | `{value.replace('|', chr(92) + '|')}` |" for name, value in table] + [""]
    return "\n".join(lines)


def first_sentence(text):
    line = " ".join(text.split("\n\n")[0].split())
    return re.split(r"\. (?=[A-Z`])", line)[0].rstrip(".:")


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["# The standard library", "", "| module | |", "|---|---|"]
    for path in sorted((root / "stdlib").glob("*.kern")):
        (folder / f"{path.stem}.md").write_text(page(path))
        text = first_sentence(ast.get_docstring(read(path)) or "").replace("|", "\\|")
        rows.append(f"| [{path.stem}]({path.stem}.md) | {text} |")
    (folder / "README.md").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))

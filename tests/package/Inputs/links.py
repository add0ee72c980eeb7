#!/usr/bin/env python3
"""Checks an installed tree: every link of every page leads to a file of it.

usage: links.py PREFIX
"""
import pathlib
import re
import sys

prefix = pathlib.Path(sys.argv[1]).resolve()
dead, count = [], 0
for page in sorted(prefix.rglob("*.md")):
    for target in re.findall(r"\]\(([^)#: ]+)(?:#[^)]*)?\)", page.read_text()):
        file = (page.parent / target).resolve()
        count += 1
        if not file.exists() or not file.is_relative_to(prefix):
            dead.append(f"FAIL: {page}: no such file: {target}")
print("\n".join(dead) or f"{count} links lead somewhere")
sys.exit(1 if dead or count < 50 else 0)

"""Demands that each script which a line of code in a page begins with is there and may be executed.

Usage: called_scripts.py SOURCE
"""
import os
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
called = set()
for folder in (".", "docs", "benchmarks", "compiler", "runtime", "stdlib", "examples", "tests"):
    for page in (root / folder).glob("*.md"):
        for line in page.read_text().splitlines():
            if found := re.match(r"(?: {4}|\$ )?(?:\./)?((?:\w+/)*\w+\.(?:py|sh)|dev)(?: |$)", line):
                called |= {(page.name, found.group(1), page.parent)}
wrong = [f"{page}: {script}" for page, script, folder in sorted(called)
         if not any(os.access(base / script, os.X_OK) for base in (root, folder))]
print("\n".join(wrong))
assert called and not wrong

#!/usr/bin/env python3
"""Checks the pages: every link leads to a file, every ```kern block compiles, every ```kern fail block does not.

usage: pages.py KERNC
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]


def pages():
    for page in sorted(root.rglob("*.md")):
        if not page.relative_to(root).parts[0].startswith(("build", ".", "out")):
            yield page


def broken_links(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        if not (page.parent / target).exists():
            yield f"FAIL: {page}: no such file: {target}"


def wrong_blocks(page, kernc):
    for fence, source in re.findall(r"^```(kern[ \w]*)\n(.*?)^```", page.read_text(), re.M | re.S):
        if source.rstrip().endswith("..."):
            continue
        done = subprocess.run([kernc, "check", "-"], input=source, capture_output=True, text=True)
        if done.returncode != (1 if fence == "kern fail" else 0):
            yield f"FAIL: {page}: exit code {done.returncode} for:\n{source}{done.stderr}"


found = [line for page in pages() for line in (*broken_links(page), *wrong_blocks(page, sys.argv[1]))]
print("\n".join(found) or "pages: in order")
sys.exit(1 if found else 0)

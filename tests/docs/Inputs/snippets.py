#!/usr/bin/env python3
"""Writes the ```cpp blocks of a page, or of one section, as functions of one program, each between what the page takes for granted and a
look at the result.

usage: snippets.py PAGE PRELUDE [SECTION]
"""
import pathlib
import re
import sys

page, prelude = (pathlib.Path(name).read_text() for name in sys.argv[1:3])
if len(sys.argv) > 3:
    page = page.split(f"\n## {sys.argv[3]}\n")[1].split("\n## ")[0]
blocks = re.findall(r"^```cpp\n(.*?)^```", page, re.M | re.S)
for number, block in enumerate(blocks):
    print(prelude.replace("PART", f"part_{number}").replace("BLOCK", block))
print("int main() {")
for number in range(len(blocks)):
    print(f"  part_{number}();")
print("}")

#!/usr/bin/env python3
"""Compares the table of warnings and the exit codes in docs/kernc.md with what `kernc help` says.

usage: warning_table.py KERNC
"""
import pathlib
import re
import subprocess
import sys

page = (pathlib.Path(__file__).resolve().parents[3] / "docs/kernc.md").read_text()
told = subprocess.run([sys.argv[1], "help"], capture_output=True, text=True, check=True).stdout
in_page = re.findall(r"^\| `(\w+)` \| (W\d+) \| (.*) \|$", page, re.M)
in_help = re.findall(r"^  (\w+) +(W\d+)  (.*)$", told, re.M)
dots = [name for name, _, text in in_help if "..." in text or len(text) > 95]
codes = " ".join(f"{code} {text.replace('`', '')};" for code, text in re.findall(r"^\| (\d+) \| (.*) \|$", page, re.M))
flat = " ".join(told.split()) + ";"
wrong = []
if in_page != in_help or len(in_help) < 10:
    wrong.append(f"FAIL: the table of warnings is not that of `kernc help`: {set(in_page) ^ set(in_help)}")
if dots:
    wrong.append(f"FAIL: the explanation of a warning begins with a short line in words: {dots}")
if codes.rstrip(";").replace("; ", ";") not in flat.replace("; ", ";"):
    wrong.append(f"FAIL: the exit codes are not those of `kernc help`: {codes}")
print("\n".join(wrong) or "warnings: in order")
sys.exit(1 if wrong else 0)

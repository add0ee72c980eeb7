#!/usr/bin/env python3
"""Checks that each shared library which a program names lies in a package that the .deb depends on.

usage: depends.py PROGRAM DEB
"""
import os
import re
import subprocess
import sys

program, deb = sys.argv[1:]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


depends = output("dpkg-deb", "-f", deb, "Depends")
named = {re.match(r"[^ ]+", word)[0] for word in depends.split(", ")}
needed = re.findall(r"^\s+NEEDED\s+(\S+)", output("objdump", "-p", program), re.M)
paths = dict(re.findall(r"^\s+(\S+) => (\S+)", output("ldd", program), re.M))
owners = {}
for library in needed:
    path = paths.get(library, f"/lib64/{library}")
    candidates = {path, os.path.realpath(path), "/usr" + path, path.removeprefix("/usr")}
    found = subprocess.run(["dpkg", "-S", *candidates], capture_output=True, text=True).stdout
    owners[library] = {line.split(":")[0] for line in found.splitlines()}
missing = {library: packages for library, packages in owners.items() if not packages & named}
print(f"Depends: {depends}")
for library, packages in missing.items():
    print(f"FAIL: {library} of {packages} is in no package of Depends")
sys.exit(1 if missing or not needed else 0)

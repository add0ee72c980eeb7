#!/usr/bin/env python3
"""Finds circles among the sources of a folder, and among the rooms in it, by the symbols of their objects, and bounds the largest.

A source needs another one where its object lacks a name that only the other's object defines; in a circle each needs every other one,
over however many between. Weak names, those of inline functions and templates, are anybody's and do not count.

usage: circles.py BUILD [--files] [--update] [--bounds FILE]
  --files        list the files of each circle
  --update       write the largest circle of each folder as its bound; of its rooms, the folders of its sources, likewise
  --bounds FILE  where the files of these circles stand; otherwise circles.txt beside this script
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

# The shared runtime compiles again what kern_runtime_parts has, and a program has one of the two.
OBJECT = re.compile(r" -o ((compiler|runtime)/CMakeFiles/kern_(?!runtime_shared|jit)\w+\.dir/(\w+)/(\S+\.cpp)\.o) ")
STRONG = set("TDBRSGC")  # kinds of names that nm gives to functions and variables of one object


def read_objects(build):
    """Returns for each folder its sources, each with the paths of its object and of itself."""
    commands = json.loads((build / "compile_commands.json").read_text())
    folders = {}
    for entry in commands:
        if match := OBJECT.search(entry["command"]):
            path, top, folder, name = match.groups()
            group = f"compiler/{folder}" if top == "compiler" else top
            folders.setdefault(group, {})[f"{top}/{folder}/{name}"] = (build / path, pathlib.Path(entry["file"]))
    return folders or sys.exit(f"circles: {build} has no sources of compiler/ or runtime/")


def read_needs(objects):
    """Returns for each source the others that it needs."""
    sources = {str(path): source for source, path in objects.items()}
    table = subprocess.run(["nm", "-A", "-P", *sources], check=True, capture_output=True, text=True).stdout
    definers, lacks = {}, {source: set() for source in objects}
    for line in table.splitlines():
        path, name, kind = re.match(r"(.*?): (\S+) (\S)", line).groups()
        if kind == "U":
            lacks[sources[path]].add(name)
        elif kind in STRONG:
            definers.setdefault(name, []).append(sources[path])
    if not definers:
        sys.exit(f"circles: the objects define no names (is link-time optimisation on?): {next(iter(sources))}")
    only = {name: by[0] for name, by in definers.items() if len(by) == 1}
    return {source: {only[name] for name in names if name in only} - {source} for source, names in lacks.items()}


def find_circles(needs):
    """Returns the circles of more than one source, the largest first."""
    reached = {source: reach(needs, source) for source in needs}
    circles = {frozenset(other for other in reached[source] if source in reached[other]) for source in needs}
    return sorted((sorted(circle) for circle in circles if len(circle) > 1), key=lambda circle: (-len(circle), circle))


def reach(needs, source):
    seen, left = set(), [source]
    while left:
        new = needs[left.pop()] - seen
        seen |= new
        left += new
    return seen


def room_needs(needs):
    """Returns for each room the others that its sources need."""
    def room(source):
        return source.rpartition("/")[0] + "/"

    return {each: {room(other) for source in needs if room(source) == each for other in needs[source]} - {each}
            for each in map(room, needs)}


def largest_circle(circles, bound):
    """Returns, of those as large as another one, the one that was there before."""
    return set(max(circles, key=lambda circle: (len(circle), len(bound.intersection(circle))), default=()))


def describe(folder, sources, needs, circles, with_files):
    """Returns the line of a folder, and those of its circles where they are asked for."""
    lines = {source: len(path.read_text().splitlines()) for source, (_, path) in sources.items()}
    sizes = [f"{len(circle)} files of {sum(lines[source] for source in circle)} lines" for circle in circles]
    text = f"{folder}: {len(needs)} files, {sum(map(len, needs.values()))} edges, circles: {', '.join(sizes) or 'none'}"
    files = [f"\n  {number}: {source}" for number, circle in enumerate(circles, 1) for source in circle]
    return text + "".join(files if with_files else [])


def judge(folder, kind, largest, bound):
    """Returns whether the largest circle of a folder's files or rooms keeps to its bound, and what there is to say of it."""
    text = f"{folder}: the largest circle has {len(largest)} {kind}, its bound {len(bound)}"
    joined, left = sorted(largest - bound), sorted(bound - largest)
    if len(largest) > len(bound):
        return False, f"{text}: FAIL: new in it: {' '.join(joined)}"
    changes = [f"\n  without {source}" for source in left] + [f"\n  with {source}" for source in joined]
    return True, f"{text}: --update writes it{''.join(changes)}" if changes else ""


def main(args):
    bounds = set(args.bounds.read_text().split()) if args.bounds.exists() else set()
    found, messages, good = set(), [], True
    for folder, sources in sorted(read_objects(args.build).items()):
        objects = {source: path for source, (path, _) in sources.items()}
        missing = [str(path) for path in objects.values() if not path.exists()]
        if missing:
            sys.exit(f"circles: {folder}: {len(missing)} of {len(objects)} objects are not built, as {missing[0]}")
        needs = read_needs(objects)
        circles = find_circles(needs)
        print(describe(folder, sources, needs, circles, args.files))
        bound = {name for name in bounds if name.startswith(folder + "/")}
        rooms = {name for name in bound if name.endswith("/")}
        for kind, found_circles, its_bound in (("files", circles, bound - rooms), ("rooms", find_circles(room_needs(needs)), rooms)):
            largest = largest_circle(found_circles, its_bound)
            keeps, message = judge(folder, kind, largest, its_bound)
            found |= largest
            good &= keeps
            messages += [message] if message else []
    if args.update:
        args.bounds.write_text("".join(f"{source}\n" for source in sorted(found)))
    elif messages:
        print(*messages, sep="\n")
    return 0 if good or args.update else 1


parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--files", action="store_true")
parser.add_argument("--update", action="store_true")
parser.add_argument("--bounds", type=pathlib.Path, default=pathlib.Path(__file__).with_name("circles.txt"))
sys.exit(main(parser.parse_args()))

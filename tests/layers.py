#!/usr/bin/env python3
"""Checks who includes whom, by the folders and faces of compiler/faces.txt.

A folder includes no larger one, LLVM stays in lower/ and emit/, runtime/ includes nothing of compiler/ but for its JIT. What is
included from outside of its folder is a face, and a face is included from outside; every other header is private. Unit tests stand
inside the folder that they test. What compiler/README.md calls a face is one. A room, a folder in a phase, is seen inside of the phase
alone: by the sources of the phase itself, which stand above its rooms, and by the rooms that ROOMS names.

usage: layers.py [ROOT]
"""
import pathlib
import re
import sys

LLVM_FOLDERS = {"lower", "emit"}
ROOMS = {"check/core": set(), "check/numba": {"check/core"}, "check/records": {"check/core"},
         "check/arrays": {"check/core", "check/numba", "check/records"},
         "check/numpy": {"check/core", "check/numba", "check/records", "check/arrays"},
         "driver/data": set(), "driver/session": {"driver/data"}, "driver/aot": {"driver/session"},
         "driver/jit": {"driver/session", "driver/aot"},
         "driver/run": {"driver/data", "driver/session", "driver/aot", "driver/jit"},
         "lower/shared": set(), "lower/gpu": {"lower/shared"}, "lower/lanes": {"lower/shared"},
         "lower/cpu": {"lower/shared", "lower/lanes"},
         "analysis/flow": set(), "analysis/memory": {"analysis/flow"},
         "analysis/threads": {"analysis/flow", "analysis/memory"}, "analysis/guards": {"analysis/flow", "analysis/threads"},
         "analysis/launch": {"analysis/flow", "analysis/memory", "analysis/threads"}}  # each with the rooms that it may include
OPEN = {"analysis"}  # phases whose rooms are seen from other phases as well
SOURCES = {".h", ".hpp", ".cpp", ".def"}
CLAIM = re.compile(r"private to ([\w/]+)/|included by ([\w/]+)/ only", re.IGNORECASE)


def read_faces(path):
    """Returns the folders, from the smallest to the largest, each with its faces."""
    faces = {}
    for line in path.read_text().splitlines():
        if not line.startswith(("#", " ")):
            folder, line = line.split(":")
            faces[folder] = []
        if not line.startswith("#"):
            faces[folder] += line.split()
    return faces


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1)


def claimed_folder(path):
    """Returns the folder that a header says to be private to, in the comment at its top."""
    head = re.match(r"(//.*\n)*", path.read_text()).group()
    match = CLAIM.search(re.sub(r"\s*\n// *", " ", head))
    return match and (match.group(1) or match.group(2))


def is_inside(place, folder):
    """Says whether a source, a path from the root, may include what is private to a folder of compiler/."""
    if place.parts[:2] == ("tests", "unit"):
        return place.parts[2] == folder.split("/")[0]
    return place.parent == pathlib.Path("compiler", folder)


def order_problems(place, target, phases):
    """Yields what is wrong where a source includes what is not for its layer."""
    layer, phase = place.parts[:2]
    other = re.match(r"compiler/(\w+)/", target)
    if layer == "compiler":
        if other and phases.index(other.group(1)) > phases.index(phase):
            yield f"{phase} may not include {target}"
        if target.startswith(("llvm/", "llvm-c/")) and phase not in LLVM_FOLDERS:
            yield "only lower/ and emit/ include LLVM"
    elif layer == "runtime" and other and phase != "jit":
        yield f"runtime/ may not include {target}"


def room_problems(place, folder, target):
    """Yields what is wrong where a source includes what is in a room of a phase."""
    source = "/".join(place.parts[1:-1]) if place.parts[0] == "compiler" else str(place.parent)
    phase = folder.split("/")[0]
    if source.split("/")[0] != phase and (phase in OPEN or place.parts[0] != "compiler"):
        return
    if folder in ROOMS and source not in (folder, phase) and folder not in ROOMS.get(source, ()):
        yield f"{source} may not include {target}"


def include_problems(root, faces, used):
    """Yields what is wrong with the includes; adds to `used` what is included from outside of its folder."""
    phases = [folder for folder in faces if "/" not in folder]
    for top in ("compiler", "runtime", "tests", "benchmarks"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            place = path.relative_to(root)
            for number, target in includes(path):
                where = f"{place}:{number}:"
                folder, _, name = target.removeprefix("compiler/").rpartition("/")
                for problem in (*order_problems(place, target, phases), *room_problems(place, folder, target)):
                    yield f"{where} {problem}"
                if target.startswith("compiler/") and not is_inside(place, folder):
                    used.add(f"{folder}/{name}")
                    if name not in faces.get(folder, ()):
                        yield f"{where} {target} is private to {folder}/: it is no face in compiler/faces.txt"


def face_problems(root, faces, used):
    """Yields where the list of faces, the comments of headers and the table of README do not agree with what is included."""
    for folder, names in faces.items():
        for name in names:
            if f"{folder}/{name}" not in used:
                yield f"compiler/faces.txt: nobody outside of {folder}/ includes {name}: it is private"
    for path in sorted((root / "compiler").rglob("*.h")):
        place, claim = path.relative_to(root / "compiler"), claimed_folder(path)
        folder = str(place.parent)
        if claim and claim != folder:
            yield f"compiler/{place}:1: says that it is private to {claim}/"
        elif claim and place.name in faces.get(folder, ()):
            yield f"compiler/{place}:1: says that it is private, and is a face in compiler/faces.txt"
    for number, line in enumerate((root / "compiler/README.md").read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.split("|")]
        for name in re.findall(r"`([\w/]+\.h)`", cells[2]) if len(cells) > 3 else ():
            if name not in faces.get(cells[1], ()):
                yield f"compiler/README.md:{number}: {name} is no face of {cells[1]}/"


def main(root):
    faces = read_faces(root / "compiler/faces.txt")
    folders = {str(path.parent.relative_to(root / "compiler")) for path in (root / "compiler").rglob("*.h")}
    found = [f"compiler/faces.txt: has no line for {folder}/" for folder in sorted(folders - faces.keys())]
    if not found:
        used = set()
        found = [*include_problems(root, faces, used), *face_problems(root, faces, used)]
    print("\n".join(found) if found else "layers: in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent))

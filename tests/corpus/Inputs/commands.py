"""The executed tests of the corpus, for those who run them once more in another way: each `kernc run ... --expect` of the RUN lines of
the text tests, with the lines that make its files."""
import dataclasses
import pathlib
import re
import subprocess
import sys

tests = pathlib.Path(__file__).resolve().parents[2]
# Lines that choose lanes or a CPU, or that pipe into FileCheck, have said what they want to see.
SPECIAL = re.compile(r"--lanes|--arch|FileCheck|--device|--emit|%exits|\|")


@dataclasses.dataclass
class Executed:
    """One run of a test; `command` is a shell line, and the files it reads are there."""
    name: str
    source: str
    command: str


def run_lines(path):
    text = re.sub(r"\\\s*\n\s*#\s*(RUN:)?", " ", path.read_text(errors="replace"))
    return [line.strip() for line in re.findall(r"#\s*RUN:(.*)", text)]


def command_of(line, path, kernc, place):
    for name, value in (("%python", sys.executable), ("%kernc", kernc), ("%S", str(path.parent)), ("%s", str(path)), ("%t", place)):
        line = line.replace(name, value)
    return line


def executed(kernc, folder):
    """Yields each run whose outcome is known, after the lines before it that make its files."""
    for path in sorted(tests.glob("*/*.*")):
        lines = run_lines(path)
        if path.parent.name == "cuda" or not any("--expect" in line and "%kernc run" in line for line in lines):
            continue
        for line in lines:
            command = command_of(line, path, kernc, f"{folder}/{path.stem}")
            if "%kernc run" in line:
                if "--expect" in line and not SPECIAL.search(line):
                    yield Executed(str(path.relative_to(tests)), path.read_text(), command)
            elif "values.py" in line or "mkdir" in line:
                subprocess.run(command, shell=True, check=True)

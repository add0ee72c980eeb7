"""The executed tests of the corpus, for those who run them once more in another way: each `kernc run` of the RUN lines of the text tests
that ends well, whatever it pipes into, with the lines that make its files."""
import dataclasses
import pathlib
import re
import shlex
import subprocess
import sys

tests = pathlib.Path(__file__).resolve().parents[2]
# Lines other than `kernc run` may do this to make files.
MAKES_FILES = re.compile(r"%python (?!.*(%kernc|fuzz))|(mkdir|rm|echo|printf|cp|sed)\b")
# Commands with this end badly on purpose, run elsewhere than on this CPU, or say how long things took.
OTHER = re.compile(r"\bnot |%exits|%if|--device|--emit|--help| < |KERN_CACHE|--time")
# Options that choose how a test is run or say what it shows: what it computes does not depend on them.
HOW = {"--lanes", "--arch", "--guards", "-O0", "-O3"}
SHOWS = {"--print", "--expect", "--rtol", "--atol"}


@dataclasses.dataclass
class Executed:
    """One run of a test: a shell line whose files are there, and its words from `run` on, as values of options and others."""
    name: str
    command: str
    environment: list
    words: list

    def options(self, *names):
        return [value for option, value in self.words if option in names]


def run_lines(text):
    text = re.sub(r"\\\s*\n\s*#?\s*(RUN:|DEFINE:)?", " ", text)
    defined = dict(re.findall(r"DEFINE: *(%\{\w+\}) *= *(.*)", text))
    for line in re.findall(r"RUN:(.*)", text):
        for name, value in [*defined.items()] * 2:
            line = line.replace(name, value)
        yield line.strip()


def pairs(words):
    """Splits words into (option, value); ("", word) is an argument."""
    words, found = iter(words), []
    for word in words:
        option, equals, value = word.partition("=")
        if word.startswith("--"):
            found.append((option, value if equals else next(words, "")))
        elif word.startswith("-") and word in ("-o", "-D", "-I"):
            found.append((word, next(words, "")))
        else:
            found.append((word, "") if word in HOW else ("", word))
    return found


# What ends a command, where it stands in no quotes: behind it all quotes are closed.
END = re.compile(r""" (?:2>&1|\||2?>|&&) (?=(?:[^"']|"[^"]*"|'[^']*')*$)""")


def executed_of(path, kernc, folder):
    """Yields the runs of one test, each while the files are what the lines before it have made of them."""
    text = path.read_text(errors="replace")
    name = str(path.relative_to(tests))
    place = f"{folder}/{name.replace('/', '.')}"
    values = (("%python", sys.executable), ("%kernc", kernc), ("%S", str(path.parent)), ("%s", str(path)), ("%t", place))
    if re.search(r"RUN:.*(\bcd |%fake_cuda|%examples)|REQUIRES:.*cuda", text) or not re.search(r"RUN:.*%kernc run", text):
        return
    for line in run_lines(text):
        makes_files, runs = MAKES_FILES.match(line), "%kernc run" in line and not OTHER.search(line)
        for before, after in values:
            line = line.replace(before, after)
        if makes_files:
            subprocess.run(line, shell=True, capture_output=True)
        if not runs:
            continue
        command = END.split(line)[0].strip()
        words = shlex.split(command)
        # A shell that runs kernc has its own way with the words, as any program that does.
        if "run" not in words:
            continue
        start = words.index("run")
        if "-o" in words[start:]:
            subprocess.run(command, shell=True, capture_output=True)
        environment = [word for word in words[:start - 1] if word != "env"]
        if all("=" in word for word in environment):
            yield Executed(name, command, environment, pairs(words[start + 1:]))


def sources():
    for path in sorted(tests.rglob("*.*")):
        parts = path.relative_to(tests).parts
        if path.suffix in (".kern", ".py", ".test") and len(parts) > 1 and not {"Inputs", "unit", "fuzz", "cuda"} & set(parts):
            yield path


def executed(kernc, folder):
    for path in sources():
        yield from executed_of(path, kernc, folder)

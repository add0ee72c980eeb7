"""Whether a debugger shows the right value of every variable at every line, by random programs.

A program is Kern and Python at once: Python runs it for each thread and notes what the variables hold before each line, gdb stops at the
same lines of the compiled one. The variable `c` counts the lines that were run, so that each stop is known by its line, thread and `c`.

    lines.py KERNC [--seeds N] [--first SEED] [--optimized]

With --optimized the program is compiled with -O3, which moves code about: what is shown must be a value that the variable has at some
time.
"""
import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

THREADS = 2
COMMON = ["a", "b", "w"]


class Generator:
    """Writes a program: `lines` of it, of which those in `stops` are statements that a debugger stops at."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.stops = [], []
        self.budget = 24

    def add(self, indent, text, stop=True):
        self.lines.append("    " * indent + text)
        if stop:
            self.stops.append(len(self.lines))

    def integer(self, depth=0):
        pick = self.random.random()
        if pick < 0.3 or depth > 1:
            return str(self.random.randrange(-9, 10))
        if pick < 0.7:
            return self.random.choice(self.ints)
        operator = self.random.choice(["+", "-", "*"])
        return f"({self.integer(depth + 1)} {operator} {self.integer(depth + 1)}) % {self.random.randrange(2, 50)}"

    def real(self):
        pick = self.random.random()
        if pick < 0.4:
            return f"{self.random.choice(self.reals)} * 0.5"
        if pick < 0.7:
            return f"f64({self.random.choice(self.ints)}) + {self.random.randrange(8)}.25"
        return f"{self.random.choice(self.reals)} - {self.random.randrange(4)}.5"

    def condition(self):
        return f"{self.random.choice(self.ints)} % {self.random.randrange(2, 5)} == {self.random.randrange(2)}"

    def body(self, indent, loops, kernel):
        for _ in range(self.random.randrange(2, 5)):
            self.statement(indent, loops, kernel)

    def statement(self, indent, loops, kernel):
        self.budget -= 1
        self.add(indent, "c += 1")
        pick = self.random.random()
        if self.budget < 0 or pick < 0.2:
            self.add(indent, f"{self.random.choice(COMMON)} = {self.integer()}")
        elif pick < 0.32:
            self.add(indent, f"x = {self.real()}")
        elif pick < 0.42:
            self.add(indent, f"flag = {self.condition()}")
        elif pick < 0.52:
            self.add(indent, f"p = ({self.integer()}, {self.real()}, {self.condition()})")
        elif pick < 0.6 and kernel:
            self.add(indent, "a, x = first(b, x, c * 1000)")
        elif pick < 0.68 and kernel:
            self.add(indent, "b = second(a, p, c * 1000)")
        elif pick < 0.8:
            self.add(indent, f"if {self.condition()}:")
            self.body(indent + 1, loops, kernel)
            if loops and self.random.random() < 0.3:
                self.add(indent + 1, self.random.choice(["break", "continue"]), stop=False)
            elif self.random.random() < 0.5:
                self.add(indent, "else:", stop=False)
                self.body(indent + 1, loops, kernel)
        elif pick < 0.92 and loops < 2:
            name = "jk"[loops]
            self.add(indent, f"for {name} in range({self.random.randrange(1, 4)}):", stop=False)
            self.ints.append(name)
            self.body(indent + 1, loops + 1, kernel)
            self.ints.remove(name)
        elif kernel and indent == 1:
            self.add(indent, "syncthreads()", stop=False)
        else:
            self.add(indent, "b = b + 1")

    def program(self):
        self.ints, self.reals = COMMON + ["n"], ["x", "y"]
        for name, params, result in [("first", "n: i64, y: f64, c: i64", "a, x"), ("second", "n: i64, q: (i64, f64, bool), c: i64", "a + b")]:
            self.reals = ["x"] + (["y"] if name == "first" else ["q[1]"])
            self.add(0, f"def {name}({params}):", stop=False)
            self.start()
            self.body(1, 0, False)
            self.add(1, f"return {result}")
        self.ints, self.reals = COMMON + ["n"], ["x", "p[1]"]
        self.budget = 40
        self.add(0, "@kernel", stop=False)
        self.add(0, "def k(out: f64[:, :], n: i64):", stop=False)
        self.add(1, "t = threadIdx.x", stop=False)
        self.add(1, "c = i64(0)", stop=False)
        self.start()
        self.add(1, "p = (i64(t), 0.5, n == 3)")
        self.add(1, "row = out[t]")
        for _ in range(6):
            self.statement(1, 0, True)
        self.add(1, "row[0] = x + f64(a + b + w + c) + p[1]")
        return "\n".join(self.lines) + "\n"

    def start(self):
        for name in COMMON:
            self.add(1, f"{name} = n + {self.random.randrange(9)}")
        self.add(1, "x = f64(n) * 0.5")
        self.add(1, "flag = a == 3")


def plain(value):
    """A value as JSON has it; nothing for what is not compared."""
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value if isinstance(value, (bool, int, float)) else None


def expected_of(source, path):
    """What Python has before each line: {(function, line, thread, c): variables}."""
    events = {}

    class Row(list):
        pass

    class Index:
        x = 0

    def run(thread):
        def trace(frame, event, _):
            if frame.f_code.co_filename != path:
                return None
            if event == "line" and "c" in frame.f_locals:
                key = (frame.f_code.co_name, frame.f_lineno, frame.f_locals["c"])
                events[key + (thread,)] = {name: plain(value) for name, value in frame.f_locals.items() if name != "out"}
            return trace

        Index.x = thread
        names = {"f64": float, "i64": int, "bool": bool, "i32": int, "kernel": lambda f: f, "threadIdx": Index, "syncthreads": lambda: None}
        code = compile("from __future__ import annotations\n" + source, path, "exec")
        exec(code, names)
        sys.settrace(trace)
        names["k"]([Row([0.0] * 4) for _ in range(THREADS)], 3)
        sys.settrace(None)

    for thread in range(THREADS):
        run(thread)
    # The first line of what was compiled is the future import.
    return {(name, line - 1, c, thread): variables for (name, line, c, thread), variables in events.items()}


GDB = r'''
import json
import gdb

found = open({found!r}, "w")


def value_of(value):
    if value.is_optimized_out:
        return "<optimized out>"
    type = value.type.strip_typedefs()
    if type.code == gdb.TYPE_CODE_STRUCT:
        return [value_of(value[field]) for field in type.fields()]
    if type.code == gdb.TYPE_CODE_ARRAY:
        return [value_of(value[index]) for index in range(type.range()[0], type.range()[1] + 1)]
    if type.code == gdb.TYPE_CODE_BOOL:
        return {{0: False, 1: True}}.get(int(value.cast(gdb.lookup_type("unsigned char"))), "no bool")
    return float(value) if type.code == gdb.TYPE_CODE_FLT else int(value)


def variables(frame):
    result, block = {{}}, frame.block()
    while block is not None:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                result.setdefault(symbol.name, value_of(frame.read_var(symbol, block)))
        if block.function is not None:
            return result
        block = block.superblock
    return result


class Stop(gdb.Breakpoint):
    def stop(self):
        frame = gdb.selected_frame()
        kernel = frame
        while kernel.name() not in ("k", "k.turn"):
            kernel = kernel.older()
        note = {{"function": frame.name().split(".")[0], "line": frame.find_sal().line, "kernel": variables(kernel)}}
        note["variables"] = variables(frame)
        found.write(json.dumps(note) + "\n")
        return False


gdb.execute("set breakpoint pending on")
for line in {stops!r}:
    Stop("{file}:%d" % line)
gdb.execute("run")
found.close()
'''


def stops_of(kernc, folder, file, options, stops):
    """What gdb shows at each stop."""
    found, script = folder / "found.json", folder / "script.py"
    script.write_text(GDB.format(found=str(found), stops=stops, file=file.name))
    command = ["gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no", "-x", str(script), "--args"]
    command += [kernc, "run", str(file), f"out=zeros:f64:{THREADS}x4", "n=3", "--grid=1", f"--block={THREADS}", "--device=cpu", *options]
    environment = dict(os.environ, KERN_CPU_THREADS="1", KERN_CACHE="off")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    if "exited normally" not in done.stdout:
        sys.exit(f"{file}: the program did not end\n{done.stdout}\n{done.stderr}")
    # A breakpoint of a line that has no code is at the next one that has.
    return [stop for stop in map(json.loads, found.read_text().splitlines()) if stop["line"] in stops]


def same(left, right):
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, float) or isinstance(right, float):
        return isinstance(left, (int, float)) and isinstance(right, (int, float)) and math.isclose(left, right, rel_tol=1e-12)
    return left == right


def check_exactly(stop, expected):
    """What is wrong of a stop of code that is not optimised."""
    function, line, shown = stop["function"], stop["line"], stop["variables"]
    event = expected.get((function, line, shown["c"], stop["kernel"]["t"]))
    if event is None:
        return [f"the thread {stop['kernel']['t']} is not at line {line} with c = {shown['c']}"]
    wrong = [name for name, value in event.items() if name != "row" and not same(value, shown.get(name))]
    out = stop["kernel"]["out"]
    if out[1:] != [[THREADS, 4], [4, 1]]:
        wrong.append("out")
    if "row" in event and shown["row"] != [out[0] + 32 * stop["kernel"]["t"], [4], [1]]:
        wrong.append("row")
    return [f"line {line}: `{name}` is {event.get(name)}, and gdb shows {shown.get(name)}" for name in wrong]


def check_loosely(stop, expected):
    """The same of optimised code."""
    wrong = []
    for name, value in stop["variables"].items():
        events = [event[name] for (function, *_), event in expected.items() if function == stop["function"] and name in event]
        if name not in ("out", "row") and not may_be(value, events):
            wrong.append(f"line {stop['line']}: `{name}` is never what gdb shows, {value}")
    return wrong


def may_be(value, events):
    if value == "<optimized out>" or any(same(value, event) for event in events) or not value:
        return True
    parts = [event for event in events if isinstance(event, list)]
    return isinstance(value, list) and all(may_be(part, [event[at] for event in parts]) for at, part in enumerate(value))


def numbered(source):
    return "".join(f"{number:4} {line}\n" for number, line in enumerate(source.splitlines(), 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernc")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--optimized", action="store_true")
    words = parser.parse_args()
    failed = seen = values = 0
    for seed in range(words.first, words.first + words.seeds):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            generator = Generator(seed)
            source, file = generator.program(), folder / "program.kern"
            file.write_text(source)
            expected = expected_of(source, str(file))
            options = ["-g", "--lanes=1"] if words.optimized else ["-O0", "-g"]
            stops = stops_of(words.kernc, folder, file, options, generator.stops)
            check = check_loosely if words.optimized else check_exactly
            wrong = [sentence for stop in stops for sentence in check(stop, expected)]
        reached = {(function, line) for function, line, *_ in expected} & {(stop["function"], stop["line"]) for stop in stops}
        seen += len(reached)
        values += sum(value != "<optimized out>" for stop in stops for value in stop["variables"].values())
        if wrong:
            failed += 1
            print(f"seed {seed}:", *wrong[:8], sep="\n  ")
            print(numbered(source))
    print(f"{words.seeds} programs, {seen} lines, {values} values: {failed} wrong")
    sys.exit(1 if failed or seen < (1 if words.optimized else 10) * words.seeds else 0)


main()

#!/usr/bin/env python3
"""Elements that are made of another one of their array, by indices computed of the thread's own numbers, under conditions on them, with a barrier between the
load and the store or none: kernc warns where a thread loads what another one of the launch stores, by a model that evaluates both indices for each
thread, and nowhere else. What is stored to another array is never warned of.

usage: neighbour_loads.py KERNC [--count N] [--seed S] [--seconds T]
"""
import json
import random
import subprocess
import sys

import arguments

THREADS, BLOCKS, SIZE = 64, 3, 4096
GUARDS = {
    "": lambda e: True, "t < 32": lambda e: e["t"] < 32, "t == 5": lambda e: e["t"] == 5, "b == 1": lambda e: e["b"] == 1, "i % 2 == 0": lambda e: e["i"] % 2 == 0,
    "1 <= i < 100": lambda e: 1 <= e["i"] < 100, "i > 0": lambda e: e["i"] > 0, "i % 4 == 1 and b == 0": lambda e: e["i"] % 4 == 1 and e["b"] == 0, "i < x.size": lambda e: True,
    "x[i] > 0": lambda e: True,
}
# How the value that is loaded goes to where it is stored.
WAYS = ["{to} = {of} * 2.0", "{to} = ({to} + {of}) / 2.0", "v = {of}\n{to} = v + 1.0", "v = {of} if i >= 0 else 0.0\n{to} = v"]


def index(rng):
    base = rng.choice(["i", "i", "i", "t", "b * 64 + (63 - t)", "b"])
    return rng.choice(["{0}", "{0} + {c}", "{0} + {c}", "{0} * 2", "{0} * 2 + 1", "{0} // 2", "{0} ^ 1", "({0}) % 8", "{0} + 192", "{c}"]).format(base, c=rng.choice([0, 1, 2, 32, 64]))


def source(store, load, guard, way, barrier, to):
    lines = way.format(to=f"{to}[{store}]", of=f"a[{load}]").split("\n")
    if barrier:
        lines.insert(1, "syncthreads()")
    if guard:
        lines = [f"if {guard}:"] + ["    " + line for line in lines]
    head = ["@kernel(block=64)", "def f(x: i32[:], a: f32[:], o: f32[:]):"] + ["    " + line for line in ["i = grid(1)", "t = threadIdx.x", "b = blockIdx.x"]]
    return "\n".join(head + ["    " + line for line in lines]) + "\n"


def model(store, load, guard, barrier):
    """Returns whether two threads store to one element, and whether one loads what another stores with nothing between."""
    threads = [{"t": t, "b": b, "i": b * THREADS + t} for b in range(BLOCKS) for t in range(THREADS)]
    threads = [each for each in threads if GUARDS[guard](each)]
    stores, is_double = {}, False
    for each in threads:
        at = eval(store, {}, each)
        is_double = is_double or at in stores
        stores.setdefault(at, []).append(each)
    meets = any(other is not each and not (barrier and other["b"] == each["b"]) for each in threads for other in stores.get(eval(load, {}, each), []))
    return is_double, meets


def check(kernc, path):
    done = subprocess.run([kernc, "check", str(path), "--diagnostics=json", "-Wno-coalesce"], capture_output=True, text=True, timeout=60)
    return [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]


def attempt(options, seed, folder):
    rng = random.Random(seed)
    store, load, guard, way = index(rng), index(rng), rng.choice(list(GUARDS)), rng.choice(WAYS)
    barrier = not guard and "\n" in way and rng.random() < 0.5
    # Other warnings tell of stores that meet, and of an element that is changed.
    is_double, meets = model(store, load, guard, barrier)
    if is_double or store == load:
        return
    path = folder / "a.kern"
    path.write_text(source(store, load, guard, way, barrier, "a"))

    def fail(text, found):
        sys.exit(f"{text} {[(one['code'], one['message']) for one in found]}\n{path.read_text()}")
    found = check(options.kernc, path)
    if any(one["code"] != "W0749" for one in found):
        fail("something else is said", found)
    if bool(found) != meets:
        fail(f"the model finds {'two such threads' if meets else 'none'}", found)
    path.write_text(source(store, load, guard, way, barrier, "o"))
    found = check(options.kernc, path)
    if found:
        fail("another array is stored to", found)


arguments.agree(arguments.parser(40).parse_args(), attempt)

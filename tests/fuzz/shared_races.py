#!/usr/bin/env python3
"""Kernels of stores to shared memory, loads, barriers, conditions and loops, in any order: kernc warns where two threads of the block touch one
element with no barrier between, by a model that runs the threads one by one, and nowhere else. The barriers that the warnings write are put
there until there is no warning; the model must agree then, and each of them compiles.

usage: shared_races.py KERNC [--count N] [--seed S] [--seconds T]
"""
import json
import random
import subprocess
import sys

import arguments

THREADS = 64
OWN = ["t", "t ^ 1", "63 - t", "(t + 1) % 64", "(t * 5 + 3) % 64"]
ANY = OWN + ["t // 2", "0", "k", "t & 32", "threadIdx.x"]


class Statement:
    """A line with its body: `kind` is store, load, barrier, if or for."""

    def __init__(self, kind, array=None, index=None, head=None, body=()):
        self.kind, self.array, self.index, self.head, self.body = kind, array, index, head, list(body)

    def lines(self, depth):
        pad = "    " * depth
        text = {"store": f"{self.array}[{self.index}] = acc", "load": f"acc += {self.array}[{self.index}]", "barrier": "syncthreads()"}.get(self.kind, self.head)
        yield pad + text, self
        for statement in self.body:
            yield from statement.lines(depth + 1)


def simple(rng, in_loop):
    array = rng.choice("sssr")
    if rng.random() < 0.4:
        return Statement("store", array, rng.choice(OWN))
    return Statement("load", array, rng.choice([index for index in ANY if in_loop or index != "k"]))


def block(rng, depth, in_loop=False, alike=True):
    made = []
    for _ in range(rng.randint(1, 4)):
        choice = rng.random()
        if choice < 0.25 and alike:
            made.append(Statement("barrier"))
        elif choice < 0.4 and depth > 0:
            limit = rng.choice(["t < 32", "t >= 60", "t == 5", "t % 2 == 0", "n > 3", "i < x.size"])
            made.append(Statement("if", head=f"if {limit}:", body=block(rng, depth - 1, in_loop, alike and limit == "n > 3")))
        elif choice < 0.55 and depth > 0 and not in_loop:
            bounds = rng.choice(["range(2)", "range(3)", "range(n)", "range(1)"])
            made.append(Statement("for", head=f"for k in {bounds}:", body=block(rng, depth - 1, True, alike)))
        else:
            made.append(simple(rng, in_loop))
    return made


def source(statements):
    lines = ["@kernel(block=64)", "def f(x: f32[:], y: f32[:], n: i32):", "    s = shared.array(64, f32)", "    r = shared.array(64, f32)", "    i = grid(1)",
             "    t = threadIdx.x", "    acc = x[i]"]
    places = {}
    for statement in statements:
        for line, made in statement.lines(1):
            lines.append(line)
            places[len(lines)] = made
    return "\n".join(lines + ["    y[i] = acc"]) + "\n", places


def run(statements, thread, touched, epoch, k=0):
    """One thread: n is 5, and x is large."""
    for statement in statements:
        if statement.kind == "barrier":
            epoch[0] += 1
        elif statement.kind in ("store", "load"):
            at = eval(statement.index.replace("threadIdx.x", "t"), {"t": thread, "k": k})
            touched.setdefault((epoch[0], statement.array, at), {"store": set(), "load": set()})[statement.kind].add(thread)
        elif statement.kind == "if":
            condition = statement.head[3:-1]
            if condition == "i < x.size" or eval(condition, {"t": thread, "n": 5}):
                run(statement.body, thread, touched, epoch, k)
        else:
            for k in eval(statement.head.split(" in ")[1][:-1], {"n": 5}):
                run(statement.body, thread, touched, epoch, k)


def races(statements):
    """Returns whether threads meet, and whether that is so in elements that one thread alone stores to."""
    touched, ends = {}, set()
    for thread in range(THREADS):
        epoch = [0]
        run(statements, thread, touched, epoch)
        ends.add(epoch[0])
    # Threads that pass by a barrier are in no epoch.
    if len(ends) > 1:
        return None
    meets = [each for each in touched.values() if each["store"] and each["load"] - each["store"] or (each["load"] and len(each["store"]) > 1)]
    return bool(meets), any(len(each["store"]) == 1 for each in meets)


def check(kernc, path):
    done = subprocess.run([kernc, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=60)
    found = [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    return [one for one in found if one["code"][0] == "E" or one["code"] == "W0716"]


def put_barrier(statements, found, places):
    note = found["notes"][-1]
    target = places.get(note.get("line"))
    if target is None or "write `syncthreads()`" not in note["message"]:
        return False
    if "last statement of this loop" in note["message"]:
        target.body.append(Statement("barrier"))
        return True

    def insert(body):
        if target in body:
            body.insert(body.index(target), Statement("barrier"))
            return True
        return any(insert(statement.body) for statement in body)
    return insert(statements)


def attempt(options, seed, folder):
    rng = random.Random(seed)
    statements = block(rng, 2) + block(rng, 2)
    path = folder / "a.kern"

    def fail(text):
        sys.exit(f"{text}\n{path.read_text()}")
    for _ in range(30):
        text, places = source(statements)
        path.write_text(text)
        found = check(options.kernc, path)
        if any(one["code"] != "W0716" for one in found):
            # A barrier in an `if` that threads take differently: nothing was sure there.
            return
        model = races(statements)
        if model is None:
            return
        meets, is_sure = model
        if found and not meets:
            fail(f"no threads meet: {found[0]['message']}, line {found[0]['line']}")
        if not found:
            if is_sure:
                fail("threads meet, and nothing is said")
            return
        if not put_barrier(statements, found[0], places):
            if "let `syncthreads()` stand between" in found[0]["notes"][-1]["message"]:
                return
            fail(f"no advice: {found[0]}")
    fail("there is no end of warnings")


arguments.agree(arguments.parser(40).parse_args(), attempt)

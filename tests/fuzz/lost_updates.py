#!/usr/bin/env python3
"""Threads that race for an element, in all forms: each operator, on elements of global and shared memory at a constant, a uniform index
and one that data picks, where it stands plain, under conditions, under flags that loops set, in loops and in device functions; indices that loops make of
data; counts that place elements; and stores of values. Each is warned of; what the warning writes is put there as it stands, gives no warning, and
computes in several blocks what a model in Python does. Beside them stand elements that are a thread's own, or come to by one thread: of those nothing
is said.

usage: lost_updates.py KERNC [--count N] [--seed S] [--seconds T]        without a count every form is tried
"""
import itertools
import json
import random
import re
import subprocess
import sys

import numpy

import arguments

BLOCKS, THREADS, START = 4, 32, 50
COUNT = BLOCKS * THREADS - 9
OPERATORS = {
    "add": ("{m} += {v}", lambda m, v: m + v), "add_long": ("{m} = {m} + {v}", lambda m, v: m + v), "add_right": ("{m} = {v} + {m}", lambda m, v: m + v),
    "sub": ("{m} -= {v}", lambda m, v: m - v), "count": ("{m} += 1", lambda m, v: m + 1), "count_long": ("{m} = {m} + 1", lambda m, v: m + 1),
    "or": ("{m} |= {v}", lambda m, v: m | v), "and": ("{m} &= {v}", lambda m, v: m & v), "xor": ("{m} ^= {v}", lambda m, v: m ^ v),
    "max": ("{m} = max({m}, {v})", max), "min": ("{m} = min({m}, {v})", min), "max_if": ("if {v} > {m}:\n    {m} = {v}", max),
}
# The element, its index in the model, and the array.
TARGETS = {
    "first": ("m[0]", lambda i, data: 0), "uniform": ("m[q]", lambda i, data: 2), "two_axes": ("w[0, q]", lambda i, data: 2),
    "picked": ("m[d[i] % 4]", lambda i, data: data["d"][i] % 4), "shared": ("s[0]", lambda i, data: 0), "shared_uniform": ("s[q]", lambda i, data: 2),
    "shared_picked": ("s[d[i] % 4]", lambda i, data: data["d"][i] % 4),
}
# Lines that find out by loops whether a thread goes on, and the condition: Python runs them as they stand.
FLAGS = {
    "flag": ("ok = False\nfor r in range(3):\n    if x[(i + r) % x.size] > 40:\n        ok = True", "ok"),
    "flag_not": ("ok = True\nfor r in range(3):\n    if x[(i + r) % x.size] > 40:\n        ok = False", "not ok"),
    "flag_none": ("bad = False\nfor r in range(2):\n    if d[(i + r) % x.size] == 7:\n        bad = True\n        break", "not bad"),
    "flag_equal": ("ok = False\nfor r in range(4):\n    if d[(i + r) % x.size] == 3:\n        ok = True\n        break", "ok"),
    "flag_of_itself": ("ok = True\nfor r in range(3):\n    ok = ok and x[(i + r) % x.size] > 0", "ok"),
    "flag_or": ("ok = False\nr = 0\nwhile r < 3:\n    ok = ok or x[(i + r) % x.size] > 40\n    r += 1", "ok"),
    "flag_continue": ("ok = False\nfor r in range(3):\n    if x[(i + r) % x.size] <= 40:\n        continue\n    ok = True", "ok"),
    "flag_nested": ("ok = x[i] > 2\nfor r in range(2):\n    for e in range(2, 4):\n        if x[(i + r) % x.size] % e == 0:\n            ok = False\n            break", "ok"),
    "trips": ("n = 0\nv = d[i]\nwhile v > 1:\n    v >>= 1\n    n += 1", "n > 1"),
    "trips_equal": ("n = 0\nv = d[i]\nwhile v > 1:\n    v >>= 1\n    n += 1", "n == 2"),
}
# The lines around the statement, whom they let through, and how often.
IN = "if i < x.size:\n    {}"
PLACES = {
    "plain": (IN, lambda i, data: 1),
    "condition": (IN.format("if x[i] > 20:\n    {}"), lambda i, data: data["x"][i] > 20),
    "positive": (IN.format("if x[i] > 0:\n    {}"), lambda i, data: data["x"][i] > 0),
    "and": ("if i < x.size and x[i] > 20:\n    {}", lambda i, data: data["x"][i] > 20),
    "or": (IN.format("if x[i] > 30 or x[i] < 10:\n    {}"), lambda i, data: data["x"][i] > 30 or data["x"][i] < 10),
    "not": (IN.format("if not x[i] > 20:\n    {}"), lambda i, data: data["x"][i] <= 20),
    "equal": (IN.format("if d[i] == 3:\n    {}"), lambda i, data: data["d"][i] == 3),
    "else": (IN.format("if x[i] > 20:\n    pass\nelse:\n    {}"), lambda i, data: data["x"][i] <= 20),
    "return": ("if i >= x.size:\n    return\n{}", lambda i, data: 1),
    "for": (IN.format("for r in range(3):\n    {}"), lambda i, data: 3),
    "while": (IN.format("r = 0\nwhile r < 2:\n    {}\n    r += 1"), lambda i, data: 2),
    "chain": (IN.format("if 0 <= d[i] < 5:\n    {}"), lambda i, data: data["d"][i] < 5),
    "chain_uniform": (IN.format("if q < x[i] < x.size:\n    {}"), lambda i, data: data["x"][i] > 2),
    "not_chain": (IN.format("if not 10 <= x[i] <= 30:\n    {}"), lambda i, data: not 10 <= data["x"][i] <= 30),
    "named": (IN.format("inside = 0 <= d[i] < 5 and x[i] > 0\nif inside:\n    {}"), lambda i, data: data["d"][i] < 5 and data["x"][i] > 0),
    "chain_return": ("if not 0 <= i < x.size:\n    return\nif d[i] < 0 or d[i] > 4:\n    return\n{}", lambda i, data: data["d"][i] <= 4),
    "continue": (IN.format("for r in range(2):\n    if not 0 <= d[i] < 5:\n        continue\n    {}"), lambda i, data: 2 * (data["d"][i] < 5)),
    **{name: (IN.format(f"{lines}\nif {condition}:\n    {{}}"), lambda i, data, name=name: python(*FLAGS[name], i, data)) for name, (lines, condition) in FLAGS.items()},
    "own_winner": (IN.format("if atomic.cas(free, i, 0, 1) == 0:\n    {}"), lambda i, data: 1),
    "own_loser": (IN.format("if x[i] > 0 and atomic.add(free, i // 2, 0) < 1:\n    {}"), lambda i, data: data["x"][i] > 0),
    "device": (None, lambda i, data: 1), "device_deep": (None, lambda i, data: 1), "device_generic": (None, lambda i, data: 1),
}
# Each of these counts and stores; the array is `a`, and `c` the counter.
COMPACTIONS = ["atomic.add({n}, 0, 1)\n{a}[{c} - 1] = {v}", "{a}[{c}] = {v}\natomic.add({n}, 0, 1)", "{a}[{c}] = {v}\n{c} += 1", "{c} += 1\n{a}[{c} - 1] = {v}", "p = {c}\n{c} = p + 1\n{a}[p] = {v}", "{a}[{c}] = {v}\n{b}[{c}] = i32(i)\n{c} = {c} + 1",
               "p = {c}\n{a}[p] = {v}\n{b}[p] = i32(i)\n{c} += 1"]


# Those whom data that are equal to something let through, or an atomic of an element of theirs, may be meant to be one.
MAY_BE_ONE = ("equal", "flag_equal", "trips_equal", "own_winner", "own_loser")
WHO_IS_NOT_KNOWN = ("condition", "positive", "and", "or", "not", "else", "chain", "chain_uniform", "not_chain", "named", "chain_return", "continue",
                    *[name for name in FLAGS if name not in MAY_BE_ONE])
# Loops that make an index `b` of data: heads, over `r`; tests; what is done then; and whole ones.
HEADS = ["for r in range(4):\n{}", "r = 0\nwhile r < 4:\n{}\n    r += 1", "for r in range(q + 2):\n{}", "for e in range(2):\n    for r in range(e * 2, 4):\n{}"]
TESTS = ["x[i] > 10 * r", "d[i] > 2 * r", "x[(i + r) % x.size] > 20", "d[(i + r) % x.size] == 3", "x[i] % (r + 2) == 0", "x[r] > x[i]", "i < x.size and x[i] > 10 * r", "r < q and d[i] > r"]
ACTIONS = ["if {t}:\n    b = r", "if {t}:\n    b += 1", "if {t}:\n    b = r\n    break", "if not ({t}):\n    break\nb = r", "if {t}:\n    b = 3 - r\nelif b > 1:\n    b -= 1", "b = r if {t} else b",
           "if {t}:\n    if d[i] > r:\n        b = r", "if x[i] > x[best]:\n    best = r\n    b = best"]
WHOLE = ["lo = 0\nhi = 3\nwhile lo < hi:\n    mid = (lo + hi) // 2\n    if x[i] > 15 * mid:\n        lo = mid + 1\n    else:\n        hi = mid\nb = lo",
         "v = d[i]\nwhile v > 1:\n    v >>= 1\n    b += 1", "for r in range(d[i]):\n    b += 1", "for r in range(d[i]):\n    b = r", "while b < 3 and d[i] > 2 * b:\n    b += 1",
         "while True:\n    if d[i] <= b:\n        break\n    b += 1", "v = x[i]\nwhile v > 1:\n    v = v // 2 if v % 2 == 0 else 3 * v + 1\n    b += 1",
         "h = local.array(4, i32)\nfor r in range(8):\n    h[(x[i] >> r) & 3] += 1\nfor r in range(4):\n    if h[r] > h[b]:\n        b = r",
         "h = local.array(4, i32)\nfor r in range(4):\n    if x[(i + r) % x.size] > 20:\n        h[r] = i32(r)\nb = h[0] + h[3]"]
INDICES = ["b % 4", "min(b, 3)", "(b + 1) % 4", "3 - b % 4"]
AROUND = ["{}", "if x[i] > 0:\n    {}", "for k in range(2):\n    {}", "if d[i] != 4:\n    {}"]
# These elements are a thread's own however loops come to them, or one thread comes to them, or one for each element: of an
# array that is long enough, or of its first element.
QUIET = ["b = 0\nfor r in range(x.size):\n    if r == i:\n        b = r\n{out[b]}", "b = 0\nwhile b < i:\n    b += 1\n{out[b]}", "b = 0\nwhile True:\n    if b == i:\n        break\n    b += 1\n{out[b]}",
         "b = -1\nfor r in range(i + 1):\n    b += 1\n{out[b]}", "b = 0\nfor r in range(x.size):\n    if r < i:\n        continue\n    b = r\n    break\n{out[b]}",
         "b = i\nwhile b < x.size and x[i] > 20:\n    b += x.size\n{out[b]}", "n = 0\nfor r in range(4):\n    if x[i] > r:\n        n += 1\n{w[i, n]}", "for r in range(x.size):\n    if r == i:\n        {out[r]}",
         "h = local.array(2, i32)\nfor r in range(x.size):\n    if r == i:\n        h[1] = i32(r)\n{out[h[1]]}", "b = 0\nfor r in range(x.size):\n    if r == i and x[0] > -100:\n        b = r\n{out[b]}",
         "ok = False\nfor r in range(4):\n    if i == 5:\n        ok = True\nif ok:\n    {out[0]}", "ok = i == 0\nfor r in range(4):\n    ok = ok and x[r] > 0\nif ok:\n    {out[0]}",
         "ok = True\nfor r in range(4):\n    ok = ok and i == 3\nif ok:\n    {out[0]}", "ok = False\nfor r in range(4):\n    ok = ok or i == 3\nif ok:\n    {out[0]}",
         "other = False\nfor r in range(4):\n    if i != 7:\n        other = True\n        break\nif not other:\n    {out[0]}", "ok = False\nfor r in range(4):\n    if i != 7:\n        continue\n    ok = True\nif ok:\n    {out[0]}",
         "n = 0\nfor r in range(x.size):\n    if r < i:\n        n += 1\nif n == 0:\n    {out[0]}", "for r in range(4):\n    if i == 0 and x[r] > 0:\n        {out[r]}",
         "if atomic.cas(free, 0, 0, 1) == 0:\n    {out[0]}", "if atomic.add(free, d[i], 1) == 0:\n    {out[d[i]]}", "b = 0\nfor r in range(4):\n    if d[i] > r:\n        b = r\nif atomic.cas(free, b, 0, 1) == 0:\n    {out[b]}",
         "b = 0\nfor r in range(4):\n    if d[i] > r:\n        b = r\natomic.add(out, b, 1)"]


def python(lines, result, i, data):
    """Runs lines of a kernel as Python; local arrays are lists."""
    class Local:
        array = staticmethod(lambda extent, _: [0] * extent)

    names = {"x": numpy.array(data["x"]), "d": numpy.array(data["d"]), "i": i, "q": 2, "b": 0, "best": 0, "local": Local, "i32": int}
    exec(lines, names)
    return int(eval(result, names))


def indented(text, depth=1):
    return "\n".join("    " * depth + line for line in text.split("\n"))


def put(frame, text):
    """Puts lines where the braces stand, with their indentation."""
    pad = re.search(r"^( *)\{\}", frame, re.M)[1]
    return frame.replace(pad + "{}", "\n".join(pad + line for line in text.split("\n")))


def nested(frame):
    """IN.format() above puts the inner lines behind the indentation of the first one only."""
    return frame if frame is None or not frame.startswith("if i < x.size:\n") else "if i < x.size:\n" + indented(frame[len("if i < x.size:\n    "):])


def program(body, functions=""):
    is_shared = re.search(r"\bs\b|\bbuf\b", body) is not None
    lines = ["i = grid(1)"]
    if is_shared:
        lines += ["s = shared.array(4, i32)", "buf = shared.array(64, i32)", f"if threadIdx.x < 4:\n    s[threadIdx.x] = {START if 'buf[' not in body else 0}",
                  "buf[threadIdx.x] = -1", "buf[threadIdx.x + 32] = -1", "syncthreads()"]
    lines.append(body)
    if is_shared:
        lines += ["syncthreads()", "if threadIdx.x < 4:\n    o[blockIdx.x * 4 + threadIdx.x] = s[threadIdx.x]",
                  "o2[blockIdx.x * 64 + threadIdx.x] = buf[threadIdx.x]", "o2[blockIdx.x * 64 + threadIdx.x + 32] = buf[threadIdx.x + 32]"]
    head = "def k(x: i32[:], d: i32[:], q: i32, m: i32[:], w: i32[:, :], out: i32[:], out2: i32[:], o: i32[:], o2: i32[:], free: i32[:]):"
    return functions + "@kernel\n" + head + "\n" + "\n".join(indented(line) for line in lines) + "\n"


def device(place, statement):
    """Returns functions, and the call of the outer one; the statement is in terms of `t`, `e` and `v`."""
    types = ("", "", "") if place == "device_generic" else (": i32[:]", ": i32", ": i32")
    text = f"@device\ndef change(t{types[0]}, e{types[1]}, v{types[2]}):\n{indented(statement)}\n\n"
    if place != "device_deep":
        return text, "change"
    return text + f"@device\ndef deep(t{types[0]}, e{types[1]}, v{types[2]}):\n    change(t, e, v)\n\n", "deep"


def check(kernc, path):
    done = subprocess.run([kernc, "check", str(path), "--diagnostics=json"], capture_output=True, text=True, timeout=60)
    found = [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    return [one for one in found if one["code"][0] == "E" or one["code"] in ("W0702", "W0745")]


def mend(source, found):
    """Puts what the warning writes where it points."""
    message, lines, at = found["message"], source.split("\n"), found["line"] - 1
    pad = re.match(" *", lines[at])[0]
    if one := re.search(r"let one thread store it: `(.*)`$", message):
        lines[at] = f"{pad}{one[1]}\n{pad}    {lines[at].strip()}"
    elif place := re.search(r"instead write `(.*)` before the store to `(.*)`, and `(.*)` there$", message):
        targets = {place[2]: place[3]}
        for note in found["notes"]:
            if other := re.match("likewise `(.*)` for `(.*)`$", note["message"]):
                targets[other[2]] = other[1]
        lines[at] = None
        first = None
        for number, line in enumerate(lines):
            for old, new in targets.items():
                if line and line.startswith(f"{pad}{old} = "):
                    lines[number] = line.replace(old, new, 1)
                    first = number if first is None else first
        lines[first] = f"{pad}{place[1]}\n{lines[first]}"
    elif place := re.search(r"instead write `(.*)` for `(.*)`$", message):
        lines[at] = None
        number = lines.index(pad + place[2])
        lines[number] = pad + place[1]
    elif place := re.search(r"; write `(.*)` for `(.*)`, and `(.*)` here$", message):
        lines[lines.index(pad + place[2])] = pad + place[1]
        lines[at] = re.sub(r"^.*?(?= = )", pad + place[3], lines[at])
    elif place := re.search(r"; write `(.*)` before this instead of `(.*)` behind it, and `(.*)` here$", message):
        lines[lines.index(pad + place[2])] = None
        lines[at] = f"{pad}{place[1]}\n" + re.sub(r"^.*?(?= = )", pad + place[3], lines[at])
    elif fix := re.search(r"; write `([^`]*)`$", message):
        lines[at] = pad + fix[1]
    else:
        return None
    return "\n".join(line for line in lines if line is not None)


def follow(kernc, path, source, code=None):
    """Writes a program, and then that in which what its one warning says is done; returns the latter, and what is wrong with either."""
    path.write_text(source)
    found = check(kernc, path)
    if len(found) != 1 or (code and found[0]["code"] != code):
        return source, "one warning was wanted: " + str([one["message"] for one in found])
    fixed = mend(source, found[0])
    if fixed is None:
        return source, found[0]["message"]
    path.write_text(fixed)
    found = check(kernc, path)
    return fixed, "still warned of: " + found[0]["message"] if found else None


def run(kernc, folder, path, data):
    words = [f"{name}={json.dumps(data[name])}" for name in ("x", "d")]
    words += ["q=2", f"m=[{','.join([str(data['start'])] * 4)}]", f"w=@{folder}/w.npy", "out=zeros:i32:256", "out2=zeros:i32:256",
              f"o=zeros:i32:{BLOCKS * 4}", f"o2=zeros:i32:{BLOCKS * 64}", "free=zeros:i32:256"]
    for name in ("m", "w", "out", "out2", "o", "o2"):
        words += ["-o", f"{name}={folder}/{name}_out.npy"]
    done = subprocess.run([kernc, "run", str(path), "k", *words, f"--grid={BLOCKS}", f"--block={THREADS}"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr + path.read_text())
    return {name: numpy.load(folder / f"{name}_out.npy") for name in ("m", "w", "out", "out2", "o", "o2")}


def updates():
    """Who comes to a statement through loops is not looked at by every operator."""
    for target, operator, place in itertools.product(TARGETS, OPERATORS, PLACES):
        if place not in FLAGS or operator in ("add", "count_long", "and", "max_if"):
            yield target, operator, place


def expected_update(target, operator, place, data):
    """Returns the four elements for each block (shared) or of the grid."""
    is_shared = target.startswith("shared")
    cells = [[START] * 4 for _ in range(BLOCKS)]
    for i in range(COUNT):
        for _ in range(int(PLACES[place][1](i, data))):
            row, at = cells[i // THREADS if is_shared else 0], TARGETS[target][1](i, data)
            row[at] = OPERATORS[operator][1](row[at], data["x"][i])
    return cells


def try_update(kernc, folder, data, target, operator, place):
    element = TARGETS[target][0]
    # Whoever has left does not copy the results of the block.
    if target.startswith("shared") and place == "chain_return":
        return None
    if place.startswith("device"):
        if target == "two_axes":
            return None
        functions, name = device(place, OPERATORS[operator][0].format(m="t[e]", v="v"))
        array, index = re.match(r"(\w)\[(.*)\]", element).groups()
        source = program(IN.format(f"{name}({array}, {index}, x[i])"), functions)
    else:
        source = program(put(nested(PLACES[place][0]), OPERATORS[operator][0].format(m=element, v="x[i]")))
    data["start"] = START
    path = folder / "a.kern"
    fixed, problem = follow(kernc, path, source, "W0745" if target.endswith("picked") else "W0702")
    if problem:
        return fixed, problem
    got, want = run(kernc, folder, path, data), expected_update(target, operator, place, data)
    if target.startswith("shared"):
        given, wanted = got["o"].reshape(BLOCKS, 4).tolist(), want
    elif target == "two_axes":
        given, wanted = got["w"][0].tolist(), want[0]
    else:
        given, wanted = got["m"].tolist(), want[0]
    return None if given == wanted else (fixed, f"{given}, {wanted} expected")


def try_compaction(kernc, folder, data, form, is_shared, place):
    names = {"a": "buf" if is_shared else "out", "b": "out2", "n": "s" if is_shared else "m", "c": "s[0]" if is_shared else "m[0]", "v": "x[i]"}
    source = program(put(nested(PLACES[place][0]), form.format(**names)))
    # Whoever has left does not copy the results of the block.
    if is_shared and ("{b}" in form or place.endswith("return")):
        return None
    data["start"] = 0
    path = folder / "a.kern"
    fixed, problem = follow(kernc, path, source)
    if problem:
        return fixed, problem
    got = run(kernc, folder, path, data)
    chosen = [i for i in range(COUNT) for _ in range(int(PLACES[place][1](i, data)))]
    for block in range(BLOCKS) if is_shared else [0]:
        mine = [i for i in chosen if i // THREADS == block] if is_shared else chosen
        stored = got["o2"][block * 64:][:64] if is_shared else got["out"]
        stored = stored[:len(mine)]
        count = got["o"][block * 4] if is_shared else got["m"][0]
        if count != len(mine) or sorted(stored.tolist()) != sorted(data["x"][i] for i in mine):
            return fixed, f"{count} of {len(mine)}: {sorted(stored.tolist())}"
        if "{b}" in form and [data["x"][i] for i in got["out2"][:count]] != stored.tolist():
            return fixed, "the two arrays do not go together"
    return None


def try_store(kernc, folder, data, target, place):
    """A value of each thread: the one that the test picks stores its own."""
    source = program(put(nested(PLACES[place][0]), f"{TARGETS[target][0]} = x[i]"))
    data["start"] = START
    path = folder / "a.kern"
    if place in MAY_BE_ONE + WHO_IS_NOT_KNOWN:
        path.write_text(source)
        found = check(kernc, path)
        if place in MAY_BE_ONE:
            return None if not found else (source, found[0]["message"])
        if len(found) != 1 or found[0]["code"] != "W0702":
            return source, "one warning was wanted: " + str([one["message"] for one in found])
        return None if mend(source, found[0]) is None else (source, "no one thread is known: " + found[0]["message"])
    fixed, problem = follow(kernc, path, source, "W0702")
    if problem:
        return fixed, problem
    got, at = run(kernc, folder, path, data), TARGETS[target][1](0, data)
    if target.startswith("shared"):
        given, wanted = got["o"].reshape(BLOCKS, 4)[:, at].tolist(), [data["x"][b * THREADS] for b in range(BLOCKS)]
    else:
        given, wanted = (got["w"][0] if target == "two_axes" else got["m"])[at], data["x"][0]
    return None if given == wanted else (fixed, f"{given}, {wanted} expected")


def make_index(rng):
    """Returns lines that make `b` of data."""
    if rng.random() < 0.4:
        return "b = 0\n" + rng.choice(WHOLE)
    head, action = rng.choice(HEADS), rng.choice(ACTIONS)
    depth = 2 if head.startswith("for e") else 1
    # A `break` of a while loop leaves out the step, as it should; nothing here continues.
    return ("best = 0\n" if "best" in action else "") + "b = 0\n" + head.format(indented(action.format(t=rng.choice(TESTS)), depth))


def try_index(kernc, folder, data, seed):
    """An index that a loop makes of data."""
    rng = random.Random(seed)
    lines, index, array, operator, around = make_index(rng), rng.choice(INDICES), rng.choice("ms"), rng.choice(list(OPERATORS)), rng.choice(AROUND)
    source = program("if i < x.size:\n" + indented(lines + "\n" + put(around, OPERATORS[operator][0].format(m=f"{array}[{index}]", v="x[i]"))))
    data["start"] = START
    fixed, problem = follow(kernc, folder / "a.kern", source, "W0745")
    if problem:
        return fixed, problem
    cells = [[START] * 4 for _ in range(BLOCKS)]
    for i in range(COUNT):
        times = python("n = 0\n" + put(around, "n += 1"), "n", i, data)
        row, at = cells[i // THREADS if array == "s" else 0], python(lines, index, i, data)
        for _ in range(times):
            row[at] = OPERATORS[operator][1](row[at], data["x"][i])
    got = run(kernc, folder, folder / "a.kern", data)
    given, wanted = (got["o"].reshape(BLOCKS, 4).tolist(), cells) if array == "s" else (got["m"].tolist(), cells[0])
    return None if given == wanted else (fixed, f"{given}, {wanted} expected")


def try_quiet(kernc, folder, data, form, operator):
    element = re.search(r"\{(.*)\}", form)
    body = put(form.replace(element[0], "{}"), OPERATORS[operator][0].format(m=element[1], v="x[i]")) if element else form
    source, path = program("if i < x.size:\n" + indented(body)), folder / "a.kern"
    path.write_text(source)
    found = check(kernc, path)
    return (source, found[0]["message"]) if found else None


def data_of(rng):
    return {"x": [rng.randint(-40, 60) for _ in range(COUNT)], "d": [rng.randint(0, 9) for _ in range(COUNT)]}


def cases():
    """Yields each form with what tries it."""
    plain = [name for name in PLACES if not name.startswith("device")]
    yield from ((try_update, each) for each in updates())
    yield from ((try_compaction, each) for each in itertools.product(COMPACTIONS, (False, True), [name for name in plain if name not in ("for", "while", "continue")]))
    yield from ((try_store, each) for each in itertools.product([name for name in TARGETS if not name.endswith("picked")], plain))
    yield from [(try_index, ())] * 400  # each takes the seed
    yield from ((try_quiet, each) for each in itertools.product(QUIET, OPERATORS))


def main():
    every = list(cases())
    options = arguments.parser(len(every)).parse_args()

    def check(options, seed, folder):
        numpy.save(folder / "w.npy", numpy.full((2, 4), START, numpy.int32))
        [(attempt, each)] = arguments.part_of(seed, every, len(every))
        failed = attempt(options.kernc, folder, data_of(random.Random(seed)), *(each or [seed]))
        return f"{attempt.__name__} {each}: {failed[1]}\n{failed[0]}" if failed else None

    return arguments.check_each(options, "lost_updates", check)


if __name__ == "__main__":
    sys.exit(main())

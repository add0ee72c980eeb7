"""What kernc says of the guards of a file: the state of each on both targets, and which of them are in the PTX."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
# What a state begins with; a new one needs no row here, its first word is taken.
PROOFS = [("fact", r"the fact `"), ("guard", r"the guard at|a guard before it"), ("loop", r"`(for|while)\b[^`]*` at|the loop around it"), ("test", r"`[^`]*` at|a test before it"),
          ("block", r"block="), ("launch", r"the limits of a launch"), ("constant", r"^constant "), ("range", r"-?\d+(\.\.-?\d+)? (<|in) "),
          ("arithmetic", r"arithmetic")]
# Kinds of sites of an index, and of a value that is to fit: their rows in faults.def.
TESTED_KINDS = {1, 10, 11} | {17, 18, 19}


def state_of(text):
    """`proved by test and loop`, `kept`, `kept, fails only if empty`; of other states the words up to what proves or places them."""
    head, _, proof = text.partition(" by ")
    head = re.sub(r"\s+(at|before|to)\b.*\d+:\d+.*$", "", head)
    if not proof:
        return head
    kinds = [kind for kind, pattern in PROOFS if re.search(pattern, proof)]
    return f"{head} by {' and '.join(kinds) or 'other'}"


def is_kept(state):
    return not state.startswith(("proved", "tested"))


def parse_guards(text):
    """{function: [(place, access, state)]}, from --emit=guards."""
    functions, rows = {}, None
    for line in text.splitlines():
        head = re.match(r"^(\S.*?): \d+ of \d+ ", line)
        if head and not re.match(r"^\d+:\d+ ", line):
            rows = functions.setdefault(head[1], [])
            continue
        # The index may hold a colon, the state begins behind the last one in front of a word of state.
        row = re.match(r"^(\d+:\d+) (.*?): ([a-z]+\b.*)$", line)
        if row and rows is not None:
            rows.append((row[1], row[2], state_of(row[3])))
        elif rows is not None and line.startswith("taken where "):
            # What the launch tests before it takes this variant: the proofs by facts rest on it.
            rows.append(("", line, "tested by the launch"))
    return functions


def site_of_fault(text):
    """Where kern_fault has the number from that it stores: ("param", position) or ("number", N). LLVM drops parameters that are all alike."""
    body = re.search(r"^\.func kern_fault\([^)]*\)\s*\{(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    if not body:
        return None
    word = re.search(r"st\.volatile\.global\.[bus]32\s+\[%rd\d+\+4\], (%?\w+);", body[1])[1]
    loaded = re.search(rf"ld\.param\.[bus]32\s+{re.escape(word)}, \[kern_fault_param_(\d+)\];", body[1])
    moved = re.search(rf"mov\.[bus]32\s+{re.escape(word)}, (\d+);", body[1])
    return ("param", loaded[1]) if loaded else ("number", int(moved[1] if moved else word))


def parse_ptx(text):
    """{function: numbers of sites that reach a fault in it}; None among them: one that is no constant."""
    functions, numbers, constants, passed = {}, set(), {}, None
    source = site_of_fault(text)
    for line in text.splitlines():
        head = re.match(r"^(?:\.visible |\.weak )?\.(?:entry|func)\s+(?:\(.*\)\s*)?([\w$.]+)", line)
        if head:
            numbers, constants, passed = functions.setdefault(head[1], set()), {}, None
        move = re.match(r"\s*(?:mov|selp)\.[bus]32\s+(%r\d+), (.*);", line)
        if move:
            constants.setdefault(move[1], set()).update(re.findall(r"(?<![%\w])\d+|%r\d+", move[2]))
        if source and source[0] == "param":
            site = re.match(rf"\s*st\.param\.b32\s+\[param{source[1]}(?:\+0)?\], (%?\w+);", line)
            passed = site[1] if site else passed
        if re.match(r"\s*(call\S*\s+)?kern_fault,\s*", line):
            numbers.update(resolve(passed, constants) if source[0] == "param" else {source[1]})
    return functions


def resolve(word, constants, depth=8):
    """The numbers that a register may hold: a fault whose tail LLVM merged has several."""
    if word.isdigit():
        return {int(word)}
    found = set()
    for part in constants.get(word, ()) if depth else ():
        found |= resolve(part, constants, depth - 1)
    return found or {None}


def sites_of(manifest):
    """By number: (place, array, whether it is of an index or a value)."""
    return [(f"{site['place']['line']}:{site['place']['column']}", site.get("array", ""), site["kind"] in TESTED_KINDS)
            for site in json.loads(manifest)["sites"]]


def numbered(rows):
    """Names each row by its access, and by how many of the same text stand before it."""
    seen, named = {}, {}
    for row in rows:
        seen[row[0]] = seen.get(row[0], 0) + 1
        named[row[0], seen[row[0]]] = row
    return named


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=SOURCE, env=os.environ | {"KERN_CACHE": "off"})


def inspect(kernc, unit):
    """Returns the rows of a unit, {function: [(access, text)]}, and what is wrong whatever the table says."""
    with tempfile.TemporaryDirectory() as name:
        outputs = [f"{name}/{kind}" for kind in ("cuda", "ptx", "manifest", "cpu")]
        words = [word for output in outputs[:3] for word in ("-o", output)]
        for asked in (["--emit=guards,ptx,manifest", "--target=cuda", *words], ["--emit=guards", "--target=cpu", "-o", outputs[3]]):
            done = run([kernc, unit.file, *unit.options, *asked])
            if done.returncode:
                errors = [line for line in done.stderr.splitlines() if "error" in line] or ["kernc fails"]
                untyped = "E0813" in errors[0] or "E0820" in errors[0]
                return None, [] if untyped else [f"{unit}: {errors[0]}"]
        cuda, ptx, manifest, cpu = (pathlib.Path(output).read_text() for output in outputs)
    guards, ptx, sites = {"cuda": parse_guards(cuda), "cpu": parse_guards(cpu)}, parse_ptx(ptx), sites_of(manifest)
    return compare_targets(unit, guards, ptx, sites)


def compare_targets(unit, guards, ptx, sites):
    rows, wrong = {}, []
    for function, on_gpu in guards["cuda"].items():
        on_cpu = guards["cpu"].get(function)
        numbers = ptx.get(function)
        if numbers is not None and None in numbers:
            wrong.append(f"{unit}: {function}: a fault in the PTX whose site is no constant")
        exits = {sites[n] for n in numbers or () if n is not None}
        listed = rows.setdefault(function, [])
        kept = set()
        # The GPU may have copies of a loop that the CPU has not: rows are paired by their texts.
        others = {key: row[1] for key, row in numbered([(access, state) for _, access, state in on_cpu or ()]).items()}
        for key, (access, state, place) in numbered([(access, state, place) for place, access, state in on_gpu]).items():
            # An array's text may hold brackets of its own: `f(x[5] + 1)[0] i`.
            keys = {(place, access[:axis.start()], True) for axis in re.finditer(r"\[\d+\] ", access + " ")}
            keys |= {(place, access.removeprefix("fit "), True)}
            cpu = others.get(key)
            text = state if cpu == state else f"cpu: {cpu}; cuda: {state}" if cpu else f"cuda: {state}"
            if is_kept(state):
                kept |= keys
                if numbers is not None:
                    text += " | ptx" if keys & exits else " | no ptx"
            listed.append((access, text, place))
        for place, array, is_tested in sorted(exits - kept):
            if is_tested:
                wrong.append(f"{unit}: {function}: the PTX tests `{array}` at {place}, whose guard is not kept")
    # The CPU has variants that the GPU has not.
    for function, on_cpu in guards["cpu"].items():
        if function not in guards["cuda"]:
            rows[function] = [(access, f"cpu: {state}", place) for place, access, state in on_cpu]
    return rows, wrong

#!/usr/bin/env python3
"""What became of each guard, against a committed table: none is lost silently.

For every example, every benchmark and every executed text test (`%kernc run` of the test's own file), as they stand in the tree, this
asks kernc for the guards of each target (`--emit=guards`) and for the PTX, and compares with tests/guards/table.txt:

    examples/saxpy.kern
      saxpy
        x[0] i: kept | ptx
        y[0] i: proved by test

A row is an access: array, axis and index as written, in the order of the function. Behind it stands what became of its guard: its state,
and what kind of proof there is. Where the targets differ, each has its state (`cpu: ...; cuda: ...`). `ptx` says that the site's number
reaches a fault in the PTX of that kernel; `no ptx`, that a kept guard has none there (LLVM folded it, or a test before it). A site in the PTX
whose guard is proved is an error whatever the table says, and so is a site with neither a guard nor a check.

One kept guard fewer than the table fails, one more is reported and fails too; `--update` rewrites the table, whose diff is then
reviewed: it says by which kind of proof a guard went. Rows have no line numbers, so that edits elsewhere in a file change nothing.

A file none of whose kernels has types for its parameters is left out, and counted.

usage: table.py KERNC [--update] [--shard K/N] [--jobs N] [--files TEXT] [--table FILE]
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import signatures

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
TABLE = HERE.parent / "table.txt"
# What a state begins with; a new one needs no row here, its first word is taken.
PROOFS = [("fact", r"the fact `"), ("guard", r"the guard at|a guard before it"), ("loop", r"`(for|while)\b[^`]*` at|the loop around it"), ("test", r"`[^`]*` at|a test before it"),
          ("block", r"block="), ("launch", r"the limits of a launch"), ("constant", r"^constant "), ("range", r"-?\d+(\.\.-?\d+)? < "),
          ("arithmetic", r"arithmetic")]


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
    guards, ptx, sites = {"cuda": parse_guards(cuda), "cpu": parse_guards(cpu)}, parse_ptx(ptx), signatures.sites(manifest)
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
            cpu = others.get(key)
            text = state if cpu == state else f"cpu: {cpu}; cuda: {state}" if cpu else f"cuda: {state}"
            if is_kept(state):
                kept |= keys
                if numbers is not None:
                    text += " | ptx" if keys & exits else " | no ptx"
            listed.append((access, text, place))
        for place, array, is_index in sorted(exits - kept):
            if is_index:
                wrong.append(f"{unit}: {function}: the PTX tests `{array}` at {place}, whose guard is not kept")
    # The CPU has variants that the GPU has not.
    for function, on_cpu in guards["cpu"].items():
        if function not in guards["cuda"]:
            rows[function] = [(access, f"cpu: {state}", place) for place, access, state in on_cpu]
    return rows, wrong


def write(table):
    text = []
    for unit in sorted(table):
        text.append(unit)
        for function, rows in table[unit].items():
            text.append(f"  {function}")
            text += [f"    {row[0]}: {row[1]}" for row in rows]
    return "\n".join(text) + "\n"


def read(path):
    table, unit, rows = {}, None, None
    for line in path.read_text().splitlines() if path.exists() else ():
        if not line.startswith(" "):
            unit = table.setdefault(line, {})
        elif not line.startswith("    "):
            rows = unit.setdefault(line.strip(), [])
        else:
            split = re.match(r"    (.*?): ((?:cpu: |cuda: )?[a-z]+\b.*)$", line)
            rows.append((split[1], split[2]))
    return table


def numbered(rows):
    """Names each row by its access, and by how many of the same text stand before it."""
    seen, named = {}, {}
    for row in rows:
        seen[row[0]] = seen.get(row[0], 0) + 1
        named[row[0], seen[row[0]]] = row
    return named


def kept_on(text):
    """The targets on which the guard is kept, and whether it is in the PTX."""
    states = text.partition(" | ")[0]
    parts = re.findall(r"(cpu|cuda): ([^;]*)", states) or [("cpu", states), ("cuda", states)]
    return {target for target, state in parts if state.startswith("kept")} | ({"ptx"} if text.endswith("| ptx") else set())


def difference(unit, old, new):
    """What a unit has that the table has not, and the other way round, a line each."""
    lines = []
    for function in sorted(set(old) | set(new)):
        if function not in old:
            lines.append(f"{unit}: {function}: the table has no such function, with {len(new[function])} guards")
            continue
        before, after = numbered(old.get(function, [])), numbered(new.get(function, []))
        for key in [k for k in before if k not in after] + list(after):
            access, (was, now) = key[0], (before.get(key), after.get(key))
            if was and now and was[1] == now[1]:
                continue
            place = f" at {now[2]}" if now and now[2] else ""
            less = was and kept_on(was[1]) - (kept_on(now[1]) if now else set())
            word = "ONE GUARD FEWER" if less else "differs"
            lines.append(f"{unit}: {function}: {access}{place}: {word}: the table says `{was[1] if was else 'nothing'}`, kernc `{now[1] if now else 'nothing'}`")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernc", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="write the table anew")
    parser.add_argument("--shard", default="1/1", help="K/N: the K-th of N parts of the files")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--files", default="", help="only those with this in their path")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    options = parser.parse_args()
    kernc = options.kernc.resolve()
    part, parts = map(int, options.shard.split("/"))
    units = [unit for unit in signatures.units(SOURCE) if options.files in unit.file]
    mine = units[part - 1::parts]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda unit: inspect(kernc, unit), mine))
    old, problems = read(options.table), []
    table = dict(old) if options.files or parts > 1 else {}
    for unit, (rows, wrong) in zip(mine, found):
        problems += wrong
        if rows is None:
            continue
        if not options.update:
            problems += difference(unit, old.get(str(unit), {}), rows)
        table[str(unit)] = rows
    if not options.update and not options.files and part == 1:
        gone = set(old) - {str(unit) for unit in units}
        problems += [f"{unit}: the table has it, the tree has not" for unit in sorted(gone)]
    if options.update:
        options.table.write_text(write(table))
    for problem in problems:
        print(problem)
    guards = [row[1] for _, (rows, _) in zip(mine, found) if rows for listed in rows.values() for row in listed]
    print(f"guards: {len(mine)} files ({sum(rows is None for rows, _ in found)} left out), {len(guards)} guards, {sum('kept' in text for text in guards)} kept, {len(problems)} problems")
    if problems and not options.update:
        print(f"where this is meant, rewrite the table and review its diff: {os.path.relpath(__file__, SOURCE)} {options.kernc} --update")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

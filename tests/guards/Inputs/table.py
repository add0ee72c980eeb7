#!/usr/bin/env python3
"""What became of each guard, against a committed table: none is lost silently.

For every example, every benchmark and every executed text test (`%kernc run` of the test's own file), as they stand in the tree, this
asks kernc for the guards of each target (`--emit=guards`) and for the PTX, and compares with tests/guards/table.txt. Of examples,
benchmarks and the tests of analysis it has what became of each guard:

    examples/saxpy.kern
      saxpy
        x[0] i: kept | ptx
        y[0] i: proved by test

A row is an access: array, axis and index as written, in the order of the function. Behind it stands what became of its guard: its state,
and what kind of proof there is. Where the targets differ, each has its state (`cpu: ...; cuda: ...`). `ptx` says that the site's number
reaches a fault in the PTX of that kernel; `no ptx`, that a kept guard has none there (LLVM folded it, or a test before it).

Of any other test the table has the number of guards in each state, a line for each set of options:

    tests/check/loop_else.py --sig=k(int64, int32[:, :]): cpu 9 proved, 11 kept; cuda 29 proved, 11 kept, 11 in the PTX

A fit is a row, `fit `y[i]`, a u8: kept | ptx`, in examples and benchmarks only.

These are sums over the kernels and their variants; where they are the same on both targets they stand once. What a launch tests
before it takes a variant (`taken where`) is a row but is not counted: it is no guard, and the guards that rest on it are counted as proved.
`--rows` prints the rows of such a file.

A variant whose facts no launch can meet, or none with arrays of equal shapes (facts.py), is an error whatever the table says.
A site in the PTX whose guard is proved is an error whatever the table says, and so is a site with neither a guard nor a check; that holds
for all files. One kept guard fewer than the table fails, one more is reported and fails too; `--update` rewrites the table, whose
diff is then reviewed: a row says by which kind of proof a guard went. Rows have no line numbers, so that edits elsewhere in a file change
nothing.

A file none of whose kernels has types for its parameters is left out, and counted; that the table has it is a difference.

usage: table.py KERNC [--update | --rows] [--shard K/N] [--jobs N] [--files TEXT] [--table FILE]
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import sys

import facts
import signatures
from states import SOURCE, inspect, numbered

TABLE = SOURCE / "tests/guards/table.txt"
THIS = os.path.relpath(__file__, SOURCE)
# The folders whose files have a row for each guard.
LISTED = ("examples/", "benchmarks/", "tests/analysis/", "tests/corpus/")
# The states that are counted, as a line has them; others stand behind them.
STATES = ("proved", "hoisted", "deferred", "kept")


def states_of(text):
    """{target: state} of a row, and whether its site is in the PTX."""
    states, _, ptx = text.partition(" | ")
    return dict(re.findall(r"(cpu|cuda): ([^;]*)", states)) or {"cpu": states, "cuda": states}, ptx == "ptx"


def summary(rows):
    """`cpu 2 proved, 1 kept; cuda 3 proved, 1 hoisted, 2 kept, 2 in the PTX`, or one such list where the targets agree."""
    counts, in_ptx = {"cpu": collections.Counter(), "cuda": collections.Counter()}, 0
    for _, text, _ in (row for listed in rows.values() for row in listed):
        states, is_in_ptx = states_of(text)
        in_ptx += is_in_ptx
        for target, state in states.items():
            counts[target][re.match(r"\w+", state)[0]] += not state.startswith("tested")
    cpu, cuda = (", ".join(f"{count[state]} {state}" for state in dict.fromkeys((*STATES, *sorted(count))) if count[state]) or "none"
                 for count in counts.values())
    return (cuda if cpu == cuda else f"cpu {cpu}; cuda {cuda}") + (f", {in_ptx} in the PTX" if in_ptx else "")


def without_fits(unit, rows):
    """The rows that the table has of a unit."""
    if rows is None or str(unit).startswith(("examples/", "benchmarks/")):
        return rows
    return {function: [row for row in listed if not row[0].startswith("fit ")] for function, listed in rows.items()}


def is_listed(unit):
    return str(unit).startswith(LISTED)


def write(table):
    text = []
    for unit in sorted(table):
        if isinstance(table[unit], str):
            text.append(f"{unit}: {table[unit]}")
            continue
        text.append(unit)
        for function, rows in table[unit].items():
            text.append(f"  {function}")
            text += [f"    {row[0]}: {row[1]}" for row in rows]
    return "\n".join(text) + "\n"


def read(path):
    """{unit: {function: [(access, text)]}}, and {unit: summary} of those whose guards are counted."""
    table, unit, rows = {}, None, None
    for line in path.read_text().splitlines() if path.exists() else ():
        if not line.startswith(" ") and not is_listed(line):
            name, _, counts = line.rpartition(": ")
            table[name] = counts
        elif not line.startswith(" "):
            unit = table.setdefault(line, {})
        elif not line.startswith("    "):
            rows = unit.setdefault(line.strip(), [])
        else:
            split = re.match(r"    (.*?): ((?:cpu: |cuda: )?[a-z]+\b.*)$", line)
            rows.append((split[1], split[2]))
    return table


def kept_on(text):
    """The targets on which the guard is kept, and whether it is in the PTX."""
    states, is_in_ptx = states_of(text)
    return {target for target, state in states.items() if state.startswith("kept")} | ({"ptx"} if is_in_ptx else set())


def kept_in(counts):
    """How many guards a summary has kept on each target, and in the PTX."""
    targets = re.match(r"cpu (.*); cuda (.*)$", counts)
    cpu, cuda = targets.groups() if targets else (counts, counts)
    return [int(found[1]) if (found := re.search(rf"(\d+) {state}", text)) else 0
            for text, state in ((cpu, "kept"), (cuda, "kept"), (cuda, "in the PTX"))]


def difference_of_counts(unit, was, now, kernc):
    word = "FEWER GUARDS" if any(old > new for old, new in zip(kept_in(was), kept_in(now))) else "differs"
    return f"{unit}: {word}: the table says `{was}`, kernc `{now}`; its rows: {THIS} {kernc} --rows --files {unit.file}"


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


def dead_variants(unit, rows):
    """What is wrong with the facts of a variant that no launch could take, a line each."""
    for function, listed in (rows or {}).items():
        for fact in facts.never_taken([row[0].removeprefix("taken where ") for row in listed if row[0].startswith("taken where ")]):
            yield f"{unit}: {function}: NEVER TAKEN: `{fact}` does not hold for arrays of equal shapes, nor with the variant's other facts"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernc", type=pathlib.Path)
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--update", action="store_true", help="write the table anew")
    asked.add_argument("--rows", action="store_true", help="print the rows of all files, compare nothing")
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
    if options.rows:
        print(write({str(unit): rows for unit, (rows, _) in zip(mine, found) if rows is not None}), end="")
        return 0
    old, problems = read(options.table), []
    table = dict(old) if options.files or parts > 1 else {}
    for unit, (rows, wrong) in zip(mine, found):
        problems += wrong
        problems += dead_variants(unit, rows)
        if rows is None:
            continue
        rows = without_fits(unit, rows)
        table[str(unit)] = rows if is_listed(unit) else summary(rows)
        if options.update:
            continue
        if is_listed(unit):
            problems += difference(unit, old.get(str(unit), {}), rows)
        elif old.get(str(unit)) != table[str(unit)]:
            problems.append(difference_of_counts(unit, old.get(str(unit), "nothing"), table[str(unit)], options.kernc))
    if not options.update:
        gone = {str(unit) for unit, (rows, wrong) in zip(mine, found) if rows is None and not wrong} & set(old)
        if not options.files and part == 1:
            gone |= set(old) - {str(unit) for unit in units}
        problems += [f"{unit}: the table has it, the tree has no such file, or no types for its parameters" for unit in sorted(gone)]
    if options.update:
        options.table.write_text(write(table))
    for problem in problems:
        print(problem)
    guards = [row[1] for _, (rows, _) in zip(mine, found) if rows for listed in rows.values() for row in listed if not row[0].startswith("taken where ")]
    print(f"guards: {len(mine)} files ({sum(rows is None for rows, _ in found)} left out), {len(guards)} guards, {sum('kept' in text for text in guards)} kept, {len(problems)} problems")
    if problems and not options.update:
        print(f"where this is meant, rewrite the table and review its diff: {THIS} {options.kernc} --update")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

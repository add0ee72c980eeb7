#!/usr/bin/env python3
"""Checks the table of docs/from-numba.md: every row of Numba's surface once and in order, a verdict, and what goes with it. The tests that a
row names are there, and they are run: lit does not leave them out.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROWS = {"L": 33, "O": 12, "K": 18, "I": 12, "D": 38, "H": 21, "U": 5, "A": 16}
VERDICTS = "works", "other form", "differs", "not there"
RUN_LINE = re.compile(r"^\s*(#|//)?\s*RUN:", re.M)


def wrong_row(verdict, words):
    """Yields what is wrong with one row."""
    tests = re.findall(r"`(tests/[^`]+)`", words)
    if verdict not in VERDICTS:
        yield f"`{verdict}` is none of {', '.join(VERDICTS)}"
    if verdict in ("works", "differs") and not tests:
        yield f"a row that {verdict} names a test"
    if not re.search(r"\w", re.sub(r"`tests/[^`]+`", "", words)) and verdict != "works":
        yield "it says neither how nor why"
    for test in tests:
        path = ROOT / test
        if not path.is_file():
            yield f"{test} is not there"
        elif not RUN_LINE.search(path.read_text()):
            yield f"{test} has no RUN line, so it is no test"


def main():
    text = (ROOT / "docs/from-numba.md").read_text()
    rows = re.findall(r"^\| ([A-Z]\d\d) \| (.*?) \| ([^|]*) \| (.*) \|$", text, re.M)
    wanted = [f"{letter}{number:02}" for letter, count in ROWS.items() for number in range(1, count + 1)]
    found = [row[0] for row in rows]
    failures = [f"{name}: no row" for name in wanted if name not in found]
    failures += [f"{name}: there is no such row of Numba's" for name in found if name not in wanted]
    failures += [f"{name}: stands there {found.count(name)} times" for name in wanted if found.count(name) > 1]
    if not failures and found != wanted:
        failures.append("the rows are not in order")
    for name, _, verdict, words in rows:
        failures += [f"{name}: {what}" for what in wrong_row(verdict, words)]
    if failures:
        sys.exit("\n".join(failures))
    counts = [f"{verdict} {sum(row[2] == verdict for row in rows)}" for verdict in VERDICTS]
    print(len(rows), "rows:", ", ".join(counts))


main()

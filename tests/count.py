#!/usr/bin/env python3
"""Sums what the test runners wrote into a folder: `N passed, N failed`, alone on the last line.

Understands ctest's and lit's JUnit files, GoogleTest's XML (each case counts, not the binary) and the logs of the
coverage scripts (one line `FAIL: ...` a failure, else the script counts as one that passed).
"""
import pathlib
import sys
import xml.etree.ElementTree as xml


def google_tests(folder):
    """Returns, for each unit-test binary that finished, its counts."""
    counts = {}
    for path in folder.glob("unit/*.xml"):
        cases = list(xml.parse(path).getroot().iter("testcase"))
        failed = sum(case.find("failure") is not None for case in cases)
        skipped = sum(case.get("status") == "notrun" or case.get("result") == "skipped" for case in cases)
        counts[path.stem] = (len(cases) - failed - skipped, failed, skipped)
    return counts


def junit(path, replaced=()):
    """Counts the cases of a JUnit file, except those whose name is in `replaced`."""
    cases = [case for case in xml.parse(path).getroot().iter("testcase") if case.get("name") not in replaced]
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases) - failed - skipped, failed, skipped


def script(path):
    failures = sum(line.startswith("FAIL") for line in path.read_text().splitlines())
    return (0, failures, 0) if failures else (1, 0, 0)


def main(folder):
    units = google_tests(folder)
    counts = list(units.values())
    if (folder / "ctest.xml").exists():
        counts.append(junit(folder / "ctest.xml", replaced=units))  # a binary that crashed left no XML: it counts here
    counts += [junit(path) for path in folder.glob("ctest-*.xml")]  # the same tests with sanitizers, a binary each
    if (folder / "lit.xml").exists():
        counts.append(junit(folder / "lit.xml"))
    counts += [script(path) for path in folder.glob("*.log")]
    passed, failed, skipped = (sum(column) for column in zip(*counts)) if counts else (0, 0, 0)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


sys.exit(main(pathlib.Path(sys.argv[1])))

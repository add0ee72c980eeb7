"""Measures the cases of `device_wide_cases` and prints what was found: all contenders take turns over the same arrays."""
import json
import os
import sys

from gpu.device_wide_cases import CASES, LARGEST
from gpu.report import geometric_mean, table

SIZES = {"cuda": [1 << 16, 1 << 20, 1 << 24, 1 << 28], "cpu": [1 << 16, 1 << 20, 1 << 24]}
RUNS = 11
CPU_SECONDS, CPU_RUNS = 1.0, 5  # rounds go on for so long, and at least so many
MOST_OF_PEERS = (1 << 31) - 1  # elements; beyond, Kern's results are only checked


def whole_work(steps):
    def work():
        for step in steps:
            step()
    return work


def case(name, n, native, xp, hosts, peers):
    """The row of one case and size: what is wrong is not timed."""
    plan, works = CASES[name](xp, n), {}
    row = {"case": name, "n": n, "bytes": plan.bytes, "times": {}, "errors": {}}
    cpu = xp.__name__ == "numpy"
    # A run ends when its results are there; on a GPU events around it say so.
    makers = {guards: lambda host=host: plan.kern(host) + [native.wait] * cpu for guards, host in hosts.items()}
    if n > MOST_OF_PEERS:
        peers = None
    if peers is not None:
        makers["peer"] = lambda: peers.steps(plan)
    for contender, make in makers.items():
        try:
            work = whole_work(make())
            for _ in range(2):  # the second run finds the state as the first one leaves it
                for output in plan.outputs:
                    output.fill(0)
                work()
                native.wait()
                if not plan.check(contender):
                    raise RuntimeError("the result is wrong")
            works[contender] = work
        except Exception as error:
            row["errors"][contender] = f"{type(error).__name__}: {error}"[:500]
    if peers is not None:
        if cpu:
            from gpu import turns
            row["times"], errors = turns.interleaved({name: turns.clock(work) for name, work in works.items()}, CPU_SECONDS, CPU_RUNS, RUNS)
        else:
            from gpu import timing
            row["times"], errors = timing.interleaved(works, 60, RUNS, RUNS)
        row["errors"].update(errors)
        try:
            native.wait()
        except RuntimeError as error:
            row["errors"]["while timed"], row["times"] = str(error)[:500], {}
    return row


def run(options):
    from gpu.device_wide_hosts import CpuLibrary, CpuPeers, Host, Peers, processor
    from gpu.library import Library
    build, cpu = json.loads((options.folder / "build.json").read_text()), options.device == "cpu"
    if cpu:
        import numpy as xp
        native, peers = CpuLibrary(options.folder), CpuPeers(options.folder) if build.get("cpu_peers") else None
        device = f"{processor('model name')}, {len(os.sched_getaffinity(0))} processors; peers: {peers.level if peers else 'none'}, {build.get('cpu_peers')}"
    else:
        import cupy as xp
        native, peers = Library(options.folder), Peers(options.folder, xp)
        device = f"{xp.cuda.runtime.getDeviceProperties(0)['name'].decode()}, CUB {peers.native.cub_version()}"
    data = {"build": build, "device": device, "peers": peers.name if peers else "no peers", "rows": []}
    hosts = {guards: Host(native, xp, guards, build["constants"]) for guards in ("on", "off")}
    chosen = [name for name in CASES if any(text in name for text in options.only)]
    tasks = [(name, n) for asked in options.sizes or SIZES[options.device] for name in chosen if (n := min(asked, LARGEST.get(name, asked)))]
    for name, n in dict.fromkeys(tasks):
        row = case(name, n, native, xp, hosts, peers)
        data["rows"].append(row)
        options.results.write_text(json.dumps(data, indent=1))
        print(name, n, *(f"{who}={time[0]:.4f}" for who, time in row["times"].items()), row["errors"] or "right", flush=True)
        if not cpu:
            try:
                xp.get_default_memory_pool().free_all_blocks()
                xp.cuda.Device().synchronize()
            except Exception as error:
                return f"library.py: the GPU is lost, what comes after was not measured: {error}"
    wrong = sum(bool(row["errors"]) for row in data["rows"])
    print(f"library.py: {options.results}; {wrong} of {len(data['rows'])} with errors", file=sys.stderr)
    return 1 if wrong else 0


def report(file):
    data = json.loads(file.read_text())
    print(f"{data['device']}; {data['build']['kernc']}\n")
    print("Milliseconds, and ratios of time to the peer; less is faster. GB/s are Kern's, guards on.\n")
    lines, ratios = [], {}
    for row in data["rows"]:
        on, off, peer = (row["times"].get(who, [None])[0] for who in ("on", "off", "peer"))
        both = [time / peer if time and peer else None for time in (on, off)]
        for column, value in enumerate(both):
            if value:
                ratios.setdefault(row["n"], ([], []))[column].append(value)
        lines.append([row["case"], row["n"], *(time and f"{time:.4f}" for time in (on, off, peer)), *(value and f"{value:.2f}" for value in both),
                      on and f"{row['bytes'] / on / 1e6:.0f}"])
    cases = list(dict.fromkeys(row["case"] for row in data["rows"]))
    lines.sort(key=lambda line: (cases.index(line[0]), line[1]))
    table(["case", "elements", "Kern", "guards off", data.get("peers", "CUB, cuRAND"), "ratio", "ratio, off", "GB/s"], lines)
    table(["geometric mean", "cases", "ratio", "ratio, off"], [[n, len(columns[0]), *(f"{geometric_mean(column):.2f}" for column in columns)]
                                                               for n, columns in sorted(ratios.items())])
    for row in data["rows"]:
        for who, error in row["errors"].items():
            print(f"- {row['case']} {row['n']} {who}: {error}")

"""The tables of a run, in Markdown."""
import json
import math
import statistics


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join("" if cell is None else f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    print()


def ratio(row, one, other):
    times = row.get("times", {})
    return times[one][0] / times[other][0] if one in times and other in times else None


def short(name):
    return name.replace("_on_", "_").removesuffix("_cubin")


def speeds(rows, ceilings):
    contenders = list(dict.fromkeys(name for row in rows for name in row.get("times", {}) if name != "cuda"))
    lines = []
    for row in rows:
        cuda = row.get("times", {}).get("cuda", [None])[0]
        best = ratio(row, "kern_on_cubin", "cuda")
        rate = ceiling = None
        if cuda and best and row.get("flops"):
            rate, ceiling = f"{row['flops'] / (cuda * best) / 1e9:.2f} TFLOP/s", ceilings.get("fma64_TFLOPs" if row.get("double") else "fma32_TFLOPs")
            ceiling = ceiling and row["flops"] / (cuda * best) / 1e9 / ceiling
        elif cuda and best:
            rate, ceiling = f"{row['bytes'] / (cuda * best) / 1e6:.0f} GB/s", ceilings.get("add_GBps")
            ceiling = ceiling and row["bytes"] / (cuda * best) / 1e6 / ceiling
        lines.append([row["kernel"], cuda, *(ratio(row, name, "cuda") for name in contenders), rate, ceiling and f"{ceiling:.0%}"])
    for word, of in (("geometric mean", geometric_mean), ("worst", max)):
        columns = [[value for row in rows if (value := ratio(row, name, "cuda"))] for name in contenders]
        lines.append([word, None, *(of(column) if column else None for column in columns), None, None])
    table(["kernel", "CUDA C++ ms", *map(short, contenders), "kern", "of the ceiling"], lines)


def pairs(rows):
    """Guards on against off, PTX against cubins."""
    lines = []
    for one, other in (("kern_on_cubin", "kern_off_cubin"), ("py_on_cubin", "py_off_cubin"), ("kern_on_ptx", "kern_on_cubin"), ("py_on_ptx", "py_on_cubin")):
        found = {row["kernel"]: value for row in rows if (value := ratio(row, one, other))}
        if found:
            worst = max(found, key=found.get)
            lines.append([f"{one} / {other}", geometric_mean(list(found.values())), f"{found[worst]:.3g} ({worst})"])
    table(["of", "geometric mean", "worst"], lines)


def resources(rows):
    contenders = list(dict.fromkeys(name for row in rows for name in row.get("resources", {})))

    def cell(row, name):
        variants = row.get("resources", {}).get(name, [])
        return ", ".join(f"{each['registers']}" + (f"+{each['local']}" if each["local"] else "") for each in variants)
    table(["registers (+ bytes of local memory)", *map(short, contenders)], [[row["kernel"], *(cell(row, name) for name in contenders)] for row in rows])


def guards(build):
    for source, kernels in build.get("guards", {}).items():
        forms = list(dict.fromkeys(form for counts in kernels.values() for form in counts))
        table([f"guards of {source}", *forms], [[kernel, *(counts.get(form, 0) for form in forms)] for kernel, counts in kernels.items()])


def sizes(rows):
    for size in sorted({row["size"] for row in rows}):
        print(f"### {size:.0e} bytes\n")
        speeds([row for row in rows if row["size"] == size], {})
    left_out = [f"{row['kernel']} at {row['size']:.0e}" for row in rows if "left_out" in row]
    if left_out:
        print(f"Left out, as a launch would take too long: {', '.join(left_out)}.\n")


def first_use(starts):
    lines = []
    for start, kernels in starts.items():
        for key in ("load_ms", "first_ms"):
            values = [found[key] for name, found in kernels.items() if name != "first in the process" and key in found]
            if values:
                lines.append([start, key.removesuffix("_ms"), statistics.median(values), max(values)])
    table(["first use from PTX", "until", "median ms", "most ms"], lines)


def plots(data, folder):
    try:
        import matplotlib
    except ImportError:
        print("No plots: matplotlib is missing.")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in dict.fromkeys(row["kernel"] for row in data.get("sizes", [])):
        rows = [row for row in data["sizes"] if row["kernel"] == kernel and row.get("times")]
        figure, axes = pyplot.subplots()
        for name in dict.fromkeys(name for row in rows for name in row["times"]):
            points = [(row["size"], row["times"][name][0]) for row in rows if name in row["times"]]
            axes.loglog(*zip(*points), marker="o", label=short(name))
        axes.set(title=kernel, xlabel="bytes of data", ylabel="ms")
        axes.legend()
        figure.savefig(folder / f"{kernel}.png")
        pyplot.close(figure)


def report(file, plots_folder):
    data = json.loads(file.read_text())
    print(f"{data.get('device', 'unknown device')}; {data['build']['kernc']}\n")
    if data.get("ceilings"):
        table(["ceiling", "measured"], list(data["ceilings"].items()))
    if data.get("anchors"):
        print("Ratios of time to CUDA C++; less is faster.\n")
        speeds(data["anchors"], data.get("ceilings", {}))
        pairs(data["anchors"])
        resources(data["anchors"])
    guards(data["build"])
    if data.get("launch"):
        raw = data["launch"]["raw_ns"]
        table(["a launch over 3 arrays", "ns", "of raw"], [[name.removesuffix("_ns"), time, time / raw] for name, time in data["launch"].items()])
    if data.get("first_use"):
        first_use(data["first_use"])
    if data.get("compile"):
        times = data["compile"]["ms"]
        table([f"to PTX, {data['compile']['how']}", "ms"], [["median a kernel", statistics.median(times.values())], *times.items()])
    sizes(data.get("sizes", []))
    problems = data.get("errors", []) + [f"{row['kernel']} {row.get('size') or ''}: {name}: {text}" for part in ("anchors", "sizes")
                                         for row in data.get(part, []) for name, text in {**row.get("errors", {}), **({"case": row["failed"]} if "failed" in row else {})}.items()]
    for problem in problems:
        print(f"- {problem}")
    if plots_folder:
        plots(data, plots_folder)

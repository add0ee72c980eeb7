"""The tables of one run or several, in Markdown. Ratios are to CUDA C++, or without it to the first contender; less is faster."""
import collections
import json
import re
import statistics

from gpu.report import geometric_mean, table

SHARE = 0.02  # of its program's GPU time, from which on a kernel counts


def kernel_name(symbol):
    """Without what the benchmarks put around each: x_solve_1 of `_Z20x_solve_gpu_kernel_1PdS_S_`, `x_solve_gpu_kernel_1$v1` and what Numba makes,
    `_ZN2BT20x_solve_gpu_kernel_1B2v1...`."""
    name = symbol.split("$")[0]
    if symbol.startswith("_Z"):
        rest = symbol[2:].removeprefix("N")
        while length := re.match(r"\d+", rest):
            end = length.end() + int(length[0])
            name, rest = rest[length.end():end], rest[end:]
    return name.replace("_gpu_kernel", "").removeprefix("gpu_kernel_").removesuffix("_gpu")


class Kernel:
    """What a contender's launches of a kernel took, in all traced runs."""

    def __init__(self):
        self.launches, self.ns, self.most = 0, 0, -1

    def add(self, symbol, launches, ns, registers, local):
        self.launches, self.ns = self.launches + launches, self.ns + ns
        if ns > self.most:  # of several variants, that which took most
            self.most, self.registers, self.local, self.general = ns, registers, local, symbol.endswith("$v1")

    def us(self):
        return self.ns / self.launches / 1e3


class Data:
    def __init__(self, files):
        runs = [json.loads(file.read_text()) for file in files]
        self.rows = [row for run in runs for row in run["rows"]]
        self.heads = list(dict.fromkeys(f"class {run['build']['class']}; {run.get('device') or 'unknown device'}" for run in runs))
        self.kern = {name: contender for run in runs for name, contender in run["build"]["kern"].items()}
        found = {row["contender"] for row in self.rows}
        self.contenders = [name for name in dict.fromkeys(["cuda", "numba", *self.kern]) if name in found]
        self.benches = list(dict.fromkeys(row["bench"] for row in self.rows))
        self.seconds, self.gpu_ms, self.host_seconds = (collections.defaultdict(list) for _ in range(3))
        self.kernels = collections.defaultdict(lambda: collections.defaultdict(Kernel))  # (bench, kernel) to contender to Kernel
        for row in self.rows:
            if not row.get("verified"):
                continue  # what is wrong has no speed
            key = row["bench"], row["contender"]
            if row["phase"] == "timed" and "seconds" in row:
                self.seconds[key].append(row["seconds"])
            if row["phase"].startswith("host") and "seconds" in row:
                self.host_seconds[row["bench"] + row["phase"].removeprefix("host"), row["contender"]].append(row["seconds"])
            if "kernels" in row:
                self.gpu_ms[key].append(sum(kernel[2] for kernel in row["kernels"]) / 1e6)
            for symbol, *numbers in row.get("kernels", []):
                self.kernels[row["bench"], kernel_name(symbol)][row["contender"]].add(symbol, *numbers)

    def share(self, bench, kernel, contender):
        found = self.kernels[bench, kernel].get(contender)
        return found.ns / sum(by[contender].ns for (other, _), by in self.kernels.items() if other == bench and contender in by) if found else 0

    def kernel_ratios(self, one, other, of=Kernel.us, least=0.0):
        """For the kernels that both ran: name to one's `of` over the other's."""
        return {f"{bench} {kernel}": of(by[one]) / of(by[other]) for (bench, kernel), by in self.kernels.items()
                if one in by and other in by and self.share(bench, kernel, other) >= least}


def worst(ratios):
    name = max(ratios, key=ratios.get)
    return f"{ratios[name]:.2f} ({name})"


def programs(data, title, values, digits, sums_up=True):
    """A row for each program: its median, and the ratio; below them what the ratios come to."""
    base, lines, ratios = data.contenders[0], [], collections.defaultdict(dict)
    for bench in dict.fromkeys(bench for bench, _ in values):
        medians = {name: statistics.median(values[bench, name]) for name in data.contenders if (bench, name) in values}
        for column, one, other in [*((name, name, base) for name in data.contenders[1:]), ("on/off", "on", "off")]:
            if one in medians and other in medians:
                ratios[column][bench] = medians[one] / medians[other]
        shown = {name: f"{medians[name]:.{digits}f}" + (f" ({ratios[name][bench]:.2f})" if bench in ratios[name] else "") for name in medians}
        lines.append([bench, *map(shown.get, data.contenders), f"{ratios['on/off'][bench]:.2f}" if bench in ratios["on/off"] else None])
    columns = [*data.contenders, "on/off"]
    if sums_up:
        lines.append(["geometric mean", *(f"{geometric_mean(ratios[name].values()):.2f}" if ratios[name] else None for name in columns)])
        lines.append(["worst", *(worst(ratios[name]) if ratios[name] else None for name in columns)])
    table([title, *columns], lines)


def hosts(data):
    """Those of Kern with a host in C++ beside CUDA C++, whose host is C++, too."""
    values = dict(data.host_seconds)
    for name, _ in data.host_seconds:
        if cuda := data.seconds.get((name.split(",")[0], "cuda")):
            values[name, "cuda"] = cuda
    if values:
        programs(data, "C++ host, whole program: seconds as printed", values, 4, sums_up=False)


def registers(kernel):
    return kernel.registers


def kernels(data):
    base, lines = data.contenders[0], []

    def cell(by, name):
        if name not in by:
            return None
        return (f"{by[name].us() / by[base].us():.2f}" if base in by else f"{by[name].us():.2f} us") + " g" * by[name].general

    def resources(by, name):
        return f"{by[name].registers}" + f"+{by[name].local}" * (by[name].local > 0) if name in by else "-"
    for (bench, kernel), by in data.kernels.items():
        share = data.share(bench, kernel, base)
        lines.append((data.benches.index(bench), -share, [
            f"{bench} {kernel}", *((by[base].launches, f"{by[base].us():.2f}") if base in by else (None, None)),
            *(cell(by, name) for name in data.contenders[1:]), " / ".join(resources(by, name) for name in data.contenders), f"{100 * share:.1f}%"]))
    lines.sort(key=lambda line: line[:2])
    print("A launch of each kernel; g: the general variant ran. Registers, + bytes of local memory.\n")
    head = ["kernel", "launches", f"{base} us", *data.contenders[1:], f"registers {' / '.join(data.contenders)}", "share"]
    table(head, [line for *_, line in lines])


def summary(data):
    pairs = [(name, data.contenders[0]) for name in data.contenders[1:]]
    if "on" in data.contenders and "off" in data.contenders[1:]:
        pairs.append(("on", "off"))
    lines = []
    for one, other in pairs:
        for what, of, least in (("time", Kernel.us, 0), (f"time, kernels above {SHARE:.0%} of their program", Kernel.us, SHARE),
                                ("registers", registers, 0)):
            if ratios := data.kernel_ratios(one, other, of, least):
                middle = [f"{of_all(ratios.values()):.2f}" for of_all in (geometric_mean, statistics.median)]
                lines.append([f"{one}/{other} {what}", len(ratios), *middle, worst(ratios), sum(ratio > 1.05 for ratio in ratios.values())])
    table(["kernels", "number", "geometric mean", "median", "worst", "over 1.05"], lines)


def compilers(data):
    benches = list(dict.fromkeys(bench for contender in data.kern.values() for bench in contender["files"]))

    def seconds(files):
        return " + ".join(f"{sum(file[key] for file in files):.2f}" for key in ("kernc_s", "ptxas_s")) if files else None
    lines = []
    for name, contender in data.kern.items():
        files = contender["files"]
        lines.append([name, *(seconds([files[bench]] if bench in files else []) for bench in benches), seconds(files.values())])
    table(["CPU seconds to compile a file: kernc + ptxas", *benches, "all"], lines)


def guards(name, files):
    counted = {bench: file["guards"] for bench, file in files.items() if file["guards"]}
    forms = list(dict.fromkeys(form for counts in counted.values() for form in counts))
    if not counted:
        return
    counted["all"] = {form: sum(counts.get(form, 0) for counts in counted.values()) for form in forms}
    lines = []
    for bench, counts in counted.items():
        sites = sum(counts.values())
        lines.append([bench, sites, *(f"{counts.get(form, 0)} ({counts.get(form, 0) / sites:.0%})" for form in forms)])
    table([f"guards of {name}", "sites", *forms], lines)


def report(files):
    data = Data(files)
    print("\n".join(data.heads) + "\n")
    for name, contender in data.kern.items():
        print(f"- {name}: {contender['kernc']} {' '.join(contender['options'])}")
    print()
    programs(data, "seconds as printed", data.seconds, 4)
    hosts(data)
    programs(data, "GPU time in kernels, ms", data.gpu_ms, 2)
    summary(data)
    kernels(data)
    compilers(data)
    for name, contender in data.kern.items():
        guards(name, contender["files"])
    for row in data.rows:
        if not row.get("verified"):
            print(f"- {row['bench']} {row['contender']}, {row['phase']}: {row.get('error', 'not verified')}")
    for name, contender in data.kern.items():
        if large := [f"{bench} {kernel}" for bench, file in contender["files"].items() for kernel in file["large"]]:
            print(f"- {name}: optimised little, as they are large: {', '.join(large)}")

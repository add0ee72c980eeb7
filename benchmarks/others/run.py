"""Measures. All programs in Python start at once, as Numba compiles when they are imported, and run once; then one after the other has the
GPU for itself, each benchmark's contenders behind its CUDA C++ program, and those of Kern again with a host in C++; what was found is written
after each."""
import json
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from others import host

script = pathlib.Path(__file__).resolve().parent.parent / "others.py"
HOST_PHASES = {"LU": {"host": [], "host, graph": ["graph"]}}  # its arguments behind the class


class Program:
    """A benchmark with Numba or a contender of Kern; a thread of its own reads what it says."""

    def __init__(self, options, bench, contender, problem, work):
        self.bench, self.contender, self.rows, self.ready = bench, contender, [], threading.Event()
        self.log = open(work / f"{bench}.{contender}.log", "w+")
        environment = dict(os.environ, NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS="0", KERN_WARNINGS="off")
        self.process = subprocess.Popen([sys.executable, script, "host", options.folder, bench, contender, problem, str(options.times)], cwd=work,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.rows.append(json.loads(line))
            elif line.startswith("READY"):
                self.ready.set()
        self.ready.set()

    def finish(self, seconds):
        """Lets it go on and returns what it measured."""
        error = None
        try:
            if self.process.poll() is None:
                self.process.stdin.write("\n")
                self.process.stdin.flush()
            self.process.wait(max(1, seconds))
        except (OSError, subprocess.TimeoutExpired) as caught:
            error = f"ended before it was done: {caught}"
            self.process.kill()
        self.reader.join(10)
        if error or self.process.wait() != 0:
            self.log.seek(0)
            self.rows.append({"phase": "end", "error": f"{error or 'failed'}: {self.log.read()[-1000:]}"})
        return self.rows


def native_program(command, seconds, work, phase, **variables):
    """Runs what needs no Python, CUDA C++ or a host of ours, and returns what it says."""
    try:
        done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=max(1, seconds), cwd=work)
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"phase": phase, "error": str(error)[:500]}
    row = {"phase": phase, "verified": bool(re.search(r"Verification *= *SUCCESSFUL", done.stdout))}
    if found := re.search(r"Time in seconds = *([\d.]+)", done.stdout):
        row["seconds"] = float(found[1])
    if not row["verified"]:
        row["text"] = (done.stdout + done.stderr)[-1000:]
    return row


def cuda_program(folder, program, seconds, work, phase):
    trace, variables = work / f"{program}.trace", {}
    if phase == "traced":
        variables = {"CUDA_INJECTION64_PATH": str(folder / "lib/libtrace.so"), "OTHERS_TRACE": str(trace)}
    row = native_program([folder / "cuda" / program], seconds, work, phase, **variables)
    if trace.exists():
        row["kernels"] = host.read_trace(trace)
    return row


def host_program(folder, bench, contender, problem, seconds, work, times):
    """All rows of one with a host in C++, if there is one."""
    packed, program = folder / "hosts" / f"{bench}.{contender}.xz", work / contender / bench
    if not packed.exists():
        return []
    program.write_bytes(lzma.decompress(packed.read_bytes()))
    program.chmod(0o755)
    device = os.environ.get("KERN_DEVICE", "cuda")  # without a GPU it fails, and does not take the CPU
    return [native_program([program, problem, *words], seconds(), work, phase, KERN_DEVICE=device, KERN_WARNINGS="off")
            for phase, words in HOST_PHASES.get(bench, {"host": []}).items() for _ in range(times)]


def run(options):
    options.folder = options.folder.resolve()
    build = json.loads((options.folder / "build.json").read_text())
    contenders = options.contenders or ["cuda", *build["kern"]]
    data = {"build": build, "rows": []}
    begin = time.monotonic()

    def left():
        return options.seconds - (time.monotonic() - begin)

    def keep(bench, contender, rows):
        for row in rows:
            data["rows"].append({"bench": bench, "contender": contender, **row})
            shown = {name: value for name, value in row.items() if name != "kernels"}
            print(f"[{time.monotonic() - begin:5.0f}]", bench, contender, shown, flush=True)
        options.results.write_text(json.dumps(data))
    try:
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        data["device"] = subprocess.run(query, capture_output=True, text=True).stdout.strip()
    except OSError as error:
        print(f"others.py: nvidia-smi: {error}", file=sys.stderr)
    benches = options.only or build["benches"]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for name in set(contenders) - {"cuda", "numba"}:
            (work / name).mkdir()
            (work / name / "libkern_bench.so").write_bytes(lzma.decompress((options.folder / f"{name}.so.xz").read_bytes()))
        programs = [Program(options, bench, contender, build["class"], work)
                    for bench in benches for contender in contenders if contender != "cuda"]
        try:
            for program in programs:  # none is timed while another still compiles
                program.ready.wait(max(0, left() / 2))
            for bench in benches:
                if "cuda" in contenders:
                    for phase in ["timed"] * options.times + ["traced"]:
                        keep(bench, "cuda", [cuda_program(options.folder, f"{bench}.{build['class']}", left(), work, phase)])
                for program in programs:
                    if program.bench == bench:
                        keep(bench, program.contender, program.finish(left()))
                for name in build["kern"]:
                    if name in contenders:
                        keep(bench, name, host_program(options.folder, bench, name, build["class"], left, work, options.times))
        finally:
            for program in programs:
                program.process.kill()
    print(f"others.py: {options.results}")

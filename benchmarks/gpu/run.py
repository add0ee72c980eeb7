"""Runs the parts, each in a process that may fail without the others, and writes what they found after each answer."""
import importlib.util
import json
import os
import pathlib
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import threading

from gpu import cases

script = pathlib.Path(__file__).resolve().parent.parent / "gpu.py"
PATIENCE = 150  # seconds without an answer: the worker hangs


def check(folder):
    """Says what there is to measure with."""
    build = json.loads((folder / "build.json").read_text())
    print(f"{build['kernc']}: {len(build['objects'])} objects of {len(build['kernels'])} kernels")
    for package in ("cupy", "numba", "torch", "matplotlib"):
        print(f"{package}: {'there' if importlib.util.find_spec(package) else 'missing'}")


def tasks_of(options):
    seconds = options.seconds / max(1, len(options.only))
    tasks = [{"part": part} for part in ("ceilings", "launch") if part in options.parts]
    if "anchors" in options.parts:
        tasks += [{"part": "anchors", "kernel": name, "seconds": seconds / 2} for name in options.only]
    if "sizes" in options.parts:
        tasks += [{"part": "sizes", "kernel": name, "size": size, "seconds": seconds / 2 / len(cases.SIZES)}
                  for name in options.only for size in cases.SIZES]
    return tasks


class Results:
    def __init__(self, options):
        self.file = options.results
        self.data = {"build": json.loads((options.folder / "build.json").read_text()), "ceilings": {}, "launch": {}, "anchors": [], "sizes": [],
                     "first_use": {}, "compile": {}, "errors": []}

    def keep(self):
        self.file.write_text(json.dumps(self.data, indent=1))

    def error(self, text):
        print(f"gpu.py: {text}", file=sys.stderr, flush=True)
        self.data["errors"].append(text)
        self.keep()

    def take(self, task, answer, worker_errors):
        part = task["part"]
        for name, error in worker_errors.items():
            if (text := f"{name}: {error}") not in self.data["errors"]:
                self.error(text)
        if part in ("anchors", "sizes"):
            self.data[part].append(dict(answer, size=task.get("size")))
            times = answer.get("times", {})
            print(part, task["kernel"], task.get("size", ""), " ".join(f"{name}={time[0]:.4f}" for name, time in times.items()),
                  answer.get("failed", ""), answer.get("errors") or "", flush=True)
        elif "failed" in answer:
            self.error(f"{part}: {answer['failed']}")
        else:
            self.data[part] = answer
            print(part, answer, flush=True)
        self.keep()


def work(folder, tasks, results):
    """One worker, until it has answered all tasks or ends; returns those that are left, without the one that ended it."""
    process = subprocess.Popen([sys.executable, script, "worker", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)
    threading.Thread(target=read, daemon=True).start()
    left = list(tasks)
    try:
        while left:
            process.stdin.write(json.dumps(left[0]) + "\n")
            process.stdin.flush()
            while (line := lines.get(timeout=PATIENCE)) is not None and not line.startswith('{"task"'):
                pass  # packages may print too
            if line is None:
                raise RuntimeError("the worker ended")
            results.take(**json.loads(line))
            left.pop(0)
        process.stdin.close()
        process.wait(20)
    except (queue.Empty, OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        if left:
            results.error(f"{left[0]}: {type(error).__name__} {error}")
            left.pop(0)
    finally:
        process.kill()
    return left


def first_use(folder, results):
    """Twice in a new process: with empty caches of the driver and of Kern, and with what the first one left there."""
    with tempfile.TemporaryDirectory() as caches:
        environment = dict(os.environ, CUDA_CACHE_PATH=f"{caches}/driver", KERN_CACHE_DIR=f"{caches}/kern")
        for start in ("cold", "second start", "third start"):
            done = subprocess.run([sys.executable, script, "first-use", folder], capture_output=True, text=True, env=environment, timeout=PATIENCE)
            if done.returncode != 0:
                return results.error(f"first use: {done.stderr[-500:]}")
            results.data["first_use"][start] = json.loads(done.stdout.splitlines()[-1])
    results.keep()


def compile_times(options, results):
    """Each kernel alone to PTX on this machine's host, in milliseconds."""
    times = {}
    for file in sorted((options.folder / "apart").glob("*.kern")):
        if options.compile_time:
            done = subprocess.run([options.compile_time, "cuda", "7", file], capture_output=True, text=True, timeout=PATIENCE)
            times[file.stem] = float(done.stdout.split()[2])
        else:
            command = [options.kernc, file, "--emit=ptx", "-o", os.devnull, "--time-report"]
            reports = [subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE).stderr for _ in range(5)]
            times[file.stem] = statistics.median(float(re.search(r"total +([\d.]+) ms", report)[1]) for report in reports)
    results.data["compile"] = {"how": "in process, warm" if options.compile_time else "a process each", "ms": times}
    results.keep()


def run(options):
    results = Results(options)
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True)
        results.data["device"] = found.stdout.strip()
    except OSError as error:
        results.error(f"nvidia-smi: {error}")
    left, starts = tasks_of(options), 0
    while left and starts < 8:
        left, starts = work(options.folder, left, results), starts + 1
    if left:
        results.error(f"not measured, as workers ended: {left}")
    for part, measure in (("first_use", lambda: first_use(options.folder, results)), ("compile", lambda: compile_times(options, results))):
        if part not in options.parts or (part == "compile" and not (options.compile_time or options.kernc)):
            continue
        try:
            measure()
        except Exception as error:
            results.error(f"{part}: {type(error).__name__}: {error}")
    results.keep()
    print(f"gpu.py: {options.results}; {len(results.data['errors'])} errors")
    return 0

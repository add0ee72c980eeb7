"""Runs a benchmark with Numba or with one contender of Kern, in a process of its own. It runs main() once, says READY, and goes on when it
is told to, to runs that have the GPU for themselves: so many timed ones, then one whose kernels are timed. A line of JSON tells of each."""
import contextlib
import ctypes
import importlib
import io
import json
import os
import pathlib
import sys
import time
import types

import numpy

for _old, _new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):  # Numba asks for names that NumPy 2 dropped
    if not hasattr(numpy, _old):
        setattr(numpy, _old, getattr(numpy, _new))


class Paths(list):
    def append(self, path):
        """The benchmarks write sys.path.append(sys.path.append(...)): None in the path, at which Numba fails when it compiles."""
        if path is not None:
            super().append(path)


def patch_numba(cuda):
    """What the benchmarks take for granted: new memory holds zeros (it does in a new process, not when main() runs again), and a launch takes
    NumPy's integers as sizes."""
    from numba.cuda.cudadrv import driver
    from numba.cuda.dispatcher import CUDADispatcher
    plain_array, plain_configure = cuda.device_array, CUDADispatcher.__getitem__

    def device_array(*words, **more):
        made = plain_array(*words, **more)
        driver.device_memset(made, 0, made.nbytes)
        return made

    def whole(size):
        return tuple(map(int, size)) if isinstance(size, (tuple, list)) else int(size)
    cuda.device_array = device_array
    CUDADispatcher.__getitem__ = lambda self, words: plain_configure(self, (whole(words[0]), whole(words[1]), *words[2:]))


def read_trace(path):
    """[name, launches, nanoseconds, registers, bytes of local memory] of each kernel."""
    with open(path) as file:
        return [[line.split("\t")[0], *map(int, line.split("\t")[1:])] for line in file]


class Host:
    def __init__(self, folder, bench, contender, problem):
        self.bench, self.problem, self.kern, self.kernels, self.last, self.folder = bench, problem, None, [], {}, folder
        sys.path = Paths([*(str(folder / "python" / name) for name in ("", "common", "config")), *sys.path])
        sys.modules["cpuinfo"] = types.SimpleNamespace(get_cpu_info=lambda: {"brand_raw": ""})  # a package that only says what CPU this is
        from numba import cuda
        patch_numba(cuda)
        if contender != "numba":
            from others import dispatch
            # `run` has unpacked its library into the folder where this runs.
            self.kern, self.kernels = dispatch.install(bench, pathlib.Path(contender).resolve())
        self.module = importlib.import_module(bench)
        import c_print_results
        c_print_results.c_print_results = self.keep

    def keep(self, name, kind, n1, n2, n3, niter, seconds, mops, optype, verified, *_):
        self.last = {"seconds": float(seconds), "verified": bool(verified)}

    def run(self, phase):
        import npbparams
        getattr(npbparams, f"set_{self.bench.lower()}_info")(self.problem)
        if hasattr(self.module, "set_global_variables"):
            self.module.set_global_variables()
        for kernel in self.kernels:
            kernel.clear()
        self.last, begin, text = {}, time.time(), io.StringIO()
        row = {"phase": phase}
        try:
            with contextlib.redirect_stdout(text):
                self.module.main()
            if self.kern:
                self.kern.wait()  # and hear of faults
        except (Exception, SystemExit) as error:
            row["error"] = f"{type(error).__name__}: {error}"[:1000]
        row.update(self.last, whole_s=time.time() - begin)
        if not row.setdefault("verified", False):
            row["text"] = text.getvalue()[-1000:]
        return row

    def trace(self):
        trace, path = ctypes.CDLL(str(self.folder / "lib/libtrace.so")), f"{os.getpid()}.trace"
        trace.trace_begin()
        row = self.run("traced")
        trace.trace_end(path.encode())
        return {**row, "kernels": read_trace(path)}


def work(options):
    def say(row):
        print(json.dumps(row), flush=True)
    host = Host(options.folder.resolve(), options.bench, options.contender, options.problem)
    say(host.run("warm-up"))
    print("READY", flush=True)
    sys.stdin.readline()
    for _ in range(options.times):
        say(host.run("timed"))
    if (host.folder / "lib/libtrace.so").exists():
        say(host.trace())

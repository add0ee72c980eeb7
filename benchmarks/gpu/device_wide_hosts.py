"""Who runs the sequences of `device_wide`: Kern on the CPU over NumPy's arrays or on a GPU over CuPy's, and the functions of
device_wide_peers.cpp or device_wide_peers.cu."""
import ctypes
import os
import pathlib
import shutil
import subprocess
from ctypes import byref, c_void_p, sizeof

import numpy

from gpu import library
from gpu.cases import Array

here = pathlib.Path(__file__).resolve().parent
CPU = 1  # kern_device_kind


class CpuLibrary(library.Library):
    """The library under test with its CPU code."""

    def call(self, name, *arguments):
        if name == "device_open":
            arguments = (byref(library.DeviceOptions(sizeof(library.DeviceOptions), CPU, 0, 0, 0)), arguments[1])
        if name == "stream_wrap":  # there is no stream of others to share
            name, arguments = "stream_create", (arguments[0], arguments[2])
        super().call(name, *arguments)


class Host:
    """The kernels with guards `on` or `off`."""

    def __init__(self, native, xp, guards, constants):
        self.native, self.xp, self.guards, self.constants, self.modules = native, xp, guards, constants, {}
        self.processors = len(os.sched_getaffinity(0)) if xp is numpy else xp.cuda.Device().attributes["MultiProcessorCount"]

    def zeros(self, shape, dtype):
        return self.xp.zeros(shape, dtype)

    def number(self, dtype, value):
        return numpy.dtype(dtype).type(value)

    def clear(self, array):
        """Returns the step that makes an array zeros, on a GPU as cudaMemsetAsync does."""
        if self.xp is numpy:
            return lambda: array.fill(0)
        return lambda: array.data.memset_async(0, array.nbytes)

    def argument(self, value):
        if value.shape:
            address = value.ctypes.data if self.xp is numpy else value.data.ptr
            return library.argument(Array(value.dtype.name, value.shape), address)
        scalar = library.Argument(type=library.TYPES.index(value.dtype.name))
        scalar.scalar[0] = int.from_bytes(value.tobytes(), "little")
        return scalar

    def launch(self, module, kernel, blocks, *values, block=0):
        """Returns the step that launches so many blocks, of the kernel's own size or of `block` threads."""
        if module not in self.modules:
            self.modules[module] = self.native.module(f"{module}_{self.guards}")
        arguments = [self.argument(value) for value in values]
        found = self.native.kernel(self.modules[module], kernel, arguments)
        run = self.native.prepare(found, (blocks,), (block, 1, 1) if block else (0, 0, 0), arguments)

        def step(arrays=values):  # holds the arrays
            run()
        return step


def compile_peers(folder):
    """Compiles the peers in the folder, unless that was done; returns the shared library."""
    source, made = here / "device_wide_peers.cu", folder / "libpeers.so"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        libraries = pathlib.Path(nvcc).resolve().parent.parent / "lib64"
        subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC", source, "-o", made, f"-L{libraries}",
                        "-lcurand", f"-Xlinker=-rpath,{libraries}"], check=True)
    return made


class CpuArray(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", ctypes.c_int64)]


def processor(key):
    """What Linux says about the first processor."""
    lines = (line.partition(":") for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == key), "")


class Peers:
    name = "CUB, cuRAND"

    def __init__(self, folder, xp):
        self.xp, self.native = xp, ctypes.CDLL(str(compile_peers(folder)))

    def steps(self, plan):
        name, arrays = plan.peer
        function, bytes_needed = getattr(self.native, name), ctypes.c_size_t()
        addresses = (c_void_p * len(arrays))(*(array.data.ptr for array in arrays))

        def call(temp):
            if status := function(c_void_p(temp), byref(bytes_needed), addresses, ctypes.c_int(arrays[0].size)):
                raise RuntimeError(f"{name}: status {status}")
        call(None)
        temp = self.xp.empty(max(1, bytes_needed.value), "uint8")
        return [lambda held=(temp, arrays): call(temp.data.ptr)]


class CpuPeers:
    """Of the levels of x86-64 that `library.py build --cpu-peers` made, the best that this processor knows."""
    name = "C++"

    def __init__(self, folder):
        # Threads of OpenMP that wait for more work would take the cores of who comes next: they spin about as long as Kern's.
        os.environ.setdefault("GOMP_SPINCOUNT", "10000")
        level = 4 if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= set(processor("flags").split()) else 3
        self.native, self.level = ctypes.CDLL(str((folder / f"libpeers_v{level}.so").resolve())), f"x86-64-v{level}"

    def steps(self, plan):
        name, arrays = plan.cpu_peer or plan.peer
        given = (CpuArray * len(arrays))(*(CpuArray(array.ctypes.data, array.size) for array in arrays))
        function = getattr(self.native, name)
        return [lambda held=arrays: function(given)]

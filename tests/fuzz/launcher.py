"""Launches kernels from Python over the C interface of the runtime: one process, one context, thousands of launches.

Kernels are compiled ahead of time, by kernc with any of its options, and linked with the runtime into one shared library, which needs
neither kernc nor a C++ compiler where it runs: `build` makes it, `Runtime` loads it. Arrays are views of larger buffers, so that what lies
round them is seen too. Imported by generators; it is none itself.
"""
import concurrent.futures
import ctypes as c
import os
import pathlib
import subprocess

import exports
import numpy

u32, u64, i32, i64, pointer = c.c_uint32, c.c_uint64, c.c_int32, c.c_int64, c.c_void_p
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64"]
KINDS = {"cpu": 1, "cuda": 2}
KERNEL_FAULT = 3


class DeviceOptions(c.Structure):
    _fields_ = [("size", u32), ("kind", u32), ("ordinal", u32), ("threads", u32), ("memory_limit", u64)]


class Parameter(c.Structure):
    _fields_ = [("type", u32), ("rank", u32), ("writable", u32)]


class Argument(c.Structure):
    _fields_ = [("kind", u32), ("type", u32), ("rank", u32), ("writable", u32), ("scalar", u64 * 2), ("data", pointer), ("buffer", pointer),
                ("extents", i64 * 8), ("strides", i64 * 8)]


class LaunchOptions(c.Structure):
    _fields_ = [("size", u32), ("over", u32), ("count", u64 * 3), ("block", u64 * 3), ("shared", u64), ("stream", pointer), ("report", pointer),
                ("cooperative", u32)]


class Place(c.Structure):
    _fields_ = [("file", c.c_char_p), ("line", u32), ("column", u32)]


class FaultInfo(c.Structure):
    _fields_ = [("size", u32), ("kernel", c.c_char_p), ("code", c.c_char_p), ("place", Place), ("array", c.c_char_p), ("axis", i32), ("index", i64),
                ("extent", i64), ("thread", u32 * 3), ("block", u32 * 3), ("launch", u64), ("calls", pointer), ("call_count", u64), ("kind", u32), ("site", u32),
                ("went_on", u32), ("bad_threads", u64)]


class View:
    """An array that lies in the middle of a larger one, `base`, whose rest must stay as it is. Views of one base have one `buffer`, a number."""

    def __init__(self, shape, dtype, layout="contiguous", border=64):
        steps = {"strided": 2}.get(layout, 1)
        padded = [extent + (3 if layout == "padded" else 0) for extent in shape]
        padded[-1] *= steps
        size = int(numpy.prod(padded, dtype=numpy.int64))
        self.base = numpy.arange(1, size + 2 * border + 1).astype(dtype)
        self.border = border
        self.cut = (slice(border, border + size), padded, tuple(slice(0, e) for e in shape[:-1]) + (slice(0, shape[-1] * steps, steps),), layout)

    def of(self, base):
        """The array in a copy of the base."""
        span, padded, cut, layout = self.cut
        array = base[span].reshape(padded)[cut]
        return array[tuple(slice(None, None, -1) for _ in array.shape)] if layout == "reversed" else array

    @property
    def array(self):
        return self.of(self.base)


def text_of(sources):
    return "".join(path.read_text() + " ".join(own) for path, own in sources)


def add_library(parser):
    """Adds the options of who builds a library here and runs it elsewhere."""
    parser.add_argument("--library", type=pathlib.Path, help="where it is; without --build it is there")
    parser.add_argument("--build", action="store_true", help="only builds it")
    parser.add_argument("--runtime", help="libkern_runtime.a, where it is not in the build of kernc")
    parser.add_argument("--cxx", default="g++")


def check_sources(library, sources):
    """Ends where a library that was built elsewhere is not of these sources: another seed, count or sample, or another Python's random numbers."""
    if open(f"{library}.sources", encoding="utf-8").read() != text_of(sources):
        raise SystemExit(f"{library} was built from other kernels: give the options that it was built with")


def build(kernc, sources, output, folder, cxx="g++", runtime=None, options=(), jobs=2):
    """Compiles each source, (path, options of its own), as namespace `m0`, `m1`, ... and links all of them with the runtime."""
    runtime = runtime or os.path.join(os.path.dirname(kernc), "..", "runtime", "libkern_runtime.a")

    def compile_one(number):
        path, own = sources[number]
        made = f"{folder}/m{number}.o"
        done = subprocess.run([kernc, str(path), f"--namespace=m{number}", "-o", made, *options, *own], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{path}: {done.stderr[:3000]}")
        return made

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        objects = list(pool.map(compile_one, range(len(sources))))
    with open(f"{output}.sources", "w", encoding="utf-8") as file:
        file.write(text_of(sources))
    with open(f"{folder}/exports.cpp", "w", encoding="utf-8") as file:
        file.write(exports.exports_text(f"m{number}" for number in range(len(sources))))
    command = [*cxx.split(), "-shared", "-fPIC", "-s", "-o", str(output), f"{folder}/exports.cpp", *objects, runtime, "-lpthread", "-ldl", "-static-libstdc++",
               "-static-libgcc"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[:3000])


class Runtime:
    def __init__(self, library, device):
        self.library = exports.Library(os.path.abspath(library))
        for name in ("device_open", "stream_of_thread", "module_load", "module_kernel", "launch", "stream_wait", "buffer_create", "buffer_write", "buffer_read",
                     "buffer_data"):
            getattr(self.library, f"kern_{name}").restype = pointer
        if hasattr(self.library, "kern_stream_take_report"):
            self.library.kern_stream_take_report.restype = pointer
        self.library.kern_error_message.restype = c.c_char_p
        self.library.kern_error_message.argtypes = self.library.kern_error_free.argtypes = self.library.kern_error_get_kind.argtypes = [pointer]
        self.library.kern_buffer_data.argtypes = [pointer]
        self.device, self.stream, self.buffers, self.modules, self.kernels = pointer(), pointer(), {}, {}, {}
        self.raise_error(self.library.kern_device_open(c.byref(DeviceOptions(c.sizeof(DeviceOptions), KINDS[device], 0, 0, 0)), c.byref(self.device)))
        self.raise_error(self.library.kern_stream_of_thread(self.device, c.byref(self.stream)))

    def raise_error(self, error):
        if error:
            text = self.library.kern_error_message(error).decode()
            self.library.kern_error_free(error)
            raise RuntimeError(text)

    def buffer(self, number, size):
        """A buffer of the device, kept for the argument of that number and size."""
        key = number, size
        if key not in self.buffers:
            made = pointer()
            self.raise_error(self.library.kern_buffer_create(self.device, u64(max(size, 1)), c.byref(made)))
            self.buffers[key] = made
        return self.buffers[key]

    def module(self, number):
        if number not in self.modules:
            module = pointer()
            self.raise_error(self.library.kern_module_load(self.device, pointer(self.library.place(f"kern_object_m{number}")), c.byref(module)))
            self.modules[number] = module
        return self.modules[number]

    def argument(self, number, value):
        if not isinstance(value, View):
            value = numpy.asarray(value)
            words = numpy.frombuffer(value.tobytes().ljust(16, b"\0"), numpy.uint64)
            return Argument(0, TYPES.index(str(value.dtype)), 0, 0, (u64 * 2)(*map(int, words)))
        base, array = value.base, value.array
        buffer = self.buffer(getattr(value, "buffer", number), base.nbytes)
        self.raise_error(self.library.kern_buffer_write(buffer, u64(0), pointer(base.ctypes.data), u64(base.nbytes), self.stream, None))
        made = Argument(1, TYPES.index(str(array.dtype)), array.ndim, 1)
        made.data = self.library.kern_buffer_data(buffer) + array.ctypes.data - base.ctypes.data
        made.buffer = buffer
        for axis, (extent, stride) in enumerate(zip(array.shape, array.strides)):
            made.extents[axis], made.strides[axis] = extent, stride // array.itemsize
        return made

    def launch(self, module, name, grid, block, values):
        """Runs it on these values, the bases of whose views then hold what it left there. Returns its fault, or None."""
        arguments = (Argument * len(values))(*[self.argument(number, value) for number, value in enumerate(values)])
        if (module, name) not in self.kernels:
            parameters = (Parameter * len(values))(*[Parameter(a.type, a.rank, a.writable) for a in arguments])
            kernel = pointer()
            self.raise_error(self.library.kern_module_kernel(self.module(module), name.encode(), parameters, u64(len(values)), c.byref(kernel)))
            self.kernels[module, name] = kernel
        options = LaunchOptions(c.sizeof(LaunchOptions), 0, (u64 * 3)(grid, 1, 1), (u64 * 3)(block, 1, 1), 0, self.stream, None, 0)
        self.raise_error(self.library.kern_launch(self.kernels[module, name], c.byref(options), arguments, u64(len(values)), None))
        error = self.library.kern_stream_wait(self.stream)
        fault = self.fault(error) if error else self.report()
        for number, value in enumerate(values):
            if isinstance(value, View):
                buffer = self.buffer(getattr(value, "buffer", number), value.base.nbytes)
                self.raise_error(self.library.kern_buffer_read(buffer, u64(0), pointer(value.base.ctypes.data),
                                                               u64(value.base.nbytes), self.stream, None))
        self.raise_error(self.library.kern_stream_wait(self.stream))
        return fault

    def report(self):
        """What the launch tells of threads that went on at a bad index, where the runtime tells it."""
        if not hasattr(self.library, "kern_stream_take_report"):
            return None
        report = pointer()
        self.raise_error(self.library.kern_stream_take_report(self.stream, c.byref(report)))
        return self.fault(report.value) if report.value else None

    def fault(self, error):
        info = FaultInfo(c.sizeof(FaultInfo))
        if self.library.kern_error_get_kind(error) != KERNEL_FAULT or not self.library.kern_error_get_fault(pointer(error), c.byref(info)):
            self.raise_error(error)
        found = dict(kernel=info.kernel.decode(), code=info.code.decode(), line=info.place.line, column=info.place.column, array=info.array.decode(),
                     axis=info.axis, index=info.index, extent=info.extent, thread=info.thread[0], block=info.block[0],
                     bad_threads=info.bad_threads)
        self.library.kern_error_free(error)
        return found

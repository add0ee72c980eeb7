"""The library under test: Kern's C interface through ctypes, and what the driver says about the machine code in an object."""
import ctypes
import json
import os
import pathlib
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int64, c_uint32, c_uint64, c_void_p, sizeof

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/fuzz"))
import exports  # noqa: E402

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
         "complex64", "complex128"]  # kern_type
BYTES = {"float32": 4, "int32": 4, "float64": 8, "uint8": 1}
CUDA = 2  # kern_device_kind


class DeviceOptions(Structure):
    _fields_ = [("struct_size", c_uint32), ("kind", c_uint32), ("ordinal", c_uint32), ("threads", c_uint32), ("memory_limit", c_uint64)]


class Parameter(Structure):
    _fields_ = [("type", c_uint32), ("rank", c_uint32), ("writable", c_uint32)]


class Argument(Structure):
    _fields_ = [("kind", c_uint32), ("type", c_uint32), ("rank", c_uint32), ("writable", c_uint32), ("scalar", c_uint64 * 2), ("data", c_void_p),
                ("buffer", c_void_p), ("extents", c_int64 * 8), ("strides", c_int64 * 8)]


class LaunchOptions(Structure):
    _fields_ = [("struct_size", c_uint32), ("over", c_uint32), ("size", c_uint64 * 3), ("block", c_uint64 * 3), ("shared_bytes", c_uint64),
                ("stream", c_void_p), ("report", c_void_p), ("cooperative", c_uint32)]


class Cubin(Structure):
    _fields_ = [("arch", c_char_p), ("code", c_void_p), ("bytes", c_uint64)]


class Object(Structure):
    _fields_ = [("struct_size", c_uint32), ("abi_version", c_uint32), ("abi_hash", c_uint64), ("manifest", c_void_p), ("manifest_bytes", c_uint64),
                ("ptx", c_void_p), ("ptx_bytes", c_uint64), ("entries", c_void_p), ("entry_count", c_uint64), ("cubins", POINTER(Cubin)),
                ("cubin_count", c_uint64)]


def argument(spec, address=0):
    """Of a cases.Array in C order at an address, or of a cases.Scalar."""
    result = Argument(type=TYPES.index(spec.dtype))
    shape = getattr(spec, "shape", None)
    if shape is None:
        result.scalar[0] = int.from_bytes(bytes({"float32": ctypes.c_float, "int32": ctypes.c_int32}[spec.dtype](spec.value)), "little")
        return result
    result.kind, result.rank, result.writable, result.data = 1, len(shape), 1, address
    stride = 1
    for axis in reversed(range(len(shape))):
        result.extents[axis], result.strides[axis] = shape[axis], stride
        stride *= shape[axis]
    return result


class Library:
    def __init__(self, folder):
        os.environ.setdefault("KERN_WARNINGS", "off")  # small launches are meant
        self.native = exports.Library(str(folder / "libkern_bench.so"))
        for name in ("device_open", "stream_wrap", "module_load", "module_kernel", "prepare", "prepared_launch", "stream_wait", "buffer_create",
                     "buffer_data", "buffer_fill"):
            getattr(self.native, f"kern_{name}").restype = c_void_p
        self.native.kern_error_message.restype = c_char_p
        self.native.kern_error_message.argtypes = [c_void_p]
        self.native.kern_error_free.argtypes = [c_void_p]
        self.native.kern_prepared_launch.argtypes = [c_void_p, c_void_p]
        self.device, self.stream = c_void_p(), c_void_p()
        self.call("device_open", byref(DeviceOptions(sizeof(DeviceOptions), CUDA, 0, 0, 0)), byref(self.device))
        # The default stream, where CuPy, Numba and PyTorch are too: what is measured takes turns with them.
        self.call("stream_wrap", self.device, None, byref(self.stream))

    def call(self, name, *arguments):
        if error := getattr(self.native, f"kern_{name}")(*arguments):
            message = self.native.kern_error_message(error).decode(errors="replace")
            self.native.kern_error_free(error)
            raise RuntimeError(message)

    def object(self, namespace):
        return Object.from_address(self.native.place(f"kern_object_{namespace}"))

    def module(self, namespace):
        module = c_void_p()
        self.call("module_load", self.device, byref(self.object(namespace)), byref(module))
        return module

    def kernel(self, module, name, arguments):
        kernel = c_void_p()
        parameters = (Parameter * len(arguments))(*(Parameter(each.type, each.rank, each.writable) for each in arguments))
        self.call("module_kernel", module, name.encode(), parameters, c_uint64(len(arguments)), byref(kernel))
        return kernel

    def prepare(self, kernel, grid, block, arguments):
        """Returns a function that launches, checked once; arrays must stay."""
        def three(size):
            return (c_uint64 * 3)(*size, *(1,) * (3 - len(size)))
        prepared = c_void_p()
        options = LaunchOptions(sizeof(LaunchOptions), 0, three(grid), three(block), 0, self.stream, None, 0)
        self.call("prepare", kernel, byref(options), (Argument * len(arguments))(*arguments), c_uint64(len(arguments)), byref(prepared))
        launch = self.native.kern_prepared_launch

        def run():
            if launch(prepared, None):
                raise RuntimeError("a prepared launch failed")
        return run

    def allocate(self, nbytes):
        """Returns the address of memory that is never given back, all zeros."""
        buffer = c_void_p()
        self.call("buffer_create", self.device, c_uint64(nbytes), byref(buffer))
        self.call("buffer_fill", buffer, c_uint64(0), c_uint64(nbytes), bytes(1), c_uint32(1), self.stream, None)
        return self.native.kern_buffer_data(buffer)

    def wait(self):
        self.call("stream_wait", self.stream)

    def launch_cost(self, turns=200, launches=512):
        """Nanoseconds of a raw launch, of a call and of a prepared launch."""
        times, error = (c_double * 3)(), ctypes.create_string_buffer(1000)
        self.native.native.kern_benchmark_launch(turns, launches, times, error, ctypes.c_size_t(1000))
        if error.value or not times[0]:
            raise RuntimeError(error.value.decode() or "the driver refused the raw launch")
        return {"raw_ns": times[0], "call_ns": times[1], "prepared_ns": times[2]}

    def resources(self, namespace):
        """Kernel to a list, one for each of its variants on the GPU: registers, bytes of local memory (spills), shared memory."""
        which = self.object(namespace)
        manifest = json.loads(ctypes.string_at(which.manifest, which.manifest_bytes))
        if which.cubin_count:
            code = ctypes.string_at(which.cubins[0].code, which.cubins[0].bytes)
        else:
            code = ctypes.string_at(which.ptx, which.ptx_bytes) + b"\0"
        driver, module, function, value = ctypes.CDLL("libcuda.so.1"), c_void_p(), c_void_p(), ctypes.c_int()
        if status := driver.cuModuleLoadData(byref(module), code):
            raise RuntimeError(f"cuModuleLoadData of {namespace}: {status}")
        result = {}
        for kernel in manifest["kernels"]:
            for variant in kernel["variants"]:
                if variant["target"] != "cuda" or driver.cuModuleGetFunction(byref(function), module, variant["symbol"].encode()):
                    continue
                row = {"facts": len(variant["facts"])}
                for name, attribute in (("shared", 1), ("local", 3), ("registers", 4)):  # CU_FUNC_ATTRIBUTE_*
                    driver.cuFuncGetAttribute(byref(value), attribute, function)
                    row[name] = value.value
                result.setdefault(kernel["name"], []).append(row)
        driver.cuModuleUnload(module)
        return result

"""Puts Kern's kernels in the place of Numba's: `install` replaces cuda.jit, before a benchmark is imported, by one whose kernels are launched
over Kern's C interface. Memory stays Numba's. What Numba does with arguments is done here: scalars become what the signature says, and
an array of another type is taken for that type with the strides it has (CG hands int64 arrays to int32[:])."""
import ctypes
import re
from ctypes import byref, c_uint64, c_void_p, sizeof

from numba import cuda

from gpu.library import TYPES, Argument, LaunchOptions, Library

SCALARS = {"int32": ctypes.c_int32, "int64": ctypes.c_int64, "float64": ctypes.c_double}
BYTES = {"int32": 4, "int64": 8, "float64": 8, "complex128": 16}


class Kern(Library):
    def __init__(self, folder):
        super().__init__(folder)
        self.native.kern_launch.restype = c_void_p
        self.native.kern_prepared_release.argtypes = [c_void_p]

    def check(self, error):
        if error:
            raise RuntimeError(self.native.kern_error_message(error).decode(errors="replace"))


def parameters_of(signature):
    """(type, rank) of each parameter in `void(int32, float64[:, :])`."""
    found = re.findall(r"(\w+)\s*(\[[^\]]*\])?", signature[signature.index("(") + 1:signature.rindex(")")])
    return [(kind, axes.count(":")) for kind, axes in found]


def argument(kind, rank, value=None):
    made = Argument(type=TYPES.index(kind), kind=min(rank, 1), rank=rank, writable=min(rank, 1))
    if value is not None:
        assert value.ndim == rank and hasattr(value, "copy_to_host"), "an array that is not Numba's"
        made.data = value.device_ctypes_pointer.value
        for axis in range(rank):
            assert value.strides[axis] % BYTES[kind] == 0
            made.extents[axis], made.strides[axis] = value.shape[axis], value.strides[axis] // BYTES[kind]
    return made


def three(size):
    size = tuple(map(int, size)) if isinstance(size, (tuple, list)) else (int(size),)
    return (c_uint64 * 3)(*size, *(1,) * (3 - len(size)))


class Kernel:
    def __init__(self, kern, module, name, signature):
        self.kern, self.name, self.parameters, self.bound = kern, name, parameters_of(signature), {}
        self.handle = kern.kernel(module, name, [argument(*parameter) for parameter in self.parameters])

    def __getitem__(self, configuration):
        grid, block, *rest = configuration
        key = (grid, block, rest[1] if len(rest) > 1 else 0)
        if key not in self.bound:
            self.bound[key] = Bound(self, *key)
        return self.bound[key]

    def clear(self):
        """Lets go of what earlier launches have prepared, and of their arrays."""
        for bound in self.bound.values():
            for prepared, _ in bound.prepared.values():
                self.kern.native.kern_prepared_release(prepared)
        self.bound.clear()


class Bound:
    """A kernel with its grid and block. What is launched with the same arguments again is a prepared launch from then on."""

    def __init__(self, kernel, grid, block, shared):
        self.kernel, self.kern = kernel, kernel.kern
        self.options = LaunchOptions(sizeof(LaunchOptions), 0, three(grid), three(block), int(shared), self.kern.stream, None, 0)
        self.arguments = (Argument * len(kernel.parameters))(*(argument(*parameter) for parameter in kernel.parameters))
        self.arrays, self.seen, self.prepared = [None] * len(self.arguments), set(), {}
        self.common = kernel.handle, byref(self.options), byref(self.arguments), c_uint64(len(self.arguments))

    def __call__(self, *values):
        native = self.kern.native
        key = tuple([id(value) if rank else value for (_, rank), value in zip(self.kernel.parameters, values)])
        if found := self.prepared.get(key):
            return self.kern.check(native.kern_prepared_launch(found[0], None))
        for index, ((kind, rank), value) in enumerate(zip(self.kernel.parameters, values)):
            if rank == 0:
                self.arguments[index].scalar[0] = int.from_bytes(bytes(SCALARS[kind](value)), "little")
            elif self.arrays[index] is not value:
                self.arguments[index], self.arrays[index] = argument(kind, rank, value), value
        if key in self.seen:
            prepared = c_void_p()
            self.kern.check(native.kern_prepare(*self.common, byref(prepared)))
            self.prepared[key] = prepared, values  # the arrays stay, and so do their identities
            return self.kern.check(native.kern_prepared_launch(prepared, None))
        self.seen.add(key)
        self.kern.check(native.kern_launch(*self.common, None))


def install(bench, folder):
    """Returns the library and the kernels, a list that the import of the benchmark fills."""
    cuda.select_device(0)
    cuda.device_array(1)  # from here on there is the context that Kern shares
    kern, kernels = Kern(folder), []
    module = kern.module(bench)

    def jit(signature=None, device=False, **_):
        def mark(function):
            if device:
                return function
            kernels.append(Kernel(kern, module, function.__name__, signature))
            return kernels[-1]
        return mark
    cuda.jit = jit
    return kern, kernels

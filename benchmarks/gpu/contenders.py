"""Who runs a case: each contender is a function that launches over the same arrays."""
import pathlib
import sys

import cupy
import numpy

here = pathlib.Path(__file__).resolve().parent
for _old, _new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):  # Numba asks for names that NumPy 2 dropped
    if not hasattr(numpy, _old):
        setattr(numpy, _old, getattr(numpy, _new))


class Cuda:
    """CUDA C++ through NVRTC."""

    def __init__(self):
        self.module = cupy.RawModule(code=(here / "suite.cu").read_text(), options=("-std=c++17",), backend="nvrtc")
        self.module.get_function("vecadd")

    def launcher(self, name, plan, values):
        kernel = self.module.get_function(name)
        arguments = (*values, *map(numpy.int32, plan.cuda))
        return lambda: kernel(plan.grid, plan.block, arguments)

    def resources(self, name):
        kernel = self.module.get_function(name)
        return [{"registers": kernel.num_regs, "local": kernel.local_size_bytes, "shared": kernel.shared_size_bytes}]


class Numba:
    def __init__(self):
        sys.path.insert(0, str(here.parent))
        import suite_numba
        from numba import cuda
        cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
        self.cuda, self.suite = cuda, suite_numba

    def launcher(self, name, plan, values):
        three = [tuple(size) + (1,) * (3 - len(size)) for size in (plan.grid, plan.block)]
        kernel = getattr(self.suite, name)[three[0], three[1]]
        arguments = [self.cuda.as_cuda_array(value) if hasattr(value, "strides") and value.shape else value for value in values]
        return lambda: kernel(*arguments)

    def resources(self, name):
        kernel = getattr(self.suite, name)
        return [{"registers": registers, "local": local} for registers, local in zip(kernel.get_regs_per_thread().values(), kernel.get_local_mem_per_thread().values())]


class Kern:
    """One object of the library under test."""

    def __init__(self, library, namespace):
        from gpu.library import argument
        self.library, self.argument, self.module = library, argument, library.module(namespace)

    def launcher(self, name, plan, values):
        specs = zip(plan.arguments, values)
        arguments = [self.argument(spec, value.data.ptr if hasattr(spec, "shape") else 0) for spec, value in specs]
        return self.library.prepare(self.library.kernel(self.module, name, arguments), plan.grid, plan.block, arguments)


def library_call(name, values):
    """The call of a library that does the same, where there is one: its name and a function that returns what it computes."""
    import torch

    def tensor(value):
        return torch.as_tensor(value, device="cuda")
    nn = torch.nn.functional
    if name == "vecadd":
        a, b, c = values
        return "cupy.add", lambda: cupy.add(a, b, out=c)
    if name == "saxpy":
        x, y, alpha = tensor(values[1]), tensor(values[2]), float(values[0])
        return "torch.add", lambda: torch.add(y, x, alpha=alpha, out=y)
    if name == "transpose":
        src, dst = tensor(values[0]), tensor(values[1])
        return "torch.Tensor.copy_", lambda: dst.copy_(src.T)
    if name == "matmul":
        a, b, c = values
        return "cuBLAS sgemm", lambda: cupy.matmul(a, b, out=c)
    if name in ("reduce_sum", "warp_reduce"):
        x = values[0]
        return "CUB sum (cupy.sum)", lambda: cupy.sum(x)
    if name == "histogram":
        data = values[0]
        return "cupy.bincount", lambda: cupy.bincount(data, minlength=256)
    if name == "stencil2d":
        u = tensor(values[0])[None, None]
        weights = torch.tensor([[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]], device="cuda")[None, None]
        return "cuDNN conv2d", lambda: nn.pad(nn.conv2d(u, weights), (1, 1, 1, 1))
    if name == "softmax":
        x = tensor(values[0])
        return "torch.softmax", lambda: torch.softmax(x, 1)
    if name == "spmv":
        import cupyx.scipy.sparse
        indptr, indices, data, x, _ = values
        matrix = cupyx.scipy.sparse.csr_matrix((data, indices, indptr), shape=(len(x), len(x)))
        return "cuSPARSE csrmv", lambda: matrix @ x
    if name == "conv1d":
        a, b = tensor(values[0])[None, None], tensor(values[1])[None, None]
        return "cuDNN conv1d", lambda: nn.conv1d(nn.pad(a, (0, 31)), b)
    if name == "distances":
        points = tensor(values[0])
        return "torch.cdist", lambda: torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    return None

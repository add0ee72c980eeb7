"""The 16 kernels: what each is launched with at a given size. Nothing here needs a GPU or a package.

A case makes a plan from its dimensions: the launch, the arguments in the kernel's order, and the numbers that the CUDA C++ form takes
after them. `bytes` is the least traffic with memory (each input read once, each output written once), `flops` the operations of the
algorithm where arithmetic is what bounds it.
"""
import dataclasses
import math
from typing import Callable

PROCESSORS = 132  # a grid-stride loop gets a few blocks for each multiprocessor of an H100 or H200
SIZES = [10**3, 10**4, 10**5, 10**6, 10**8, 10**9]
MOST_FLOPS = 2e12  # of a launch: beyond it a size is left out, as it would take longer than all others together


@dataclasses.dataclass
class Array:
    dtype: str
    shape: tuple
    # How it begins: "random" in [low, high), "integers" in [0, high), "steps" 0, high, 2 high, ...; what is written begins as
    # "poison" where each element must be written, or as "zeros".
    fill: str = "random"
    low: float = 0
    high: float = 1
    written: bool = False


@dataclasses.dataclass
class Scalar:
    dtype: str
    value: float


@dataclasses.dataclass
class Plan:
    grid: tuple
    block: tuple
    arguments: list
    cuda: tuple  # what CUDA C++ takes behind the arguments: extents
    bytes: int
    flops: float = 0
    tolerance: float = 1e-3


@dataclasses.dataclass
class Case:
    name: str
    anchor: tuple  # the dimensions that results are compared at
    plan: Callable[..., Plan]
    dimensions: Callable[[int], tuple]  # of so many bytes of data
    double: bool = False  # computes in f64


def blocks(count, block):
    return -(-count // block)


def read(*shape, dtype="float32", **how):
    return Array(dtype, shape, **how)


def written(*shape, dtype="float32", fill="poison"):
    return Array(dtype, shape, fill, written=True)


def f32(value):
    return Scalar("float32", value)


def vecadd(n):
    return Plan((blocks(n, 256),), (256,), [read(n), read(n), written(n)], (n,), 12 * n)


def saxpy(n):
    # The factor is small, so that many launches over the same y leave it finite.
    x, y = read(n), dataclasses.replace(read(n), written=True)
    return Plan((min(PROCESSORS * 16, blocks(n, 256)),), (256,), [f32(1e-9), x, y], (n,), 12 * n)


def transpose(n):
    return Plan((blocks(n, 32),) * 2, (32, 8), [read(n, n), written(n, n)], (n, n), 8 * n * n)


def matmul(n):
    return Plan((blocks(n, 32),) * 2, (32, 32), [read(n, n), read(n, n), written(n, n)], (n, n, n), 12 * n * n, 2 * n**3)


def reduction(n):
    grid = min(PROCESSORS * 8, blocks(n, 256))
    return Plan((grid,), (256,), [read(n), written(1, fill="zeros")], (n,), 4 * n)


def histogram(n):
    data = read(n, dtype="uint8", fill="integers", high=256)
    grid = min(PROCESSORS * 8, blocks(n, 256))
    return Plan((grid,), (256,), [data, written(256, dtype="int32", fill="zeros")], (n,), n, tolerance=0)


def stencil2d(n):
    return Plan((blocks(n, 32), blocks(n, 8)), (32, 8), [read(n, n), written(n, n, fill="zeros")], (n, n), 8 * n * n)


def stencil3d(n):
    grid = (blocks(n, 32), blocks(n, 4), blocks(n, 2))
    return Plan(grid, (32, 4, 2), [read(n, n, n), written(n, n, n, fill="zeros")], (n, n, n), 8 * n**3)


def black_scholes(n):
    inputs = [read(n, low=5, high=30), read(n, low=1, high=100), read(n, low=0.25, high=10)]
    return Plan((blocks(n, 256),), (256,), [written(n), written(n), *inputs, f32(0.02), f32(0.3)], (n,), 20 * n)


def mandelbrot(n):
    step = 3 / n
    scalars = [f32(-2), f32(-1.5), f32(step), f32(step), Scalar("int32", 256)]
    # Contraction decides on which side of the border a few points fall.
    return Plan((blocks(n, 32), blocks(n, 8)), (32, 8), [written(n, n, dtype="int32"), *scalars], (n, n), 4 * n * n, tolerance=1e-2)


def nbody(n):
    return Plan((blocks(n, 256),), (256,), [*(read(n) for _ in range(4)), *(written(n) for _ in range(3)), f32(1e-4)], (n,), 28 * n, 20.0 * n * n)


def softmax(rows, columns):
    return Plan((rows,), (256,), [read(rows, columns), written(rows, columns)], (columns,), 8 * rows * columns)


def spmv(rows):
    row = 16
    indptr = read(rows + 1, dtype="int32", fill="steps", high=row)
    indices = read(rows * row, dtype="int32", fill="integers", high=rows)
    return Plan((blocks(rows, 256),), (256,), [indptr, indices, read(rows * row), read(rows), written(rows)], (rows,), (8 * row + 12) * rows)


def conv1d(n):
    return Plan((blocks(n, 256),), (256,), [read(n), read(32), written(n)], (n,), 8 * n)


def distances(n, dimensions):
    arrays = [read(n, dimensions, dtype="float64"), written(n, n, dtype="float64")]
    return Plan((blocks(n, 32), blocks(n, 8)), (32, 8), arrays, (n, dimensions), 8 * n * (n + dimensions), 3.0 * dimensions * n * n)


def linear(bytes_each):
    return lambda size: (max(32, size // bytes_each),)


def whole_blocks(bytes_each):
    # The Numba form leaves the coordinates of what lies behind the last body as they are: not numbers, perhaps.
    return lambda size: (256 * max(1, size // bytes_each // 256),)


def square(bytes_each):
    return lambda size: (max(4, math.isqrt(size // bytes_each)),)


def softmax_dimensions(size):
    columns = min(8192, max(32, math.isqrt(size // 8)))
    return max(1, size // 8 // columns), columns


CASES = {case.name: case for case in [
    Case("vecadd", (1 << 27,), vecadd, linear(12)),
    Case("saxpy", (1 << 27,), saxpy, linear(8)),
    Case("transpose", (16384,), transpose, square(8)),
    Case("matmul", (4096,), matmul, square(12)),
    Case("reduce_sum", (1 << 27,), reduction, linear(4)),
    Case("warp_reduce", (1 << 27,), reduction, linear(4)),
    Case("histogram", (1 << 28,), histogram, linear(1)),
    Case("stencil2d", (16384,), stencil2d, square(8)),
    Case("stencil3d", (640,), stencil3d, lambda size: (max(4, round((size / 8) ** (1 / 3))),)),
    Case("black_scholes", (1 << 25,), black_scholes, linear(20)),
    Case("mandelbrot", (8192,), mandelbrot, square(4)),
    Case("nbody", (1 << 16,), nbody, whole_blocks(28)),
    Case("softmax", (16384, 8192), softmax, softmax_dimensions),
    Case("spmv", (1 << 22,), spmv, linear(140)),
    Case("conv1d", (1 << 27,), conv1d, linear(8)),
    Case("distances", (8192, 16), distances, lambda size: (max(4, math.isqrt(size // 8)), 16), double=True),
]}

"""Kernels as benchmarks/others/cg.cpp launches them: those of one step of conjugate gradients, in our words."""
from numba import cuda, float64


@cuda.jit(device=True)
def add_up(values, sums):
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        total = 0.0
        for i in range(cuda.blockDim.x):
            total += values[i]
        sums[cuda.blockIdx.x] = total


@cuda.jit(device=True)
def add_up_products(a, b, sums, n):
    values = cuda.shared.array(0, float64)
    i = cuda.grid(1)
    values[cuda.threadIdx.x] = a[i] * b[i] if i < n else 0.0
    add_up(values, sums)


@cuda.jit(device=True)
def multiply(columns, rows, a, x, product):
    values = cuda.shared.array(0, float64)
    row = cuda.blockIdx.x
    total = 0.0
    for k in range(rows[row] + cuda.threadIdx.x, rows[row + 1], cuda.blockDim.x):
        total += a[k] * x[columns[k]]
    values[cuda.threadIdx.x] = total
    add_up(values, product)


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], float64[:], int32)")
def gpu_kernel_one_gpu(p, q, r, x, z, n):
    i = cuda.grid(1)
    if i < n:
        q[i] = 0.0
        z[i] = 0.0
        r[i] = x[i]
        p[i] = x[i]


@cuda.jit("void(float64[:], float64[:], float64[:], int32)")
def gpu_kernel_two_gpu(r, rho, sums, n):
    add_up_products(r, r, sums, n)


@cuda.jit("void(int32[:], int32[:], float64[:], float64[:], float64[:])")
def gpu_kernel_three_gpu(columns, rows, a, p, q):
    multiply(columns, rows, a, p, q)


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], int32)")
def gpu_kernel_four_gpu(d, p, q, sums, n):
    add_up_products(p, q, sums, n)


@cuda.jit("void(float64, float64[:], float64[:], int32)")
def gpu_kernel_five_1_gpu(alpha, p, z, n):
    i = cuda.grid(1)
    if i < n:
        z[i] += alpha * p[i]


@cuda.jit("void(float64, float64[:], float64[:], int32)")
def gpu_kernel_five_2_gpu(alpha, q, r, n):
    i = cuda.grid(1)
    if i < n:
        r[i] -= alpha * q[i]


@cuda.jit("void(float64[:], float64[:], int32)")
def gpu_kernel_six_gpu(r, sums, n):
    add_up_products(r, r, sums, n)


@cuda.jit("void(float64, float64[:], float64[:], int32)")
def gpu_kernel_seven_gpu(beta, p, r, n):
    i = cuda.grid(1)
    if i < n:
        p[i] = r[i] + beta * p[i]


@cuda.jit("void(int32[:], int32[:], float64[:], float64[:], float64[:])")
def gpu_kernel_eight_gpu(columns, rows, a, r, z):
    multiply(columns, rows, a, z, r)


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], int32)")
def gpu_kernel_nine_gpu(r, x, unused, sums, n):
    values = cuda.shared.array(0, float64)
    i = cuda.grid(1)
    values[cuda.threadIdx.x] = (x[i] - r[i]) * (x[i] - r[i]) if i < n else 0.0
    add_up(values, sums)


@cuda.jit("void(float64[:], float64[:], float64[:], int32)")
def gpu_kernel_ten_1_gpu(sums, x, z, n):
    add_up_products(x, z, sums, n)


@cuda.jit("void(float64[:], float64[:], float64[:], int32)")
def gpu_kernel_ten_2_gpu(sums, x, z, n):
    add_up_products(z, z, sums, n)


@cuda.jit("void(float64, float64[:], float64[:], int32)")
def gpu_kernel_eleven_gpu(factor, x, z, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = factor * z[i]

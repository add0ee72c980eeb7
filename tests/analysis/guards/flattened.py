# RUN: %kernc %s -Wno-race -Wno-lost_update --emit=guards --target=cuda -o - | %FileCheck %s
# An index that is flattened by hand is proved by how far it reaches at most, which the launch computes from its scalars and shape.
from numba import cuda


# CHECK-LABEL: tested: 3 of 3 proved
# CHECK-NEXT: taken where nx >= 2
# CHECK-NEXT: taken where ny >= 1
# CHECK-NEXT: taken where nz >= 1
# CHECK-NEXT: taken where u.shape[0] <= 2147483647
# CHECK-NEXT: taken where v.shape[0] <= 2147483647
# CHECK-NEXT: taken where u.shape[0] >= nx * ny * nz
# CHECK-NEXT: taken where v.shape[0] >= nx * ny * nz
@cuda.jit("void(float64[::1], float64[::1], int32, int32, int32)")
def tested(u, v, nx, ny, nz):
    i, j, k = cuda.grid(3)
    if i < nx and j < ny and k < nz:
        v[(k * ny + j) * nx + i] = u[(k * ny + j) * nx + i]
        if i >= 1 and i < nx - 1:
            v[(k * ny + j) * nx + i] += 1.0


# CHECK-LABEL: by_launch: 3 of 3 proved
# CHECK: taken where u.shape[0] >= n * m + n * m * gridDim.y + n * gridDim.x + blockDim.x - n
# CHECK-NOT: taken where u.shape[0] >=
@cuda.jit("void(float64[::1], int32, int32)")
def by_launch(u, n, m):
    k = cuda.blockIdx.y + 1
    u[k * m * n + cuda.blockIdx.x * n + cuda.threadIdx.x] = u[(k - 1) * m * n + cuda.blockIdx.x * n + cuda.threadIdx.x]
    u[(k + 1) * m * n + cuda.blockIdx.x * n + cuda.threadIdx.x] = 0.0


# Each coordinate of a number of elements, by quotients and remainders of integers or of floats.
# CHECK-LABEL: apart: 2 of 2 proved
# CHECK: taken where u.shape[0] >= nx * ny * nz
# CHECK: taken where plane.shape[0] >= nz
@cuda.jit("void(float64[::1], float64[::1], int32, int32, int32)")
def apart(u, plane, nx, ny, nz):
    e = cuda.grid(1)
    k = int(e / (nx * ny))
    if e >= nx * ny * nz:
        return
    u[e] = 1.0
    plane[k] = 1.0


# A scalar that is taken away may be at most so large.
# CHECK-LABEL: taken_away: 1 of 1 proved
# CHECK: taken where d <= 2
@cuda.jit("void(float64[::1], int32)")
def taken_away(u, d):
    u[2 * (cuda.blockIdx.x + 1) - d] = 1.0


# Of two ways the one that other guards ask for anyway.
# CHECK-LABEL: asked: 2 of 2 proved
# CHECK: taken where dynamic_shared_bytes // 4 >= blockDim.x * 3
# CHECK-NOT: dynamic_shared_bytes
# CHECK: s[0] 3 * t: proved
@cuda.jit("void(int32)")
def asked(n):
    s = cuda.shared.array(0, "int32")
    t = cuda.threadIdx.x
    if t < n:
        s[3 * t] = 0
    s[3 * t + 2] = 0


# ---- What stays ----

# What a load tells limits nothing, also not by the launch: how far threads go is for the data to say.
# CHECK-LABEL: by_data: 1 of 2 proved
# CHECK: u[0] t * 3: kept
@cuda.jit("void(float64[::1], int32[::1])")
def by_data(u, counts):
    t = cuda.grid(1)
    if t < counts[0]:
        u[t * 3] = 1.0


# CHECK-LABEL: loaded: 1 of 2 proved
@cuda.jit("void(float64[::1], int64[::1], int32)")
def loaded(u, offsets, n):
    u[n * offsets[0] + cuda.threadIdx.x] = 1.0

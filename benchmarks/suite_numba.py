"""The 16 kernels of suite.kern as a user of Numba writes them: kernc and Numba compile this same file."""
import math
from numba import cuda, float32, float64, int32

TPB = 256
TILE = 32
BINS = 256
SPAN = TPB + 32


@cuda.jit
def vecadd(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def saxpy(alpha, x, y):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.size, stride):
        y[i] = alpha * x[i] + y[i]


@cuda.jit
def transpose(src, dst):
    tile = cuda.shared.array((32, 33), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    x = cuda.blockIdx.x * 32 + tx
    y = cuda.blockIdx.y * 32 + ty
    for j in range(0, 32, 8):
        if x < src.shape[1] and y + j < src.shape[0]:
            tile[ty + j, tx] = src[y + j, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + tx
    y = cuda.blockIdx.x * 32 + ty
    for j in range(0, 32, 8):
        if x < dst.shape[1] and y + j < dst.shape[0]:
            dst[y + j, x] = tile[tx, ty + j]


@cuda.jit
def matmul(A, B, C):
    sA = cuda.shared.array((TILE, TILE), float32)
    sB = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    tmp = float32(0.0)
    for k in range((A.shape[1] + TILE - 1) // TILE):
        sA[ty, tx] = float32(0.0)
        sB[ty, tx] = float32(0.0)
        if y < A.shape[0] and tx + k * TILE < A.shape[1]:
            sA[ty, tx] = A[y, tx + k * TILE]
        if x < B.shape[1] and ty + k * TILE < B.shape[0]:
            sB[ty, tx] = B[ty + k * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            tmp += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = tmp


@cuda.jit
def reduce_sum(x, out):
    s = cuda.shared.array(TPB, float32)
    t = cuda.threadIdx.x
    acc = float32(0.0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    s[t] = acc
    cuda.syncthreads()
    w = TPB // 2
    while w > 0:
        if t < w:
            s[t] += s[t + w]
        cuda.syncthreads()
        w //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


@cuda.jit
def warp_reduce(x, out):
    acc = float32(0.0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    offset = 16
    while offset > 0:
        acc += cuda.shfl_down_sync(0xffffffff, acc, offset)
        offset //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, acc)


@cuda.jit
def histogram(data, bins):
    s = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
        cuda.atomic.add(s, data[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, s[t])


@cuda.jit
def stencil2d(u, v):
    j, i = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        v[i, j] = float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@cuda.jit
def stencil3d(u, v):
    k, j, i = cuda.grid(3)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1 and 0 < k < u.shape[2] - 1:
        v[i, j, k] = float32(0.4) * u[i, j, k] + float32(0.1) * (
            u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k]
            + u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1])


@cuda.jit(device=True)
def cnd(d):
    k = float32(1.0) / (float32(1.0) + float32(0.2316419) * abs(d))
    w = float32(0.3989422804) * math.exp(float32(-0.5) * d * d) * (
        k * (float32(0.319381530) + k * (float32(-0.356563782) + k * (float32(1.781477937)
        + k * (float32(-1.821255978) + k * float32(1.330274429))))))
    if d > float32(0.0):
        return float32(1.0) - w
    return w


@cuda.jit
def black_scholes(call, put, S, X, T, R, V):
    i = cuda.grid(1)
    if i >= S.size:
        return
    sqt = math.sqrt(T[i])
    d1 = (math.log(S[i] / X[i]) + (R + float32(0.5) * V * V) * T[i]) / (V * sqt)
    d2 = d1 - V * sqt
    c1 = cnd(d1)
    c2 = cnd(d2)
    e = math.exp(-R * T[i])
    call[i] = S[i] * c1 - X[i] * e * c2
    put[i] = X[i] * e * (float32(1.0) - c2) - S[i] * (float32(1.0) - c1)


@cuda.jit
def mandelbrot(img, x0, y0, dx, dy, maxiter):
    j, i = cuda.grid(2)
    if i < img.shape[0] and j < img.shape[1]:
        cr = x0 + float32(j) * dx
        ci = y0 + float32(i) * dy
        zr = float32(0.0)
        zi = float32(0.0)
        n = int32(0)
        while n < maxiter and zr * zr + zi * zi < float32(4.0):
            t = zr * zr - zi * zi + cr
            zi = float32(2.0) * zr * zi + ci
            zr = t
            n += 1
        img[i, j] = n


@cuda.jit
def nbody(px, py, pz, m, ax, ay, az, eps):
    sx = cuda.shared.array(TPB, float32)
    sy = cuda.shared.array(TPB, float32)
    sz = cuda.shared.array(TPB, float32)
    sm = cuda.shared.array(TPB, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    n = px.size
    xi = float32(0.0)
    yi = float32(0.0)
    zi = float32(0.0)
    if i < n:
        xi = px[i]
        yi = py[i]
        zi = pz[i]
    fx = float32(0.0)
    fy = float32(0.0)
    fz = float32(0.0)
    for b in range((n + TPB - 1) // TPB):
        k = b * TPB + t
        if k < n:
            sx[t] = px[k]
            sy[t] = py[k]
            sz[t] = pz[k]
            sm[t] = m[k]
        else:
            sm[t] = float32(0.0)
        cuda.syncthreads()
        for j in range(TPB):
            rx = sx[j] - xi
            ry = sy[j] - yi
            rz = sz[j] - zi
            d2 = rx * rx + ry * ry + rz * rz + eps
            inv = float32(1.0) / math.sqrt(d2)
            s = sm[j] * inv * inv * inv
            fx += rx * s
            fy += ry * s
            fz += rz * s
        cuda.syncthreads()
    if i < n:
        ax[i] = fx
        ay[i] = fy
        az[i] = fz


@cuda.jit
def softmax(x, y):
    s = cuda.shared.array(TPB, float32)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    n = x.shape[1]
    mx = float32(-math.inf)
    for j in range(t, n, TPB):
        mx = max(mx, x[row, j])
    s[t] = mx
    cuda.syncthreads()
    w = TPB // 2
    while w > 0:
        if t < w:
            s[t] = max(s[t], s[t + w])
        cuda.syncthreads()
        w //= 2
    mx = s[0]
    cuda.syncthreads()
    acc = float32(0.0)
    for j in range(t, n, TPB):
        acc += math.exp(x[row, j] - mx)
    s[t] = acc
    cuda.syncthreads()
    w = TPB // 2
    while w > 0:
        if t < w:
            s[t] += s[t + w]
        cuda.syncthreads()
        w //= 2
    inv = float32(1.0) / s[0]
    for j in range(t, n, TPB):
        y[row, j] = math.exp(x[row, j] - mx) * inv


@cuda.jit
def spmv(indptr, indices, values, x, y):
    row = cuda.grid(1)
    if row < y.size:
        acc = float32(0.0)
        for p in range(indptr[row], indptr[row + 1]):
            acc += values[p] * x[indices[p]]
        y[row] = acc


@cuda.jit
def conv1d(a, b, out):
    HALO = 32
    sa = cuda.shared.array(SPAN, float32)
    sb = cuda.shared.array(32, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    sa[t] = float32(0.0)
    if i < a.size:
        sa[t] = a[i]
    if t < HALO:
        sa[TPB + t] = float32(0.0)
        if i + TPB < a.size:
            sa[TPB + t] = a[i + TPB]
        sb[t] = b[t]
    cuda.syncthreads()
    acc = float32(0.0)
    for j in range(HALO):
        acc += sa[t + j] * sb[j]
    if i < out.size:
        out[i] = acc


@cuda.jit
def distances(pts, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        acc = float64(0.0)
        for k in range(pts.shape[1]):
            d = pts[i, k] - pts[j, k]
            acc += d * d
        out[i, j] = math.sqrt(acc)

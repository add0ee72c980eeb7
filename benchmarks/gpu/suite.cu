// The 16 kernels of suite.kern as a careful CUDA programmer writes them: int indices, __restrict__, no checks.
// NVRTC compiles this file, so it includes nothing.
#define R __restrict__

constexpr int block = 256, tile = 32, halo = 32;

__device__ int linear_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int row_index() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ int grid_size() { return gridDim.x * blockDim.x; }

extern "C" __global__ void vecadd(const float* R a, const float* R b, float* R c, int n) {
  int i = linear_index();
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy(float alpha, const float* R x, float* R y, int n) {
  for (int i = linear_index(); i < n; i += grid_size()) y[i] = alpha * x[i] + y[i];
}

extern "C" __global__ void transpose(const float* R src, float* R dst, int h, int w) {
  __shared__ float part[tile][tile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * tile + tx, y = blockIdx.y * tile + ty;
  for (int j = 0; j < tile; j += 8)
    if (x < w && y + j < h) part[ty + j][tx] = src[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * tile + tx;
  y = blockIdx.x * tile + ty;
  for (int j = 0; j < tile; j += 8)
    if (x < h && y + j < w) dst[(y + j) * h + x] = part[tx][ty + j];
}

extern "C" __global__ void matmul(const float* R A, const float* R B, float* R C, int M, int N, int K) {
  __shared__ float sA[tile][tile], sB[tile][tile];
  int x = linear_index(), y = row_index(), tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < (K + tile - 1) / tile; ++k) {
    sA[ty][tx] = sB[ty][tx] = 0;
    if (y < M && tx + k * tile < K) sA[ty][tx] = A[y * K + tx + k * tile];
    if (x < N && ty + k * tile < K) sB[ty][tx] = B[(ty + k * tile) * N + x];
    __syncthreads();
    for (int j = 0; j < tile; ++j) sum += sA[ty][j] * sB[j][tx];
    __syncthreads();
  }
  if (y < M && x < N) C[y * N + x] = sum;
}

extern "C" __global__ void reduce_sum(const float* R x, float* R out, int n) {
  __shared__ float s[block];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = linear_index(); i < n; i += grid_size()) sum += x[i];
  s[t] = sum;
  __syncthreads();
  for (int w = block / 2; w > 0; w /= 2) {
    if (t < w) s[t] += s[t + w];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}

extern "C" __global__ void warp_reduce(const float* R x, float* R out, int n) {
  float sum = 0;
  for (int i = linear_index(); i < n; i += grid_size()) sum += x[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}

extern "C" __global__ void histogram(const unsigned char* R data, int* R bins, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  for (int i = linear_index(); i < n; i += grid_size()) atomicAdd(&s[data[i]], 1);
  __syncthreads();
  atomicAdd(&bins[t], s[t]);
}

extern "C" __global__ void stencil2d(const float* R u, float* R v, int h, int w) {
  int j = linear_index(), i = row_index();
  if (0 < i && i < h - 1 && 0 < j && j < w - 1)
    v[i * w + j] =
        0.25f * (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1]);
}

extern "C" __global__ void stencil3d(const float* R u, float* R v, int d, int h, int w) {
  int k = linear_index(), j = row_index(), i = blockIdx.z * blockDim.z + threadIdx.z;
  int p = (i * h + j) * w + k;
  if (0 < i && i < d - 1 && 0 < j && j < h - 1 && 0 < k && k < w - 1)
    v[p] =
        0.4f * u[p] + 0.1f * (u[p - h * w] + u[p + h * w] + u[p - w] + u[p + w] + u[p - 1] + u[p + 1]);
}

__device__ float cnd(float d) {
  float k = 1.f / (1.f + 0.2316419f * fabsf(d));
  float poly = 1.781477937f + k * (-1.821255978f + k * 1.330274429f);
  float w = 0.3989422804f * expf(-0.5f * d * d) * (k * (0.319381530f + k * (-0.356563782f + k * poly)));
  return d > 0 ? 1.f - w : w;
}

extern "C" __global__ void black_scholes(float* R call, float* R put, const float* R S, const float* R X,
                                         const float* R T, float rate, float volatility, int n) {
  int i = linear_index();
  if (i >= n) return;
  float root = sqrtf(T[i]);
  float d1 =
      (logf(S[i] / X[i]) + (rate + 0.5f * volatility * volatility) * T[i]) / (volatility * root);
  float d2 = d1 - volatility * root, c1 = cnd(d1), c2 = cnd(d2), e = expf(-rate * T[i]);
  call[i] = S[i] * c1 - X[i] * e * c2;
  put[i] = X[i] * e * (1.f - c2) - S[i] * (1.f - c1);
}

extern "C" __global__ void mandelbrot(int* R img, float x0, float y0, float dx, float dy, int maxiter, int h,
                                      int w) {
  int j = linear_index(), i = row_index();
  if (i >= h || j >= w) return;
  float cr = x0 + j * dx, ci = y0 + i * dy, zr = 0, zi = 0;
  int n = 0;
  while (n < maxiter && zr * zr + zi * zi < 4.f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.f * zr * zi + ci;
    zr = t;
    ++n;
  }
  img[i * w + j] = n;
}

extern "C" __global__ void nbody(const float* R px, const float* R py, const float* R pz, const float* R m,
                                 float* R ax, float* R ay, float* R az, float eps, int n) {
  __shared__ float sx[block], sy[block], sz[block], sm[block];
  int t = threadIdx.x, i = linear_index();
  float xi = 0, yi = 0, zi = 0, fx = 0, fy = 0, fz = 0;
  if (i < n) xi = px[i], yi = py[i], zi = pz[i];
  for (int b = 0; b < (n + block - 1) / block; ++b) {
    int k = b * block + t;
    if (k < n) {
      sx[t] = px[k], sy[t] = py[k], sz[t] = pz[k], sm[t] = m[k];
    } else {
      sx[t] = sy[t] = sz[t] = sm[t] = 0;
    }
    __syncthreads();
    for (int j = 0; j < block; ++j) {
      float rx = sx[j] - xi, ry = sy[j] - yi, rz = sz[j] - zi;
      float inverse = 1.f / sqrtf(rx * rx + ry * ry + rz * rz + eps);
      float s = sm[j] * inverse * inverse * inverse;
      fx += rx * s;
      fy += ry * s;
      fz += rz * s;
    }
    __syncthreads();
  }
  if (i < n) ax[i] = fx, ay[i] = fy, az[i] = fz;
}

extern "C" __global__ void softmax(const float* R x, float* R y, int n) {
  __shared__ float s[block];
  int row = blockIdx.x, t = threadIdx.x;
  float most = -__int_as_float(0x7f800000);
  for (int j = t; j < n; j += block) most = fmaxf(most, x[row * n + j]);
  s[t] = most;
  __syncthreads();
  for (int w = block / 2; w > 0; w /= 2) {
    if (t < w) s[t] = fmaxf(s[t], s[t + w]);
    __syncthreads();
  }
  most = s[0];
  __syncthreads();
  float sum = 0;
  for (int j = t; j < n; j += block) sum += expf(x[row * n + j] - most);
  s[t] = sum;
  __syncthreads();
  for (int w = block / 2; w > 0; w /= 2) {
    if (t < w) s[t] += s[t + w];
    __syncthreads();
  }
  float inverse = 1.f / s[0];
  for (int j = t; j < n; j += block) y[row * n + j] = expf(x[row * n + j] - most) * inverse;
}

extern "C" __global__ void spmv(const int* R indptr, const int* R indices, const float* R values,
                                const float* R x, float* R y, int rows) {
  int row = linear_index();
  if (row >= rows) return;
  float sum = 0;
  for (int p = indptr[row]; p < indptr[row + 1]; ++p) sum += values[p] * x[indices[p]];
  y[row] = sum;
}

extern "C" __global__ void conv1d(const float* R a, const float* R b, float* R out, int n) {
  __shared__ float sa[block + halo], sb[halo];
  int t = threadIdx.x, i = linear_index();
  sa[t] = i < n ? a[i] : 0;
  if (t < halo) {
    sa[block + t] = i + block < n ? a[i + block] : 0;
    sb[t] = b[t];
  }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < halo; ++j) sum += sa[t + j] * sb[j];
  if (i < n) out[i] = sum;
}

extern "C" __global__ void distances(const double* R pts, double* R out, int n, int d) {
  int j = linear_index(), i = row_index();
  if (i >= n || j >= n) return;
  double sum = 0;
  for (int k = 0; k < d; ++k) {
    double difference = pts[i * d + k] - pts[j * d + k];
    sum += difference * difference;
  }
  out[(long long)i * n + j] = sqrt(sum);
}

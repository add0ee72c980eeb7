// Shows what this GPU can do at most. `delay` keeps it busy while the host prepares a measurement.

extern "C" __global__ void delay(long long cycles) {
  long long begin = clock64();
  while (clock64() - begin < cycles) {}
}

// Two loads and one store of 16 bytes a thread.
extern "C" __global__ void add4(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c,
                                int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// Eight chains of dependent multiply-adds a thread, so that neither latency nor memory is in the way.
template <typename Real> __device__ void fma_chains(Real* out, int rounds) {
  Real x[8];
  for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
  Real a = Real(0.999), b = Real(blockIdx.x) * Real(1e-6);
  for (int i = 0; i < rounds; ++i) {
#pragma unroll 16
    for (int repeat = 0; repeat < 16; ++repeat)
#pragma unroll
      for (int k = 0; k < 8; ++k) x[k] = x[k] * a + b;
  }
  Real sum = 0;
  for (int k = 0; k < 8; ++k) sum += x[k];
  if (sum == Real(-1)) out[0] = sum;
}

extern "C" __global__ void fma32(float* out, int rounds) { fma_chains(out, rounds); }
extern "C" __global__ void fma64(double* out, int rounds) { fma_chains(out, rounds); }

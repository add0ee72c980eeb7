# RUN: %kernc %s --emit=ptx -o - | %FileCheck %s
# RUN: %kernc %s -O0 --emit=ptx -o - | %FileCheck %s
# RUN: %kernc %s --emit=ir -o - | %FileCheck --check-prefix=IR %s
# RUN: %kernc run %s values x=arange:f32:16 o=zeros:f32:16 --grid 1 --block 1 --print o | %FileCheck --check-prefix=VALUES %s
# Cache hints are the cache operators of PTX; in shared memory, where PTX has none, and on the CPU the accesses are plain ones.
from numba import cuda, float32
from numba.cuda import ldcg as load


@cuda.jit('void(float32[:], float32[:])')
def values(o, x):
    o[0] = cuda.ldca(x, 1)
    o[1] = cuda.ldcg(x, 2)
    o[2] = cuda.ldcs(x, 3)
    o[3] = cuda.ldlu(x, 4)
    o[4] = cuda.ldcv(x, 5)
    cuda.stwb(o, 5, x[6])
    cuda.stcg(o, 6, x[7])
    cuda.stcs(o, 7, x[8])
    cuda.stwt(o, 8, x[9])
    s = cuda.shared.array(2, float32)
    cuda.stcg(s, 0, x[10])
    o[9] = load(s, (0,))


@cuda.jit('void(int8[:, :], int8[:])')
def of_int8(a, b):
    cuda.stcs(a, (0, 1), cuda.ldcs(b, 1))


@cuda.jit('void(uint16[:, :], uint16[:])')
def of_uint16(a, b):
    cuda.stcs(a, (0, 1), cuda.ldcs(b, 1))


@cuda.jit('void(int32[:, :], int32[:])')
def of_int32(a, b):
    cuda.stcs(a, (0, 1), cuda.ldcs(b, 1))


@cuda.jit('void(int64[:, :], int64[:])')
def of_int64(a, b):
    cuda.stcs(a, (0, 1), cuda.ldcs(b, 1))


@cuda.jit('void(float16[:, :], float16[:])')
def of_float16(a, b):
    cuda.stcs(a, (0, 1), cuda.ldcs(b, 1))


@cuda.jit('void(float32[:, :], float32[:])')
def of_float32(a, b):
    cuda.stcs(a, (0, 1), cuda.ldcs(b, 1))


@cuda.jit('void(float64[:, :], float64[:])')
def of_float64(a, b):
    cuda.stcs(a, (0, 1), cuda.ldcs(b, 1))


# CHECK-LABEL: .entry values(
# CHECK: ld.global.ca.b32
# CHECK: ld.global.cg.b32
# CHECK: ld.global.cs.b32
# CHECK: ld.global.lu.b32
# CHECK: ld.global.cv.b32
# CHECK: st.global.wb.b32
# CHECK: st.global.cg.b32
# CHECK: st.global.cs.b32
# CHECK: st.global.wt.b32
# CHECK-NOT: ld.shared.cg
# CHECK-LABEL: .entry of_int8(
# CHECK: ld.global.cs.b8
# CHECK: st.global.cs.b8
# CHECK-LABEL: .entry of_uint16(
# CHECK: ld.global.cs.b16
# CHECK: st.global.cs.b16
# CHECK-LABEL: .entry of_int32(
# CHECK: ld.global.cs.b32
# CHECK: st.global.cs.b32
# CHECK-LABEL: .entry of_int64(
# CHECK: ld.global.cs.b64
# CHECK: st.global.cs.b64
# CHECK-LABEL: .entry of_float16(
# CHECK: ld.global.cs.b16
# CHECK: st.global.cs.b16
# CHECK-LABEL: .entry of_float32(
# CHECK: ld.global.cs.b32
# CHECK: st.global.cs.b32
# CHECK-LABEL: .entry of_float64(
# CHECK: ld.global.cs.b64
# CHECK: st.global.cs.b64
# IR: load.ca
# IR: store.wb
# VALUES: o = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

# Vector types are tuples whose elements are x, y, z and w: as locals, arguments and results of device functions.
# RUN: %kernc run %s k --grid 1 --block 1 o=zeros:f64:16 x=arange:f32:8 n=zeros:i32:1 --print o | %FileCheck --check-prefix=VALUES %s
# RUN: %kernc run %s k --grid 1 --block 1 --lanes=1 o=zeros:f64:16 x=arange:f32:8 n=zeros:i32:1 --print o | %FileCheck --check-prefix=VALUES %s
# RUN: %kernc %s --sig 'k(float64[:], float32[:], int32[:])' --emit=ptx -o - | %FileCheck %s
# CHECK: .entry k
# VALUES: o = [0.0, 1.0, 2.0, 3.0, 10.0, 7.0, 255.0, 1.5, 2.0, 3.0, 4.0, 9.0, 4.0, 7.0, 0.0, 0.0]
from numba import cuda
from numba.cuda import float32x4, float64x2, int3, uchar1


@cuda.jit(device=True)
def scaled(v, by):
    return cuda.float32x3(v.x * by, v.y * by, v.z * by)


@cuda.jit
def k(o, x, n):
    pair = cuda.float32x2(x[0], x[1])
    whole = float32x4(pair, x[2], x[3])
    o[0] = whole.x
    o[1] = whole.y
    o[2] = whole.z
    o[3] = whole.w
    v = scaled(cuda.float3(1, 2, 3), 5.0)
    if n[0] == 0:
        v = scaled(v, 1.0)
    o[4] = v.y
    i = int3(7.9, n[0], 0)
    o[5] = i.x
    o[6] = uchar1(-1).x
    d = float64x2(1.5, 2)
    total = float64x2(0.0, 0.0)
    for j in range(2):
        total = float64x2(total.x + j + 1, total.y + d.y)
    o[7] = d.x
    o[8] = d.y
    o[9] = total.x
    o[10] = total.y
    o[11] = cuda.ulonglong4(whole).w + cuda.long2(pair).x + 6
    m = n[0] - 15
    o[12] = m.bit_count()
    o[13] = (x.size * 16 - 1).bit_count()

# RUN: %kernc %s --sig 'k(float32[()], float32[()], float32[:])' --emit=ir -o - | %FileCheck %s
# RUN: %python -c "import numpy as n; n.save('%t.x.npy', n.float32(2.5)); n.save('%t.y.npy', n.array(0.5, n.float32))"
# RUN: %kernc run %s k x=@%t.x.npy y=@%t.y.npy o=zeros:f32:8 --grid 1 --block 4 --print y --print o -o y=%t.o.npy | %FileCheck --check-prefix=OUT %s
# RUN: %python -c "import numpy as n; a = n.load('%t.o.npy'); print(a.shape, a[()])" | %FileCheck --check-prefix=FILE %s
# RUN: %exits 1 %kernc check %s --sig 'long(float32[()])' 2>&1 | %FileCheck --check-prefix=LONG %s
# RUN: %exits 1 %kernc check %s --sig 'deep(float32[()])' 2>&1 | %FileCheck --check-prefix=DEEP %s
# Arrays without axes have one element, `x[()]`; a launch passes one of one axis with one element.
from numba import cuda, float32, int32, types, void


@cuda.jit(device=True)
def change(y, d):
    y[()] += d


@cuda.jit
def k(x, y, o):
    s = cuda.shared.array((), float32)
    p = cuda.local.array((), int32)
    p[()] = cuda.threadIdx.x
    if p[()] == 3:
        s[()] = x[()] + y[...][()]
        change(y, x[()])
    cuda.syncthreads()
    o[0] = s[()]
    o[1] = x.ndim
    o[2] = x.size
    o[3] = len(x.shape)
    o[4] = y.item()
    o[5] = x.T[()]


@cuda.jit(void(types.Array(float32, 0, "C")))
def declared(x):
    x[()] = 1


@cuda.jit
def long(x):
    x[()] = len(x)


@cuda.jit
def deep(x):
    x[0] = 1


# CHECK: kernel k(x: f32[()], y: f32[()], o: f32[:])
# CHECK: = load x[0]
# CHECK: kernel declared(x: f32[()])
# OUT: y = [3.0]
# OUT: o = [3.0, 0.0, 1.0, 0.0, 3.0, 2.5, 0.0, 0.0]
# FILE: () 3.0
# LONG: error[E0317]: f32[()] has no length
# DEEP: error[E0312]: `x` has 0 axes and gets 1 indices

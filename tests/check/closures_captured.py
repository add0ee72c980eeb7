# What a kernel inside of a function reads around it: constants of that function, its parameters by -D, by the path of
# the function or by the plain name.
# RUN: %kernc %s --sig 'make.k(float32[:])' -D make.n=3 --emit=ir | %FileCheck %s
# RUN: %kernc %s --sig 'k(float32[:])' -D n=3 --emit=ir | %FileCheck %s
# RUN: %kernc run %s make.k x=zeros:float32:2 --grid=1 --block=1 -D n=3 --device=cpu --print x | %FileCheck --check-prefix=RUN-VALUES %s
from numba import cuda, float32

SCALE = 10


def make(n):
    two = 2
    dtype = float32

    @cuda.jit(device=True)
    def twice(v):
        return two * v

    @cuda.jit
    def k(x):
        s = cuda.local.array(n, dtype)
        s[0] = twice(n) * SCALE
        x[0] = s[0]
        x[1] = three

    three = 3
    return k


# CHECK: kernel k(x: f32[:])
# CHECK: s = local [3]
# RUN-VALUES: 60.0, 3.0

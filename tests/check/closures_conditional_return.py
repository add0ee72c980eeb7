# RUN: %kernc run %s k --grid=1 --block=1 o=zeros:i64:4 --print o | %FileCheck %s
# A function of the host is followed to the `return` that runs.
from numba import cuda


def make(kind, n=2):
    if n > 10:
        raise ValueError("too many")
    if kind == "add":
        @cuda.jit(device=True)
        def op(x):
            return x + n

        return op
    elif kind == "scale":
        return cuda.jit(device=True)(lambda x: x * n)
    with open("log") as log:
        log.write(kind)
    if n:
        def op(x):
            return 0
    return op


add, scale, nothing = make("add"), make("scale", 3), make("other")


def pick(n):
    if n == 1: return 10
    return 20


ONE, TWO = pick(1), pick(2)


@cuda.jit
def k(o):
    o[0] = add(5)
    o[1] = scale(5)
    o[2] = nothing(5)
    o[3] = ONE * 100 + TWO
# CHECK: o = [7, 15, 0, 1020]

# @cuda.reduce makes one launch of a function of two values, whatever the size; `init` is joined too, as in Numba.
# RUN: %kernc run %s total x=arange:f64:1000000 --print res --print turn | %FileCheck --check-prefix=TOTAL %s
# TOTAL: res = [499999500000.0]
# TOTAL: turn = [0]
# RUN: %kernc run %s total x=arange:i32:10 init=100 --print res | %FileCheck --check-prefix=INIT %s
# INIT: res = [145]
# RUN: %kernc run %s total x=arange:i32:257 --print res | %FileCheck --check-prefix=EDGE %s
# EDGE: res = [32896]
# RUN: %kernc run %s total x=zeros:i32:0 init=7 --print res | %FileCheck --check-prefix=EMPTY %s
# EMPTY: res = [7]
# RUN: %kernc run %s most x=[-3,-2,-7] init=-1000 --print res | %FileCheck --check-prefix=MOST %s
# MOST: res = [-2]
# RUN: %kernc run %s total x=arange:i64:5000 res=zeros:i64:1 turn=zeros:i32:1 --grid 3 --print res | %FileCheck --check-prefix=GRID %s
# GRID: res = [12497500]
# RUN: not %kernc run %s total x=ones:f32:2x2 2>&1 | %FileCheck --check-prefix=AXES %s
# AXES: error[E0827]: argument `x=ones:f32:2x2`: a reduction takes an array of one axis
# RUN: %kernc %s --sig 'total(float32[::1], float32[:], float32, int32[:])' -o - --emit=ptx | %FileCheck --check-prefix=PTX %s
# PTX: .entry total
# RUN: %kernc run %s product x=[2,3,4] init=1 --print res | %FileCheck --check-prefix=PRODUCT %s
# PRODUCT: res = [24]
# RUN: %kernc run %s make.inner x=arange:i32:10 --print res | %FileCheck --check-prefix=INNER %s
# INNER: res = [45]
from numba import cuda


@cuda.reduce
def total(a, b):
    return a + b


def larger(a, b):
    return a if a > b else b


most = cuda.Reduce(larger)


product = cuda.Reduce(lambda a, b: a * b)


def make():
    @cuda.reduce
    def inner(a, b):
        return a + b
    return inner

# Of several signatures of a generated kernel the one counts that has the types of the inputs, the last of those for the same ones; what none
# of `@cuda.jit` can have is an error.
# RUN: %kernc run %s truth x=[0.0,0.5,nan] --print out | %FileCheck --check-prefix=TRUTH %s
# TRUTH: out = [False, True, True]
# RUN: %kernc run %s product x=int8:[[127,125,123,121,119]] --print r | %FileCheck --check-prefix=PRODUCT %s
# PRODUCT: r = [28115847375.0]
# RUN: %kernc run %s product x=i16:[[2,3]] --print r | %FileCheck --check-prefix=FIRST %s
# FIRST: r = [6.0]
# RUN: %kernc run %s one_each x=i32:[1,2,3,4] y=i32:[2] --print res | %FileCheck --check-prefix=ONE %s
# ONE: res = {{\[}}[3, 4, 5, 6]]
# RUN: %kernc run %s one_each x=i32:[[1,2],[3,4]] y=i32:[2,5] --print res --lanes=32 | %FileCheck --check-prefix=EACH %s
# EACH: res = {{\[}}[3, 4], [8, 9]]
# RUN: %kernc run %s last x=f64:[7.0] --print out | %FileCheck --check-prefix=LAST %s
# LAST: out = [7]
# RUN: %kernc run %s inferred x=i16:[1] --print out | %FileCheck --check-prefix=INFERRED %s
# INFERRED: out = [0.5]
# RUN: %kernc %s --emit=ir -o - | %FileCheck --check-prefix=TYPES %s
# TYPES-DAG: kernel inferred(x: i16[:], out: f64[:])
# TYPES-DAG: kernel one_each(x: i32[:, :], y: i32[:, :], res: i32[:, :])
import numba
from numba import guvectorize, int16, vectorize


@vectorize(['boolean(float64)'], target='cuda')
def truth(x):
    return x


@guvectorize(['void(float32[:], float32[:])', 'void(i1[:], f8[:])'], '(n)->()', target='cuda')
def product(x, r):
    s = 1
    for i in range(x.shape[0]):
        s = s * x[i]
    r[0] = s


@guvectorize(['void(int32[:],int32[:],int32[:])'], '(n),()->(n)', target='cuda')
def one_each(x, y, res):
    for i in range(x.shape[0]):
        res[i] = x[i] + y[0]


@vectorize([numba.f4(numba.f8), numba.i4(numba.f8)], target='cuda')
def last(x):
    return x


@vectorize([(int16,)], target='cuda')
def inferred(x):
    return x / 2

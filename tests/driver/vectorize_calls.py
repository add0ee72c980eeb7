# `@vectorize` and `@guvectorize` as calls, by names of them and of what they are given.
# RUN: %kernc run %s third x=arange:f64:3 --print out | %FileCheck --check-prefix=THIRD %s
# THIRD: out = [0.0, 0.33333334, 0.6666667]
# RUN: %kernc run %s more x=arange:i32:3 --print out | %FileCheck --check-prefix=MORE %s
# MORE: out = [2, 3, 4]
# RUN: %kernc run %s total x=arange:f64:2x4 --print sum | %FileCheck --check-prefix=TOTAL %s
# TOTAL: sum = [6.0, 22.0]
# RUN: %kernc run %s named x=arange:i32:3 --print out | %FileCheck --check-prefix=MORE %s
# RUN: %kernc %s --emit=ir -o - | %FileCheck --check-prefix=TYPES %s
# TYPES-DAG: kernel third(x: f64[:], out: f32[:])
# TYPES-DAG: kernel total(x: f64[:, :], sum: f64[:])
from numba import guvectorize, types, vectorize

signatures = ['f4(f8)', 'int32(int32)']
by_elements = vectorize(signatures, target='cuda')
layout = '(n)->()'


def thirds(x):
    return x / 3


third = vectorize(['float32(float64)'], target='cuda')(thirds)
more = by_elements(lambda x: x + 2)


def sums(x, sum):
    sum[0] = 0
    for i in range(x.shape[0]):
        sum[0] += x[i]


total = guvectorize([(types.f8[:], types.f8[:])], layout, target='cuda')(sums)


@by_elements
def named(x):
    return x + 2

# Functions of @vectorize and @guvectorize inside of others are kernels by their paths; the imports of the file count.
# RUN: %kernc run %s make.add a=arange:f32:3 b=[10,20,30] --print out | %FileCheck %s
# CHECK: out = [10.0, 21.0, 32.0]
# RUN: %kernc run %s make.sums a=arange:f32:2x3 --print out | %FileCheck --check-prefix=ROWS %s
# ROWS: out = [3.0, 12.0]
from numba import cuda, vectorize, guvectorize


def make():
    @vectorize(['float32(float32, float32)'], target='cuda')
    def add(a, b):
        return a + b

    @guvectorize(['void(float32[:], float32[:])'], '(n)->()', target='cuda')
    def sums(a, out):
        out[0] = 0
        for i in range(a.size):
            out[0] += a[i]
    return add, sums


# RUN: %kernc run %s Model.add a=arange:f32:3 b=ones:f32:3 --print out | %FileCheck --check-prefix=ADD %s
# RUN: %kernc run %s Model.shift a=arange:f32:3 b=zeros:f32:3 --print b | %FileCheck --check-prefix=SHIFT %s
# RUN: %kernc run %s Model.total arange:f32:5 --print res | %FileCheck --check-prefix=TOTAL %s
# RUN: %kernc run %s Model.product arange:f32:5 init=1 --print res | %FileCheck --check-prefix=PRODUCT %s
# Functions of a class that become kernels by `@vectorize`, `@guvectorize` and `cuda.reduce`.
from numba import cuda, guvectorize, vectorize


class Model:
    step = 99

    @staticmethod
    @vectorize(["float32(float32, float32)"], target="cuda")
    def add(a, b):
        return a + b

    @guvectorize(["(float32[:], float32[:])"], "(n)->(n)", target="cuda")
    def shift(a, b):
        for i in range(a.shape[0]):
            b[i] = a[i] + 2

    total = cuda.reduce(lambda a, b: a + b)

    @cuda.reduce
    def product(a, b):
        return max(a, b)


# ADD: out = [1.0, 2.0, 3.0]
# SHIFT: b = [2.0, 3.0, 4.0]
# TOTAL: res = [10.0]
# PRODUCT: res = [4.0]

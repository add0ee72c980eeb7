# RUN: %kernc run %s map_test.call -D map_test.cuda=numba.cuda -D map_test.np=numpy out=zeros:f64:4 a=arange:f64:4 --grid 1 --block 4 --print out | %FileCheck %s
# RUN: %exits 1 %kernc run %s map_test.call out=zeros:f64:4 a=arange:f64:4 --grid 1 --block 4 2>&1 | %FileCheck --check-prefix=GIVE %s
# A module that the function around a kernel is given, as teaching notebooks do it; the error writes it.
import numba
import numpy as np
from numba import cuda


def map_test(cuda, np):
    def call(out, a) -> None:
        # GIVE: [[@LINE+1]]:13: error[E0420]: {{.*}}give it with `-D map_test.cuda=numba.cuda`
        i = cuda.threadIdx.x
        # GIVE: [[@LINE+1]]:25: error[E0420]: {{.*}}give it with `-D map_test.np=numpy`
        out[i] = a[i] + np.float32(10)

    return call


problem = cuda.jit(map_test(numba.cuda, np))
# CHECK: out = [10.0, 11.0, 12.0, 13.0]

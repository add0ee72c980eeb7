# RUN: %kernc %s --sig 'f(float32[:])' -D SIZE=3 --emit=ir | %FileCheck %s
# -D gives a value that only Python computes.
import os
from numba import cuda

SIZE = len(os.listdir("."))

def make(scale):
    @cuda.jit
    def inner(x):
        x[0] = scale

@cuda.jit
def f(x):
    x[0] = SIZE
# CHECK: store x[0] = 3.0

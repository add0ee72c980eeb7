# Signatures of a list that Python makes, or that another file has, count one by one.
# RUN: mkdir -p %t && cp %s %t/k.py && echo "from numba import *; BOTH = ['f4(f4)', 'f8(f8)']; ONE = void(float32[::1])" > %t/kinds.py
# RUN: %kernc %t/k.py --emit=ir -o - | %FileCheck %s
# CHECK-DAG: (x: f32[:], out: f32[:])
# CHECK-DAG: (x: f64[:], out: f64[:])
# CHECK-DAG: (y: u8[:])
# CHECK-DAG: (y: u16[:])
# CHECK-DAG: (z: f32[::1])
from kinds import BOTH, ONE
from numba import cuda, vectorize


@vectorize(BOTH, target='cuda')
def doubled(x):
    return x + x


@cuda.jit(['void(u1[:])'] + ['void(u2[:])'])
def added(y):
    y[0] = 1


@cuda.jit(ONE)
def imported(z):
    z[0] = 1

# RUN: %kernc %s --sig 'f(float64[:])' --emit=ir | %FileCheck %s
# A name is what the last statement made of it that ran before: constants are evaluated in the order of the file.
from numba import cuda

M = 4
N = M
M = 5
N += 1
A, (B, C) = 1, (2, 3)
A, B = B, A
D = E = 6
E *= 2
try:
    G = 2
except ImportError:
    G = 3

def size(n):
    return n

def size(n):
    return n + 100

@cuda.jit(device=True)
def given(v=D):
    return v

D = 7

@cuda.jit
def f(x):
    x[0] = N
    x[1] = M
    x[2] = A * 10 + B
    x[3] = E
    x[4] = G
    x[5] = size(1)
    x[6] = given()
    x[7] = D
# CHECK: store x[0] = 5.0
# CHECK: store x[1] = 5.0
# CHECK: store x[2] = 21.0
# CHECK: store x[3] = 12.0
# CHECK: store x[4] = 2.0
# CHECK: call size$i64(1)
# CHECK: call given$i64(6)
# CHECK: store x[7] = 7.0
# CHECK: = n + 100

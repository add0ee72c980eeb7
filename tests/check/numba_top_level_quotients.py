# RUN: %kernc run %s k o=zeros:float64:7 --grid 1 --block 1 --print o | %FileCheck %s
# `/` of two integers at the top level is rounded once, however long they are, as Python does it.
from numba import cuda

A = 9007199254740993 / 3
B = 4611686018427387905 / 4611686018427387904
C = (2**62 + 1) / 3**20
D = (2**100 + 1) / 2**40
E = 1 / (2**53 + 1)
F = 0 / -5
G = -(2**63) / (2**62 - 1)

@cuda.jit
def k(o):
    o[0] = A
    o[1] = B
    o[2] = C
    o[3] = D
    o[4] = E
    o[5] = 1.0 / F
    o[6] = G

# CHECK: o = [3002399751580331.0, 1.0, 1322618633.1178863, 1.152921504606847e+18, 1.1102230246251564e-16, -inf, -2.0]

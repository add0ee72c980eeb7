# A set that allows all of Kern's fast math is fastmath=True; one that allows less leaves the kernel exact.
# RUN: %kernc %s -Wno-race -Wno-option --emit=ptx -o - | %FileCheck %s
from numba import cuda

# CHECK-LABEL: .entry whole(
# CHECK: div.approx
@cuda.jit('void(float32[:])', fastmath={'fast'})
def whole(x):
    x[0] = x[1] / x[2]

# CHECK-LABEL: .entry every(
# CHECK: div.approx
@cuda.jit('void(float32[:])', fastmath={'reassoc', 'nsz', 'arcp', 'contract', 'afn'})
def every(x):
    x[0] = x[1] / x[2]

# CHECK-LABEL: .entry part(
# CHECK: div.rn
@cuda.jit('void(float32[:])', fastmath={'nnan', 'contract'})
def part(x):
    x[0] = x[1] / x[2]

# CHECK-LABEL: .entry none(
# CHECK: div.rn
@cuda.jit('void(float32[:])', fastmath=False)
def none(x):
    x[0] = x[1] / x[2]

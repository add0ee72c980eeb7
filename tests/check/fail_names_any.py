# RUN: %exits 1 %kernc %s --sig 'f(float64[:])' 2>&1 | %FileCheck %s
# RUN: %kernc %s --sig 'f(float64[:])' -D N=1 -D M=2 --emit=ir | %FileCheck --check-prefix=GIVEN %s
# Code that binds names by texts may bind each of the file, but for those that -D gives; why others are not known stays as it is.
import sys

from numba import cuda

N = 3
M = sys.argv
globals()["N"] = 4


@cuda.jit
def f(x):
    x[0] = N
    # CHECK: :[[#@LINE-1]]:12: error[E0403]: `N` is a value of the host that kernc cannot compute; give it with `-D N=VALUE`
    # CHECK: :10:1: note: `N` may be bound here, by code that kernc does not run
    # GIVEN: store x[0] = 1.0
    x[0] = M
    # CHECK: error[E0403]: `M`
    # CHECK: :9:1: note: `M` is defined here
    # GIVEN: store x[0] = 2.0

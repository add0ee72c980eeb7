# RUN: %exits 1 %kernc %s --sig 'f(float64[:])' 2>&1 | %FileCheck %s
# RUN: %kernc %s --sig 'g(float64[:])' --sig 'f(float64[:])' -D N=2 --emit=ir | %FileCheck --check-prefix=OTHER %s
# Numba keeps what a name is at a kernel's first launch: one that is bound again behind it is a value of the host.
from numba import cuda

N = 1

@cuda.jit(device=True)
def read():
    return N

@cuda.jit
def f(x):
    x[0] = read()

def main():
    f[1, 1](None)

M = 1
main()
M = 2
N = 2

@cuda.jit
def g(x):
    x[0] = M
# CHECK: :10:12: error[E0403]: `N` is a value of the host
# CHECK: :22:1: note: `N` is bound again here, where a kernel that reads it may have been compiled with what it was before
# OTHER: kernel g
# OTHER: store x[0] = 2.0

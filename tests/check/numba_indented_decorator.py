# RUN: %kernc check %s 2>&1 | count 0
# What a block does not bind has no entry in the file: a function behind it is the first of its name. Lines that Python would refuse
# belong to the host here.
from numba import cuda

     @cuda.jit
def f(x):
    x[0] = 1.0

@cuda cuda.jit
def g(x):
    x[0] = 1.0

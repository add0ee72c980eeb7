# RUN: %exits 1 %kernc check %s --sig 'k(int32[:])' 2>&1 | %FileCheck %s
# Threads do not meet in a function that calls itself, nor in one that it calls.
from numba import cuda


@cuda.jit(device=True)
def wait():
    cuda.syncthreads()


@cuda.jit(device=True)
def total(n):
    wait()
    return 0 if n < 1 else n + total(n - 1)


@cuda.jit
def k(x):
    x[0] = total(x[1])


# CHECK: fail_recursion_meeting.py:8:5: error[E0452]: `syncthreads` is called in `total`, which calls itself: threads cannot meet there
# CHECK: fail_recursion_meeting.py:12:5: note: `total` is defined here

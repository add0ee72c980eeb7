# A module of Python's own lies in no folder that `-I` could name: what a kernel uses of it is given.
# RUN: %exits 1 %kernc check %s --sig 'k(float32[:])' 2>&1 | %FileCheck %s
from functools import reduce
from settings import N
from sys import maxsize

from numba import cuda


@cuda.jit
def k(x):
    x[0] = reduce(max, (1, 2))
    # CHECK: error[E0467]: `reduce` comes from `functools`, a module of Python's own, which kernc does not read: give it with `-D reduce=FILE.py:FUNCTION`
    x[1] = maxsize
    # CHECK: error[E0467]: `maxsize` comes from `sys`, a module of Python's own, which kernc does not read: give it with `-D maxsize=VALUE`
    x[2] = N
    # CHECK: error[E0467]: `N` comes from `settings`, which kernc does not find: name its folder with `-I`, or give it with `-D N=VALUE`

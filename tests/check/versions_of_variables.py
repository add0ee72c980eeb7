# A variable that is assigned again has a type of its own there, as far as no statement may read both values, as in Numba:
# arrays of other ranks, arrays and numbers, tuples, integers and floats.
# RUN: %kernc run %s ranks a=arange:f32:3x2 o=zeros:f32:1 --grid 1 --block 1 --print o | %FileCheck --check-prefix=RANKS %s
# RUN: %kernc run %s kinds x=[1,2,3,4] n=3 --grid 1 --block 1 --print x | %FileCheck --check-prefix=KINDS %s
# RUN: %kernc run %s loops x=ones:f64:4 --grid 1 --block 1 --print x | %FileCheck --check-prefix=LOOPS %s
# RUN: %kernc run %s meets x=ones:f64:2 n=5 --grid 1 --block 1 --print x | %FileCheck --check-prefix=MEETS %s
# RUN: %exits 1 %kernc check %s --sig 'both(float64[:], int64)' 2>&1 | %FileCheck --check-prefix=BOTH %s
import numpy as np
from numba import cuda


@cuda.jit
def ranks(a, o):
    for i in range(2):
        a = a.reshape(6)
        a[i] += 1
        a = a.reshape(3, 2)
    o[0] = a[0, 0] + a[0, 1] + a[2, 1]
# RANKS: o = [8.0]


@cuda.jit
def kinds(x, n):
    t = 1
    x[0] += t
    t = x
    t[1] += 1
    t = (n, 2.5)
    x[2] += t[1]
    t = n & 1
    x[3] += t << 3
# KINDS: x = [2{{(.0)?}}, 3{{(.0)?}}, 5{{(.5)?}}, 12{{(.0)?}}]


@cuda.jit
def loops(x):
    s = np.uint32(2)
    for i in range(s):
        x[i] = 2
    for i in range(s, 4):
        x[i] = 3
    for i in x:
        x[0] += i
        if i > 2:
            break
    else:
        i = 7
    i = 1
    x[i] = 9
# LOOPS: x = [9.0, 9.0, 3.0, 3.0]


@cuda.jit
def meets(x, n):
    t = 1
    if n > 3:
        t = 2.5
    x[0] = t / 2
    t = n & 1
    x[1] = t & 3
# MEETS: x = [1.25, 1.0]


@cuda.jit
def both(x, n):
    t = x
    if n > 3:
        t = x[1]
    x[0] = t
# BOTH: error[E0329]: `t` gets

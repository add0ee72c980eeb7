# A name is another variable behind each assignment: what it was where an array was made may be a constant.
# RUN: %kernc run %s shared_one a=ones:f32:20 n=9 --block 32 --grid 1 --print a[7:11] | %FileCheck --check-prefix=SHARED %s
# SHARED: = [2.0, 2.0, 1.0, 1.0]
# RUN: %kernc run %s local_one a=zeros:f32:2 n=5 --print a | %FileCheck --check-prefix=LOCAL %s
# LOCAL: a = [5.0, 5.0]
# RUN: %kernc run %s pair a=zeros:f32:2 n=5 --print a | %FileCheck --check-prefix=PAIR %s
# PAIR: a = [10.0, 10.0]
# RUN: %kernc run %s behind a=zeros:f32:2 n=5 --print a | %FileCheck --check-prefix=BEHIND %s
# BEHIND: a = [17.0, 17.0]
# RUN: %kernc run %s made a=zeros:f32:2 n=5 --print a | %FileCheck --check-prefix=MADE %s
# MADE: a = [9.0, 9.0]
import numpy as np
from numba import cuda, float32

N = 16


@cuda.jit
def shared_one(a, n):
    m = N
    s = cuda.shared.array(m, float32)
    m = min(n, m)
    i = cuda.grid(1)
    if i < a.size and i < m:
        s[i] = a[i]
        a[i] = s[i] * 2


@cuda.jit
def local_one(a, n):
    m = N
    s = cuda.local.array(m, float32)
    for j in range(m):
        s[j] = j
    m = 0
    for j in range(n):
        m += 1
    i = cuda.grid(1)
    if i < a.size:
        a[i] = s[m]


@cuda.jit
def pair(a, n):
    shape = (4, 4)
    s = cuda.local.array(shape, float32)
    shape = (n, n)
    s[1, 1] = 5
    i = cuda.grid(1)
    if i < a.size:
        a[i] = s[1, 1] + shape[0]


@cuda.jit
def behind(a, n):
    m = N
    k = m + 1
    s = cuda.local.array(k, float32)
    m = n
    i = cuda.grid(1)
    if i < a.size and m < k:
        a[i] = s.size


@cuda.jit
def made(a, n):
    m = 4
    s = np.zeros(m, np.float32)
    m = n
    i = cuda.grid(1)
    if i < a.size:
        a[i] = s.size + m

# RUN: %exits 1 %kernc %s --sig 'f(float32[:])' 2>&1 | %FileCheck %s
# A value of the host is an error where a kernel needs it: E0403. The note writes the -D.
import os
from numba import cuda
from scipy import constants

N = len(os.listdir("."))

@cuda.jit
def f(x):
    x[0] = N
    x[1] = constants.g
    x[2] = missing
# CHECK: :11:12: error[E0403]: `N` is a value of the host that kernc cannot compute; give it with `-D N=VALUE`
# CHECK: :7:1: note: `N` is defined here
# CHECK: :12:12: error[E0467]: `constants` comes from `scipy`, which kernc does not find: name its folder with `-I`, or give it with `-D constants=VALUE`
# CHECK: :5:19: note: `constants` is imported from `scipy` here
# CHECK: :13:12: error[E0401]: `missing` is not defined
# CHECK: note: a value that only Python computes is given as `-D missing=VALUE`

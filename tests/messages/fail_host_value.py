# What only Python computes is given on the command line.
# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
import numpy as np
from numba import cuda

data = np.load("weights.npy")
count = len(data) + 1


@cuda.jit("void(float32[:])")
def k(x):
    x[0] = data[0]
    x[1] = count


# CHECK: fail_host_value.py:12:12: error[E0403]: `data` is a value of the host that kernc cannot compute; give it with `-D data=VALUE`
# CHECK: fail_host_value.py:6:1: note: `data` is defined here
# CHECK: fail_host_value.py:13:12: error[E0403]: `count` is a value of the host that kernc cannot compute; give it with `-D count=VALUE`
# CHECK: fail_host_value.py:7:1: note: `count` is defined here

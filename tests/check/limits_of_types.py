# RUN: %kernc run %s k x=zeros:f32:1 o=zeros:f64:12 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %exits 1 %kernc check %s --sig 'wrong(float64[:])' 2>&1 | %FileCheck --check-prefix=WRONG %s
# `np.finfo` and `np.iinfo`, at the top level and in kernels: limits of floats are of their type, those of integers numbers of Python.
import numpy as np
from numba import cuda

EPSILON = np.finfo(np.float32).eps
MOST = np.iinfo(np.int16).max
HUGE = np.finfo("f8").max


@cuda.jit
def k(x, o):
    o[0] = EPSILON
    o[1] = MOST
    o[2] = HUGE
    o[3] = np.finfo(x.dtype).max
    o[4] = np.iinfo(np.int32).min - 1
    o[5] = np.finfo(np.float32).tiny
    o[6] = np.finfo(np.float64).bits
    o[7] = np.iinfo(np.uint8).bits
    o[8] = np.finfo(float).eps
    o[9] = np.finfo(np.float32).max * np.float32(2)


@cuda.jit
def wrong(o):
    o[0] = np.finfo(np.int32).max


# CHECK: o = [1.1920928955078125e-07, 32767.0, 1.7976931348623157e+308, 3.4028234663852886e+38, -2147483649.0, 1.1754943508222875e-38, 64.0, 8.0, 2.220446049250313e-16, inf, 0.0, 0.0]
# WRONG: error[E0324]: `np.finfo` takes a type of floats

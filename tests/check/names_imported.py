# RUN: %kernc %s -I %S/Inputs/names --sig 'f(float64[:])' --emit=ir | %FileCheck %s
# Imports bind names in the order of the file: star imports, guarded ones, packages; modules have any alias.
import math as m
import math
import numpy as num
import numba.cuda as device
from math import *

N = _hidden = e = 1
M = 2
from cfg import *
try:
    from cfg import N as GUARDED
except ImportError:
    GUARDED = 1
import package
from package import scale, core, SIZE

jit = device.jit
alias = math

@jit
def f(x):
    x[0] = N
    x[1] = M
    x[2] = GUARDED
    x[3] = _hidden
    x[4] = e
    x[5] = m.pi + alias.tau + num.pi
    x[6] = SIZE + core.FACTOR + package.core.FACTOR
    x[7] = scale(1)
    x[8] = m.floor(2.5)
# CHECK: store x[0] = 6.0
# CHECK: store x[1] = 4.0
# CHECK: store x[2] = 6.0
# CHECK: store x[3] = 1.0
# CHECK: store x[4] = 1.0
# CHECK: store x[5] = 12.56
# CHECK: store x[6] = 7.0
# CHECK: call scale$i64(1)

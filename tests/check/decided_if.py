# RUN: %kernc run %s k o=zeros:f64:6 --grid 1 --block 1 --print o | %FileCheck %s
# There is no simulator and no type checker where a kernel is compiled: an `if` that asks for them is decided. Imports in other blocks
# count where nothing else binds their names.
from typing import TYPE_CHECKING
from numba import cuda
from numba.cuda import config

if config.ENABLE_CUDASIM:
    bpg, tpb = 2, 8
else:
    bpg, tpb = 50, 32

if not config.ENABLE_CUDASIM:
    from numba.cuda.bf16 import bfloat16
    EXTRA = 3
else:
    EXTRA = 4

if not TYPE_CHECKING:
    if not cuda.config.ENABLE_CUDASIM:
        INNER = 7

if TYPE_CHECKING:
    EXTRA = "never"

if cuda.is_available():
    from math import sqrt
    from numba.cuda.misc.special import literal_unroll

n = bpg * tpb
SM_SIZE = tpb, tpb
pair = (1, 2.5)


@cuda.jit
def k(o):
    o[0] = n
    o[1] = SM_SIZE[1]
    o[2] = bfloat16(1.5)
    o[3] = EXTRA
    o[4] = INNER + sqrt(4.0)
    for each in literal_unroll(pair):
        o[5] += each


# CHECK: o = [1600.0, 32.0, 1.5, 3.0, 9.0, 3.5]

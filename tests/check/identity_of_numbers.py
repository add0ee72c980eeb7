# RUN: %kernc run %s k y=[2.0] o=zeros:i64:7 --grid 1 --block 1 --print o | %FileCheck %s
# As in Numba `is` of two numbers of one type says whether they are equal, and of different types False.
from enum import IntEnum
from numba import cuda


class Color(IntEnum):
    RED = 1
    GREEN = 2


@cuda.jit
def k(y, o):
    big = y[0] > 1
    o[0] = big is True
    o[1] = big is not True
    o[2] = Color.RED is Color.RED
    o[3] = Color.RED is Color.GREEN
    o[4] = y[0] is 2
    o[5] = y[0] is y[0]
    if big is False:
        o[6] = 1


# CHECK: o = [1, 0, 1, 0, 0, 1, 0]

# RUN: %kernc run %s zeros:float64:20 ones:int64:4 --grid=1 --block=1 --print o --print x 2>&1 | %FileCheck %s
# What stands outside of functions is Python's: integers are exact, math.floor and round give one, NumPy's numbers compute in their type.
import math
import numpy as np
from numba import cuda

CEILING = math.ceil(2.5)
LARGE = 9007199254740993
MASK = (1 << 64) - 1
CONGRUENT = (6364136223846793005 * 1442695040888963407 + 1) % 2**64
HALF = 5 / 2
NEGATIVE = -7 // 2
QUOTIENT = -2.0 // math.inf
THIRD = np.float32(0.1) * 7
WRAPPED = np.uint8(200) + np.uint8(100)
WIDER = np.int8(100) + np.int16(100)
ROUNDED = round(2.675, 2)
WHOLE = round(3.5)
FIRST = min(math.nan, 1.0)
EXACT = 9007199254740993 > 9007199254740992.0
ROOT = int(math.sqrt(50))
FLOAT = np.floor(2.5)

@cuda.jit
def k(o, x):
    o[0] = CEILING
    x[0] = LARGE * CEILING
    x[1] = MASK >> 1
    x[2] = CONGRUENT >> 1
    o[1] = HALF
    o[2] = NEGATIVE
    o[3] = QUOTIENT
    o[4] = THIRD
    o[5] = WRAPPED
    o[6] = WIDER
    o[7] = ROUNDED
    x[3] = WHOLE * 9007199254740993
    o[8] = FIRST
    o[9] = EXACT
    o[10] = ROOT
    o[11] = FLOAT
    o[12] = -2.0 // math.inf
    o[13] = -2.0 % math.inf
    o[14] = -1 >> 70
    o[15] = 1 / 0
    o[16] = 7 // 0
    o[17] = 1.0 / 0.0
    o[18] = LARGE * 4096
    o[19] = (0x8000000000000000 >> 1) / 4611686018427387904
# CHECK-COUNT-3: warning[W0710]
# CHECK: o = [3.0, 2.5, -4.0, -1.0, 0.699999988079071, 44.0, 200.0, 2.67, nan, 1.0, 7.0, 2.0, nan, nan, -1.0, inf, 0.0, inf, 4096.0, 1.0]
# CHECK: x = [27021597764222979, 9223372036854775807, 216657981459756530, 36028797018963972]

# RUN: %kernc run %s k r=zeros:f64:8 --grid 1 --block 1 --print r | %FileCheck %s
# A type of NumPy makes an array of a list, and Numba's own module has the types of arrays.
# CHECK: r = [6.0, 10.0, 4.0, 1.0, 2.0, 300.0, 2.0, 44.0]
# RUN: %kernc run %s records r=ones:i64:3 --grid 1 --block 1 --print r | %FileCheck --check-prefix=RECORDS %s
# RECORDS: r = [3735928559, 4, 0]
import numpy as np
from numba import cuda, literal_unroll
from numba.cuda.np import numpy_support as nps

CASES = (np.float64([1, 2, 3]), np.float32([[1.0, 2.0], [3.0, 4.0]]), np.float64([4.0, 0.0])[::-1])
WIDE = np.int64((300, 2))
dtype = nps.from_dtype(WIDE.dtype)
BYTES = np.uint8(np.array([300, 2]).astype(np.int64) - 256)


@cuda.jit
def k(r):
    i = 0
    for case in literal_unroll(CASES):
        r[i] = np.sum(case)
        i += 1
    r[3] = CASES[1][0, 0]
    r[4] = CASES[0][1]
    s = cuda.local.array(2, dtype)
    s[0] = WIDE[0]
    s[1] = WIDE[1]
    r[5] = s[0]
    r[6] = s[1]
    r[7] = BYTES[0]


FIELDS = np.dtype(dtype=[("a", np.uint8), ("y", np.uint32)], align=True)
RECORDS = np.array([(1, 0xDEADBEEF), (4, 5)], dtype=FIELDS)
NONE = np.array([], dtype=[("x", float), ("y", int)])


@cuda.jit
def records(r):
    z = cuda.const.array_like(RECORDS)
    r[0] = z[0]["y"]
    r[1] = z[1]["a"]
    r[2] = len(cuda.const.array_like(NONE))

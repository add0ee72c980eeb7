# Arrays of records at the top level, indexed as they are and through const.array_like; packed, nested, with arrays, of several axes.
# RUN: %kernc %s -o %t.ptx
# RUN: %kernc run %s k o=zeros:f64:2x5 --grid 1 --block 2 --print o | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:2x5 --grid 1 --block 2 --print o --lanes=1 -O0 | %FileCheck %s
# CHECK{LITERAL}: o = [[1.5, 2.0, 9.0, 4.0, 1.0], [5.25, -6.0, 8.0, 4.0, 1.0]]
import numpy as np
from numba import cuda

inner = np.dtype([('flag', np.bool_), ('h', np.float16)])
t = np.dtype([('x', np.float32), ('n', np.int16), ('pos', np.float64, (2,)), ('in', inner)])
table = np.array([(1.5, 2, (3, 9), (True, 4)), (5.25, -6, (7, 8), (False, 2))], dtype=t)
grid = np.array([[(1, 0.5), (2, 0.5)], [(3, 0.5), (4, 0.5)]], dtype=[('n', 'i4'), ('y', 'f4')])


@cuda.jit('void(float64[:, :])')
def k(o):
    i = cuda.threadIdx.x
    c = cuda.const.array_like(table)
    o[i, 0] = table[i].x
    o[i, 1] = c[i]['n']
    o[i, 2] = c[i].pos[1]
    o[i, 3] = table[0]['in'].h
    o[i, 4] = grid[i, 1]['y'] + grid['y'][i, i]

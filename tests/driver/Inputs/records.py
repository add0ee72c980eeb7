import numpy as np
from numba import cuda, from_dtype

inner = np.dtype([('v', np.float64), ('m', np.int16)])
packed = np.dtype([('tag', np.uint8), ('x', np.float32), ('in', inner)])
aligned = np.dtype([('tag', np.uint8), ('x', np.float32), ('pos', np.float64, (3,))], align=True)


@cuda.jit((from_dtype(packed)[:], from_dtype(aligned)[:, :]))
def k(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i].x *= np.float32(2)
        r = a[i]['in']
        r.v += a[i].x
        r['m'] = -3
        a[i]['tag'] = i
        b[i // 2, i % 2].pos[1] = 7
        b['x'][i // 2, i % 2] = i

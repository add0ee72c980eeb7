# Structured dtypes of NumPy: packed and aligned ones, nested, with arrays; fields by attribute and by item; a name refers to the record of the array.
# RUN: %kernc %s -o %t.ptx
# RUN: %kernc --emit=ir %s | %FileCheck %s
# CHECK: kernel k(a: packed[:], b: aligned[:], o: f64[:, :])
# CHECK: store a[i, 1] = 0
import numpy as np
from numba import cuda, from_dtype

packed = np.dtype([('tag', np.uint8), ('x', np.float32), ('n', 'i4'), ('y', np.float64)])
inner = np.dtype([('u', np.int16), ('v', np.float64)], align=True)
aligned = np.dtype([('pos', np.float32, (3,)), ('in', inner), ('id', np.uint32)], align=True)


@cuda.jit(device=True)
def change(r):
    r.id = 6


@cuda.jit((from_dtype(packed)[:], from_dtype(aligned)[:], 'float64[:, :]'))
def k(a, b, o):
    i = cuda.grid(1)
    if i < a.size:
        a[i].tag = i
        a[i]['x'] = 3.5
        a[i].n = -7
        a[i]['y'] += 2.5
        o[i, 0] = a[i]['tag']
        o[i, 1] = a[i].x
        o[i, 2] = a[i]['n']
        o[i, 3] = a[i].y
        r = b[i]
        r['in'].v = 5
        r.pos[1] = 3
        change(r)
        o[i, 4] = b[i]['in']['v'] + b['pos'][i, 1]
        o[i, 5] = b.id[i]

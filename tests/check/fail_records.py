# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s --implicit-check-not=error
# Structured dtypes that describe no memory, and what records and named tuples do not have.
from collections import namedtuple

import numpy as np
from numba import cuda, from_dtype

packed = np.dtype([('tag', np.uint8), ('x', np.float32)])
overlaid = np.dtype({'names': ['x', 'y'], 'formats': ['f8', 'f4'], 'offsets': [0, 4]})
Point = namedtuple('Point', 'x y')


@cuda.jit('void(float32[:])')
def types(out):
    out[0] = np.dtype([('x', np.float32), ('x', np.int32)]).itemsize
    out[1] = np.dtype([('x', 'f4'), ('name', 'O')]).itemsize
    out[2] = overlaid.itemsize


@cuda.jit((from_dtype(packed)[:],))
def fields(a):
    a[0].y = 1.0
    a[0]['z'] = 1.0
    cuda.atomic.add(a['x'], 0, 1)


@cuda.jit('void(float32[:])')
def points(out):
    p = Point(out[0], out[1])
    p.x = 1.0
    out[0] = p.x


@cuda.jit((from_dtype(packed), 'float32[:]'))
def by_value(p, out):
    p.x = 1.0
    p['tag'] += 1
    out[0] = p.x


# CHECK: :15:14: error[E0432]: the field `x` is there twice
# CHECK: :16:46: error[E0434]: `O` is no type of a field: an object of Python has no place in a kernel
# CHECK: :9:12: error[E0435]: the field `y` at byte 4 overlaps `x`
# CHECK: :22:5: error[E0430]: `packed` has no field `y`
# CHECK: note: it has `tag`, `x`
# CHECK: :23:5: error[E0430]: `packed` has no field `z`
# CHECK: note: it has `tag`, `x`
# CHECK: :24:21: error[E0437]: `a['x']` is no array for `atomic.add`: its elements are not aligned
# CHECK: :30:5: error[E0439]: a `Point` is a tuple, whose elements do not change
# CHECK: :36:5: error[E0443]: `p` is a record by value, whose fields do not change
# CHECK: :37:5: error[E0443]: `p` is a record by value, whose fields do not change

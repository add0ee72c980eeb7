# RUN: %exits 4 %kernc run %s shape --grid=1 --block=1 m=arange:f32:2x3 n=4 2>&1 | %FileCheck %s --check-prefix=SHAPE
# RUN: %exits 4 %kernc run %s shape --grid=1 --block=1 m=zeros:f32:0x3 n=4294967296 2>&1 | %FileCheck %s --check-prefix=SHAPE
# RUN: %exits 4 %kernc run %s shape --grid=1 --block=1 m=zeros:f32:2x3 n=-2 2>&1 | %FileCheck %s --check-prefix=SHAPE
# RUN: %exits 4 %kernc run %s dense --grid=1 --block=1 m=arange:f32:2x3 2>&1 | %FileCheck %s --check-prefix=DENSE
# RUN: %exits 4 %kernc run %s item --grid=1 --block=1 m=arange:f32:2x3 2>&1 | %FileCheck %s --check-prefix=ITEM
# RUN: %kernc run %s item --grid=1 --block=1 m=arange:f32:1x1
# What only the run shows of other forms: a shape of another number of elements, also where the product of its extents wraps, elements that
# do not lie one behind the other, and `item()` of several.
from numba import cuda


@cuda.jit
def shape(m, n):
    m.reshape(n, n)[0, 0] = 1


@cuda.jit
def dense(m):
    m.T.ravel()[0] = 1


@cuda.jit
def item(m):
    m[0, 0] = m.item() + 1


# SHAPE: fault_array_forms.py:14:5: fault[raise]: `m` has another number of elements than the shape that it is given
# DENSE: fault_array_forms.py:19:5: fault[raise]: the elements of `m.T` do not lie one behind the other, as `ravel` needs them
# ITEM: fault_array_forms.py:24:15: fault[raise]: `m` has not one element, which `item()` is of

# RUN: %kernc run %s floats x=[3.5,-1.25,8.0,0.5] o=zeros:f64:16 --grid 1 --block 1 --print o | %FileCheck --check-prefix=FLOATS %s
# RUN: %python -c "import numpy as n; n.save('%t.npy', n.array([[3.5, n.nan, 8.0], [0.0, -1.25, 2.0]], n.float32))"
# RUN: %kernc run %s nans x=@%t.npy o=zeros:f64:12 --grid 1 --block 1 --print o | %FileCheck --check-prefix=NANS %s
# RUN: %kernc run %s integers x=i32:[3,-7,5] o=zeros:i64:8 --grid 1 --block 1 --print o | %FileCheck --check-prefix=INTEGERS %s
# RUN: %exits 4 %kernc run %s floats x=zeros:f64:0 o=zeros:f64:16 --grid 1 --block 1 2>&1 | %FileCheck --check-prefix=EMPTY %s
# The reductions of NumPy go over all elements of an array; a float32 array has a sum of float32 and a mean of float64.
import numpy as np
from numba import cuda


@cuda.jit
def floats(x, o):
    o[0] = x.sum()
    o[1] = np.sum(x)
    o[2] = x.prod()
    o[3] = x.mean()
    o[4] = x.var()
    o[5] = np.std(x) ** 2
    o[6] = x.min()
    o[7] = np.max(x)
    o[8] = x.argmin()
    o[9] = np.argmax(x)
    o[10] = x.any()
    o[11] = np.all(x)
    o[12] = np.count_nonzero(x)
    o[13] = np.amax(x[::2])
    o[14] = x.dtype.itemsize


@cuda.jit
def nans(x, o):
    o[0] = x.sum()
    o[1] = np.nansum(x)
    o[2] = x.min()
    o[3] = np.nanmin(x)
    o[4] = np.nanmax(x)
    o[5] = np.argmax(x)
    o[6] = np.nanmean(x)
    o[7] = np.nanprod(x)
    o[8] = np.all(x)
    o[9] = np.count_nonzero(x)
    o[10] = x[1].sum()


@cuda.jit
def integers(x, o):
    o[0] = x.sum()
    o[1] = x.prod()
    o[2] = x.min()
    o[3] = x.argmax()
    o[4] = np.nansum(x)
    o[5] = x.mean() * 3


# FLOATS: o = [10.75, 10.75, -17.5, 2.6875, 12.29296875, 12.29296875, -1.25, 8.0, 1.0, 2.0, 1.0, 1.0, 4.0, 8.0, 8.0, 0.0]
# NANS: o = [nan, 12.25, nan, -1.25, 8.0, 1.0, 2.45
# NANS-SAME: , -0.0, 0.0, 5.0, 0.75, 0.0]
# INTEGERS: o = [1, -105, -7, 2, 1, 1, 0, 0]
# EMPTY: fault[index]: index 0 is out of range for axis 0

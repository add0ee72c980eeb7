# RUN: %kernc run %s k o=zeros:f64:6 x=[3,-4] n=3 --block 1 --grid 1 --print o | %FileCheck %s
# RUN: %kernc %s --emit=ptx -o - | %FileCheck --check-prefix=PTX %s
# What numba.cuda offers of its types is what numba has, and so for other packages with Numba's names.
# CHECK: o = [7.0, 1.5, 2.0, 16.0, 5.0, 0.0]
import numba_cuda_mlir
import numba_cuda_mlir.cuda as other
from numba import cuda
from numba.core.types import intp
from numba.cuda import float32, int64, types, void
from numba_cuda_mlir.cuda import jit, uint8
from numba_cuda_mlir.numba_cuda import types as inner


# PTX: .entry typed(
@cuda.jit(void(float32[:], types.int32, inner.float64))
def typed(o, n, x):
    o[0] = n * x


@jit
def k(o, x, n):
    o[0] = int64(7.9)
    o[1] = cuda.float32(1.5)
    o[2] = uint8(258)
    o[3] = other.selp(x[1] < 0, intp(16), intp(2))
    o[4] = numba_cuda_mlir.cuda.types.int16(5)

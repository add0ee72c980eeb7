# RUN: %kernc run %s k o=zeros:f64:16 x=f16:[0.5,1.5,3] y=bf16:[0.3,0.4] n=[-9007199254740993] --block 1 --grid 1 --print o | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:16 x=f16:[0.5,1.5,3] y=bf16:[0.3,0.4] n=[-9007199254740993] --block 1 --grid 1 --lanes=1 --print o | %FileCheck %s
# RUN: %kernc %s --emit=ptx -o /dev/null --sig 'k(float64[:], float16[:], bfloat16[:], int64[:])'
# Functions of f16 and bf16 round once. The expected values are the floats of 11 and 8 bits beside the exact ones.
# CHECK: o = [2.0, 3.75, 0.4794921875, 1.0, 0.703125, 0.69921875, 0.703125, -9007199254740992.0, -9007199254740992.0, 1.203125, 0.400390625, 0.400390625, 0.51953125, -0.703125, 3.0, 1.5]
from numba import cuda
from numba.cuda.bf16 import bfloat16, hadd, hfma_sat, hmax_nan
import numba.cuda.bf16 as bf


@cuda.jit
def k(o, x, y, n):
    o[0] = cuda.fp16.hadd(x[0], x[1])
    o[1] = cuda.fp16.hfma(x[0], x[1], x[2])
    o[2] = cuda.fp16.hsin(x[0])
    o[3] = cuda.fp16.hlt(x[0], x[1])
    o[4] = hadd(y[0], y[1])
    o[5] = bf.float32_to_bfloat16_rd(0.7)
    o[6] = bf.float32_to_bfloat16_ru(0.7)
    o[7] = bf.int64_to_bfloat16_rz(n[0])
    o[8] = bf.int64_to_bfloat16_ru(n[0])
    o[9] = bfloat16(1.2)
    o[10] = hmax_nan(y[0], y[1])
    o[11] = bf.uint16_as_bfloat16(bf.bfloat16_as_uint16(y[1]))
    o[12] = hfma_sat(y[0], y[1], y[1])
    o[13] = bf.float32_to_bfloat16_rd(-0.7)
    cuda.stcg(o, 14, cuda.ldca(x, 2))
    cuda.stwt(o, (15,), cuda.ldcv(x, (1,)))

# Arrays of the top level with more numbers than a tuple may have: every way to make them, operators, parts and methods; a kernel reads them
# by any index, in loops, through `const.array_like` and in device functions.
# RUN: %kernc run %s k o=zeros:f64:16 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:16 --grid 1 --block 32 --lanes=32 -O0 --print o | %FileCheck %s
# RUN: %kernc %s --sig 'k(float64[:])' -o %t.ptx
# RUN: %FileCheck --check-prefix=PTX %s < %t.ptx
# CHECK: o = [99999.0, 250.5, 100001.0, 40000.0, 3.0, 50000.0, 19.0, 7.0, 100000.0, 1.0, 0.25, 199998.0, 12.0, 300.0, 2.0, 20.0]
# A GPU has 64 KiB of constant memory: these lie in global memory.
# PTX: .global .align 16 .b8 kern_constant_
import numpy as np
from numba import cuda

COUNT = np.arange(100_000, dtype=np.int32)
STEPS = np.linspace(0, 1000, 40_001)
ONES = np.ones((200, 200), dtype=np.float32)
DOUBLED = COUNT * 2 + ONES.astype(np.int64)[0, 0] - 1
EVERY = COUNT[10::2].reshape(-1, 5)
EYE = np.eye(150)
MIXED = np.array([COUNT[:20_000], COUNT[20_000:40_000]])
COMPLEX = np.full(20_000, 1 + 2j)
FLAGS = np.zeros(17_000, dtype=bool)


@cuda.jit(device=True)
def at(table, i):
    return table[i]


@cuda.jit
def k(o):
    if cuda.grid(1) > 0:
        return
    n = o.size - 1
    o[0] = COUNT[-1]
    o[1] = STEPS[n * 668]
    total = 0.0
    for row in ONES:
        total += row[0]
    for step in range(0, 400, 2):
        total += ONES[step // 2, n] * 499
    o[2] = total + 1
    o[3] = ONES.size
    o[4] = len(EVERY.shape) + ONES[3, 3]
    o[5] = at(COUNT, 50_000)
    o[6] = EVERY[0, -1] + 1
    o[7] = MIXED[1, 7] - 20_000
    o[8] = len(COUNT)
    o[9] = EYE[n, n] + EYE[n, n + 1]
    table = cuda.const.array_like(STEPS)
    o[10] = table[10]
    o[11] = DOUBLED[COUNT.shape[0] - 1]
    part = COUNT[4:9]
    o[12] = part[-1] + part.shape[0] - 1
    o[13] = COUNT[n * 20]
    o[14] = COMPLEX[n].imag
    o[15] = 19 if FLAGS[n] else 20

# RUN: %kernc %s --sig 'f(float32[:], int64)' --emit=ir | %FileCheck %s
# Annotations are ignored.
from numba import cuda

@cuda.jit
def f(x: "anything", n: int = 3) -> None:
    k: str = n
    x[k] = 1
# CHECK: kernel f(x: f32[:], n: i64)
# CHECK: var k: i64
# CHECK: store x[%{{[0-9]+}}] = 1.0

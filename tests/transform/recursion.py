# RUN: %kernc %s --sig 'k(int64[:])' --emit=ir -o - | %FileCheck %s
# RUN: %kernc %s --sig 'k(int64[:])' -o - | %FileCheck --check-prefix=PTX %s
# A function that calls itself is written out for each depth, and the last one faults where it would call itself: nothing calls
# itself, so that whoever assembles it knows the stack.
from numba import cuda


@cuda.jit(device=True)
def total(n):
    if n < 1:
        return 0
    return n + total(n - 1)


@cuda.jit
def k(x):
    x[0] = total(x[1])


# CHECK: = call total$i64(
# CHECK: device total(n: i64) -> i64
# CHECK-NEXT: symbol total$i64{{$}}
# CHECK: = call total$i64$$1(
# CHECK: symbol total$i64$$1{{$}}
# CHECK: = call total$i64$$2(
# CHECK: symbol total$i64$$63{{$}}
# CHECK-NOT: call
# CHECK: check False
# PTX-COUNT-64: .func {{.*}}total

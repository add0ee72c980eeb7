# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
# A signature that nobody can read is an error of a device function too that no kernel calls, and so is a result of a kernel.
from numba import cuda, float32

# CHECK-DAG: error[E0401]: `int33` is not defined
@cuda.jit("int33(int32)", device=True)
def uncalled(x):
    return x

# CHECK-DAG: [[#@LINE+1]]:11: error[E0410]: `counted` has 1 parameters; the signature names 2 types
@cuda.jit("int32(int32, int32)", device=True)
def counted(x):
    return x

# CHECK-DAG: error[E0401]: `int34` is not defined
made = cuda.jit("int34(int32)", device=True)(lambda x: x)

# CHECK-DAG: [[#@LINE+1]]:11: error[E0333]: the kernel `returns` cannot return a value
@cuda.jit(float32(float32[:]))
def returns(x):
    x[0] = 1

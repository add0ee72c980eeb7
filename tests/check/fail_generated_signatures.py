# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
# RUN: %exits 1 %kernc run %s unread x=ones:f32:3 2>&1 | %FileCheck --check-prefix=RAN %s
# A signature of a generated kernel that cannot be read, or is none for its decorator, is an error compiled ahead and run.
from numba import guvectorize, vectorize


# CHECK: [[#@LINE+2]]: error[E0401]: {{.*}}`flot64`
# RAN: error[E0401]: {{.*}}`flot64`
@vectorize(['float32(flot64)'], target='cuda')
def unread(x):
    return x


# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error[E0472]: this is no signature for `@vectorize`: f32[:] stands where a number is wanted
@vectorize(['float32(float32[:])'], target='cuda')
def arrays(x):
    return x


# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error[E0472]: this is no signature for `@vectorize`: `counted` has 2 parameters, and it names 1 types
@vectorize(['float32(float32)'], target='cuda')
def counted(x, y):
    return x


# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error[E0472]: this is no signature for `@guvectorize`: the function returns nothing; its results are parameters
@guvectorize(['int32(float32[:], float32[:])'], '(n)->(n)', target='cuda')
def returns(x, y):
    y[0] = x[0]


# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error[E0472]: this is no signature for `@guvectorize`: f32 stands where an array with the axes (n) is wanted
@guvectorize(['void(float32, float32[:])'], '(n)->(n)', target='cuda')
def axes(x, y):
    y[0] = x

# A signature that cannot be read is an error where it stands, and never no signature.
# RUN: %exits 1 %kernc run %s bad a=ones:i32:1 --grid 1 2>&1 | %FileCheck --check-prefix=BAD %s
# BAD: <signature in {{.*}}fail_signatures.py:[[#]]>:1:6: error[E0401]: `int33` is not defined
# RUN: %exits 1 %kernc run %s syntax a=ones:i32:1 --grid 1 2>&1 | %FileCheck --check-prefix=SYNTAX %s
# SYNTAX: <signature in {{.*}}fail_signatures.py:[[#]]>:1:5: error[E0204]: `(` is never closed
# RUN: %exits 1 %kernc run %s called a=ones:i32:1 --grid 1 2>&1 | %FileCheck --check-prefix=CALLED %s
# CALLED: fail_signatures.py:[[#]]:11: error
# RUN: %exits 1 %kernc run %s made a=ones:i32:1 --grid 1 2>&1 | %FileCheck --check-prefix=MADE %s
# MADE: fail_signatures.py:[[#]]:11: error[E0403]: `SIG` is a value of the host that kernc cannot compute; give it with `-D SIG=VALUE`
# RUN: %exits 1 %kernc run %s few a=ones:i32:1 --grid 1 2>&1 | %FileCheck --check-prefix=FEW %s
# FEW: fail_signatures.py:[[#]]:11: error[E0410]: `few` has 1 parameters; the signature names 2 types
# RUN: %exits 1 %kernc run %s device a=ones:i32:1 --grid 1 2>&1 | %FileCheck --check-prefix=DEVICE %s
# DEVICE: error[E0401]: `int33` is not defined
# RUN: %exits 1 %kernc run %s result a=ones:i32:1 --grid 1 2>&1 | %FileCheck --check-prefix=RESULT %s
# RESULT: error[E0401]: `int35` is not defined
from numba import cuda


@cuda.jit("void(int33[:])")
def bad(a):
    a[0] = 1


@cuda.jit("void(int32[:]")
def syntax(a):
    a[0] = 1


@cuda.jit(make("int32"))
def called(a):
    a[0] = 1


SIG = make_signature()


@cuda.jit(SIG)
def made(a):
    a[0] = 1


@cuda.jit("void(int32[:], int32)")
def few(a):
    a[0] = 1


@cuda.jit("int32(int33)", device=True)
def takes(x):
    return x


@cuda.jit
def device(a):
    a[0] = takes(a[0])


@cuda.jit("int35(int32)", device=True)
def gives(x):
    return x


@cuda.jit
def result(a):
    a[0] = gives(a[0])

# A member of an enumeration that host code takes by its name, and an enumeration that it hands on, stay what they are.
# RUN: %kernc run %s f 600 out=zeros:i32:1 --grid 1 --block 1 --print out | %FileCheck %s
from enum import IntEnum

from numba import cuda


class Status(IntEnum):
    not_found = 404
    internal_error = 500


def host(x):
    print(Status)
    return Status["internal_error"] if x else Status


host(1)


@cuda.jit
def f(x, out):
    if x > Status.internal_error:
        out[0] = x - Status.not_found


host(0)

# CHECK: out = [196]

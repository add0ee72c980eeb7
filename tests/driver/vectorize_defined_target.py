# The target of a vectorized function may be a value that -D gives.
# RUN: %kernc run %s inc -D TARGET='"cuda"' x=[1,2] --print out | %FileCheck %s
# RUN: %kernc run %s make.inc -D make.WHERE="'cuda'" x=[1,2] --print out | %FileCheck %s
# RUN: %kernc run %s make.inc -D WHERE='"cuda"' x=[1,2] --print out | %FileCheck %s
# RUN: %kernc run %s known -D KNOWN='"cuda"' x=[1,2] --print out | %FileCheck %s
# CHECK: out = [2.0, 4.0]
# RUN: %exits 2 %kernc run %s inc x=[1,2] 2>&1 | %FileCheck --check-prefix=NONE %s
# RUN: %exits 2 %kernc run %s inc -D TARGET=cuda x=[1,2] 2>&1 | %FileCheck --check-prefix=NONE %s
# RUN: %exits 2 %kernc run %s inc -D other.TARGET='"cuda"' x=[1,2] 2>&1 | %FileCheck --check-prefix=NONE %s
# NONE: error[E0892]: `@vectorize` makes no kernel of `inc`: `TARGET` is not known to be 'cuda'; give it with `-D TARGET='"cuda"'`
# RUN: %exits 2 %kernc run %s inc -D TARGET='"parallel"' x=[1,2] 2>&1 | %FileCheck --check-prefix=NONE %s
# RUN: %exits 2 %kernc run %s known x=[1,2] 2>&1 | %FileCheck --check-prefix=KNOWN %s
# KNOWN: `@vectorize` makes no kernel of `known`: `KNOWN` is not known to be 'cuda'; give it with `-D KNOWN='"cuda"'`
import sys

from numba import vectorize

TARGET = sys.argv[1]
KNOWN = 'parallel'


@vectorize(['float32(float32)'], target=TARGET)
def inc(x):
    return x + x


@vectorize(['float32(float32)'], target=KNOWN)
def known(x):
    return x + x


def make(WHERE):
    @vectorize(['float32(float32)'], target=WHERE)
    def inc(x):
        return x + x

    return inc

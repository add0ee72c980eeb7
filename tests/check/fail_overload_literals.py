# Numba may ask an overload with what a literal is; a call gives its types alone here, and where that may matter is an error.
# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
from numba import cuda, types
from numba.extending import overload


def first(n):
    pass


@overload(first, prefer_literal=True)
def first_of(n):
    if isinstance(n, types.IntegerLiteral):
        return lambda n: 1
    return lambda n: 2


def only(n):
    pass


@overload(only)
def only_of(n):
    if isinstance(n, types.IntegerLiteral):
        return lambda n: n


def last(n):
    pass


# Without the option the type comes first in Numba too.
@overload(last)
def last_of(n):
    if isinstance(n, types.IntegerLiteral):
        return lambda n: 1
    return lambda n: 2


@cuda.jit("void(int32[:])")
def k(x):
    x[0] = first(3)
# CHECK: :[[#@LINE-1]]:12: error[E0468]: `first` is what `@overload` makes of it
# CHECK: :12:5: note: `first_of` is given what a literal is, by `prefer_literal`, and here it would be given its type
    x[1] = only(3)
# CHECK: :[[#@LINE-1]]:12: error[E0469]: no `@overload` of `only` takes the literal `3`
# CHECK: :23:5: note: `only_of` returns no function for them; what a literal is, for which Numba asks then, is not told here
    x[2] = first(x[3])
    x[3] = last(3)
# CHECK-NOT: error

# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
# RUN: %exits 1 %kernc %s --sig 'make.g(float32[:])' 2>&1 | %FileCheck --check-prefix=INNER %s
# RUN: %kernc check --numba-report %s | %FileCheck --check-prefix=REPORT %s
# REPORT: make.g: needs values -D make.code=VALUE
# An overload that takes none of the types, one that returns a function with other parameters, and one that does what does not
# follow from the types.
from numba import cuda, types
from numba.extending import overload


def twice(x):
    raise NotImplementedError


@overload(twice, target="cuda")
def twice_of(x):
    if isinstance(x, types.Integer):
        return lambda x: x + x


def scale(x, by=2):
    pass


@overload(scale)
def scale_of(x, by=2):
    def code(x, by=3):
        return x * by

    return code


def searched(x):
    pass


CODES = vars(overload)


@overload(searched)
def searched_of(x):
    for each in CODES:
        return CODES[each]


def laid_out(x):
    pass


@overload(laid_out)
def laid_out_of(x):
    if x.layout == "C":
        return lambda x: 1
    return lambda x: 2


def make(code):
    def given(x):
        pass

    @overload(given)
    def given_of(x):
        return code

    @cuda.jit("void(float32[:])")
    def g(x):
        x[0] = given(x[0])
# INNER: :[[#@LINE-1]]:16: error[E0420]: `code` is captured from `make`, which kernc does not run; give it with `-D make.code=VALUE`


@cuda.jit("void(float32[:])")
def f(x):
    x[0] = twice(x[0])
# CHECK-DAG: :[[#@LINE-1]]:12: error[E0469]: no `@overload` of `twice` takes f32
# CHECK-DAG: :16:5: note: `twice_of` returns no function for them
    x[1] = scale(x[0])
# CHECK-DAG: :[[#@LINE-1]]:12: error[E0470]: the `@overload` of `scale` returns a function that takes other parameters than itself
# CHECK-DAG: :27:9: note: it returns this function, which must take the same parameters
    x[2] = searched(x[0])
# CHECK-DAG: :[[#@LINE-1]]:12: error[E0468]: `searched` is what `@overload` makes of it, with Python code that kernc does not run; write it as a device function
# CHECK-DAG: note: `searched_of` makes its code, and what it does here does not follow from the types of the call
    x[3] = laid_out(x)
# CHECK-DAG: :[[#@LINE-1]]:12: error[E0468]: `laid_out` is
    x[4] = twice(2, 3)
# CHECK-DAG: :[[#@LINE-1]]:12: error[E0469]: no `@overload` of `twice` takes {{.*}}, {{.*}}

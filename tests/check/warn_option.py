# RUN: %kernc %s -Wno-race -Wno-widen --emit=ir -o /dev/null 2>&1 | %FileCheck %s --implicit-check-not=warning --implicit-check-not=error
# RUN: %exits 1 %kernc %s -Wno-race -Wno-widen -Werror=option --emit=ir -o /dev/null 2>&1 | %FileCheck --check-prefix=ERROR %s
# RUN: %kernc %s -Wno-race -Wno-widen -Wno-option --emit=ir -o /dev/null 2>&1 | %FileCheck --allow-empty --check-prefix=QUIET %s
# An option of Numba that does nothing in kernc says so, with what to do instead; one that asks for what kernc does anyway is quiet.
from numba import cuda, njit

DEBUG = True
QUICK = False
linked = cuda.jit('void(float32[:])', link=['b.ptx'])

@cuda.jit('void(float32[:])', debug=True, opt=False)
def debugged(x):
    x[0] = 1.0
# CHECK-DAG: :[[@LINE-3]]:31: warning[W0725]: `debug=True` has no effect: faults are always checked; `kernc -g` asks for debug information [-Woption]
# CHECK-DAG: :[[@LINE-4]]:43: warning[W0725]: `opt=False` has no effect: `kernc -O0` switches optimisation off

@cuda.jit('void(float32[:])', debug=DEBUG, opt=0)
def named(x):
    x[0] = 1.0
# CHECK-DAG: :[[@LINE-3]]:31: warning[W0725]: `debug=DEBUG` has no effect
# CHECK-DAG: :[[@LINE-4]]:44: warning[W0725]: `opt=0` has no effect

@cuda.jit('void(float32[:])', link=['a.ptx'], lto=True, extensions=[handler])
def linking(x):
    x[0] = 1.0
# CHECK-DAG: :[[@LINE-3]]:31: warning[W0725]: `link=['a.ptx']` has no effect: nothing is linked; write what the kernel calls as a `@device` function
# CHECK-DAG: :[[@LINE-4]]:47: warning[W0725]: `lto=True` has no effect: a kernel is always optimised together with what it calls
# CHECK-DAG: :[[@LINE-5]]:57: warning[W0725]: `extensions=[handler]` has no effect: arguments are passed as they are; convert them before the launch

# An alias of a decorator says it once.
@linked
def first(x):
    x[0] = 1.0

@linked
def second(x):
    x[0] = 1.0
# CHECK-DAG: :9:39: warning[W0725]: `link=['b.ptx']` has no effect

@cuda.jit('void(float32[:])', launch_bounds=(128, 2, 4), boundscheck=False, nopython=False)
def bounded(x):
    x[0] = 1.0
# CHECK-DAG: :[[@LINE-3]]:54: warning[W0725]: the third number of `launch_bounds` has no effect: a kernel of Kern is launched without clusters
# CHECK-DAG: :[[@LINE-4]]:58: warning[W0725]: `boundscheck=False` has no effect: `kernc --guards=off` leaves the checks out
# CHECK-DAG: :[[@LINE-5]]:77: warning[W0725]: `nopython=False` has no effect

@cuda.jit('void(float32[:])', forceinline=True, cc=(9, 0), shared_memory_carveout=50, inline=model)
def placed(x):
    x[0] = 1.0
# CHECK-DAG: :[[@LINE-3]]:31: warning[W0725]: `forceinline=True` has no effect
# CHECK-DAG: :[[@LINE-4]]:49: warning[W0725]: `cc=(9, 0)` has no effect: `kernc --arch` names the GPU
# CHECK-DAG: :[[@LINE-5]]:60: warning[W0725]: `shared_memory_carveout=50` has no effect
# CHECK-DAG: :[[@LINE-6]]:87: warning[W0725]: `inline=model` has no effect: kernc decides what is inlined

@cuda.jit(device=True, abi='c')
def exported(x):
    return x
# CHECK-DAG: :[[@LINE-3]]:24: warning[W0725]: `abi='c'` has no effect

@cuda.jit(device=True, launch_bounds=64, max_registers=32)
def called(x):
    return x
# CHECK-DAG: :[[@LINE-3]]:24: warning[W0725]: `launch_bounds` has no effect: only a kernel is launched; write it there
# CHECK-DAG: :[[@LINE-4]]:42: warning[W0725]: `max_registers` has no effect: only a kernel is launched; write it there

@cuda.jit('void(float32[:])', registers=40)
def unknown(x):
    x[0] = 1.0
# CHECK-DAG: :[[@LINE-3]]:31: warning[W0725]: `registers` has no effect: kernc does not know this option

# Less than the whole of fast math is none.
@cuda.jit('void(float32[:])', fastmath={'nnan', 'contract'})
def partly(x):
    x[0] = 1.0
# CHECK-DAG: :[[@LINE-3]]:40: warning[W0725]: this `fastmath` has no effect: fast math of Kern also needs `reassoc`, `nsz`, `arcp`, `afn`; write `fastmath=True` to allow them

# What `jit` is called with beside the function.
def plain(x):
    return x

jitted = cuda.jit(device=True, fastmath=True, debug=True, cache=True, max_registers=None)(plain)

@cuda.jit('void(float32[:])')
def calls_jitted(x):
    x[0] = jitted(x[1])
# CHECK-DAG: :[[@LINE-5]]:47: warning[W0725]: `debug=True` has no effect

# Nothing is said of these.
@njit(parallel=True, debug=True, fastmath={'nnan'})
def host(x):
    return x + 1

@cuda.jit('void(float32[:])', debug=False, opt=True, lineinfo=True, cache=True, inline='always', link=[], lto=None,
          boundscheck=None, nopython=True, max_registers=None, launch_bounds=None, forceinline=False, extensions=())
def quiet(x):
    x[0] = host(x[1])

@cuda.jit('void(float32[:])', debug=QUICK, boundscheck=True, fastmath={'fast'})
def quiet_by_name(x):
    x[0] = 1.0

# ERROR: error[W0725]
# QUIET-NOT: W0725

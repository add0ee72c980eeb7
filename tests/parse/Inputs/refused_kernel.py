from numba import cuda

@cuda.jit
def bad(x):
    d = {}
    x[0] = 1

@cuda.jit
def good(x):
    x[0] = 2

@cuda.jit(device=True)
def helper(x):
    try:
        return x[0]
    except IndexError:
        return 0

@cuda.jit
def calls(x):
    x[0] = helper(x)

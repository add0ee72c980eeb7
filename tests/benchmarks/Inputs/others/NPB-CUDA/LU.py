"""Kernels as benchmarks/others/lu.cpp launches them, which do nothing: so its result is wrong."""
from numba import cuda


@cuda.jit("void(float64[:], int32, int32, int32, float64[:, :])")
def setbv_gpu_kernel_1(u, nx, ny, nz, ce):
    pass


@cuda.jit("void(float64[:], int32, int32, int32, float64[:, :])")
def setbv_gpu_kernel_2(u, nx, ny, nz, ce):
    pass


@cuda.jit("void(float64[:], int32, int32, int32, float64[:, :])")
def setbv_gpu_kernel_3(u, nx, ny, nz, ce):
    pass


@cuda.jit("void(float64[:], int32, int32, int32, float64[:, :])")
def setiv_gpu_kernel(u, nx, ny, nz, ce):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64[:, :])")
def erhs_gpu_kernel_1(frct, rsd, nx, ny, nz, ce):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64, float64, float64, float64, float64, float64, float64, float64, float64)")
def erhs_gpu_kernel_2(frct, rsd, nx, ny, nz, t1, t2, t3, d1, d2, d3, d4, d5, dssp):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64, float64, float64, float64, float64, float64, float64, float64, float64)")
def erhs_gpu_kernel_3(frct, rsd, nx, ny, nz, t1, t2, t3, d1, d2, d3, d4, d5, dssp):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64, float64, float64, float64, float64, float64, float64, float64, float64)")
def erhs_gpu_kernel_4(frct, rsd, nx, ny, nz, t1, t2, t3, d1, d2, d3, d4, d5, dssp):
    pass


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], float64[:], int32, int32, int32)")
def rhs_gpu_kernel_1(u, rsd, frct, qs, rho_i, nx, ny, nz):
    pass


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], int32, int32, int32, float64, float64, float64, float64, float64, float64, float64, float64, float64)")
def rhs_gpu_kernel_2(u, rsd, qs, rho_i, nx, ny, nz, t1, t2, t3, d1, d2, d3, d4, d5, dssp):
    pass


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], int32, int32, int32, float64, float64, float64, float64, float64, float64, float64, float64, float64)")
def rhs_gpu_kernel_3(u, rsd, qs, rho_i, nx, ny, nz, t1, t2, t3, d1, d2, d3, d4, d5, dssp):
    pass


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], int32, int32, int32, float64, float64, float64, float64, float64, float64, float64, float64, float64)")
def rhs_gpu_kernel_4(u, rsd, qs, rho_i, nx, ny, nz, t1, t2, t3, d1, d2, d3, d4, d5, dssp):
    pass


@cuda.jit("void(int32, int32, int32, float64[:], float64[:], float64[:], float64[:], int32, int32, int32, float64[:])")
def jacld_blts_gpu_kernel(plane, klower, jlower, u, rho_i, qs, v, nx, ny, nz, const_arr):
    pass


@cuda.jit("void(int32, int32, int32, float64[:], float64[:], float64[:], float64[:], int32, int32, int32, float64[:])")
def jacu_buts_gpu_kernel(plane, klower, jlower, u, rho_i, qs, v, nx, ny, nz, const_arr):
    pass


@cuda.jit("void(float64[:], int32, int32, int32, float64)")
def ssor_gpu_kernel_1(rsd, nx, ny, nz, dt):
    pass


@cuda.jit("void(float64[:], float64[:], float64, int32, int32, int32)")
def ssor_gpu_kernel_2(u, rsd, tmp, nx, ny, nz):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32)")
def l2norm_gpu_kernel(v, sum_v, nx, ny, nz):
    pass


@cuda.jit("void(float64[:], int32)")
def norm_gpu_kernel(rms, size):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64[:, :])")
def error_gpu_kernel(u, errnm, nx, ny, nz, ce):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64, float64)")
def pintgr_gpu_kernel_1(u, frc, nx, ny, nz, da, db):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64, float64)")
def pintgr_gpu_kernel_2(u, frc, nx, ny, nz, da, db):
    pass


@cuda.jit("void(float64[:], float64[:], int32, int32, int32, float64, float64)")
def pintgr_gpu_kernel_3(u, frc, nx, ny, nz, da, db):
    pass


@cuda.jit("void(float64[:], int32)")
def pintgr_gpu_kernel_4(frc, num):
    pass

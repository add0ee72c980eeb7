import math

import numpy as np
from numba import cuda, uint64
from numba.cuda.random import (create_xoroshiro128p_states, xoroshiro128p_jump, xoroshiro128p_next,
                               xoroshiro128p_normal_float32, xoroshiro128p_normal_float64, xoroshiro128p_type,
                               xoroshiro128p_uniform_float32, xoroshiro128p_uniform_float64)


@cuda.jit
def numbers(states, words, single, double, normal_single, normal_double):
    i = cuda.grid(1)
    if i < states.shape[0]:
        for k in range(words.shape[1]):
            words[i, k] = xoroshiro128p_next(states, i)
        for k in range(single.shape[1]):
            single[i, k] = xoroshiro128p_uniform_float32(states, i)
            double[i, k] = xoroshiro128p_uniform_float64(states, i)
            normal_single[i, k] = xoroshiro128p_normal_float32(states, i)
            normal_double[i, k] = xoroshiro128p_normal_float64(states, i)


@cuda.jit
def jumped(states, after):
    i = cuda.grid(1)
    if i < states.shape[0]:
        xoroshiro128p_jump(states, i)
        after[i, 0] = states[i, 0]
        after[i, 1] = states[i, 1]


xoro = xoroshiro128p_type


@cuda.jit((xoro[::1], uint64[:, :]))
def jumped_records(states, after):
    i = cuda.grid(1)
    if i < states.shape[0]:
        xoroshiro128p_jump(states, i)
        after[i, 0] = states[i].s0
        after[i, 1] = states[i]['s1']


def main():
    states = create_xoroshiro128p_states(100, seed=1)
    numbers[1, 100](states)

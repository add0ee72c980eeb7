"""The numbers of the module random as NumPy makes them of the words of Philox, for the checks of its kernels and of the library's calls."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples"))
import reference


def philox(seed, sequence, offset=0):
    """Returns four arrays of words, of 32 bits each in 64: those of the sequences."""
    return [np.atleast_1d(word).astype(np.uint64) for word in reference.philox(seed, np.atleast_1d(np.array(sequence, np.uint64)), offset)]


def pairs(words):
    """Returns two words of 64 bits of four words: (calls, 2)."""
    a, b, c, d = words
    return np.stack([b << np.uint64(32) | a, d << np.uint64(32) | c], 1)


def uniform(type, words):
    """Returns the numbers of [0, 1) of each call, f64: (calls, numbers of a call)."""
    return (pairs(words) >> np.uint64(11)) * 2.0**-53 if type.itemsize == 8 else (np.stack(words, 1) >> np.uint64(8)) * 2.0**-24


def normal(type, words):
    """Returns the standard normal numbers of each call, f64: `normal_f64`, or `fast_normal` without its errors."""
    if type.itemsize == 8:
        u = uniform(type, words)
        radius, turns = np.sqrt(-2 * np.log1p(-u[:, :1])), u[:, 1:]
    else:
        first, second = np.stack(words[::2], 1), np.stack(words[1::2], 1)
        radius, turns = np.sqrt(-2 * np.log((first | np.uint64(1)) * 2.0**-32)), second * 2.0**-32
    angle = 2 * np.pi * turns
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 2).reshape(len(radius), 2 * radius.shape[1])


def laid_out(numbers, n):
    """Returns the elements of an array of the numbers of each call: neighbouring calls make neighbouring elements, 32 of them."""
    calls, each = numbers.shape
    return numbers.reshape(calls // 32, 32, each).transpose(0, 2, 1).ravel()[:n]


def permuted(places, n, seed):
    """Returns the elements at some places of the order of n, up to 2**63, that the seed decides."""
    def scatter(word, key_0, key_1, count):
        low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
        product = (word ^ np.uint64(key_0)) * np.uint64(0xD2511F53)
        product = (product >> half ^ product & low ^ np.uint64(key_1)) * np.uint64(0xCD9E8D57)
        return (product >> half ^ product & low) * np.uint64(count) >> half

    columns = 1 << max(n - 1, 0).bit_length() // 2
    rows = -(-n // columns)
    keys = [int(key[0]) for key in philox(seed, n, 0x7065726D757465)]
    found = np.array(places, np.uint64)
    walking = np.ones(found.shape, bool)
    while walking.any():
        row, column = np.divmod(found[walking], np.uint64(columns))
        for r in range(12):
            k = [(key + r * step) % 2**32 for key, step in zip(keys, (0x9E3779B9, 0xBB67AE85) * 2)]
            row = (row + scatter(column, k[0], k[1], rows)) % np.uint64(rows)
            column = (column + scatter(row, k[2], k[3], columns)) % np.uint64(columns)
        found[walking] = row * np.uint64(columns) + column
        walking = found >= np.uint64(n)
    return found.astype(np.int64)

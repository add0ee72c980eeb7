"""Writes a Kern file of about 2000 lines: what a library of image and linear-algebra kernels looks like."""
import sys

UNIT = '''
SCALE_{i} = {i} + 1


@device
def weigh_{i}(x: f32, y: f32) -> f32:
    """A polynomial of two values, clamped."""
    value = x * {i}.5 + y * y * 0.25
    if value < 0.0:
        return 0.0
    return min(value, f32(SCALE_{i}))


@device
def fold_{i}(row, start):
    total = start
    for k in range(row.size):
        total += weigh_{i}(row[k], total)
    return total


@kernel
def rows_{i}(image: f32[:, :], out: f32[:]):
    """Folds each row of the image."""
    i = grid(1)
    if i < out.size:
        out[i] = fold_{i}(image[i], f32(0))


@kernel(block=(16, 16))
def blur_{i}(image: f32[:, :], out: f32[:, :]):
    tile = shared.array((18, 18), f32)
    column, row = grid(2)
    x, y = threadIdx.x + 1, threadIdx.y + 1
    inside = row < image.shape[0] and column < image.shape[1]
    tile[y, x] = image[row, column] if inside else 0.0
    syncthreads()
    if inside:
        total = f32(0)
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                total += tile[y + dy, x + dx]
        out[row, column] = total / 9.0 * f32(SCALE_{i})
'''

count = int(sys.argv[1]) if len(sys.argv) > 1 else 48
for i in range(count):
    print(UNIT.format(i=i))

"""Prints a kernel of so many conditions, of which the last one counts."""
import sys

count = int(sys.argv[1])
print("@kernel\ndef f(x: f32[:]):\n    i = grid(1)\n    if i < x.size:")
for k in range(count):
    print(f"        if x[i] < {k}.0 - {count - 2}.0:\n            x[i] = x[i] * 2.0 + 1.0")

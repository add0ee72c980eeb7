"""Prints a kernel with three loops over tuples inside each other."""
print(f"""V = {tuple(range(1, 11))}


@kernel
def k(out: i32[:], x: i32[:]):
    i = grid(1)
    if i < out.size:
        s = i32(0)
        for a in V:
            for b in V:
                for c in V:
                    s += x[i] * a + b * c if x[(i + a) % x.size] > b else 0
        out[i] = s""")

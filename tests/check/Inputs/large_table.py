"""Writes a kernel that reads a table of so many constants: large_table.py FILE COUNT"""
import sys

count = int(sys.argv[2])
table = ", ".join(str(i * 7919 % 10007) for i in range(count))
with open(sys.argv[1], "w") as file:
    file.write(f"""T = ({table})

@kernel
def k(out: i32[:]):
    i = grid(1)
    if i < out.size:
        out[i] = T[(i * 37) % {count}]
""")

# RUN: %kernc %s --emit=ast | %FileCheck %s
# Host code is passed over, whatever Python it uses; the rest is kept.
import numpy as np
N = 16
table = {"a": [x async for x in range(3)]}
squares = [x * x for x in range(3)]
async def main(*, a, **b):
    async with a as c: print(f"{c!r:>{a}}", (y := b"x"))
class Test(Base):
    def method(self): yield lambda: self
try:
    import cupy
except ImportError:
    cupy = None
if __name__ == "__main__":
    main()
else:
    del N
def helper(x):
    return x + 1
# CHECK: Module
# CHECK-NEXT: Import numpy as np
# CHECK-NEXT: Assign
# CHECK: Name squares
# CHECK: Comprehension
# CHECK: FunctionDef helper
# CHECK: skipped 5

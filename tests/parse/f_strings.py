# RUN: %kernc %s --dialect=numba --emit=ast -o - | %FileCheck %s
# Outside of functions of a .py file an f-string is the call of `format` that means the same.
PLAIN = f"a{b}"
# CHECK: Assign
# CHECK: Call
# CHECK-NEXT: Attribute format
# CHECK-NEXT: StringLiteral 'a{}'
# CHECK: Name b
JOINED = "{x}" f"{{{c['k']}}}\x7b" rf'\d{d != e:>3}'
# CHECK: StringLiteral '{{[{][{]x[}][}][{][{][{][}][}][}][{][{]}}\\d{:>3}'
# CHECK: Subscript
# CHECK: Compare
WIDTH = f"{g(h, *[1]):>8}{f'{i}'}"
# CHECK: StringLiteral '{:>8}{}'
# CHECK: Call
# CHECK: Name g
# CHECK: StringLiteral '{}'
# CHECK: Name i
NONE = f"none"
# CHECK: StringLiteral 'none'
# What asks for more is left to Python.
REPR = f"{j!r}"
DEBUG = f"{j=}"
EMPTY = f"{}"
# CHECK-NOT: Name j

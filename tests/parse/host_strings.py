# RUN: %kernc run %s k o=zeros:i64:1 --grid 1 --block 1 --print o | %FileCheck %s
# Strings of host code are read past in any form: replacement fields over several lines, quotes in them, nested ones, prefixes.
from numba import cuda

value = 3
print(f'{value!r:>{
    value}}')
text = f"""{
    value +
    1
} and {value:{'>' + "5"}} {{ no field }}"""
print(rf'\d{value}', f'{value}' 'next' rb'bytes'.hex(), f"{'a' if value else 'b'}", f'''{f"{value}"}''')


@cuda.jit
def k(o):
    o[0] = 7


# CHECK: o = [7]

set width 0
set breakpoint pending on
break lanes.kern:10
run
info args
info locals
whatis a
print a[3] * 2 + u + 1 == b[3]

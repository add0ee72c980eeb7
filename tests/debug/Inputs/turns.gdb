set width 0
set breakpoint pending on
break turns.kern:7
run
info args
info locals
continue
info locals

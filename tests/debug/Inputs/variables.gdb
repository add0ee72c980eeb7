set width 0
set pagination off
set print frame-arguments all
break variables.kern:24 if i == 2
run
info args
info locals
print a.extent[0]
print a.data[9]
print *w.data
print q._1._0
ptype a
ptype pp
whatis out
delete
break variables.kern:7
continue
backtrace 2
info args
info locals
up
print j
print total
delete
tbreak variables.kern:32 if i == 3
continue
print i
print m
print s.data[15 - i]
print *s.data@2
print d
print w.extent
tbreak variables.kern:35 if i == 4
continue
print i
print m
print n
print five

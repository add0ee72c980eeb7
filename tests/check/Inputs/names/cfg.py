N = 4
M = N
N = 6
_hidden = 7

from . import more
FACTOR = 2
def scale(a):
    return a * FACTOR * more.WIDTH

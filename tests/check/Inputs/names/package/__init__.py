from .core import scale
SIZE = 3

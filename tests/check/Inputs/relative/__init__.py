from .deep import DEPTH
EPS = 0.25

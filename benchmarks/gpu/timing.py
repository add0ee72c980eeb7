"""How long work takes on the GPU, by events. A delay kernel runs while the host prepares: what lies between the two events is then the
work alone, not the host's part of the launch."""
import pathlib

import cupy

from gpu import turns

CYCLES_PER_MICROSECOND = 1800
MOST_DELAY = 3200  # microseconds; what waits for the GPU on its own would never be prepared in time

_module = cupy.RawModule(code=(pathlib.Path(__file__).parent / "ceilings.cu").read_text(), options=("-std=c++17",), backend="nvrtc")


def ceiling_kernel(name):
    return _module.get_function(name)


class Timer:
    def __init__(self, work):
        self.work, self.delay = work, 100

    def sample(self):
        """Milliseconds of one run."""
        delay, begin, end = ceiling_kernel("delay"), cupy.cuda.Event(), cupy.cuda.Event()
        while True:
            delay((1,), (1,), (cupy.int64(self.delay * CYCLES_PER_MICROSECOND),))
            begin.record()
            self.work()
            end.record()
            late = begin.done  # the GPU came to the work before the host had prepared all of it
            end.synchronize()
            if not late or self.delay >= MOST_DELAY:
                return cupy.cuda.get_elapsed_time(begin, end)
            self.delay *= 2


def interleaved(works, seconds, least=5, most=31):
    """Name to work: as `turns.interleaved`, by events."""
    return turns.interleaved({name: Timer(work).sample for name, work in works.items()}, seconds, least, most)


def milliseconds(work, seconds=2):
    return interleaved({"": work}, seconds)[0][""][0]

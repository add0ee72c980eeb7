"""Contenders that take turns, and how long work takes by the host's clock."""
import statistics
import time

PAUSE = 0.003  # seconds: threads of others that wait for more work have gone to sleep
LEAST = 0.003  # seconds of a sample
LONG = 0.05  # seconds of a run that threads which must first wake up do not matter to


def interleaved(samples, seconds, least=5, most=31):
    """Name to a function that returns the milliseconds of one run: returns name to (median, least, most), and what failed. They take turns, so
    that a clock that drifts hits all alike; rounds go on until the time is used up."""
    times, errors = {name: [] for name in samples}, {}
    begin = time.monotonic()
    for turn in range(-2, most):
        if turn >= least and time.monotonic() - begin > seconds:
            break
        for name in list(times):
            try:
                sample = samples[name]()
            except Exception as error:
                errors[name] = str(error)[:500]
                del times[name]
                continue
            if turn >= 0:  # the first two warm up
                times[name].append(sample)
    return {name: (statistics.median(each), min(each), max(each)) for name, each in times.items()}, errors


def clock(work):
    """Returns the function that gives the milliseconds of one run of work that ends before it returns, its threads awake."""
    def timed(least):
        begin, runs = time.perf_counter(), 0
        while not runs or time.perf_counter() - begin < least:
            work()
            runs += 1
        return (time.perf_counter() - begin) / runs

    def sample():
        time.sleep(PAUSE)
        first = timed(0)
        return 1000 * (timed(LEAST) if first < LONG else first)
    return sample

"""Whether a launch can take a variant of a kernel: shapes for which all holds that it tests before it does (`taken where`)."""
import re

LONG, SHORT = 5000, 100  # the axes of arrays with one or two, and with more: arrays are of one shape
SMALL = 2  # scalars and blocks; a grid is one block
SHARED = 1 << 17  # bytes of dynamic shared memory
# Where rows begin: one element more than there are rows. So are arrays that a program reads by products: `y[2 * i]`.
LONGER = {"indptr.shape[0] >= y.shape[0] + 1", "first.shape[0] >= y.shape[0] + 1"}
NUMBER = re.compile(r"[A-Za-z_]\w*(?:\.\w+)?(?:\[\d+\])?")


def value(term, extents):
    """What a number of the launch is. Arrays are in C order."""
    if term in extents:
        return extents[term]
    if strides := re.match(r"(\w+)\.strides\[(\d+)\]$", term):
        result, axis = 1, int(strides[2])
        while (extent := f"{strides[1]}.shape[{(axis := axis + 1)}]") in extents:
            result *= extents[extent]
        return result
    return SHARED if term == "dynamic_shared_bytes" else 1 if term.startswith("gridDim") else SMALL


def evaluate(text, extents):
    return eval(NUMBER.sub(lambda found: str(value(found[0], extents)), text))


def never_taken(facts):
    """The facts that are wrong for arrays of equal shapes, and then for longer ones; `LONGER` may be wrong for equal ones."""
    ranks = {}
    for name, _, axis in re.findall(r"(\w+)\.(shape|strides)\[(\d+)\]", " ".join(facts)):
        ranks[name] = max(ranks.get(name, 0), int(axis) + 1)
    extents = {f"{name}.shape[{axis}]": LONG if rank <= 2 else SHORT for name, rank in ranks.items() for axis in range(rank)}
    wrong = [fact for fact in facts if fact not in LONGER and " * " not in fact and not evaluate(fact, extents)]
    for _ in facts:
        for fact in facts:
            extent, _, least = fact.partition(" >= ")
            if extent in extents and not evaluate(fact, extents):
                extents[extent] = evaluate(least, extents)
    return wrong + [fact for fact in facts if fact not in wrong and not evaluate(fact, extents)]

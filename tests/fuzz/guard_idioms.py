"""The loops and tests that people write around an index, for guards.py: each right, one off, or in a type that wraps or is checked."""

ONE_AXIS = [("a", "a.size"), ("b", "b.shape[0]"), ("t", "t.size"), ("s", "8")]


def variable(writer):
    return f"i64({writer.rng.choice(list(writer.variables))})"


def nearly(writer, number):
    """Returns the number, or now and then one beside it."""
    return number + writer.rng.choice([0, 0, 0, 0, 1, -1])


def plus(text, number):
    return text if number == 0 else f"{text} {'+' if number > 0 else '-'} {abs(number)}"


def counted(writer, depth, start, stop, step=None):
    """Opens a for loop with fuel; returns its variable."""
    name = writer.name()
    writer.line(depth, f"for {name} in range({start}, {stop}{'' if step is None else f', {step}'}):")
    writer.fuel(depth + 1)
    return name


def tile(writer, depth):
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    size, first = rng.choice([4, 16]), writer.name()
    start = rng.choice([f"i64(blockIdx.x) * {size}", f"blockIdx.x * {size}", f"i32(k) * {size}", f"{variable(writer)} * {size}"])
    writer.line(depth, f"{first} = {start}")
    if rng.random() < 0.5:
        q = counted(writer, depth, 0, plus(f"min({size}, {extent} - {first})", nearly(writer, 0)))
        writer.touch(depth + 1, array, f"{first} + {q}", extent)
    else:
        last = plus(f"min({first} + {size}, {extent})", nearly(writer, 0))
        q = counted(writer, depth, rng.choice([first, f"{first} + threadIdx.x"]), last, rng.choice([None, "blockDim.x"]))
        writer.touch(depth + 1, array, q, extent)


def neighbours(writer, depth):
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    i = writer.name()
    writer.line(depth, f"{i} = {rng.choice([variable(writer), 'grid(1)'])}")
    low, high = nearly(writer, 0), nearly(writer, -1)
    end = plus(extent, high)
    writer.line(depth, "if " + rng.choice([f"{low} < {i} < {end}", f"not ({i} <= {low} or {i} >= {end})", f"{i} > {low} and not {i} >= {end}"]) + ":")
    for by in (-1, 1, 0):
        writer.touch(depth + 1, array, plus(i, by), extent)


def disjunction(writer, depth):
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    i = writer.name()
    writer.line(depth, f"{i} = {variable(writer)}")
    parts = [f"{i} == {nearly(writer, 0)}", f"{i} == {plus(extent, nearly(writer, -1))}", f"0 <= {i} < {extent}", f"{i} == 3"]
    rng.shuffle(parts)
    test = " or ".join(f"({part})" for part in parts[: rng.randint(2, 3)])
    if rng.random() < 0.6:
        writer.line(depth, f"if {extent} > {rng.choice([0, 3])}:")
        depth += 1
    writer.line(depth, f"if {test}:" if rng.random() < 0.7 else f"if {i} != {rng.randint(0, 2)} and ({test}):")
    writer.touch(depth + 1, array, i, extent)


def multiple(writer, depth):
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    unit = rng.choice([2, 4, 8])
    rest = nearly(writer, 0) % unit
    if rng.random() < 0.8:
        writer.line(depth, f"if {extent} % {unit} == {rest}:" if rng.random() < 0.6 else f"if {extent} & {unit - 1} == {rest}:")
        depth += 1
    i = writer.name()
    lane = nearly(writer, rng.randint(0, unit - 1))
    form = rng.randint(0, 4)
    if form == 0:
        stop = rng.choice([extent, f"{extent} - {extent} % {unit}", f"{extent} // {unit} * {unit}", plus(extent, 1 - unit)])
        i = counted(writer, depth, rng.choice(["0", f"grid(1) * {unit}", variable(writer)]), stop, rng.choice([str(unit), f"gridsize(1) * {unit}"]))
        if rng.random() < 0.3:
            i = f"{i} + {counted(writer, depth + 1, 0, nearly(writer, unit))}"
            depth += 1
        return writer.touch(depth + 1, array, plus(i, lane), extent)
    if form == 1:
        writer.line(depth, f"{i} = {rng.choice(['0', variable(writer)])}")
        writer.line(depth, f"while {i} < {extent}:")
        writer.fuel(depth + 1)
        writer.touch(depth + 1, array, plus(i, lane), extent)
        return writer.line(depth + 1, f"{i} += {unit}")
    source = variable(writer)
    writer.line(depth, f"{i} = {source}")
    writer.line(depth, f"if 0 <= {i} < {extent}:" if rng.random() < 0.7 else f"if {i} < {extent}:")
    index = rng.choice([f"({i} ^ {rng.randint(0, unit)})", f"({i} | {rng.randint(0, unit)})", f"{i} // {unit} * {unit}", f"{i} - {i} % {unit}"])
    writer.touch(depth + 1, array, plus(index, lane if "/" in index or "%" in index else 0), extent)


def narrow(writer, depth):
    """Arithmetic that may wrap, and the test that may say that it does not."""
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    type = rng.choice(["u32", "i32", "u64", "i64"])
    x, y, d = writer.name(), writer.name(), writer.name()
    writer.line(depth, f"{x}: {type} = {type}({variable(writer)})")
    writer.line(depth, f"{y}: {type} = {type}({variable(writer)})")
    value = f"{x} {rng.choice(['-', '-', '+', '*'])} {y}"
    if type == "i32":
        writer.store(depth, f"{d}: i32", f"{d}: i32 = {value}", value, type)
    else:
        writer.line(depth, f"{d}: {type} = {value}")
    if rng.random() < 0.7:
        writer.line(depth, f"if {x} {rng.choice(['>=', '>', '<', '=='])} {y}:")
        depth += 1
    if rng.random() < 0.5:
        writer.line(depth, f"if {y} {rng.choice(['>=', '<'])} {type}({rng.choice([0, 8])}):")
        depth += 1
    if rng.random() < 0.8:
        writer.line(depth, f"if i64({rng.choice([d, d, x])}) < {extent}:")
        depth += 1
    writer.touch(depth, array, f"i64({d})", extent)


def bounded_range(writer, depth):
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    low = rng.choice(["max", "max", "min"]) + f"({variable(writer)}, {nearly(writer, 0)})"
    high = rng.choice(["min", "min", "max"]) + f"({variable(writer)}, {plus(extent, nearly(writer, 0))})"
    writer.touch(depth + 1, array, counted(writer, depth, low, high, rng.choice([None, None, "2", "-1"])), extent)


def shares(writer, depth):
    """A block of consecutive elements for each thread."""
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    share, start = writer.name(), writer.name()
    count = rng.choice(["gridsize(1)", "gridDim.x * blockDim.x", "max(n, 1)"])
    writer.line(depth, f"{share} = ({extent} + {count} - {rng.choice([0, 1, 1, 1])}) // {count}" if rng.random() < 0.6 else f"{share} = {extent} // {count}")
    writer.line(depth, f"{start} = {rng.choice(['grid(1)', 'grid(1)', variable(writer)])} * {share}")
    stop = rng.choice([f"min({start} + {share}, {extent})", f"{start} + {share}"])
    writer.touch(depth + 1, array, counted(writer, depth, start, stop), extent)


def flat(writer, depth):
    rng = writer.rng
    v, width = writer.name(), rng.choice(["m.shape[1]", "m.shape[0]"])
    writer.line(depth, f"{v} = {rng.choice([variable(writer), 'grid(1)'])}")
    writer.line(depth, f"if 0 <= {v} < {plus('m.size', nearly(writer, 0))} and {width} > 0:")
    row, column = writer.name(), writer.name()
    writer.line(depth + 1, f"{row} = {v} // {width}")
    writer.line(depth + 1, f"{column} = {v} - {row} * {width}")
    writer.accesses.append((len(writer.lines), depth + 1, [(row, "m.shape[0]"), (column, "m.shape[1]")]))
    writer.line(depth + 1, f"m[{row}, {column}] = 1")


def triangle(writer, depth):
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    p = counted(writer, depth, 0, plus(extent, nearly(writer, 0)))
    q = counted(writer, depth + 1, *rng.choice([(0, p), (f"{p} + 1", extent), (0, f"{extent} - {p}"), (p, extent)]))
    index = rng.choice([f"{q}", f"{p} + {q}", f"{q} - {p}", f"{p} - {q}"])
    writer.touch(depth + 2, array, plus(index, rng.choice([0, 0, -1, 1])), extent)


def part(writer, depth):
    """A slice, and the array that it is of."""
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS[:2])
    view, first = writer.name(), rng.choice([variable(writer), f"{extent} // 2", "1", "-2"])
    writer.line(depth, f"{view} = {array}[{first}:{rng.choice(['', '', '-1', extent, f'{extent} // 2'])}]")
    if rng.random() < 0.6:
        writer.line(depth, f"if 0 <= {first} <= {extent}:")
        depth += 1
    q = counted(writer, depth, 0, plus(rng.choice([f"{view}.size", f"{extent} // 2"]), nearly(writer, 0)))
    writer.touch(depth + 1, view, plus(q, nearly(writer, 0)), f"{view}.size")
    writer.touch(depth + 1, array, f"{first} + {q}", extent)


def countdown(writer, depth):
    rng = writer.rng
    array, extent = rng.choice(ONE_AXIS)
    j = writer.name()
    writer.line(depth, f"{j} = {rng.choice([extent, variable(writer)])} - {nearly(writer, 1)}")
    writer.line(depth, f"while {j} >= {nearly(writer, 0)} and {rng.choice([variable(writer), 'n'])} {rng.choice('<>')} {j}:")
    writer.fuel(depth + 1)
    writer.touch(depth + 1, array, j, extent)
    writer.line(depth + 1, f"{j} -= {rng.randint(1, 2)}")
    writer.touch(depth, array, plus(j, rng.choice([0, 1, 1])), extent)


IDIOMS = [tile, neighbours, disjunction, multiple, narrow, bounded_range, shares, flat, triangle, part, countdown]

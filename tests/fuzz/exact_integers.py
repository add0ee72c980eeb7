"""The rule of integers of .kern files ("Integers" in docs/language.md) as a model: expressions with their types, computed by Python's integers.

A Value is an expression: its text, its type, and what it is in a thread. An operator that the rule refuses gives a Value with an error, and so does
all that is made of it. Of what the rule does not decide the functions raise Skip. Imported by integers.py; it is no generator itself.
"""
NUMBERS, WORDS = ("i8", "i16", "i32", "i64", "u8", "u16"), ("u32", "u64")
TYPES = NUMBERS + WORDS
LITERAL = "literal"
ARITHMETIC, BITS, SHIFTS, CHOICES = ("+", "-", "*", "//", "%", "**"), ("&", "|", "^"), ("<<", ">>"), ("min", "max")
OPERATORS = ARITHMETIC + BITS + SHIFTS + CHOICES
COUNTS = SHIFTS + ("**",)  # the type of whose right operand does not matter
EXACT = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "//": lambda x, y: x // y, "%": lambda x, y: x % y,
         "&": lambda x, y: x & y, "|": lambda x, y: x | y, "^": lambda x, y: x ^ y, "min": min, "max": max, "<<": lambda x, y: x << y,
         ">>": lambda x, y: x >> y, "**": lambda x, y: x**y, "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y,
         ">=": lambda x, y: x >= y, "==": lambda x, y: x == y, "!=": lambda x, y: x != y}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
UNARY = {"-": lambda x: -x, "~": lambda x: ~x, "abs": abs}


class Refused(Exception):
    """An error of the compiler, with its kind."""


class Skip(Exception):
    """The rule says nothing of it."""


class Fault(Exception):
    """A thread ends: the kind, the line, and the value that does not fit."""


# ---- Types ----


def width(t):
    return 1 if t == "bool" else int(t[1:])


def limits(t):
    bits = width(t)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if t[0] == "i" else (0, (1 << bits) - 1)


def is_signed(t):
    return t in NUMBERS and t[0] == "i"


def fits(t, value):
    low, high = limits(t)
    return low <= value <= high


def low_bits(t, value):
    if t == "bool":
        return int(value != 0)
    low, _ = limits(t)
    return (value - low) % (1 << width(t)) + low


def join(types):
    """The least type that holds all of these, of which none is a word beside a signed one."""
    holds = lambda t: all(fits(t, end) for each in types for end in limits(each))
    return next(t for t in ("bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64") if holds(t) and (t in types or t not in WORDS))


# ---- Values ----


class Value:
    def __init__(self, text, type, run, is_atom=True, operands=(), **more):
        self.text, self.type, self.run, self.is_atom = text, type, run, is_atom
        self.number = more.get("number")  # of a literal
        self.error = more.get("error")  # the kind, where it is refused
        self.is_inverted = more.get("is_inverted", False)  # whether a word takes the low bits of a literal
        self.of_literals = more.get("of_literals", False)  # a number that takes the word that it meets
        self.is_made = more.get("is_made")  # whether narrower numbers made it an i64; None where nobody can say
        # Whether it is a word that arithmetic made; None where it is made of one.
        self.is_sum = more.get("is_sum", None if any(v.is_sum is not False for v in operands) else False)
        self.is_constant = more.get("is_constant", bool(operands) and all(v.is_constant for v in operands))

    def inner(self):
        return self.text if self.is_atom else f"({self.text})"

    @property
    def is_literal(self):
        return self.type == LITERAL

    @property
    def is_open(self):
        return self.is_literal or self.of_literals

    @property
    def is_folded(self):
        return self.text[0] == "("


def literal(number, text=None, is_inverted=False):
    text = text or str(number)
    return Value(text, LITERAL, lambda thread: number, text[0] not in "-~", number=number, is_inverted=is_inverted, is_constant=True)


def built(text, is_atom, operands, make):
    """What an operator makes of its operands, or its error."""
    error = next((v.error for v in operands if v.error), None)
    try:
        if not error:
            return make()
    except Refused as refused:
        error = str(refused)
    return Value(text, "i64", None, is_atom, operands, error=error)


# ---- The types of operators ----


def word_type(op, values):
    """The type of an operator that has words among its operands."""
    words = [v.type for v in values if v.type in WORDS]
    if any(is_signed(v.type) and not v.of_literals for v in values):
        if op in ("//", "%", "&") and "u64" not in words:
            return "i64"
        raise Refused("mixed")
    word = max(words)
    for v in values:
        if v.is_literal and not fits(word, v.number) and not v.is_inverted:
            # Of what is folded below 0 the rule does not say whether it is a literal or made of literals.
            raise Skip if v.is_folded else Refused("literal")
    return word


def joined_type(op, values):
    """The type of `& | ^ min max if`."""
    if any(v.type in WORDS for v in values):
        return word_type(op, values)
    if any(v.of_literals for v in values):
        return "i64"
    joined, literals = join([v.type for v in values if not v.is_literal]), [v for v in values if v.is_literal]
    if literals and joined == "bool":
        raise Skip
    if any(not fits("i64", v.number) for v in literals):
        raise Refused("literal")
    return joined if all(fits(joined, v.number) for v in literals) else "i64"


def operator_type(op, a, b):
    if op in COUNTS:
        keeps = a.type in WORDS or (op == ">>" and not a.is_literal and a.type != "bool")
        return a.type if keeps else "i64"
    if op in BITS + CHOICES:
        return joined_type(op, (a, b))
    if a.type in WORDS or b.type in WORDS:
        return word_type(op, (a, b))
    if any(v.is_literal and not fits("i64", v.number) for v in (a, b)):
        raise Refused("literal")
    return "i64"


def local_type(values):
    """The type of a local, parameter or result without a declaration, of its values in their order."""
    if error := next((v.error for v in values if v.error), None):
        raise Refused(error)
    numbers, typed = [v for v in values if v.is_literal], [v for v in values if not v.is_literal]
    if any(not fits("i64", v.number) for v in numbers):
        raise Skip
    words = [v for v in typed if v.type in WORDS]
    if words:
        if any(v.of_literals for v in typed) or any(v.is_inverted or v.is_folded and v.number < 0 for v in numbers):
            raise Skip
        if any(is_signed(v.type) for v in typed):
            raise Refused("join")
        if values[0].is_literal and any(v.is_sum is None for v in words):
            raise Skip
        if values[0].is_literal and any(v.is_sum for v in words):
            raise Refused("start")
        word = max(v.type for v in words)
        if any(not fits(word, v.number) for v in numbers):
            raise Refused("literal")
        return word
    joined = join([v.type for v in typed]) if typed else "i64"
    if numbers and joined == "bool":
        raise Skip
    return joined if all(fits(joined, v.number) for v in numbers) else "i64"


def made(t, op, values):
    """Whether an i64 is what arithmetic made of narrower numbers, of which functions of bits ask for a width."""
    typed = [v for v in values if not v.is_open]
    wide = [v.is_made for v in typed if v.type == "i64"]
    if t != "i64" or None in wide or not typed or any(v.type in WORDS for v in typed):
        return None
    return False if False in wide else True if wide or op in ARITHMETIC + ("<<", "neg", "abs") else None


# ---- Operators ----


def shift_width(op, t):
    return width(t) if t in WORDS else max(width(t), 32) if op == ">>" else 64


def result_of(op, x, y, t, thread):
    """What an operator makes of two numbers that have become of its type."""
    if op in ("//", "%") and y == 0:
        raise Fault("division", thread.line)
    if op == "**" and y < 0:
        raise Fault("power", thread.line)
    if op == "**":
        return low_bits(t, pow(x, y, 1 << 64))
    if op in SHIFTS and not 0 <= y < shift_width(op, t):
        return -1 if x < 0 and op == ">>" else 0
    return low_bits(t, EXACT[op](x, y))


def binary(op, a, b):
    text = f"{op}({a.text}, {b.text})" if op in CHOICES else f"{a.inner()} {op} {b.inner()}"
    return built(text, op in CHOICES, (a, b), lambda: folded(op, a, b, text) if a.is_literal and b.is_literal else typed_binary(op, a, b, text))


def typed_binary(op, a, b, text):
    if b.is_constant and not b.is_literal and op in COUNTS + ("//", "%"):
        raise Skip
    # What is known when compiling is a constant, or not.
    if op in SHIFTS and b.is_literal and b.number < 0 or op in COUNTS and a.is_literal and (a.is_inverted or not fits("i64", a.number)):
        raise Skip
    t = operator_type(op, a, b)
    if b.is_literal and op in SHIFTS and b.number >= shift_width(op, t):
        # A local that holds a literal is none.
        raise Skip if b.text.startswith("h") else Refused("count")

    def run(thread):
        x, y = a.run(thread), b.run(thread)
        return result_of(op, low_bits(t, x), y if op in COUNTS else low_bits(t, y), t, thread)

    more = {"is_sum": True} if t in WORDS and op in ("+", "-", "*", "**", "<<") else {}
    return Value(text, t, run, op in CHOICES, (a, b), of_literals=t == "i64" and a.is_open and (b.is_open or op in SHIFTS),
                 is_made=made(t, op, (a,) if op in COUNTS else (a, b)), **more)


def folded(op, a, b, text):
    x, y = a.number, b.number
    if a.is_inverted or b.is_inverted or (y == 0 and op in ("//", "%")) or (op in COUNTS and not 0 <= y < 20):
        raise Skip
    exact = EXACT[op](x, y)
    if not all(fits("i64", each) for each in (x, y, exact)):
        raise Skip
    return literal(exact, f"({text})")


def unary(op, a):
    text = f"abs({a.text})" if op == "abs" else op + a.inner()
    return built(text, op == "abs", (a,), lambda: typed_unary(op, a, text))


def typed_unary(op, a, text):
    if a.is_literal:
        if a.is_inverted or a.number < 0 or a.is_folded or not fits("i64", a.number):
            raise Skip
        return literal(UNARY[op](a.number), text, op == "~")
    if op == "~" and a.type == "bool":
        raise Refused("not")
    t = a.type if op == "~" or a.type in WORDS else "i64"
    more = {"is_sum": True} if op == "-" and t in WORDS else {}
    return Value(text, t, lambda thread: low_bits(t, UNARY[op](a.run(thread))), op == "abs", (a,), of_literals=a.of_literals,
                 is_made=made(t, "neg" if op == "-" else op, (a,)), **more)


def conditional(a, condition, b):
    if a.is_literal and b.is_literal:
        raise Skip
    text = f"{a.inner()} if {condition.inner()} else {b.inner()}"

    def make():
        t = joined_type("if", (a, b))
        run = lambda thread: low_bits(t, (a if condition.run(thread) else b).run(thread))
        return Value(text, t, run, False, (a, b), of_literals=t == "i64" and a.is_open and b.is_open, is_made=made(t, "if", (a, b)))

    return built(text, False, (a, condition, b), make)


def cast(t, a):
    if a.is_literal and (a.is_inverted or not fits("i64", a.number)):
        raise Skip
    text = f"{t}({a.text})"
    return built(text, True, (a,), lambda: Value(text, t, lambda thread: low_bits(t, a.run(thread)), True, (a,), is_made=False, is_sum=False))


BIT_FUNCTIONS = {"popc": lambda x, bits: bin(x).count("1"), "clz": lambda x, bits: bits - x.bit_length(), "ffs": lambda x, bits: (x & -x).bit_length(),
                 "brev": lambda x, bits: int(f"{x:0{bits}b}"[::-1], 2), "bits": lambda x, bits: x}


def bit_function(name, a):
    """`popc` and its kin, of what has a width."""
    if a.is_open or a.type == "bool" or a.is_constant or (a.type == "i64" and a.is_made is None and not a.error):
        raise Skip
    text, bits = f"{name}({a.text})", width(a.type)
    t = {"brev": a.type, "bits": f"u{bits}"}.get(name, "i32")

    def make():
        if a.is_made:
            raise Refused("width")
        return Value(text, t, lambda thread: low_bits(t, BIT_FUNCTIONS[name](a.run(thread) % (1 << bits), bits)), is_made=False, is_sum=False)

    return built(text, True, (a,), make)


def truth(text, operands, run):
    """A bool; of what is constant nothing is said, since it may not be computed at all."""
    if all(v.is_constant for v in operands):
        raise Skip
    return built(text, False, operands, lambda: Value(text, "bool", lambda thread: int(bool(run(thread))), False, is_sum=False))


def compared(values, ops):
    """A chain of comparisons; an operand behind one that is false is not computed."""
    if any(a.is_constant and b.is_constant for a, b in zip(values, values[1:])):
        raise Skip

    def run(thread):
        left = values[0].run(thread)
        for op, v in zip(ops, values[1:]):
            right = v.run(thread)
            if not EXACT[op](left, right):
                return False
            left = right
        return True

    return truth(values[0].inner() + "".join(f" {op} {v.inner()}" for op, v in zip(ops, values[1:])), values, run)

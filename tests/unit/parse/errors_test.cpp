// Tests what is said about wrong texts, and that later errors are found too.
#include <gtest/gtest.h>

#include "tests/unit/parse/parsed.h"

namespace kern {
namespace {

// Parses the body of a function, which begins on line 2, and returns what was reported.
std::string errors(std::string_view body) {
  return Parsed(fmt::format("def f(x):\n{}\n    return x\n", body)).messages();
}

struct Case {
  std::string_view text, messages;
};

TEST(errors, in_functions) {
  const Case cases[] = {
      {"    x = 1 +", "2:12 expected an expression after `+`, found the end of the line\n"},
      {"    x = # nothing", "2:8 expected a value after `=`, found the end of the line\n"},
      {"    f(a b)", "2:9 expected `,` or `)`, found `b`\n"},
      {"    x[]", "2:7 expected an index, found `]`\n"},
      {"    x.1", "2:6 expected the end of the statement, found `.1`\n"},
      {"    x. = 1", "2:8 expected a name after `.`, found `=`\n"},
      {"    x = 1 if 2",
       "2:15 expected `else` and the value for the other case, found the end of the line\n"},
      {"    x = in", "2:9 expected an expression after `=`, found the keyword `in`\n"},
      {"    print 'x'", "2:11 expected `(` after `print`, found a string\n"},
      {"    g(x):\n        pass",
       "2:9 expected `if`, `while`, `for` or `def` before a line that ends in `:`, found none of them\n"},
      {"    if x then:\n        pass", "2:10 expected `:` after the condition, found `then`\n"},
      {"    if x", "2:9 expected `:` after the condition, found the end of the line\n"},
      {"    if x {\n    }", "2:10 expected `:` after the condition, found `{`\n"},
      {"    while x:", "2:13 expected an indented block after the condition\n"},
      {"    x = (1 + 2]", "2:15 expected `,` or `)`, found `]`\n"},
      {"    x = [(1]", "2:12 expected `,` or `)`, found `]`\n"},
      {"    x = 1 && 2 || !3",
       "2:11 `&&` is not an operator of Kern; write `and`\n2:16 `||` is not an operator of Kern; write `or`\n"
       "2:19 `!` is not an operator of Kern; write `not`\n"},
      {"    x++", "2:6 `++` is not an operator of Kern; write `x += 1`\n"},
      {"    --x", "2:5 `--` is not an operator of Kern; write `x -= 1`\n"},
      {"    x = a ? b : c", "2:11 `?` is not an operator of Kern; write `a if condition else b`\n"},
      {"    x = a->b", "2:10 `->` is not an operator of Kern; write `.`\n"},
      {"    x === 1", "2:7 `===` is not an operator of Kern; write `==`\n"},
      {"    x = a <> b", "2:11 `<>` is not an operator of Kern; write `!=`\n"},
      {"    // note", "2:5 `//` is not an operator of Kern; write `#` before a comment\n"},
      {"    int i = 0", "2:5 the type stands behind the name: `i: i32`\n"},
      {"    if x = 1: pass", "2:10 `=` assigns and has no value; to compare write `==`\n"},
      {"    f((x = 1))", "2:10 `=` assigns and has no value; to compare write `==`\n"},
      {"    f(x) = 1", "2:5 the result of a call cannot be assigned to\n"},
      {"    a, 1 = x", "2:8 a literal cannot be assigned to\n"},
      {"    x == 1 = y", "2:5 a comparison cannot be assigned to\n"},
      {"    a, b += 1", "2:5 a tuple before `+=` cannot be assigned to\n"},
      {"    for 1 in x: pass", "2:9 a literal cannot be assigned to\n"},
      {"    for i x: pass", "2:11 expected `in`, found `x`\n"},
      {"    if x: pass\n    else if x: pass", "3:5 `else if` is written `elif`\n"},
      {"    x = 0x1_0000_0000_0000_0000", "2:9 this integer needs more than 64 bits\n"},
      {"    x = 'ab\\xg'", "2:12 this escape stands for no character: hexadecimal digits are missing\n"},
      {"    x: f32, y = 1", "2:11 expected the end of the statement, found `,`\n"},
  };
  for (const Case& row : cases) EXPECT_EQ(errors(row.text), row.messages) << row.text;
}

TEST(errors, name_the_python_that_is_no_kern) {
  const Case cases[] = {
      {"    try:\n        x\n    except E as e:\n        y\n    else: z\n    finally: z", "2:5 `try`"},
      {"    with a as b, c:\n        x", "2:5 `with`"},
      {"    async for i in x:\n        y", "2:5 `async`"},
      {"    def g(): pass", "2:5 a function inside a function"},
      {"    @a\n    def g():\n        yield", "2:5 a function inside a function"},
      {"    class A: pass", "2:5 a class inside a function"},
      {"    match x:\n        case 1: pass", "2:5 a `match` statement"},
      {"    for (i = 0; i < 3; i++):\n        pass", "2:5 a `for` with semicolons"},
      {"    global a", "2:5 `global`"},
      {"    nonlocal a", "2:5 `nonlocal`"},
      {"    import a", "2:5 an import inside a function"},
      {"    from a import b", "2:5 an import inside a function"},
      {"    type X = a", "2:5 a `type` statement"},
      {"    print >>a, b", "2:5 `print >>`"},
      {"    raise a from b", "2:13 `raise ... from`"},
      {"    x = lambda y: y", "2:9 `lambda`"},
      {"    x = yield", "2:9 `yield`"},
      {"    await x", "2:5 `await`"},
      {"    x = f'{y}'", "2:9 an f-string"},
      {"    x = 'a' f'b'", "2:13 an f-string"},
      {"    x = b'a'", "2:9 a bytes literal"},
      {"    x = {1: 2}", "2:9 a dict or set display"},
      {"    x = [y for y in x]", "2:9 a list comprehension"},
      {"    f(y for y in x)", "2:7 a generator expression"},
      {"    x = (y async for y in x)", "2:9 a generator expression"},
      {"    f(**x)", "2:7 `**` in a call"},
      {"    x = *y", "2:9 a starred value alone"},
      {"    a, b: i32 = x", "2:9 a type for several targets"},
  };
  for (const Case& row : cases) {
    std::string got = errors(row.text);
    EXPECT_TRUE(got.starts_with(std::string(row.messages) + " is not part of Kern; ")) << row.text << "\n"
                                                                                       << got;
    EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 1) << got;
  }
}

TEST(errors, in_heads_of_functions) {
  const Case cases[] = {
      {"def f(a, /): pass\n", "1:10 `/` among parameters"},
      {"def f(a, *, b): pass\n", "1:10 `*` among parameters"},
      {"def f(**a): pass\n", "1:7 a `**` parameter"},
      {"def f(*a, b): pass\n", "1:11 a parameter after `*`"},
      {"def f[T](a: T): pass\n", "1:6 a list of type parameters"},
      {"def f(a, a): pass\n", "1:10 `a` is given twice"},
      {"def f(a=1, b): pass\n", "1:12 `b` has no default"},
      {"def f(float a): pass\n", "1:7 the type stands behind the name: `a: float`"},
      {"def (a): pass\n", "1:5 expected the function's name after `def`, found `(`"},
      {"def f: pass\n", "1:6 expected `(` after the function's name, found `:`"},
      {"def f(a):\nX = 1\n", "1:10 expected an indented block after the head of the function"},
      {"def f(a\n    pass\n", "1:6 `(` is never closed"},
      {"@\ndef f(): pass\n", "1:2 expected an expression after `@`"},
      {"@a\nX = 1\n", "2:1 expected `def` or `class` after a decorator"},
      {"@a\nasync def f(): pass\n", "2:1 `async`"},
      {"@struct\nclass P(Q):\n    x: f32\n", "2:9 a base class"},
      {"@struct\nclass P:\n    def f(self): pass\n", "3:5 a method cannot stand in a struct"},
      {"@struct\nclass P:\n    x = 1\n", "3:5 this statement cannot stand in a struct"},
      {"@struct\nclass P:\n    x: f32\n    x: i32\n", "4:5 `x` is given twice"},
  };
  for (const Case& row : cases) {
    std::string got = Parsed(std::string(row.text)).messages();
    EXPECT_TRUE(got.starts_with(row.messages)) << row.text << got;
    EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 1) << got;
  }
}

TEST(errors, code_that_a_kern_file_does_not_hold) {
  for (std::string text :
       {"print(1)", "for i in x: pass", "if x:\n    a\nelse:\n    b", "x[0] = 1", "x += 1", "del x",
        "try:\n    a\nexcept: b", "with a: b", "class A:\n    x = 1", "async def f(): pass", "while x: y",
        "match x:\n    case 1: y", "assert x", "pass"}) {
    Parsed parsed(text + "\nX = 1\n");
    EXPECT_EQ(parsed.codes(), "E0213") << text;
    EXPECT_EQ(parsed.module->items.size(), 1u) << text;
  }
}

TEST(errors, each_statement_has_its_own) {
  EXPECT_EQ(Parsed("def f(x):\n"
                   "    if x = 1:\n"
                   "        y = \n"
                   "    z = (1,\n"
                   "    for i in :\n"
                   "        try: a\n"
                   "        finally: b\n"
                   "        c = 1\n"
                   "          c = 1\n"
                   "    else:\n"
                   "        d = 1 2\n"
                   "    while:\n"
                   "        break 1\n"
                   "    e )\n"
                   "print(f)\n")
                .codes(),
            "E0209 E0201 E0204 E0201 E0206 E0207 E0201 E0201 E0201 E0205 E0213");
}

TEST(errors, limits) {
  auto repeat = [](std::string_view text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
  };
  for (std::string_view text : {"(", "[", "f(", "a[", "-", "not ", "1 if 1 else ", "1 ** "})
    EXPECT_EQ(Parsed("X = " + repeat(text, 100000) + "1\n").codes(), "E0501") << text;
  for (std::string_view text : {".b", "(1)", "[1]", " + 1"})
    EXPECT_EQ(Parsed("X = a" + repeat(text, 100000) + "\n").codes(), "E0501") << text;
  for (std::string_view text :
       {" and 1", " < 1", ", 1", "\\\n + 1"}) // a chain of the last kind is a tree of its length
    EXPECT_EQ(Parsed("X = a" + repeat(text, 400) + "\n").codes(), "") << text;
  std::string blocks = "def f(x):\n";
  for (int i = 1; i < 300; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  EXPECT_EQ(Parsed(blocks + std::string(300, ' ') + "pass\n").codes(), "E0501");
  EXPECT_EQ(Parsed("def f(x):\n if x: pass\n" + repeat(" elif x: pass\n", 10000)).codes(), "E0501");
}

} // namespace
} // namespace kern

// A .py file: what Kern takes from it, and the host code that it passes over in silence.
#include <gtest/gtest.h>

#include "tests/unit/parse/parsed.h"

namespace kern {
namespace {

// Returns "kept K skipped S codes", the code only where something was reported.
std::string summary(std::string text) {
  Parsed parsed(std::move(text), TopLevel::Lenient);
  return fmt::format("{} {} {}", parsed.module->items.size(), parsed.module->skipped.size(), parsed.codes());
}

TEST(lenient, host_code_is_skipped) {
  for (std::string text : {
           "if __name__ == '__main__':\n    main()\nelif x:\n    pass\nelse:\n    pass\n",
           "try:\n    import cupy\nexcept ImportError as e:\n    cupy = None\nfinally:\n    pass\n",
           "with open('f') as f, g:\n    x = f'{f!r:>{w}}'\n",
           "async def f():\n    async with a: await b\n",
           "class A(B, metaclass=C):\n    @property\n    def f(self): return {1: 2}\n\n    x: int = 3\n",
           "for i in range(3):\n    print(i)\nelse:\n    pass\n",
           "match x:\n    case [1, *_]: pass\n",
           "@a.b(lambda: 1)\n@c\nclass D: pass\n",
           "def f(a, /, *, b, **c): pass\n",
           "def f(): yield 1\n",
           "def f[T](x: T) -> T: return x\n",
           "f = lambda *x: x\n",
           "d = {**a, 'b': 1}\n",
           "x = {'a': [y for y in z]}\n",
           "x = 0xFFFF_FFFF_FFFF_FFFF_FFFF\n",
           "x = b'abc' + '\\N{DASH}'.encode()\n",
           "print((y := 3))\n",
           "assert x; ",
           "type X[T] = list[T]\n",
           "x: int\n",
       })
    EXPECT_EQ(summary(text), "0 1 ") << text;
}

TEST(lenient, items_are_kept) {
  for (std::string text : {
           "import numpy as np\n",
           "from . import (a, b)\n",
           "N = 16\n",
           "x[0] = 1\n",
           "f = lambda x, y=2: x + y\n",
           "f = cuda.jit(device=True)(lambda: 1)\n",
           "d = {}\n",
           "d = {'a': 1, 2: (3, 4),}\n",
           "X: int = np.zeros(3)\n",
           "def f(x): return x + 1\n",
           "@pytest.fixture\ndef f(x): return x\n",
           "@njit(cache=True)\ndef f(x): return x\n",
           "@cuda.jit('void(f4[:])', device=True)\ndef f(x): return x\n",
       })
    EXPECT_EQ(summary(text), "1 0 ") << text;
}

TEST(lenient, a_line_is_taken_apart) {
  EXPECT_EQ(summary("a = 1; b = {x for x in a}; c = 2; d = lambda *x: 1; import e\n"), "3 2 ");
}

TEST(lenient, bodies_of_host_code_are_parsed_aside) {
  Parsed parsed(
      "def make(n, *rest, k=2):\n    c = n\n    if n:\n        @cuda.jit\n        def f(x): x[0] = c\n"
      "    class A:\n        def g(self):\n            yield 1\n    return f\n",
      TopLevel::Lenient);
  const ast::HostStatement& make = parsed.module->statements.front();
  ASSERT_TRUE(make.body);
  EXPECT_EQ(make.params.size(), 3u);
  EXPECT_TRUE(make.body->result);
  EXPECT_EQ(make.body->items.size(), 1u);
  ASSERT_EQ(make.body->statements.size(), 4u);
  ASSERT_TRUE(make.body->statements[1].body);
  EXPECT_EQ(make.body->statements[1].body->items.size(), 1u);
  EXPECT_TRUE(parsed.diagnostics.all().empty());
}

TEST(lenient, kernels_are_meant_for_kern) {
  for (std::string_view decorator :
       {"cuda.jit", "jit", "kernel", "device", "cuda.jit(device=True)", "a.b.c.jit(x)"})
    EXPECT_EQ(summary(fmt::format("@other\n@{}\ndef f(x):\n    y = {{}}\n", decorator)), "1 0 E0206")
        << decorator;
}

TEST(lenient, jit_for_the_host_is_host_code) {
  std::string function = "def f(x):\n    y = {}\n";
  EXPECT_EQ(summary("from numba import cuda, jit\n@jit\n" + function), "1 1 ");
  EXPECT_EQ(summary("import numba as nb\n@nb.jit(nopython=True)\n" + function), "1 1 ");
  EXPECT_EQ(summary("import numba\n@numba.cuda.jit\n" + function), "2 0 E0206");
  EXPECT_EQ(summary("from numba.cuda import jit\n@jit\n" + function), "2 0 E0206");
  EXPECT_EQ(summary("@njit\n" + function), "0 1 ");
}

TEST(lenient, skipped_spans_cover_the_statement) {
  Parsed parsed("N = 1\nif a:\n    b\nelse:\n    c\n\nM = 2\n", TopLevel::Lenient);
  ASSERT_EQ(parsed.module->skipped.size(), 1u);
  EXPECT_EQ(parsed.sources.text(parsed.module->skipped[0]), "if a:\n    b\nelse:\n    c");
}

} // namespace
} // namespace kern

// A .py file: what Kern takes from it, and the host code, which is never an error.
#include <gtest/gtest.h>

#include "tests/unit/parse/parsed.h"

namespace kern {
namespace {

std::vector<ast::HostStatement> host_code(const ast::Module& module) {
  std::vector<ast::HostStatement> found(module.statements.begin(), module.statements.end());
  std::erase_if(found, [](const ast::HostStatement& each) { return each.is_item; });
  return found;
}

// Returns how many items there are and how many statements of the host, and the code where something was reported.
std::string summary(std::string text) {
  Parsed parsed(std::move(text), TopLevel::Host);
  return fmt::format("{} {} {}", parsed.module->items.size(), host_code(*parsed.module).size(),
                     parsed.codes());
}

TEST(host, host_code_is_skipped) {
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
           "x = 0xFFFF_FFFF_FFFF_FFFF_FFFF\n",
           "x = b'abc' + '\\N{DASH}'.encode()\n",
           "print((y := 3))\n",
           "assert x; ",
           "type X[T] = list[T]\n",
           "x: int\n",
       })
    EXPECT_EQ(summary(text), "0 1 ") << text;
}

TEST(host, items_are_kept) {
  for (std::string text : {
           "import numpy as np\n",
           "from . import (a, b)\n",
           "N = 16\n",
           "x[0] = 1\n",
           "f = lambda x, y=2: x + y\n",
           "f = cuda.jit(device=True)(lambda: 1)\n",
           "d = {}\n",
           "d = {'a': 1, 2: (3, 4),}\n",
           "x = {'a': [y for y in z]}\n",
           "X: int = np.zeros(3)\n",
           "def f(x): return x + 1\n",
           "@pytest.fixture\ndef f(x): return x\n",
           "@njit(cache=True)\ndef f(x): return x\n",
           "@cuda.jit('void(f4[:])', device=True)\ndef f(x): return x\n",
       })
    EXPECT_EQ(summary(text), "1 0 ") << text;
}

TEST(host, a_line_is_taken_apart) {
  EXPECT_EQ(summary("a = 1; b = {x for x in a}; c = 2; d = lambda *x: 1; import e\n"), "3 2 ");
  EXPECT_EQ(summary("assert x; a = 1; del b; c = 2\n"), "2 2 ");
}

TEST(host, bodies_of_host_code_are_parsed_aside) {
  Parsed parsed(
      "def make(n, *rest, k=2):\n    c = n\n    if n:\n        @cuda.jit\n        def f(x): x[0] = c\n"
      "    class A(B):\n        def g(self):\n            yield 1\n    return f\n",
      TopLevel::Host);
  const ast::HostStatement& make = parsed.module->statements.front();
  ASSERT_TRUE(make.code);
  EXPECT_EQ(make.params.size(), 3u);
  EXPECT_EQ(make.code->items.size(), 1u);
  ASSERT_EQ(make.code->statements.size(), 4u);
  ASSERT_EQ(make.code->statements[1].clauses.size(), 1u);
  EXPECT_EQ(make.code->statements[1].clauses[0].code->items.size(), 1u);
  EXPECT_EQ(make.code->statements[2].bases.size(), 1u);
  EXPECT_EQ(make.code->statements[3].simple.size(), 1u);
  EXPECT_TRUE(parsed.diagnostics.all().empty());
}

// Returns what a text does with names where it has no tree.
std::string uses_in(std::string text) {
  Parsed parsed(std::move(text), TopLevel::Host);
  std::string found;
  auto add = [&](std::span<const ast::NameUse> uses) {
    constexpr std::string_view words[] = {"reads", "sets", "binds"};
    for (const ast::NameUse& use : uses)
      found += fmt::format("{} {}{}{} ", words[static_cast<int>(use.kind)], use.name,
                           use.attribute.empty() ? "" : ".", use.attribute);
  };
  for (const ast::HostStatement& statement : parsed.module->statements) {
    add(statement.uses);
    for (const ast::HostClause& clause : statement.clauses) add(clause.uses);
  }
  return found;
}

TEST(host, names_in_statements_without_a_tree) {
  EXPECT_EQ(uses_in("x = a.b + f(c=1)\n"), "");
  EXPECT_EQ(uses_in("x, (y, *z[i]) = d.e = yield a.b(c=g)\n"),
            "binds x binds y reads i reads z sets d.e reads a.b reads g ");
  EXPECT_EQ(uses_in("a.b.c += await d\n"), "reads a.b reads a.b reads d ");
  EXPECT_EQ(uses_in("a **= await b == c\n"), "reads a binds a reads b reads c ");
  EXPECT_EQ(uses_in("await a >= b\n"), "reads a reads b ");
  EXPECT_EQ(uses_in("await f((y := z), k=f'{w + 1}')\n"), "reads f binds y reads z reads w reads 1 ");
  EXPECT_EQ(uses_in("setattr(a, 'b', yield); setattr(a, c, yield)\n"),
            "sets a.* reads setattr reads a sets a.* reads setattr reads a reads c ");
  EXPECT_EQ(uses_in("exec(yield)\n"), "binds * reads exec ");
}

TEST(host, names_in_heads_without_a_tree) {
  EXPECT_EQ(uses_in("for i, a[0] in (yield b): c = 1\n"), "binds i reads a reads b ");
  EXPECT_EQ(uses_in("with (yield a) as b, c as d.e: pass\n"), "reads a binds b reads c sets d.e ");
  EXPECT_EQ(uses_in("match a:\n    case [b, C.d]: pass\n"), "binds b ");
  EXPECT_EQ(uses_in("match (yield a):\n    case C(b) as c: pass\n"), "reads a binds b binds c ");
  EXPECT_EQ(uses_in("@a(lambda *x: b)\ndef f(c, /, d=e): pass\n"), "reads a reads x reads b reads e ");
}

TEST(host, kernels_are_meant_for_kern) {
  for (std::string_view decorator :
       {"cuda.jit", "jit", "kernel", "device", "cuda.jit(device=True)", "a.b.c.jit(x)"})
    EXPECT_EQ(summary(fmt::format("@other\n@{}\ndef f(x):\n    y = {{}}\n", decorator)), "1 0 E0206")
        << decorator;
}

TEST(host, jit_for_the_host_is_host_code) {
  std::string function = "def f(x):\n    y = {}\n";
  EXPECT_EQ(summary("from numba import cuda, jit\n@jit\n" + function), "1 1 ");
  EXPECT_EQ(summary("import numba as nb\n@nb.jit(nopython=True)\n" + function), "1 1 ");
  EXPECT_EQ(summary("import numba\n@numba.cuda.jit\n" + function), "2 0 E0206");
  EXPECT_EQ(summary("from numba.cuda import jit\n@jit\n" + function), "2 0 E0206");
  EXPECT_EQ(summary("@njit\n" + function), "0 1 ");
}

TEST(host, skipped_spans_cover_the_statement) {
  Parsed parsed("N = 1\nif a:\n    b\nelse:\n    c\n\nM = 2\n", TopLevel::Host);
  ASSERT_EQ(host_code(*parsed.module).size(), 1u);
  EXPECT_EQ(parsed.sources.text(host_code(*parsed.module)[0].span), "if a:\n    b\nelse:\n    c");
}

} // namespace
} // namespace kern

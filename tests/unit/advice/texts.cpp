// What is written of names and texts, letter by letter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "compiler/advice/advice.h"
#include "tests/unit/advice/tree.h"

namespace kern {
namespace {

TEST(Cast, NamesTheType) {
  EXPECT_EQ(advice::cast("n", types::u64), "u64(n)");
  EXPECT_EQ(advice::cast("a + b", types::f32), "f32(a + b)");
  EXPECT_EQ(advice::cast("a if b else c", types::i8), "i8(a if b else c)");
}

TEST(Cast, ComparesForABool) {
  EXPECT_EQ(advice::cast("n", types::boolean), "n != 0");
  EXPECT_EQ(advice::cast("n & 1", types::boolean), "n & 1 != 0");
  EXPECT_EQ(advice::cast("a < b", types::boolean), "(a < b) != 0");
  EXPECT_EQ(advice::cast("not a", types::boolean), "(not a) != 0");
}

TEST(Cast, LeavesOutATypeWithoutACast) { EXPECT_EQ(advice::cast("n", types::int_literal), "...(n)"); }

TEST(Texts, AreInBracketsWhereTheyAreLeftOut) {
  EXPECT_EQ(advice::binary("...", ast::BinaryOp::Add, "..."), "(...) + (...)");
  EXPECT_EQ(advice::element("...", "i"), "(...)[i]");
  EXPECT_EQ(advice::cast("...", types::i64), "i64(...)");
}

TEST(Texts, AreInBracketsWhereTheyAreNoExpression) {
  EXPECT_EQ(advice::binary("a b", ast::BinaryOp::Multiply, "c"), "(a b) * c");
  EXPECT_EQ(advice::primary("a +"), "(a +)");
  EXPECT_EQ(advice::primary("a, b"), "(a, b)");
  EXPECT_EQ(advice::primary("n := a"), "(n := a)");
  EXPECT_EQ(advice::primary(""), "()");
}

TEST(Texts, KeepTheirOwnBrackets) {
  EXPECT_EQ(advice::primary("(a + b)"), "(a + b)");
  EXPECT_EQ(advice::primary("((a + b))"), "((a + b))");
  EXPECT_EQ(advice::primary("( a + b )"), "( a + b )");
  EXPECT_EQ(advice::primary("(a, b)"), "(a, b)");
  EXPECT_EQ(advice::primary("(a) + (b)"), "((a) + (b))");
  EXPECT_EQ(advice::primary("(a)[b]"), "(a)[b]");
}

TEST(Texts, HaveOperatorsInStringsThatAreNone) {
  EXPECT_EQ(advice::primary("'a + b'"), "'a + b'");
  EXPECT_EQ(advice::primary("'it\\'s) + ('"), "'it\\'s) + ('");
  EXPECT_EQ(advice::primary("a['x or y']"), "a['x or y']");
  EXPECT_EQ(advice::primary("f(')') + 1"), "(f(')') + 1)");
}

TEST(Texts, HaveSignsInNumbersThatAreNone) {
  EXPECT_EQ(advice::primary("1e-5"), "1e-5");
  EXPECT_EQ(advice::primary("0x1e-5"), "(0x1e-5)");
  EXPECT_EQ(advice::primary("1_000"), "1_000");
  EXPECT_EQ(advice::binary("x", ast::BinaryOp::Power, "-2"), "x ** -2");
  EXPECT_EQ(advice::binary("-2", ast::BinaryOp::Power, "x"), "(-2) ** x");
}

TEST(Texts, HaveOperatorsInNamesThatAreNone) {
  EXPECT_EQ(advice::primary("order"), "order");
  EXPECT_EQ(advice::primary("not_a"), "not_a");
  EXPECT_EQ(advice::primary("iffy.elsewhere"), "iffy.elsewhere");
  EXPECT_EQ(advice::primary("größe"), "größe");
}

TEST(Texts, MayHaveLinesAndComments) {
  EXPECT_EQ(advice::primary("f(a,\n  b)"), "f(a,\n  b)");
  EXPECT_EQ(advice::primary("a +\n  b"), "(a +\n  b)");
  EXPECT_EQ(advice::primary("a[i] # the (first"), "a[i] # the (first");
  EXPECT_EQ(advice::primary("f(a, # one + two\n  b)"), "f(a, # one + two\n  b)");
}

TEST(Call, TakesAnyFunction) {
  EXPECT_EQ(advice::call("f", "..."), "f(...)");
  EXPECT_EQ(advice::call("math.sqrt", "a + b"), "math.sqrt(a + b)");
  EXPECT_EQ(advice::call("f if a else g", ""), "(f if a else g)()");
}

TEST(Element, TakesAnyIndex) {
  EXPECT_EQ(advice::element("a", "()"), "a[()]");
  EXPECT_EQ(advice::element("pair or other", "1"), "(pair or other)[1]");
}

TEST(Declaration, HasTheTypeAndAValue) {
  EXPECT_EQ(advice::declaration("total", types::f32), "total: f32 = ...");
  EXPECT_EQ(advice::declaration("h", types::u32, "5381"), "h: u32 = 5381");
}

TEST(Atomic, HasTheNamesOfItsModule) {
  EXPECT_EQ(advice::atomic("", "add", "m", "i", "x[i]"), "atomic.add(m, i, x[i])");
  EXPECT_EQ(advice::atomic("cuda.", "max", "m", "(i, j)", "v"), "cuda.atomic.max(m, (i, j), v)");
}

TEST(Atomic, TakesIndicesInBracketsWhereThereAreSeveral) {
  EXPECT_EQ(advice::index(std::array{std::string("i + 1")}), "i + 1");
  EXPECT_EQ(advice::index(std::array{std::string("i"), std::string("j // 2")}), "(i, j // 2)");
}

TEST(Index, IsTakenFromAnElement) {
  EXPECT_EQ(advice::index_in("m[i + 1]", "m"), "i + 1");
  EXPECT_EQ(advice::index_in("m[i, int(x[i]) % 4]", "m"), "(i, int(x[i]) % 4)");
  EXPECT_EQ(advice::index_in("m[(i), j]", "m"), "((i), j)");
  EXPECT_EQ(advice::index_in("m[(i, j)]", "m"), "(i, j)");
  EXPECT_EQ(advice::index_in("p.x[i]", "p.x"), "i");
  EXPECT_EQ(advice::index_in("m[']']", "m"), "']'");
  EXPECT_EQ(advice::index_in("m[i,\n  j]", "m"), "(i, j)");
}

TEST(Index, IsOfOneElementOfThatArray) {
  EXPECT_EQ(advice::index_in("m[i][j]", "m"), std::nullopt);
  EXPECT_EQ(advice::index_in("m[i]", "n"), std::nullopt);
  EXPECT_EQ(advice::index_in("m[i:j]", "m"), std::nullopt);
  EXPECT_EQ(advice::index_in("m[i, :]", "m"), std::nullopt);
  EXPECT_EQ(advice::index_in("m", "m"), std::nullopt);
  EXPECT_EQ(advice::index_in("m[i] + m[j]", "m"), std::nullopt);
  EXPECT_EQ(advice::index_in("m[i", "m"), std::nullopt);
  EXPECT_EQ(advice::index_in("m[i, # one\n  j]", "m"), std::nullopt);
}

// Returns the name behind a target, whose end is the first `]` of a text.
std::optional<std::string> name_behind(const std::string& text) {
  SourceManager sources;
  const FileId file = sources.add("test.kern", text);
  return advice::name_behind(sources, {file, 0, static_cast<std::uint32_t>(text.find(']')) + 1});
}

TEST(NameBehind, IsAllThatStandsThere) {
  EXPECT_EQ(name_behind("m[0] += v\nw = 1\n"), "v");
  EXPECT_EQ(name_behind("m[0]|=größe # all"), "größe");
  EXPECT_EQ(name_behind("m[0] = v; n[0] = w"), "v");
}

TEST(NameBehind, IsNoOtherExpression) {
  EXPECT_EQ(name_behind("m[0] += 1\n"), std::nullopt);
  EXPECT_EQ(name_behind("m[0] += v + 1\n"), std::nullopt);
  EXPECT_EQ(name_behind("m[0] += v[0]\n"), std::nullopt);
  EXPECT_EQ(name_behind("m[0] += -v\n"), std::nullopt);
  EXPECT_EQ(name_behind("m[0]\nv = 1\n"), std::nullopt);
  EXPECT_EQ(name_behind("m[0]"), std::nullopt);
}

// Returns a text in which a part has another text.
std::string replaced(const std::string& text, const std::string& part, std::string_view by) {
  SourceManager sources;
  const FileId file = sources.add("test.kern", "x = " + text + " # behind");
  const auto begin = static_cast<std::uint32_t>(sources.file(file).text.find(part));
  const Span whole{file, 4, 4 + static_cast<std::uint32_t>(text.size())};
  return advice::replaced(sources, whole, {file, begin, begin + static_cast<std::uint32_t>(part.size())}, by);
}

TEST(Replaced, ChangesThePartAlone) {
  EXPECT_EQ(replaced("a * n + b", "n", "f32(n)"), "a * f32(n) + b");
  EXPECT_EQ(replaced("n + b", "n", "f64(n)"), "f64(n) + b");
  EXPECT_EQ(replaced("a + n", "n", "f64(n)"), "a + f64(n)");
  EXPECT_EQ(replaced("n", "n", "i8(n)"), "i8(n)");
}

TEST(Replaced, IsOneLine) {
  EXPECT_EQ(replaced("a *\n     n", "n", "f32(n)"), "a * f32(n)");
  EXPECT_EQ(replaced("f(a,\n     n)", "n", "f32(n)"), "f(a, f32(n))");
  EXPECT_EQ(replaced("f(\n     n\n)", "n", "f32(n)"), "f(f32(n))");
}

TEST(Replaced, IsLeftOutWhereItIsLongOrHasAComment) {
  EXPECT_EQ(replaced("f(a, # one\n  n)", "n", "f32(n)"), "...");
  EXPECT_EQ(replaced(fmt::format("{:a<100} + n", ""), "n", "f32(n)"), "...");
}

} // namespace
} // namespace kern

// Every form inside of every other one: the tree of what is written is that of the parts put together, and no brackets are
// written without which it would be the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "compiler/advice/advice.h"
#include "tests/unit/advice/tree.h"

namespace kern {
namespace {

constexpr ast::BinaryOp binary_ops[] = {
    ast::BinaryOp::Add,        ast::BinaryOp::Subtract,       ast::BinaryOp::Multiply,
    ast::BinaryOp::Divide,     ast::BinaryOp::FloorDivide,    ast::BinaryOp::Modulo,
    ast::BinaryOp::Power,      ast::BinaryOp::MatrixMultiply, ast::BinaryOp::ShiftLeft,
    ast::BinaryOp::ShiftRight, ast::BinaryOp::BitAnd,         ast::BinaryOp::BitOr,
    ast::BinaryOp::BitXor};
constexpr ast::UnaryOp unary_ops[] = {ast::UnaryOp::Negative, ast::UnaryOp::Positive, ast::UnaryOp::Invert,
                                      ast::UnaryOp::Not};

// Returns a text of each form that an expression has.
std::vector<std::string> forms() {
  std::vector<std::string> texts = {"a",
                                    "255",
                                    "0x1F",
                                    "1e-3",
                                    "2.5",
                                    "1e+5j",
                                    "True",
                                    "None",
                                    "'a + b'",
                                    "\"a if b else c\"",
                                    "f(a + b, k=c)",
                                    "a[i + 1, j or k]",
                                    "a[i:j + 1]",
                                    "a.real",
                                    "(a, b + c)",
                                    "[a, b]",
                                    "(a + b)",
                                    "(a if b else c)",
                                    "(a + b).real",
                                    "(a or b)[i]",
                                    "(a - b) * (c - d)",
                                    "(a) + (b)",
                                    "a < b",
                                    "a < b <= c",
                                    "a is not None",
                                    "a not in b",
                                    "a == b",
                                    "a and b",
                                    "a or b",
                                    "not a",
                                    "not a == b",
                                    "a if b else c",
                                    "-a ** -b",
                                    "a ** -b",
                                    "a ** b ** c",
                                    "--a",
                                    "~a.real",
                                    "a - b - c",
                                    "a * b + c",
                                    "a + b * c",
                                    "a << b + c",
                                    "a & b | c ^ d",
                                    "f(a)(b)[c].d",
                                    "a +\n  b",
                                    "f(a,\n  b)",
                                    "a if b\n  else c"};
  for (const ast::BinaryOp op : binary_ops) texts.push_back(fmt::format("a {} b", spelling(op)));
  for (const ast::UnaryOp op : unary_ops)
    texts.push_back(fmt::format("{}{}a", spelling(op), op == ast::UnaryOp::Not ? " " : ""));
  return texts;
}

// A text that may have lines is read as one in brackets.
std::string tree_of_form(std::string_view text) { return tree_of(fmt::format("({})", text)); }

// Says whether a text has brackets of its own around a form, and would have the same tree without them.
bool has_needless_brackets(std::string_view text, std::string_view form) {
  const std::string with = fmt::format("({})", form);
  const std::size_t place = text.find(with);
  if (place == text.npos) return false;
  std::string without(text);
  without.replace(place, with.size(), form);
  return tree_of_form(without) == tree_of_form(text);
}

bool is_shift(ast::BinaryOp op) { return op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight; }

TEST(Precedence, KeepsTheLeftOperand) {
  for (const ast::BinaryOp op : binary_ops)
    for (const std::string& form : forms()) {
      const std::string text = advice::binary(form, op, "x");
      EXPECT_EQ(tree_of_form(text), fmt::format("({} {} x)", spelling(op), tree_of_form(form))) << text;
    }
}

TEST(Precedence, KeepsTheRightOperand) {
  for (const ast::BinaryOp op : binary_ops)
    for (const std::string& form : forms()) {
      const std::string text = advice::binary("x", op, form);
      EXPECT_EQ(tree_of_form(text), fmt::format("({} x {})", spelling(op), tree_of_form(form))) << text;
    }
}

TEST(Precedence, WritesNoBracketsThatAreNotNeeded) {
  for (const ast::BinaryOp op : binary_ops) {
    // A shift has more than it needs.
    if (is_shift(op)) continue;
    for (const std::string& form : forms()) {
      EXPECT_FALSE(has_needless_brackets(advice::binary(form, op, "x"), form)) << form << " " << spelling(op);
      EXPECT_FALSE(has_needless_brackets(advice::binary("x", op, form), form)) << spelling(op) << " " << form;
    }
  }
}

TEST(Precedence, BracketsSumsAndProductsBesideAShift) {
  EXPECT_EQ(advice::binary("a + b", ast::BinaryOp::ShiftLeft, "c * d"), "(a + b) << (c * d)");
  EXPECT_EQ(advice::binary("a << b", ast::BinaryOp::ShiftRight, "-c"), "(a << b) >> -c");
  EXPECT_EQ(advice::binary("a ** 2", ast::BinaryOp::ShiftLeft, "f(b)"), "a ** 2 << f(b)");
  EXPECT_EQ(advice::binary("a << b", ast::BinaryOp::Add, "c"), "(a << b) + c");
}

TEST(Precedence, KeepsTheOperandOfOneOperator) {
  for (const ast::UnaryOp op : unary_ops)
    for (const std::string& form : forms()) {
      const std::string text = advice::unary(op, form);
      EXPECT_EQ(tree_of_form(text), fmt::format("(unary{} {})", spelling(op), tree_of_form(form))) << text;
    }
}

TEST(Precedence, WritesOneOperatorWithTheBracketsThatItNeeds) {
  EXPECT_EQ(advice::unary(ast::UnaryOp::Negative, "a + b"), "-(a + b)");
  EXPECT_EQ(advice::unary(ast::UnaryOp::Negative, "a * b"), "-(a * b)");
  EXPECT_EQ(advice::unary(ast::UnaryOp::Negative, "a ** b"), "-a ** b");
  EXPECT_EQ(advice::unary(ast::UnaryOp::Invert, "a[i]"), "~a[i]");
  EXPECT_EQ(advice::unary(ast::UnaryOp::Not, "a < b"), "not a < b");
  EXPECT_EQ(advice::unary(ast::UnaryOp::Not, "a and b"), "not (a and b)");
}

TEST(Precedence, KeepsWhatStandsInFront) {
  for (const std::string& form : forms()) {
    const std::string inner = tree_of_form(form);
    EXPECT_EQ(tree_of_form(advice::element(form, "i")), fmt::format("(element {} i)", inner)) << form;
    EXPECT_EQ(tree_of_form(advice::element(form, "i, j")), fmt::format("(element {} i j)", inner)) << form;
    EXPECT_EQ(tree_of_form(advice::call(form, "x")), fmt::format("(call {} x)", inner)) << form;
    // A point behind digits is one of a number.
    if (form == "255") continue;
    EXPECT_EQ(tree_of_form(advice::primary(form) + ".size"), fmt::format("(.size {})", inner)) << form;
  }
}

TEST(Precedence, KeepsWhatIsCast) {
  for (const std::string& form : forms()) {
    const std::string inner = tree_of_form(form);
    EXPECT_EQ(tree_of_form(advice::cast(form, types::u64)), fmt::format("(call u64 {})", inner)) << form;
    EXPECT_EQ(tree_of_form(advice::cast(form, types::boolean)), fmt::format("(!= {} 0)", inner)) << form;
  }
}

TEST(Precedence, NestsAsDeepAsItIsAsked) {
  // Each operator around what the one before gave, on both sides.
  std::string text = "a", tree = "a";
  for (int round = 0; round < 2; ++round)
    for (const ast::BinaryOp op : binary_ops) {
      const bool is_left = (static_cast<int>(op) + round) % 2 == 0;
      text = is_left ? advice::binary(text, op, "x") : advice::binary("x", op, text);
      tree = is_left ? fmt::format("({} {} x)", spelling(op), tree)
                     : fmt::format("({} x {})", spelling(op), tree);
      EXPECT_EQ(tree_of(text), tree);
    }
}

} // namespace
} // namespace kern

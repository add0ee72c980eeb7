// Texts and their trees, written on one line: a node's name and text, its children in parentheses.
#include <gtest/gtest.h>

#include "tests/unit/parse/parsed.h"

namespace kern {
namespace {

// Turns the printed tree, which shows depth by indents, into one line.
std::string folded(const std::string& printed) {
  std::string out;
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin < printed.size(); begin = printed.find('\n', begin) + 1) {
    std::string line = printed.substr(begin, printed.find('\n', begin) - begin);
    std::size_t indent = line.find_first_not_of(' ') / 2;
    if (begin > 0) out += indent > depth ? "(" : std::string(depth - indent, ')') + ", ";
    depth = indent;
    out += line.substr(2 * indent);
  }
  return out + std::string(depth, ')');
}

// Parses an expression as the right-hand side of a constant and returns its tree.
std::string tree(std::string_view expression) {
  Parsed parsed(fmt::format("X = {}\n", expression));
  EXPECT_EQ(parsed.messages(), "") << expression;
  constexpr std::string_view before = "Module(Assign(targets(Name X), value(";
  std::string text = folded(ast::print(*parsed.module));
  return text.starts_with(before) ? text.substr(before.size(), text.size() - before.size() - 3) : text;
}

struct Case {
  std::string_view text, tree;
};

TEST(tree, expressions) {
  const Case cases[] = {
      {"a + b * c ** -d ** e",
       "Binary +(Name a, Binary *(Name b, Binary **(Name c, Unary -(Binary **(Name d, Name e)))))"},
      {"a - b - c", "Binary -(Binary -(Name a, Name b), Name c)"},
      {"-a ** b", "Unary -(Binary **(Name a, Name b))"},
      {"a | b ^ c & d << e",
       "Binary |(Name a, Binary ^(Name b, Binary &(Name c, Binary <<(Name d, Name e))))"},
      {"a // b % c @ d / e",
       "Binary /(Binary @(Binary %(Binary //(Name a, Name b), Name c), Name d), Name e)"},
      {"not a and b or c", "BoolOp or(BoolOp and(Unary not(Name a), Name b), Name c)"},
      {"a or b or c", "BoolOp or(Name a, Name b, Name c)"},
      {"a or (b or c)", "BoolOp or(Name a, BoolOp or(Name b, Name c))"},
      {"a < b <= c != d", "Compare <, <=, !=(Name a, Name b, Name c, Name d)"},
      {"a is not b not in c is d", "Compare is not, not in, is(Name a, Name b, Name c, Name d)"},
      {"not a == b", "Unary not(Compare ==(Name a, Name b))"},
      {"a if b else c if d else e", "Conditional(condition(Name b), then(Name a), "
                                    "else(Conditional(condition(Name d), then(Name c), else(Name e))))"},
      {"~+-a", "Unary ~(Unary +(Unary -(Name a)))"},
      {"a.b(c)[d].e", "Attribute e(Subscript(Call(Attribute b(Name a), args(Name c)), indices(Name d)))"},
      {"f()", "Call(Name f)"},
      {"f(a, *b, c=d, *e,)",
       "Call(Name f, args(Name a, Starred(Name b), Starred(Name e)), keyword c(Name d))"},
      {"a[i, j]", "Subscript(Name a, indices(Name i, Name j))"},
      {"a[(i, j)]", "Subscript(Name a, indices(Tuple(Name i, Name j)))"},
      {"a[:, 1:, :2, ::3, 1:2:3, ...]",
       "Subscript(Name a, indices(Slice, Slice(start(IntLiteral 1)), Slice(stop(IntLiteral 2)), "
       "Slice(step(IntLiteral 3)), Slice(start(IntLiteral 1), stop(IntLiteral 2), step(IntLiteral 3)), "
       "EllipsisLiteral))"},
      {"()", "Tuple"},
      {"(a)", "Name a"},
      {"(a,)", "Tuple(Name a)"},
      {"a,", "Tuple(Name a)"},
      {"1, *a, 2", "Tuple(IntLiteral 1, Starred(Name a), IntLiteral 2)"},
      {"[a, *b]", "List(Name a, Starred(Name b))"},
      {"((1, 2), (3,))", "Tuple(Tuple(IntLiteral 1, IntLiteral 2), Tuple(IntLiteral 3))"},
      {"'a' \"b\" r'\\n'", "StringLiteral 'ab\\\\n'"},
      {"0x_ff + 1_0.5 + 2j", "Binary +(Binary +(IntLiteral 255, FloatLiteral 10.5), ImaginaryLiteral 2.0j)"},
      {"True, False, None", "Tuple(BoolLiteral True, BoolLiteral False, NoneLiteral)"},
      {"int | None", "Binary |(Name int, NoneLiteral)"},
      {"(a\n  + b)", "Binary +(Name a, Name b)"},
      {"match[type] + case", "Binary +(Subscript(Name match, indices(Name type)), Name case)"},
  };
  for (const Case& row : cases) EXPECT_EQ(tree(row.text), row.tree) << row.text;
}

// Parses the body of a function and returns the trees of its statements.
std::string body(std::string_view text) {
  Parsed parsed(fmt::format("def f(x):\n{}\n", text));
  EXPECT_EQ(parsed.messages(), "") << text;
  constexpr std::string_view before = "Module(FunctionDef f(param x, body(";
  std::string printed = folded(ast::print(*parsed.module));
  return printed.starts_with(before) ? printed.substr(before.size(), printed.size() - before.size() - 3)
                                     : printed;
}

TEST(tree, statements) {
  const Case cases[] = {
      {" a = b = c", "Assign(targets(Name a, Name b), value(Name c))"},
      {" a, b = b, a", "Assign(targets(Tuple(Name a, Name b)), value(Tuple(Name b, Name a)))"},
      {" (a, [b, *c]) = d", "Assign(targets(Tuple(Name a, List(Name b, Starred(Name c)))), value(Name d))"},
      {" x[0].y = 1",
       "Assign(targets(Attribute y(Subscript(Name x, indices(IntLiteral 0)))), value(IntLiteral 1))"},
      {" a //= 1, 2", "AugAssign //=(Name a, Tuple(IntLiteral 1, IntLiteral 2))"},
      {" a: f32 = 1", "AnnAssign(target(Name a), annotation(Name f32), value(IntLiteral 1))"},
      {" a: f32[:]", "AnnAssign(target(Name a), annotation(Subscript(Name f32, indices(Slice))))"},
      {" 'doc'\n f(x)", "ExprStmt(StringLiteral 'doc'), ExprStmt(Call(Name f, args(Name x)))"},
      {" pass; return; ", "Pass, Return"},
      {" return a, b", "Return(Tuple(Name a, Name b))"},
      {" assert a, 'm'", "Assert(condition(Name a), message(StringLiteral 'm'))"},
      {" raise\n raise E('m')", "Raise, Raise(Call(Name E, args(StringLiteral 'm')))"},
      {" if a: b\n elif c: d\n else: e",
       "If(condition(Name a), then(ExprStmt(Name b)), else(If(condition(Name c), then(ExprStmt(Name d)), "
       "else(ExprStmt(Name e)))))"},
      {" while a:\n  break; continue", "While(condition(Name a), body(Break, Continue))"},
      {" for i, *j in a, b: pass",
       "For(target(Tuple(Name i, Starred(Name j))), iterable(Tuple(Name a, Name b)), body(Pass))"},
      {" match(a)\n type = 1\n match: f32 = 2",
       "ExprStmt(Call(Name match, args(Name a))), Assign(targets(Name type), value(IntLiteral 1)), "
       "AnnAssign(target(Name match), annotation(Name f32), value(IntLiteral 2))"},
  };
  for (const Case& row : cases) EXPECT_EQ(body(row.text), row.tree) << row.text;
}

TEST(tree, items) {
  const Case cases[] = {
      {"'doc'\nA: T = 1; B, C = D\n",
       "Module(AnnAssign(target(Name A), annotation(Name T), value(IntLiteral 1)), "
       "Assign(targets(Tuple(Name B, Name C)), value(Name D)))"},
      {"import a.b, c.d as e\n", "Module(Import a.b as a, Import c.d as e)"},
      {"from . import x\nfrom ...a.b import (c as d,\n e,)\nfrom f import *\n",
       "Module(FromImport .(x), FromImport ...a.b(c as d, e), FromImport f(*))"},
      {"@struct\nclass P:\n 'doc'\n x: f32\n y: f32 = 1; z: i32\n pass\n",
       "Module(StructDef P(decorators(Name struct), body(ExprStmt(StringLiteral 'doc'), "
       "AnnAssign(target(Name x), annotation(Name f32)), "
       "AnnAssign(target(Name y), annotation(Name f32), value(IntLiteral 1)), "
       "AnnAssign(target(Name z), annotation(Name i32)))))"},
      {"@a\n@b.c(1)\ndef f(x: T, y: U = 1, *z) -> V: pass\n",
       "Module(FunctionDef f(decorators(Name a, Call(Attribute c(Name b), args(IntLiteral 1))), "
       "param x(annotation(Name T)), param y(annotation(Name U), default(IntLiteral 1)), param *z, "
       "returns(Name V), body(Pass)))"},
  };
  for (const Case& row : cases) {
    Parsed parsed{std::string(row.text)};
    EXPECT_EQ(parsed.messages(), "") << row.text;
    EXPECT_EQ(folded(ast::print(*parsed.module)), row.tree);
  }
}

TEST(tree, spans_cover_the_text_with_its_brackets) {
  Parsed parsed("X = (a + b) * c[0]\nif_ = 1\n");
  auto& assign = ast::get<ast::Assign>(*parsed.module->items[0]);
  auto& product = ast::get<ast::Binary>(*assign.value);
  EXPECT_EQ(parsed.sources.text(assign.span), "X = (a + b) * c[0]");
  EXPECT_EQ(parsed.sources.text(product.span), "(a + b) * c[0]");
  EXPECT_EQ(parsed.sources.text(product.op_span), "*");
  EXPECT_EQ(parsed.sources.text(product.left->span), "a + b");
  EXPECT_EQ(parsed.sources.text(product.right->span), "c[0]");
}

TEST(tree, a_block_ends_with_its_last_statement) {
  Parsed parsed("def f(x):\n    if x:\n        pass\n\n# comment\nA = 1\n");
  auto& function = ast::get<ast::FunctionDef>(*parsed.module->items[0]);
  EXPECT_EQ(parsed.sources.text(function.span), "def f(x):\n    if x:\n        pass");
  EXPECT_EQ(parsed.sources.text(function.body[0]->span), "if x:\n        pass");
}

TEST(tree, one_expression) {
  for (auto [text, good] : {std::pair{"f(f32[:], i64)", true}, {"1, 2", true}, {"1 2", false}, {"", false}}) {
    Parsed parsed("");
    FileId file = parsed.sources.add("value", text);
    std::vector<Token> tokens = lex(parsed.sources, file, parsed.diagnostics);
    const ast::Expr* expr = parse_expression(parsed.sources, file, tokens, parsed.arena, parsed.diagnostics);
    EXPECT_EQ(expr != nullptr, good) << text;
    EXPECT_EQ(parsed.diagnostics.has_errors(), !good) << text;
  }
}

} // namespace
} // namespace kern

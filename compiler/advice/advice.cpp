// How tightly a text binds is read from the tree that the parser makes of it: what is put together here comes from several places of
// the source, or from the words of an analysis, so it has no tree of its own.
#include "compiler/advice/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/parse/parse.h"
#include "compiler/support/split.h"

namespace kern::advice {

namespace {

// How tightly an operator binds, the loosest first.
enum class Binding {
  Choice, // `a if c else b`, `n := a`, `a, b`
  Or,
  And,
  Not,
  Comparison,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Sign,
  Power,
  Primary, // a name, a literal, a call, an element
};

Binding next(Binding binding) { return static_cast<Binding>(static_cast<int>(binding) + 1); }

Binding binding_of(ast::BinaryOp op) {
  switch (op) {
  case ast::BinaryOp::BitOr: return Binding::BitOr;
  case ast::BinaryOp::BitXor: return Binding::BitXor;
  case ast::BinaryOp::BitAnd: return Binding::BitAnd;
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::ShiftRight: return Binding::Shift;
  case ast::BinaryOp::Add:
  case ast::BinaryOp::Subtract: return Binding::Sum;
  case ast::BinaryOp::Multiply:
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::FloorDivide:
  case ast::BinaryOp::Modulo:
  case ast::BinaryOp::MatrixMultiply: return Binding::Product;
  case ast::BinaryOp::Power: return Binding::Power;
  }
  return Binding::Primary;
}

Binding binding_of(const ast::Expr& expr) {
  if (const auto* binary = ast::as<ast::Binary>(&expr)) return binding_of(binary->op);
  if (const auto* unary = ast::as<ast::Unary>(&expr))
    return unary->op == ast::UnaryOp::Not ? Binding::Not : Binding::Sign;
  if (const auto* both = ast::as<ast::BoolOp>(&expr))
    return both->op == ast::BoolOpKind::Or ? Binding::Or : Binding::And;
  if (ast::as<ast::Compare>(&expr)) return Binding::Comparison;
  const bool is_loose = ast::as<ast::Conditional>(&expr) || ast::as<ast::NamedExpr>(&expr);
  return is_loose ? Binding::Choice : Binding::Primary;
}

// A text with its tokens and its tree, which is null where it is no expression of Kern.
struct Read {
  explicit Read(std::string text)
      : tokens(lex(sources, sources.add("", std::move(text)), diagnostics)),
        expr(parse_expression(sources, FileId{}, tokens, arena, diagnostics)) {}

  SourceManager sources;
  Diagnostics diagnostics;
  Arena arena;
  std::vector<Token> tokens;
  const ast::Expr* expr;
};

Binding binding_of(std::string_view text) {
  // Lines are joined in brackets; a comment ends with its line.
  const Read read(fmt::format("({}\n)", text));
  // What is no expression may be anything, and so may a text that is too long.
  if (!read.expr || text == "..." || read.expr->span.begin == 0) return Binding::Choice;
  const bool has_brackets = read.sources.text(read.expr->span) != trimmed(text);
  return has_brackets ? Binding::Primary : binding_of(*read.expr);
}

// Returns a text, in brackets where it binds more loosely than `least`.
std::string bracketed(std::string_view text, Binding least) {
  return binding_of(text) < least ? fmt::format("({})", text) : std::string(text);
}

// Beside a shift, sums and products are bracketed too: which of them binds more tightly is not known by heart.
Binding least_beside(ast::BinaryOp op, Binding least) {
  return binding_of(op) == Binding::Shift ? Binding::Sign : least;
}

} // namespace

std::string unary(ast::UnaryOp op, std::string_view operand) {
  if (op == ast::UnaryOp::Not) return fmt::format("not {}", bracketed(operand, Binding::Comparison));
  return fmt::format("{}{}", spelling(op), bracketed(operand, Binding::Sign));
}

// A power takes the one to its right first, and a sign stands before it.
std::string binary(std::string_view left, ast::BinaryOp op, std::string_view right) {
  const bool is_power = op == ast::BinaryOp::Power;
  const Binding own = binding_of(op);
  return fmt::format("{} {} {}", bracketed(left, is_power ? Binding::Primary : least_beside(op, own)),
                     spelling(op), bracketed(right, is_power ? Binding::Sign : least_beside(op, next(own))));
}

std::string primary(std::string_view text) { return bracketed(text, Binding::Primary); }

std::string element(std::string_view array, std::string_view index) {
  return fmt::format("{}[{}]", primary(array), index);
}

std::string call(std::string_view function, std::string_view args) {
  return fmt::format("{}({})", primary(function), args);
}

std::string cast(std::string_view text, Type type) {
  if (is_boolean(type)) return fmt::format("{} != 0", bracketed(text, Binding::BitOr));
  return fmt::format("{}({})", is_scalar(type) ? to_string(type) : "...", text);
}

std::string declaration(std::string_view name, Type type, std::string_view value) {
  return fmt::format("{}: {} = {}", name, to_string(type), value);
}

std::string atomic(std::string_view prefix, std::string_view name, std::string_view array,
                   std::string_view index, std::string_view value) {
  return fmt::format("{}atomic.{}({}, {}, {})", prefix, name, array, index, value);
}

std::string index(std::span<const std::string> indices) {
  return indices.size() == 1 ? indices.front() : fmt::format("({})", fmt::join(indices, ", "));
}

std::optional<std::string> index_in(std::string_view element, std::string_view array) {
  const Read read{std::string(element)};
  const auto* subscript = ast::as<ast::Subscript>(read.expr);
  if (!subscript || read.sources.text(subscript->value->span) != array) return std::nullopt;
  const auto is_slice = [](const ast::Expr* index) { return index->kind == ast::Kind::Slice; };
  if (std::ranges::any_of(subscript->indices, is_slice)) return std::nullopt;
  const std::string text =
      short_text(trimmed(element.substr(array.size() + 1, element.size() - array.size() - 2)));
  if (text == "...") return std::nullopt;
  return subscript->indices.size() == 1 ? text : fmt::format("({})", text);
}

std::optional<std::string> name_behind(const SourceManager& sources, Span target) {
  const std::string_view text = sources.file(target.file).text;
  const std::string_view line = text.substr(target.end, text.find('\n', target.end) - target.end);
  const Read read{std::string(trimmed(line))};
  const auto is = [&](std::size_t at, TokenKind kind) {
    return at < read.tokens.size() && read.tokens[at].kind == kind;
  };
  const bool is_name = is(1, TokenKind::Name) && (is(2, TokenKind::Newline) || is(2, TokenKind::Semicolon));
  return is_name ? std::optional(std::string(read.sources.text(read.tokens[1].span))) : std::nullopt;
}

std::string replaced(const SourceManager& sources, Span whole, Span part, std::string_view text) {
  const auto source = [&](std::uint32_t begin, std::uint32_t end) {
    return sources.text({whole.file, begin, end});
  };
  return short_text(
      fmt::format("{}{}{}", source(whole.begin, part.begin), text, source(part.end, whole.end)));
}

} // namespace kern::advice

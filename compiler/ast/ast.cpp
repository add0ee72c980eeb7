// The words for what the tree holds.
#include "compiler/ast/ast.h"

namespace kern::ast {

std::string_view spelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Negative: return "-";
  case UnaryOp::Positive: return "+";
  case UnaryOp::Invert: return "~";
  case UnaryOp::Not: return "not";
  }
  return "";
}

std::string_view spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add: return "+";
  case BinaryOp::Subtract: return "-";
  case BinaryOp::Multiply: return "*";
  case BinaryOp::Divide: return "/";
  case BinaryOp::FloorDivide: return "//";
  case BinaryOp::Modulo: return "%";
  case BinaryOp::Power: return "**";
  case BinaryOp::MatrixMultiply: return "@";
  case BinaryOp::ShiftLeft: return "<<";
  case BinaryOp::ShiftRight: return ">>";
  case BinaryOp::BitAnd: return "&";
  case BinaryOp::BitOr: return "|";
  case BinaryOp::BitXor: return "^";
  }
  return "";
}

std::string_view spelling(CompareOp op) {
  switch (op) {
  case CompareOp::Equal: return "==";
  case CompareOp::NotEqual: return "!=";
  case CompareOp::Less: return "<";
  case CompareOp::LessEqual: return "<=";
  case CompareOp::Greater: return ">";
  case CompareOp::GreaterEqual: return ">=";
  case CompareOp::Is: return "is";
  case CompareOp::IsNot: return "is not";
  case CompareOp::In: return "in";
  case CompareOp::NotIn: return "not in";
  }
  return "";
}

std::string_view spelling(BoolOpKind op) { return op == BoolOpKind::And ? "and" : "or"; }

std::string_view name(Kind kind) {
  static constexpr std::string_view names[] = {
#define EXPR(K, Syntax) #K,
#define STMT(K, Syntax) #K,
#include "compiler/ast/nodes.def"
  };
  return names[static_cast<std::size_t>(kind)];
}

} // namespace kern::ast

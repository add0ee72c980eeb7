// A Temp is replaced by what it was assigned; a conversion by what it converts, as the source mostly does not
// write it.
#include "compiler/analysis/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/print.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

constexpr int deepest = 5;

std::string_view spelling(ir::BinaryOp op) {
  switch (op) {
  case ir::BinaryOp::Add: return " + ";
  case ir::BinaryOp::Subtract: return " - ";
  case ir::BinaryOp::Multiply: return " * ";
  case ir::BinaryOp::Divide: return " / ";
  case ir::BinaryOp::FloorDivide: return " // ";
  case ir::BinaryOp::Modulo: return " % ";
  case ir::BinaryOp::ShiftLeft: return " << ";
  case ir::BinaryOp::ShiftRight: return " >> ";
  case ir::BinaryOp::BitAnd: return " & ";
  case ir::BinaryOp::BitOr: return " | ";
  case ir::BinaryOp::BitXor: return " ^ ";
  }
  return "";
}

std::string_view spelling(ir::CompareOp op) {
  switch (op) {
  case ir::CompareOp::Equal: return " == ";
  case ir::CompareOp::NotEqual: return " != ";
  case ir::CompareOp::Less: return " < ";
  case ir::CompareOp::LessEqual: return " <= ";
  case ir::CompareOp::Greater: return " > ";
  case ir::CompareOp::GreaterEqual: return " >= ";
  }
  return "";
}

std::string_view spelling(ir::UnaryOp op) {
  switch (op) {
  case ir::UnaryOp::Negate: return "-";
  case ir::UnaryOp::BitNot: return "~";
  case ir::UnaryOp::Not: return "not ";
  }
  return "";
}

std::string in_brackets(std::string text, bool nested) { return nested ? "(" + text + ")" : text; }

} // namespace

// An element of a tuple has a slot of its own, and so has a part of a complex number: `t[1][0].real` is in
// `t.1.0.real`.
static std::string as_written(std::string_view name) {
  std::string text(name.substr(0, name.find('.')));
  for (std::size_t dot = text.size(); dot < name.size();) {
    const std::size_t end = std::min(name.find('.', dot + 1), name.size());
    const std::string_view part = name.substr(dot + 1, end - dot - 1);
    const bool is_element = part.find_first_not_of("0123456789") == std::string_view::npos;
    text += is_element ? fmt::format("[{}]", part) : fmt::format(".{}", part);
    dot = end;
  }
  return text;
}

// Returns the assignment that a body ends in; null where it does not.
static const ir::Assign* last_assign(const ir::Body& body) {
  return body.empty() ? nullptr : std::get_if<ir::Assign>(&body.back().node);
}

Describer::Describer(const ir::Function& function) : function_(function), definitions_(function) {
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    const ir::Assign* taken = branch ? last_assign(branch->then_body) : nullptr;
    const ir::Assign* other = branch ? last_assign(branch->else_body) : nullptr;
    if (!taken || !other || taken->slot != other->slot || definitions_.writes(taken->slot) != 2) return;
    if (function.slots[static_cast<std::size_t>(taken->slot)].name.empty())
      joins_.emplace(static_cast<std::uint32_t>(taken->slot), branch);
  });
}

const ir::If* Describer::join(const ir::Operand& operand) const {
  const auto found = operand.slot ? joins_.find(static_cast<std::uint32_t>(*operand.slot)) : joins_.end();
  return found == joins_.end() ? nullptr : found->second;
}

std::optional<ir::Operand> Describer::written(const ir::Select& select) const {
  const auto expr_of = [&](const ir::Operand& operand) -> const ir::Expr* {
    const ir::Assign* assign = operand.slot ? definitions_.sole_assign(*operand.slot) : nullptr;
    return assign ? &assign->value : nullptr;
  };
  const ir::Expr *condition = expr_of(select.condition), *taken = expr_of(select.then_value);
  const auto* test = condition ? std::get_if<ir::Compare>(condition) : nullptr;
  if (!test) return std::nullopt;
  const auto* sum = taken ? std::get_if<ir::Binary>(taken) : nullptr;
  const ir::Expr* added = sum ? expr_of(sum->right) : nullptr;
  const bool is_index = test->op == ir::CompareOp::Less && test->left == select.else_value && sum &&
                        sum->op == ir::BinaryOp::Add && sum->left == select.else_value && added &&
                        std::holds_alternative<ir::Extent>(*added);
  const bool is_conversion =
      test->op == ir::CompareOp::NotEqual && test->left == test->right && !select.then_value.slot;
  return is_index || is_conversion ? std::optional(select.else_value) : std::nullopt;
}

// `a or b` is a where a is true, else b; `a and b` and `a if c else b` likewise.
std::string Describer::describe_join(const ir::If& branch, int depth, bool nested) const {
  const ir::Assign &taken = *last_assign(branch.then_body), &other = *last_assign(branch.else_body);
  const auto is_condition = [&](const ir::Assign& assign) {
    const auto* copy = std::get_if<ir::Copy>(&assign.value);
    return copy && copy->value == branch.condition;
  };
  const std::string condition = describe(branch.condition, depth + 1, true);
  std::string text;
  if (is_condition(taken))
    text = condition + " or " + describe_expr(other, depth + 1, true);
  else if (is_condition(other))
    text = condition + " and " + describe_expr(taken, depth + 1, true);
  else
    text = fmt::format("{} if {} else {}", describe_expr(taken, depth + 1, true), condition,
                       describe_expr(other, depth + 1, true));
  return in_brackets(std::move(text), nested);
}

const ir::Stmt* Describer::definition_of(ir::SlotId slot) const {
  const bool temp = function_.slots[static_cast<std::size_t>(slot)].kind == ir::Slot::Kind::Temp;
  return temp ? definitions_.sole(slot) : nullptr;
}

std::string Describer::operator()(const ir::Operand& operand) const { return describe(operand, 0, false); }

Span Describer::place(const ir::Operand& operand, Span otherwise) const {
  const ir::Stmt* definition = operand.slot ? definition_of(*operand.slot) : nullptr;
  return definition ? definition->span : otherwise;
}

std::string Describer::element(const ir::Operand& array, const std::vector<ir::Operand>& indices) const {
  return describe_elements(array, indices, 0);
}

std::string Describer::describe_elements(const ir::Operand& array, const std::vector<ir::Operand>& indices,
                                         int depth) const {
  std::string text = describe(array, depth + 1, true) + "[";
  for (std::size_t i = 0; i < indices.size(); ++i)
    text += (i ? ", " : "") + describe(indices[i], depth + 1, false);
  return text + "]";
}

std::string Describer::describe(const ir::Operand& operand, int depth, bool nested) const {
  if (!operand.slot) return ir::print(operand, function_);
  const ir::Slot& slot = function_.slots[static_cast<std::size_t>(*operand.slot)];
  if (!slot.name.empty()) return as_written(slot.name);
  if (const ir::If* joined = join(operand))
    return depth >= deepest ? "..." : describe_join(*joined, depth, nested);
  const ir::Stmt* definition = definition_of(*operand.slot);
  if (!definition || depth >= deepest) return "...";
  return match(
      definition->node, [&](const ir::Assign& node) { return describe_expr(node, depth, nested); },
      [&](const ir::Load& node) { return describe_elements(node.array, node.indices, depth); },
      [&](const ir::Atomic& node) { return std::string(row(node.builtin).name) + "(...)"; },
      [&](const ir::CallEffect& node) { return std::string(row(node.builtin).name) + "(...)"; },
      [](const auto&) { return std::string("..."); });
}

std::string Describer::describe_expr(const ir::Assign& assign, int depth, bool nested) const {
  auto part = [&](const ir::Operand& operand) { return describe(operand, depth + 1, true); };
  return match(
      assign.value, [&](const ir::Copy& e) { return describe(e.value, depth + 1, nested); },
      [&](const ir::Convert& e) { return describe(e.value, depth + 1, nested); },
      [&](const ir::Unary& e) { return in_brackets(std::string(spelling(e.op)) + part(e.value), nested); },
      [&](const ir::Binary& e) {
        return in_brackets(part(e.left) + std::string(spelling(e.op)) + part(e.right), nested);
      },
      [&](const ir::Compare& e) {
        return in_brackets(part(e.left) + std::string(spelling(e.op)) + part(e.right), nested);
      },
      [&](const ir::Select& e) {
        if (const std::optional<ir::Operand> operand = written(e))
          return describe(*operand, depth + 1, nested);
        return in_brackets(part(e.then_value) + " if " + part(e.condition) + " else " + part(e.else_value),
                           nested);
      },
      [&](const ir::Fma& e) {
        return in_brackets(part(e.a) + " * " + part(e.b) + " + " + part(e.c), nested);
      },
      [&](const ir::CallPure& e) {
        const BuiltinRow& builtin = row(e.builtin);
        if (builtin.signature.find('(') == std::string_view::npos) return std::string(builtin.name);
        std::string text = std::string(builtin.name) + "(";
        for (std::size_t i = 0; i < e.args.size(); ++i)
          text += (i ? ", " : "") + describe(e.args[i], depth + 1, false);
        return text + ")";
      },
      [&](const ir::Extent& e) { return part(e.array) + ".shape[" + std::to_string(e.axis) + "]"; },
      [&](const ir::Stride& e) { return part(e.array) + ".strides[" + std::to_string(e.axis) + "]"; },
      [&](const ir::Misalignment& e) { return part(e.array) + ".address % " + std::to_string(e.bytes); },
      [&](const ir::View& e) {
        return part(e.array) + (!e.part ? "" : *e.part == 0 ? ".real" : ".imag");
      },
      [&](const ir::Restride& e) { return part(e.array); },
      [](const ir::SharedArray&) { return std::string("shared.array"); },
      [](const ir::LocalArray&) { return std::string("local.array"); },
      [](const ir::ConstantArray&) { return std::string("const.array"); });
}

} // namespace kern

// Builds small IR by hand, for the tests of phases after the checker, and outlines bodies as short text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/overloaded.h"

namespace kern::test {

// A function under construction; statements are ordinary vectors, so bodies nest as initialiser lists.
struct FunctionBuilder {
  ir::Module& module;
  ir::FunctionId id;

  FunctionBuilder(ir::Module& module, std::string name, bool is_kernel) : module(module) {
    id = static_cast<ir::FunctionId>(module.functions.size());
    ir::Function function;
    function.symbol = name;
    function.name = std::move(name);
    function.is_kernel = is_kernel;
    module.functions.push_back(std::move(function));
    module.params.emplace_back();
  }

  ir::Function& function() { return module.function(id); }

  ir::Operand slot(std::string name, Type type, ir::Slot::Kind kind) {
    function().slots.push_back({std::move(name), type, kind, next_span()});
    return {type, static_cast<ir::SlotId>(function().slots.size() - 1)};
  }
  ir::Operand param(std::string name, Type type) {
    ++function().param_count;
    module.params.back().push_back({name, type, static_cast<std::uint32_t>(function().slots.size())});
    return slot(std::move(name), type, ir::Slot::Kind::Param);
  }
  ir::Operand variable(std::string name, Type type) {
    return slot(std::move(name), type, ir::Slot::Kind::Variable);
  }
  ir::Operand temp(Type type) { return slot("", type, ir::Slot::Kind::Temp); }

  // Gives every statement a place of its own, so that tests can tell them apart.
  Span next_span() { return {FileId{}, ++place_, place_ + 1}; }

private:
  std::uint32_t place_ = 0;
};

inline ir::Operand i64(std::int64_t value) { return ir::constant_int(types::i64, value); }
inline ir::Operand i32(std::int64_t value) { return ir::constant_int(types::i32, value); }

inline std::uint32_t& last_place() {
  static std::uint32_t place = 1000;
  return place;
}
template <class Node> ir::Stmt stmt(Node node) {
  std::uint32_t place = ++last_place();
  return {std::move(node), {FileId{}, place, place + 1}};
}
inline void append(ir::Body&) {}
template <class... Rest> void append(ir::Body& out, ir::Stmt first, Rest... rest) {
  out.push_back(std::move(first));
  append(out, std::move(rest)...);
}
template <class... Stmts> ir::Body body(Stmts... stmts) {
  ir::Body result;
  append(result, std::move(stmts)...);
  return result;
}

inline ir::Stmt assign(const ir::Operand& slot, ir::Expr expr) {
  return stmt(ir::Assign{*slot.slot, std::move(expr)});
}
inline ir::Stmt copy(const ir::Operand& slot, const ir::Operand& value) {
  return assign(slot, ir::Copy{value});
}
inline ir::Stmt binary(const ir::Operand& slot, ir::BinaryOp op, const ir::Operand& left,
                       const ir::Operand& right) {
  return assign(slot, ir::Binary{op, left, right});
}
inline ir::Stmt compare(const ir::Operand& slot, ir::CompareOp op, const ir::Operand& left,
                        const ir::Operand& right) {
  return assign(slot, ir::Compare{op, left, right});
}
inline ir::Stmt pure(const ir::Operand& slot, Builtin builtin, std::vector<ir::Operand> args = {}) {
  return assign(slot, ir::CallPure{builtin, std::move(args)});
}
inline ir::Stmt load(const ir::Operand& slot, const ir::Operand& array, std::vector<ir::Operand> indices) {
  return stmt(ir::Load{*slot.slot, array, std::move(indices)});
}
inline ir::Stmt store(const ir::Operand& array, std::vector<ir::Operand> indices, const ir::Operand& value) {
  return stmt(ir::Store{array, std::move(indices), value});
}
inline ir::Stmt syncthreads() { return stmt(ir::CallEffect{std::nullopt, Builtin::Syncthreads, {}}); }
inline ir::Stmt call(std::vector<ir::Operand> results, ir::FunctionId function,
                     std::vector<ir::Operand> args) {
  std::vector<ir::SlotId> slots;
  for (const ir::Operand& result : results) slots.push_back(*result.slot);
  return stmt(ir::Call{std::move(slots), function, std::move(args)});
}
inline ir::Stmt if_(const ir::Operand& condition, ir::Body then_body, ir::Body else_body = {}) {
  return stmt(ir::If{condition, std::move(then_body), std::move(else_body)});
}
inline ir::Stmt while_(ir::Body head, const ir::Operand& condition, ir::Body body) {
  return stmt(ir::While{std::move(head), condition, std::move(body)});
}
inline ir::Stmt for_(const ir::Operand& variable, const ir::Operand& start, const ir::Operand& step,
                     const ir::Operand& count, ir::Body body) {
  return stmt(ir::For{*variable.slot, start, step, count, std::move(body)});
}
inline ir::Stmt break_() { return stmt(ir::Break{}); }
inline ir::Stmt continue_() { return stmt(ir::Continue{}); }
inline ir::Stmt return_(std::vector<ir::Operand> values = {}) { return stmt(ir::Return{std::move(values)}); }

// Outlines a body: "segment{assign if{return}} sync for{segment{store} sync}".
inline std::string outline(const ir::Body& body) {
  auto braced = [](const char* word, const ir::Body& inner) {
    return std::string(word) + "{" + outline(inner) + "}";
  };
  std::string text;
  for (const ir::Stmt& each : body) {
    if (!text.empty()) text += " ";
    text += match(
        each.node, [](const ir::Assign&) { return std::string("assign"); },
        [](const ir::Load&) { return std::string("load"); },
        [](const ir::Store&) { return std::string("store"); },
        [](const ir::Atomic&) { return std::string("atomic"); },
        [](const ir::CallEffect&) { return std::string("sync"); },
        [](const ir::Call&) { return std::string("call"); },
        [](const ir::Print&) { return std::string("print"); },
        [](const ir::Guard&) { return std::string("guard"); },
        [](const ir::Fit&) { return std::string("fit"); },
        [](const ir::Check&) { return std::string("check"); },
        [&](const ir::If& node) {
          return braced("if", node.then_body) +
                 (node.else_body.empty() ? "" : braced("else", node.else_body));
        },
        [&](const ir::While& node) { return braced("head", node.head) + braced("while", node.body); },
        [&](const ir::For& node) { return braced("for", node.body); },
        [](const ir::Break&) { return std::string("break"); },
        [](const ir::Continue&) { return std::string("continue"); },
        [](const ir::Return&) { return std::string("return"); },
        [&](const ir::Segment& node) { return braced("segment", node.body); });
  }
  return text;
}

} // namespace kern::test

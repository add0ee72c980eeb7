// One line a statement; a Temp shows its type where it is assigned, variables are listed at the head of their
// function.
#include "compiler/ir/print.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <unordered_map>

#include "compiler/ir/param_block.h"
#include "compiler/support/overloaded.h"

namespace kern::ir {

std::string_view name(CacheHint hint) {
  constexpr std::string_view names[] = {"", "ca", "cg", "cs", "lu", "cv", "wb", "wt"};
  return names[static_cast<std::size_t>(hint)];
}

static std::string hint_text(CacheHint hint) {
  return hint == CacheHint::None ? "" : fmt::format(".{}", name(hint));
}

namespace {

std::string_view spelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Negate: return "-";
  case UnaryOp::BitNot: return "~";
  case UnaryOp::Not: return "not ";
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
  }
  return "";
}

std::string_view fault_code(FaultKind kind) {
  static constexpr std::string_view codes[] = {
#define FAULT(Kind, Code, Text) Code,
#include "kern/faults.def"
  };
  return codes[static_cast<std::size_t>(kind)];
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

std::string constant_text(Type type, std::uint64_t bits) {
  Operand constant{type, std::nullopt, bits};
  if (is_boolean(type)) return bits != 0 ? "True" : "False";
  if (type == types::u64) return fmt::format("{}", bits);
  if (!is_float(type)) return fmt::format("{}", int_value(constant));
  double value = float_value(constant);
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  std::string text =
      type == types::f64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

bool is_shared_name(const Function& function, std::string_view name) {
  std::size_t count = 0;
  for (const Slot& slot : function.slots) count += slot.name == name;
  return count > 1;
}

std::string slot_text(const Function& function, SlotId id) {
  auto index = static_cast<std::size_t>(id);
  if (index >= function.slots.size()) return fmt::format("<slot {}>", index);
  const std::string& name = function.slots[index].name;
  if (name.empty()) return fmt::format("%{}", index);
  return is_shared_name(function, name) ? fmt::format("{}.{}", name, index) : name;
}

// The texts of all slots at once: to ask slot by slot whether a name is another's too goes over all of them
// each time.
std::vector<std::string> slot_texts(const Function& function) {
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const Slot& slot : function.slots) ++counts[slot.name];
  std::vector<std::string> texts;
  texts.reserve(function.slots.size());
  for (const Slot& slot : function.slots) {
    bool is_number = slot.name.empty(), is_shared = counts[slot.name] > 1;
    texts.push_back(is_number   ? fmt::format("%{}", texts.size())
                    : is_shared ? fmt::format("{}.{}", slot.name, texts.size())
                                : slot.name);
  }
  return texts;
}

struct Printer {
  const Module& module;
  const Function& function;
  const SourceManager* sources;
  std::string out;
  int depth = 1;
  std::vector<std::string> slots = slot_texts(function);

  std::string text(SlotId id) const {
    auto index = static_cast<std::size_t>(id);
    return index < slots.size() ? slots[index] : slot_text(function, id);
  }
  std::string text(const Operand& operand) const {
    return operand.slot ? text(*operand.slot) : constant_text(operand.type, operand.bits);
  }

  std::string list(std::span<const Operand> operands) {
    std::string result;
    for (const Operand& operand : operands) result += (result.empty() ? "" : ", ") + text(operand);
    return result;
  }

  std::string element(const Operand& array, std::span<const Operand> indices) {
    return fmt::format("{}[{}]", text(array), list(indices));
  }

  void line(std::string_view content) { out += fmt::format("{:{}}{}\n", "", 2 * depth, content); }

  // Returns the left side of an assignment; a Temp is declared by it.
  std::string target(SlotId id) {
    std::string name = text(id);
    auto index = static_cast<std::size_t>(id);
    if (index >= function.slots.size() || function.slots[index].kind != Slot::Kind::Temp) return name;
    return fmt::format("{}: {}", name, to_string(function.slots[index].type));
  }

  std::string targets(std::span<const SlotId> ids) {
    std::string result;
    for (SlotId id : ids) result += (result.empty() ? "" : ", ") + target(id);
    return result.empty() ? "" : result + " = ";
  }

  std::string targets(std::optional<SlotId> id) { return id ? target(*id) + " = " : ""; }

  std::string call_text(Builtin builtin, std::span<const Operand> args) {
    const BuiltinRow& builtin_row = row(builtin);
    bool is_value = builtin_row.signature.find('(') == std::string_view::npos;
    return is_value ? std::string(builtin_row.name) : fmt::format("{}({})", builtin_row.name, list(args));
  }

  std::string view_text(const View& view) {
    std::string axes;
    for (const ViewAxis& axis : view.axes) {
      if (!axes.empty()) axes += ", ";
      axes += text(axis.start);
      if (axis.kind == ViewAxis::Kind::Range) axes += ":" + text(axis.count) + ":" + text(axis.step);
    }
    std::string_view part = !view.part ? "" : *view.part == 0 ? ".real" : ".imag";
    return fmt::format("view {}[{}]{}", text(view.array), axes, part);
  }

  std::string expr_text(const Expr& expr, Type type) {
    return match(
        expr, [&](const Copy& e) { return text(e.value); },
        [&](const Unary& e) { return fmt::format("{}{}", spelling(e.op), text(e.value)); },
        [&](const Binary& e) { return fmt::format("{} {} {}", text(e.left), spelling(e.op), text(e.right)); },
        [&](const Compare& e) {
          return fmt::format("{} {} {}", text(e.left), spelling(e.op), text(e.right));
        },
        [&](const Convert& e) { return fmt::format("{}({})", to_string(type), text(e.value)); },
        [&](const Select& e) {
          return fmt::format("{} if {} else {}", text(e.then_value), text(e.condition), text(e.else_value));
        },
        [&](const Fma& e) { return fmt::format("fma({}, {}, {})", text(e.a), text(e.b), text(e.c)); },
        [&](const CallPure& e) { return call_text(e.builtin, e.args); },
        [&](const Extent& e) { return fmt::format("{}.shape[{}]", text(e.array), e.axis); },
        [&](const Stride& e) { return fmt::format("{}.strides[{}]", text(e.array), e.axis); },
        [&](const Misalignment& e) { return fmt::format("{}.address % {}", text(e.array), e.bytes); },
        [&](const View& e) { return view_text(e); },
        [&](const Restride& e) {
          return fmt::format("restride {}[{}] by [{}]", text(e.array), list(e.extents), list(e.strides));
        },
        [&](const SharedArray& e) {
          return fmt::format("shared #{}[{}]", static_cast<std::uint32_t>(e.id), list(e.extents));
        },
        [&](const LocalArray& e) { return fmt::format("local [{}]", fmt::join(e.extents, ", ")); },
        [&](const ConstantArray& e) { return fmt::format("const #{}", static_cast<std::uint32_t>(e.id)); });
  }

  std::string place(SiteId id) {
    auto index = static_cast<std::size_t>(id);
    if (!sources || index >= module.sites.size()) return "";
    Location location = sources->locate(module.sites[index].span);
    return fmt::format(" @{}:{}", location.line, location.column);
  }

  static std::string proof_text(GuardState state, const std::string& proof) {
    if (proof.empty()) return "";
    return fmt::format(" {}: {}", state == GuardState::Proved ? "proved" : "shadow", proof);
  }

  std::string guard_text(const Guard& guard) {
    std::string result = fmt::format("guard {}[{}] {}", text(guard.array), guard.axis, text(guard.index));
    if (guard.state == GuardState::Empty) result += " if empty";
    return result + proof_text(guard.state, guard.proof) + place(guard.site);
  }

  std::string fit_text(const Fit& fit) {
    return fmt::format("fit {}: {}", text(fit.value), to_string(fit.type)) +
           proof_text(fit.state, fit.proof) + place(fit.site);
  }

  std::string check_text(const Check& check) {
    std::string result = "check " + text(check.condition);
    if (auto index = static_cast<std::size_t>(check.site); index < module.sites.size()) {
      const Site& site = module.sites[index];
      result += fmt::format(" else {}", fault_code(site.kind));
      if (!site.array.empty()) result += " " + quoted(site.array);
    }
    if (check.contract) result += fmt::format(" contract {}", *check.contract);
    return result + place(check.site);
  }

  std::string print_text(const Print& stmt) {
    std::string parts;
    for (std::size_t i = 0; i < stmt.texts.size(); ++i) {
      if (!stmt.texts[i].empty()) parts += " " + quoted(stmt.texts[i]);
      if (i < stmt.args.size()) parts += " " + text(stmt.args[i]);
    }
    return "print" + parts + place(stmt.site);
  }

  void body(const Body& stmts) {
    ++depth;
    for (const Stmt& stmt : stmts) statement(stmt);
    --depth;
  }

  void statement(const Stmt& stmt) {
    match(
        stmt.node,
        [&](const Assign& s) {
          auto index = static_cast<std::size_t>(s.slot);
          Type type = index < function.slots.size() ? function.slots[index].type : types::error;
          line(target(s.slot) + " = " + expr_text(s.value, type));
        },
        [&](const Load& s) {
          line(fmt::format("{} = {}{} {}", target(s.slot), s.is_polled ? "poll" : "load", hint_text(s.hint),
                           element(s.array, s.indices)));
        },
        [&](const Store& s) {
          line(fmt::format("store{} {} = {}", hint_text(s.hint), element(s.array, s.indices), text(s.value)));
        },
        [&](const Atomic& s) {
          std::string args = s.args.empty() ? "" : ", " + list(s.args);
          line(fmt::format("{}{} {}{}", targets(s.slot), row(s.builtin).name, element(s.array, s.indices),
                           args));
        },
        [&](const CallEffect& s) { line(targets(s.slot) + call_text(s.builtin, s.args)); },
        [&](const Call& s) {
          auto index = static_cast<std::size_t>(s.function);
          std::string callee =
              index < module.functions.size() ? module.functions[index].symbol : "<function>";
          line(fmt::format("{}call {}({})", targets(s.results), callee, list(s.args)));
        },
        [&](const Print& s) { line(print_text(s)); }, [&](const Guard& s) { line(guard_text(s)); },
        [&](const Fit& s) { line(fit_text(s)); }, [&](const Check& s) { line(check_text(s)); },
        [&](const If& s) {
          line(fmt::format("{} {}:", s.is_rerun ? "rerun if" : "if", text(s.condition)));
          body(s.then_body);
          if (s.else_body.empty()) return;
          line("else:");
          body(s.else_body);
        },
        [&](const While& s) {
          line("while:");
          body(s.head);
          line(fmt::format("do {}:", text(s.condition)));
          body(s.body);
        },
        [&](const For& s) {
          std::string unroll = s.unroll == unroll_all ? " unroll all"
                               : s.unroll != 0        ? fmt::format(" unroll {}", s.unroll)
                                                      : "";
          line(fmt::format("for {} = {} step {} count {}{}{}:", text(s.variable), text(s.start), text(s.step),
                           text(s.count), s.stop ? " below " + text(*s.stop) : "", unroll));
          body(s.body);
        },
        [&](const Break&) { line("break"); }, [&](const Continue&) { line("continue"); },
        [&](const Return& s) { line(s.values.empty() ? "return" : "return " + list(s.values)); },
        [&](const Segment& s) {
          line("segment:");
          body(s.body);
        });
  }

  void header() {
    std::string params, results;
    for (std::size_t i = 0; i < function.param_count && i < function.slots.size(); ++i)
      params +=
          fmt::format("{}{}: {}", i > 0 ? ", " : "", text(SlotId(i)), to_string(function.slots[i].type));
    for (Type type : function.results) results += (results.empty() ? " -> " : ", ") + to_string(type);
    out += fmt::format("{} {}({}){}\n", function.is_kernel ? "kernel" : "device", function.name, params,
                       results);
    if (function.symbol != function.name) line("symbol " + function.symbol);
  }

  void options() {
    const KernelOptions& options = function.options;
    if (options.block) line(fmt::format("block ({})", fmt::join(*options.block, ", ")));
    if (options.max_threads != 0)
      line(fmt::format("launch_bounds {}, {}", options.max_threads, options.min_blocks));
    if (options.max_registers != 0) line(fmt::format("max_registers {}", options.max_registers));
    if (options.fast_math) line("fast_math");
    for (const Specialization& each : options.specializations)
      line(fmt::format("specialized {} = {}",
                       each.param ? text(*each.param) : fmt::format("blockDim.{}", "xyz"[each.axis]),
                       each.value));
    if (!function.variant_of.empty()) line("variant of " + function.variant_of);
    for (const kern::Expression& fact : function.facts)
      line("fact " + kern::to_string(fact, block_names(function)));
    if (function.meeting == Meeting::Leaving) line("threads leave at barriers");
    if (function.meeting == Meeting::Apart) line("threads come to barriers apart");
    for (const Contract& contract : function.contracts)
      line("contract " + kern::to_string(contract.condition, block_names(function)) + place(contract.site));
  }

  void variables() {
    for (std::size_t i = function.param_count; i < function.slots.size(); ++i)
      if (function.slots[i].kind == Slot::Kind::Variable)
        line(fmt::format("var {}: {}", text(SlotId(i)), to_string(function.slots[i].type)));
  }

  std::string all() {
    header();
    options();
    variables();
    depth = 0;
    body(function.body);
    return std::move(out);
  }
};

std::string shared_text(const SharedDecl& shared, std::size_t index) {
  std::string extents = fmt::format("{}", fmt::join(shared.extents, ", "));
  if (!shared.dynamic.empty()) extents = "dynamic";
  if (shared.aliased) extents = "aliased";
  return fmt::format("shared #{} {}: {}[{}] align {}\n", index, shared.name,
                     to_string(types::scalar(shared.element)), extents, shared.alignment);
}

std::string constant_array_text(const ConstantDecl& constant, std::size_t index) {
  static constexpr std::size_t shown = 8;
  std::string values;
  Type type = types::scalar(constant.element);
  if (is_complex(type)) type = part_type(type);
  for (std::size_t i = 0; i < constant.values.size() && i < shown; ++i)
    values += (i > 0 ? ", " : "") + constant_text(type, constant.values[i]);
  if (constant.values.size() > shown) values += ", ...";
  return fmt::format("const #{} {}: {}[{}] = {}\n", index, constant.name,
                     to_string(types::scalar(constant.element)), fmt::join(constant.extents, ", "), values);
}

} // namespace

std::string print(const Module& module, const SourceManager* sources) {
  std::string text;
  for (std::size_t i = 0; i < module.shared.size(); ++i) text += shared_text(module.shared[i], i);
  for (std::size_t i = 0; i < module.constants.size(); ++i)
    text += constant_array_text(module.constants[i], i);
  for (const Function& function : module.functions) {
    if (!text.empty()) text += '\n';
    text += print(function, module, sources);
  }
  return text;
}

std::string print(const Function& function, const Module& module, const SourceManager* sources) {
  return Printer{module, function, sources, {}}.all();
}

std::string print(const Stmt& stmt, const Function& function, const Module& module) {
  Printer printer{module, function, nullptr, {}};
  printer.depth = 0;
  printer.statement(stmt);
  return printer.out.substr(0, printer.out.find('\n'));
}

std::string print(const Operand& operand, const Function& function) {
  if (!operand.slot && is_complex(operand.type))
    return fmt::format("({}, {})", print(part_of(operand, 0), function),
                       print(part_of(operand, 1), function));
  return operand.slot ? slot_text(function, *operand.slot) : constant_text(operand.type, operand.bits);
}

} // namespace kern::ir

// Each rule is one `require` with the sentence that is said where it is broken; the statement follows as
// text.
#include "compiler/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "compiler/builtins/signature.h"
#include "compiler/ir/print.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"
#include "compiler/types/convert.h"

namespace kern::ir {

namespace {

bool is_number(Type type) { return is_integer(type) || is_float(type) || is_complex(type); }

// Says whether a value may become that of a slot without a Convert: arrays may forget what is known of their
// strides.
bool fits(Type from, Type to) { return from == to || (is_array(from) && is_array(to) && converts(from, to)); }

// Checks the statements of one function.
struct Verifier {
  const Module& module;
  const Function& function;
  std::vector<std::string>& broken;
  TypeTable table;            // for tuples that signatures return
  std::vector<bool> assigned; // Temps: assigned anywhere so far
  std::vector<bool> visible;  // Temps: assigned in this or an enclosing body
  const Stmt* stmt = nullptr;
  int loops = 0;
  bool in_segment = false;

  // `sentence` is a text, or makes one: what holds, as nearly all does, costs none.
  template <class Sentence> void require(bool holds, const Sentence& sentence) {
    if (holds) return;
    if constexpr (std::is_invocable_v<Sentence>)
      report(sentence());
    else
      report(sentence);
  }

  void report(std::string_view sentence) {
    std::string place = stmt ? fmt::format("`{}`: ", print(*stmt, function, module)) : "";
    broken.push_back(fmt::format("{}: {}{}", function.symbol, place, sentence));
  }

  const Slot* find(SlotId id) const {
    auto index = static_cast<std::size_t>(id);
    return index < function.slots.size() ? &function.slots[index] : nullptr;
  }

  Type slot_type(SlotId id) const {
    const Slot* slot = find(id);
    return slot ? slot->type : types::error;
  }

  // ---- Scopes ----

  void check_scope(ScopeId scope) {
    require(static_cast<std::size_t>(scope) <= function.inlined.size(), "its scope is no inlined call");
  }

  void check_scopes() {
    for (std::size_t i = 0; i < function.inlined.size(); ++i)
      require(static_cast<std::size_t>(function.inlined[i].caller) <= i,
              "an inlined call stands before its caller");
    for (const Slot& slot : function.slots) check_scope(slot.scope);
  }

  // ---- Slots ----

  void check_slots() {
    require(function.param_count <= function.slots.size(), "there are more parameters than slots");
    for (std::size_t i = 0; i < function.slots.size(); ++i) {
      const Slot& slot = function.slots[i];
      bool is_param = i < function.param_count;
      require(is_scalar(slot.type) || is_array(slot.type),
              [&] { return fmt::format("slot {} has the type {}", i, to_string(slot.type)); });
      require((slot.kind == Slot::Kind::Param) == is_param,
              [&] { return fmt::format("slot {} is no parameter, or out of its place", i); });
    }
    assigned.assign(function.slots.size(), false);
    visible.assign(function.slots.size(), false);
  }

  void check_operand(const Operand& operand) {
    if (!operand.slot) return check_constant(operand);
    const Slot* slot = find(*operand.slot);
    if (!slot) return require(false, "an operand names no slot");
    require(operand.type == slot->type, [&] {
      return fmt::format("`{}` is used as {} and is {}", print(operand, function), to_string(operand.type),
                         to_string(slot->type));
    });
    bool is_hidden = slot->kind == Slot::Kind::Temp && !visible[static_cast<std::size_t>(*operand.slot)];
    require(!is_hidden, [&] {
      return fmt::format("`{}` is used before it is assigned, or outside its body", print(operand, function));
    });
  }

  void check_constant(const Operand& operand) {
    if (!is_scalar(operand.type)) return require(false, "a constant is no scalar");
    if (is_boolean(operand.type)) return require(operand.bits <= 1, "a bool is neither 0 nor 1");
    if (!is_integer(operand.type)) return;
    Operand extended = constant_int(operand.type, static_cast<std::int64_t>(operand.bits));
    require(extended.bits == operand.bits, "a constant is not extended from the width of its type");
  }

  void check_result(SlotId id) {
    const Slot* slot = find(id);
    if (!slot) return require(false, "a result names no slot");
    if (slot->kind != Slot::Kind::Temp) return;
    auto index = static_cast<std::size_t>(id);
    require(!assigned[index], [&] { return fmt::format("`%{}` is assigned twice", index); });
    assigned[index] = visible[index] = true;
  }

  // ---- Expressions ----

  void require_type(const Operand& operand, Type type, std::string_view what) {
    require(operand.type == type,
            [&] { return fmt::format("{} is {}, not {}", what, to_string(operand.type), to_string(type)); });
  }

  bool require_array(const Operand& operand) {
    require(is_array(operand.type), "what is used as an array is none");
    return is_array(operand.type);
  }

  void require_result(Type type, Type target) {
    require(fits(type, target), [&] {
      return fmt::format("the value is {} and the slot {}", to_string(type), to_string(target));
    });
  }

  void check_unary(const Unary& e, Type target) {
    Type type = e.value.type;
    switch (e.op) {
    case UnaryOp::Negate: require(is_number(type), "what is negated is no number"); break;
    case UnaryOp::BitNot: require(is_integer(type), "`~` is of integers"); break;
    case UnaryOp::Not: require(is_boolean(type), "`not` is of bools"); break;
    }
    require_result(type, target);
  }

  void check_binary(const Binary& e, Type target) {
    Type type = e.left.type;
    bool is_shift = e.op == BinaryOp::ShiftLeft || e.op == BinaryOp::ShiftRight;
    bool is_bitwise = e.op == BinaryOp::BitAnd || e.op == BinaryOp::BitOr || e.op == BinaryOp::BitXor;
    if (is_shift)
      require(is_integer(type) && is_integer(e.right.type), "a shift is of integers");
    else
      require_type(e.right, type, "the right operand");
    if (is_bitwise)
      require(is_integer(type) || is_boolean(type), "a bit operation is of integers or bools");
    else if (e.op == BinaryOp::Divide)
      require(is_float(type) || is_complex(type), "`/` is of floats");
    else
      require(is_number(type), "arithmetic is of numbers");
    require_result(type, target);
  }

  void check_select(const Select& e, Type target) {
    require_type(e.condition, types::boolean, "the condition");
    require(fits(e.then_value.type, target) && fits(e.else_value.type, target),
            "the values of a select are not of the slot's type");
  }

  void check_fma(const Fma& e, Type target) {
    require(is_float(e.a.type), "an fma is of floats");
    require_type(e.b, e.a.type, "the second factor");
    require_type(e.c, e.a.type, "the summand");
    require_result(e.a.type, target);
  }

  // Demands that the arguments have the types of the builtin's signature already; returns the type of its
  // result.
  Type check_builtin(Builtin builtin, const std::vector<Type>& types) {
    const BuiltinSignature& taken = signature(builtin);
    if (!taken.is_call) {
      require(types.empty(), "a value has arguments");
      bool has_type = taken.result_count == 1 && taken.results[0].type.bits != 0;
      return has_type ? types::scalar(ScalarKind(__builtin_ctz(taken.results[0].type.bits))) : types::error;
    }
    std::vector<CallArgument> arguments;
    for (Type type : types) arguments.push_back({"", type});
    auto result = match_call(builtin, arguments, BuiltinTyping::Kern, table);
    if (auto* mismatch = std::get_if<BuiltinMismatch>(&result)) {
      require(false, to_string(*mismatch, builtin));
      return types::error;
    }
    const auto& match = std::get<BuiltinMatch>(result);
    bool is_exact = std::ranges::all_of(match.arguments, [&](const BoundArgument& bound) {
      bool is_index = taken.params[bound.param].kind == BuiltinParamKind::Index;
      return bound.argument && (is_index || types[*bound.argument] == bound.type);
    });
    require(is_exact, [&] {
      return fmt::format("the arguments are not converted, or not all there, as `{}` wants them",
                         row(builtin).signature);
    });
    return match.result;
  }

  static std::vector<Type> types_of(std::span<const Operand> operands) {
    std::vector<Type> result;
    for (const Operand& operand : operands) result.push_back(operand.type);
    return result;
  }

  void check_call_pure(const CallPure& e, Type target) {
    Effects effects = row(e.builtin).effects;
    require(is_pure(effects), "the builtin is not pure");
    bool is_folded = (e.builtin == Builtin::Min || e.builtin == Builtin::Max) && e.args.size() != 2;
    require(!is_folded, "min and max take two arguments in IR");
    require_result(check_builtin(e.builtin, types_of(e.args)), target);
  }

  void check_axis(const Operand& array, int axis, Type target) {
    if (!require_array(array)) return;
    require(axis >= 0 && axis < array.type->rank, "there is no such axis");
    require_result(types::i64, target);
  }

  void check_view(const View& e, Type target) {
    if (!require_array(e.array)) return;
    require(e.axes.size() == e.array.type->rank, "a view names every axis");
    std::size_t kept = 0;
    for (const ViewAxis& axis : e.axes) {
      require_type(axis.start, types::i64, "the start of an axis");
      if (axis.kind == ViewAxis::Kind::Index) continue;
      ++kept;
      require_type(axis.count, types::i64, "the count of an axis");
      require_type(axis.step, types::i64, "the step of an axis");
    }
    ScalarKind element = e.array.type->scalar;
    if (e.part) {
      require(is_complex(types::scalar(element)), "a part is one of complex elements");
      if (is_complex(types::scalar(element))) element = part_type(types::scalar(element))->scalar;
    }
    require_array_slot(target, element, kept, e.array.type->space);
  }

  void check_misalignment(const Misalignment& e, Type target) {
    require_array(e.array);
    require(e.bytes > 0 && (e.bytes & (e.bytes - 1)) == 0, "addresses are aligned to a power of 2");
    require_result(types::i64, target);
  }

  void check_restride(const Restride& e, Type target) {
    if (!require_array(e.array)) return;
    require(e.extents.size() == e.strides.size(), "an axis has an extent and a stride");
    for (const Operand& extent : e.extents) require_type(extent, types::i64, "an extent");
    for (const Operand& stride : e.strides) require_type(stride, types::i64, "a stride");
    if (!is_array(target)) return require(false, "the slot is no array");
    const int from = bit_width(e.array.type->scalar), to = bit_width(target->scalar);
    require(from % to == 0 || to % from == 0,
            "elements of the slot are no parts of those of the array, nor whole ones");
    require(from == to || e.array.type->space != AddressSpace::Local,
            "the elements of a local array are of one width");
    require(from >= to || e.array.type->space != AddressSpace::Constant,
            "the elements of a constant array lie where such elements may");
    require_array_slot(target, target->scalar, e.extents.size(), e.array.type->space);
  }

  void require_array_slot(Type target, ScalarKind element, std::size_t rank, AddressSpace space) {
    bool agrees =
        is_array(target) && target->scalar == element && target->rank == rank && target->space == space;
    require(agrees, [&] {
      return fmt::format("the slot is {}, which is no {} of rank {} in that memory", to_string(target),
                         to_string(types::scalar(element)), rank);
    });
  }

  void check_shared(const SharedArray& e, Type target) {
    auto index = static_cast<std::size_t>(e.id);
    if (index >= module.shared.size()) return require(false, "there is no such shared array");
    const SharedDecl& decl = module.shared[index];
    require_array_slot(target, decl.element, e.extents.size(), AddressSpace::Shared);
    for (std::size_t i = 0; i < e.extents.size(); ++i) {
      require_type(e.extents[i], types::i64, "an extent");
      if (decl.aliased) require(e.extents[i].slot.has_value(), "the extent does not come from the launch");
      bool is_static = decl.dynamic.empty() && !decl.aliased;
      if (!is_static) continue;
      bool agrees =
          i < decl.extents.size() && !e.extents[i].slot && int_value(e.extents[i]) == decl.extents[i];
      require(agrees, "the extents are not those of the declaration");
    }
  }

  void check_constant_array(const ConstantArray& e, Type target) {
    auto index = static_cast<std::size_t>(e.id);
    if (index >= module.constants.size()) return require(false, "there is no such constant array");
    const ConstantDecl& decl = module.constants[index];
    require_array_slot(target, decl.element, decl.extents.size(), AddressSpace::Constant);
  }

  void check_expr(const Expr& expr, Type target) {
    match(
        expr, [&](const Copy& e) { require_result(e.value.type, target); },
        [&](const Unary& e) { check_unary(e, target); }, [&](const Binary& e) { check_binary(e, target); },
        [&](const Compare& e) {
          require(is_scalar(e.left.type), "a comparison is of scalars");
          require_type(e.right, e.left.type, "the right operand");
          require_result(types::boolean, target);
        },
        [&](const Convert& e) {
          require(is_scalar(e.value.type) && is_scalar(target), "a conversion is of scalars");
        },
        [&](const Select& e) { check_select(e, target); }, [&](const Fma& e) { check_fma(e, target); },
        [&](const CallPure& e) { check_call_pure(e, target); },
        [&](const Extent& e) { check_axis(e.array, e.axis, target); },
        [&](const Stride& e) { check_axis(e.array, e.axis, target); },
        [&](const Misalignment& e) { check_misalignment(e, target); },
        [&](const View& e) { check_view(e, target); }, [&](const Restride& e) { check_restride(e, target); },
        [&](const SharedArray& e) { check_shared(e, target); },
        [&](const LocalArray& e) {
          bool is_local =
              is_array(target) && target->space == AddressSpace::Local && target->rank == e.extents.size();
          require(is_local, "the slot is no local array of that rank");
          require(std::ranges::all_of(e.extents, [](std::int64_t extent) { return extent >= 0; }),
                  "an extent is below 0");
        },
        [&](const ConstantArray& e) { check_constant_array(e, target); });
  }

  // ---- Statements ----

  // Returns the type of the elements; Error where the array is none.
  Type check_element(const Operand& array, const std::vector<Operand>& indices) {
    if (!require_array(array)) return types::error;
    require(indices.size() == array.type->rank, "there is not one index for each axis");
    // The indices are i32 where every place in the array fits one.
    const bool is_narrow = !indices.empty() && indices.front().type == types::i32;
    for (const Operand& index : indices) require_type(index, is_narrow ? types::i32 : types::i64, "an index");
    return element_type(array.type);
  }

  const Site* check_site(SiteId id) {
    auto index = static_cast<std::size_t>(id);
    require(index < module.sites.size(), "there is no such site");
    return index < module.sites.size() ? &module.sites[index] : nullptr;
  }

  void check_atomic(const Atomic& s) {
    require(row(s.builtin).effects == Effects::Atomic, "the builtin is no atomic");
    Type element = check_element(s.array, s.indices);
    require(!is_array(s.array.type) || s.array.type->space != AddressSpace::Constant,
            "constant memory is not written");
    std::vector<Type> types{s.array.type, types::unknown};
    for (const Operand& arg : s.args) types.push_back(arg.type);
    if (row(s.builtin).effects == Effects::Atomic) check_builtin(s.builtin, types);
    if (s.slot) require_result(element, slot_type(*s.slot));
  }

  void check_store(const Store& s) {
    Type element = check_element(s.array, s.indices);
    require_type(s.value, element, "the value");
    require(!is_array(s.array.type) || s.array.type->space != AddressSpace::Constant,
            "constant memory is not written");
  }

  void check_call_effect(const CallEffect& s) {
    Effects effects = row(s.builtin).effects;
    bool has_effect = is_barrier(effects) || effects == Effects::Warp || effects == Effects::Fence ||
                      effects == Effects::Effect;
    require(has_effect, "the builtin has no effect that a statement is for");
    Type result = check_builtin(s.builtin, types_of(s.args));
    if (s.slot) require_result(result, slot_type(*s.slot));
  }

  void check_call(const Call& s) {
    auto index = static_cast<std::size_t>(s.function);
    if (index >= module.functions.size()) return require(false, "there is no such function");
    const Function& callee = module.functions[index];
    require(!callee.is_kernel, "a kernel is not called");
    require(s.args.size() == callee.param_count, "there is not one argument for each parameter");
    for (std::size_t i = 0; i < std::min<std::size_t>(s.args.size(), callee.param_count); ++i)
      require(fits(s.args[i].type, callee.slots[i].type), [&] {
        return fmt::format("argument {} is {}, not {}", i + 1, to_string(s.args[i].type),
                           to_string(callee.slots[i].type));
      });
    require(s.results.size() == callee.results.size() || s.results.empty(),
            "there is not one slot for each result");
    for (std::size_t i = 0; i < std::min(s.results.size(), callee.results.size()); ++i)
      require_result(callee.results[i], slot_type(s.results[i]));
  }

  static bool is_fit(FaultKind kind) {
    return kind == FaultKind::DoesNotFit || kind == FaultKind::FitsSigned || kind == FaultKind::FitsWord;
  }

  static bool is_index(FaultKind kind) {
    return kind == FaultKind::IndexOutOfRange || kind == FaultKind::IndexFromEnd ||
           kind == FaultKind::IndexUnsigned;
  }

  void check_guard(const Guard& s) {
    if (!require_array(s.array)) return;
    require(s.axis >= 0 && s.axis < s.array.type->rank, "there is no such axis");
    require_type(s.index, types::i64, "the index");
    const Site* site = check_site(s.site);
    require(!site || is_index(site->kind), "the site is of another fault");
    bool tested = s.state == GuardState::Kept || s.state == GuardState::Empty;
    require(tested == s.proof.empty(), "a guard has a proof where it is not kept, and only there");
  }

  void check_fit(const Fit& s) {
    require(is_scalar(s.value.type) && is_integer(s.value.type), "what is to fit is no integer");
    require(is_scalar(s.type) && is_integer(s.type), "what it is to fit is no integer type");
    if (!is_integer(s.value.type) || !is_integer(s.type)) return;
    require(!keeps_value(s.value.type, s.type), "every value fits");
    const Site* site = check_site(s.site);
    require(!site || is_fit(site->kind), "the site is of another fault");
    require(s.state != GuardState::Empty, "a value has no axis");
    require((s.state == GuardState::Kept) == s.proof.empty(),
            "a fit has a proof where it is not kept, and only there");
  }

  void check_check(const Check& s) {
    require_type(s.condition, types::boolean, "the condition");
    const Site* site = check_site(s.site);
    require(!site || (site->kind != FaultKind::None && !is_index(site->kind) && !is_fit(site->kind)),
            "the site is of another fault");
    require(!s.contract || *s.contract < function.contracts.size(), "there is no such contract");
  }

  void check_print(const Print& s) {
    bool alternates = s.texts.size() == s.args.size() || s.texts.size() == s.args.size() + 1;
    require(alternates, "texts and arguments do not alternate");
    for (const Operand& arg : s.args) require(is_scalar(arg.type), "only scalars are printed");
    check_site(s.site);
  }

  void check_for(const For& s) {
    Type type = slot_type(s.variable);
    require(is_integer(type), "the variable of a for is no integer");
    const Slot* slot = find(s.variable);
    require(!slot || slot->kind != Slot::Kind::Temp, "the variable of a for is a Temp");
    require_type(s.start, type, "the start");
    require_type(s.step, type, "the step");
    require_type(s.count, types::i64, "the count");
    if (s.stop) require_type(*s.stop, types::i64, "the stop");
    require(s.unroll != unroll_all || !s.count.slot,
            "all rounds of a number that is no constant are unrolled");
    check_loop(s.body);
  }

  void check_return(const Return& s) {
    if (function.is_kernel) return require(s.values.empty(), "a kernel returns nothing");
    require(s.values.size() == function.results.size(), "there is not one value for each result");
    for (std::size_t i = 0; i < std::min(s.values.size(), function.results.size()); ++i)
      require(fits(s.values[i].type, function.results[i]), "a value is not of the result's type");
  }

  void check_node(const Stmt& s) {
    match(
        s.node, [&](const Assign& n) { check_expr(n.value, slot_type(n.slot)); },
        [&](const Load& n) { require_result(check_element(n.array, n.indices), slot_type(n.slot)); },
        [&](const Store& n) { check_store(n); }, [&](const Atomic& n) { check_atomic(n); },
        [&](const CallEffect& n) { check_call_effect(n); }, [&](const Call& n) { check_call(n); },
        [&](const Print& n) { check_print(n); }, [&](const Guard& n) { check_guard(n); },
        [&](const Fit& n) { check_fit(n); }, [&](const Check& n) { check_check(n); },
        [&](const If& n) {
          require_type(n.condition, types::boolean, "the condition");
          check_body(n.then_body);
          check_body(n.else_body);
        },
        [&](const While& n) { check_while(n); }, [&](const For& n) { check_for(n); },
        [&](const Break&) { require(loops > 0, "there is no loop around it"); },
        [&](const Continue&) { require(loops > 0, "there is no loop around it"); },
        [&](const Return& n) { check_return(n); }, [&](const Segment& n) { check_segment(n); });
  }

  void check_segment(const Segment& segment) {
    require(function.is_kernel, "a device function has no segments");
    require(!in_segment, "a segment is inside another");
    int loops_around = loops;
    loops = 0; // a break cannot leave a segment
    in_segment = true;
    check_body(segment.body);
    in_segment = false;
    loops = loops_around;
  }

  // The condition and the body of a while see what its head assigns.
  void check_while(const While& loop) {
    std::vector<bool> before = visible;
    ++loops;
    check_stmts(loop.head);
    const Stmt* outer = stmt;
    check_operand(loop.condition);
    require_type(loop.condition, types::boolean, "the condition");
    check_body(loop.body);
    --loops;
    stmt = outer;
    visible = std::move(before);
  }

  void check_loop(const Body& body) {
    ++loops;
    check_body(body);
    --loops;
  }

  void check_body(const Body& body) {
    std::vector<bool> before = visible;
    check_stmts(body);
    visible = std::move(before);
  }

  void check_stmts(const Body& body) {
    const Stmt* outer = stmt;
    for (const Stmt& inner : body) {
      stmt = &inner;
      check_scope(inner.scope);
      bool is_while = std::holds_alternative<While>(inner.node);
      if (!is_while) visit_operands(inner, [&](const Operand& operand) { check_operand(operand); });
      check_node(inner);
      visit_results(inner, [&](SlotId id) { check_result(id); });
    }
    stmt = outer;
  }

  void check_contracts() {
    require(function.is_kernel || function.contracts.empty(), "a device function has no contracts");
    for (const Contract& contract : function.contracts) check_site(contract.site);
    require(function.is_kernel || (function.facts.empty() && function.variant_of.empty()),
            "a device function has no variants");
    bool has_kernel = std::ranges::any_of(module.functions, [&](const Function& other) {
      return other.is_kernel && other.variant_of.empty() && other.symbol == function.variant_of;
    });
    require(function.variant_of.empty() || has_kernel, "there is no such kernel to be a variant of");
  }

  void run() {
    check_scopes();
    check_slots();
    require(!function.is_kernel || function.results.empty(), "a kernel has results");
    check_contracts();
    check_stmts(function.body);
  }
};

bool is_symbol(const std::string& text) {
  constexpr std::string_view allowed = "0123456789_$ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  bool begins_with_digit = !text.empty() && text[0] >= '0' && text[0] <= '9';
  return !text.empty() && !begins_with_digit && text.find_first_not_of(allowed) == std::string::npos;
}

std::size_t count_leaves(Type type) {
  if (!is_tuple(type)) return 1;
  std::size_t count = 0;
  for (Type element : type->elements) count += count_leaves(element);
  return count;
}

void verify_declarations(const Module& module, std::vector<std::string>& broken) {
  for (const ConstantDecl& decl : module.constants) {
    std::int64_t count = is_complex(types::scalar(decl.element)) ? 2 : 1; // parts
    for (std::int64_t extent : decl.extents) count *= extent;
    if (static_cast<std::int64_t>(decl.values.size()) != count)
      broken.push_back(fmt::format("const {}: there is not one value for each element", decl.name));
  }
  if (module.params.size() != module.functions.size())
    broken.push_back("there are not parameters for each function");
  std::set<std::string> symbols;
  for (const Function& function : module.functions) {
    if (!is_symbol(function.symbol)) broken.push_back(fmt::format("`{}` is no symbol", function.symbol));
    if (!symbols.insert(function.symbol).second)
      broken.push_back(fmt::format("`{}` are two functions", function.symbol));
  }
}

void verify_params(const Module& module, std::size_t index, std::vector<std::string>& broken) {
  std::uint32_t next = 0;
  for (const KernelParam& param : module.params[index]) {
    if (param.first_slot != next) break;
    next += static_cast<std::uint32_t>(count_leaves(param.type));
  }
  const Function& function = module.functions[index];
  if (next != function.param_count)
    broken.push_back(fmt::format("{}: the parameters of the source do not cover the slots", function.symbol));
}

} // namespace

std::vector<std::string> verify(const Module& module) {
  std::vector<std::string> broken;
  verify_declarations(module, broken);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (i < module.params.size()) verify_params(module, i, broken);
    Verifier{module, module.functions[i], broken, {}, {}, {}}.run();
  }
  return broken;
}

} // namespace kern::ir

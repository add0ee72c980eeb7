// One function after the other: what its neighbours look like follows from their types. A part that never changes takes the
// place of what is read of it; so numbers that are made only to be taken apart leave nothing behind.
#include <array>
#include <cassert>
#include <map>
#include <optional>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {

namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;
using Parts = std::array<Operand, 2>;

bool is_complex_scalar(Type type) { return is_scalar(type) && is_complex(type); }
bool has_complex_elements(Type type) { return is_array(type) && is_complex(element_type(type)); }

class Splitter {
public:
  Splitter(ir::Module& module, std::size_t index)
      : module_(module), function_(module.functions[index]), params_(module.params[index]) {}

  void run() {
    ir::Definitions definitions(function_);
    for (std::size_t id = 0; id < function_.slots.size(); ++id)
      is_steady_.push_back(definitions.is_steady(static_cast<SlotId>(id)));
    find_accessed(function_.body);
    Body prologue;
    add_params(prologue);
    rewrite(function_.body);
    function_.body.insert(function_.body.begin(), prologue.begin(), prologue.end());
    split_results();
    lay_out();
  }

private:
  const ir::Slot& slot(SlotId id) const { return function_.slots[index_of(id)]; }

  SlotId add_slot(std::string name, Type type, ir::Slot::Kind kind, Span span) {
    function_.slots.push_back({std::move(name), type, kind, span});
    return static_cast<SlotId>(function_.slots.size() - 1);
  }

  void emit(Body& out, decltype(ir::Stmt::node) node) { out.push_back({std::move(node), span_}); }

  Operand compute(Body& out, Type type, ir::Expr expr) {
    SlotId temp = add_slot("", type, ir::Slot::Kind::Temp, span_);
    emit(out, ir::Assign{temp, std::move(expr)});
    return {type, temp};
  }

  // ---- Arrays: views of their parts, made where the array is, or for each access to a variable ----

  void find_accessed(const Body& body) {
    ir::walk(body, [&](const Stmt& stmt) {
      const auto* load = std::get_if<ir::Load>(&stmt.node);
      const auto* store = std::get_if<ir::Store>(&stmt.node);
      const Operand* array = load ? &load->array : store ? &store->array : nullptr;
      if (array && has_complex_elements(array->type)) views_.emplace(*array->slot, std::nullopt);
    });
  }

  Parts make_views(const Operand& array, Body& out) {
    Type element = part_type(element_type(array.type));
    int rank = array.type->rank;
    Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
    std::vector<ir::ViewAxis> axes;
    for (int axis = 0; axis < rank; ++axis)
      axes.push_back(
          {ir::ViewAxis::Kind::Range, zero, compute(out, types::i64, ir::Extent{array, axis}), one});
    Type type = module_.types.array(element->scalar, rank, array.type->space, Layout::Any);
    return {compute(out, type, ir::View{array, axes, 0}), compute(out, type, ir::View{array, axes, 1})};
  }

  void add_views(SlotId array, Body& out) {
    auto found = views_.find(array);
    if (found != views_.end() && is_steady_[index_of(array)])
      found->second = make_views({slot(array).type, array}, out);
  }

  Parts views_of(const Operand& array, Body& out) {
    std::optional<Parts>& known = views_.at(*array.slot);
    return known ? *known : make_views(array, out);
  }

  // ---- Numbers ----

  // A parameter of a kernel is taken apart at its head, one of another function becomes two.
  void add_params(Body& prologue) {
    for (std::uint32_t id = 0; id < function_.param_count; ++id) {
      auto param = static_cast<SlotId>(id);
      ir::Slot of = slot(param);
      span_ = of.span;
      if (has_complex_elements(of.type)) add_views(param, prologue);
      if (!is_complex_scalar(of.type)) continue;
      if (!function_.is_kernel) {
        make_parts(param, ir::Slot::Kind::Param);
        continue;
      }
      bool narrow = of.type == types::c64;
      Operand whole{of.type, param};
      Type part = part_type(of.type);
      numbers_[param] = {
          compute(prologue, part, ir::CallPure{narrow ? Builtin::RealC64 : Builtin::RealC128, {whole}}),
          compute(prologue, part, ir::CallPure{narrow ? Builtin::ImagC64 : Builtin::ImagC128, {whole}})};
    }
  }

  const Parts& make_parts(SlotId id, ir::Slot::Kind kind) {
    ir::Slot of = slot(id);
    Type part = part_type(of.type);
    auto name = [&](std::string_view suffix) {
      return of.name.empty() ? std::string() : of.name + std::string(suffix);
    };
    Parts parts{Operand{part, add_slot(name(".real"), part, kind, of.span)},
                Operand{part, add_slot(name(".imag"), part, kind, of.span)}};
    return numbers_[id] = parts;
  }

  // Returns the slots of a number that a statement assigns.
  const Parts& target(SlotId id) {
    auto found = numbers_.find(id);
    return found != numbers_.end() ? found->second : make_parts(id, slot(id).kind);
  }

  Parts parts_of(const Operand& operand) {
    if (!operand.slot) return {ir::part_of(operand, 0), ir::part_of(operand, 1)};
    return target(*operand.slot);
  }

  // Says whether an operand is the same wherever it is read from now on.
  bool is_stable(const Operand& operand) const {
    return !operand.slot || slot(*operand.slot).kind == ir::Slot::Kind::Temp;
  }

  bool is_temp(SlotId id) const { return slot(id).kind == ir::Slot::Kind::Temp; }

  void assign(SlotId id, const Parts& value, Body& out) {
    if (is_temp(id) && is_stable(value[0]) && is_stable(value[1])) {
      numbers_[id] = value;
      return;
    }
    const Parts to = target(id);
    // One part may be made of the other one of the same variable.
    Parts from = value;
    if (from[1].slot && from[1].slot == to[0].slot) from[1] = compute(out, from[1].type, ir::Copy{from[1]});
    for (std::size_t part = 0; part < 2; ++part)
      if (!(from[part] == to[part])) emit(out, ir::Assign{*to[part].slot, ir::Copy{from[part]}});
  }

  static std::optional<std::size_t> taken_part(const ir::Expr& expr) {
    const auto* call = std::get_if<ir::CallPure>(&expr);
    if (!call) return std::nullopt;
    if (call->builtin == Builtin::RealC64 || call->builtin == Builtin::RealC128) return 0;
    if (call->builtin == Builtin::ImagC64 || call->builtin == Builtin::ImagC128) return 1;
    return std::nullopt;
  }

  // slot = z.real, z.imag
  void take_part(SlotId id, const Operand& part, Body& out) {
    if (is_temp(id) && is_stable(part))
      taken_[id] = part;
    else
      emit(out, ir::Assign{id, ir::Copy{part}});
  }

  void assign_number(const ir::Assign& node, Body& out) {
    if (const auto* copy = std::get_if<ir::Copy>(&node.value))
      return assign(node.slot, parts_of(copy->value), out);
    if (const auto* choice = std::get_if<ir::Select>(&node.value)) {
      Parts yes = parts_of(choice->then_value), no = parts_of(choice->else_value), result;
      for (std::size_t part = 0; part < 2; ++part)
        result[part] = compute(out, yes[part].type, ir::Select{choice->condition, yes[part], no[part]});
      return assign(node.slot, result, out);
    }
    const auto* made = std::get_if<ir::CallPure>(&node.value);
    assert(made && made->args.size() == 2 && "complex numbers are copied, chosen and made");
    assign(node.slot, {made->args[0], made->args[1]}, out);
  }

  // ---- Statements ----

  void split_operands(std::vector<Operand>& operands) {
    std::vector<Operand> result;
    for (const Operand& operand : operands) {
      if (!is_complex_scalar(operand.type)) {
        result.push_back(operand);
        continue;
      }
      for (const Operand& part : parts_of(operand)) result.push_back(part);
    }
    operands = std::move(result);
  }

  void split_call(ir::Call& call) {
    split_operands(call.args);
    std::vector<SlotId> results;
    for (SlotId id : call.results) {
      if (!is_complex_scalar(slot(id).type)) {
        results.push_back(id);
        continue;
      }
      for (const Operand& part : Parts(target(id))) results.push_back(*part.slot);
    }
    call.results = std::move(results);
  }

  void visit_assign(Stmt&& stmt, Body& out) {
    auto& node = std::get<ir::Assign>(stmt.node);
    if (is_complex_scalar(slot(node.slot).type)) return assign_number(node, out);
    if (std::optional<std::size_t> part = taken_part(node.value)) {
      const Operand whole = std::get<ir::CallPure>(node.value).args[0];
      return take_part(node.slot, parts_of(whole)[*part], out);
    }
    SlotId id = node.slot;
    out.push_back(std::move(stmt));
    add_views(id, out);
  }

  void visit(Stmt&& stmt, Body& out) {
    span_ = stmt.span;
    ir::visit_operands(stmt, [&](Operand& operand) {
      auto found = operand.slot ? taken_.find(*operand.slot) : taken_.end();
      if (found != taken_.end()) operand = found->second;
    });
    if (std::holds_alternative<ir::Assign>(stmt.node)) return visit_assign(std::move(stmt), out);
    if (const auto* load = std::get_if<ir::Load>(&stmt.node);
        load && has_complex_elements(load->array.type)) {
      const Parts views = views_of(load->array, out), to = target(load->slot);
      for (std::size_t part = 0; part < 2; ++part)
        emit(out, ir::Load{*to[part].slot, views[part], load->indices});
      return;
    }
    if (const auto* store = std::get_if<ir::Store>(&stmt.node);
        store && has_complex_elements(store->array.type)) {
      const Parts views = views_of(store->array, out), value = parts_of(store->value);
      for (std::size_t part = 0; part < 2; ++part)
        emit(out, ir::Store{views[part], store->indices, value[part]});
      return;
    }
    if (auto* call = std::get_if<ir::Call>(&stmt.node)) split_call(*call);
    if (auto* last = std::get_if<ir::Return>(&stmt.node)) split_operands(last->values);
    ir::visit_bodies(stmt, [&](Body& inner) { rewrite(inner); });
    out.push_back(std::move(stmt));
  }

  void rewrite(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) visit(std::move(stmt), result);
    body = std::move(result);
  }

  // ---- The function ----

  void split_results() {
    std::vector<Type> results;
    for (Type type : function_.results)
      results.insert(results.end(), is_complex_scalar(type) ? 2 : 1,
                     is_complex_scalar(type) ? part_type(type) : type);
    function_.results = std::move(results);
  }

  bool stays(SlotId id) const {
    return !is_complex_scalar(slot(id).type) ||
           (function_.is_kernel && slot(id).kind == ir::Slot::Kind::Param);
  }

  // Leaves out the slots that are two now; parameters come first, in their order.
  void lay_out() {
    std::vector<std::optional<SlotId>> moved(function_.slots.size());
    std::vector<ir::Slot> slots;
    auto keep = [&](SlotId id) {
      if (moved[index_of(id)]) return;
      moved[index_of(id)] = static_cast<SlotId>(slots.size());
      slots.push_back(slot(id));
    };
    // Parts lie where the whole was, so that those of a tuple or record stay in their order.
    auto keep_parts = [&](SlotId id) {
      if (stays(id)) return keep(id);
      if (auto found = numbers_.find(id); found != numbers_.end())
        for (const Operand& part : found->second)
          if (part.slot) keep(*part.slot);
    };
    for (std::uint32_t id = 0; id < function_.param_count; ++id) keep_parts(static_cast<SlotId>(id));
    function_.param_count = static_cast<std::uint32_t>(slots.size());
    for (std::size_t id = 0; id < function_.slots.size(); ++id) keep_parts(static_cast<SlotId>(id));
    auto move = [&](SlotId& id) { id = *moved[index_of(id)]; };
    ir::walk(function_.body, [&](Stmt& stmt) {
      ir::visit_operands(stmt, [&](Operand& operand) {
        if (operand.slot) move(*operand.slot);
      });
      ir::visit_results(stmt, move);
    });
    function_.slots = std::move(slots);
    if (!function_.is_kernel) describe_params();
  }

  // Returns the type of a parameter of a function that is called: a complex one is a tuple of its parts.
  Type split_type(Type type) {
    if (is_complex_scalar(type)) return module_.types.tuple(std::array{part_type(type), part_type(type)});
    if (!is_tuple(type)) return type;
    std::vector<Type> elements;
    for (Type element : type->elements) elements.push_back(split_type(element));
    return module_.types.tuple(elements);
  }

  static std::uint32_t count_leaves(Type type) {
    if (!is_tuple(type)) return 1;
    std::uint32_t count = 0;
    for (Type element : type->elements) count += count_leaves(element);
    return count;
  }

  void describe_params() {
    std::uint32_t next = 0;
    for (ir::KernelParam& param : params_) {
      param.type = split_type(param.type);
      param.first_slot = next;
      next += count_leaves(param.type);
    }
  }

  ir::Module& module_;
  ir::Function& function_;
  std::vector<ir::KernelParam>& params_;
  std::vector<bool> is_steady_; // of the slots there were
  std::map<SlotId, Parts> numbers_;
  std::map<SlotId, Operand> taken_; // temporaries that are a part of a number
  std::map<SlotId, std::optional<Parts>> views_;
  Span span_{};
};

bool has_complex(const ir::Function& function) {
  for (const ir::Slot& slot : function.slots)
    if (is_complex_scalar(slot.type) || has_complex_elements(slot.type)) return true;
  for (Type type : function.results)
    if (is_complex_scalar(type)) return true;
  return false;
}

} // namespace

void split_complex(ir::Module& module) {
  for (std::size_t index = 0; index < module.functions.size(); ++index)
    if (has_complex(module.functions[index])) Splitter(module, index).run();
}

} // namespace kern

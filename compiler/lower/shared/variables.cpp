// Variables for debuggers: each slot with a name, at the end of the function, when it is known where it lives. What
// is shown of it is never wrong, so that some of it may be missing (a debugger says <optimized out>): in code
// of vectors what lanes do not have as a plain vector, and, where the optimiser is on, what moves about in
// scratch.
//
// Without the optimiser a variable is memory: an alloca, or, by the address that an alloca holds, a field of
// the record of the thread at hand. An array, a tuple and a record are fragments, one a part.
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

namespace {

// A variable, or a scalar or an array of a tuple or record, by its place in it: of `t.1.x` it is "1", "x".
struct Leaf {
  std::vector<std::string> path;
  ir::Operand value;
  Span span;
};

struct Variable {
  std::string name;
  ir::ScopeId scope{};
  Span span;
  unsigned number = 0; // of a parameter, from 1
  std::vector<Leaf> leaves{};
};

// Bits of a variable, and where they are: at an alloca, or at what comes of an expression over its address.
struct Fragment {
  std::uint64_t offset, bits;
  llvm::Value* place;
  std::vector<std::uint64_t> expression;
};

// A type with the fragments of one that has it.
struct Described {
  llvm::DIType* type = nullptr;
  std::string name; // of the type, as it is written
  std::uint64_t bits = 0, alignment = 8;
  std::vector<Fragment> fragments{};
};

// The slots of a function under the names of the source.
class Names {
public:
  explicit Names(const ir::Function& function) : function_(function) {}

  std::vector<Variable> find() {
    for (std::size_t call = 0; call < function_.inlined.size(); ++call) {
      unsigned number = 0;
      for (const ir::InlinedCall::Param& param : function_.inlined[call].params) {
        bool is_new = add(param.name, static_cast<ir::ScopeId>(call + 1), function_.inlined[call].function,
                          param.value);
        if (is_new) variables_.back().number = ++number;
        if (param.value.slot) params_.insert({static_cast<ir::ScopeId>(call + 1), *param.value.slot});
      }
    }
    unsigned number = 0;
    for (std::size_t index = 0; index < function_.slots.size(); ++index) {
      const ir::Slot& slot = function_.slots[index];
      auto id = static_cast<ir::SlotId>(index);
      if (slot.name.empty() || params_.contains({slot.scope, id})) continue;
      bool is_new = add(slot.name, slot.scope, slot.span, {slot.type, id});
      if (is_new && index < function_.param_count) variables_.back().number = ++number;
    }
    return std::move(variables_);
  }

private:
  // Says whether a variable begins with it.
  bool add(const std::string& name, ir::ScopeId scope, Span span, const ir::Operand& value) {
    std::size_t dot = name.find('.');
    std::string base = name.substr(0, dot);
    Leaf leaf{{}, value, span};
    while (dot != name.npos) {
      std::size_t end = name.find('.', dot + 1);
      leaf.path.push_back(name.substr(dot + 1, end - dot - 1));
      dot = end;
    }
    auto [found, is_new] = numbers_.try_emplace({base, scope}, variables_.size());
    if (is_new) variables_.push_back({base, scope, span});
    std::vector<Leaf>& leaves = variables_[found->second].leaves;
    // A parameter that the function assigns lives on in a variable of that name.
    if (!continues(leaves, leaf)) leaves.clear();
    leaves.push_back(std::move(leaf));
    return is_new;
  }

  // The parts of a tuple or record come one after the other, and its first part comes again where it begins anew.
  static bool continues(const std::vector<Leaf>& leaves, const Leaf& leaf) {
    if (leaves.empty() || leaves.back().span != leaf.span) return false;
    const std::vector<std::string>& first = leaves.front().path;
    auto [in_first, in_leaf] = std::ranges::mismatch(first, leaf.path);
    return in_first != first.end() && in_leaf != leaf.path.end();
  }

  const ir::Function& function_;
  std::vector<Variable> variables_;
  std::map<std::pair<std::string, ir::ScopeId>, std::size_t> numbers_; // of variables
  std::set<std::pair<ir::ScopeId, ir::SlotId>> params_; // slots that are one of an inlined call
};

class Describer {
public:
  explicit Describer(Lowerer& lower) : lower_(lower), debug_(lower.state.debug) {}

  void describe(const Variable& variable) {
    Described found = describe_leaves(variable.leaves, 0);
    llvm::DIBuilder& builder = debug_.builder();
    llvm::DILocation* place = debug_.location(variable.span, variable.scope);
    auto* subprogram = place->getScope()->getSubprogram();
    llvm::DIFile* file = debug_.file(variable.span.file);
    constexpr bool is_kept = true; // where nothing is known of it as well
    llvm::DILocalVariable* entry =
        variable.number > 0 ? builder.createParameterVariable(subprogram, variable.name, variable.number,
                                                              file, place->getLine(), found.type, is_kept)
                            : builder.createAutoVariable(subprogram, variable.name, file, place->getLine(),
                                                         found.type, is_kept);
    for (const Fragment& fragment : found.fragments) {
      llvm::DIExpression* expression = builder.createExpression(fragment.expression);
      if (fragment.bits != found.bits) {
        auto part = llvm::DIExpression::createFragmentExpression(
            expression, static_cast<unsigned>(fragment.offset), static_cast<unsigned>(fragment.bits));
        if (!part) continue;
        expression = *part;
      }
      builder.insertDeclare(fragment.place, entry, expression, place,
                            lower_.function->getEntryBlock().getTerminator());
    }
  }

private:
  static std::string_view part_at(const Leaf& leaf, std::size_t depth) {
    return depth < leaf.path.size() ? std::string_view(leaf.path[depth]) : "";
  }

  // Describes leaves that agree in the first `depth` parts of their paths.
  Described describe_leaves(std::span<const Leaf> leaves, std::size_t depth) {
    if (leaves.front().path.size() <= depth) return describe_leaf(leaves.front().value);
    Described result;
    bool is_record = false;
    std::vector<llvm::Metadata*> members;
    llvm::DIFile* file = debug_.file(FileId{0});
    while (!leaves.empty()) {
      const std::string name(part_at(leaves.front(), depth));
      auto end = std::ranges::find_if(leaves, [&](const Leaf& leaf) { return part_at(leaf, depth) != name; });
      auto count = static_cast<std::size_t>(end - leaves.begin());
      Described part = describe_leaves(leaves.first(count), depth + 1);
      leaves = leaves.subspan(count);
      const std::uint64_t offset = (result.bits + part.alignment - 1) / part.alignment * part.alignment;
      // C has no names that begin with a digit.
      is_record = name.find_first_not_of("0123456789") == 0;
      members.push_back(debug_.builder().createMemberType(file, is_record ? name : "_" + name, file, 0,
                                                          part.bits, 0, offset, llvm::DINode::FlagZero,
                                                          part.type));
      for (Fragment& fragment : part.fragments) {
        fragment.offset += offset;
        result.fragments.push_back(std::move(fragment));
      }
      result.name += (result.name.empty() ? "" : ", ") + (is_record ? name + ": " : "") + part.name;
      result.bits = offset + part.bits;
      result.alignment = std::max(result.alignment, part.alignment);
    }
    result.bits = (result.bits + result.alignment - 1) / result.alignment * result.alignment;
    result.name =
        is_record ? "{" + result.name + "}" : "(" + result.name + (members.size() == 1 ? ",)" : ")");
    result.type =
        debug_.builder().createStructType(file, result.name, file, 0, result.bits, 0, llvm::DINode::FlagZero,
                                          nullptr, debug_.builder().getOrCreateArray(members));
    return result;
  }

  Described describe_leaf(const ir::Operand& value) {
    if (!value.slot) return describe_constant(value);
    const SlotCells& slot = lower_.slots[static_cast<std::size_t>(*value.slot)];
    bool is_plain = !lower_.hidden_slots.contains(*value.slot);
    return is_array(value.type) ? describe_array(*value.slot, value.type, slot, is_plain)
                                : describe_scalar(value.type->scalar, slot.cells[0], slot, is_plain);
  }

  Described describe_constant(const ir::Operand& value) {
    Described result = empty(debug_.scalar(value.type->scalar), value.type->scalar, 1);
    llvm::Value* known = constant(lower_, value);
    result.fragments.push_back({0, result.bits, in_memory(known), {}});
    return result;
  }

  static Described empty(llvm::DIType* type, ScalarKind kind, unsigned lanes) {
    auto bits = static_cast<std::uint64_t>(bit_width(kind)) * lanes;
    return {type, to_string(types::scalar(kind)), bits, bits, {}};
  }

  Described describe_scalar(ScalarKind kind, const Cell& cell, const SlotCells& slot, bool is_plain) {
    const bool varies = cell.shape.kind == Shape::Kind::Varying, is_bool = kind == ScalarKind::Bool;
    const unsigned lanes = varies ? lower_.lane_count() : 1;
    Described result = empty(lanes > 1 ? debug_.vector(kind, lanes) : debug_.scalar(kind), kind, lanes);
    // A vector of bools is a mask, and a linear value is told by its first lane.
    bool is_value = varies ? !is_bool : cell.shape.kind == Shape::Kind::Uniform;
    if (is_plain && is_value) add(result, 0, result.bits, cell, slot);
    return result;
  }

  Described describe_array(ir::SlotId id, Type type, const SlotCells& slot, bool is_plain) {
    const std::size_t rank = type->rank;
    Described result{debug_.array(type), to_string(type), 64 * (1 + 2 * rank), 64, {}};
    if (!is_plain) return result;
    const bool is_interleaved = lower_.is_vector() && type->space == AddressSpace::Local;
    // The type says that they are in constant memory.
    const bool is_elsewhere =
        lower_.gpu() && type->space == AddressSpace::Constant && lower_.state.constants_are_global;
    if (!is_interleaved && !is_elsewhere && begins_at_base(id, slot))
      add_word(result, 0, slot.cells[0], slot);
    for (std::size_t part = 0; part < 2 * rank; ++part)
      add_word(result, 1 + part, slot.cells[2 + part], slot);
    return result;
  }

  // Whether the offset of an array value is always zero.
  bool begins_at_base(ir::SlotId id, const SlotCells& slot) const {
    if (slot.cells[1].shape.kind != Shape::Kind::Uniform) return false;
    if (has_offset_in_base(lower_, slot)) return true;
    const std::size_t writes = lower_.definitions.writes(id);
    if (static_cast<std::uint32_t>(id) < lower_.ir.param_count) return lower_.ir.is_kernel && writes == 0;
    const ir::Assign* assign = lower_.definitions.sole_assign(id);
    return assign && (std::holds_alternative<ir::SharedArray>(assign->value) ||
                      std::holds_alternative<ir::LocalArray>(assign->value) ||
                      std::holds_alternative<ir::ConstantArray>(assign->value));
  }

  void add_word(Described& result, std::size_t word, const Cell& cell, const SlotCells& slot) {
    if (cell.shape.kind == Shape::Kind::Uniform) add(result, 64 * word, 64, cell, slot);
  }

  void add(Described& result, std::uint64_t offset, std::uint64_t bits, const Cell& cell,
           const SlotCells& slot) {
    namespace op = llvm::dwarf;
    if (cell.known) {
      result.fragments.push_back({offset, bits, in_memory(cell.known), {}});
    } else if (cell.home) {
      result.fragments.push_back({offset, bits, cell.home, {op::DW_OP_deref}});
    } else if (cell.pointer && !slot.block_uniform) {
      result.fragments.push_back({offset, bits, cell.pointer, {}});
    } else if (!cell.pointer && lower_.scratch.record_home) {
      result.fragments.push_back(
          {offset, bits, lower_.scratch.record_home, {op::DW_OP_deref, op::DW_OP_plus_uconst, cell.offset}});
    }
  }

  // Debuggers read memory.
  llvm::Value* in_memory(llvm::Value* known) {
    llvm::AllocaInst* place = entry_alloca(lower_, known->getType(), "known");
    llvm::IRBuilder<> at(lower_.function->getEntryBlock().getTerminator());
    at.CreateStore(known, place);
    return place;
  }

  Lowerer& lower_;
  DebugInfo& debug_;
};

} // namespace

// A function of so many variables has others to worry about than a debugger; each takes memory several times.
static constexpr std::size_t most_variables = 20'000;

void describe_variables(Lowerer& lower) {
  if (!lower.state.debug.has_variables()) return;
  Describer describer(lower);
  std::vector<Variable> variables = Names(lower.ir).find();
  if (variables.size() > most_variables) return;
  for (const Variable& variable : variables) describer.describe(variable);
}

bool has_offset_in_base(const Lowerer& lower, const SlotCells& slot) {
  return lower.state.debug.is_exact() && slot.cells[0].shape.kind == Shape::Kind::Uniform &&
         slot.cells[1].shape.kind == Shape::Kind::Uniform;
}

} // namespace kern::lowering

// What may not be done twice: an atomic, a call, a message, a store that a load of the segment could see, an
// assignment to a slot that was read before and outlives the segment. A store to shared memory that the
// segment does not load from stores the same again, and nobody looks on: one thread runs a block.
#include "compiler/analysis/repeat.h"

#include "compiler/ir/walk.h"

namespace kern {
namespace {

using ir::Body;
using ir::Stmt;

class Finder {
public:
  Finder(const ir::Segment& segment, const std::vector<bool>& crossing)
      : segment_(segment), crossing_(crossing), read_(crossing.size()) {
    ir::walk(segment.body, [&](const Stmt& stmt) {
      const auto* load = std::get_if<ir::Load>(&stmt.node);
      loads_shared_ = loads_shared_ || (load && load->array.type->space == AddressSpace::Shared);
    });
  }

  std::unordered_set<const Stmt*> run() {
    visit(segment_.body, false);
    return std::move(found_);
  }

private:
  bool is_final(const Stmt& stmt) const {
    if (const auto* store = std::get_if<ir::Store>(&stmt.node))
      return store->array.type->space != AddressSpace::Shared || loads_shared_;
    bool changes_past = false;
    ir::visit_results(stmt, [&](ir::SlotId slot) {
      const auto index = static_cast<std::size_t>(slot);
      changes_past = changes_past || (crossing_[index] && read_[index]);
    });
    return changes_past || std::holds_alternative<ir::Atomic>(stmt.node) ||
           std::holds_alternative<ir::CallEffect>(stmt.node) || std::holds_alternative<ir::Call>(stmt.node) ||
           std::holds_alternative<ir::Print>(stmt.node);
  }

  void note_reads(const Stmt& stmt) {
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      if (operand.slot) read_[static_cast<std::size_t>(*operand.slot)] = true;
    });
  }

  // A loop comes back to its first statement after the last, so all of it is read first.
  void enter_loop(const Stmt& loop) {
    auto each = [&](const std::function<void(const Stmt&)>& act) {
      ir::visit_bodies(loop, [&](const Body& body) { ir::walk(body, act); });
    };
    each([&](const Stmt& stmt) { note_reads(stmt); });
    each([&](const Stmt& stmt) { done_ = done_ || is_final(stmt); });
  }

  void visit(const Body& body, bool in_loop) {
    for (const Stmt& stmt : body) {
      const bool stops =
          std::holds_alternative<ir::Guard>(stmt.node) || std::holds_alternative<ir::Check>(stmt.node);
      if (!done_ && (stops || !in_loop)) found_.insert(&stmt);
      note_reads(stmt);
      done_ = done_ || is_final(stmt);
      const bool loop =
          std::holds_alternative<ir::For>(stmt.node) || std::holds_alternative<ir::While>(stmt.node);
      if (loop) enter_loop(stmt);
      ir::visit_bodies(stmt, [&](const Body& inner) { visit(inner, in_loop || loop); });
    }
  }

  const ir::Segment& segment_;
  const std::vector<bool>& crossing_;
  std::vector<bool> read_;
  std::unordered_set<const Stmt*> found_;
  bool loads_shared_ = false;
  bool done_ = false;
};

} // namespace

std::unordered_set<const Stmt*> find_repeatable(const ir::Segment& segment,
                                                const std::vector<bool>& crossing) {
  return Finder(segment, crossing).run();
}

} // namespace kern

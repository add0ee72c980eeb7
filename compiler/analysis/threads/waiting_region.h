// The statements of a loop, or of a function that one calls, as far as they decide on slots: what is the same
// in each round, which elements are asked for again and again, and what follows from them.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/memory/written_arrays.h"
#include "compiler/ir/ir.h"

namespace kern::waiting {

// The slots of a function with one assignment, by which two operands are found to be one value.
class SingleValues {
public:
  explicit SingleValues(const ir::Function& function);
  bool is_same(const ir::Operand& left, const ir::Operand& right, int depth = 8) const;
  // Returns what the one assignment computes; null where there is none, or more.
  const ir::Expr* find(const ir::Operand& operand) const;

private:
  std::vector<const ir::Expr*> values_; // by slot; null: a parameter, or more than one
};

// The elements that a call asks for: whether there is one that it reads at a place that its repeated
// arguments name, the plain loads among those, whether every way through it ends in a compare-and-swap of what
// it has just read, and whether it has to do with memory at all.
struct Asked {
  bool any = false, retries = false;
  std::vector<const ir::Load*> loads;
  bool touches_memory = true;
};
using Ask = std::function<Asked(ir::FunctionId, const std::vector<bool>& varying)>;

struct Surroundings {
  const ir::Module& module;
  const ir::Function& function;
  const WrittenArrays& written;
  const SingleValues& values;
  const Ask& ask;
};

class Region {
public:
  explicit Region(const Surroundings& around) : around_(around) {}

  void add(const ir::Body& body);
  // Says that a slot has another value in each round, whatever the region does.
  void vary(ir::SlotId slot) { nodes_[slot].varies = true; }
  // To be called once all is added.
  void find_sources();

  bool has_source() const { return !sources_.empty() || !quiet_sources_.empty(); }
  // Returns the plain loads that are sources, in callees too.
  std::vector<const ir::Load*> loads() const;
  bool repeats(const ir::Operand& operand) const;
  // Whether it reads or writes memory, or calls what may.
  bool touches_memory() const;

  // Returns, if these slots follow from elements that are asked for again and again, the loads among those.
  std::optional<std::vector<const ir::Load*>> decided_by_sources(const std::vector<ir::SlotId>& slots);
  // Whether every round, whose statements these are, comes to a compare-and-swap of what it has just read,
  // whose outcome decides on one of the slots.
  bool always_retries(const std::vector<const ir::Body*>& round, const std::vector<ir::SlotId>& slots);
  // Says that the region is a function's, whose callers go round where it returns.
  void is_function() { returns_go_round_ = true; }

private:
  // An assignment in the region, and the conditions that it is under there.
  struct Definition {
    const ir::Stmt* stmt;
    std::vector<ir::SlotId> under;
  };
  // A slot that the region assigns.
  struct Node {
    std::vector<Definition> definitions{};
    bool is_open = false, is_settled = false, repeats = false, varies = false;
    std::size_t missing = 0;
    std::vector<Node*> readers{};
  };
  using Sources = std::unordered_map<const ir::Stmt*, std::vector<const ir::Load*>>;

  void add(const ir::Stmt& stmt);
  bool operands_repeat(const ir::Stmt& stmt) const;
  bool place_repeats(const ir::Operand& array, const std::vector<ir::Operand>& indices) const;
  bool is_same_place(const ir::Stmt& left, const ir::Stmt& right) const;
  bool goes_on_at(const ir::Stmt& place) const;
  bool is_source(const ir::Atomic& atomic) const;
  Asked asked_by(const ir::Call& call) const;
  bool reads_fixed(const ir::Stmt& stmt) const;
  bool calls_what_computes(const ir::Stmt& stmt) const;
  enum class Settled : std::uint8_t { Repeats, Ends };
  template <class Counts> void settle(Settled what, const Counts& counts, const Sources& sources);
  void open_what_decides(std::vector<ir::SlotId> slots, const Sources& sources, bool& any,
                         std::vector<const ir::Load*>& polled);
  bool is_retry(const ir::Stmt& stmt);
  bool reads_what_it_swaps(const ir::Atomic& swap);
  enum class Way : std::uint8_t { On, Retried, Left };
  Way way_through(const ir::Body& body, bool& goes_round_without);

  const Surroundings& around_;
  std::unordered_map<ir::SlotId, Node> nodes_;
  std::vector<const ir::Stmt*> memory_;
  std::vector<ir::SlotId> under_; // conditions around the statement at hand
  Sources sources_;               // elements that the kernel may write
  Sources quiet_sources_;         // others, in a region that changes nothing itself
  bool returns_go_round_ = false;
};

} // namespace kern::waiting

// Says what to write instead of a store that threads race for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/lint/lints.h"

namespace kern {

class RaceAdvice {
public:
  // A store whose element is picked by one that another store counts up: `out[n[0]] = v` beside `n[0] += 1`.
  struct Placed {
    const ir::Stmt* store;
    std::string element, index; // `out[n[0]]`, and what to write: `out[p]`
  };

  RaceAdvice(const FunctionAnalyses& analyses, std::string_view prefix);

  // Returns the stores that a store which counts places; none of most.
  std::span<const Placed> placed_by(const ir::Stmt& count) const;
  // Says whether another store counts up what picks the element.
  bool is_placed(const ir::Stmt& store) const;
  // Returns what to write instead of such a count, by the atomic that does the same.
  std::string place_advice(const ir::Stmt& count, std::string_view atomic) const;
  // Returns what to write where an atomic counts and the store finds its place by a load of the count, which others have
  // changed by then: `atomic.add(n, 0, 1)` beside `out[n[0] - 1] = v`. Nothing of most stores.
  std::optional<std::string> atomic_advice(const ir::Stmt& store) const;
  // Returns a condition that holds for one of the threads which store to an element.
  std::string one_thread(const ir::Store& store) const;

private:
  struct Counted {
    std::string name, loaded; // of the place that a thread gets; what the program's own variable is assigned
    std::vector<Placed> stores;
  };
  // A load of what is counted, and what is added to it.
  struct Origin {
    const ir::Stmt* load;
    std::int64_t offset;
    std::string name; // of the variable that holds what was loaded
  };
  bool is_around(const ir::Body* body, const ir::Stmt& stmt) const;
  static std::optional<std::int64_t> step(const ir::Atomic& count);
  std::string text(const ir::Atomic& count) const;
  std::string element_at(const ir::Store& store, std::size_t axis, std::string_view place,
                         std::int64_t offset) const;
  void find_placed(const ir::Stmt& stmt);
  std::optional<Origin> origin(ir::Operand operand) const;
  std::optional<std::int64_t> step(const ir::Store& count) const;
  std::string fresh_name() const;

  const ir::Function& function_;
  const Nesting& nesting_;
  const Describer& describe_;
  const Updates& updates_;
  std::string_view prefix_;
  std::vector<const ir::Stmt*> stores_, counts_, atomics_; // in the order of the program
  std::unordered_map<const ir::Stmt*, Counted> counted_;
  std::unordered_map<const ir::Stmt*, const ir::Stmt*> placed_;
};

} // namespace kern

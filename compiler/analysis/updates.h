// Stores that change the element which they read: what is an atomic of it, and whether other threads may change the
// same element meanwhile.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/support/source.h"

namespace kern {

class Updates {
public:
  Updates(const ir::Function& function, const Describer& describe, const Uniformity& uniformity,
          const SourceManager& sources);

  // Says whether the value of a store is made of the element that it goes to.
  bool updates(const ir::Store& store) const;
  // Returns the atomic that does what such a store does, in the words of the source: `atomic.max(m, 0, x[i])`. `under`
  // are the comparisons that hold where it stands: `if x > m[0]: m[0] = x` is a maximum. Nothing where there is none.
  std::optional<std::string> atomic(const ir::Store& store, const std::vector<ir::Compare>& under) const;
  // Says whether the element is picked by data alone, which differs between threads, and by no thread's own number.
  bool is_picked_by_data(const ir::Store& store) const;

private:
  struct Term {
    ir::Operand value;
    bool is_negative;
  };
  struct Sources {
    bool has_data = false, is_own = false; // of elements; of the number of a thread, or of what is not known
  };
  enum class Family : std::uint8_t { None, Sum, And, Or, Xor, Max, Min };
  // A search for the element among the operands of one family. Each value is looked at once, on however many ways it is
  // reached, and so many of them that an atomic could be written of.
  struct Search {
    static constexpr std::size_t most = 256;
    bool has_given_up() const { return seen.size() > most; }

    Family family;
    const ir::Store& store;
    std::unordered_set<ir::SlotId> seen = {};
  };

  const ir::Stmt* definition(const ir::Operand& operand) const;
  static Family family_of(const ir::Expr& expr);
  bool is_element(const ir::Operand& operand, const ir::Store& store) const;
  bool has_element(const ir::Operand& operand, Search& search) const;
  const ir::Operand& modular(const ir::Operand& operand, Family family) const;
  Family family(const ir::Store& store) const;
  bool collect(const ir::Operand& operand, Family family, bool is_negative, const ir::Store& store,
               std::vector<Term>& terms) const;
  std::string text(const ir::Operand& operand, Type type, bool is_alone, bool is_first) const;
  std::optional<std::string> operand_text(Family family, std::vector<Term> terms, Type type,
                                          bool& is_sub) const;
  std::optional<Family> extremum_under(const ir::Store& store, const std::vector<ir::Compare>& under) const;
  void trace(const ir::Operand& operand, Sources& found, std::vector<bool>& seen, int depth) const;

  const ir::Function& function_;
  const Describer& describe_;
  const Uniformity& uniformity_;
  const SourceManager& sources_;
  std::vector<std::vector<const ir::Stmt*>> definitions_; // of each slot
};

} // namespace kern

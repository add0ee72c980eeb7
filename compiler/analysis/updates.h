// Stores that change the element which they read: what is an atomic of it, and whether other threads may change the
// same element meanwhile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/ir/walk.h"
#include "compiler/support/source.h"

namespace kern {

class Updates {
public:
  // `prefix` stands before `atomic` in the words of the source.
  Updates(const ir::Function& function, const Describer& describe, const Uniformity& uniformity,
          const SourceManager& sources, std::string_view prefix);

  // Says whether the value of a store is made of the element that it goes to, through whatever variables.
  bool updates(const ir::Store& store) const;
  // Returns the atomic that does what such a store does, in the words of the source: `atomic.max(m, 0, x[i])`. `under`
  // are the comparisons that hold where it stands: `if x > m[0]: m[0] = x` is a maximum. Nothing where there is none.
  // `place` is where the store stands.
  std::optional<std::string> atomic(const ir::Store& store, Span place,
                                    const std::vector<ir::Compare>& under) const;

  // What a value is made of: elements of arrays that threads have in common; the number of a thread, or what is not known.
  struct Sources {
    bool has_data = false, is_own = false;
    bool is_data_alone() const { return has_data && !is_own; }
    auto operator<=>(const Sources&) const = default;
  };
  // Return what a value, or the place of an element, is made of, where the parameters are made of `params`.
  Sources sources(const ir::Operand& operand, const std::vector<Sources>& params = {}) const;
  Sources place_sources(const ir::Store& store, const std::vector<Sources>& params) const;
  // Says whether one of the statements matches that compute a value, through whatever variables; what is loaded or
  // returned by a call is not followed.
  bool is_made_by(const ir::Operand& operand, const ir::Predicate& matches) const;
  // Says whether a store goes to the element that a load reads.
  bool is_element(const ir::Load& load, const ir::Store& store) const;

private:
  struct Term {
    ir::Operand value;
    bool is_negative;
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
  struct Trace {
    const std::vector<Sources>& params;
    Sources found = {};
    std::vector<bool> seen;
  };
  std::optional<std::string> written_name(Span place) const;
  std::string index_text(const ir::Store& store, Span place) const;
  void trace(const ir::Operand& operand, Trace& trace, int depth) const;

  const ir::Function& function_;
  const Describer& describe_;
  const Uniformity& uniformity_;
  const SourceManager& sources_;
  std::string_view prefix_;
  std::vector<std::vector<const ir::Stmt*>> definitions_; // of each slot
};

} // namespace kern

// Stores that change the element which they read: what is an atomic of it, and whether other threads may change the
// same element meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/threads/uniformity.h"
#include "compiler/ir/walk.h"
#include "compiler/lint/choices.h"
#include "compiler/support/source.h"

namespace kern {

class Updates {
public:
  // `prefix` stands before `atomic` in the words of the source.
  Updates(const ir::Module& module, const ir::Function& function, const Describer& describe,
          const Uniformity& uniformity, const SourceManager& sources, std::string_view prefix);

  // Says whether the value of a store is made of the element that it goes to, through whatever variables.
  bool updates(const ir::Store& store) const;
  // Returns the atomic that does what such a store does, in the words of the source: `atomic.max(m, 0, x[i])`. `under`
  // are the comparisons that hold where it stands: `if x > m[0]: m[0] = x` is a maximum. Nothing where there is none.
  // `place` is where the store stands.
  std::optional<std::string> atomic(const ir::Store& store, Span place,
                                    const std::vector<ir::Compare>& under) const;

  // The sources of a value: elements of arrays that threads have in common; the number of a thread, or what
  // is not known; what atomics returned of elements that data pick, or that each thread picks by its number.
  // Threads that came to one element got different numbers from its atomic, others need not have.
  struct Sources {
    bool has_data = false, is_own = false, is_of_picked = false, is_of_own = false;
    bool is_data_alone() const { return has_data && !tells_apart(); }
    bool tells_apart() const { return is_own || is_of_picked || is_of_own; }
    auto operator<=>(const Sources&) const = default;
  };
  // Return the sources of a value, or of the place of an element, where the parameters have the sources
  // `params`. The sources of numbers that are picked, or counted up by a loop, are those of what picks them.
  Sources sources(const ir::Operand& operand, const std::vector<Sources>& params = {}) const;
  Sources place_sources(const ir::Store& store, const std::vector<Sources>& params) const;
  // Says whether one of the statements matches that compute a value, through whatever variables; what is loaded or
  // returned by a call is not followed.
  bool is_made_by(const ir::Operand& operand, const ir::Predicate& matches) const;
  const Choices& choices() const { return choices_; }
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
  bool is_checked(const ir::Operand& operand) const;
  // The element that an atomic changes: its type, and whether what goes into it is checked.
  struct Element {
    Type type;
    bool is_checked;
  };
  std::string text(const ir::Operand& operand, const Element& element, bool is_alone, bool is_first) const;
  std::optional<std::string> operand_text(Family family, std::vector<Term> terms, const Element& element,
                                          bool& is_sub) const;
  const ir::Operand& compared(const ir::Operand& operand) const;
  std::optional<Family> extremum_under(const ir::Store& store, const std::vector<ir::Compare>& under) const;
  // A search for what values are made of; with choices also for what picks one of several.
  struct Trace {
    // The bounds where nothing is known any more: of the slots that are looked at, and of the atomics within each other.
    static constexpr std::size_t most_slots = 1024, most_chosen = 256;
    static constexpr int deepest = 3;
    // How a slot was met.
    static constexpr std::uint8_t as_value = 1, as_start = 2, as_condition = 4;
    struct Pending {
      ir::Operand operand;
      bool is_start; // of a loop
    };

    const std::vector<Sources>& params;
    bool follows_choices;
    int depth;
    Sources found = {};
    std::vector<std::uint8_t> seen = {}; // by slot
    std::vector<Pending> pending = {};
  };
  Sources sources(std::span<const ir::Operand> operands, const std::vector<Sources>& params, int depth) const;
  void run(Trace& trace) const;
  void follow(const ir::Stmt& made, bool is_start, Trace& trace) const;
  void follow_choices(const Choices::Way& way, bool is_start, Trace& trace) const;
  bool knows_threads(ir::FunctionId callee) const;
  bool is_fixed(const ir::Operand& operand, const std::vector<Sources>& params, int& steps) const;

  const ir::Module& module_;
  const ir::Function& function_;
  const Describer& describe_;
  const Uniformity& uniformity_;
  const SourceManager& sources_;
  std::string_view prefix_;
  Choices choices_;
  std::unordered_map<ir::SlotId, Type> fits_;             // what is checked, for which type
  mutable std::unordered_map<ir::SlotId, Sources> known_; // of values that are made of no parameters
  mutable std::unordered_map<ir::FunctionId, bool> knows_threads_;
};

} // namespace kern

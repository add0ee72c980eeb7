// The memory of a program at one moment: what each name is, and what each object holds. A copy is two pointers.
#pragma once

#include <map>
#include <vector>

#include "compiler/python/persistent_map.h"
#include "compiler/values/value.h"

namespace kern::python {

using values::ObjectId;
using values::Value;
using values::Why;

// What a name is, and where it was bound.
struct Binding {
  Value value;
  Span where;
};

// The words of the numbers of arrays as the last store left them, and what each store before had there: so a store costs
// what it changes, and whoever keeps an older version still has that one.
struct Buffer {
  struct Change {
    std::size_t place;
    std::uint64_t before;
  };
  std::vector<std::uint64_t> words;
  std::vector<Change> changes{};
  std::map<std::size_t, std::vector<std::uint64_t>>
      older{}; // versions that were read again, by their changes

  const std::vector<std::uint64_t>& at(std::size_t version);
};

// Where the elements of a list stand that grows, with place behind them: whoever keeps an older version has fewer of them.
struct Room {
  Value* first;
  std::size_t used, capacity;
};

// What an object holds: the elements of a list, keys and values of a dict in turn, or the numbers of arrays. Of a class its
// attributes are names; it is here where attributes that nobody knows may have been added.
struct Content {
  bool is_known = true;
  Span where; // it may be changed there
  std::span<const Value> elements;
  Room* room = nullptr;     // of the elements, where some were appended
  Buffer* buffer = nullptr; // of arrays
  std::size_t version = 0;  // how many of its changes are made
};

// A file, a class or a call of a function, whose names it has.
enum class Space : std::uint32_t {};
// Two that no code has: of the attributes that are set of modules which Kern knows, by their dotted names; and of what is
// known of the launches of a function, by its number: True of one that is sure to have been launched.
inline constexpr Space module_attributes{~std::uint32_t{0}}, launched{~std::uint32_t{0} - 1};

// The attributes of a class are the names of a space that is numbered as it is.
inline Space space_of(const values::Class& of) { return Space{static_cast<std::uint32_t>(of.object)}; }

inline std::uint64_t key_of(Space space, std::uint32_t name) {
  return std::uint64_t{static_cast<std::uint32_t>(space)} << 32 | name;
}

struct Store {
  PersistentMap<Binding> names;    // by key_of
  PersistentMap<Content> contents; // by ObjectId
  bool operator==(const Store&) const = default;

  // Calls `visit` with the key and the binding of each name of a space.
  template <class Visit> void each_name(Space space, const Visit& visit) const {
    names.each(key_of(space, 0), key_of(space, ~std::uint32_t{0}), visit);
  }
};

} // namespace kern::python

// The algorithms by their names: what a call is given, of which module of the library they are, and what they launch.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/plans/plan.h"

namespace kern::algorithms {

enum class Role : std::uint8_t {
  In,
  Out,
  InOut,  // In where the results that a call may leave out are given
  Number, // a scalar
  Limit // how many elements of the sources count, known on the device; the last parameter, which may be left out
};

// How many elements an array has; parameters with the same letter have the same number.
enum class Size : std::uint8_t {
  Any,
  AnyShape, // and of several axes, which it keeps
  One,
  Two,
  N,
  AtMostN, // as many as come out of a selection
  M,
  MoreThanM, // by one: the bounds of M parts
  Lines,     // of any shape: that of the first one, of which the call goes along an axis
  OfLines    // one a line: the shape without that axis
};

// Of what type it is.
enum class Element : std::uint8_t {
  Any,
  OfFirst, // that of the first parameter
  OfSecond,
  LikeFirst, // likewise, but where INPUT makes another one of it
  Computed,  // what is made of `x`, or of the first parameter
  Integer,   // any type of integer,
  Signed,    // that has -1, where there is no place,
  Place,     // that holds the places of the elements of the first parameter,
  Bound,     // and the one behind them
  I64,
  U64,
  F64,
  Mean,  // a float or complex number, f64 where elements are integers
  Float, // f64 likewise
  Real,  // f32 or f64
  Word   // u32 or u64
};

struct Parameter {
  const char* name = nullptr; // null: there are no more
  Role role = Role::In;
  Size size = Size::Any;
  Element element = Element::Any;
};

constexpr std::size_t most_parameters = 6;

struct Algorithm {
  const char *name, *module, *kernel; // of several launches the kernel means nothing
  void (*plan)(Planner& planner);
  std::size_t needed; // parameters that a call gives at least; else it gives all
  Parameter parameters[most_parameters];
  // Which parameters have elements that are only moved, so that their bits are all that matters; a bit each.
  unsigned moved = 0;
  const char* by_comparison = nullptr; // the algorithm that it is where LESS is set
  bool works_in_place = false;         // it reads an element, but of keys, before it writes it, and no other
  const char* along = nullptr;         // the algorithm that it is where AXIS is set
  std::span<const Parameter> all() const;
  bool may_be_sized() const { return all().back().role == Role::Limit; }
  bool goes_along() const { return parameters[0].size == Size::Lines; }
};

// Returns an algorithm; null where there is none of that name.
const Algorithm* find_algorithm(std::string_view name);
// Returns that of a module by its name, or the one that has the name of the module.
const Algorithm* find_algorithm(std::string_view module, std::string_view name);
// Returns all names, for messages.
std::string algorithm_names();
std::span<const Algorithm> all_algorithms();

// Returns the algorithm that a call is with such settings: another one of its kind by a comparison or along an axis.
const Algorithm& chosen(const Algorithm& algorithm, const Settings& settings);
// Makes the arguments what the kernels take: arrays without gaps get one axis, scalars the type that belongs to them, sources are
// only read. What does not fit is an error with both sides.
void complete_arguments(const Algorithm& algorithm, std::span<kern_argument> arguments,
                        const Settings& settings);
// Makes words of elements that are only moved: one kernel does for all types of 4 bytes, and one for those of 8.
void move_as_words(const Algorithm& algorithm, std::span<kern_argument> arguments);
// Makes the plan of a call of what was chosen.
Plan make_plan(const Algorithm& algorithm, std::span<const kern_argument> arguments,
               const Settings& settings);

} // namespace kern::algorithms

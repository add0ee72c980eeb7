// The vocabulary of the columns Gpu and Cpu of builtins.def: what a builtin becomes on a target. Only lower/
// expands them.
#pragma once

#include "compiler/lower/lowerer.h"

namespace kern::lowering {

// A call of a builtin whose lowering is a function of its own.
struct CustomCall {
  Builtin builtin;
  Type result; // types::none where there is none
  const std::vector<ir::Operand>& args;
  Form form;
  llvm::Value* address = nullptr; // of an atomic: its element
  AddressSpace space{};
  std::vector<llvm::Value*> values{}; // the arguments, where they are one lane's
  std::optional<ir::SiteId> site{};   // of a barrier that threads come to apart (CPU)

  // Returns an argument.
  llvm::Value* arg(Lowerer& lower, std::size_t index) const {
    return values.empty() ? read(lower, args[index], form) : values[index];
  }
};

// Lowers a call as the table says.
llvm::Value* lower_recipe(Lowerer& lower, const CustomCall& call);

using CustomFunction = llvm::Value* (*)(Lowerer&, const CustomCall&);

// A field of the launch or of the thread.
enum class Field : std::uint8_t {
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  block_dim_x,
  block_dim_y,
  block_dim_z,
  grid_dim_x,
  grid_dim_y,
  grid_dim_z,
};

struct Recipe {
  enum class Kind : std::uint8_t { None, Intrinsic, Overloaded, Math, Field, Custom } kind;
  std::string_view name = {};
  Field field{};
  CustomFunction custom = nullptr;
};

namespace vocabulary {
using enum Field;
// NOLINTBEGIN(readability-identifier-naming): the words of the table are written like its enumerators.
inline constexpr Recipe None{Recipe::Kind::None};
constexpr Recipe Intrinsic(std::string_view name) { return {Recipe::Kind::Intrinsic, name}; }
constexpr Recipe Overloaded(std::string_view name) { return {Recipe::Kind::Overloaded, name}; }
constexpr Recipe DeviceMath(std::string_view name) { return {Recipe::Kind::Math, name}; }
constexpr Recipe HostMath(std::string_view name) { return {Recipe::Kind::Math, name}; }
constexpr Recipe ThreadField(Field field) { return {Recipe::Kind::Field, {}, field}; }
constexpr Recipe LaunchField(Field field) { return {Recipe::Kind::Field, {}, field}; }
constexpr Recipe Custom(CustomFunction function) { return {Recipe::Kind::Custom, {}, {}, function}; }
// NOLINTEND(readability-identifier-naming)

// Each in the file named; the ones of both targets look which it is.
// collectives.cpp
llvm::Value* barrier(Lowerer&, const CustomCall&);
llvm::Value* barrier_count(Lowerer&, const CustomCall&);
llvm::Value* barrier_and(Lowerer&, const CustomCall&);
llvm::Value* barrier_or(Lowerer&, const CustomCall&);
llvm::Value* uniform_value(Lowerer&, const CustomCall&);
llvm::Value* fence(Lowerer&, const CustomCall&);
llvm::Value* pause(Lowerer&, const CustomCall&);
llvm::Value* breakpoint(Lowerer&, const CustomCall&);
// grid_barriers.cpp
llvm::Value* grid_barrier(Lowerer&, const CustomCall&);
llvm::Value* grid_barrier_count(Lowerer&, const CustomCall&);
llvm::Value* grid_barrier_and(Lowerer&, const CustomCall&);
llvm::Value* grid_barrier_or(Lowerer&, const CustomCall&);
// memory.cpp
llvm::Value* dynamic_shared_bytes(Lowerer&, const CustomCall&);
// waiting.cpp
llvm::Value* take_turn(Lowerer&, const CustomCall&);
// notes.cpp
llvm::Value* note_index(Lowerer&, const CustomCall&);
// stops.cpp
llvm::Value* goes_on(Lowerer&, const CustomCall&);
llvm::Value* wait_goes_on(Lowerer&, const CustomCall&);
// warps.cpp
llvm::Value* lane_id(Lowerer&, const CustomCall&);
llvm::Value* lane_mask_below(Lowerer&, const CustomCall&);
llvm::Value* active_mask(Lowerer&, const CustomCall&);
llvm::Value* warp_barrier(Lowerer&, const CustomCall&);
llvm::Value* vote_all(Lowerer&, const CustomCall&);
llvm::Value* vote_any(Lowerer&, const CustomCall&);
llvm::Value* vote_equal(Lowerer&, const CustomCall&);
llvm::Value* vote_ballot(Lowerer&, const CustomCall&);
llvm::Value* shuffle_index(Lowerer&, const CustomCall&);
llvm::Value* shuffle_up(Lowerer&, const CustomCall&);
llvm::Value* shuffle_down(Lowerer&, const CustomCall&);
llvm::Value* shuffle_xor(Lowerer&, const CustomCall&);
llvm::Value* match_any(Lowerer&, const CustomCall&);
llvm::Value* match_all(Lowerer&, const CustomCall&);
// atomics.cpp
llvm::Value* atomic_load(Lowerer&, const CustomCall&);
llvm::Value* atomic_store(Lowerer&, const CustomCall&);
llvm::Value* atomic_add(Lowerer&, const CustomCall&);
llvm::Value* atomic_sub(Lowerer&, const CustomCall&);
llvm::Value* atomic_max(Lowerer&, const CustomCall&);
llvm::Value* atomic_min(Lowerer&, const CustomCall&);
llvm::Value* atomic_nanmax(Lowerer&, const CustomCall&);
llvm::Value* atomic_nanmin(Lowerer&, const CustomCall&);
llvm::Value* atomic_and(Lowerer&, const CustomCall&);
llvm::Value* atomic_or(Lowerer&, const CustomCall&);
llvm::Value* atomic_xor(Lowerer&, const CustomCall&);
llvm::Value* atomic_exch(Lowerer&, const CustomCall&);
llvm::Value* atomic_inc(Lowerer&, const CustomCall&);
llvm::Value* atomic_dec(Lowerer&, const CustomCall&);
llvm::Value* atomic_cas(Lowerer&, const CustomCall&);
// numbers.cpp
llvm::Value* population_count(Lowerer&, const CustomCall&);
llvm::Value* leading_zeros(Lowerer&, const CustomCall&);
llvm::Value* first_set(Lowerer&, const CustomCall&);
llvm::Value* high_product(Lowerer&, const CustomCall&);
llvm::Value* same_bits(Lowerer&, const CustomCall&);
llvm::Value* reciprocal_root(Lowerer&, const CustomCall&);
llvm::Value* absolute(Lowerer&, const CustomCall&);
llvm::Value* minimum(Lowerer&, const CustomCall&);
llvm::Value* maximum(Lowerer&, const CustomCall&);
llvm::Value* complex_part(Lowerer&, const CustomCall&);
llvm::Value* modf_fraction(Lowerer&, const CustomCall&);
llvm::Value* frexp_mantissa(Lowerer&, const CustomCall&);
llvm::Value* frexp_exponent(Lowerer&, const CustomCall&);
llvm::Value* is_nan(Lowerer&, const CustomCall&);
llvm::Value* is_infinite(Lowerer&, const CustomCall&);
llvm::Value* is_finite(Lowerer&, const CustomCall&);
llvm::Value* integer_power(Lowerer&, const CustomCall&);
} // namespace vocabulary

} // namespace kern::lowering

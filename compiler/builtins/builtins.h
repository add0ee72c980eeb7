// The table of builtins, for every phase: what they are called, what they take and what they do. How they are
// lowered stands in the same rows, but only lower/ expands those columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kern {

enum class Builtin : std::uint16_t {
#define BUILTIN(Id, Signature, Effects, Gpu, Cpu, Doc) Id,
#include "compiler/builtins/builtins.def"
};

enum class Effects : std::uint8_t {
  Pure,
  PerBlock,
  Thread,
  Atomic,
  Block,
  Grid,
  Warp,
  Fence,
  Effect,
  Syntax
};

// Says whether calls of such a builtin have no effect, and give a value of the place where they are.
constexpr bool is_pure(Effects effects) { return effects <= Effects::Thread; }
// Says whether all threads of a block meet there.
constexpr bool is_barrier(Effects effects) { return effects == Effects::Block || effects == Effects::Grid; }

struct BuiltinRow {
  Builtin id;
  std::string_view identifier; // "AtomicAdd"
  std::string_view name;       // "atomic.add": the signature up to its parameters
  std::string_view signature;
  Effects effects;
  std::string_view doc;
};

// Returns every builtin, in the order of the table.
std::span<const BuiltinRow> all_builtins();
// Returns the row of a builtin.
const BuiltinRow& row(Builtin builtin);
// Returns the builtin of a qualified name ("math.sqrt", "threadIdx.x"), as the vocabulary has it after the
// prefix of an import (`cuda.`) is taken off.
std::optional<Builtin> find_builtin(std::string_view name);

} // namespace kern

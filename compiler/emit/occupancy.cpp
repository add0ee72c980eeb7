// Registers are given to warps, from the part of the multiprocessor that a warp runs on; shared memory to blocks.
#include "compiler/emit/occupancy.h"

#include <algorithm>
#include <charconv>

#include "compiler/support/limits.h"

namespace kern {

// By the tables of the CUDA C++ Programming Guide.
static constexpr Multiprocessor multiprocessors[] = {
    {70, 32, 64, 96 << 10, 96 << 10},    {72, 32, 64, 96 << 10, 96 << 10},
    {75, 16, 32, 64 << 10, 64 << 10},    {80, 32, 64, 164 << 10, 163 << 10},
    {86, 16, 48, 100 << 10, 99 << 10},   {87, 16, 48, 164 << 10, 163 << 10},
    {89, 24, 48, 100 << 10, 99 << 10},   {90, 32, 64, 228 << 10, 227 << 10},
    {100, 32, 64, 228 << 10, 227 << 10}, {101, 24, 48, 228 << 10, 227 << 10},
    {103, 32, 64, 228 << 10, 227 << 10}, {110, 24, 48, 228 << 10, 227 << 10},
    {120, 24, 48, 100 << 10, 99 << 10},  {121, 24, 48, 100 << 10, 99 << 10},
};

static constexpr std::int64_t parts = 4;
static constexpr std::int64_t part_registers = 65'536 / parts;
static constexpr std::int64_t register_unit = 256; // of a warp

static std::int64_t divide_up(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }
static std::int64_t round_up(std::int64_t number, std::int64_t to) { return divide_up(number, to) * to; }

std::optional<Multiprocessor> multiprocessor(std::string_view arch) {
  if (!arch.starts_with("sm_")) return std::nullopt;
  arch.remove_prefix(3);
  int capability = 0;
  std::from_chars(arch.data(), arch.data() + arch.size(), capability);
  std::optional<Multiprocessor> found;
  for (const Multiprocessor& each : multiprocessors)
    if (each.capability <= capability) found = each;
  return found;
}

std::int64_t resident_blocks(const Multiprocessor& on, const BlockNeeds& needs) {
  const std::int64_t warps = divide_up(needs.threads, limits::warp_size);
  if (warps == 0 || needs.threads > limits::launch_threads || needs.shared_bytes > on.block_shared_bytes)
    return 0;
  std::int64_t blocks = std::min<std::int64_t>(on.blocks, on.warps / warps);
  if (needs.registers > 0) {
    const std::int64_t warp_registers = round_up(needs.registers * limits::warp_size, register_unit);
    const std::int64_t part_warps = part_registers / warp_registers;
    // The warps of a block are dealt out to the parts in turn.
    if (divide_up(warps, parts) > part_warps) return 0;
    blocks = std::min(blocks, part_warps * parts / warps);
  }
  const bool is_volta = on.capability < 80;
  const std::int64_t unit = is_volta ? 256 : 128,
                     reserved = is_volta ? 0 : 1024; // of each block, for the system
  const std::int64_t shared = round_up(needs.shared_bytes + reserved, unit);
  return shared == 0 ? blocks : std::min(blocks, on.shared_bytes / shared);
}

int occupancy(const Multiprocessor& on, const BlockNeeds& needs) {
  const std::int64_t warps = resident_blocks(on, needs) * divide_up(needs.threads, limits::warp_size);
  return static_cast<int>(100 * warps / on.warps);
}

std::int64_t largest_block(const Multiprocessor& on, BlockNeeds needs, std::int64_t most) {
  needs.threads = most / limits::warp_size * limits::warp_size;
  while (needs.threads > 0 && resident_blocks(on, needs) == 0) needs.threads -= limits::warp_size;
  return needs.threads;
}

} // namespace kern

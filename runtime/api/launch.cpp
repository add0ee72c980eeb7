// Each check says what was given and what is taken. A GPU would answer most of these mistakes with an error
// that ends the process, and some of them not at all.
#include "runtime/api/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "runtime/api/handles.h"
#include "runtime/api/overlap.h"
#include "runtime/api/reach.h"
#include "runtime/api/warnings.h"
#include "runtime/common/launch_limits.h"
#include "runtime/common/shape.h"

namespace kern::runtime {

using Extents = std::array<std::uint64_t, 3>;
static constexpr Extents extents_of(const std::array<std::int64_t, 3>& sizes) {
  return {static_cast<std::uint64_t>(sizes[0]), static_cast<std::uint64_t>(sizes[1]),
          static_cast<std::uint64_t>(sizes[2])};
}
static constexpr Extents most_block = extents_of(limits::launch_block),
                         most_grid = extents_of(limits::launch_grid);
static constexpr std::uint64_t most_threads = limits::launch_threads;
static constexpr std::string_view axis_names[] = {"x", "y", "z"};

static std::string type_text(std::string_view type, std::uint32_t rank, bool contiguous = false) {
  std::string text(type);
  constexpr std::uint32_t most_rank = 8;
  if (rank > most_rank) return text + " of rank " + std::to_string(rank);
  for (std::uint32_t axis = 0; axis < rank; ++axis) {
    text += axis == 0 ? "[" : ", ";
    text += contiguous && axis + 1 == rank ? "::1" : ":";
  }
  return rank > 0 ? text + "]" : text;
}

static std::string text_of(const ManifestParam& param) {
  return type_text(param.type, param.rank, param.contiguous);
}

// An array of records is named by them and by what it is bound as.
static std::string signature_text(const Manifest& manifest, const ManifestKernel& kernel) {
  std::vector<std::string> params;
  for (const ManifestParam& param : kernel.params) {
    const ManifestRecord* record = record_of(manifest, kernel, params.size());
    params.push_back(fmt::format("{}: {}", param.name, text_of(param)));
    if (record) params.back() += fmt::format(" of {}", type_text(record->name, param.rank - 1));
  }
  return fmt::format("{}({})", kernel.name, fmt::join(params, ", "));
}

// ---- Finding a kernel ----

// Says why a kernel does not take these parameters; "" where it does.
static std::string mismatch(const ManifestKernel& kernel, std::span<const kern_parameter> parameters) {
  if (kernel.params.size() != parameters.size())
    return fmt::format("it takes {} arguments, and {} are given", kernel.params.size(), parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ManifestParam& param = kernel.params[i];
    const kern_parameter& given = parameters[i];
    std::string_view type = name_of(given.type);
    if (param.type != type || param.rank != given.rank)
      return fmt::format("parameter `{}` is {}, and {} is given", param.name, text_of(param),
                         type.empty() ? "no type" : type_text(type, given.rank));
    if (param.written && !given.writable)
      return fmt::format("it writes `{}`, and what is given may only be read (View<const T>)", param.name);
  }
  return "";
}

const Plan& find_kernel(const Module& module, std::string_view name,
                        std::span<const kern_parameter> parameters) {
  std::string reason;
  std::vector<std::string> names;
  for (const Plan& plan : module.plans) {
    const ManifestKernel& kernel = *plan.kernel;
    names.push_back(signature_text(module.manifest, kernel));
    if (kernel.name != name && kernel.symbol != name) continue;
    std::string why = mismatch(kernel, parameters);
    if (why.empty()) return plan;
    reason += fmt::format("{}: {}", names.back(), why) + "; ";
  }
  if (reason.empty())
    fail(KERN_ARGUMENT_ERROR,
         fmt::format("there is no kernel `{}`; there are: {}", name, fmt::join(names, "; ")));
  fail(KERN_ARGUMENT_ERROR, reason.substr(0, reason.size() - 2));
}

// ---- Arguments ----

// Why a launch is refused: begins with the kernel, and the parameter where there is one.
// It stays out of the way of launches that are right.
template <class... Args>
[[noreturn, gnu::cold, gnu::noinline]] static void refuse(const ManifestKernel& kernel,
                                                          const ManifestParam* param,
                                                          fmt::format_string<Args...> text, Args&&... args) {
  std::string start = fmt::format("kernel `{}`: ", kernel.name);
  if (param) start += fmt::format("`{}: {}` ", param->name, text_of(*param));
  fail(KERN_ARGUMENT_ERROR, start + fmt::format(text, std::forward<Args>(args)...));
}

std::uint64_t host_bytes(const kern_argument& argument) {
  std::uint64_t bytes = bytes_of(argument.type);
  for (std::uint32_t axis = 0; axis < argument.rank; ++axis)
    bytes *= static_cast<std::uint64_t>(argument.extents[axis]);
  return bytes;
}

static void check_layout(const Call& call, std::size_t index, const kern_argument& given) {
  const ManifestKernel& kernel = *call.plan.kernel;
  constexpr std::uint64_t most_bytes = std::uint64_t(1) << 62;
  const ManifestParam& param = kernel.params[index];
  std::uint64_t element = bytes_of(given.type);
  // Elements have 1, 2, 4, 8 or 16 bytes.
  if (reinterpret_cast<std::uintptr_t>(given.data) & (element - 1))
    refuse(kernel, &param, "begins at address {}, which is no multiple of its element's {} bytes",
           static_cast<const void*>(given.data), element);
  std::uint64_t product = element;
  bool empty = false;
  for (std::uint32_t axis = 0; axis < given.rank; ++axis) {
    std::int64_t extent = given.extents[axis];
    if (extent < 0) refuse(kernel, &param, "has extent {} along axis {}", extent, axis);
    empty |= extent == 0;
    auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
    if (__builtin_mul_overflow(product, factor, &product) || product > most_bytes)
      refuse(kernel, &param, "has extents whose product passes 2^62 bytes");
  }
  const std::uint64_t words = call.plan.params[index].record_words;
  if (words > 0 && static_cast<std::uint64_t>(given.extents[given.rank - 1]) != words)
    refuse(kernel, &param,
           "is an array of records `{}`, whose last axis has {} elements, and this one's has {}",
           record_of(call.module->manifest, kernel, index)->name, words, given.extents[given.rank - 1]);
  if (param.contiguous && !empty && given.strides[given.rank - 1] != 1)
    refuse(kernel, &param, "takes arrays whose last axis has stride 1, and this one's is {}",
           given.strides[given.rank - 1]);
  if (!given.data && !empty) refuse(kernel, &param, "is an array without memory");
}

static std::string bytes_text(__int128 bytes) {
  std::uint64_t magnitude = static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes);
  // Beyond 2^64 nobody wants the digits.
  if ((bytes < 0 ? -bytes : bytes) >> 64) return bytes < 0 ? "-2^64" : "2^64";
  return (bytes < 0 ? "-" : "") + std::to_string(magnitude);
}

static bool is_in_c_order(const kern_argument& given) {
  std::int64_t packed = 1;
  for (std::uint32_t axis = given.rank; axis-- > 0; packed *= given.extents[axis])
    if (given.extents[axis] > 1 && given.strides[axis] != packed) return false;
  return true;
}

// An array in host memory is copied as one piece: its axes may stand in any order, as Fortran's, but leave nothing out.
static void check_packed(const ManifestKernel& kernel, std::size_t index, const kern_argument& given) {
  if (given.kind == KERN_ARRAY || is_in_c_order(given) || host_bytes(given) == 0) return;
  std::array<std::pair<std::int64_t, std::int64_t>, std::size(kern_argument{}.extents)>
      axes; // stride and extent
  std::size_t count = 0;
  for (std::uint32_t axis = 0; axis < given.rank; ++axis)
    if (given.extents[axis] > 1) axes[count++] = {given.strides[axis], given.extents[axis]};
  std::sort(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count));
  std::int64_t packed = 1;
  for (const auto& [stride, extent] : std::span(axes).first(count)) {
    if (stride != packed)
      refuse(kernel, &kernel.params[index],
             "with the extents {} has the strides {}, and arrays in host memory have no room between their "
             "elements",
             fmt::join(given.extents, given.extents + given.rank, " x "),
             fmt::join(given.strides, given.strides + given.rank, ", "));
    packed *= extent;
  }
}

// An array that names a buffer lies in it with all its elements. One that names none is memory which somebody
// else keeps; no memory is beyond all addresses.
static void check_reach(const ManifestKernel& kernel, std::size_t index, const kern_argument& given) {
  Reach reach = reach_of(given);
  if (reach.begin == reach.end) return;
  if (!given.buffer) {
    constexpr __int128 addresses = static_cast<__int128>(1) << 64;
    const auto start = static_cast<__int128>(reinterpret_cast<std::uintptr_t>(given.data));
    if (start + reach.begin >= 0 && start + reach.end <= addresses) return;
    refuse(kernel, &kernel.params[index],
           "with the extents {} and the strides {} reaches beyond all addresses",
           fmt::join(given.extents, given.extents + given.rank, " x "),
           fmt::join(given.strides, given.strides + given.rank, ", "));
  }
  const Memory& memory = *given.buffer->memory;
  __int128 first = static_cast<__int128>(reinterpret_cast<std::uintptr_t>(given.data)) -
                   static_cast<__int128>(reinterpret_cast<std::uintptr_t>(memory.data));
  if (memory.data && first + reach.begin >= 0 && first + reach.end <= memory.bytes) return;
  const auto &extents = given.extents, &strides = given.strides;
  refuse(kernel, &kernel.params[index],
         "with the extents {} and the strides {} reaches from byte {} up to byte {} of its buffer, which has "
         "{} bytes",
         fmt::join(extents, extents + given.rank, " x "), fmt::join(strides, strides + given.rank, ", "),
         bytes_text(first + reach.begin), bytes_text(first + reach.end), memory.bytes);
}

// Says whether the elements of a plain argument lie in its buffer; the extent is not negative.
static bool is_inside(const kern_argument& given, std::uint64_t element_bytes) {
  if (!given.buffer) return true;
  const Memory& memory = *given.buffer->memory;
  std::uint64_t offset = static_cast<std::uint64_t>(static_cast<const char*>(given.data) -
                                                    static_cast<const char*>(memory.data));
  return offset <= memory.bytes &&
         static_cast<std::uint64_t>(given.extents[0]) * element_bytes <= memory.bytes - offset;
}

// Says of what most arguments are, scalars and arrays of one axis without gaps, whether everything is right:
// checks that find nothing are most of what a launch costs.
static bool is_plainly_right(const Call& call, const PlanParam& param, const kern_argument& given) {
  constexpr std::int64_t most_elements = std::int64_t(1) << 58; // of 16 bytes
  if (given.type != param.type || given.rank != param.rank || given.type > KERN_C128) return false;
  if (param.rank == 0) return given.kind == KERN_SCALAR;
  return given.kind == KERN_ARRAY && param.rank == 1 && given.strides[0] == 1 && given.extents[0] >= 0 &&
         given.extents[0] <= most_elements && given.data && (!param.written || given.writable) &&
         (reinterpret_cast<std::uintptr_t>(given.data) & (param.bytes - 1)) == 0 &&
         (!given.buffer || (given.buffer->is_whole() && given.buffer->device.get() == call.module->device)) &&
         is_inside(given, param.bytes);
}

static void check_argument(const Call& call, std::size_t index) {
  const ManifestKernel& kernel = *call.plan.kernel;
  const PlanParam& param = call.plan.params[index];
  const kern_argument& given = call.arguments[index];
  if (given.kind == KERN_EMPTY)
    refuse(kernel, &kernel.params[index],
           "is given an array that is empty: it was never made, could not be made, or was moved from");
  if (given.kind > KERN_HOST_INOUT)
    refuse(kernel, &kernel.params[index], "is given as an argument of the kind {}, which is none",
           given.kind);
  if (given.type != param.type || given.type > KERN_C128 || given.rank != param.rank ||
      (given.kind == KERN_SCALAR) != (param.rank == 0)) {
    std::string_view name = name_of(given.type);
    if (given.kind == KERN_SCALAR && given.rank > 0)
      refuse(kernel, &kernel.params[index], "is given a scalar of rank {}", given.rank);
    if (given.kind != KERN_SCALAR && given.rank == 0)
      refuse(kernel, &kernel.params[index], "is given an array of rank 0");
    refuse(kernel, &kernel.params[index], "is given {}",
           type_text(name.empty() ? "no type" : name, given.rank));
  }
  if (param.rank == 0) return;
  bool writable = given.writable != 0 && given.kind != KERN_HOST_IN;
  if (param.written && !writable)
    refuse(kernel, &kernel.params[index], "is written by the kernel, and {}",
           given.kind == KERN_HOST_IN ? "in() only copies to the device: say inout() or out()"
                                      : "what is given may only be read");
  if (given.buffer && !given.buffer->is_whole())
    refuse(kernel, &kernel.params[index],
           "names a buffer whose handle is none: it was released, or is one of another kind");
  if (given.buffer && given.buffer->device.get() != call.module->device)
    refuse(kernel, &kernel.params[index], "lies on {}, and the kernel is loaded for {}",
           given.buffer->device->name(), call.module->device->name());
  check_layout(call, index, given);
  check_packed(kernel, index, given);
  check_reach(kernel, index, given);
}

// Refuses an array that the kernel writes and that lies on itself. On others it may lie: no code assumes that two
// arrays are apart.
static void check_written(const Call& call) {
  const ManifestKernel& kernel = *call.plan.kernel;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const kern_argument& output = call.arguments[i];
    if (!call.plan.params[i].written || output.rank == 0) continue;
    if (std::optional<std::uint32_t> axis = overlapping_axis(output))
      refuse(kernel, &kernel.params[i],
             "is written by the kernel, and its elements lie on each other: {} of them along axis {} with "
             "stride {}",
             output.extents[*axis], *axis, output.strides[*axis]);
  }
}

// Two arrays in host memory that are copied back may not share elements: one of them would be lost.
static void check_staged(const Call& call) {
  auto end = [](const kern_argument& argument) {
    return static_cast<const char*>(argument.data) + host_bytes(argument);
  };
  auto is_staged = [](const kern_argument& argument) { return argument.kind >= KERN_HOST_IN; };
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      const kern_argument &output = call.arguments[i], &other = call.arguments[k];
      if (i == k || !is_staged(output) || !is_staged(other) || output.kind == KERN_HOST_IN) continue;
      if (output.data < end(other) && other.data < end(output))
        refuse(*call.plan.kernel, &call.plan.kernel->params[i], "overlaps the host memory of `{}`",
               call.plan.kernel->params[k].name);
    }
}

bool check_arguments(const Call& call) {
  const ManifestKernel& kernel = *call.plan.kernel;
  if (call.arguments.size() != kernel.params.size())
    refuse(kernel, nullptr, "takes {} arguments, and {} are given", kernel.params.size(),
           call.arguments.size());
  bool plain = true, staged = false, copied_back = false;
  const PlanParam* param = call.plan.params.data();
  for (const kern_argument& given : call.arguments) {
    if (!is_plainly_right(call, *param, given)) {
      check_argument(call, static_cast<std::size_t>(param - call.plan.params.data()));
      plain = false;
      staged |= given.kind >= KERN_HOST_IN;
      copied_back |= given.kind >= KERN_HOST_OUT;
    }
    ++param;
  }
  if (copied_back) check_staged(call);
  if (!plain) check_written(call);
  return staged;
}

static void fill_params(const Call& call, std::span<std::uint64_t> words) {
  const PlanParam* param = call.plan.params.data();
  for (const kern_argument& given : call.arguments) {
    std::uint64_t* place = &words[(param++)->slot];
    if (given.rank == 0) {
      place[0] = given.scalar[0];
      if (given.type == KERN_C128) place[1] = given.scalar[1];
      continue;
    }
    place[0] = reinterpret_cast<std::uint64_t>(given.data);
    for (std::uint32_t axis = 0; axis < given.rank; ++axis) {
      place[1 + axis] = static_cast<std::uint64_t>(given.extents[axis]);
      place[1 + given.rank + axis] = static_cast<std::uint64_t>(given.strides[axis]);
    }
  }
}

// ---- Shape ----

// A size that is huge was a negative number in the program.
static constexpr std::int64_t as_written(std::uint64_t size) { return static_cast<std::int64_t>(size); }

Extents free_block(const Plan& plan, Device& device) {
  const ManifestKernel& kernel = *plan.kernel;
  Extents block;
  if (kernel.block)
    std::copy(kernel.block->begin(), kernel.block->end(), block.begin());
  else if (kernel.needs_block.empty())
    block = default_block(kernel.axes, kernel.max_threads, device.best_threads(plan));
  else
    refuse(kernel, nullptr, "{}: say its block, as in over(n).block(256)", kernel.needs_block);
  return block;
}

static Extents choose_block(const Call& call) {
  const ManifestKernel& kernel = *call.plan.kernel;
  const kern_launch_options& options = call.options;
  Extents block = {options.block[0], options.block[1], options.block[2]};
  bool given = (block[0] | block[1] | block[2]) != 0;
  if (!given && !kernel.block) return free_block(call.plan, *call.module->device);
  if (kernel.block) {
    const Extents own = free_block(call.plan, *call.module->device);
    if (given && block != own)
      refuse(kernel, nullptr, "is written for blocks of {}, and {} is given", fmt::join(own, "x"),
             fmt::join(block, "x"));
    block = own;
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (block[axis] == 0 || block[axis] > most_block[axis])
      refuse(kernel, nullptr, "a block has 1 to {} threads along {}, and {} are given", most_block[axis],
             axis_names[axis], as_written(block[axis]));
  std::uint64_t threads = block[0] * block[1] * block[2];
  std::uint64_t most = kernel.max_threads > 0 ? kernel.max_threads : most_threads;
  if (threads > most)
    refuse(kernel, nullptr, "a block of {} has {} threads; the most is {}", fmt::join(block, "x"), threads,
           most);
  return block;
}

// Returns how many blocks that many threads take. A division takes as long as ten other instructions: most
// blocks are a power of two, or 1.
static std::uint64_t count_blocks(std::uint64_t threads, std::uint64_t block) {
  std::uint64_t rest = threads & (block - 1);
  if ((block & (block - 1)) == 0) return (threads >> std::countr_zero(block)) + (rest != 0);
  return threads / block + (threads % block != 0);
}

static Extents choose_grid(const Call& call, const Extents& block) {
  Extents grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::uint64_t size = call.options.size[axis];
    if (as_written(size) < 0)
      refuse(*call.plan.kernel, nullptr,
             "is launched over {} {} along {}, and no launch is over fewer than 0", as_written(size),
             call.options.over ? "threads" : "blocks", axis_names[axis]);
    grid[axis] = call.options.over ? count_blocks(size, block[axis]) : size;
    if (grid[axis] > most_grid[axis])
      refuse(*call.plan.kernel, nullptr, "a grid has at most {} blocks along {}, and this one has {}",
             most_grid[axis], axis_names[axis], grid[axis]);
  }
  return grid;
}

// ---- What the manifest's expressions say ----

[[noreturn, gnu::cold]] static void refuse_shared(const ManifestKernel& kernel, const ManifestShared& shared,
                                                  const ExpressionInput& input) {
  std::vector<std::string> extents;
  for (const Expression& extent : shared.extents) extents.push_back(value_text(evaluate(extent, input)));
  std::string what = "a shared array";
  if (const std::optional<ManifestDeclaration>& declared = shared.declared)
    what = fmt::format("{}:{}:{}: shared array `{}`", declared->place.file, declared->place.line,
                       declared->place.column, declared->name);
  refuse(kernel, nullptr, "{} has the extents {} for these arguments", what, fmt::join(extents, " x "));
}

[[gnu::noinline]] static std::uint64_t sum_shared(const Call& call, const ExpressionInput& input,
                                                  std::uint64_t most) {
  const ManifestKernel& kernel = *call.plan.kernel;
  std::uint64_t sum = 0;
  for (std::size_t array = 0; array < call.plan.shared.size(); ++array) {
    std::uint64_t bytes = kernel.dynamic_shared[array].element_bytes;
    for (const Program& extent : call.plan.shared[array]) {
      std::optional<std::int64_t> value = extent.integer(input);
      if (!value || *value < 0) refuse_shared(kernel, kernel.dynamic_shared[array], input);
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes)) bytes = most + 1;
    }
    sum += std::min(round_up_shared(bytes), most + 1);
  }
  return std::max(sum, call.options.shared_bytes);
}

// Returns the bytes of dynamic shared memory of a block.
static std::uint64_t dynamic_shared(const Call& call, const ExpressionInput& input) {
  const ManifestKernel& kernel = *call.plan.kernel;
  std::uint64_t most = call.module->device->limits().shared_bytes;
  std::uint64_t sum = call.plan.shared.empty() ? call.options.shared_bytes : sum_shared(call, input, most);
  if (sum > most || kernel.shared_bytes > most - sum)
    refuse(kernel, nullptr, "a block needs {} bytes of shared memory; the device has {}",
           sum + kernel.shared_bytes, most);
  return sum;
}

[[noreturn, gnu::cold]] static void refuse_contract(const ManifestKernel& kernel,
                                                    const ManifestContract& contract,
                                                    const ExpressionInput& input) {
  std::vector<std::string> names(kernel.slots);
  for (const ManifestParam& param : kernel.params) names[param.slot] = param.name;
  fail(KERN_CONTRACT_ERROR,
       fmt::format("{}:{}:{}: the contract of kernel `{}` does not hold: {}", contract.place.file,
                   contract.place.line, contract.place.column, kernel.name,
                   broken_contract_text(contract.condition, contract.text, names, input)));
}

static void check_contracts(const Plan& plan, const ExpressionInput& input) {
  for (std::size_t i = 0; i < plan.contracts.size(); ++i)
    if (!plan.contracts[i].holds(input)) refuse_contract(*plan.kernel, plan.kernel->contracts[i], input);
}

[[noreturn, gnu::cold]] static void refuse_variants(const Call& call) {
  fail(KERN_DEVICE_ERROR, fmt::format("kernel `{}` has no code for {} that fits this launch",
                                      call.plan.kernel->name, call.module->device->name()));
}

static const PlanVariant& choose_variant(const Call& call, const ExpressionInput& input) {
  for (const PlanVariant& variant : call.plan.variants)
    if (std::all_of(variant.facts.begin(), variant.facts.end(),
                    [&](const Program& fact) { return fact.holds(input); }))
      return variant;
  refuse_variants(call);
}

[[gnu::noinline]] static void check_cooperative(const Call& call, const Launch& launch) {
  std::uint64_t blocks = std::uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  std::optional<std::uint64_t> most = call.module->device->most_cooperative_blocks(launch);
  if (most && blocks > *most)
    refuse(*launch.kernel, nullptr,
           "is launched cooperatively over {} blocks of {}, and {} can run at once on {}", blocks,
           fmt::join(launch.block, "x"), *most, call.module->device->name());
}

[[gnu::noinline]] static void warn_of_few_blocks(const Call& call, const Launch& launch) {
  warn(call.plan.warned, [&] {
    return fmt::format(
        "{}:{}:{}: kernel `{}` is launched over a grid of {}, and it takes {} blocks to fill {}",
        launch.kernel->place.file, launch.kernel->place.line, launch.kernel->place.column,
        launch.kernel->name, fmt::join(launch.grid, "x"), call.module->device->limits().least_blocks,
        call.module->device->name());
  });
}

[[gnu::noinline]] static void check_time_limit(const Launch& launch) {
  constexpr double most = 1e9; // seconds
  if (!(launch.time_limit > 0 && launch.time_limit <= most))
    refuse(*launch.kernel, nullptr,
           "is launched with a time limit of {} seconds, and takes more than 0 and at most 1e9",
           launch.time_limit);
  if (!launch.is_cancellable())
    refuse(*launch.kernel, nullptr,
           "is launched with a time limit, and was not compiled for it: compile it with --cancellable "
           "(CompileOptions::cancellable)");
}

bool prepare(const Call& call, std::span<std::uint64_t> params, Launch& launch) {
  launch.module = call.module.get();
  launch.owner = &call.module;
  launch.plan = &call.plan;
  launch.kernel = call.plan.kernel;
  launch.report = call.options.report;
  if (call.options.on_fault > KERN_FAULTS_REPORT)
    refuse(*launch.kernel, nullptr, "is launched with the policy {} for faults, which is none",
           call.options.on_fault);
  launch.time_limit = call.options.time_limit;
  if (launch.time_limit != 0) check_time_limit(launch);
  Extents block = choose_block(call), grid = choose_grid(call, block);
  fill_params(call, params);
  launch.params = params;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    launch.block[axis] = static_cast<std::uint32_t>(block[axis]);
    launch.grid[axis] = static_cast<std::uint32_t>(grid[axis]);
  }
  ExpressionInput input{params, launch.block, launch.grid};
  check_contracts(call.plan, input);
  input.shared_bytes = launch.shared_bytes = dynamic_shared(call, input);
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return false;
  launch.variant = &choose_variant(call, input);
  launch.cooperative = call.options.cooperative != 0 || launch.kernel->cooperative;
  if (launch.cooperative) check_cooperative(call, launch);
  bool is_small = grid[0] * grid[1] * grid[2] < call.module->device->limits().least_blocks;
  if (is_small && !call.plan.warned.load(std::memory_order_relaxed)) warn_of_few_blocks(call, launch);
  return true;
}

} // namespace kern::runtime

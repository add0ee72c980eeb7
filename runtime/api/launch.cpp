// Each check says what was given and what is taken. A GPU would answer most of these mistakes with an error
// that ends the process, and some of them not at all.
#include "runtime/api/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "runtime/common/shape.h"

namespace kern::runtime {

static constexpr std::string_view type_names[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",  "u16", "u32",
                                                  "u64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
static constexpr std::uint32_t type_bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
static_assert(std::size(type_names) == KERN_C128 + 1 && std::size(type_bytes) == KERN_C128 + 1);

using Extents = std::array<std::uint64_t, 3>;
static constexpr Extents most_block = {1024, 1024, 64}, most_grid = {0x7fffffff, 65535, 65535};
static constexpr std::uint64_t most_threads = 1024;
static constexpr std::string_view axis_names[] = {"x", "y", "z"};

static std::string type_text(std::string_view type, std::uint32_t rank, bool contiguous = false) {
  std::string text(type);
  for (std::uint32_t axis = 0; axis < rank; ++axis) {
    text += axis == 0 ? "[" : ", ";
    text += contiguous && axis + 1 == rank ? "::1" : ":";
  }
  return rank > 0 ? text + "]" : text;
}

static std::string text_of(const ManifestParam& param) {
  return type_text(param.type, param.rank, param.contiguous);
}

static std::string signature_text(const ManifestKernel& kernel) {
  std::vector<std::string> params;
  for (const ManifestParam& param : kernel.params)
    params.push_back(fmt::format("{}: {}", param.name, text_of(param)));
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
    bool known = given.type < std::size(type_names);
    if (!known || param.type != type_names[given.type] || param.rank != given.rank)
      return fmt::format("parameter `{}` is {}, and {} is given", param.name, text_of(param),
                         known ? type_text(type_names[given.type], given.rank) : "no type");
    if (param.written && !given.writable)
      return fmt::format("it writes `{}`, and what is given may only be read (View<const T>)", param.name);
  }
  return "";
}

const ManifestKernel& find_kernel(const Module& module, std::string_view name,
                                  std::span<const kern_parameter> parameters) {
  std::string reason;
  std::vector<std::string> names;
  for (const ManifestKernel& kernel : module.manifest.kernels) {
    names.push_back(signature_text(kernel));
    if (kernel.name != name && kernel.symbol != name) continue;
    std::string why = mismatch(kernel, parameters);
    if (why.empty()) return kernel;
    reason += fmt::format("{}: {}", signature_text(kernel), why) + "; ";
  }
  if (reason.empty())
    fail(KERN_ARGUMENT_ERROR,
         fmt::format("there is no kernel `{}`; there are: {}", name, fmt::join(names, "; ")));
  fail(KERN_ARGUMENT_ERROR, reason.substr(0, reason.size() - 2));
}

// ---- Arguments ----

// Why a launch is refused: begins with the kernel, and the parameter where there is one.
template <class... Args> [[noreturn]] static void refuse(const ManifestKernel& kernel,
                                                         const ManifestParam* param,
                                                         fmt::format_string<Args...> text, Args&&... args) {
  std::string start = fmt::format("kernel `{}`: ", kernel.name);
  if (param) start += fmt::format("`{}: {}` ", param->name, text_of(*param));
  fail(KERN_ARGUMENT_ERROR, start + fmt::format(text, std::forward<Args>(args)...));
}

static void check_layout(const ManifestKernel& kernel, const ManifestParam& param,
                         const kern_argument& given) {
  constexpr std::uint64_t most_bytes = std::uint64_t(1) << 62;
  std::uint64_t element = type_bytes[given.type];
  if (reinterpret_cast<std::uintptr_t>(given.data) % element != 0)
    refuse(kernel, &param, "begins at address {}, which is no multiple of its element's {} bytes",
           static_cast<const void*>(given.data), element);
  std::uint64_t product = element;
  bool empty = false;
  for (std::uint32_t axis = 0; axis < given.rank; ++axis) {
    std::int64_t extent = given.extents[axis];
    if (extent < 0) refuse(kernel, &param, "has extent {} along axis {}", extent, axis);
    empty |= extent == 0;
    auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
    if (product > most_bytes / factor) refuse(kernel, &param, "has extents whose product passes 2^62 bytes");
    product *= factor;
  }
  if (param.contiguous && !empty && given.strides[given.rank - 1] != 1)
    refuse(kernel, &param, "takes arrays whose last axis has stride 1, and this one's is {}",
           given.strides[given.rank - 1]);
  if (!given.data && !empty) refuse(kernel, &param, "is an array without memory");
}

static void check_argument(const Call& call, std::size_t index) {
  const ManifestParam& param = call.kernel->params[index];
  const kern_argument& given = call.arguments[index];
  std::string_view name = given.type < std::size(type_names) ? type_names[given.type] : "no type";
  if (name != param.type || given.rank != param.rank || (given.kind == KERN_SCALAR) != (param.rank == 0))
    refuse(*call.kernel, &param, "is given {}", type_text(name, given.rank));
  if (param.rank == 0) return;
  bool writable = given.kind == KERN_ARRAY ? given.writable != 0 : given.kind != KERN_HOST_IN;
  if (param.written && !writable)
    refuse(*call.kernel, &param, "is written by the kernel, and {}",
           given.kind == KERN_HOST_IN ? "in() only copies to the device: say inout() or out()"
                                      : "what is given may only be read");
  const std::shared_ptr<Device>& device = call.devices[index];
  if (device && device != call.module->device)
    refuse(*call.kernel, &param, "lies on {}, and the kernel is loaded for {}", device->name(),
           call.module->device->name());
  check_layout(*call.kernel, param, given);
}

std::uint64_t host_bytes(const kern_argument& argument) {
  std::uint64_t bytes = type_bytes[argument.type];
  for (std::uint32_t axis = 0; axis < argument.rank; ++axis)
    bytes *= static_cast<std::uint64_t>(argument.extents[axis]);
  return bytes;
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
        refuse(*call.kernel, &call.kernel->params[i], "overlaps the host memory of `{}`",
               call.kernel->params[k].name);
    }
}

void check_arguments(const Call& call) {
  const ManifestKernel& kernel = *call.kernel;
  if (call.arguments.size() != kernel.params.size())
    refuse(kernel, nullptr, "takes {} arguments, and {} are given", kernel.params.size(),
           call.arguments.size());
  for (std::size_t i = 0; i < call.arguments.size(); ++i) check_argument(call, i);
  check_staged(call);
}

static std::vector<std::uint64_t> make_params(const Call& call) {
  std::vector<std::uint64_t> words(call.kernel->slots);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const kern_argument& given = call.arguments[i];
    std::uint64_t* place = &words[call.kernel->params[i].slot];
    if (given.rank == 0) {
      std::memcpy(place, given.scalar, type_bytes[given.type] > 8 ? 16 : 8);
      continue;
    }
    place[0] = reinterpret_cast<std::uint64_t>(given.data);
    for (std::uint32_t axis = 0; axis < given.rank; ++axis) {
      place[1 + axis] = static_cast<std::uint64_t>(given.extents[axis]);
      place[1 + given.rank + axis] = static_cast<std::uint64_t>(given.strides[axis]);
    }
  }
  return words;
}

// ---- Shape ----

static Extents choose_block(const Call& call) {
  const ManifestKernel& kernel = *call.kernel;
  const kern_launch_options& options = *call.options;
  Extents block = {options.block[0], options.block[1], options.block[2]};
  bool given = block != Extents{};
  if (!given && !kernel.block) {
    if (kernel.needs_block.empty()) return default_block(kernel.axes, kernel.max_threads);
    refuse(kernel, nullptr, "{}: say its block, as in over(n).block(256)", kernel.needs_block);
  }
  if (kernel.block) {
    Extents own;
    std::copy(kernel.block->begin(), kernel.block->end(), own.begin());
    if (given && block != own)
      refuse(kernel, nullptr, "is written for blocks of {}, and {} is given", fmt::join(own, "x"),
             fmt::join(block, "x"));
    block = own;
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (block[axis] == 0 || block[axis] > most_block[axis])
      refuse(kernel, nullptr, "a block has 1 to {} threads along {}, and {} are given", most_block[axis],
             axis_names[axis], block[axis]);
  std::uint64_t threads = block[0] * block[1] * block[2];
  std::uint64_t most = kernel.max_threads > 0 ? kernel.max_threads : most_threads;
  if (threads > most)
    refuse(kernel, nullptr, "a block of {} has {} threads; the most is {}", fmt::join(block, "x"), threads,
           most);
  return block;
}

static Extents choose_grid(const Call& call, const Extents& block) {
  Extents grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::uint64_t size = call.options->size[axis];
    grid[axis] = call.options->over ? size / block[axis] + (size % block[axis] != 0) : size;
    if (grid[axis] > most_grid[axis])
      refuse(*call.kernel, nullptr, "a grid has at most {} blocks along {}, and this one has {}",
             most_grid[axis], axis_names[axis], grid[axis]);
  }
  return grid;
}

// ---- What the manifest's expressions say ----

static std::uint64_t dynamic_shared(const Call& call, const ExpressionInput& input) {
  constexpr std::uint64_t alignment = 16;
  std::uint64_t most = call.module->device->most_shared_bytes();
  std::uint64_t sum = 0;
  for (const ManifestShared& shared : call.kernel->dynamic_shared) {
    std::uint64_t bytes = shared.element_bytes;
    for (const Expression& extent : shared.extents) {
      std::optional<ExpressionValue> value = evaluate(extent, input);
      if (!value || value->is_real || value->integer < 0)
        refuse(*call.kernel, nullptr, "a shared array has no size for these arguments");
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(value->integer), &bytes)) bytes = most + 1;
    }
    sum += std::min((bytes + alignment - 1) / alignment * alignment, most + 1);
  }
  sum = std::max(sum, call.options->shared_bytes);
  if (sum > most || call.kernel->shared_bytes > most - sum)
    refuse(*call.kernel, nullptr, "a block needs {} bytes of shared memory; the device has {}",
           sum + call.kernel->shared_bytes, most);
  return sum;
}

static void check_contracts(const ManifestKernel& kernel, const ExpressionInput& input) {
  std::vector<std::string> names(kernel.slots);
  for (const ManifestParam& param : kernel.params) names[param.slot] = param.name;
  for (const ManifestContract& contract : kernel.contracts) {
    std::string broken = broken_contract_text(contract.condition, names, input);
    if (!broken.empty())
      fail(KERN_CONTRACT_ERROR,
           fmt::format("{}:{}:{}: the contract of kernel `{}` does not hold: {}", contract.place.file,
                       contract.place.line, contract.place.column, kernel.name, broken));
  }
}

static bool holds(const Expression& fact, const ExpressionInput& input) {
  std::optional<ExpressionValue> value = evaluate(fact, input);
  return value && !value->is_real && value->integer != 0;
}

static const ManifestVariant& choose_variant(const Call& call, const ExpressionInput& input) {
  for (const ManifestVariant& variant : call.kernel->variants) {
    if (variant.target != call.module->device->target()) continue;
    if (std::all_of(variant.facts.begin(), variant.facts.end(),
                    [&](const Expression& fact) { return holds(fact, input); }))
      return variant;
  }
  fail(KERN_DEVICE_ERROR, fmt::format("kernel `{}` has no code for {} that fits this launch",
                                      call.kernel->name, call.module->device->name()));
}

std::optional<Launch> prepare(const Call& call) {
  Launch launch;
  launch.module = call.module;
  launch.kernel = call.kernel;
  launch.report = call.options->report;
  Extents block = choose_block(call), grid = choose_grid(call, block);
  launch.params = make_params(call);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    launch.block[axis] = static_cast<std::uint32_t>(block[axis]);
    launch.grid[axis] = static_cast<std::uint32_t>(grid[axis]);
  }
  ExpressionInput input{launch.params, launch.block, launch.grid};
  check_contracts(*call.kernel, input);
  launch.shared_bytes = dynamic_shared(call, input);
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return std::nullopt;
  launch.variant = &choose_variant(call, input);
  for (const std::shared_ptr<Memory>& memory : call.memory)
    if (memory) launch.uses.push_back(memory);
  return launch;
}

} // namespace kern::runtime

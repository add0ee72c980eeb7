// Registers, frames and constants are ptxas' to tell; what the program says of its shared memory and blocks stands in
// the module, and the occupancy follows from both.
#include "compiler/driver/resources.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "compiler/analysis/memory/shared_layout.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/emit.h"
#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/extents.h"
#include "compiler/emit/archs.h"
#include "compiler/emit/occupancy.h"
#include "compiler/emit/resources.h"
#include "compiler/ir/param_block.h"
#include "compiler/support/limits.h"

namespace kern {

namespace {

using Json = nlohmann::ordered_json;

// The dynamic shared memory of a kernel: arrays that do not fit the static one, and those whose extents the launch knows.
struct Dynamic {
  std::int64_t bytes = 0;
  std::string computed; // "n * 4"; empty where there are none of the latter
};

struct Row {
  KernelResources kernel;
  Dynamic dynamic;
  std::int64_t largest = 0, block = 0, blocks = 0;
  int percent = 0;
};

Dynamic dynamic_of(const ir::Module& module, const SharedLayout& layout, const ir::Function& function) {
  const std::vector<ir::SharedId> used = used_shared(module, function);
  Dynamic result{static_cast<std::int64_t>(layout.bytes_before(module, used)), ""};
  for (ir::SharedId id : used) {
    const ir::SharedDecl& shared = module.shared[static_cast<std::size_t>(id)];
    if (!shared.extents.empty()) continue;
    std::string text = shared.aliased ? "--shared" : "";
    for (const Expression& extent : shared.dynamic)
      text += fmt::format("({}) * ", to_string(extent, block_names(function)));
    if (!shared.aliased) text += std::to_string(bit_width(shared.element) / 8);
    result.computed += (result.computed.empty() ? "" : " + ") + text;
  }
  return result;
}

// Returns the threads of --block; nothing, and reported, where it is none.
std::optional<std::int64_t> threads_of(const std::string& text, Diagnostics& diagnostics) {
  const std::optional<Extents> block = parse_extents("--block", text, /*zero_allowed=*/false, diagnostics);
  if (!block) return std::nullopt;
  constexpr std::uint64_t most = limits::launch_threads;
  std::uint64_t threads = 1;
  for (std::uint64_t extent : *block) threads = std::min(threads * std::min(extent, most + 1), most + 1);
  if (threads <= most) return static_cast<std::int64_t>(threads);
  diagnostics.report({}, diag::bad_extents, "--block",
                     fmt::format("`{}` is no block of 1 to {} threads", text, most));
  return std::nullopt;
}

// Chooses the block: the one that is known, or of 64 to 1024 threads the first that fills a multiprocessor best.
void choose_block(Row& row, const Multiprocessor& on, std::int64_t known, std::int64_t most) {
  BlockNeeds needs{known, row.kernel.registers, row.kernel.shared + row.dynamic.bytes};
  row.largest = largest_block(on, needs, most);
  row.block = known;
  for (std::int64_t threads = 64; known == 0 && threads <= most; threads *= 2) {
    needs.threads = threads;
    if (int percent = occupancy(on, needs); percent > row.percent) row.percent = percent, row.block = threads;
  }
  needs.threads = row.block;
  row.blocks = resident_blocks(on, needs);
  row.percent = occupancy(on, needs);
}

std::string text_of(std::span<const Row> rows, const std::string& arch) {
  std::vector<std::vector<std::string>> table{{"kernel", "registers", "local", "spilled", "shared",
                                               "constant", "largest block", "block", "blocks", "threads",
                                               "occupancy", "dynamic shared"}};
  for (const Row& row : rows) {
    std::string dynamic = row.dynamic.computed;
    if (row.dynamic.bytes > 0)
      dynamic = std::to_string(row.dynamic.bytes) + (dynamic.empty() ? "" : " + " + dynamic);
    table.push_back(
        {row.kernel.symbol, std::to_string(row.kernel.registers), std::to_string(row.kernel.local),
         std::to_string(row.kernel.spill_stores + row.kernel.spill_loads), std::to_string(row.kernel.shared),
         std::to_string(row.kernel.constant), std::to_string(row.largest), std::to_string(row.block),
         std::to_string(row.blocks), std::to_string(row.blocks * row.block), fmt::format("{} %", row.percent),
         dynamic.empty() ? "0" : dynamic});
  }
  std::string text = fmt::format("for {}; memory in bytes, of a block or a thread; blocks and threads of a "
                                 "multiprocessor\n",
                                 arch);
  std::vector<std::size_t> widths(table.front().size());
  for (const std::vector<std::string>& line : table)
    for (std::size_t column = 0; column < line.size(); ++column)
      widths[column] = std::max(widths[column], line[column].size());
  for (const std::vector<std::string>& line : table) {
    text += fmt::format("{:<{}}", line.front(), widths.front());
    for (std::size_t column = 1; column + 1 < line.size(); ++column)
      text += fmt::format("  {:>{}}", line[column], widths[column]);
    text += "  " + line.back() + '\n';
  }
  return text;
}

std::string json_of(std::span<const Row> rows, const std::string& arch) {
  Json report{{"arch", arch}, {"kernels", Json::array()}};
  for (const Row& row : rows)
    report["kernels"].push_back({{"kernel", row.kernel.symbol},
                                 {"registers", row.kernel.registers},
                                 {"local", row.kernel.local},
                                 {"spill_stores", row.kernel.spill_stores},
                                 {"spill_loads", row.kernel.spill_loads},
                                 {"shared", row.kernel.shared},
                                 {"dynamic_shared", row.dynamic.bytes},
                                 {"dynamic_shared_of_launch", row.dynamic.computed},
                                 {"constant", row.kernel.constant},
                                 {"largest_block", row.largest},
                                 {"block", row.block},
                                 {"blocks", row.blocks},
                                 {"threads", row.blocks * row.block},
                                 {"occupancy", row.percent}});
  return report.dump(2) + "\n";
}

// Says what is known without ptxas.
void report_missing(Compilation& compilation, const ir::Module& module, const SharedLayout& layout) {
  auto error = compilation.diagnostics().report(std::nullopt, diag::no_resources);
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel || !function.variant_of.empty()) continue;
    std::uint64_t bytes = 0;
    for (ir::SharedId id : used_shared(module, function))
      bytes += static_bytes(module.shared[static_cast<std::size_t>(id)]);
    const Dynamic dynamic = dynamic_of(module, layout, function);
    error.note(function.span, "`{}` has {} bytes of shared memory{}", function.name, bytes,
               dynamic.computed.empty() ? "" : ", and of each launch " + dynamic.computed);
  }
}

} // namespace

std::optional<std::string> make_resources(Compilation& compilation, const Options& options) {
  const TargetOptions target = target_options(options, Target::Cuda);
  const std::string arch = gpu_arch(target);
  std::optional<std::int64_t> asked = 0;
  if (!options.block.empty()) asked = threads_of(options.block, compilation.diagnostics());
  std::optional<std::string> ptx = asked ? compilation.emit(target, OutputKind::Ptx) : std::nullopt;
  const ir::Module* module = ptx ? compilation.module_for(Target::Cuda) : nullptr;
  if (!module) return std::nullopt;
  const SharedLayout layout(*module);
  std::optional<std::vector<KernelResources>> kernels =
      find_resources(*ptx, arch, is_for_debugger(target), compilation.diagnostics());
  if (!kernels) {
    if (!compilation.diagnostics().has_errors()) report_missing(compilation, *module, layout);
    return std::nullopt;
  }
  const std::optional<Multiprocessor> on = multiprocessor(arch);
  std::vector<Row> rows;
  for (const ir::Function& function : module->functions) {
    auto kernel = std::ranges::find(*kernels, function.symbol, &KernelResources::symbol);
    if (!function.is_kernel || kernel == kernels->end() || !on) continue;
    const ir::KernelOptions& wishes = function.options;
    const std::int64_t fixed =
        wishes.block ? (*wishes.block)[0] * (*wishes.block)[1] * (*wishes.block)[2] : 0;
    const std::int64_t most = wishes.max_threads > 0 ? wishes.max_threads : limits::launch_threads;
    Row& row = rows.emplace_back(Row{*kernel, dynamic_of(*module, layout, function)});
    choose_block(row, *on, fixed > 0 ? fixed : *asked, fixed > 0 ? fixed : most);
  }
  return options.diagnostics == "json" ? json_of(rows, arch) : text_of(rows, arch);
}

} // namespace kern

// Names of types become numbers, expressions become steps, symbols become what the device calls.
#include "runtime/api/plan.h"

#include <algorithm>

#include "runtime/api/device.h"

namespace kern::runtime {

static constexpr std::string_view type_names[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",  "u16", "u32",
                                                  "u64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
static constexpr std::uint32_t type_bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
static_assert(std::size(type_names) == KERN_C128 + 1 && std::size(type_bytes) == KERN_C128 + 1);

static constexpr std::uint32_t slot_bytes = 8;

std::uint32_t bytes_of(std::uint32_t type) { return type_bytes[type]; }
std::string_view name_of(std::uint32_t type) { return type <= KERN_C128 ? type_names[type] : ""; }

static void add_entry_param(Plan& plan, std::uint32_t slot, std::uint32_t bytes) {
  std::uint32_t offset = (plan.entry_bytes + bytes - 1) / bytes * bytes;
  plan.entry_bytes = offset + bytes;
  std::uint32_t slots = std::max(bytes / slot_bytes, 1u);
  std::vector<EntryRun>& runs = plan.entry_runs;
  bool goes_on = !runs.empty() && runs.back().slot + runs.back().count == slot &&
                 runs.back().offset + runs.back().count * slot_bytes == offset;
  if (goes_on)
    runs.back().count += slots;
  else
    runs.push_back({slot, slots, offset});
}

// Each part of an array is a parameter of its own, and so is the address of the launch record.
static void add_entry_params(Plan& plan) {
  for (const PlanParam& param : plan.params) {
    add_entry_param(plan, param.slot, param.rank == 0 ? param.bytes : slot_bytes);
    for (std::uint32_t part = 1; part < 1 + 2 * param.rank; ++part)
      add_entry_param(plan, param.slot + part, slot_bytes);
  }
  add_entry_param(plan, plan.kernel->slots - 1, slot_bytes);
}

static void make_plan(const Module& module, const ManifestKernel& kernel, Plan& plan) {
  plan.kernel = &kernel;
  for (const ManifestParam& param : kernel.params) {
    auto type = static_cast<std::uint32_t>(
        std::find(std::begin(type_names), std::end(type_names), param.type) - std::begin(type_names));
    std::uint32_t bytes = type <= KERN_C128 ? bytes_of(type) : 1; // no argument is of another type
    const ManifestRecord* record = record_of(module.manifest, kernel, plan.params.size());
    plan.params.push_back({type, param.rank, param.slot, bytes, param.contiguous, param.written,
                           record ? record->size / bytes : 0});
  }
  for (const ManifestContract& contract : kernel.contracts) plan.contracts.emplace_back(contract.condition);
  for (const ManifestShared& shared : kernel.dynamic_shared) {
    std::vector<Program>& extents = plan.shared.emplace_back();
    for (const Expression& extent : shared.extents) extents.emplace_back(extent);
  }
  for (const ManifestVariant& variant : kernel.variants) {
    if (variant.target != module.device->target()) continue;
    PlanVariant& planned = plan.variants.emplace_back();
    planned.variant = &variant;
    planned.entry = module.code->entry(variant);
    for (const Expression& fact : variant.facts)
      planned.facts.emplace_back(fact, Program::Overflow::HasNoValue);
  }
  if (kernel.work) plan.operations.emplace(kernel.work->operations);
  add_entry_params(plan);
  plan.staged = std::make_unique<Plan::Staged[]>(kernel.params.size());
}

void make_plans(Module& module) {
  for (const ManifestKernel& kernel : module.manifest.kernels)
    make_plan(module, kernel, module.plans.emplace_back());
}

} // namespace kern::runtime

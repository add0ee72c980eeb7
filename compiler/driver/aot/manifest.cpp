// Everything is read off the IR; analyses answer what the runtime would otherwise have to guess: access, the
// block that `over` may choose, the sizes of shared arrays.
#include "compiler/driver/aot/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/launch/kernel_facts.h"
#include "compiler/analysis/memory/shared_layout.h"
#include "compiler/ir/param_block.h"
#include "kern/abi_hash.h"
#include "runtime/common/shape.h"

namespace kern {

static ManifestPlace place_of(const SourceManager& sources, Span span) {
  Location location = sources.locate(span);
  return {sources.stored_name(span.file), location.line, location.column};
}

// Names the scalars and arrays that a parameter of the source became: "t", or "t.0" and "t.1", of a record "p.x".
static void append_names(const std::string& name, Type type, std::vector<std::string>& names) {
  if (!is_tuple(type)) return names.push_back(name);
  for (std::size_t i = 0; i < type->elements.size(); ++i) {
    const std::string part = type->record ? type->record->fields[i].name : std::to_string(i);
    append_names(fmt::format("{}.{}", name, part), type->elements[i], names);
  }
}

// Adds the layout of a record behind those of the records in it.
static void add_record(Type type, std::vector<ManifestRecord>& records) {
  if (std::ranges::find(records, type->record->name, &ManifestRecord::name) != records.end()) return;
  ManifestRecord record{type->record->name,
                        static_cast<std::uint64_t>(type->record->size),
                        static_cast<std::uint64_t>(type->record->alignment),
                        {}};
  for (const RecordField& field : type->record->fields) {
    if (is_record(field.type)) add_record(field.type, records);
    std::vector<std::uint64_t> extents(field.extents.begin(), field.extents.end());
    record.fields.push_back({field.name, to_string(field.type), is_record(field.type), std::move(extents),
                             static_cast<std::uint64_t>(field.offset)});
  }
  records.push_back(std::move(record));
}

// Says which params are records.
static void add_records(const ir::Module& module, ir::FunctionId id, ManifestKernel& kernel,
                        std::vector<ManifestRecord>& records) {
  std::vector<ManifestRecordParam> found;
  for (const ir::KernelParam& param : module.params[static_cast<std::size_t>(id)]) {
    const bool is_array = is_record_array(param.type);
    if (!is_array && !is_record(param.type)) continue;
    Type record = is_array ? record_type(param.type) : param.type;
    add_record(record, records);
    found.push_back({param.first_slot, record->record->name});
  }
  if (!found.empty()) kernel.record_params = std::move(found);
}

static std::vector<ManifestParam> params_of(const ir::Module& module, ir::FunctionId id,
                                            std::span<const ParamAccess> access) {
  const ir::Function& kernel = module.function(id);
  std::vector<std::string> names;
  for (const ir::KernelParam& param : module.params[static_cast<std::size_t>(id)])
    append_names(param.name, param.type, names);
  std::vector<ManifestParam> params;
  for (std::uint32_t slot = 0; slot < kernel.param_count; ++slot) {
    Type type = kernel.slots[slot].type;
    ManifestParam param;
    param.name = slot < names.size() ? names[slot] : kernel.slots[slot].name;
    param.type = to_string(types::scalar(type->scalar));
    param.rank = type->rank;
    param.slot = ir::block_slot(kernel, ir::SlotId(slot));
    if (is_array(type)) {
      param.contiguous = type->layout == Layout::COrder;
      param.read = access[slot].read || access[slot].atomic;
      param.written = access[slot].written || access[slot].atomic;
      param.all_written = access[slot].all_written;
    }
    params.push_back(std::move(param));
  }
  return params;
}

static void add_shared(const ir::Module& module, const SourceManager& sources, const KernelFacts& facts,
                       const SharedLayout& layout, ManifestKernel& result) {
  result.moved_shared_bytes = result.shared_bytes = layout.bytes_before(module, facts.shared);
  for (ir::SharedId id : facts.shared) {
    const ir::SharedDecl& decl = module.shared[static_cast<std::size_t>(id)];
    if (!decl.dynamic.empty())
      result.dynamic_shared.push_back({static_cast<std::uint64_t>(bit_width(decl.element)) / 8, decl.dynamic,
                                       ManifestDeclaration{decl.name, place_of(sources, decl.span)}});
    if (!layout.offset(id)) result.shared_bytes += round_up_shared(static_bytes(decl));
  }
  result.shared_bytes += shared_alignment * facts.words;
}

static void add_launch(const ir::Function& kernel, const IndexUse& use, ManifestKernel& result) {
  if (kernel.options.block) {
    result.block.emplace();
    for (std::size_t axis = 0; axis < 3; ++axis)
      (*result.block)[axis] = static_cast<std::uint32_t>((*kernel.options.block)[axis]);
  }
  result.max_threads = static_cast<std::uint32_t>(kernel.options.max_threads);
  result.axes = use.thread;
  if (use.cooperates) result.needs_block = use.why;
}

static ManifestKernel kernel_of(const ir::Module& module, const SourceManager& sources,
                                const SharedLayout& layout, ir::FunctionId id, const KernelFacts& facts) {
  const ir::Function& kernel = module.function(id);
  ManifestKernel result;
  result.name = kernel.name;
  result.symbol = kernel.symbol;
  result.doc = kernel.doc;
  result.place = place_of(sources, kernel.span);
  result.params = params_of(module, id, facts.access);
  result.slots = static_cast<std::uint32_t>(ir::block_names(kernel).size()) + 1;
  add_launch(kernel, facts.indices, result);
  result.prints = facts.prints;
  result.cooperative = facts.has_grid_barriers;
  result.waits = facts.waits;
  result.clamps = module.clamps;
  result.cancellable = module.cancellable;
  add_shared(module, sources, facts, layout, result);
  if (facts.work) result.work = ManifestWork{facts.work->operations, facts.work->is_known};
  for (const ir::Contract& contract : kernel.contracts) {
    const ir::Site& site = module.sites[static_cast<std::size_t>(contract.site)];
    result.contracts.push_back({contract.condition, site.array, place_of(sources, site.span)});
  }
  return result;
}

ManifestVariant manifest_variant(const Variant& variant) {
  return {variant.target == Target::Cpu ? "cpu" : "cuda", variant.symbol, variant.facts};
}

static ManifestSite site_of(const ir::Site& site, const SourceManager& sources) {
  ManifestSite result{
      static_cast<std::uint32_t>(site.kind), place_of(sources, site.span), site.array, site.param, {}};
  for (Span call : site.calls) result.calls.push_back(place_of(sources, call));
  return result;
}

std::vector<ManifestSite> manifest_sites(std::span<const ir::Site> sites, const SourceManager& sources) {
  std::vector<ManifestSite> result;
  result.reserve(sites.size());
  for (const ir::Site& site : sites) result.push_back(site_of(site, sources));
  return result;
}

Manifest make_manifest(Compilation& compilation, std::span<const KernelCode> kernels) {
  Manifest manifest;
  manifest.abi = fmt::format("{:016x}", abi_hash);
  const ir::Module& module = *compilation.transformed();
  const SourceManager& sources = compilation.sources();
  const SharedLayout layout(module);
  std::vector<ManifestRecord> records;
  for (std::size_t index = 0; index < module.functions.size(); ++index) {
    const auto wanted = std::ranges::find(kernels, module.functions[index].symbol, &KernelCode::symbol);
    if (!module.functions[index].is_kernel || wanted == kernels.end()) continue;
    const auto id = ir::FunctionId(index);
    ManifestKernel kernel = kernel_of(module, sources, layout, id, compilation.facts(id));
    for (const Variant& variant : wanted->variants) kernel.variants.push_back(manifest_variant(variant));
    add_records(module, id, kernel, records);
    manifest.kernels.push_back(std::move(kernel));
  }
  if (!records.empty()) manifest.records = std::move(records);
  manifest.sites = manifest_sites(module.sites, sources);
  std::vector<PrintFormat> formats = print_formats(module);
  for (std::uint32_t site = 0; site < formats.size(); ++site) {
    if (formats[site].texts.empty()) continue;
    ManifestPrint print{site, formats[site].texts, {}};
    for (Type type : formats[site].types) print.types.push_back(to_string(types::scalar(type->scalar)));
    manifest.prints.push_back(std::move(print));
  }
  return manifest;
}

std::optional<Manifest> make_manifest(Compilation& compilation, int lanes) {
  const ir::Module* module = compilation.transformed();
  const ir::Module* cuda = module ? compilation.module_for(Target::Cuda) : nullptr;
  if (!cuda) return std::nullopt;
  std::vector<KernelCode> kernels = all_kernels(*module, Target::Cpu, lanes);
  for (KernelCode& kernel : kernels) {
    const auto same = std::ranges::find(module->functions, kernel.symbol, &ir::Function::symbol);
    std::vector<Variant> variants = kernel_variants(*cuda, *same, Target::Cuda);
    std::ranges::move(kernel.variants, std::back_inserter(variants));
    kernel.variants = std::move(variants);
  }
  return make_manifest(compilation, kernels);
}

} // namespace kern

// A record whose layout is C's own becomes a plain struct. Any other, of a packed dtype or one with offsets, is a packed struct with
// what lies between its fields as bytes; it is aligned as its words are, where no other record holds it.
#include "compiler/driver/aot/records.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/types/types.h"

namespace kern {

namespace {

const ManifestRecord& find_record(const Manifest& manifest, const std::string& name) {
  return *std::ranges::find(*manifest.records, name, &ManifestRecord::name);
}

Type scalar_of(const ManifestField& field) { return types::scalar(*find_scalar(field.type)); }

std::uint64_t element_bytes(const Manifest& manifest, const ManifestField& field) {
  if (field.is_record) return find_record(manifest, field.type).size;
  return static_cast<std::uint64_t>(size_in_memory(scalar_of(field)));
}

std::uint64_t count_of(const ManifestField& field) {
  std::uint64_t count = 1;
  for (std::uint64_t extent : field.extents) count *= extent;
  return count;
}

std::uint64_t plain_alignment(const Manifest& manifest, const ManifestField& field);

// Says whether C gives the fields the places that they have.
bool is_plain(const Manifest& manifest, const ManifestRecord& record, std::uint64_t& alignment) {
  std::uint64_t at = 0;
  alignment = 1;
  for (const ManifestField& field : record.fields) {
    const std::uint64_t own = plain_alignment(manifest, field);
    alignment = std::max(alignment, own);
    at = (at + own - 1) / own * own;
    if (at != field.offset) return false;
    at += element_bytes(manifest, field) * count_of(field);
  }
  return (at + alignment - 1) / alignment * alignment == record.size;
}

// The alignment that a compiler of C gives to what stands in a plain struct; 1 of a packed record.
std::uint64_t plain_alignment(const Manifest& manifest, const ManifestField& field) {
  if (!field.is_record) return static_cast<std::uint64_t>(natural_alignment(scalar_of(field)));
  std::uint64_t alignment = 1;
  return is_plain(manifest, find_record(manifest, field.type), alignment) ? alignment : 1;
}

void add_offsets(const Manifest& manifest, const ManifestRecord& record, std::uint64_t base,
                 std::vector<std::uint64_t>& offsets) {
  for (const ManifestField& field : record.fields) {
    const std::uint64_t step = element_bytes(manifest, field);
    for (std::uint64_t k = 0; k < count_of(field); ++k) {
      const std::uint64_t at = base + field.offset + k * step;
      if (field.is_record)
        add_offsets(manifest, find_record(manifest, field.type), at, offsets);
      else
        offsets.push_back(at);
    }
  }
}

std::uint64_t widest(const Manifest& manifest, const ManifestRecord& record) {
  std::uint64_t width = 1;
  for (const ManifestField& field : record.fields)
    width =
        std::max(width, field.is_record ? widest(manifest, find_record(manifest, field.type))
                                        : static_cast<std::uint64_t>(natural_alignment(scalar_of(field))));
  return width;
}

bool is_inside_another(const Manifest& manifest, const ManifestRecord& record) {
  return std::ranges::any_of(*manifest.records, [&](const ManifestRecord& other) {
    return std::ranges::any_of(other.fields, [&](const ManifestField& field) {
      return field.is_record && field.type == record.name;
    });
  });
}

std::string struct_text(const Manifest& manifest, const ManifestRecord& record,
                        const std::map<std::string, std::string>& names, const RecordLanguage& language) {
  std::uint64_t alignment = 1;
  const bool plain = is_plain(manifest, record, alignment);
  const std::string& name = names.at(record.name);
  NameScope scope;
  std::vector<std::string> written;
  for (const ManifestField& field : record.fields) written.push_back(field.name);
  const std::vector<std::string> fields = scope.take_all(written);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < fields.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return record.fields[i].offset; });

  std::string members, checks;
  std::uint64_t at = 0;
  auto pad = [&](std::uint64_t to) {
    if (to > at && !plain)
      members += fmt::format("  unsigned char {}[{}];\n", scope.take(fmt::format("padding_{}", at)), to - at);
  };
  auto check = [&](const std::string& condition) {
    checks += fmt::format("{}({});\n", language.is_cpp ? "static_assert" : "KERN_LAYOUT", condition);
  };
  for (std::size_t i : order) {
    const ManifestField& field = record.fields[i];
    pad(field.offset);
    const std::string type = field.is_record ? names.at(field.type) : language.scalar(field.type);
    std::string extents;
    for (std::uint64_t extent : field.extents) extents += fmt::format("[{}]", extent);
    members += fmt::format("  {} {}{};\n", type, fields[i], extents);
    check(fmt::format("offsetof({}, {}) == {}", name, fields[i], field.offset));
    at = field.offset + element_bytes(manifest, field) * count_of(field);
  }
  pad(record.size);
  check(fmt::format("sizeof({}) == {}", name, record.size));
  const std::uint64_t word = word_bytes(manifest, record);
  const bool is_aligned = !plain && word > 1 && !is_inside_another(manifest, record);
  std::string align;
  if (is_aligned) align = fmt::format("{}({}) ", language.is_cpp ? "alignas" : "KERN_ALIGNED", word);
  std::string text = fmt::format("/// `{}`, as it lies in memory.\n", record.name);
  text += plain ? "" : "#pragma pack(push, 1)\n";
  text += fmt::format("{}struct {}{} {{\n{}}}{};\n", language.is_cpp ? "" : "typedef ", align, name, members,
                      language.is_cpp ? "" : " " + name);
  text += plain ? "" : "#pragma pack(pop)\n";
  return text + checks;
}

} // namespace

std::vector<SourceParam> source_params(const Manifest& manifest, const ManifestKernel& kernel) {
  std::vector<SourceParam> params;
  for (std::uint32_t i = 0; i < kernel.params.size(); ++i) {
    const ManifestParam& param = kernel.params[i];
    params.push_back({param.name, &param, nullptr, param.rank});
    if (!kernel.record_params) continue;
    auto found = std::ranges::find(*kernel.record_params, i, &ManifestRecordParam::first);
    if (found == kernel.record_params->end()) continue;
    SourceParam& record = params.back();
    record.record = &find_record(manifest, found->record);
    if (param.rank > 0) {
      --record.rank;
      continue;
    }
    record.name = param.name.substr(0, param.name.find('.'));
    add_offsets(manifest, *record.record, 0, record.offsets);
    i += static_cast<std::uint32_t>(record.offsets.size()) - 1;
  }
  return params;
}

std::uint64_t word_bytes(const Manifest& manifest, const ManifestRecord& record) {
  std::uint64_t word = widest(manifest, record);
  while (record.size % word != 0) word /= 2;
  return word;
}

std::string record_structs(const Manifest& manifest, const std::map<std::string, std::string>& names,
                           const RecordLanguage& language) {
  std::string text;
  if (!manifest.records) return text;
  for (const ManifestRecord& record : *manifest.records)
    text += struct_text(manifest, record, names, language) + "\n";
  return text;
}

} // namespace kern

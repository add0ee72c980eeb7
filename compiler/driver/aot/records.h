// Records in generated headers: a struct each, with its layout asserted, and the parameters of a kernel as its source has them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/driver/aot/names.h"
#include "runtime/manifest/manifest.h"

namespace kern {

// A parameter as it is written: a scalar or an array, or a record, whose scalars are params of their own.
struct SourceParam {
  std::string name;
  const ManifestParam* param;              // the first one of a record
  const ManifestRecord* record = nullptr;  // of a record, or of an array of them
  std::uint32_t rank = 0;                  // as written
  std::vector<std::uint64_t> offsets = {}; // of the scalars of a record by value, which stand side by side
  bool is_record_value() const { return record && rank == 0; }
};

// Returns the parameters of a kernel.
std::vector<SourceParam> source_params(const Manifest& manifest, const ManifestKernel& kernel);

// The words that an array of such records is passed as: how wide each is, in bytes.
std::uint64_t word_bytes(const Manifest& manifest, const ManifestRecord& record);

// How a language writes structs.
struct RecordLanguage {
  std::string (*scalar)(const std::string& type);
  bool is_cpp;
};

// Returns the structs of all records, each with its name from `names`, by the record's name.
std::string record_structs(const Manifest& manifest, const std::map<std::string, std::string>& names,
                           const RecordLanguage& language);

} // namespace kern

// Works out once for a kernel of a module on its device what each launch would have to.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/common/estimate.h"
#include "runtime/common/program.h"
#include "runtime/manifest/manifest.h"

namespace kern::runtime {

struct Module;

struct PlanVariant {
  const ManifestVariant* variant = nullptr;
  std::vector<Program> facts;
  void* entry = nullptr; // what Code::entry() returned for it
};

// A parameter in the numbers that arguments carry.
struct PlanParam {
  std::uint32_t type = 0; // a kern_type; beyond all of them where the manifest's type has none
  std::uint32_t rank = 0, slot = 0;
  std::uint32_t bytes = 0; // of an element
  bool contiguous = false, written = false;
  std::uint64_t record_words = 0; // of an array of records: how long its last axis is
};

// Slots that lie behind each other among the parameters of a CUDA entry as well. PTX aligns a parameter to
// its size, so some of less than 8 bytes lie closer than their slots.
struct EntryRun {
  std::uint32_t slot = 0, count = 0;
  std::uint32_t offset = 0; // where the first one goes, in bytes
};

// The manifest's lists keep their addresses, so the plan points into them.
struct Plan {
  const ManifestKernel* kernel = nullptr;
  std::vector<PlanParam> params;
  std::vector<Program> contracts;
  std::vector<std::vector<Program>> shared; // the extents of each dynamic shared array
  std::vector<PlanVariant> variants;        // those for the device of the module
  std::vector<EntryRun> entry_runs;         // how slots are packed for a CUDA entry, ascending
  std::uint32_t entry_bytes = 0;            // of all its parameters
  std::optional<Estimate> operations;       // of a thread
  mutable std::atomic<bool> warned{false};  // that launches of it leave the device idle
  // The host memory that was staged last, and how often in a row: that is worth a warning.
  struct Staged {
    std::atomic<const void*> data{nullptr};
    std::atomic<unsigned> times{0};
  };
  std::unique_ptr<Staged[]> staged; // of each parameter
};

// Makes the plans of a module whose code is loaded.
void make_plans(Module& module);

// Returns the bytes of a value of a kern_type.
std::uint32_t bytes_of(std::uint32_t type);
// Returns its name; "" beyond them.
std::string_view name_of(std::uint32_t type);

} // namespace kern::runtime

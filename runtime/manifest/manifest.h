// The manifest: all that a host must know about a compiled module, and nothing that its code says by itself.
// The compiler fills it in, an object carries it as JSON (docs/manifest.schema.json), the runtime reads it
// back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kern/expression.h"

namespace kern {

inline constexpr std::uint32_t manifest_version = 1;

// A place in a source file; line and column count from 1.
struct ManifestPlace {
  std::string file;
  std::uint32_t line = 0, column = 0;
  bool operator==(const ManifestPlace&) const = default;
};

// A place that can fault, or print. A fault record's `site` is an index into the module's list.
struct ManifestSite {
  std::uint32_t kind = 0; // a row of faults.def
  ManifestPlace place;
  std::string array;                // as written; the message of an assert or raise
  std::string param;                // the parameter that it may be a view of; "" where there is none
  std::vector<ManifestPlace> calls; // that led there, innermost first
};

// One scalar or array of a kernel's parameter block; the elements of a tuple are params of their own ("t.0").
struct ManifestParam {
  std::string name;
  std::string type;         // of a scalar, or of an array's element: "f32"
  std::uint32_t rank = 0;   // axes; 0 for a scalar
  std::uint32_t slot = 0;   // its first one in the parameter block
  bool contiguous = false;  // written `::1`: the last axis must have stride 1
  bool read = false;        // the rest is about arrays: by loads or atomics
  bool written = false;     // by stores or atomics
  bool all_written = false; // every element is proved to be written, before any is read
};

// A field of a record in memory.
struct ManifestField {
  std::string name;
  std::string type; // of a scalar, or the name of a record
  bool is_record = false;
  std::vector<std::uint64_t> extents; // of an array in the record
  std::uint64_t offset = 0;           // in bytes
};

// The layout of a record that a kernel takes, or that is in one which it takes. Those inside come first.
struct ManifestRecord {
  std::string name;
  std::uint64_t size = 0, alignment = 1; // in bytes
  std::vector<ManifestField> fields;
};

// Which params are a parameter of records: an array of them, or the scalars of one, in the order of its fields.
struct ManifestRecordParam {
  std::uint32_t first = 0;
  std::string record;
};

// A condition that an assert at the head of a kernel demands of every launch.
struct ManifestContract {
  Expression condition;
  std::string text; // its message, or the condition as written
  ManifestPlace place;
};

// The name that a source has for something, and the place of the declaration.
struct ManifestDeclaration {
  std::string name;
  ManifestPlace place;
};

// A shared array that is sized at the launch.
struct ManifestShared {
  std::uint64_t element_bytes = 0;
  std::vector<Expression> extents;
  std::optional<ManifestDeclaration> declared; // older objects do not say it
};

// Code of a kernel that may run where all its facts hold. The first such one in the list is taken.
struct ManifestVariant {
  std::string target; // "cuda" or "cpu"
  std::string symbol;
  std::vector<Expression> facts;
};

// How much a thread of a kernel does, on average over a launch: in operations of vectors, as an expression of reals whose
// quotients are not rounded.
struct ManifestWork {
  Expression operations;
  bool is_known = false; // else what memory holds decides, and threads may do any amount
};

struct ManifestKernel {
  std::string name;   // as written
  std::string symbol; // docs/abi.md, Names
  std::string doc;
  ManifestPlace place;
  std::vector<ManifestParam> params;
  std::uint32_t slots = 0;                           // of the parameter block, the record's included
  std::optional<std::array<std::uint32_t, 3>> block; // the only one that the kernel takes
  std::uint32_t max_threads = 0;                     // launch bounds; 0 where there are none
  std::array<bool, 3> axes{};                        // along which it reads an index
  std::string needs_block;   // why a launch must say its block ("has barriers"); "" where any will do
  bool prints = false;       // its launches need a print ring
  bool cooperative = false;  // it has barriers of the grid, so all its blocks run at once
  std::optional<bool> waits; // blocks of a launch may wait for those before them; older objects do not say it
  std::optional<bool>
      clamps; // a thread with a bad index goes on: its record may hold a note; older objects do not say it
  std::optional<bool> cancellable; // a launch may be told to end; older objects do not say it
  std::uint64_t shared_bytes = 0;  // of static shared arrays in a block,
  std::uint64_t moved_shared_bytes =
      0; // and those of them that a GPU has at the start of dynamic shared memory
  std::vector<ManifestShared> dynamic_shared;
  std::vector<ManifestContract> contracts;
  std::vector<ManifestVariant> variants;
  std::optional<std::vector<ManifestRecordParam>> record_params; // nothing where there are none
  std::optional<ManifestWork> work; // nothing where it would be too long to say; older objects do not say it
};

// A print: texts and arguments alternate, a text first.
struct ManifestPrint {
  std::uint32_t site = 0;
  std::vector<std::string> texts;
  std::vector<std::string> types;
};

struct Manifest {
  std::string abi; // the compiler's kern::abi_hash, as 16 hexadecimal digits: JSON's numbers are too short
  std::vector<ManifestKernel> kernels;
  std::vector<ManifestSite> sites;
  std::vector<ManifestPrint> prints;
  std::optional<std::vector<ManifestRecord>> records; // nothing where there are none
};

// Returns the records of a parameter that is an array of such; null where it has none.
const ManifestRecord* record_of(const Manifest& manifest, const ManifestKernel& kernel, std::size_t param);

// Writes a manifest as JSON, with a line end at its end.
std::string to_json(const Manifest& manifest);
// Reads one; nothing where the text is no manifest of this version, and then `error` says what was found.
std::optional<Manifest> parse_manifest(std::string_view json, std::string& error);

} // namespace kern

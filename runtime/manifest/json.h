// The manifest's fields by name, once for writing and once for reading: `fields(visitor, value)` shows each
// field of a struct to a Writer or a Reader, so the two cannot differ.
#pragma once

#include "runtime/manifest/manifest.h"

namespace kern {

inline constexpr std::string_view expression_ops[] = {
    "constant",     "real",  "scalar",    "extent",   "stride",       "address", "block_dim",     "grid_dim",
    "shared_bytes", "add",   "subtract",  "multiply", "floor_divide", "modulo",  "minimum",       "maximum",
    "negate",       "equal", "not_equal", "less",     "less_equal",   "greater", "greater_equal", "and",
    "or",           "not",   "wrap",      "bit_and",  "bit_or",       "bit_xor", "select"};
static_assert(std::size(expression_ops) == static_cast<std::size_t>(ExpressionOp::Select) + 1);

inline constexpr std::string_view expression_types[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                                        "u16",  "u32", "u64", "f32", "f64"};
static_assert(std::size(expression_types) == static_cast<std::size_t>(ExpressionType::F64) + 1);

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestPlace*) {
  visit("file", value.file);
  visit("line", value.line);
  visit("column", value.column);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestSite*) {
  visit("kind", value.kind);
  visit("place", value.place);
  visit("array", value.array);
  visit("param", value.param);
  visit("calls", value.calls);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestParam*) {
  visit("name", value.name);
  visit("type", value.type);
  visit("rank", value.rank);
  visit("slot", value.slot);
  visit("contiguous", value.contiguous);
  visit("read", value.read);
  visit("written", value.written);
  visit("all_written", value.all_written);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestField*) {
  visit("name", value.name);
  visit("type", value.type);
  visit("is_record", value.is_record);
  visit("extents", value.extents);
  visit("offset", value.offset);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestRecord*) {
  visit("name", value.name);
  visit("size", value.size);
  visit("alignment", value.alignment);
  visit("fields", value.fields);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestRecordParam*) {
  visit("first", value.first);
  visit("record", value.record);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestContract*) {
  visit("condition", value.condition);
  visit("text", value.text);
  visit("place", value.place);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestDeclaration*) {
  visit("name", value.name);
  visit("place", value.place);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestShared*) {
  visit("element_bytes", value.element_bytes);
  visit("extents", value.extents);
  visit("declared", value.declared);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestVariant*) {
  visit("target", value.target);
  visit("symbol", value.symbol);
  visit("facts", value.facts);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestWork*) {
  visit("operations", value.operations);
  visit("is_known", value.is_known);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestKernel*) {
  visit("name", value.name);
  visit("symbol", value.symbol);
  visit("doc", value.doc);
  visit("place", value.place);
  visit("params", value.params);
  visit("slots", value.slots);
  visit("block", value.block);
  visit("max_threads", value.max_threads);
  visit("axes", value.axes);
  visit("needs_block", value.needs_block);
  visit("prints", value.prints);
  visit("cooperative", value.cooperative);
  visit("waits", value.waits);
  visit("clamps", value.clamps);
  visit("cancellable", value.cancellable);
  visit("shared_bytes", value.shared_bytes);
  visit("moved_shared_bytes", value.moved_shared_bytes);
  visit("dynamic_shared", value.dynamic_shared);
  visit("contracts", value.contracts);
  visit("variants", value.variants);
  visit("record_params", value.record_params);
  visit("work", value.work);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const ManifestPrint*) {
  visit("site", value.site);
  visit("texts", value.texts);
  visit("types", value.types);
}

template <class Visitor> void fields(Visitor& visit, auto& value, const Manifest*) {
  visit("abi", value.abi);
  visit("kernels", value.kernels);
  visit("sites", value.sites);
  visit("prints", value.prints);
  visit("records", value.records);
}

} // namespace kern

// Records and named tuples while a function is checked. A record in memory is a Value of kind Record, which says
// where its words begin; a record as a value is the tuple of its fields. In a .py file a name that is assigned a
// record of an array refers to it, as in Numba: that is an array of its words.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/place.h"

namespace kern::checker {

// Returns a reference as the record that it refers to; any other value as it is.
Value dereferenced(Value value);

// The element of an array that a packed record does not align: a record of one scalar, whose field has no name. It is read and
// written in parts, as a field is.
inline bool is_unaligned(Type type) { return is_record(type) && type->record->fields[0].name.empty(); }
Type unaligned(Checker& checker, Type scalar);
// Returns the type that an element of an array has as a value: not how a tuple, or a number without alignment, lies there.
inline Type held_type(Type element) {
  return is_unaligned(element)  ? element->elements[0]
         : holds_tuple(element) ? *element->record->tuple
                                : element;
}
// Makes a place one of an element of an array.
void set_element(Place& place, const Value& array);

// Returns the place of a field in its record or named tuple; nothing, reported with the nearest name, where it has none.
std::optional<std::size_t> find_field(Checker& checker, Type owner, std::string_view name, Span span);

// Return the record of an array at indices, which are guarded, and a field of one: an element, a part of an array, or a
// record in it.
Value record_at(ir::Operand array, std::vector<ir::Operand> indices, Span span);
// Returns a field of a record in memory, where it is one: a place to load and store a scalar, else nothing.
std::optional<Place> scalar_field(Checker& checker, const Value& record, std::string_view name, Span span);
// Returns a field of a record in memory, of an array of records (a view), or of a tuple with names.
Value field_of(Checker& checker, const Value& owner, std::string_view name, Span span);
// Returns a record in memory as an expression's value: in a .kern file its fields, in a .py file a reference. A tuple is its elements.
Value whole_record(Checker& checker, const Value& record);
// Returns the fields of a record in memory, in either dialect.
Value fields_of_record(Checker& checker, const Value& record);
// Stores a record, from memory or from its fields.
void store_record(Checker& checker, const Value& target, const Value& value, Span span);
// Load and store a scalar field.
Value load_field(Checker& checker, const Place& place, Span span);
void store_field(Checker& checker, const Place& place, ir::Operand value, Span span);
// Returns a value as one of the type of a field; a tuple becomes an array in the record.
Value field_value(Checker& checker, const Value& value, Type type);
// P(x, y=1): a record of its fields.
Value make_record(Checker& checker, Type type, const Args& args, Span span);
// Returns the name of a field that a subscript is: `a['x']`; nothing where it is another one, or not of records.
std::optional<std::string_view> field_name(Checker& checker, const Value& owner,
                                           std::span<const ast::Expr* const> indices);
// Returns where a field of a record in memory is, or the view of what each record of an array has.
std::optional<Place> field_place(Checker& checker, const Value& owner, std::string_view name, Span span);
// Stores records of an array, one or a part of it.
void store_records(Checker& checker, const Place& place, const Value& value, Span span);
// Returns the local that a target assigns: a name, or what holds the record of which it is a part, `p.x`,
// `p.f[i]`; null where it assigns none.
Local* assigned_local(Checker& checker, const ast::Expr& target);
// A part of a record that a local holds: what it is, and how it is assigned.
struct RecordPart {
  Value value;
  std::function<void(const Value& value, const ast::Node& site)> assign;
};
// Returns the part that a target names, its indices evaluated; nothing where it is wrong, which is reported,
// or has no type yet. `operand` is what is evaluated between this and the assignment, null where nothing is.
std::optional<RecordPart> record_part(Checker& checker, Local& local, const ast::Expr& target,
                                      const ast::Expr* operand);

// ---- structs.cpp ----
// Returns the type of a struct; nothing where it is wrong, which is reported.
std::optional<Type> struct_type(Checker& checker, FileScope& file, const ast::StructDef& def);

// ---- record_types.cpp ----
// Returns the extents of an array in a record: constants from 1 on; nothing, reported, where one is wrong.
std::optional<std::vector<std::int64_t>> field_extents(Checker& checker, const Value& shape);
// Puts fields one behind the other, as C does where they are aligned; returns how many bytes they take.
std::int64_t lay_out(std::vector<RecordField>& fields, bool align, std::int64_t& alignment);
// Returns how a tuple lies in an array, literals by the types that they have alone; nothing where it holds what has no place in
// memory.
std::optional<Type> tuple_element(Checker& checker, Type tuple);
// Returns the type of a field or of elements as a dtype says it; nothing, reported, where it is none.
std::optional<Type> dtype_of(Checker& checker, const Value& value);
// Returns the type of np.dtype(description, align) of several fields; nothing where the description is of no record.
std::optional<Value> record_dtype(Checker& checker, const Value& description, bool align, Span span);

} // namespace kern::checker

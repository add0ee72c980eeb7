// The types of records: a struct of a .kern file has C's layout, a dtype of NumPy the one that it says.
#include <algorithm>

#include "compiler/check/core/dtypes.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/names.h"
#include "compiler/support/limits.h"
#include "compiler/support/split.h"

namespace kern::checker {

namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

std::int64_t bytes_of(const RecordField& field) {
  std::int64_t bytes = size_in_memory(field.type);
  for (std::int64_t extent : field.extents) bytes *= extent;
  return bytes;
}

} // namespace

std::optional<std::vector<std::int64_t>> field_extents(Checker& checker, const Value& shape) {
  std::vector<Value> values = is_tuple(shape) ? shape.elements : std::vector<Value>{shape};
  std::vector<std::int64_t> extents;
  WideInt count = 1;
  for (const Value& value : values) {
    if (is_error(value)) return std::nullopt;
    std::optional<WideInt> extent = constant_integer(value);
    bool fits = extent && *extent >= 1 && *extent <= limits::local_bytes;
    if (fits) count *= *extent;
    if (!fits || count > limits::local_bytes || extents.size() + 1 >= limits::array_rank) {
      checker.report(value.span, diag::field_extent, checker.context.source(value.span));
      return std::nullopt;
    }
    extents.push_back(static_cast<std::int64_t>(*extent));
  }
  return extents;
}

std::int64_t lay_out(std::vector<RecordField>& fields, bool align, std::int64_t& alignment) {
  std::int64_t at = 0;
  alignment = 1;
  for (RecordField& field : fields) {
    if (align) {
      alignment = std::max(alignment, natural_alignment(field.type));
      at = rounded_up(at, natural_alignment(field.type));
    }
    field.offset = at;
    at += bytes_of(field);
  }
  return rounded_up(at, alignment);
}

namespace {

// The description of a field in np.dtype([...]) or np.dtype({...}).
struct Described {
  Value name, type;
  std::optional<Value> shape, offset;
};

std::optional<RecordField> described_field(Checker& checker, const Described& given, bool align) {
  if (given.name.kind != ValueKind::String) {
    checker.report(given.name.span, diag::unknown_dtype, checker.context.source(given.name.span),
                   "the name of a field is a string");
    return std::nullopt;
  }
  RecordField field{std::string(given.name.text), types::error, {}, 0};
  Value type = given.type;
  // ('f4', (3,)) is a type with a shape.
  if (is_tuple(type) && type.elements.size() == 2 && type.elements[0].kind != ValueKind::Tuple) {
    std::optional<std::vector<std::int64_t>> extents = field_extents(checker, type.elements[1]);
    if (!extents) return std::nullopt;
    field.extents = *extents;
    type = Value(type.elements[0]);
  }
  if (std::optional<Value> nested = record_dtype(checker, type, align, type.span)) type = *nested;
  std::optional<Type> found = dtype_of(checker, type);
  if (!found) return std::nullopt;
  field.type = *found;
  if (given.shape) {
    std::optional<std::vector<std::int64_t>> extents = field_extents(checker, *given.shape);
    if (!extents) return std::nullopt;
    field.extents.insert(field.extents.begin(), extents->begin(), extents->end());
  }
  return field;
}

// Says whether no two fields share bytes or a name; reports those that do.
bool check_fields(Checker& checker, const std::vector<RecordField>& fields, Span span) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (fields[i].name == fields[j].name) {
        checker.report(span, diag::duplicate_field, fields[i].name);
        return false;
      }
      bool apart = fields[i].offset >= fields[j].offset + bytes_of(fields[j]) ||
                   fields[j].offset >= fields[i].offset + bytes_of(fields[i]);
      if (apart) continue;
      checker.report(span, diag::field_overlap, fields[i].name, fields[i].offset, fields[j].name);
      return false;
    }
  }
  return true;
}

const Value* dict_entry(const Value& dict, std::string_view key) {
  for (std::size_t i = 0; i + 1 < dict.elements.size(); i += 2)
    if (dict.elements[i].kind == ValueKind::String && dict.elements[i].text == key)
      return &dict.elements[i + 1];
  return nullptr;
}

// Splits "f4, i4" into fields f0 and f1, each perhaps with a count: "3f4".
std::vector<Described> fields_of_text(Checker& checker, const Value& text) {
  std::vector<Described> fields;
  std::vector<std::string_view> words = split_at_commas(text.text);
  if (words.back().empty()) words.pop_back(); // behind the last comma
  for (std::string_view word : words) {
    Described field{
        plain_value(ValueKind::String, text.span), plain_value(ValueKind::String, text.span), {}, {}};
    std::string name = fmt::format("f{}", fields.size());
    field.name.text = checker.context.program.arena->copy(std::string_view(name));
    std::size_t digits = 0;
    while (digits < word.size() && digits < 9 && word[digits] >= '0' && word[digits] <= '9') ++digits;
    if (digits > 0) {
      WideInt count = 0;
      for (char c : word.substr(0, digits)) count = count * 10 + (c - '0');
      field.shape = int_value(count, text.span);
    }
    field.type.text = word.substr(digits);
    fields.push_back(std::move(field));
  }
  return fields;
}

// Reads the description of a record; nothing where the value is none.
std::optional<std::vector<Described>> describe_fields(Checker& checker, const Value& value,
                                                      std::optional<std::int64_t>& size) {
  std::vector<Described> fields;
  if (value.kind == ValueKind::String && value.text.find(',') != value.text.npos)
    return fields_of_text(checker, value);
  if (value.kind == ValueKind::Dict) {
    const Value *names = dict_entry(value, "names"), *formats = dict_entry(value, "formats"),
                *offsets = dict_entry(value, "offsets"), *itemsize = dict_entry(value, "itemsize");
    bool fits = names && formats && is_tuple(*names) && is_tuple(*formats) &&
                names->elements.size() == formats->elements.size() &&
                (!offsets || (is_tuple(*offsets) && offsets->elements.size() == names->elements.size()));
    if (!fits) return std::nullopt;
    for (std::size_t i = 0; i < names->elements.size(); ++i) {
      fields.push_back({names->elements[i], formats->elements[i], {}, {}});
      if (offsets) fields.back().offset = Value(offsets->elements[i]);
    }
    std::optional<WideInt> bytes = itemsize ? constant_integer(*itemsize) : std::nullopt;
    if (bytes) size = static_cast<std::int64_t>(*bytes);
    return fields;
  }
  if (!is_tuple(value) || value.elements.empty()) return std::nullopt;
  for (const Value& each : value.elements) {
    bool fits = is_tuple(each) && (each.elements.size() == 2 || each.elements.size() == 3) &&
                (each.elements[0].kind == ValueKind::String);
    if (!fits) return std::nullopt;
    fields.push_back({each.elements[0], each.elements[1], {}, {}});
    if (each.elements.size() == 3) fields.back().shape = Value(each.elements[2]);
  }
  return fields;
}

} // namespace

std::optional<Type> tuple_element(Checker& checker, Type tuple) {
  if (tuple->elements.empty()) return std::nullopt;
  std::vector<Type> elements;
  for (Type element : tuple->elements) {
    if (is_literal(element)) element = default_type(element);
    std::optional<Type> type = element;
    if (is_tuple(element) && !is_record(element)) {
      type = tuple_element(checker, element);
      if (type) type = *type.value()->record->tuple;
    } else if (!is_scalar(element) && !is_record(element)) {
      type.reset();
    }
    if (!type) return std::nullopt;
    elements.push_back(*type);
  }
  return checker.context.module.types.tuple_in_memory(
      checker.context.module.types.named(elements, tuple->record));
}

std::optional<Type> dtype_of(Checker& checker, const Value& value) {
  Value type = as_dtype(checker, value);
  if (is_error(type)) return std::nullopt;
  if (type.kind == ValueKind::Type && is_literal(type.type)) type.type = default_type(type.type);
  if (type.kind == ValueKind::Type && (is_scalar(type.type) || is_record(type.type))) return type.type;
  std::string_view text = value.kind == ValueKind::String ? value.text : checker.context.source(value.span);
  bool is_object = text == "O" || text == "object" || text.ends_with("object_");
  bool is_swapped = text.starts_with('>');
  checker.report(value.span, diag::unknown_dtype, text,
                 is_object    ? "an object of Python has no place in a kernel"
                 : is_swapped ? "the devices are little-endian"
                              : "a field is a number, or a record");
  return std::nullopt;
}

std::optional<Value> record_dtype(Checker& checker, const Value& description, bool align, Span span) {
  std::optional<std::int64_t> size;
  std::optional<std::vector<Described>> described = describe_fields(checker, description, size);
  if (!described) return std::nullopt;
  std::vector<RecordField> fields;
  for (const Described& each : *described) {
    std::optional<RecordField> field = described_field(checker, each, align);
    if (!field) return error_value(span);
    if (field->name.empty()) field->name = fmt::format("f{}", fields.size()); // as NumPy does
    fields.push_back(std::move(*field));
  }
  std::int64_t alignment = 1, bytes = lay_out(fields, align, alignment);
  bool has_offsets =
      std::ranges::any_of(*described, [](const Described& each) { return each.offset.has_value(); });
  for (std::size_t i = 0; i < fields.size() && has_offsets; ++i) {
    std::optional<WideInt> offset = constant_integer(*(*described)[i].offset);
    if (!offset || *offset < 0 || *offset > limits::local_bytes) {
      checker.report(span, diag::field_extent, checker.context.source((*described)[i].offset->span));
      return error_value(span);
    }
    fields[i].offset = static_cast<std::int64_t>(*offset);
    bytes = std::max(i == 0 ? 0 : bytes, fields[i].offset + bytes_of(fields[i]));
  }
  if (!check_fields(checker, fields, span)) return error_value(span);
  if (size && *size < bytes) {
    checker.report(span, diag::field_overlap, fields.back().name, fields.back().offset, "the end");
    return error_value(span);
  }
  bytes = rounded_up(size.value_or(bytes), align ? alignment : 1);
  std::string name =
      checker.context.constant_name.empty() ? "record" : std::string(checker.context.constant_name);
  return type_value(checker.context.module.types.record(name, std::move(fields), bytes, alignment), span);
}

} // namespace kern::checker

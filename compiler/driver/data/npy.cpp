// NumPy's file format: a magic, a version, the length of a header, the header (a Python dictionary with three
// entries), the elements. The dictionary is read by hand: it may have its entries in any order, and nothing
// but literals.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "compiler/driver/data/files.h"

namespace kern {

struct Descr {
  std::string_view text;
  ScalarKind kind;
};

// NumPy has no bf16: it is written as u16, and what other libraries write is read as well.
static constexpr Descr descrs[] = {
    {"|b1", ScalarKind::Bool}, {"|i1", ScalarKind::I8},    {"<i2", ScalarKind::I16},
    {"<i4", ScalarKind::I32},  {"<i8", ScalarKind::I64},   {"|u1", ScalarKind::U8},
    {"<u2", ScalarKind::U16},  {"<u4", ScalarKind::U32},   {"<u8", ScalarKind::U64},
    {"<f2", ScalarKind::F16},  {"<f4", ScalarKind::F32},   {"<f8", ScalarKind::F64},
    {"<c8", ScalarKind::C64},  {"<c16", ScalarKind::C128}, {"<u2", ScalarKind::BF16},
    {"<V2", ScalarKind::BF16}, {"|V2", ScalarKind::BF16}};

static Result<ScalarKind> element_of(const std::string& written) {
  std::string descr = written;
  if (descr.size() > 1 && descr[0] == '=') descr[0] = '<';
  // The byte order of a single byte is written in any way.
  if (descr.size() == 3 && descr[2] == '1') descr[0] = '|';
  for (const Descr& known : descrs)
    if (known.text == descr) return known.kind;
  if (descr.starts_with('>'))
    return failure("its elements are big-endian (`{}`): save it as `x.astype(x.dtype.newbyteorder('<'))`",
                   written);
  return failure("its elements are `{}`, which is no number type of Kern", written);
}

namespace {

struct Header {
  std::string descr; // of numbers
  NpyRecords records;
  std::string wrong; // what a record has that cannot be read
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  bool has_descr = false, has_order = false, has_shape = false;
};

// Reads the dictionary; each function returns whether it found what it wants.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  // header = "{" (string ":" value ",")* "}"
  bool read(Header& header) {
    if (!take('{')) return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':') || !value(key, header)) return false;
      if (!take(',') && peek() != '}') return false;
    }
    return peek() == 0 && header.has_descr && header.has_order && header.has_shape;
  }

private:
  char peek() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
    return text_.empty() ? 0 : text_.front();
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view wanted) {
    peek();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  bool string(std::string& out) {
    char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool integer(std::int64_t& out) {
    char c = peek();
    if (c < '0' || c > '9') return false;
    out = 0;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1))
      if (__builtin_mul_overflow(out, 10, &out) || __builtin_add_overflow(out, text_.front() - '0', &out))
        return false;
    return true;
  }
  bool shape(std::vector<std::int64_t>& out) {
    if (!take('(')) return false;
    while (!take(')')) {
      std::int64_t extent = 0;
      if (!integer(extent)) return false;
      take('L'); // Python 2 wrote it
      out.push_back(extent);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }
  // The text that np.dtype takes for fields: "[('x', '<f4'), ('n', '<i4', (2,)), ]".
  struct Dtype {
    std::string rows;
    bool is_writable = true; // no name has a quote or another character that would have to be escaped
    std::string text() const { return is_writable ? "[" + rows + "]" : ""; }
  };
  // fields = "[" (field ",")* "]"
  bool fields(Header& header, std::int64_t& at, std::string& dtype) {
    Dtype written;
    if (++depth_ > most_depth || !take('[')) return false;
    while (!take(']')) {
      if (!field(header, at, written)) return false;
      if (!take(',') && peek() != ']') return false;
    }
    --depth_;
    dtype = written.text();
    return true;
  }
  // field = "(" string "," (string | fields) ("," shape)? ")"
  bool field(Header& header, std::int64_t& at, Dtype& written) {
    std::string name, type, dtype;
    if (!take('(') || !string(name) || !take(',')) return false;
    const std::int64_t start = at;
    const std::size_t first = header.records.scalars.size();
    std::int64_t bytes = 0;
    bool is_gap = false;
    if (peek() == '[') {
      if (!fields(header, at, dtype)) return false;
    } else {
      if (!string(type)) return false;
      is_gap = name.empty() && is_padding(type, bytes);
      if (!is_gap) {
        Result<ScalarKind> kind = element_of(type);
        if (!kind && header.wrong.empty()) header.wrong = kind.error();
        header.records.scalars.emplace_back(at, kind ? *kind : ScalarKind::U8);
        bytes = bit_width(header.records.scalars.back().second) / 8;
        dtype = fmt::format("'{}'", type);
      }
      at += bytes;
    }
    std::vector<std::int64_t> extents;
    if (take(',') && peek() != ')' && !shape(extents)) return false;
    has_gaps_ = has_gaps_ || is_gap;
    if (!is_gap) {
      const std::string shape_text = extents.empty() ? "" : fmt::format(", ({},)", fmt::join(extents, ", "));
      written.rows += fmt::format("('{}', {}{}), ", name, dtype, shape_text);
      const bool is_plain = std::ranges::none_of(
          name, [](char c) { return c == '\'' || c == '\\' || static_cast<unsigned char>(c) < ' '; });
      written.is_writable = written.is_writable && is_plain && !dtype.empty();
    }
    std::int64_t count = 1, step = at - start;
    for (std::int64_t extent : extents)
      if (__builtin_mul_overflow(count, extent, &count) || count > most_scalars) return false;
    const std::size_t end = header.records.scalars.size();
    if ((end - first) * static_cast<std::size_t>(count) > most_scalars || step > most_scalars) return false;
    if (count == 0) header.records.scalars.resize(first);
    for (std::int64_t k = 1; k < count; ++k)
      for (std::size_t i = first; i < end; ++i) {
        const auto [place, kind] = header.records.scalars[i];
        header.records.scalars.emplace_back(place + k * step, kind);
      }
    at = start + count * step;
    return take(')');
  }
  // Says whether a field is the gap between two fields of an aligned layout: ('', '|V3').
  static bool is_padding(std::string_view type, std::int64_t& bytes) {
    if (!type.starts_with("|V")) return false;
    HeaderReader reader(type.substr(2));
    return reader.integer(bytes) && reader.peek() == 0 && bytes <= most_scalars;
  }
  // Reads the type of the elements, which is a list where they are records.
  bool elements(Header& header) {
    if (peek() != '[') return string(header.descr);
    const std::string_view before = text_;
    if (!fields(header, header.records.size, header.records.dtype)) return false;
    header.records.descr = before.substr(0, before.size() - text_.size());
    // Gaps are what an aligned layout leaves; one with places of its own is told by its size and the scalars' places.
    if (has_gaps_ && !header.records.dtype.empty()) header.records.dtype += ", align=True";
    return header.records.size > 0 && !header.records.scalars.empty();
  }
  bool value(const std::string& key, Header& header) {
    if (key == "descr") return header.has_descr = elements(header);
    if (key == "shape") return header.has_shape = shape(header.shape);
    if (key != "fortran_order") return false;
    header.fortran_order = word("True");
    return header.has_order = header.fortran_order || word("False");
  }

  static constexpr std::int64_t most_scalars = 1 << 20; // and bytes, of one record
  static constexpr int most_depth = 32;                 // of records in records
  std::string_view text_;
  int depth_ = 0;
  bool has_gaps_ = false;
};

} // namespace

static std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Returns the words that a kernel takes such records as: as wide as the widest scalar, or what divides their size.
static ScalarKind word_of(const NpyRecords& records) {
  std::int64_t word = 1;
  for (const auto& [place, kind] : records.scalars) {
    const Type type = types::scalar(kind);
    word = std::max(word, natural_alignment(type));
  }
  while (records.size % word != 0) word /= 2;
  return unsigned_kind(word);
}

Result<HostArray> read_npy(std::string_view bytes) {
  if (!bytes.starts_with("\x93NUMPY")) return failure("it is no .npy file: its first bytes are others");
  if (bytes.size() < 10) return failure("it ends within its header");
  int version = bytes[6];
  if (version < 1 || version > 3) return failure("its version is {}, and kernc reads 1 to 3", version);
  std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return failure("it ends within its header");
  std::size_t length = little_endian(bytes.substr(8, start - 8));
  if (length > bytes.size() - start) return failure("it ends within its header");
  std::string_view written = bytes.substr(start, length);
  Header header;
  if (!HeaderReader(written).read(header)) return failure("its header cannot be read");
  if (!header.wrong.empty()) return failure("{}", header.wrong);
  const bool has_records = !header.records.descr.empty();
  Result<ScalarKind> element = element_of(has_records ? "<u1" : header.descr);
  if (has_records) element = word_of(header.records);
  if (!element) return failure("{}", element.error());
  const bool is_point = header.shape.empty() && !has_records;
  if (header.shape.empty()) header.shape.push_back(1);
  if (has_records && header.fortran_order && header.shape.size() > 1)
    return failure("its records are in Fortran order: save it as `np.ascontiguousarray(x)`");
  if (has_records) header.shape.push_back(header.records.size * 8 / bit_width(*element));
  // The file's own size says how much there can be, before anything is allocated.
  std::string_view elements = bytes.substr(start + length);
  std::int64_t expected = bit_width(*element) / 8;
  for (std::int64_t extent : header.shape)
    if (__builtin_mul_overflow(expected, extent, &expected))
      return failure("its extents multiply to more than 64 bits");
  if (elements.size() < static_cast<std::uint64_t>(expected))
    return failure("it holds {} bytes of elements where its shape needs {}", elements.size(), expected);
  Result<HostArray> array =
      make_array(*element, header.shape, header.fortran_order && !has_records ? Order::Fortran : Order::C);
  if (!array) return array;
  array->is_point = is_point;
  array->records = std::move(header.records);
  std::memcpy(array->data(), elements.data(), array->bytes());
  array->may_be_bf16 = *element == ScalarKind::U16 && !has_records;
  return array;
}

static std::string_view descr_of(ScalarKind kind) {
  for (const Descr& known : descrs)
    if (known.kind == kind) return known.text;
  return "";
}

std::string record_descr(Type record) {
  std::string text;
  std::int64_t at = 0;
  auto pad = [&](std::int64_t to) {
    if (to > at) text += fmt::format("{}('', '|V{}')", text.empty() ? "" : ", ", to - at);
  };
  std::vector<const RecordField*> fields;
  for (const RecordField& field : record->record->fields) fields.push_back(&field);
  std::ranges::stable_sort(fields, {}, [](const RecordField* field) { return field->offset; });
  for (const RecordField* field : fields) {
    pad(field->offset);
    std::string type = is_record(field->type) ? record_descr(field->type)
                                              : fmt::format("'{}'", descr_of(field->type->scalar));
    std::string shape = field->extents.empty() ? "" : fmt::format(", ({},)", fmt::join(field->extents, ", "));
    text += fmt::format("{}('{}', {}{})", text.empty() ? "" : ", ", field->name, type, shape);
    at = size_in_memory(field->type);
    for (std::int64_t extent : field->extents) at *= extent;
    at += field->offset;
  }
  pad(record->record->size);
  return "[" + text + "]";
}

std::string write_npy(const HostArray& array) {
  std::string shape;
  const bool has_records = !array.records.descr.empty();
  const std::span<const std::int64_t> extents(array.extents.data(), array.extents.size() - has_records);
  if (!array.is_point)
    for (std::int64_t extent : extents) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
  if (extents.size() == 1 && !array.is_point) shape += ",";
  std::string descr = has_records ? array.records.descr : fmt::format("'{}'", descr_of(array.element));
  std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  constexpr std::size_t prefix = 10, multiple = 64;
  header.append(multiple - 1 - (prefix + header.size()) % multiple, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  std::int64_t size = array.size();
  bytes.reserve(bytes.size() + array.bytes());
  for (std::int64_t i = 0; i < size; ++i) bytes.append(array.at(i), array.element_bytes());
  return bytes;
}

} // namespace kern

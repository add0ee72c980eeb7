// NumPy's file format: a magic, a version, the length of a header, the header (a Python dictionary with three
// entries), the elements. The dictionary is read by hand: it may have its entries in any order, and nothing
// but literals.
#include <algorithm>
#include <cstring>

#include "compiler/driver/run/files.h"

namespace kern {

namespace {

struct Header {
  std::string descr;
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
  bool value(const std::string& key, Header& header) {
    if (key == "descr") return header.has_descr = string(header.descr);
    if (key == "shape") return header.has_shape = shape(header.shape);
    if (key != "fortran_order") return false;
    header.fortran_order = word("True");
    return header.has_order = header.fortran_order || word("False");
  }

  std::string_view text_;
};

struct Descr {
  std::string_view text;
  ScalarKind kind;
};

} // namespace

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

static std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
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
  std::size_t descr = written.find("'descr':");
  if (descr != std::string_view::npos &&
      written.substr(descr + 8).find_first_not_of(' ') != std::string_view::npos &&
      written[written.find_first_not_of(' ', descr + 8)] == '[')
    return failure(
        "its elements have fields, which kernc does not read yet: save each field as an array of its own");
  Header header;
  if (!HeaderReader(written).read(header)) return failure("its header cannot be read");
  Result<ScalarKind> element = element_of(header.descr);
  if (!element) return failure("{}", element.error());
  if (header.shape.empty()) header.shape.push_back(1); // an array of no axes holds one element
  // The file's own size says how much there can be, before anything is allocated.
  std::string_view elements = bytes.substr(start + length);
  std::int64_t expected = bit_width(*element) / 8;
  for (std::int64_t extent : header.shape)
    if (__builtin_mul_overflow(expected, extent, &expected))
      return failure("its extents multiply to more than 64 bits");
  if (elements.size() < static_cast<std::uint64_t>(expected))
    return failure("it holds {} bytes of elements where its shape needs {}", elements.size(), expected);
  Result<HostArray> array =
      make_array(*element, header.shape, header.fortran_order ? Order::Fortran : Order::C);
  if (!array) return array;
  std::memcpy(array->data(), elements.data(), array->bytes());
  array->may_be_bf16 = *element == ScalarKind::U16;
  return array;
}

static std::string_view descr_of(ScalarKind kind) {
  for (const Descr& known : descrs)
    if (known.kind == kind) return known.text;
  return "";
}

std::string write_npy(const HostArray& array) {
  std::string shape;
  for (std::int64_t extent : array.extents) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
  if (array.extents.size() == 1) shape += ",";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descr_of(array.element), shape);
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

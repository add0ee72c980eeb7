// The header is written as it lies in memory: entries do not travel between machines.
#include "runtime/cache/entry.h"

#include <cstring>

namespace kern::cache {

static constexpr std::uint32_t format_version = 1;
static constexpr char magic[8] = {'k', 'e', 'r', 'n', 'c', 'a', 'c', 'h'};

namespace {

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t text_bytes; // the description, behind the header
  std::uint64_t payload_bytes;
  Key key;
  Digest payload_hash;
  Digest header_hash; // of all that stands before it, and of the text
};
static_assert(sizeof(Header) == 120, "no byte of a header is left unwritten");

// The lines of a description, in their order.
struct Line {
  std::string_view name;
  std::string Description::* value;
};
constexpr Line lines[] = {{"kind", &Description::kind},
                          {"device", &Description::device},
                          {"made by", &Description::made_by},
                          {"source", &Description::source},
                          {"kernels", &Description::kernels}};

} // namespace

template <class T> static std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

Key make_key(std::initializer_list<std::string_view> parts) {
  Sha256 hash;
  hash.add(bytes_of(magic));
  hash.add(bytes_of(format_version));
  for (std::string_view part : parts) {
    std::uint64_t size = part.size();
    hash.add(bytes_of(size));
    hash.add(part);
  }
  return hash.finish();
}

static Digest header_hash(const Header& header, std::string_view text) {
  Sha256 hash;
  hash.add(bytes_of(header).substr(0, offsetof(Header, header_hash)));
  hash.add(text);
  return hash.finish();
}

static std::string write_text(const Description& description) {
  constexpr std::size_t longest = 4096; // a list of names may be of any length
  std::string text;
  for (const Line& line : lines) {
    text.append(line.name).append(": ");
    // A name could hold anything, and a line ends at its end.
    for (char c : (description.*line.value).substr(0, longest))
      text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    text += '\n';
  }
  return text;
}

static bool read_text(std::string_view text, Description& description) {
  for (const Line& line : lines) {
    std::size_t end = text.find('\n'), value = line.name.size() + 2;
    if (end == text.npos || end < value || !text.starts_with(line.name)) return false;
    description.*line.value = text.substr(value, end - value);
    text.remove_prefix(end + 1);
  }
  return text.empty();
}

std::string encode(const Key& key, const Description& description, std::string_view payload) {
  std::string text = write_text(description);
  Header header{
      {}, format_version, static_cast<std::uint32_t>(text.size()), payload.size(), key, sha256(payload), {}};
  std::memcpy(header.magic, magic, sizeof magic);
  header.header_hash = header_hash(header, text);
  std::string bytes;
  bytes.reserve(sizeof header + text.size() + payload.size());
  return bytes.append(bytes_of(header)).append(text).append(payload);
}

std::optional<Entry> decode(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.version != format_version)
    return std::nullopt;
  if (header.text_bytes > bytes.size() || header.payload_bytes != bytes.size() - header.text_bytes)
    return std::nullopt;
  std::string_view text = bytes.substr(0, header.text_bytes), payload = bytes.substr(header.text_bytes);
  Entry entry{header.key, {}, payload};
  if (header.header_hash != header_hash(header, text) || header.payload_hash != sha256(payload) ||
      !read_text(text, entry.description))
    return std::nullopt;
  return entry;
}

} // namespace kern::cache

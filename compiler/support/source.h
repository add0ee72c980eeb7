// Source files and places in them. Every later form carries spans; only rendering turns them into lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kern {

enum class FileId : std::uint32_t {};

// A half-open range of bytes in one file.
struct Span {
  FileId file{};
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

// Returns the smallest span that covers both; they are of one file.
inline Span cover(Span first, Span last) { return {first.file, first.begin, last.end}; }

// A place as people write it: line and column count from 1, the column in Unicode code points.
struct Location {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct SourceFile {
  std::string name; // as the user wrote it
  std::string text;
  std::vector<std::uint32_t> line_starts;
};

// Names that begin with `from` begin with `to` where outputs store them.
struct PrefixMapping {
  std::string from, to;
};

// Owns every file of one compilation; FileId 0 is the first one added.
class SourceManager {
public:
  // Sets how outputs name files; of several mappings that fit, the last one counts.
  void set_prefix_map(std::vector<PrefixMapping> mappings) { prefix_map_ = std::move(mappings); }
  // Returns a file's name for what is written to an output; messages give the name itself.
  std::string stored_name(FileId id) const;
  // Adds a file and returns its id; `text` is taken as it is.
  FileId add(std::string name, std::string text);
  // Returns a file by its id.
  const SourceFile& file(FileId id) const { return *files_[static_cast<std::size_t>(id)]; }
  // Returns how many files there are.
  std::size_t size() const { return files_.size(); }
  // Returns the line and column at which a span begins.
  Location locate(Span span) const;
  // Returns the bytes that a span covers.
  std::string_view text(Span span) const;
  // Returns the whole line (without its end) that holds a byte offset.
  std::string_view line_text(FileId file, std::uint32_t offset) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files_;
  std::vector<PrefixMapping> prefix_map_;
};

} // namespace kern

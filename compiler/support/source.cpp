// Lines are found once, when a file is added, so that a place costs a binary search.
#include "compiler/support/source.h"

#include <algorithm>

#include "compiler/support/utf8.h"

namespace kern {

static std::size_t line_index(const SourceFile& file, std::uint32_t offset) {
  auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), offset);
  return static_cast<std::size_t>(after - file.line_starts.begin()) - 1;
}

FileId SourceManager::add(std::string name, std::string text) {
  auto file = std::make_unique<SourceFile>(SourceFile{std::move(name), std::move(text), {0}});
  for (std::uint32_t offset = 0; offset < file->text.size(); ++offset)
    if (file->text[offset] == '\n') file->line_starts.push_back(offset + 1);
  files_.push_back(std::move(file));
  return FileId(files_.size() - 1);
}

std::string SourceManager::stored_name(FileId id) const {
  const std::string& name = file(id).name;
  for (auto mapping = prefix_map_.rbegin(); mapping != prefix_map_.rend(); ++mapping)
    if (name.starts_with(mapping->from)) return mapping->to + name.substr(mapping->from.size());
  return name;
}

Location SourceManager::locate(Span span) const {
  const SourceFile& source = file(span.file);
  std::size_t line = line_index(source, span.begin);
  std::uint32_t start = source.line_starts[line];
  std::string_view before = std::string_view(source.text).substr(start, span.begin - start);
  return {source.name, static_cast<std::uint32_t>(line + 1),
          static_cast<std::uint32_t>(count_code_points(before) + 1)};
}

std::string_view SourceManager::text(Span span) const {
  return std::string_view(file(span.file).text).substr(span.begin, span.end - span.begin);
}

std::string_view SourceManager::line_text(FileId id, std::uint32_t offset) const {
  const SourceFile& source = file(id);
  std::uint32_t start = source.line_starts[line_index(source, offset)];
  std::string_view rest = std::string_view(source.text).substr(start);
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

} // namespace kern

// Looking at an entry does not count as a use of it.
#include "runtime/cache/inspect.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/cache/folder.h"

namespace kern::cache {

static std::optional<Description> describe(const File& folder, const std::string& name) {
  std::string why;
  std::optional<std::string> bytes = read_private(folder, name, false, why);
  std::optional<Entry> entry = bytes ? decode(*bytes) : std::nullopt;
  // A whole entry under the name of another is none.
  if (!entry || file_name(entry->key) != name) return std::nullopt;
  return std::move(entry->description);
}

std::vector<Listed> list(const std::string& path, bool read, std::string& why) {
  std::vector<Listed> rows;
  File folder = open_folder(path, false, why);
  if (!folder) return rows;
  for (FileInfo& file : list_files(folder)) {
    Listed row{std::move(file.name), file.bytes, file.used.tv_sec, file.temporary, {}};
    if (read && !row.temporary) row.description = describe(folder, row.name);
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Listed& left, const Listed& right) {
    return left.used != right.used ? left.used > right.used : left.name < right.name;
  });
  return rows;
}

std::vector<Listed> clear(const std::string& path, std::string& why) {
  std::vector<Listed> rows = list(path, false, why), gone;
  File folder = why.empty() ? open_folder(path, false, why) : File();
  if (!folder) return gone;
  for (Listed& row : rows)
    if (unlinkat(folder.get(), row.name.c_str(), 0) == 0)
      gone.push_back(std::move(row));
    else if (errno != ENOENT)
      why = "cannot be cleared: " + std::string(std::strerror(errno));
  return gone;
}

} // namespace kern::cache

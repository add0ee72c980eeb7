// Writes files so that a reader sees the old one or the whole new one, never a part: beside the target, then
// renamed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kern {

// Files that are written together: nothing changes on disk before commit().
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  // Removes what was not committed.
  ~OutputFiles();
  // Writes a file beside `path`; returns why it cannot, or "".
  std::string add(const std::string& path, std::string_view bytes);
  // Gives every file its name; returns why it cannot (naming the file in `failed`), or "".
  std::string commit(std::string& failed);

private:
  struct File {
    std::string path, temporary;
  };
  std::vector<File> files_;
};

} // namespace kern

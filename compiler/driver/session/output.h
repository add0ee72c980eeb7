// Writes files so that a reader sees the old one or the whole new one, never a part: beside the target, then
// renamed; and the standard output so that what could not be written is known.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
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
  // Says that a file is read, so that none written may be it.
  void read(const std::string& path) { known_.emplace_back(path, "is read"); }
  // Writes a file beside `path`; returns why it cannot, or "". No file is written twice, by whatever names.
  std::string add(const std::string& path, std::string_view bytes);
  // Gives every file its name; returns why it cannot (naming the file in `failed`), or "".
  std::string commit(std::string& failed);

private:
  struct File {
    std::string path, temporary;
  };
  std::vector<File> files_;
  std::vector<std::pair<std::string, std::string_view>> known_; // paths, and what becomes of them
};

// Writes to a descriptor. Once that fails, each sync() fails with the `errno` of that time.
class DescriptorBuffer : public std::streambuf {
public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}

protected:
  int sync() override;
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

private:
  int descriptor_, error_ = 0;
  std::string pending_;
};

} // namespace kern

// The folder of the cache and its files, as the system has them: who may write there, what lies there. Every
// function is one that may fail, because the machine may say no.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cache/entry.h"

namespace kern::cache {

// An open file or folder, or none.
class File {
public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

private:
  int descriptor_;
};

// The most that one entry may have.
inline constexpr std::int64_t most_entry_bytes = std::int64_t(1) << 30;

// Opens the folder, made with its parents where `create` says so. Nothing, with why, where it cannot be
// opened or where others could have put something into it; nothing without a reason where it does not exist.
File open_folder(const std::string& path, bool create, std::string& why);

// Reads a file that only this user can have written. Nothing, with why, where it is not such a file; nothing
// without a reason where there is none. What is read counts as used now if `touch` says so.
std::optional<std::string> read_private(const File& folder, const std::string& name, bool touch,
                                        std::string& why);

// Returns the file name of an entry.
std::string file_name(const Key& key);

// A file of the cache in its folder.
struct FileInfo {
  std::string name;
  std::uint64_t bytes;
  timespec used;  // when it was last stored or found
  bool temporary; // of a store that is under way, or that was cut short
};

// Lists the files that are the cache's, by their names; others are left alone.
std::vector<FileInfo> list_files(const File& folder);

// Names of temporary files begin with this.
inline constexpr std::string_view temporary_prefix = ".new-";

} // namespace kern::cache

// Files are opened first and looked at through what was opened, so that nobody can put another one into their
// place in between.
#include "runtime/cache/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace kern::cache {

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

// Says who else could have written there; empty: nobody.
static std::string stranger(const struct stat& status) {
  if (status.st_uid != geteuid())
    return "belongs to user " + std::to_string(status.st_uid) + ", and this is user " +
           std::to_string(geteuid());
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return "can be written by others (chmod go-w)";
  return "";
}

static void make_folders(const std::string& path) {
  constexpr mode_t own = 0700;
  for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), own);
  mkdir(path.c_str(), own);
}

File open_folder(const std::string& path, bool create, std::string& why) {
  if (create) make_folders(path);
  File folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (!folder) {
    int error = errno;
    bool link = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
    if (link)
      why = "is a symbolic link";
    else if (error != ENOENT || create)
      why = std::string("cannot be opened: ") + std::strerror(error);
    return folder;
  }
  why = fstat(folder.get(), &status) == 0 ? stranger(status) : std::strerror(errno);
  return why.empty() ? std::move(folder) : File();
}

static bool read_all(int file, std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::string> read_private(const File& folder, const std::string& name, bool touch,
                                        std::string& why) {
  // Without O_NONBLOCK a pipe under that name would hang the program.
  File file(openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file) {
    if (errno == ELOOP)
      why = "is a symbolic link";
    else if (errno != ENOENT)
      why = std::string("cannot be opened: ") + std::strerror(errno);
    return std::nullopt;
  }
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    why = "is no file";
    return std::nullopt;
  }
  why = stranger(status);
  // No entry is nearly as large; memory for it would not be there.
  if (why.empty() && status.st_size > most_entry_bytes) why = "is too large";
  if (!why.empty()) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_all(file.get(), bytes)) {
    why = "cannot be read";
    return std::nullopt;
  }
  if (touch) futimens(file.get(), nullptr);
  return bytes;
}

static constexpr std::string_view suffix = ".kern";

std::string file_name(const Key& key) {
  constexpr char digits[] = "0123456789abcdef";
  std::string name;
  for (std::uint8_t byte : key) {
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name.append(suffix);
}

static bool is_entry_name(std::string_view name) {
  return name.size() == 2 * sizeof(Key) + suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789abcdef") == 2 * sizeof(Key);
}

std::vector<FileInfo> list_files(const File& folder) {
  std::vector<FileInfo> files;
  int copy = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> list(copy < 0 ? nullptr : fdopendir(copy), closedir);
  if (!list && copy >= 0) close(copy);
  if (!list) return files;
  while (const dirent* row = readdir(list.get())) {
    std::string name = row->d_name;
    bool temporary = name.starts_with(temporary_prefix);
    struct stat status;
    if (!temporary && !is_entry_name(name)) continue;
    if (fstatat(folder.get(), row->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back({std::move(name), static_cast<std::uint64_t>(status.st_size), status.st_mtim, temporary});
  }
  return files;
}

} // namespace kern::cache

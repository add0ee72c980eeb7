// The temporary is made with a name that nobody else has, in the target's folder, because rename works only
// within one file system. A target that is no plain file (/dev/null, a pipe) is written directly.
#include "compiler/driver/session/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace kern {

OutputFiles::~OutputFiles() {
  for (const File& file : files_) unlink(file.temporary.c_str());
}

static bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

static std::string write_directly(const std::string& path, std::string_view bytes) {
  int descriptor = open(path.c_str(), O_WRONLY);
  if (descriptor < 0) return std::strerror(errno);
  bool written = write_all(descriptor, bytes);
  int error = errno;
  close(descriptor);
  return written ? "" : std::strerror(error);
}

// Says whether two paths are one file, which may not be there yet; what is no plain file may be written twice.
static bool are_same(const std::string& left, const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(left, ignored) || fs::exists(right, ignored))
    return fs::is_regular_file(left, ignored) && fs::equivalent(left, right, ignored);
  const fs::path a = fs::absolute(left, ignored), b = fs::absolute(right, ignored);
  return a.filename() == b.filename() && fs::equivalent(a.parent_path(), b.parent_path(), ignored);
}

std::string OutputFiles::add(const std::string& path, std::string_view bytes) {
  for (const auto& [other, what] : known_)
    if (are_same(path, other))
      return path == other ? "it " + std::string(what) : "it is `" + other + "`, which " + std::string(what);
  known_.emplace_back(path, "is written already");
  struct stat status;
  bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return std::strerror(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, bytes);
  std::string temporary = path + ".XXXXXX";
  int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return std::strerror(errno);
  // mkstemp makes it private; the file gets the rights that any new one has.
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, exists ? status.st_mode & 07777 : 0666 & ~mask);
  bool written = write_all(descriptor, bytes);
  int error = errno;
  if (close(descriptor) != 0 && written) {
    written = false;
    error = errno;
  }
  files_.push_back({path, temporary});
  return written ? "" : std::strerror(error);
}

std::string OutputFiles::commit(std::string& failed) {
  while (!files_.empty()) {
    const File& file = files_.back();
    if (rename(file.temporary.c_str(), file.path.c_str()) != 0) {
      failed = file.path;
      return std::strerror(errno);
    }
    files_.pop_back();
  }
  return "";
}

int DescriptorBuffer::sync() {
  if (error_ == 0 && !write_all(descriptor_, pending_)) error_ = errno;
  pending_.clear();
  errno = error_;
  return error_ == 0 ? 0 : -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  const char byte = traits_type::to_char_type(c);
  return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&byte, 1) == 1 ? traits_type::not_eof(c)
                                                                                  : traits_type::eof();
}

std::streamsize DescriptorBuffer::xsputn(const char* bytes, std::streamsize count) {
  constexpr std::size_t most = 1 << 16;
  pending_.append(bytes, static_cast<std::size_t>(count));
  return pending_.size() < most || sync() == 0 ? count : 0;
}

} // namespace kern

// Module a.b is the file a/b.kern, a/b.py, or a/b/__init__.py. A leading dot (a relative import) looks beside
// the importer only. Others are looked for beside the importer, in the folders of -I, then where the package
// stands that the importer is a part of.
#include "compiler/driver/session/modules.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "compiler/support/limits.h"

namespace kern {

static constexpr std::string_view stdlib_prefix = library_importer;

static std::optional<std::string> fail(std::string& why, int error) {
  why = std::strerror(error);
  return std::nullopt;
}

std::optional<std::string> read_file(const std::string& path, std::string& why, std::size_t most) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return fail(why, errno);
  struct stat status;
  if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) return fail(why, EISDIR);
  std::string text;
  char buffer[1 << 16];
  while (std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > most) return fail(why, EFBIG);
  }
  if (std::ferror(file.get())) return fail(why, errno);
  return text;
}

std::optional<FoundFile> find_in_stdlib(const std::string& module, const std::string&) {
  for (const StdlibFile& file : stdlib_files())
    if (file.module == module)
      return FoundFile{fmt::format("{}{}.kern", stdlib_prefix, module), std::string(file.text), true};
  return std::nullopt;
}

std::optional<FoundFile> find_by_scheme(std::string_view words) {
  if (!words.starts_with(stdlib_scheme)) return std::nullopt;
  return find_in_stdlib(std::string(words.substr(stdlib_scheme.size())), "");
}

std::string no_stdlib_module() {
  std::string names;
  for (const StdlibFile& file : stdlib_files())
    names += (names.empty() ? "" : ", ") + std::string(stdlib_scheme) + std::string(file.module);
  return "the standard library has " + names;
}

bool is_stdlib_name(std::string_view name) { return name.starts_with(stdlib_prefix); }

// The files that may be a module, the first that is there counts.
static std::vector<std::string> candidates(const std::string& folder, std::string_view relative) {
  // `from . import a` asks for the package of the folder itself.
  if (relative.empty()) return {folder + "__init__.py"};
  std::vector<std::string> paths;
  for (std::string_view suffix : {".kern", ".py", "/__init__.py"})
    paths.push_back(folder + std::string(relative) + std::string(suffix));
  return paths;
}

static std::optional<FoundFile> find_in_folder(const std::string& folder, std::string_view relative) {
  for (const std::string& path : candidates(folder, relative)) {
    std::string why;
    // One byte more than the limit, so that the phase which reports the limit sees that it is passed.
    if (std::optional<std::string> text = read_file(path, why, limits::source_bytes + 1))
      return FoundFile{path, std::move(*text)};
  }
  return std::nullopt;
}

// a/b/c.kern -> a/b/
static std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Returns the one name that a file has: from the current folder where it is relative, without `.` and `..` that can be left
// out. Else files that import each other, up and down again, would be new ones for ever. As in Python `..` goes back by name.
static std::string name_of_file(const std::string& found) {
  if (found.find("./") == std::string::npos) return found;
  std::filesystem::path path = std::filesystem::path(found).lexically_normal();
  std::error_code none;
  if (path.is_absolute()) return path.string();
  std::filesystem::path here = std::filesystem::current_path(none);
  return none ? path.string() : (here / path).lexically_normal().lexically_relative(here).string();
}

static std::optional<FoundFile> find_on_disk_in(const std::string& folder, std::string_view relative) {
  std::optional<FoundFile> found = find_in_folder(folder, relative);
  if (found) found->name = name_of_file(found->name);
  return found;
}

// The path of a module: the steps that lead up from the importer, and its path from there.
struct ModulePath {
  std::string up;
  std::string relative;
  bool is_relative = false; // begins with a dot
};

static ModulePath path_of(const std::string& module) {
  std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
  ModulePath path{"", module.substr(dots), dots > 0};
  for (char& c : path.relative)
    if (c == '.') c = '/';
  for (std::size_t up = 1; up < dots; ++up) path.up += "../";
  return path;
}

// Finds a module whose package the importer is a part of, by the package's name: `package.tools` of package/inner/a.py.
// Python finds it where the program was started.
static std::optional<FoundFile> find_in_own_package(const std::string& importer, const ModulePath& path) {
  const std::string_view package = std::string_view(path.relative).substr(0, path.relative.find('/'));
  std::error_code none;
  std::string up;
  std::filesystem::path folder = std::filesystem::absolute(importer, none).lexically_normal().parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    up += "../";
    if (folder.filename() != package) continue;
    if (std::optional<FoundFile> found = find_on_disk_in(folder_of(importer) + up, path.relative))
      return found;
  }
  return std::nullopt;
}

FindModule find_on_disk(std::vector<std::string> include_dirs) {
  for (std::string& folder : include_dirs)
    if (!folder.ends_with('/')) folder += '/';
  return [folders = std::move(include_dirs)](const std::string& module,
                                             const std::string& importer) -> std::optional<FoundFile> {
    if (is_stdlib_name(importer)) return find_in_stdlib(module, importer);
    ModulePath path = path_of(module);
    if (auto found = find_on_disk_in(folder_of(importer) + path.up, path.relative)) return found;
    if (path.is_relative) return std::nullopt;
    for (const std::string& folder : folders)
      if (std::optional<FoundFile> found = find_on_disk_in(folder, path.relative)) return found;
    if (std::optional<FoundFile> found = find_in_own_package(importer, path)) return found;
    return find_in_stdlib(module, importer);
  };
}

FindModule remember_found(FindModule find) {
  auto known = std::make_shared<std::map<std::string, std::optional<FoundFile>>>();
  return [find = std::move(find), known](const std::string& module, const std::string& importer) {
    auto [place, is_new] = known->try_emplace(folder_of(importer) + '\n' + module);
    if (is_new) place->second = find(module, importer);
    return place->second;
  };
}

// A path without `.`, and without `..` where it can be.
static std::string normal(const std::filesystem::path& path) { return path.lexically_normal().string(); }

std::string path_of_file(const std::string& name) {
  if (name.ends_with(".kern") || name.ends_with(".py")) return normal(name);
  return path_of(name).relative + ".kern";
}

namespace {

// The files and folders that the modules of a program which embeds the compiler come from.
struct Places {
  std::vector<FoundFile> files;
  std::vector<std::string> folders;

  // The root of these files is the empty path.
  std::optional<FoundFile> find_file(const std::string& folder, const std::string& relative) const {
    const bool is_root = folder == "." || folder == "./";
    for (const std::string& path : candidates(is_root ? "" : folder, relative))
      for (const FoundFile& file : files)
        if (file.name == path) return file;
    return std::nullopt;
  }

  std::optional<FoundFile> operator()(const std::string& module, const std::string& importer) const {
    if (is_stdlib_name(importer)) return find_in_stdlib(module, importer);
    ModulePath path = path_of(module);
    std::string beside = normal(folder_of(importer) + path.up);
    if (auto found = find_file(beside, path.relative)) return found;
    for (const std::string& folder : folders) {
      if (!importer.starts_with(folder) || !beside.starts_with(folder)) continue;
      if (auto found = find_in_folder(beside, path.relative)) return found;
    }
    if (path.is_relative) return std::nullopt;
    if (auto found = find_file("", path.relative)) return found;
    for (const std::string& folder : folders)
      if (auto found = find_in_folder(folder, path.relative)) return found;
    return find_in_stdlib(module, importer);
  }
};

} // namespace

FindModule find_in_folders(std::vector<std::string> folders, std::vector<FoundFile> files) {
  for (std::string& folder : folders) folder = normal(folder + "/");
  return Places{std::move(files), std::move(folders)};
}

} // namespace kern

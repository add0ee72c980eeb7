// Finds imported files: beside the importer, in the -I folders, in the stdlib that is part of the compiler.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/check/load.h"

namespace kern {

// A file of stdlib/, embedded when the compiler is built.
struct StdlibFile {
  std::string_view module;
  std::string_view text;
};
std::span<const StdlibFile> stdlib_files();

// Returns a file's bytes, or why they cannot be read (files over `most` bytes are refused).
std::optional<std::string> read_file(const std::string& path, std::string& why, std::size_t most);

// Finds a file of the stdlib by what names it in place of a file or a source: "std:reduce".
inline constexpr std::string_view stdlib_scheme = "std:";
std::optional<FoundFile> find_by_scheme(std::string_view words);
// Says which there are, to somebody who asked for another one.
std::string no_stdlib_module();
// Finds a module in the stdlib only.
std::optional<FoundFile> find_in_stdlib(const std::string& module, const std::string& importer);
// Returns what finds a module on disk, then in the stdlib.
FindModule find_on_disk(std::vector<std::string> include_dirs);
// Returns what looks for a module from each folder once, for programs that share files.
FindModule remember_found(FindModule find);
// Returns what finds a module among these files, in these folders or the stdlib and nowhere else, whatever an
// untrusted source imports: not beside a root that lies elsewhere, and not by `from ..outside`. The files are
// no disk's: their names are paths from a root of their own, which is one more folder, and the first.
FindModule find_in_folders(std::vector<std::string> folders, std::vector<FoundFile> files = {});
// Returns the path by which such a file is found: a dotted name is that of its module.
std::string path_of_file(const std::string& name);
// Says whether a file's name is that of a file of the stdlib, which is not on disk.
bool is_stdlib_name(std::string_view name);

} // namespace kern

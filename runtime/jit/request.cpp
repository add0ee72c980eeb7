// Checks and copies what a caller of the C interface gives: nothing may be read later, and older callers know
// fewer options.
#include "runtime/jit/request.h"

#include <cstddef>
#include <cstring>

#include "compiler/driver/session/modules.h"
#include "runtime/api/error.h"

namespace kern::jit {

[[noreturn]] static void refuse(const std::string& what) {
  runtime::fail(KERN_ARGUMENT_ERROR, what + " is a null pointer");
}

static std::vector<std::string> list_of(const kern_texts& texts, const char* what) {
  if (!texts.data && texts.count > 0) refuse(std::string("the list of ") + what);
  std::vector<std::string> list;
  for (std::uint64_t i = 0; i < texts.count; ++i) {
    if (!texts.data[i]) refuse(std::string("one of the ") + what);
    list.emplace_back(texts.data[i]);
  }
  return list;
}

// Copies as much of the options as their writer knows.
static kern_compile_options known_options(const kern_compile_options* options) {
  kern_compile_options known{};
  if (!options) return known;
  constexpr std::size_t least = offsetof(kern_compile_options, name);
  if (options->struct_size < least)
    runtime::fail(KERN_ARGUMENT_ERROR, "struct_size of kern_compile_options is " +
                                           std::to_string(options->struct_size) +
                                           ": set it to sizeof(kern_compile_options)");
  std::memcpy(&known, options, std::min<std::size_t>(options->struct_size, sizeof known));
  return known;
}

static std::string import_path(const std::string& name, const Request& request) {
  std::string path = path_of_file(name);
  if (name.empty() || is_stdlib_name(path))
    runtime::fail(KERN_ARGUMENT_ERROR,
                  "an import is called `" + name +
                      "`: give the name of a file, `shared.kern`, or of a module, `shared`");
  for (const auto& [known, text] : request.imports)
    if (known == path)
      runtime::fail(KERN_ARGUMENT_ERROR, "two imports are the file `" + path + "`: give each one name");
  return path;
}

Request make_request(const char* source, std::uint64_t bytes, const kern_compile_options* options) {
  const kern_compile_options known = known_options(options);
  if (!source && bytes > 0) refuse("the source");
  if (!known.imports && known.import_count > 0) refuse("the list of imports");
  if (known.dialect > KERN_DIALECT_NUMBA)
    runtime::fail(KERN_ARGUMENT_ERROR, "there is no dialect " + std::to_string(known.dialect));
  Request request;
  request.name = known.name ? known.name : "<source>";
  if (bytes > 0) request.source.assign(source, bytes);
  request.defines = list_of(known.defines, "defines");
  request.signatures = list_of(known.signatures, "signatures");
  request.folders = list_of(known.folders, "folders");
  request.words = list_of(known.options, "options");
  for (std::uint64_t i = 0; i < known.import_count; ++i) {
    const kern_source& file = known.imports[i];
    if (!file.name) refuse("the name of an import");
    if (!file.text && file.bytes > 0) refuse("the text of an import");
    request.imports.emplace_back(import_path(file.name, request),
                                 file.bytes > 0 ? std::string(file.text, file.bytes) : "");
  }
  request.dialect = known.dialect;
  request.debug = known.debug != 0;
  request.clamp = known.clamp != 0;
  request.cancellable = known.cancellable != 0;
  return request;
}

} // namespace kern::jit

// The C interface of the library's algorithms.
#include "kern/algorithms.h"

#include <algorithm>
#include <cstring>

#include "runtime/algorithms/algorithm.h"
#include "runtime/algorithms/handles.h"
#include "runtime/api/handles.h"

using namespace kern;
using runtime::guarded;

static std::vector<std::string> list_of(const kern_texts& texts, const char* what) {
  if (texts.count > 0 && !texts.data) runtime::refuse_null(what);
  std::vector<std::string> list;
  for (std::uint64_t i = 0; i < texts.count; ++i) {
    if (!texts.data[i]) runtime::refuse_null(what);
    list.emplace_back(texts.data[i]);
  }
  return list;
}

static algorithms::CallSettings settings_of(const kern_algorithm_settings* given) {
  kern_algorithm_settings known{};
  if (given) std::memcpy(&known, given, std::min<std::size_t>(given->struct_size, sizeof known));
  algorithms::CallSettings settings;
  settings.settings = algorithms::Settings(list_of(known.settings, "the settings of an algorithm"));
  settings.folders = list_of(known.folders, "the folders of an algorithm");
  if (known.source_count > 0 && !known.sources) runtime::refuse_null("the sources of an algorithm");
  for (std::uint64_t i = 0; i < known.source_count; ++i) {
    const kern_source& source = known.sources[i];
    if (!source.name || (!source.text && source.bytes > 0)) runtime::refuse_null("a source of an algorithm");
    algorithms::SourceFile file{source.name, source.bytes > 0 ? std::string(source.text, source.bytes) : ""};
    // Two settings may name one file.
    if (std::ranges::find(settings.files, file) == settings.files.end())
      settings.files.push_back(std::move(file));
  }
  return settings;
}

kern_error* kern_algorithm(const char* name, const kern_algorithm_settings* settings,
                           const kern_launch_options* options, const kern_argument* arguments,
                           std::uint64_t count, kern_event** event) {
  return guarded([&] {
    if (!name) runtime::refuse_null("the name of an algorithm");
    if (count > 0 && !arguments) runtime::refuse_null("the arguments of an algorithm");
    const algorithms::Algorithm* found = algorithms::find_algorithm(name);
    if (!found)
      runtime::fail(KERN_ARGUMENT_ERROR, "there is no algorithm `" + std::string(name) + "`: there are " +
                                             algorithms::algorithm_names());
    algorithms::call(*found, settings_of(settings), algorithms::whole_options(options),
                     {arguments, arguments + count}, event);
  });
}

// A source's own words come into a header as comments and names; neither may end the other.
#include "compiler/driver/aot/header_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/aot/names.h"
#include "compiler/driver/aot/records.h"

namespace kern {

std::string in_comment(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return text;
}

// The later lines of a docstring lose their indentation.
std::string doc_comment(const Manifest& manifest, const ManifestKernel& kernel, const std::string& indent) {
  std::string text, line;
  std::size_t from = 0;
  while (from < kernel.doc.size()) {
    std::size_t end = std::min(kernel.doc.find('\n', from), kernel.doc.size());
    line = kernel.doc.substr(from, end - from);
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\\' || line.back() == '\r'))
      line.pop_back();
    if (!line.empty() || end < kernel.doc.size())
      text += indent + "///" + (line.empty() ? "" : " ") + in_comment(line) + "\n";
    from = end + 1;
  }
  std::string types;
  for (const SourceParam& param : source_params(manifest, kernel)) {
    std::string axes;
    const bool contiguous = param.param->contiguous && !param.record;
    for (std::uint32_t axis = 0; axis < param.rank; ++axis)
      axes += std::string(axis > 0 ? ", " : "") + (contiguous && axis + 1 == param.rank ? "::1" : ":");
    types += fmt::format("{}{}: {}{}", types.empty() ? "" : ", ", param.name,
                         param.record ? param.record->name : param.param->type,
                         axes.empty() ? "" : "[" + axes + "]");
  }
  return text + fmt::format("{}/// {}({})\n", indent, kernel.name, types);
}

std::string header_banner(const std::string& file, const std::string& language) {
  return fmt::format("// The kernels of {} as {} functions. Made by kernc: changes here are lost.\n"
                     "// What kernc makes of a source belongs to whoever the source belongs to; Kern lays no "
                     "terms on it. The\n"
                     "// words that come from Kern itself may be kept in any form under\n"
                     "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n",
                     file, language);
}

void hide_macros(const std::set<std::string>& names, std::string& before, std::string& behind) {
  for (const std::string& name : names) {
    if (!may_be_macro(name)) continue;
    before += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
    behind += fmt::format("#pragma pop_macro(\"{}\")\n", name);
  }
  if (!before.empty()) before += "\n", behind = "\n" + behind;
}

} // namespace kern

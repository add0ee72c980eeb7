// A class holds the kernels of one device, and a free function each finds it by the launch's device. Kernels
// that differ only in what C++ types do not show (a contiguous array) get names of their own.
#include "compiler/driver/aot/header.h"

#include <fmt/format.h>

#include <map>

#include "compiler/driver/aot/object.h"

namespace kern {

namespace {

struct HeaderKernel {
  const ManifestKernel* kernel;
  std::string name;      // in C++
  std::string params;    // "float a, kern::Argument<const float, 1> x"
  std::string arguments; // "a, x"
  std::string signature; // "void(float, kern::View<const float, 1>)"
};

std::string_view cpp_type(const std::string& type) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"bool", "bool"},         {"i8", "std::int8_t"},          {"i16", "std::int16_t"},
      {"i32", "std::int32_t"},  {"i64", "std::int64_t"},        {"u8", "std::uint8_t"},
      {"u16", "std::uint16_t"}, {"u32", "std::uint32_t"},       {"u64", "std::uint64_t"},
      {"f16", "kern::f16"},     {"bf16", "kern::bf16"},         {"f32", "float"},
      {"f64", "double"},        {"c64", "std::complex<float>"}, {"c128", "std::complex<double>"}};
  for (const auto& [name, cpp] : names)
    if (name == type) return cpp;
  return "void";
}

HeaderKernel header_kernel(const ManifestKernel& kernel, std::map<std::string, int>& taken) {
  HeaderKernel result{&kernel, cpp_identifier(kernel.name), "", "", ""};
  for (const ManifestParam& param : kernel.params) {
    std::string name = cpp_identifier(param.name);
    std::string type(cpp_type(param.type)), bound = type;
    if (param.rank > 0) {
      if (!param.written) type = "const " + type;
      bound = fmt::format("kern::View<{}, {}>", type, param.rank);
      type = fmt::format("kern::Argument<{}, {}>", type, param.rank);
    }
    result.params +=
        fmt::format(", {}{} {}", param.rank > 0 ? "const " : "", type + (param.rank > 0 ? "&" : ""), name);
    result.arguments += ", " + name;
    result.signature += (result.signature.empty() ? "" : ", ") + bound;
  }
  result.signature = "void(" + result.signature + ")";
  static constexpr std::string_view own[] = {"Kernels", "load", "module"};
  for (std::string_view name : own)
    if (result.name == name) result.name += "_";
  int& count = taken[result.name + result.signature];
  if (count++ > 0) result.name = cpp_identifier(kernel.symbol);
  return result;
}

// The docstring with the indentation of its later lines taken away, each line after `indent` and "///".
std::string doc_comment(const HeaderKernel& header, const std::string& indent) {
  const ManifestKernel& kernel = *header.kernel;
  std::string text, line;
  std::size_t from = 0;
  while (from < kernel.doc.size()) {
    std::size_t end = std::min(kernel.doc.find('\n', from), kernel.doc.size());
    line = kernel.doc.substr(from, end - from);
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\\' || line.back() == '\r'))
      line.pop_back();
    if (!line.empty() || end < kernel.doc.size())
      text += indent + "///" + (line.empty() ? "" : " ") + line + "\n";
    from = end + 1;
  }
  std::string types;
  for (const ManifestParam& param : kernel.params) {
    std::string axes;
    for (std::uint32_t axis = 0; axis < param.rank; ++axis)
      axes += std::string(axis > 0 ? ", " : "") + (param.contiguous && axis + 1 == param.rank ? "::1" : ":");
    types += fmt::format("{}{}: {}{}", types.empty() ? "" : ", ", param.name, param.type,
                         axes.empty() ? "" : "[" + axes + "]");
  }
  return text + fmt::format("{}/// {}({})\n", indent, kernel.name, types);
}

std::string class_text(const std::vector<HeaderKernel>& kernels) {
  std::string text = "  explicit Kernels(const kern::Module& module)\n      : module_(module)";
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += fmt::format(",\n        kernel_{}_(module.kernel<{}>(\"{}\"))", i, kernels[i].signature,
                        kernels[i].kernel->symbol);
  text += " {}\n\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const HeaderKernel& kernel = kernels[i];
    text += doc_comment(kernel, "  ");
    text += fmt::format(
        "  kern::Event {}(const kern::Launch& launch{}) const {{ return kernel_{}_(launch{}); }}\n",
        kernel.name, kernel.params, i, kernel.arguments);
    text +=
        fmt::format("  kern::Event {}(kern::Status& status, const kern::Launch& launch{}) const noexcept {{\n"
                    "    return kernel_{}_(status, launch{});\n  }}\n\n",
                    kernel.name, kernel.params, i, kernel.arguments);
    text +=
        fmt::format("  /// The same, checked once to be launched often.\n"
                    "  kern::Prepared<{3}> prepare_{0}(const kern::Launch& launch{1}) const {{\n"
                    "    return kernel_{2}_.prepare(launch{4});\n  }}\n"
                    "  kern::Prepared<{3}> prepare_{0}(kern::Status& status, const kern::Launch& launch{1}) "
                    "const noexcept {{\n"
                    "    return kernel_{2}_.prepare(status, launch{4});\n  }}\n\n",
                    kernel.name, kernel.params, i, kernel.signature, kernel.arguments);
  }
  text += "  /// What the object holds, on this device.\n  const kern::Module& module() const { return "
          "module_; }\n\n";
  text += "private:\n  kern::Module module_;\n";
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += fmt::format("  kern::Kernel<{}> kernel_{}_;\n", kernels[i].signature, i);
  return text;
}

} // namespace

std::string make_header(const Manifest& manifest, const std::string& library, const std::string& symbol,
                        const std::string& file) {
  std::vector<HeaderKernel> kernels;
  std::map<std::string, int> taken;
  for (const ManifestKernel& kernel : manifest.kernels) kernels.push_back(header_kernel(kernel, taken));
  std::string text =
      fmt::format("// The kernels of {} as C++ functions. Made by kernc: changes here are lost.\n"
                  "// What kernc makes of a source belongs to whoever the source belongs to; Kern lays no "
                  "terms on it. The\n"
                  "// words that come from Kern itself may be kept in any form under\n"
                  "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                  "#pragma once\n\n#include <complex>\n#include <cstdint>\n\n#include <kern/kern.hpp>\n\n"
                  "extern \"C\" const kern_object {};\n\nnamespace {} {{\n\n",
                  file, symbol, library);
  text += fmt::format(
      "/// The kernels of {} on one device; copies share their code.\nclass Kernels {{\npublic:\n", file);
  text += class_text(kernels);
  text += fmt::format(
      "}};\n\n/// Loads the kernels for a device. The code of a device is loaded once in a process.\n"
      "inline Kernels load(const kern::Device& device) {{ return Kernels(kern::Module(device, {})); }}\n",
      symbol);
  for (const HeaderKernel& kernel : kernels) {
    text += "\n" + doc_comment(kernel, "");
    text += fmt::format("inline kern::Event {0}(const kern::Launch& launch{1}) {{\n"
                        "  return load(kern::device_of(launch{2})).{0}(launch{2});\n}}\n",
                        kernel.name, kernel.params, kernel.arguments);
  }
  return text + fmt::format("\n}} // namespace {}\n", library);
}

} // namespace kern

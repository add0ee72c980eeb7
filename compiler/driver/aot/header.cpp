// A class holds the kernels of one device, and a free function each finds it by the launch's device. Kernels
// that differ only in what C++ types do not show (a contiguous array) get names of their own. What the header itself calls
// by name gives way to what the source does, but for `Kernels`, `load` and `module`, which its users call.
#include "compiler/driver/aot/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/driver/aot/header_text.h"
#include "compiler/driver/aot/names.h"
#include "compiler/driver/aot/records.h"

namespace kern {

namespace {

struct HeaderKernel {
  const ManifestKernel* kernel;
  std::string name, prepare, field; // in C++
  std::string launch, status;       // the names of its parameters that the source does not have
  std::vector<std::string> names;   // of those that it has
  std::string params;               // ", float a, kern::Argument<const float, 1> x"
  std::string arguments;            // ", a, x"
  std::string values;               // the same, of a record its scalars
  std::string signature;            // "void(float, kern::View<const float, 1>)"
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

using RecordNames = std::map<std::string, std::string>;

HeaderKernel header_kernel(const Manifest& manifest, const ManifestKernel& kernel, const NameScope& members,
                           const RecordNames& records) {
  HeaderKernel result{&kernel, "", "", "", "", "", {}, "", "", "", ""};
  NameScope scope;
  scope.reserve(members);
  std::vector<std::string> written;
  const std::vector<SourceParam> params = source_params(manifest, kernel);
  for (const SourceParam& param : params) written.push_back(param.name);
  result.names = scope.take_all(written);
  result.launch = scope.take("launch");
  result.status = scope.take("status");
  auto add_bound = [&](const std::string& bound) {
    result.signature += (result.signature.empty() ? "" : ", ") + bound;
  };
  for (std::size_t i = 0; i < params.size(); ++i) {
    const SourceParam& param = params[i];
    const std::string& name = result.names[i];
    std::string type(param.record ? records.at(param.record->name) : cpp_type(param.param->type));
    result.arguments += ", " + name;
    if (param.is_record_value()) {
      result.params += fmt::format(", const {}& {}", type, name);
      for (std::size_t leaf = 0; leaf < param.offsets.size(); ++leaf) {
        const std::string_view scalar = cpp_type(param.param[leaf].type);
        add_bound(std::string(scalar));
        result.values += fmt::format(", kern::field_at<{}>(&{}, {})", scalar, name, param.offsets[leaf]);
      }
      continue;
    }
    result.values += ", " + name;
    if (param.rank > 0) {
      if (!param.param->written) type = "const " + type;
      add_bound(fmt::format("kern::View<{}, {}>", type, param.rank));
      type = fmt::format("const kern::Argument<{}, {}>&", type, param.rank);
    } else {
      add_bound(type);
    }
    result.params += fmt::format(", {} {}", type, name);
  }
  result.signature = "void(" + result.signature + ")";
  return result;
}

// Each name that the source has for kernels, once.
std::vector<std::string> kernel_names(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const ManifestKernel& kernel : manifest.kernels)
    if (std::ranges::find(names, kernel.name) == names.end()) names.push_back(kernel.name);
  return names;
}

// The instances of a kernel are overloads, where their types in C++ differ.
void name_kernels(const Manifest& manifest, std::vector<HeaderKernel>& kernels, NameScope& members) {
  std::vector<std::string> written = kernel_names(manifest), names = members.take_all(written);
  std::set<std::string> overloads;
  for (HeaderKernel& header : kernels) {
    auto at = std::ranges::find(written, header.kernel->name) - written.begin();
    header.name = names[std::size_t(at)];
    if (!overloads.insert(header.name + " " + header.signature).second)
      header.name = members.take(cpp_identifier(header.kernel->symbol));
  }
  std::map<std::string, std::string> prepares;
  for (HeaderKernel& header : kernels) {
    std::string& prepare = prepares[header.name];
    if (prepare.empty()) prepare = members.take("prepare_" + header.name);
    header.prepare = prepare;
  }
}

std::string class_text(const Manifest& manifest, const std::vector<HeaderKernel>& kernels,
                       const std::string& module_field) {
  std::string text =
      fmt::format("  explicit Kernels(const kern::Module& module)\n      : {}(module)", module_field);
  for (const HeaderKernel& kernel : kernels)
    text += fmt::format(",\n        {}(module.kernel<{}>(\"{}\"))", kernel.field, kernel.signature,
                        kernel.kernel->symbol);
  text += fmt::format(
      " {{}}\n  Kernels(kern::Status& status, const kern::Module& module) noexcept\n      : {}(module)",
      module_field);
  for (const HeaderKernel& kernel : kernels)
    text += fmt::format(",\n        {}(module.kernel<{}>(status, \"{}\"))", kernel.field, kernel.signature,
                        kernel.kernel->symbol);
  text += " {}\n\n";
  for (const HeaderKernel& kernel : kernels) {
    text += doc_comment(manifest, *kernel.kernel, "  ");
    std::string launch = kernel.launch, given = "const kern::Launch& " + launch + kernel.params;
    std::string passed = launch + kernel.values;
    text += fmt::format("  kern::Event {}({}) const {{ return {}({}); }}\n", kernel.name, given, kernel.field,
                        passed);
    text += fmt::format("  kern::Event {}(kern::Status& {}, {}) const noexcept {{\n"
                        "    return {}({}, {});\n  }}\n\n",
                        kernel.name, kernel.status, given, kernel.field, kernel.status, passed);
    text += fmt::format("  /// The same, checked once to be launched often.\n"
                        "  kern::Prepared<{0}> {1}({2}) const {{\n    return {3}.prepare({4});\n  }}\n"
                        "  kern::Prepared<{0}> {1}(kern::Status& {5}, {2}) const noexcept {{\n"
                        "    return {3}.prepare({5}, {4});\n  }}\n\n",
                        kernel.signature, kernel.prepare, given, kernel.field, passed, kernel.status);
  }
  text += fmt::format("  /// What the object holds, on this device.\n  const kern::Module& module() const {{ "
                      "return {0}; }}\n\n"
                      "private:\n  kern::Module {0};\n",
                      module_field);
  for (const HeaderKernel& kernel : kernels)
    text += fmt::format("  kern::Kernel<{}> {};\n", kernel.signature, kernel.field);
  return text;
}

// The structs, and of what words their arrays are.
std::string records_text(const Manifest& manifest, const std::string& library, const RecordNames& names) {
  if (!manifest.records) return "";
  const RecordLanguage language{[](const std::string& type) { return std::string(cpp_type(type)); }, true};
  std::string text = fmt::format("namespace {} {{\n\n{}}} // namespace {}\n\n", library,
                                 record_structs(manifest, names, language), library);
  for (const ManifestRecord& record : *manifest.records) {
    const std::uint64_t word = word_bytes(manifest, record);
    text += fmt::format("template <> struct kern::RecordOf<::{}::{}> : kern::Words<KERN_U{}, {}> {{}};\n",
                        library, names.at(record.name), word * 8, record.size / word);
  }
  return text + "\n";
}

std::set<std::string> names_of(const std::vector<HeaderKernel>& kernels) {
  std::set<std::string> names;
  for (const HeaderKernel& kernel : kernels) {
    names.insert(kernel.name);
    names.insert(kernel.names.begin(), kernel.names.end());
  }
  return names;
}

} // namespace

std::string make_header(const Manifest& manifest, const std::string& library, const std::string& symbol,
                        const std::string& source) {
  const std::string file = in_comment(source);
  NameScope members;
  for (const char* name : {"Kernels", "load", "module"}) members.take(name);
  members.take(symbol);
  const std::string module_field = members.take("loaded_");
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < manifest.kernels.size(); ++i)
    fields.push_back(members.take(fmt::format("kernel_{}_", i)));
  RecordNames records;
  for (const ManifestRecord& record : manifest.records.value_or(std::vector<ManifestRecord>{}))
    records[record.name] = members.take(cpp_identifier(record.name));
  std::vector<HeaderKernel> kernels;
  for (const ManifestKernel& kernel : manifest.kernels) {
    kernels.push_back(header_kernel(manifest, kernel, members, records));
    kernels.back().field = fields[kernels.size() - 1];
  }
  name_kernels(manifest, kernels, members);
  std::string before, behind;
  hide_macros(names_of(kernels), before, behind);
  std::string text = header_banner(file, "C++");
  text += fmt::format("#pragma once\n\n#include <complex>\n#include <cstddef>\n#include <cstdint>\n\n"
                      "#include <kern/kern.hpp>\n\n"
                      "extern \"C\" const kern_object {};\n\n{}{}namespace {} {{\n\n",
                      symbol, before, records_text(manifest, library, records), library);
  text += fmt::format(
      "/// The kernels of {} on one device; copies share their code.\nclass Kernels {{\npublic:\n", file);
  text += class_text(manifest, kernels, module_field);
  text += fmt::format(
      "}};\n\n/// Loads the kernels for a device. The code of a device is loaded once in a process.\n"
      "inline Kernels load(const kern::Device& device) {{ return Kernels(kern::Module(device, {0})); }}\n"
      "/// The same without exceptions; of an error its launches are errors, too.\n"
      "inline Kernels load(kern::Status& status, const kern::Device& device) noexcept {{\n"
      "  return Kernels(status, kern::Module(status, device, {0}));\n}}\n",
      symbol);
  for (const HeaderKernel& kernel : kernels) {
    text += "\n" + doc_comment(manifest, *kernel.kernel, "");
    text += fmt::format("inline kern::Event {0}(const kern::Launch& {1}{2}) {{\n"
                        "  return load(kern::device_of({1}{3})).{0}({1}{3});\n}}\n",
                        kernel.name, kernel.launch, kernel.params, kernel.arguments);
  }
  return text + fmt::format("\n}} // namespace {}\n{}", library, behind);
}

} // namespace kern

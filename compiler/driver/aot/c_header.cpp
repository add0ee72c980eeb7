// C has neither namespaces nor overloads: `blur` of filters.kern is filters_blur, and of a function's several instances each has
// its symbol's name. Elements have types of C; ranks, and what a kernel may write, are looked at when it is launched.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/driver/aot/header.h"
#include "compiler/driver/aot/header_text.h"
#include "compiler/driver/aot/names.h"
#include "compiler/driver/aot/records.h"

namespace kern {

namespace {

struct CKernel {
  const ManifestKernel* kernel;
  std::vector<SourceParam> params;
  std::string name, prepare;
  std::vector<std::string> names;                // of its parameters
  std::string kernels, launch, event, arguments; // what else is called by name there
};

std::string prefix_of(const std::string& library) {
  std::string prefix;
  for (std::size_t at = 0; at < library.size(); ++at) {
    prefix += library[at] == ':' ? '_' : library[at];
    if (library[at] == ':') ++at;
  }
  return prefix + "_";
}

CKernel c_kernel(const Manifest& manifest, const ManifestKernel& kernel, const NameScope& functions) {
  CKernel result{&kernel, source_params(manifest, kernel), "", "", {}, "", "", "", ""};
  NameScope scope;
  scope.reserve(functions);
  std::vector<std::string> written;
  // Types and functions of the C interface are called by name in what the parameter is one of.
  for (const SourceParam& param : result.params)
    written.push_back(param.name.starts_with("kern_") ? param.name + "_" : param.name);
  result.names = scope.take_all(written);
  result.kernels = scope.take("kernels");
  result.launch = scope.take("launch");
  result.event = scope.take("event");
  result.arguments = scope.take("arguments");
  return result;
}

void name_kernels(const Manifest& manifest, const std::string& prefix, std::vector<CKernel>& kernels,
                  NameScope& functions) {
  std::vector<std::string> written;
  for (const ManifestKernel& kernel : manifest.kernels) {
    auto instances = std::ranges::count(manifest.kernels, kernel.name, &ManifestKernel::name);
    written.push_back(cpp_namespace(prefix + (instances > 1 ? kernel.symbol : kernel.name)));
  }
  std::vector<std::string> names = functions.take_all(written);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].name = names[i];
    kernels[i].prepare = functions.take(prefix + "prepare_" + names[i].substr(prefix.size()));
  }
}

// A row of the enumeration kern_type: "KERN_F32".
std::string type_constant(const std::string& type) {
  std::string name = "KERN_";
  for (char c : type) name += c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  return name;
}

std::string parameter_table(const CKernel& kernel, std::size_t index) {
  std::string rows;
  for (const ManifestParam& param : kernel.kernel->params)
    rows += fmt::format("{}{{{}, {}, {}}}", rows.empty() ? "" : ", ", type_constant(param.type), param.rank,
                        param.written ? 1 : 0);
  return rows.empty() ? ""
                      : fmt::format("  static const kern_parameter parameters_{}[] = {{{}}};\n", index, rows);
}

std::string load_text(const std::vector<CKernel>& kernels, const std::string& prefix,
                      const std::string& symbol) {
  std::string text = fmt::format(
      "/// Gives the kernels back, and their code once nothing uses it any more.\n"
      "static inline void {0}unload({0}kernels* kernels) {{\n  int i = 0;\n  if (!kernels)\n    return;\n"
      "  for (; i < {1}; ++i) {{\n    kern_kernel_release(kernels->kernels[i]);\n    kernels->kernels[i] = "
      "0;\n  }}\n"
      "  kern_module_release(kernels->module);\n  kernels->module = 0;\n}}\n\n"
      "/// Loads the kernels for a device; {0}unload gives them back. After an error there are none.\n"
      "static inline kern_error* {0}load(kern_device* device, {0}kernels* kernels) {{\n",
      prefix, kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) text += parameter_table(kernels[i], i);
  text += fmt::format("  kern_error* error;\n  if (kernels)\n    memset(kernels, 0, sizeof *kernels);\n"
                      "  error = kern_module_load(device, &{}, kernels ? &kernels->module : 0);\n",
                      symbol);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::size_t count = kernels[i].kernel->params.size();
    text +=
        fmt::format("  if (!error)\n    error = kern_module_kernel(kernels->module, \"{}\", {}, {}, "
                    "&kernels->kernels[{}]);\n",
                    kernels[i].kernel->symbol, count > 0 ? fmt::format("parameters_{}", i) : "0", count, i);
  }
  return text + fmt::format("  if (error) {}unload(kernels);\n  return error;\n}}\n", prefix);
}

// The function NAME, which hands the arguments to a CALL of the C interface that makes a RESULT.
std::string function_text(const CKernel& kernel, std::size_t index, const std::string& prefix,
                          const std::string& name, std::string_view call, std::string_view result,
                          const std::map<std::string, std::string>& records) {
  std::string params, rows;
  std::size_t count = 0;
  auto add_row = [&](const std::string& value) {
    rows += fmt::format("  {}[{}] = {};\n", kernel.arguments, count++, value);
  };
  for (std::size_t i = 0; i < kernel.names.size(); ++i) {
    const SourceParam& param = kernel.params[i];
    const std::string& own = kernel.names[i];
    const std::string type = param.record ? records.at(param.record->name) : "kern_" + param.param->type;
    params += fmt::format(", {}{} {}", type, param.rank > 0 ? "_array" : "", own);
    if (param.rank > 0) add_row(own + ".argument");
    for (std::size_t leaf = 0; leaf < param.offsets.size(); ++leaf) {
      const std::string& scalar = param.param[leaf].type;
      add_row(fmt::format("kern_scalar_argument({}, (const char*)&{} + {}, sizeof(kern_{}))",
                          type_constant(scalar), own, param.offsets[leaf], scalar));
    }
    if (!param.record && param.rank == 0)
      add_row(fmt::format("kern_scalar_argument({}, &{}, sizeof {})", type_constant(param.param->type), own,
                          own));
  }
  std::string text = fmt::format(
      "static inline kern_error* {}(const {}kernels* {}, const kern_launch_options* {}{}, {}** {}) {{\n",
      name, prefix, kernel.kernels, kernel.launch, params, result, kernel.event);
  if (!rows.empty()) text += fmt::format("  kern_argument {}[{}];\n{}", kernel.arguments, count, rows);
  return text + fmt::format("  return {}({} ? {}->kernels[{}] : 0, {}, {}, {}, {});\n}}\n", call,
                            kernel.kernels, kernel.kernels, index, kernel.launch,
                            rows.empty() ? "0" : kernel.arguments, count, kernel.event);
}

// The structs, and how arrays of them are passed.
std::string records_text(const Manifest& manifest, const std::map<std::string, std::string>& names) {
  if (!manifest.records) return "";
  const RecordLanguage language{[](const std::string& type) { return "kern_" + type; }, false};
  std::string text = record_structs(manifest, names, language);
  for (const ManifestRecord& record : *manifest.records) {
    const std::uint64_t word = word_bytes(manifest, record);
    const std::string& name = names.at(record.name);
    text += fmt::format("KERN_ARRAYS({0}, {0}, KERN_U{1}, {2})\n", name, word * 8, record.size / word);
  }
  return text + "\n";
}

} // namespace

std::string make_c_header(const Manifest& manifest, const std::string& library, const std::string& symbol,
                          const std::string& source) {
  const std::string file = in_comment(source), prefix = prefix_of(library);
  NameScope functions;
  for (const char* own : {"kernels", "load", "unload"}) functions.take(prefix + own);
  functions.take(symbol);
  std::map<std::string, std::string> records;
  for (const ManifestRecord& record : manifest.records.value_or(std::vector<ManifestRecord>{})) {
    const std::string name = functions.take(cpp_namespace(prefix + record.name));
    records[record.name] = name;
    for (const char* end : {"_array", "_buffer", "_in", "_out", "_inout"}) functions.take(name + end);
  }
  std::vector<CKernel> kernels;
  for (const ManifestKernel& kernel : manifest.kernels)
    kernels.push_back(c_kernel(manifest, kernel, functions));
  name_kernels(manifest, prefix, kernels, functions);

  std::set<std::string> names;
  for (const CKernel& kernel : kernels) names.insert(kernel.names.begin(), kernel.names.end());
  std::string before, behind;
  hide_macros(names, before, behind);
  std::string guard = "KERN_HEADER_OF_" + symbol;
  std::string text = header_banner(file, "C");
  text += fmt::format(
      "#ifndef {0}\n#define {0}\n\n#include <kern/arguments.h>\n\n{1}#ifdef __cplusplus\nextern \"C\" "
      "{{\n#endif\n\n"
      "extern const kern_object {2};\n\n{6}"
      "/// The kernels of {3} on one device.\ntypedef struct {4}kernels {{\n  kern_module* module;\n"
      "  kern_kernel* kernels[{5}];\n}} {4}kernels;\n\n",
      guard, before, symbol, file, prefix, std::max<std::size_t>(kernels.size(), 1),
      records_text(manifest, records));
  text += load_text(kernels, prefix, symbol);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    text += "\n" + doc_comment(manifest, *kernels[i].kernel, "");
    text += function_text(kernels[i], i, prefix, kernels[i].name, "kern_launch", "kern_event", records);
    text += "/// The same, checked once to be launched often.\n";
    text +=
        function_text(kernels[i], i, prefix, kernels[i].prepare, "kern_prepare", "kern_prepared", records);
  }
  return text + fmt::format("\n#ifdef __cplusplus\n}}\n#endif\n{}\n#endif\n", behind);
}

} // namespace kern

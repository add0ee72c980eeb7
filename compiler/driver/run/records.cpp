// A record by value is its scalars, each an argument of its own, whose names the kernel's slots have: "p.x", "p.pos.0".
#include "compiler/driver/run/records.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/data/files.h"
#include "compiler/support/nearest.h"

namespace kern {

// Collects where the scalars of a record are.
static void collect_scalars(Type type, std::int64_t base,
                            std::vector<std::pair<std::int64_t, ScalarKind>>& scalars) {
  if (!is_record(type)) return scalars.emplace_back(base, type->scalar), void();
  for (const RecordField& field : type->record->fields) {
    std::int64_t count = 1;
    for (std::int64_t extent : field.extents) count *= extent;
    for (std::int64_t k = 0; k < count; ++k)
      collect_scalars(field.type, base + field.offset + k * size_in_memory(field.type), scalars);
  }
}

// Returns how many words a record has in an array.
static std::int64_t words_of(Type type) {
  return size_in_memory(record_type(type)) * 8 / bit_width(type->scalar);
}

bool has_layout(const HostArray& array, Type type) {
  if (array.records.descr.empty()) return !is_record_array(type) || array.extents.back() == words_of(type);
  if (!is_record_array(type) || array.records.size != size_in_memory(record_type(type))) return false;
  std::vector<std::pair<std::int64_t, ScalarKind>> wanted, given = array.records.scalars;
  collect_scalars(record_type(type), 0, wanted);
  std::ranges::sort(wanted);
  std::ranges::sort(given);
  return wanted == given;
}

// ---- zeros:P:100 ----

static Result<HostArray> make_records(const HostArray& asked, Type type) {
  Type record = record_type(type);
  std::vector<std::int64_t> extents = asked.extents;
  extents.push_back(words_of(type));
  Result<HostArray> made = make_array(type->scalar, std::move(extents));
  if (!made) return made;
  made->records.descr = record_descr(record);
  made->records.size = size_in_memory(record);
  collect_scalars(record, 0, made->records.scalars);
  if (!asked.records.is_ones) return made;
  const auto size = static_cast<std::size_t>(made->records.size);
  std::vector<char> one(size);
  for (const auto& [place, kind] : made->records.scalars) {
    std::uint64_t words[2] = {};
    store_number(kind, words, {Number::Kind::Signed, 1, 0, 0});
    std::memcpy(one.data() + place, words, static_cast<std::size_t>(bit_width(kind)) / 8);
  }
  for (std::size_t at = 0; at < made->bytes(); at += size) std::memcpy(made->data() + at, one.data(), size);
  return made;
}

static bool settle_array(Run& run, Argument& argument, Type type) {
  HostArray& array = *argument.array();
  const std::string& name = array.records.name;
  auto refuse = [&](const std::string& why) {
    run.diagnostics().report({}, diag::bad_argument, fmt::format("{}={}", argument.param, argument.text),
                             why);
    return false;
  };
  const bool has_records = is_record_array(type);
  const bool is_meant = has_records && record_type(type)->record->name == name;
  if (!is_meant)
    return refuse(has_records
                      ? fmt::format("the parameter has records `{}`, and not `{}`",
                                    record_type(type)->record->name, name)
                      : fmt::format("`{}` is no type, and the parameter is {}", name, to_string(type)));
  if (static_cast<std::size_t>(written_rank(type)) != array.extents.size())
    return refuse(
        fmt::format("it has {} axes, and the parameter is {}", array.extents.size(), to_string(type)));
  Result<HostArray> made = make_records(array, type);
  if (!made) return refuse(made.error());
  array = std::move(*made);
  return true;
}

// ---- p.x=1 ----

// Puts the fields of one parameter in the order of its scalars. Arrays stay where they are: the run knows them by their address.
static bool settle_fields(Run& run, std::span<Argument> fields, const ir::Function& kernel,
                          const ir::KernelParam& param) {
  std::vector<std::string> names;
  if (is_record(param.type))
    for (std::size_t slot = param.first_slot; slot < kernel.param_count; ++slot)
      if (kernel.slots[slot].name.starts_with(param.name + ".")) names.push_back(kernel.slots[slot].name);
  std::vector<Argument*> found(names.size());
  for (Argument& argument : fields) {
    auto at = std::ranges::find(names, argument.param);
    if (at != names.end()) {
      found[static_cast<std::size_t>(at - names.begin())] = &argument;
      continue;
    }
    std::vector<std::string_view> known(names.begin(), names.end());
    std::string_view similar = most_similar(argument.param, known);
    std::string why = !is_record(param.type)
                          ? fmt::format("`{}` is {}, which has no fields", param.name, to_string(param.type))
                          : fmt::format("`{}` has no such field", to_string(param.type));
    if (!similar.empty()) why += fmt::format("; did you mean `{}`?", similar);
    run.diagnostics().report({}, diag::bad_argument, fmt::format("{}={}", argument.param, argument.text),
                             why);
    return false;
  }
  std::vector<Argument> settled;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!found[i]) {
      run.diagnostics().report({}, diag::missing_argument, names[i]);
      return false;
    }
    settled.push_back(std::move(*found[i]));
  }
  std::ranges::move(settled, fields.begin());
  return true;
}

bool settle_records(Run& run, Stage& stage, const ir::Module& module) {
  std::vector<Argument>& arguments = stage.arguments;
  auto is_late = [](const Argument& argument) {
    return argument.is_field || (argument.array() && argument.array()->records.are_unknown());
  };
  if (std::ranges::none_of(arguments, is_late)) return true;
  auto kernel = std::ranges::find_if(module.functions, [&](const ir::Function& function) {
    return function.is_kernel && function.name == stage.definition->name;
  });
  if (kernel == module.functions.end()) return true;
  const auto& params = module.params[static_cast<std::size_t>(kernel - module.functions.begin())];
  for (std::size_t i = 0; i < arguments.size();) {
    std::size_t end = i + 1;
    while (end < arguments.size() && arguments[end].owner == arguments[i].owner) ++end;
    auto param =
        std::ranges::find(params, stage.definition->params[arguments[i].owner].name, &ir::KernelParam::name);
    const std::span own(arguments.data() + i, end - i);
    const bool is_right = param == params.end() || !is_late(own[0]) ? true
                          : own[0].is_field                         ? settle_fields(run, own, *kernel, *param)
                                                                    : settle_array(run, own[0], param->type);
    if (!is_right) return false;
    i = end;
  }
  return true;
}

} // namespace kern

// Finds arguments by the names of parameters, and functions by theirs.
#include <algorithm>

#include "compiler/python/numpy_call.h"

namespace kern::python {

using values::as;

// Returns the place of a name among names with blanks between them, or how many there are.
static std::size_t place_in(std::string_view params, std::string_view name) {
  std::size_t place = 0;
  for (; !params.empty(); ++place) {
    const std::size_t end = std::min(params.find(' '), params.size());
    if (params.substr(0, end) == name) break;
    params.remove_prefix(std::min(end + 1, params.size()));
  }
  return place;
}

bool NumpyCall::fits() const {
  const std::size_t count = place_in(params, "");
  const bool has_places = std::ranges::all_of(args.keywords, [&](const values::NamedValue& each) {
    const std::size_t place = place_in(params, each.name);
    return place < count && place >= args.positional.size();
  });
  const Value* order = get("order");
  const auto* text = order ? as<values::Text>(*order) : nullptr;
  const bool has_order = !order || (text && text->text.size() == 1 &&
                                    std::string_view("CFKA").find(text->text) != text->text.npos);
  return args.is_whole && has_places && args.positional.size() <= count && has_order;
}

const Value* NumpyCall::given(std::string_view name) const {
  const Value* found = nullptr;
  const std::size_t place = place_in(params, name);
  if (place < args.positional.size()) found = &args.positional[place];
  for (const values::NamedValue& each : args.keywords)
    if (each.name == name) found = &each.value;
  return found;
}

const Value* NumpyCall::get(std::string_view name) const {
  const Value* found = given(name);
  return found && !as<values::None>(*found) ? found : nullptr;
}

std::optional<WideInt> NumpyCall::integer(std::string_view name, std::optional<WideInt> otherwise) const {
  const Value* value = get(name);
  return value ? values::integer_of(*value) : otherwise;
}

std::optional<Type> NumpyCall::dtype(Type otherwise) const {
  const Value* value = get("dtype");
  return value ? python::dtype_of(*value) : std::optional(otherwise);
}

bool NumpyCall::is_fortran(bool before) const {
  const Value* order = get("order");
  const std::string_view text = order ? as<values::Text>(*order)->text : "K";
  return text == "F" || (before && text != "C");
}

Made call_of(std::span<const NumpyFunction> functions, std::string_view name, Interpreter& run,
             const Interpreter::Arguments& args) {
  const auto found = std::ranges::find(functions, name, &NumpyFunction::name);
  if (found == functions.end()) return std::nullopt;
  const NumpyCall call{run, args, found->params};
  return call.fits() ? found->make(call) : std::nullopt;
}

} // namespace kern::python

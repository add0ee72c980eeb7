// Inference asks for the signatures of a function in each round, so they are read once and in silence. The
// last round reports those that cannot be read.
#include "compiler/check/declared_types.h"

#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/signatures.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/types/signatures.h"

namespace kern::checker {

namespace {

const std::vector<DeclaredTypes>& read_signatures(Context& context, const FunctionSymbol& function) {
  auto [known, is_new] = context.declared_types.try_emplace(&function);
  if (!is_new) return known->second;
  std::vector<DeclaredTypes> all;
  const ReportingScope quiet(context.diagnostics, false);
  for (const WrittenSignature& signature : function.options.signatures)
    if (std::optional<DeclaredTypes> declared = read_signature(context, *function.file, signature))
      all.push_back(std::move(*declared));
  return context.declared_types[&function] = std::move(all);
}

// How far a value lies from a type, the least first; nothing where it cannot become one. A sum of these orders signatures.
std::optional<int> distance(const Value& value, Type type) {
  if (is_tuple(value)) {
    if (!is_tuple(type) || type->elements.size() != value.elements.size()) return std::nullopt;
    int sum = 0;
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      std::optional<int> each = distance(value.elements[i], type->elements[i]);
      if (!each) return std::nullopt;
      sum += *each;
    }
    return sum;
  }
  if (is_array(value)) {
    bool fits = is_array(type) && value.type->scalar == type->scalar && value.type->rank == type->rank;
    return fits ? std::optional(0) : std::nullopt;
  }
  if (!is_number(value)) return is_scalar(type) || is_array(type) ? std::nullopt : std::optional(0);
  if (!is_scalar(type)) return std::nullopt;
  return conversion_cost(type_of_number(value), type);
}

} // namespace

// Types are found in silence, in rounds; the last one says what is wrong.
void check_declared(Context& context, const FunctionSymbol& function) {
  const FunctionOptions& options = function.options;
  const bool declares = function.file->is_numba() && options.is_device && !options.is_host_jit;
  if (!declares) return;
  for (const WrittenSignature& signature : options.signatures) {
    if (!context.reported.insert({"signature", signature.span.file, signature.span.begin}).second) continue;
    std::optional<DeclaredTypes> declared = read_signature(context, *function.file, signature);
    if (declared && function.given.empty())
      has_count(context, function, declared->params.size(), signature.span);
  }
}

const DeclaredTypes* declared_types(Checker& checker, const FunctionSymbol& function,
                                    const std::vector<Value>& args) {
  const FunctionOptions& options = function.options;
  bool declares =
      function.file->is_numba() && options.is_device && !options.is_host_jit && !options.signatures.empty();
  if (!declares) return nullptr;
  if (checker.is_heard()) check_declared(checker.context, function);
  const DeclaredTypes* nearest = nullptr;
  int least = 0;
  for (const DeclaredTypes& declared : read_signatures(checker.context, function)) {
    std::optional<int> sum = declared.params.size() == args.size() ? std::optional(0) : std::nullopt;
    for (std::size_t i = 0; i < args.size() && sum; ++i) {
      std::optional<int> each = distance(args[i], declared.params[i]);
      sum = each ? std::optional(*sum + *each) : std::nullopt;
    }
    if (!sum || (nearest && *sum >= least)) continue;
    nearest = &declared;
    least = *sum;
  }
  return nearest;
}

Value as_declared(Checker& checker, Type type, const Value& value) {
  if (is_tuple(value) && is_tuple(type) && type->elements.size() == value.elements.size() &&
      !is_record(value.type)) {
    std::vector<Value> elements;
    bool changes = false;
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      elements.push_back(as_declared(checker, type->elements[i], value.elements[i]));
      changes = changes || elements.back().type != value.elements[i].type;
    }
    return changes ? tuple_value(std::move(elements), value.span) : value;
  }
  bool converts =
      is_number(value) && value.kind == ValueKind::Runtime && is_scalar(type) && value.type != type;
  return converts ? explicit_cast(checker, type, value, value.span) : value;
}

} // namespace kern::checker

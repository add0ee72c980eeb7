// Makes values of the checker of those of python/. A term is evaluated here: a call of a name that only the checker knows.

#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/calls.h"
#include "compiler/check/expressions.h"
#include "compiler/check/host_names.h"
#include "compiler/check/names.h"
#include "compiler/check/records/constant_records.h"
#include "compiler/check/records/records.h"
#include "compiler/check/scopes.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

using values::as;

// Makes values of what was found at one moment. What has none is an error value.
struct Reader {
  Checker& checker; // of constants, in the scope of whoever reads
  const HostFound& from;
  std::string_view name;
  Span span;
  std::size_t count = 0; // of the elements read so far
  std::size_t depth = 0; // of lists inside of each other: one may hold itself

  const python::HostModules& modules() const { return *from.modules; }
  Context& context() const { return checker.context; }
  Value error() const { return error_value(span); }

  Value elements(const values::Value& value, ValueKind kind) {
    const auto elements = modules().elements(from.found.moment, value);
    if (!elements) return error();
    Value result = plain_value(kind, span);
    for (const values::Value& each : *elements) {
      // Tuples that hold the same one twice may be larger than the memory of the machine.
      ++depth;
      Value element = ++count <= limits::table_elements && depth <= limits::nesting ? read(each) : error();
      --depth;
      // One value of a dict may be known where another is not.
      if (is_error(element) && kind != ValueKind::Dict) return error();
      result.elements.push_back(std::move(element));
    }
    return result;
  }

  Value read(const values::Value& value) {
    if (as<values::None>(value)) return plain_value(ValueKind::None, span);
    if (as<values::Ellipsis>(value)) return plain_value(ValueKind::Ellipsis, span);
    if (const auto* truth = as<bool>(value)) return bool_value(*truth, span);
    if (const auto* integer = as<WideInt>(value)) return int_value(*integer, span);
    if (const auto* real = as<double>(value)) return float_value(*real, span);
    if (const auto* z = as<values::Complex>(value)) return complex_value({z->real, z->imag}, span);
    if (const auto* number = as<values::Number>(value)) return runtime_value(number->bits, span);
    if (const auto* text = as<values::Text>(value)) return text_value(ValueKind::String, text->text, span);
    if (as<values::Tuple>(value) || as<values::List>(value)) return elements(value, ValueKind::Tuple);
    if (as<values::Dict>(value)) return elements(value, ValueKind::Dict);
    if (const auto* array = as<values::Array>(value)) return read_array(*array);
    if (const auto* range = as<values::Range>(value)) {
      Value result = plain_value(ValueKind::Range, span);
      for (std::int64_t part : {range->start, range->stop, range->step})
        result.elements.push_back(int_value(part, span));
      return result;
    }
    if (const auto* function = as<values::Function>(value))
      return function->data->def ? function_value(&function_symbol(context(), *function->data), span)
                                 : error();
    if (const auto* file = as<values::File>(value); file && file->index < context().program.files.size())
      return file_value(context().files[file->index].get(), span);
    if (as<values::Class>(value) || as<values::File>(value)) {
      Value result = plain_value(ValueKind::HostClass, span);
      result.integer = static_cast<WideInt>(context().host->found.size());
      context().host->found.push_back({from.modules, {value, from.found.where, from.found.moment}});
      return result;
    }
    if (const auto* member = as<values::Member>(value)) return read_member(*member);
    if (const auto* path = as<values::Path>(value)) return host_path(checker, path->name, span);
    if (const auto* term = as<values::Term>(value)) return read_term(*term->data);
    if (const auto* foreign = as<values::Foreign>(value)) return context().host->foreign[foreign->index];
    return error();
  }

  Value read_array(const values::Array& array) {
    std::optional<Numbers> numbers = modules().numbers(from.found.moment, array);
    if (!numbers) return error();
    if (numbers->extents.empty()) return runtime_value(numbers->at(0), span);
    return array_value(checker, std::move(*numbers), span);
  }

  Value read_member(const values::Member& member) {
    FileScope& file = *context().files[member.file];
    Symbol* symbol = find_symbol(context(), file, member.name);
    return symbol ? symbol_value(checker, file, member.name, *symbol, span) : error();
  }

  // ---- Terms ----

  // Each is one value, however many names it has: the types that calls make are told apart.
  Value read_term(const values::TermData& term) {
    const auto known = context().host->terms.find(&term);
    if (known != context().host->terms.end()) return read_at(known->second, span);
    const std::string_view own = modules().name_of(term), last = name.substr(name.rfind('.') + 1);
    const std::string_view outer = std::exchange(context().constant_name, own.empty() ? last : own);
    const Span reader = span;
    if (term.call) span = term.call->span;
    Value value = evaluate(term);
    span = reader;
    context().constant_name = outer;
    if (is_error(value)) return value;
    context().host->terms.emplace(&term, value);
    return read_at(value, span);
  }

  Value evaluate(const values::TermData& term) {
    const std::string_view path = values::path_name(term.callee);
    if (path == "slice" || path == "set") return error();
    if (path == array_constant && term.call) return checker::evaluate(checker, *term.call);
    if (path == "getattr")
      return attribute_of(checker, read(term.args[0]), as<values::Text>(term.args[1])->text, span);
    if (path == "operator.getitem") return part(read(term.args[0]), term.args[1]);
    if (term.object) return record_array(term);
    Args args;
    if (!read_args(term, args)) return error();
    Value callee = read(term.callee);
    if (is_error(callee)) return callee;
    if (std::optional<Type> named = named_tuple_type(checker, callee)) {
      const auto whole = modules().elements(from.found.moment, values::Term{&term});
      if (!whole) return error();
      args = {};
      for (const values::Value& each : *whole) args.positional.push_back(read(each));
      return make_record(checker, *named, args, span);
    }
    return call_constant(checker, callee, args, span);
  }

  bool read_args(const values::TermData& term, Args& args) {
    const auto place = [&](std::size_t i) {
      const bool is_written = term.call && term.call->args.size() == term.args.size();
      return is_written ? term.call->args[i]->span : span;
    };
    const Span outer = span;
    bool ok = true;
    for (std::size_t i = 0; i < term.args.size(); ++i) {
      span = place(i);
      args.positional.push_back(read(term.args[i]));
      ok = ok && !is_error(args.positional.back());
    }
    span = outer;
    for (const values::NamedValue& each : term.keywords) {
      args.keywords.emplace_back(each.name, read(each.value));
      args.keyword_spans.push_back(span);
      ok = ok && !is_error(args.keywords.back().second);
    }
    return ok;
  }

  // float32[:, ::1], and an element of what is known.
  Value part(const Value& whole, const values::Value& index) {
    if (is_error(whole)) return whole;
    const auto* several = as<values::Tuple>(index);
    std::span<const values::Value> indices = several ? several->elements : std::span(&index, 1);
    if (whole.kind == ValueKind::Type) {
      std::vector<std::optional<Layout>> slices;
      for (const values::Value& each : indices) slices.push_back(layout_of(each));
      return array_type(checker, whole, slices, span);
    }
    const std::optional<WideInt> place = values::integer_of(index);
    const auto at = is_tuple(whole) && place ? values::index_in(*place, whole.elements.size()) : std::nullopt;
    return at ? read_at(whole.elements[*at], span) : error();
  }

  static std::optional<Layout> layout_of(const values::Value& index) {
    const auto* slice = as<values::Term>(index);
    if (!slice || values::path_name(slice->data->callee) != "slice") return std::nullopt;
    const std::span<const values::Value> parts = slice->data->args; // start, stop and step
    if (!as<values::None>(parts[0]) || !as<values::None>(parts[1])) return std::nullopt;
    if (as<values::None>(parts[2])) return Layout::Any;
    return values::integer_of(parts[2]) == WideInt(1) ? std::optional(Layout::COrder) : std::nullopt;
  }

  // np.array([(1, 2.0)], dtype=t)
  Value record_array(const values::TermData& term) {
    const values::Value* dtype = term.args.size() > 1 ? &term.args[1] : nullptr;
    for (const values::NamedValue& each : term.keywords)
      if (each.name == "dtype") dtype = &each.value;
    if (!values::path_name(term.callee).ends_with("array") || !dtype || term.args.empty()) return error();
    Value type = read(*dtype);
    if (std::optional<Value> fields =
            is_error(type) ? std::nullopt : record_dtype(checker, type, false, span))
      type = *fields;
    const Value records = read(term.args[0]);
    if (type.kind != ValueKind::Type || !is_record(type.type) || is_error(records)) return error();
    return record_table(checker, records, type.type, span).value_or(error());
  }
};

} // namespace

Value constant_value(Checker& checker, const HostFound& found, std::string_view name, Span span) {
  return Reader{checker, found, name, span}.read(found.found.value);
}

} // namespace kern::checker

// The types that Numba's programs make by calls: types.Array(types.float32, 2, 'C'), types.UniTuple(types.int64, 3).
#include "compiler/check/checker.h"
#include "compiler/diagnostics/names.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

struct TypeCall {
  Context& context;
  FileScope& file;
  const ast::Call& call;
  bool is_text;

  std::nullopt_t wrong(std::string_view why) const {
    context.diagnostics.report(call.span, diag::type_call, context.source(call.span), why);
    return std::nullopt;
  }

  // Returns an argument by its place or its name; null where it is not given.
  const ast::Expr* argument(std::size_t place, std::string_view name) const {
    if (place < call.args.size()) return call.args[place];
    for (const ast::Keyword& keyword : call.keywords)
      if (keyword.name == name) return keyword.value;
    return nullptr;
  }

  std::optional<std::int64_t> number(const ast::Expr* expr, std::int64_t most) const {
    if (!expr) return std::nullopt;
    Value value = constant_of_expr(context, file, *expr);
    std::optional<WideInt> result = is_error(value) ? std::nullopt : constant_integer(value);
    if (!result || *result < 1 || *result > most) return std::nullopt;
    return static_cast<std::int64_t>(*result);
  }

  std::optional<Type> array() const {
    const ast::Expr* dtype = argument(0, "dtype");
    if (!dtype) return wrong("write `Array(dtype, ndim, layout)`");
    std::optional<Type> element = type_of_expr(context, file, *dtype, is_text);
    if (!element) return std::nullopt;
    if (!is_scalar(*element)) return wrong("the elements of an array are numbers");
    std::optional<std::int64_t> rank = number(argument(1, "ndim"), limits::array_rank);
    if (!rank) return wrong("an array has 1 to 8 axes");
    const ast::Expr* layout = argument(2, "layout");
    const auto* text = layout ? ast::as<ast::StringLiteral>(layout) : nullptr;
    if (!text || (text->value != "C" && text->value != "F" && text->value != "A"))
      return wrong("its layout is 'C', 'F' or 'A'");
    return context.module.types.array((*element)->scalar, static_cast<int>(*rank), AddressSpace::Global,
                                      text->value == "C" ? Layout::COrder : Layout::Any);
  }

  std::optional<Type> uniform_tuple() const {
    const ast::Expr* dtype = argument(0, "dtype");
    std::optional<Type> element = dtype ? type_of_expr(context, file, *dtype, is_text) : std::nullopt;
    if (dtype && !element) return std::nullopt;
    std::optional<std::int64_t> count = number(argument(1, "count"), limits::tuple_elements);
    if (!dtype || !count) return wrong("write `UniTuple(dtype, count)`");
    return context.module.types.tuple(std::vector<Type>(static_cast<std::size_t>(*count), *element));
  }

  std::optional<Type> tuple() const {
    const ast::Expr* list = argument(0, "types");
    std::span<const ast::Expr* const> parts;
    if (const auto* written = list ? ast::as<ast::Tuple>(list) : nullptr) parts = written->elements;
    if (const auto* written = list ? ast::as<ast::List>(list) : nullptr) parts = written->elements;
    if (parts.empty()) return wrong("write `Tuple((types, of, its, elements))`");
    std::vector<Type> elements;
    for (const ast::Expr* part : parts) {
      std::optional<Type> type = type_of_expr(context, file, *part, is_text);
      if (!type) return std::nullopt;
      elements.push_back(*type);
    }
    return context.module.types.tuple(elements);
  }
};

// Returns the last name of `types.Array`.
std::string_view last_name(const ast::Expr& callee) {
  if (const auto* attribute = ast::as<ast::Attribute>(&callee)) return attribute->name;
  const auto* name = ast::as<ast::Name>(&callee);
  return name ? name->text : "";
}

} // namespace

bool is_type_call(const FileScope& file, const ast::Expr& expr) {
  const auto* call = file.is_numba() ? ast::as<ast::Call>(&expr) : nullptr;
  if (!call) return false;
  std::string_view name = last_name(*call->callee);
  return name == "Array" || name == "UniTuple" || name == "Tuple" || name == "Optional" ||
         name == "optional" || name == "CPointer";
}

std::optional<Type> type_of_call(Context& context, FileScope& file, const ast::Expr& expr, bool is_text) {
  TypeCall reader{context, file, *ast::as<ast::Call>(&expr), is_text};
  std::string_view name = last_name(*reader.call.callee);
  if (name == "Array") return reader.array();
  if (name == "UniTuple") return reader.uniform_tuple();
  if (name == "Tuple") return reader.tuple();
  if (name == "CPointer")
    return reader.wrong("a kernel takes arrays, which know their extents, and no pointers");
  return reader.wrong(
      "a parameter has one type; write a kernel for calls with `None`, which needs no such parameter");
}

} // namespace kern::checker

// The kernels are written as text, of a file that only messages name, and parsed like any other. The function gets
// another name, so that the kernel has its own.
#include "compiler/check/numba/generated.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/ast/bound_names.h"
#include "compiler/ast/imports.h"
#include "compiler/lex/lex.h"
#include "compiler/lex/literals.h"
#include "compiler/parse/parse.h"
#include "compiler/support/limits.h"
#include "compiler/support/split.h"

namespace kern {

namespace {

using Kind = ast::Generated::Kind;
using Texts = std::vector<std::string_view>;

// The name that the text imports numba.cuda by, so that it means nothing of the file's own.
constexpr std::string_view cuda = "__kern_cuda";

struct Writer {
  SourceManager& sources;
  const ast::Module& module;
  const ast::Module& outer; // the file, whose imports count inside of functions too
  std::span<const Define> defines;
  std::size_t module_length; // of what names the module in `path`
  std::string path;          // of the module and of the functions around the place, with a point behind each
  Arena& arena;
  Diagnostics& diagnostics;

  // Says whether an expression is that name of numba, or of numba.cuda: `vectorize`, `nb.vectorize`.
  bool is_numba(const ast::Expr& expr, std::string_view name) const {
    if (const auto* attribute = ast::as<ast::Attribute>(&expr)) return attribute->name == name;
    const auto* plain = ast::as<ast::Name>(&expr);
    if (!plain) return false;
    std::optional<ast::Imported> from = ast::imported(module.items, plain->text);
    if (!from) from = ast::imported(outer.items, plain->text);
    return from && from->name == name && (from->module == "numba" || from->module == "numba.cuda");
  }

  // Returns the only decorator of a function that asks for code; null where there are several.
  static const ast::Expr* decorator_of(const ast::FunctionDef& function) {
    const ast::Expr* only = nullptr;
    for (const ast::Expr* decorator : function.decorators) {
      const auto* name = ast::as<ast::Name>(decorator);
      if (name && name->text == "staticmethod") continue;
      if (only) return nullptr;
      only = decorator;
    }
    return only;
  }

  // Returns what a name of a module is by the only statement that binds it, null of what is bound in another
  // way; nothing where nothing binds it.
  static std::optional<const ast::Expr*> only_value(const ast::Module& in, std::string_view name) {
    std::size_t count = 0;
    ast::each_bound_name(in, [&](std::string_view each, Span) { count += each == name; });
    if (count == 0) return std::nullopt;
    for (const ast::Stmt* item : in.items) {
      const auto* assign = ast::as<ast::Assign>(item);
      for (const ast::Expr* each : assign ? assign->targets : ast::ExprList{}) {
        const auto* target = ast::as<ast::Name>(each);
        if (target && target->text == name && count == 1) return assign->value;
      }
    }
    return nullptr;
  }

  // Returns the expression that a name stands for; itself of any other.
  const ast::Expr& behind(const ast::Expr& expr) const {
    constexpr int longest_chain = 8;
    const ast::Expr* current = &expr;
    for (int i = 0; i < longest_chain; ++i) {
      const auto* name = ast::as<ast::Name>(current);
      if (!name || ast::imported(module.items, name->text)) break;
      std::optional<const ast::Expr*> value = only_value(module, name->text);
      if (!value && &module != &outer) value = only_value(outer, name->text);
      if (!value || !*value) break;
      current = *value;
    }
    return *current;
  }

  // Returns the string that -D gives a name, whose path may be written before it.
  std::optional<std::string_view> given_string(std::string_view name) const {
    std::optional<std::string_view> found;
    for (const Define& define : defines) {
      const std::string_view written = define.name;
      const std::size_t front = written.size() - std::min(name.size(), written.size());
      const bool is_name = written.substr(front) == name && (front == 0 || written[front - 1] == '.');
      const bool is_here = front >= module_length && path.starts_with(written.substr(0, front));
      if (!is_name || !is_here || define.file) continue;
      SourceManager aside;
      Diagnostics ignored;
      const std::vector<Token> tokens = lex(aside, aside.add("", define.value), ignored);
      const bool is_string = tokens.size() == 3 && tokens.front().kind == TokenKind::String;
      found =
          is_string ? arena.copy(std::string_view(string_value(aside.text(tokens.front().span)).text)) : "";
    }
    return found;
  }

  std::optional<std::string_view> string_of(const ast::Expr& expr) const {
    const auto* name = ast::as<ast::Name>(&expr);
    if (std::optional<std::string_view> given = name ? given_string(name->text) : std::nullopt) return given;
    const auto* string = ast::as<ast::StringLiteral>(&behind(expr));
    return string ? std::optional(string->value) : std::nullopt;
  }

  // Returns the kind of kernel that a decorator makes: `vectorize([...], target='cuda')`, `cuda.reduce`, or a
  // name of one.
  std::optional<Kind> kind_of(const ast::Expr* decorator) const {
    if (!decorator) return std::nullopt;
    const ast::Expr& made = behind(*decorator);
    const auto* call = ast::as<ast::Call>(&made);
    const ast::Expr& callee = call ? behind(*call->callee) : made;
    if (is_numba(callee, "reduce") || is_numba(callee, "Reduce")) return Kind::Reduction;
    const bool is_elementwise = is_numba(callee, "vectorize");
    if (!is_elementwise && !is_numba(callee, "guvectorize")) return std::nullopt;
    const bool for_cuda =
        call &&
        std::any_of(call->keywords.begin(), call->keywords.end(), [this](const ast::Keyword& keyword) {
          return keyword.name == "target" && string_of(*keyword.value) == "cuda";
        });
    if (!for_cuda) return std::nullopt;
    return is_elementwise ? Kind::Elementwise : Kind::Generalized;
  }

  // Returns the parts of a list that say something.
  static Texts split(std::string_view list) {
    Texts parts = split_at_commas(list);
    std::erase(parts, "");
    return parts;
  }

  // Gives the decorator of a kernel what that of the function was given before the layout, its signatures.
  void take_signatures(const ast::FunctionDef& function, Kind kind, ast::FunctionDef& kernel) const {
    const auto* call = ast::as<ast::Call>(&behind(*decorator_of(function)));
    const std::size_t others = kind == Kind::Generalized ? 1 : 0;
    if (kind == Kind::Reduction || !call || call->args.size() <= others) return;
    auto* made = arena.make<ast::Call>(*ast::as<ast::Call>(kernel.decorators[0]));
    made->args = arena.copy(std::vector{call->args[0]});
    kernel.decorators = arena.copy(std::vector<const ast::Expr*>{made});
  }

  // "(m,n),(n,p)->(m,p)": of each parameter the names of its axes.
  bool read_layout(const ast::FunctionDef& function, ast::Generated& generated) const {
    const auto* call = ast::as<ast::Call>(&behind(*decorator_of(function)));
    if (!call || call->args.empty()) return false;
    const std::string_view layout = string_of(*call->args.back()).value_or("");
    const std::size_t arrow = layout.find("->");
    if (arrow == std::string_view::npos) return false;
    std::vector<std::span<const std::string_view>> axes;
    for (std::string_view side : {layout.substr(0, arrow), layout.substr(arrow + 2)}) {
      for (std::string_view part : split(side)) {
        if (part.size() < 2 || part.front() != '(' || part.back() != ')') return false;
        axes.push_back(arena.copy(split(part.substr(1, part.size() - 2))));
      }
      if (generated.inputs == 0) generated.inputs = axes.size();
    }
    generated.layout = arena.copy(axes);
    return axes.size() == function.params.size() && generated.inputs < axes.size();
  }

  // ---- Texts ----

  static std::string elementwise_body(const Texts& inputs, std::string_view out, std::string_view called) {
    std::string body;
    for (std::string_view input : inputs)
      body += fmt::format("    assert {}.shape == {}.shape\n", input, out);
    body += fmt::format("    for __i in range({0}.grid(1), {1}.size, {0}.gridsize(1)):\n", cuda, out);
    for (int rank = 1; rank <= limits::array_rank; ++rank) {
      body += fmt::format("        {} {}.ndim == {}:\n            __0 = __i\n", rank == 1 ? "if" : "elif",
                          out, rank);
      // The last axis is the fastest.
      std::vector<std::string> index{"__0"};
      for (int axis = rank - 1; axis > 0; --axis) {
        body += fmt::format(
            "            __{0} = __0 % {1}.shape[{0}]\n            __0 = __0 // {1}.shape[{0}]\n", axis, out);
        index.insert(index.begin() + 1, fmt::format("__{}", axis));
      }
      std::string place = fmt::format("{}", fmt::join(index, ", "));
      std::vector<std::string> elements;
      for (std::string_view input : inputs) elements.push_back(fmt::format("{}[{}]", input, place));
      body += fmt::format("            {}[{}] = {}({})\n", out, place, called, fmt::join(elements, ", "));
    }
    return body;
  }

  static std::string generalized_body(const ast::FunctionDef& function, const ast::Generated& generated,
                                      std::string_view called) {
    std::string body;
    std::string_view first_out = function.params[generated.inputs].name;
    struct Axis {
      std::string_view name;
      std::string extent;
    };
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < function.params.size(); ++i) {
      std::string_view param = function.params[i].name;
      if (param != first_out)
        body += fmt::format("    assert {}.shape[0] == {}.shape[0]\n", param, first_out);
      for (std::size_t axis = 0; axis < generated.layout[i].size(); ++axis) {
        std::string extent = fmt::format("{}.shape[{}]", param, axis + 1);
        auto known = std::ranges::find(axes, generated.layout[i][axis], &Axis::name);
        if (known != axes.end())
          body += fmt::format("    assert {} == {}\n", extent, known->extent);
        else
          axes.push_back({generated.layout[i][axis], extent});
      }
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < function.params.size(); ++i) {
      bool is_one_element = i >= generated.inputs && generated.layout[i].empty();
      parts.push_back(fmt::format("{}[__i{}]", function.params[i].name, is_one_element ? ":__i + 1" : ""));
    }
    body +=
        fmt::format("    for __i in range({0}.grid(1), {1}.shape[0], {0}.gridsize(1)):\n", cuda, first_out);
    return body + fmt::format("        {}({})\n", called, fmt::join(parts, ", "));
  }

  // Each thread joins what lies a grid apart, then a block what its threads have, then blocks take their turns, in
  // order: the same numbers are joined in the same order whenever the grid is the same.
  static std::string reduction_body(std::string_view called) {
    return fmt::format(R"(    __parts = {0}.shared.array(256, res.dtype)
    __t = {0}.threadIdx.x
    __block = {0}.blockIdx.x
    __blocks = max(min({0}.gridDim.x, 1024, (x.size + 255) // 256), 1)
    if __block >= __blocks:
        return
    __first = __block * 256 + __t
    if __first < x.size:
        __joined = x[__first]
        for __i in range(__first + __blocks * 256, x.size, __blocks * 256):
            __joined = {1}(__joined, x[__i])
        __parts[__t] = __joined
    {0}.syncthreads()
    __half = 128
    while __half > 0:
        if __t < __half and __first + __half < x.size:
            __parts[__t] = {1}(__parts[__t], __parts[__t + __half])
        {0}.syncthreads()
        __half = __half // 2
    if __t == 0:
        while {0}.atomic.cas(turn, 0, __block, __block) != __block:
            pass
        {0}.threadfence()
        if __block == 0:
            res[0] = init
        if x.size > 0:
            res[0] = {1}(res[0], __parts[0])
        {0}.threadfence()
        {0}.atomic.exch(turn, 0, __block + 1 if __block + 1 < __blocks else 0)
)",
                       cuda, called);
  }

  // ---- Trees ----

  // Parses the text of a kernel; null where that is wrong, which is ours.
  const ast::Module* parse_text(std::string name, std::string text) {
    FileId file = sources.add(std::move(name), std::move(text));
    std::vector<Token> tokens = lex(sources, file, diagnostics);
    return parse(sources, file, tokens, TopLevel::Host, arena, diagnostics);
  }

  // Puts an import, the function by another name, and the kernel in the place of a function.
  bool replace(const ast::FunctionDef& function, Kind kind, std::vector<const ast::Stmt*>& items) {
    bool is_plain = std::all_of(function.params.begin(), function.params.end(),
                                [](const ast::Param& param) { return param.kind == ast::ParamKind::Normal; });
    auto* generated = arena.make<ast::Generated>();
    generated->kind = kind;
    if (!is_plain || function.params.empty()) return false;
    if (kind == Kind::Reduction && function.params.size() != 2) return false;
    if (kind == Kind::Generalized && !read_layout(function, *generated)) return false;
    Texts inputs;
    for (const ast::Param& param : function.params) inputs.push_back(param.name);
    std::string called = fmt::format("{}__element", function.name);
    // A function that is defined again has one of its own: the kernel before it still calls the first.
    auto again = std::ranges::count_if(items, [&](const ast::Stmt* item) {
      const auto* other = ast::as<ast::FunctionDef>(item);
      return other && other->generated && other->name == function.name;
    });
    if (again > 0) called += std::to_string(again + 1);
    std::string params, body, options;
    if (kind == Kind::Elementwise) {
      std::string out = "out";
      while (std::ranges::find(inputs, out) != inputs.end()) out += "_";
      params = fmt::format("{}, {}", fmt::join(inputs, ", "), out);
      body = elementwise_body(inputs, out, called);
      generated->inputs = inputs.size();
    } else if (kind == Kind::Generalized) {
      params = fmt::format("{}", fmt::join(inputs, ", "));
      body = generalized_body(function, *generated, called);
    } else {
      params = "x, res, init, turn";
      body = reduction_body(called);
      options = "block=256";
      generated->inputs = 1;
    }
    std::string text =
        fmt::format("from numba import cuda as {0}\n@{0}.jit(device=True)\ndef {1}():\n    pass\n"
                    "@{0}.jit({2})\ndef {3}({4}):\n{5}",
                    cuda, called, options, function.name, params, body);
    const ast::Module* parsed = parse_text(fmt::format("<kernel of {}>", function.name), std::move(text));
    if (parsed->items.size() != 3) return false;
    auto* import = arena.make<ast::FromImport>(*ast::as<ast::FromImport>(parsed->items[0]));
    const auto* head = ast::as<ast::FunctionDef>(parsed->items[1]);
    auto* kernel = arena.make<ast::FunctionDef>(*ast::as<ast::FunctionDef>(parsed->items[2]));
    auto* element = arena.make<ast::FunctionDef>(function);
    element->decorators = head->decorators;
    element->name = head->name;
    generated->function = element;
    kernel->generated = generated;
    take_signatures(function, kind, *kernel);
    kernel->name = function.name;
    kernel->name_span = function.name_span;
    import->span = kernel->span = function.span;
    for (const ast::Stmt* item :
         {static_cast<const ast::Stmt*>(import), static_cast<const ast::Stmt*>(element),
          static_cast<const ast::Stmt*>(kernel)})
      items.push_back(item);
    return true;
  }
};

} // namespace

// Returns the last function of that name before an item of a module.
static const ast::FunctionDef* function_before(const ast::Module& module, const ast::Stmt* item,
                                               std::string_view name) {
  const ast::FunctionDef* found = nullptr;
  for (const ast::Stmt* other : module.items) {
    const auto* function = ast::as<ast::FunctionDef>(other);
    if (other == item) break;
    if (function && function->name == name) found = function;
  }
  return found;
}

// Returns `f` with its decorator by the name that `name = cuda.Reduce(f)` or `name = vectorize([...])(f)`
// binds; null where an item is no such statement.
static const ast::FunctionDef* decorated_by_call(const Writer& writer, const ast::Stmt* item) {
  const auto* assign = ast::as<ast::Assign>(item);
  const auto* call = assign ? ast::as<ast::Call>(assign->value) : nullptr;
  const bool has_form = call && call->args.size() == 1 && assign->targets.size() == 1;
  const auto* target = has_form ? ast::as<ast::Name>(assign->targets[0]) : nullptr;
  if (!target) return nullptr;
  const auto* lambda = ast::as<ast::Lambda>(call->args[0]);
  const auto* name = ast::as<ast::Name>(call->args[0]);
  const ast::FunctionDef* function = lambda ? lambda->function : nullptr;
  if (name) function = function_before(writer.module, item, name->text);
  if (name && !function && &writer.module != &writer.outer)
    function = function_before(writer.outer, item, name->text);
  if (!function || !writer.kind_of(call->callee)) return nullptr;
  auto* copy = writer.arena.make<ast::FunctionDef>(*function);
  copy->decorators = writer.arena.copy(std::vector<const ast::Expr*>{call->callee});
  copy->name = target->text;
  copy->name_span = target->span;
  copy->span = assign->span;
  return copy;
}

static const ast::Module* generate_in(const Writer& around, const ast::Module& module, std::string path);

// Does it in the blocks of statements of the host; returns whether anything changed.
static bool generate_inside(const Writer& writer, std::vector<ast::HostStatement>& statements) {
  bool any = false;
  const auto replace = [&](const ast::Module*& code, const std::string& path) {
    const ast::Module* made = code ? generate_in(writer, *code, path) : nullptr;
    const bool is_changed = made != code;
    code = made;
    return is_changed;
  };
  for (ast::HostStatement& statement : statements) {
    const std::string path =
        statement.name.empty() ? writer.path : fmt::format("{}{}.", writer.path, statement.name);
    any |= replace(statement.code, path);
    std::vector<ast::HostClause> clauses(statement.clauses.begin(), statement.clauses.end());
    bool is_changed = false;
    for (ast::HostClause& clause : clauses) is_changed |= replace(clause.code, path);
    if (is_changed) statement.clauses = writer.arena.copy(clauses);
    any |= is_changed;
  }
  return any;
}

static const ast::Module* generate_in(const Writer& around, const ast::Module& module, std::string path) {
  Writer writer{around.sources,       module,          around.outer, around.defines,
                around.module_length, std::move(path), around.arena, around.diagnostics};
  std::vector<const ast::Stmt*> items;
  bool any = false;
  for (const ast::Stmt* item : module.items) {
    const auto* function = ast::as<ast::FunctionDef>(item);
    if (!function) function = decorated_by_call(writer, item);
    const std::optional<Kind> kind =
        function ? writer.kind_of(Writer::decorator_of(*function)) : std::nullopt;
    const bool is_replaced = kind && writer.replace(*function, *kind, items);
    any = any || is_replaced;
    if (!is_replaced) items.push_back(item);
  }
  std::vector<ast::HostStatement> statements(module.statements.begin(), module.statements.end());
  any |= generate_inside(writer, statements);
  if (!any) return &module;
  auto* result = writer.arena.make<ast::Module>(module);
  result->items = writer.arena.copy(items);
  result->statements = writer.arena.copy(statements);
  return result;
}

const ast::Module* generate_kernels(SourceManager& sources, const ast::Module& module, std::string_view name,
                                    std::span<const Define> defines, Arena& arena, Diagnostics& diagnostics) {
  std::string path = name.empty() ? "" : fmt::format("{}.", name);
  const Writer whole{sources, module, module, defines, path.size(), path, arena, diagnostics};
  return generate_in(whole, module, path);
}

} // namespace kern

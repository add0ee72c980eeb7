// Finds the overloads of a function, runs the one that fits on the types of a call, and calls what it
// returns. Overloads are compared by the function that a name means, not by the name, since a file may import
// it as it likes.
#include "compiler/check/overloads.h"

#include <algorithm>
#include <cctype>

#include "compiler/ast/walk.h"
#include "compiler/check/checker.h"
#include "compiler/check/host_blocks.h"
#include "compiler/check/inner_functions.h"
#include "compiler/check/overload_names.h"
#include "compiler/check/type_values.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

namespace {

// ---- Which function a name means ----

std::pair<std::string_view, std::string_view> split(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == path.npos ? std::pair(path, std::string_view{})
                          : std::pair(path.substr(0, dot), path.substr(dot + 1));
}

std::string joined(std::string_view front, std::string_view rest) {
  return rest.empty() ? std::string(front) : fmt::format("{}.{}", front, rest);
}

// Returns what tells the function apart that a dotted name means: "numpy.flip" of one that no file has; "" where it is a
// value, a class, or a function that Numba compiles itself.
std::string function_meant(Context& context, FileScope& scope, std::string_view path,
                           const NameReader& reader) {
  constexpr int longest_chain = 8; // of imports
  auto [name, rest] = split(path);
  FileScope* owner = &scope;
  Symbol* symbol = find_symbol(context, scope, name, reader, &owner);
  if (!symbol) return std::string(path);
  auto member_of = [&](FileScope* file) {
    std::tie(name, rest) = split(rest);
    owner = file;
    symbol = name.empty() ? nullptr : find_own_symbol(context, *file, name, {});
  };
  for (int i = 0; i < longest_chain && symbol; ++i) {
    switch (symbol->kind) {
    case Symbol::Kind::Function:
      return rest.empty() && symbol->function->def->decorators.empty()
                 ? fmt::format("@{}", static_cast<const void*>(symbol->function->def))
                 : "";
    case Symbol::Kind::Host:
      return rest.empty() && symbol->reason == HostReason::Function && symbol->host
                 ? fmt::format("@{}", static_cast<const void*>(symbol->host))
                 : "";
    case Symbol::Kind::Import: {
      FileScope* file = find_file(context, *owner, symbol->module);
      if (!file) return joined(symbol->module, rest);
      member_of(file);
      break;
    }
    case Symbol::Kind::FromImport: {
      FileScope* file = find_file(context, *owner, symbol->module);
      const std::string below = module_below(symbol->module, symbol->text);
      if (file && file != owner) {
        symbol = find_own_symbol(context, *file, symbol->text, {});
        owner = file;
      } else if (FileScope* inner = find_file(context, *owner, below)) {
        member_of(inner);
      } else {
        return joined(below, rest);
      }
      break;
    }
    case Symbol::Kind::Constant:
    case Symbol::Kind::Struct: return "";
    }
  }
  return "";
}

// Returns the characters in front that a dotted name is made of.
std::string_view dotted_front(std::string_view text) {
  auto is_other = [](char c) {
    return !(c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) ||
             static_cast<unsigned char>(c) >= 0x80);
  };
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, is_other) - text.begin()));
}

// Returns what the first decorator of a function of the host is, as "numba.extending.overload"; "" of none of Numba's.
std::string decorator_meant(Context& context, FileScope& scope, const ast::HostStatement& statement) {
  if (statement.kind != ast::HostStatement::Kind::Function) return "";
  const std::string_view head =
      context.source({statement.span.file, statement.span.begin, statement.name_span.begin});
  if (!head.starts_with('@')) return "";
  std::string meant =
      function_meant(context, scope, dotted_front(head.substr(1)), {statement.span.begin, nullptr});
  return meant.starts_with("numba.") ? meant : "";
}

// ---- The overloads of a program ----

// Says whether a name is Numba's `overload`.
bool is_overload(Context& context, FileScope& scope, std::string_view callee, std::uint32_t place) {
  if (callee != "overload" && !callee.ends_with(".overload")) return false;
  const std::string meant = function_meant(context, scope, callee, {place, nullptr});
  return meant.starts_with("numba.") && meant.ends_with(".overload");
}

// Returns the text behind `target=` in the head of a function: "cuda"; "" where there is none that is written out.
std::string_view target_option(std::string_view head) {
  constexpr std::string_view option = "target=";
  std::size_t at = head.find(option);
  if (at == head.npos) return "";
  at += option.size();
  const char quote = at < head.size() ? head[at] : ' ';
  const std::size_t end = quote == '"' || quote == '\'' ? head.find(quote, at + 1) : head.npos;
  return end == head.npos ? "" : head.substr(at + 1, end - at - 1);
}

// Adds what the head of a function makes of it.
void add_overload(Context& context, FileScope& scope, const ast::HostStatement& statement,
                  std::vector<Overload>& found) {
  for (const ast::NameUse& use : statement.head_uses) {
    if (!is_overload(context, scope, use.callee, use.span.begin)) continue;
    const std::string_view head = context.source({use.span.file, use.span.begin, statement.name_span.begin});
    const std::string_view target = target_option(head);
    const bool is_ours = target.empty() || target == "cuda" || target == "gpu" || target == "generic";
    std::string meant = function_meant(context, scope, dotted_front(head), {use.span.begin, nullptr});
    // types.Literal, IntegerLiteral, x.literal_value
    const std::string_view code =
        context.source({use.span.file, statement.name_span.end, statement.span.end});
    const bool asks = code.find("iteral") != code.npos;
    if (is_ours && !meant.empty())
      found.push_back({&scope, &statement, std::move(meant), target == "cuda" || target == "gpu", asks,
                       asks && head.find("prefer_literal=True") != head.npos});
    // Other names there are those of its options.
    return;
  }
}

const std::vector<Overload>& overloads_of(Context& context) {
  if (context.overloads) return *context.overloads;
  std::vector<Overload> found;
  for (const auto& file : context.files) {
    if (!file->is_numba()) continue;
    for_each_scope(*file, [&](FileScope& scope) {
      for (const ast::HostStatement& statement : scope.tree->statements)
        if (statement.kind == ast::HostStatement::Kind::Function && statement.body)
          add_overload(context, scope, statement, found);
    });
  }
  std::ranges::stable_partition(found, &Overload::is_cuda);
  return context.overloads.emplace(std::move(found));
}

// ---- A call ----

// Returns the types of the arguments by the parameters of an overload; nothing where they do not fit.
std::optional<std::vector<Value>> types_of(Checker& checker, const Overload& overload,
                                           const Checker::Args& args) {
  std::span<const ast::Param> params = overload.host->params;
  std::vector<std::optional<Value>> bound(params.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].kind == ast::ParamKind::Normal) {
      if (next < args.positional.size()) bound[i] = type_of_argument(checker, args.positional[next++]);
      continue;
    }
    std::vector<Value> rest;
    while (next < args.positional.size()) rest.push_back(type_of_argument(checker, args.positional[next++]));
    const bool is_known = std::ranges::none_of(rest, is_error);
    const Span span = params[i].span;
    bound[i] = is_known ? tuple_value(std::move(rest), span) : error_value(span);
  }
  if (next < args.positional.size()) return std::nullopt;
  for (const auto& [name, value] : args.keywords) {
    const auto param = std::ranges::find(params, name, &ast::Param::name);
    const auto place = static_cast<std::size_t>(param - params.begin());
    if (param == params.end() || bound[place]) return std::nullopt;
    bound[place] = type_of_argument(checker, value);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!bound[i] && params[i].default_value)
      bound[i] = constant_of_expr(checker.context, *overload.scope, *params[i].default_value);
    if (!bound[i]) return std::nullopt;
    values.push_back(std::move(*bound[i]));
  }
  return values;
}

// Says whether a function takes what its overload takes: the same names, with the same defaults.
bool has_same_params(Context& context, const Overload& overload, const FunctionSymbol& made) {
  std::span<const ast::Param> wanted = overload.host->params, params = made.def->params;
  if (wanted.size() != params.size()) return false;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const ast::Expr *a = wanted[i].default_value, *b = params[i].default_value;
    if (wanted[i].name != params[i].name || wanted[i].kind != params[i].kind || !a != !b) return false;
    if (!a || context.source(a->span) == context.source(b->span)) continue;
    const Value one = constant_of_expr(context, *overload.scope, *a),
                other = constant_of_expr(context, *made.file, *b);
    if (is_error(one) || is_error(other) || !same_constant(one, other)) return false;
  }
  return true;
}

// The function that an overload makes of the types of a call.
struct Made {
  const FunctionSymbol* function = nullptr; // null where it takes none of these types
  bool is_known = true;
  Outcome outcome;
};

Made made_of(Context& context, const Overload& overload, const std::vector<Value>& types) {
  const ReportingScope quiet(context.diagnostics, false); // Python's code: no error of the program
  FileScope& body = body_of_host(context, *overload.scope, *overload.host, types);
  Made made;
  made.outcome = outcome_of(context, body);
  if (made.outcome.kind == Outcome::Kind::Unknown) made.is_known = false;
  if (!made.outcome.result) return made;
  const Value result = constant_of_expr(context, *made.outcome.scope, *made.outcome.result);
  made.is_known = result.kind == ValueKind::Function || result.kind == ValueKind::None;
  made.function = result.kind == ValueKind::Function ? result.function : nullptr;
  return made;
}

Made made_by(Checker& checker, const Overload& overload, const Checker::Args& args, Span span) {
  std::optional<std::vector<Value>> types;
  {
    const ReportingScope quiet(checker.context.diagnostics, false);
    types = types_of(checker, overload, args);
  }
  if (!types || !checker.count_steps(types->size() + 1, span)) return {};
  return made_of(checker.context, overload, *types);
}

// Reports an overload that returns a parameter of a function around it; false where it returns something else.
bool report_captured(Checker& checker, const Outcome& outcome, Span span) {
  const auto* result = ast::as<ast::Name>(outcome.result);
  if (!result) return false;
  FileScope* owner = outcome.scope;
  const Symbol* symbol =
      find_symbol(checker.context, *outcome.scope, result->text, {result->span.begin, nullptr}, &owner);
  if (!symbol || symbol->kind != Symbol::Kind::Host || symbol->reason != HostReason::Captured) return false;
  checker.report_host_symbol(*owner, result->text, *symbol, span);
  return true;
}

// Reports an overload of which nobody knows what it returns.
void report_unknown(Checker& checker, std::string_view name, const Overload& overload, const Outcome& outcome,
                    Span span) {
  Report error = checker.report(span, diag::overloaded_function, name);
  error.note(outcome.span,
             "`{}` makes its code, and what it does here does not follow from the types of the call",
             overload.host->name);
}

// Says whether a name means something without any overload.
bool is_known_name(Checker& checker, const ast::Expr& callee) {
  const ReportingScope quiet(checker.context.diagnostics, false);
  Checker again(checker.context, checker.scope, nullptr);
  return !is_error(again.evaluate(callee));
}

bool is_unknown_argument(const Checker::Args& args) {
  return std::ranges::any_of(args.positional, has_unknown) ||
         std::ranges::any_of(args.keywords, [](const auto& keyword) { return has_unknown(keyword.second); });
}

bool has_literal(const Checker::Args& args) {
  auto is_one = [](const Value& value) {
    return is_literal(value) || value.kind == ValueKind::String || value.is_written;
  };
  return std::ranges::any_of(args.positional, is_one) ||
         std::ranges::any_of(args.keywords, [&](const auto& keyword) { return is_one(keyword.second); });
}

std::string described(Checker& checker, const Checker::Args& args) {
  std::string text;
  for (const Value& value : args.positional) text += (text.empty() ? "" : ", ") + checker.describe(value);
  for (const auto& [name, value] : args.keywords)
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", name, checker.describe(value));
  return text.empty() ? "no arguments" : text;
}

// Returns the overloads of what a callee means, in the order in which they are asked.
std::vector<const Overload*> candidates_of(Checker& checker, const ast::Expr& callee) {
  if (!checker.instance || !checker.scope->is_numba()) return {};
  Context& context = checker.context;
  const std::vector<Overload>& all = overloads_of(context);
  if (all.empty()) return {};
  const std::string name = ast::dotted_name(callee);
  const std::string_view first = split(name).first;
  if (name.empty() || checker.find_local(first) || inner_function(checker, first, callee.span)) return {};
  const std::string meant = function_meant(context, *checker.scope, name, checker.reader_of(callee.span));
  std::vector<const Overload*> candidates;
  for (const Overload& overload : all)
    if (!meant.empty() && overload.target == meant) candidates.push_back(&overload);
  const bool is_foreign = !meant.starts_with('@');
  if (!candidates.empty() && is_foreign && is_known_name(checker, callee)) return {};
  return candidates;
}

} // namespace

std::optional<Value> call_of_overload(Checker& checker, const ast::Call& call) {
  const std::vector<const Overload*> candidates = candidates_of(checker, *call.callee);
  if (candidates.empty()) return std::nullopt;
  Context& context = checker.context;
  const std::string name = ast::dotted_name(*call.callee);
  std::optional<Checker::Args> args = checker.evaluate_args(call);
  if (!args) return error_value(call.span);
  const bool waits = is_unknown_argument(*args);
  for (const Overload* overload : candidates) {
    if (overload->prefers_literals && has_literal(*args)) {
      checker.report(call.span, diag::overloaded_function, name)
          .note(overload->host->name_span,
                "`{}` is given what a literal is, by `prefer_literal`, and here it would be given its type",
                overload->host->name);
      return error_value(call.span);
    }
    const Made made = made_by(checker, *overload, *args, call.span);
    if (!made.is_known) {
      // If the types are not known yet, neither is what follows from them; captured values follow from none.
      if (report_captured(checker, made.outcome, call.span)) return error_value(call.span);
      if (waits) return unknown_value(call.span);
      report_unknown(checker, name, *overload, made.outcome, call.span);
      return error_value(call.span);
    }
    if (!made.function) continue;
    if (!has_same_params(context, *overload, *made.function)) {
      checker.report(call.span, diag::overload_parameters, name)
          .note(overload->host->name_span, "`{}` is given the types of the call", overload->host->name)
          .note(made.function->def->name_span,
                "it returns this function, which must take the same parameters");
      return error_value(call.span);
    }
    return waits ? unknown_value(call.span) : checker.call_function(*made.function, *args, call.span);
  }
  if (waits) return unknown_value(call.span);
  Report error = checker.report(call.span, diag::no_overload, name, described(checker, *args));
  for (const Overload* overload : candidates)
    error.note(overload->host->name_span, "`{}` returns no function for them{}", overload->host->name,
               overload->asks_for_literals && has_literal(*args)
                   ? "; what a literal is, for which Numba asks then, is not told here"
                   : "");
  return error_value(call.span);
}

bool has_overload(Context& context, const FunctionSymbol& function) {
  const std::string meant = fmt::format("@{}", static_cast<const void*>(function.def));
  return std::ranges::any_of(overloads_of(context),
                             [&](const Overload& overload) { return overload.target == meant; });
}

void note_overloaded_attribute(Checker& checker, Report& error, std::string_view name) {
  Context& context = checker.context;
  const std::string quoted[] = {fmt::format("\"{}\"", name), fmt::format("'{}'", name)};
  for (const auto& file : context.files) {
    if (!file->is_numba()) continue;
    for_each_scope(*file, [&](FileScope& scope) {
      for (const ast::HostStatement& statement : scope.tree->statements) {
        const std::string meant = decorator_meant(context, scope, statement);
        const bool is_method = meant.ends_with(".overload_method");
        if (!is_method && !meant.ends_with(".overload_attribute")) continue;
        const std::string_view head =
            context.source({statement.span.file, statement.span.begin, statement.name_span.begin});
        if (head.find(quoted[0]) == head.npos && head.find(quoted[1]) == head.npos) continue;
        error.note(statement.name_span,
                   "`@{}` makes it of types of Numba, which is not here; write a device function, `{}(x)`",
                   is_method ? "overload_method" : "overload_attribute", name);
      }
    });
  }
}

bool is_intrinsic(Context& context, FileScope& scope, Span name) {
  return std::ranges::any_of(scope.tree->statements, [&](const ast::HostStatement& statement) {
    return statement.name_span == name && decorator_meant(context, scope, statement).ends_with(".intrinsic");
  });
}

std::optional<const FunctionSymbol*> overload_without_types(Checker& checker, const ast::Expr& callee) {
  const std::vector<const Overload*> candidates = candidates_of(checker, callee);
  if (candidates.empty()) return std::nullopt;
  Context& context = checker.context;
  const Overload& overload = *candidates.front();
  const std::vector<Value> unknown(overload.host->params.size(), unknown_value(callee.span));
  const Made made = made_of(context, overload, unknown);
  if (!made.function) {
    report_captured(checker, made.outcome, callee.span);
    return nullptr;
  }
  // An overload may lead back to itself, so the names are looked over in a new instance only.
  const std::size_t before = context.instances.size();
  std::vector<Value> args(made.function->def->params.size(), unknown_value(callee.span));
  find_instance(context, *made.function, std::move(args), false, nullptr, callee.span);
  return context.instances.size() > before ? made.function : nullptr;
}

} // namespace kern::checker

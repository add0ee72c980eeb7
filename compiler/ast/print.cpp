// One node a line; what a child is for is said where the order alone does not tell it.
#include "compiler/ast/print.h"

#include <algorithm>

#include <fmt/format.h>

namespace kern::ast {

namespace {

struct Printer {
  std::string out = {};
  std::size_t depth = 0;

  void line(std::string_view text) {
    fmt::format_to(std::back_inserter(out), "{:{}}{}\n", "", 2 * depth, text);
  }
  void line(Kind kind, std::string_view rest) { line(fmt::format("{} {}", name(kind), rest)); }

  // Prints a heading and what `body` prints, indented below it.
  template <class Body> void below(std::string_view heading, Body body) {
    line(heading);
    ++depth;
    body();
    --depth;
  }

  void child(const Expr* expr) {
    ++depth;
    print(*expr);
    --depth;
  }
  void children(ExprList exprs) {
    for (const Expr* expr : exprs) child(expr);
  }
  // Prints a part that may be missing, below its role.
  void part(std::string_view role, const Expr* expr) {
    if (expr) below(role, [&] { print(*expr); });
  }
  void part(std::string_view role, ExprList exprs) {
    if (exprs.empty()) return;
    below(role, [&] {
      for (const Expr* expr : exprs) print(*expr);
    });
  }
  void part(std::string_view role, Block block) {
    if (block.empty()) return;
    below(role, [&] {
      for (const Stmt* stmt : block) print(*stmt);
    });
  }

  void print(const Node& node);
  void print_compare(const Compare& compare);
  void print_call(const Call& call);
  void print_function(const FunctionDef& function);
  void print_import(const FromImport& import);
};

} // namespace

// Returns text in quotes, its quotes, backslashes and control characters escaped.
static std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else if (c == '\'' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  }
  return out + "'";
}

void Printer::print_compare(const Compare& compare) {
  std::string ops;
  for (CompareOp op : compare.ops)
    fmt::format_to(std::back_inserter(ops), "{}{}", ops.empty() ? "" : ", ", spelling(op));
  line(Kind::Compare, ops);
  children(compare.operands);
}

void Printer::print_call(const Call& call) {
  below("Call", [&] {
    print(*call.callee);
    part("args", call.args);
    for (const Keyword& keyword : call.keywords) part(fmt::format("keyword {}", keyword.name), keyword.value);
  });
}

void Printer::print_function(const FunctionDef& function) {
  below(fmt::format("FunctionDef {}", function.name), [&] {
    part("decorators", function.decorators);
    for (const Param& param : function.params) {
      below(fmt::format("param {}{}", param.kind == ParamKind::VarArgs ? "*" : "", param.name), [&] {
        part("annotation", param.annotation);
        part("default", param.default_value);
      });
    }
    part("returns", function.returns);
    part("body", function.body);
  });
}

void Printer::print_import(const FromImport& import) {
  below(fmt::format("FromImport {}", import.module), [&] {
    for (const ImportedName& name : import.names)
      line(name.name == name.alias ? fmt::format("{}", name.name)
                                   : fmt::format("{} as {}", name.name, name.alias));
  });
}

void Printer::print(const Node& node) {
  switch (node.kind) {
  case Kind::Name: return line(node.kind, get<Name>(node).text);
  case Kind::IntLiteral: return line(node.kind, fmt::format("{}", get<IntLiteral>(node).value));
  case Kind::FloatLiteral: return line(node.kind, fmt::format("{:#}", get<FloatLiteral>(node).value));
  case Kind::ImaginaryLiteral:
    return line(node.kind, fmt::format("{:#}j", get<ImaginaryLiteral>(node).value));
  case Kind::BoolLiteral: return line(node.kind, get<BoolLiteral>(node).value ? "True" : "False");
  case Kind::StringLiteral: return line(node.kind, quoted(get<StringLiteral>(node).value));
  case Kind::NoneLiteral:
  case Kind::EllipsisLiteral:
  case Kind::Break:
  case Kind::Continue:
  case Kind::Pass: return line(name(node.kind));
  case Kind::Unary: line(node.kind, spelling(get<Unary>(node).op)); return child(get<Unary>(node).operand);
  case Kind::Binary:
    line(node.kind, spelling(get<Binary>(node).op));
    child(get<Binary>(node).left);
    return child(get<Binary>(node).right);
  case Kind::Compare: return print_compare(get<Compare>(node));
  case Kind::BoolOp:
    line(node.kind, spelling(get<BoolOp>(node).op));
    return children(get<BoolOp>(node).operands);
  case Kind::Conditional:
    return below("Conditional", [&] {
      part("condition", get<Conditional>(node).condition);
      part("then", get<Conditional>(node).then_value);
      part("else", get<Conditional>(node).else_value);
    });
  case Kind::Call: return print_call(get<Call>(node));
  case Kind::Subscript:
    return below("Subscript", [&] {
      print(*get<Subscript>(node).value);
      part("indices", get<Subscript>(node).indices);
    });
  case Kind::Slice:
    return below("Slice", [&] {
      part("start", get<Slice>(node).start);
      part("stop", get<Slice>(node).stop);
      part("step", get<Slice>(node).step);
    });
  case Kind::Attribute: line(node.kind, get<Attribute>(node).name); return child(get<Attribute>(node).value);
  case Kind::Tuple: line("Tuple"); return children(get<Tuple>(node).elements);
  case Kind::List: line("List"); return children(get<List>(node).elements);
  case Kind::Set: line("Set"); return children(get<Set>(node).elements);
  case Kind::Comprehension:
    return below("Comprehension", [&] {
      const auto& made = get<Comprehension>(node);
      for (const ComprehensionClause& clause : made.clauses)
        print(*clause.target), print(*clause.iterable), children(clause.conditions);
      if (made.key) print(*made.key);
      print(*made.element);
    });
  case Kind::NamedExpr:
    return below(fmt::format("NamedExpr {}", get<NamedExpr>(node).target->text),
                 [&] { print(*get<NamedExpr>(node).value); });
  case Kind::Starred: line("Starred"); return child(get<Starred>(node).value);
  case Kind::Dict:
    return below("Dict", [&] {
      part("keys", get<Dict>(node).keys);
      part("values", get<Dict>(node).values);
    });
  case Kind::Lambda: return below("Lambda", [&] { print_function(*get<Lambda>(node).function); });
  case Kind::ExprStmt: line("ExprStmt"); return child(get<ExprStmt>(node).value);
  case Kind::Assign:
    return below("Assign", [&] {
      part("targets", get<Assign>(node).targets);
      part("value", get<Assign>(node).value);
    });
  case Kind::AugAssign:
    line(node.kind, fmt::format("{}=", spelling(get<AugAssign>(node).op)));
    child(get<AugAssign>(node).target);
    return child(get<AugAssign>(node).value);
  case Kind::AnnAssign:
    return below("AnnAssign", [&] {
      part("target", get<AnnAssign>(node).target);
      part("annotation", get<AnnAssign>(node).annotation);
      part("value", get<AnnAssign>(node).value);
    });
  case Kind::If:
    return below("If", [&] {
      part("condition", get<If>(node).condition);
      part("then", get<If>(node).then_body);
      part("else", get<If>(node).else_body);
    });
  case Kind::Delete:
    return below("Delete", [&] {
      for (const Expr* target : get<Delete>(node).targets) print(*target);
    });
  case Kind::While:
    return below("While", [&] {
      part("condition", get<While>(node).condition);
      part("body", get<While>(node).body);
      part("else", get<While>(node).else_body);
    });
  case Kind::For:
    return below("For", [&] {
      part("target", get<For>(node).target);
      part("iterable", get<For>(node).iterable);
      part("body", get<For>(node).body);
      part("else", get<For>(node).else_body);
    });
  case Kind::Return:
    return below("Return", [&] {
      if (get<Return>(node).value) print(*get<Return>(node).value);
    });
  case Kind::Assert:
    return below("Assert", [&] {
      part("condition", get<Assert>(node).condition);
      part("message", get<Assert>(node).message);
    });
  case Kind::Raise:
    return below("Raise", [&] {
      if (get<Raise>(node).value) print(*get<Raise>(node).value);
    });
  case Kind::FunctionDef: return print_function(get<FunctionDef>(node));
  case Kind::StructDef:
    return below(fmt::format("StructDef {}", get<StructDef>(node).name), [&] {
      part("decorators", get<StructDef>(node).decorators);
      part("body", get<StructDef>(node).body);
    });
  case Kind::Import:
    return line(node.kind, fmt::format("{} as {}", get<Import>(node).module, get<Import>(node).alias));
  case Kind::FromImport: return print_import(get<FromImport>(node));
  }
}

std::string print(const Module& module) {
  Printer printer;
  printer.below("Module", [&] {
    for (const Stmt* item : module.items) printer.print(*item);
    const auto skipped =
        std::ranges::count_if(module.statements, [](const HostStatement& each) { return !each.is_item; });
    if (skipped > 0) printer.line(fmt::format("skipped {}", skipped));
  });
  return std::move(printer.out);
}

} // namespace kern::ast

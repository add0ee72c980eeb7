// Parses the inside of host code: of functions, classes and compound statements. It is parsed as the top level of a .py
// file is, but always aside: nothing in it is an error until a kernel needs it.
#include <algorithm>

#include "compiler/ast/walk.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::Expr;
using ast::HostStatement;
using ast::Stmt;

namespace {

// Code that is nested deeper has no trees.
constexpr std::size_t deepest_host_code = 12;

struct BodyParser {
  Parser& parser;
  std::size_t begin, end; // of the statement's tokens

  TokenKind kind(std::size_t i) const { return i < end ? parser.tokens[i].kind : TokenKind::EndOfFile; }
  std::string_view text(std::size_t i) const { return parser.text(parser.tokens[i]); }

  // Returns the place of the keyword of a definition behind its decorators.
  std::size_t keyword() const {
    std::size_t i = begin;
    while (kind(i) == TokenKind::At) {
      while (i < end && kind(i) != TokenKind::Newline) ++i;
      ++i;
    }
    return kind(i) == TokenKind::Async ? i + 1 : i;
  }

  // Parses the statements of a block whose Indent is at `i`; moves it behind them.
  void parse_block(std::size_t& i, std::vector<const Stmt*>& items,
                   std::vector<HostStatement>& statements) const {
    Diagnostics aside;
    Parser inner{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, i + 1};
    inner.host_depth = parser.host_depth + 1;
    while (inner.position < end && !inner.at(TokenKind::Dedent) && !inner.at(TokenKind::EndOfFile)) {
      if (inner.accept(TokenKind::Newline)) continue;
      inner.parse_host_item(items, statements);
    }
    i = inner.position + 1;
  }

  // The same of those behind a colon, on its line.
  void parse_line(std::size_t& i, std::vector<const Stmt*>& items,
                  std::vector<HostStatement>& statements) const {
    std::size_t stop = i;
    while (stop < end && kind(stop) != TokenKind::Newline) ++stop;
    Diagnostics aside;
    // The clauses behind are none of this line. A parser's last token ends a line or the file.
    const auto& tokens = parser.tokens;
    Parser inner{parser.sources,
                 parser.file,
                 kind(stop) == TokenKind::Newline ? tokens.first(std::min(stop + 1, tokens.size())) : tokens,
                 parser.top_level,
                 parser.arena,
                 aside,
                 i};
    inner.host_depth = parser.host_depth + 1;
    while (inner.position < stop && !inner.at_line_end()) {
      std::size_t before = inner.position;
      inner.parse_host_item(items, statements);
      if (inner.position == before) break;
    }
    i = std::max(stop, i);
  }

  // Parses the statements behind the colon of a clause or definition; moves `i`, which is there, behind them.
  const ast::Module* parse_code(std::size_t& i) const {
    std::vector<const Stmt*> items;
    std::vector<HostStatement> statements;
    const bool is_block = kind(i + 1) == TokenKind::Newline && kind(i + 2) == TokenKind::Indent;
    i += is_block ? 2 : 1;
    is_block ? parse_block(i, items, statements) : parse_line(i, items, statements);
    return parser.make_module(items, statements);
  }

  // Returns the place of the colon that ends the head of a clause.
  std::size_t colon_of(std::size_t i) const {
    return parser.find_outside(i, end,
                               [](TokenKind k) { return k == TokenKind::Colon || k == TokenKind::Newline; });
  }

  static ast::HostClause::Kind kind_of(TokenKind keyword) {
    using Kind = ast::HostClause::Kind;
    constexpr std::pair<TokenKind, Kind> kinds[] = {
        {TokenKind::If, Kind::If},     {TokenKind::Elif, Kind::If},       {TokenKind::Else, Kind::Else},
        {TokenKind::Try, Kind::Try},   {TokenKind::Except, Kind::Except}, {TokenKind::Finally, Kind::Finally},
        {TokenKind::With, Kind::With}, {TokenKind::For, Kind::For},       {TokenKind::While, Kind::While},
    };
    for (const auto& [token, clause] : kinds)
      if (token == keyword) return clause;
    return Kind::Case;
  }

  // Parses what stands between the keyword of a clause at `i` and its colon.
  void parse_subject(std::size_t i, ast::HostClause& clause) const {
    using Kind = ast::HostClause::Kind;
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, i + 1};
    if (clause.kind == Kind::For) {
      const Expr* target = trial.parse_expression_list(true);
      if (!target || !trial.check_target(target) || !trial.accept(TokenKind::In)) return;
      clause.target = target;
    }
    if (clause.kind == Kind::With) return parse_managers(trial, clause);
    const bool may_be_list = clause.kind == Kind::For || clause.kind == Kind::Case;
    const Expr* subject = may_be_list ? trial.parse_expression_list() : trial.parse_expression();
    if (subject && trial.error_count == 0 && trial.at(TokenKind::Colon)) clause.subject = subject;
  }

  // with a as b, c as d: several are tuples.
  void parse_managers(Parser& trial, ast::HostClause& clause) const {
    std::vector<const Expr*> subjects, targets;
    const Span start = trial.peek().span;
    do {
      subjects.push_back(trial.parse_expression());
      if (!subjects.back()) return;
      if (!trial.accept(TokenKind::As)) continue;
      targets.push_back(trial.parse_or());
      if (!targets.back()) return;
    } while (trial.accept(TokenKind::Comma));
    if (trial.error_count > 0 || !trial.at(TokenKind::Colon)) return;
    auto all = [&](const std::vector<const Expr*>& parts) -> const Expr* {
      if (parts.size() < 2) return parts.empty() ? nullptr : parts.front();
      auto* tuple = parser.arena.make<ast::Tuple>(trial.since(start));
      tuple->elements = parser.arena.copy(parts);
      return tuple;
    };
    clause.subject = all(subjects);
    clause.target = all(targets);
  }

  // Returns the head of a class, which is a call or a name by its look; null where it could not be parsed.
  const Expr* parse_head(std::size_t keyword) const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level,
                 parser.arena,   aside,       keyword + 1};
    const Expr* head = trial.parse_expression();
    return trial.error_count == 0 ? head : nullptr;
  }

  // Parses the decorators of a function or class; false where they could not be parsed.
  bool parse_decorators(ast::ExprList& list) const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, begin};
    std::vector<const Expr*> decorators;
    while (trial.accept(TokenKind::At)) {
      decorators.push_back(trial.parse_expression());
      if (trial.error_count > 0 || !trial.accept(TokenKind::Newline)) return false;
    }
    list = parser.arena.copy(decorators);
    return true;
  }

  // Parses the clauses of a compound statement, whose keyword is at `i`.
  std::vector<ast::HostClause> parse_clauses(std::size_t i, HostStatement& statement) const {
    using Kind = ast::HostClause::Kind;
    std::vector<ast::HostClause> clauses;
    ast::HostClause asked; // by `match`
    asked.kind = Kind::Case;
    if (kind(i) == TokenKind::Name) {
      parse_subject(i, asked);
      if (!asked.subject) statement.uses = parser.names_in_head(i, colon_of(i));
      i = colon_of(i) + 3; // behind Newline and Indent
    }
    while (i < end) {
      bool is_clause =
          kind(i) != TokenKind::Newline && kind(i) != TokenKind::Dedent && kind(i) != TokenKind::EndOfFile;
      if (!is_clause) {
        ++i;
        continue;
      }
      const std::size_t head = i, colon = colon_of(i);
      ast::HostClause clause;
      clause.kind = kind_of(kind(head));
      clause.head = cover(parser.tokens[head].span, parser.tokens[std::min(colon, end - 1)].span);
      const bool has_subject = clause.kind == Kind::If || clause.kind == Kind::For ||
                               clause.kind == Kind::While || clause.kind == Kind::With;
      if (has_subject) parse_subject(head, clause);
      if (clause.kind == Kind::Case && clauses.empty()) clause.subject = asked.subject;
      if (clause.kind == Kind::Case || (has_subject && !clause.subject))
        clause.uses = parser.names_in_head(head, colon);
      i = colon;
      clause.code = parse_code(i);
      clauses.push_back(clause);
      i = std::max(i, colon + 1);
    }
    return clauses;
  }

  // Parses the parameters of a function; where some are none of Kern's, their names alone, and false is returned.
  bool parse_params(std::size_t def, std::span<const ast::Param>& params) const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, def};
    ast::FunctionDef* head = trial.parse_signature({}, parser.tokens[def].span);
    const bool is_whole = head && trial.error_count == 0;
    params = is_whole ? head->params : parser.arena.copy(name_params(def));
    return is_whole;
  }

  // The names of parameters of which some are none of Kern's.
  std::vector<ast::Param> name_params(std::size_t def) const {
    std::vector<ast::Param> params;
    std::size_t depth = 0;
    for (std::size_t i = def + 1; i < end && kind(i) != TokenKind::Newline; ++i) {
      if (opens_bracket(kind(i))) ++depth;
      if (closes_bracket(kind(i)) && --depth == 0) break;
      TokenKind before = kind(i - 1);
      bool is_param = depth == 1 && kind(i) == TokenKind::Name &&
                      (before == TokenKind::LeftParen || before == TokenKind::Comma ||
                       before == TokenKind::Star || before == TokenKind::StarStar);
      if (!is_param) continue;
      ast::Param param;
      param.name = text(i);
      param.span = parser.tokens[i].span;
      params.push_back(param);
    }
    return params;
  }
};

// Says whether the bases of a class name an enumeration.
bool is_enum(ast::ExprList bases) {
  constexpr std::string_view names[] = {"Enum", "IntEnum", "IntFlag", "Flag"};
  return std::ranges::any_of(bases, [&](const Expr* base) {
    const std::string name = ast::dotted_name(*base);
    return std::ranges::find(names, std::string_view(name).substr(name.rfind('.') + 1)) != std::end(names);
  });
}

} // namespace

bool Parser::is_match_statement(std::size_t begin) const {
  Diagnostics aside;
  return Parser{sources, file, tokens, top_level, arena, aside, begin}.at_match_statement();
}

void Parser::parse_host_body(std::size_t begin, HostStatement& statement) {
  const BodyParser body{*this, begin, position};
  const std::size_t keyword = body.keyword();
  const TokenKind first = body.kind(keyword);
  const bool is_function = first == TokenKind::Def, is_class = first == TokenKind::Class;
  if ((is_function || is_class) && body.kind(keyword + 1) == TokenKind::Name) {
    statement.kind = is_class ? HostStatement::Kind::Class : HostStatement::Kind::Function;
    statement.name = body.text(keyword + 1);
    statement.name_span = tokens[keyword + 1].span;
  }
  if (statement.is_item && !is_function) return;
  const bool is_compound = first == TokenKind::If || first == TokenKind::Try || first == TokenKind::With ||
                           first == TokenKind::For || first == TokenKind::While || is_match_statement(begin);
  const bool is_too_deep = host_depth >= deepest_host_code;
  std::size_t colon = body.colon_of(keyword);
  if (is_compound && !is_too_deep) {
    statement.clauses = arena.copy(body.parse_clauses(keyword, statement));
  } else if (is_class && !is_too_deep) {
    statement.head = body.parse_head(keyword);
    const auto* call = statement.head ? ast::as<ast::Call>(statement.head) : nullptr;
    if (call) statement.bases = call->args;
    if (!body.parse_decorators(statement.decorators)) statement.head = nullptr;
    statement.is_enum = is_enum(statement.bases);
    statement.code = body.parse_code(colon);
  } else if (is_function && !is_too_deep) {
    const bool has_decorators = statement.is_item || body.parse_decorators(statement.decorators);
    const bool has_params = body.parse_params(keyword, statement.params);
    if (!has_decorators || !has_params) statement.uses = names_in_head(begin, colon);
    statement.code = body.parse_code(colon);
  } else if (!statement.is_item && statement.simple.empty() && statement.outer_names.empty()) {
    statement.uses = names_in_statements(begin, position);
  }
}

} // namespace kern

// Parses the inside of host code: functions that a function makes, that a class holds, or that stand under an
// `if`. It is parsed as the top level of a .py file is, but always aside: nothing in it is an error until a
// kernel needs it.
#include <algorithm>

#include "compiler/parse/parser.h"

namespace kern {

using ast::Expr;
using ast::HostStatement;
using ast::Stmt;

namespace {

// Code that is nested deeper holds nothing that can be named.
constexpr std::size_t deepest_host_code = 12;

bool opens_bracket(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace;
}

bool closes_bracket(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}

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

  // Says whether something inside can be of use to a kernel.
  bool holds_definitions() const {
    for (std::size_t i = begin + 1; i < end; ++i) {
      bool defines = kind(i) == TokenKind::Def || kind(i) == TokenKind::Class ||
                     kind(i) == TokenKind::Lambda || kind(i) == TokenKind::Import;
      bool jits = kind(i) == TokenKind::Name && text(i) == "jit";
      if (defines || jits) return true;
    }
    return false;
  }

  // Parses the statements of a block whose Indent is at `i`; returns the place behind it.
  std::size_t parse_block(std::size_t i, std::vector<const Stmt*>& items,
                          std::vector<HostStatement>& statements) const {
    Diagnostics aside;
    Parser inner{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, i + 1};
    inner.host_depth = parser.host_depth + 1;
    while (inner.position < end && !inner.at(TokenKind::Dedent) && !inner.at(TokenKind::EndOfFile)) {
      if (inner.accept(TokenKind::Newline)) continue;
      inner.parse_lenient_item(items, statements);
    }
    return inner.position + 1;
  }

  // Parses all blocks of the statement: those of each of its clauses, one behind the other.
  void parse_blocks(std::vector<const Stmt*>& items, std::vector<HostStatement>& statements) const {
    for (std::size_t i = begin; i < end;)
      i = kind(i) == TokenKind::Indent ? parse_block(i, items, statements) : i + 1;
  }

  // Parses the statements behind a colon, on its line.
  std::size_t parse_line(std::size_t i, std::vector<const Stmt*>& items,
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
      inner.parse_lenient_item(items, statements);
      if (inner.position == before) break;
    }
    return std::max(stop, i);
  }

  // Returns the place of the colon that ends the head of a clause.
  std::size_t colon_of(std::size_t i) const {
    std::size_t depth = 0, lambdas = 0;
    for (; i < end && kind(i) != TokenKind::Newline; ++i) {
      if (opens_bracket(kind(i))) ++depth;
      if (closes_bracket(kind(i)) && depth > 0) --depth;
      if (kind(i) == TokenKind::Lambda) ++lambdas;
      if (kind(i) != TokenKind::Colon || depth > 0) continue;
      if (lambdas == 0) return i;
      --lambdas;
    }
    return i;
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

  // Parses what stands between the keyword of a loop or `with` at `i` and its colon.
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
    const Expr* subject = clause.kind == Kind::For ? trial.parse_expression_list() : trial.parse_expression();
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

  // Returns the bases of a class, whose head is a call by its look.
  ast::ExprList parse_bases(std::size_t keyword) const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level,
                 parser.arena,   aside,       keyword + 1};
    const auto* head = ast::as<ast::Call>(trial.parse_expression());
    return head && trial.error_count == 0 ? head->args : ast::ExprList{};
  }

  ast::ExprList parse_decorators() const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, begin};
    std::vector<const Expr*> decorators;
    while (trial.accept(TokenKind::At)) {
      decorators.push_back(trial.parse_expression());
      if (trial.error_count > 0 || !trial.accept(TokenKind::Newline)) return {};
    }
    return parser.arena.copy(decorators);
  }

  const Expr* parse_head(std::size_t i) const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, i + 1};
    const Expr* condition = trial.parse_expression();
    return condition && trial.error_count == 0 && trial.at(TokenKind::Colon) ? condition : nullptr;
  }

  // Parses the clauses of a compound statement, each for itself; `all` are the statements of all of them.
  std::vector<ast::HostClause> parse_clauses(std::vector<const Stmt*>& all_items,
                                             std::vector<HostStatement>& all_statements) const {
    std::vector<ast::HostClause> clauses;
    std::size_t i = begin, stop = end;
    bool is_match = kind(begin) == TokenKind::Name;
    if (is_match) i = colon_of(begin) + 3; // behind Newline and Indent
    while (i < stop) {
      bool is_clause =
          kind(i) != TokenKind::Newline && kind(i) != TokenKind::Dedent && kind(i) != TokenKind::EndOfFile;
      if (!is_clause) {
        ++i;
        continue;
      }
      std::size_t colon = colon_of(i);
      ast::HostClause clause;
      const std::size_t keyword = kind(i) == TokenKind::Async ? i + 1 : i;
      clause.kind = kind_of(kind(keyword));
      clause.head = cover(parser.tokens[i].span, parser.tokens[std::min(colon, end - 1)].span);
      if (kind(i) == TokenKind::If || kind(i) == TokenKind::Elif) clause.condition = parse_head(i);
      const bool has_subject = clause.kind == ast::HostClause::Kind::For ||
                               clause.kind == ast::HostClause::Kind::While ||
                               clause.kind == ast::HostClause::Kind::With;
      if (has_subject && parser.keeps_host_code()) parse_subject(keyword, clause);
      clause.is_else = kind(i) == TokenKind::Else || kind(i) == TokenKind::With;
      std::vector<const Stmt*> items;
      std::vector<HostStatement> statements;
      bool is_block = kind(colon + 1) == TokenKind::Newline && kind(colon + 2) == TokenKind::Indent;
      std::size_t behind =
          is_block ? parse_block(colon + 2, items, statements) : parse_line(colon + 1, items, statements);
      auto* block = parser.arena.make<HostStatement>();
      block->span = cover(parser.tokens[i].span, parser.tokens[std::min(behind, end) - 1].span);
      ast::Module* body = parser.make_module(items, statements);
      body->result = result_of(statements);
      block->body = body;
      clause.block = block;
      clause.code = body;
      clauses.push_back(clause);
      all_items.insert(all_items.end(), items.begin(), items.end());
      all_statements.insert(all_statements.end(), statements.begin(), statements.end());
      i = std::max(behind, i + 1);
    }
    return clauses;
  }

  std::vector<ast::Param> parse_params(std::size_t def) const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, def};
    ast::FunctionDef* head = trial.parse_signature({}, parser.tokens[def].span);
    if (head && trial.error_count == 0) return {head->params.begin(), head->params.end()};
    return name_params(def);
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

  // Returns what the first `return` among the statements of a block returns, those of the blocks inside of it left out.
  const Expr* result_of(const std::vector<HostStatement>& statements) const {
    for (const HostStatement& statement : statements) {
      if (statement.is_item || statement.kind != HostStatement::Kind::Plain) continue;
      const auto tokens = parser.tokens.subspan(begin, end - begin);
      auto place = [](const Token& token) { return token.span.begin; };
      const auto first = std::ranges::lower_bound(tokens, statement.span.begin, {}, place);
      std::size_t i = begin + static_cast<std::size_t>(first - tokens.begin());
      auto is_layout = [&] {
        return kind(i) == TokenKind::Newline || kind(i) == TokenKind::Indent || kind(i) == TokenKind::Dedent;
      };
      while (i < end && is_layout()) ++i;
      if (kind(i) != TokenKind::Return) continue;
      Diagnostics aside;
      Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, i + 1};
      const Expr* value = trial.at_line_end() ? nullptr : trial.parse_expression_list();
      return value && trial.error_count == 0 && trial.at_line_end() ? value : nullptr;
    }
    return nullptr;
  }

  // Says whether the bases of a class name an enumeration.
  bool is_enum(std::size_t keyword) const {
    for (std::size_t i = keyword; i < end && kind(i) != TokenKind::Newline; ++i) {
      bool is_name = kind(i) == TokenKind::Name;
      if (is_name && (text(i) == "Enum" || text(i) == "IntEnum" || text(i) == "IntFlag" || text(i) == "Flag"))
        return true;
    }
    return false;
  }
};

} // namespace

bool Parser::is_match_statement(std::size_t begin) const {
  Diagnostics aside;
  return Parser{sources, file, tokens, top_level, arena, aside, begin}.at_match_statement();
}

void Parser::parse_host_body(std::size_t begin, HostStatement& statement) {
  if (host_depth >= deepest_host_code) return;
  BodyParser body{*this, begin, position};
  bool is_function = statement.kind == HostStatement::Kind::Function;
  bool is_class = statement.kind == HostStatement::Kind::Class;
  std::size_t keyword = body.keyword();
  // A function of Kern's that was refused is none of the host's.
  bool is_refused = is_function && statement.is_jit;
  TokenKind first = body.kind(begin);
  bool is_of_use =
      !is_refused && (is_class || is_function || first == TokenKind::If || body.holds_definitions());
  if (!is_of_use && !keeps_host_code()) return;
  std::vector<const Stmt*> items;
  std::vector<HostStatement> statements;
  bool is_compound = first == TokenKind::If || first == TokenKind::Try || first == TokenKind::With ||
                     first == TokenKind::For || first == TokenKind::While || is_match_statement(begin);
  if (!is_class && !is_function && is_compound)
    statement.code_clauses = arena.copy(body.parse_clauses(items, statements));
  else
    body.parse_blocks(items, statements);
  ast::Module* module = make_module(items, statements);
  statement.code = module;
  const std::size_t colon = body.colon_of(keyword);
  const bool is_line = body.kind(colon + 1) != TokenKind::Newline;
  if ((is_function || is_class) && is_line && keeps_host_code()) {
    std::vector<const Stmt*> on_line;
    std::vector<HostStatement> line;
    body.parse_line(colon + 1, on_line, line);
    statement.code = make_module(on_line, line);
  }
  if (is_class) statement.is_enum = body.is_enum(keyword);
  if (is_class && keeps_host_code()) statement.bases = body.parse_bases(keyword);
  if (is_function && !statement.is_item) statement.decorators = body.parse_decorators();
  if (is_function) statement.code_params = arena.copy(body.parse_params(keyword));
  if (is_function) module->result = body.result_of(statements);
  if (!is_of_use) return;
  statement.body = module;
  statement.clauses = statement.code_clauses;
  if (is_function) statement.params = statement.code_params;
}

} // namespace kern

// Finds what host code that could not be parsed does with names. It goes by the tokens, since the code may be any Python;
// if they leave a doubt, the stronger use is recorded: a name that may be bound is bound.
#include "compiler/parse/parser.h"

namespace kern {

using ast::NameUse;

namespace {

bool is_any(TokenKind kind, std::initializer_list<TokenKind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

// Says whether a token ends a target: `=`, `+=` and its like, or the colon of an annotation.
bool ends_target(TokenKind kind) {
  const bool compares = is_any(
      kind, {TokenKind::EqualEqual, TokenKind::BangEqual, TokenKind::LessEqual, TokenKind::GreaterEqual});
  return kind == TokenKind::Colon || (!compares && describe(kind).ends_with("=`"));
}

bool begins_clause(TokenKind kind) {
  return is_any(kind, {TokenKind::If, TokenKind::Elif, TokenKind::Else, TokenKind::For, TokenKind::While,
                       TokenKind::Try, TokenKind::Except, TokenKind::Finally, TokenKind::With,
                       TokenKind::Class, TokenKind::Def});
}

struct Scan {
  const Parser& parser;
  std::vector<NameUse> uses{};

  TokenKind kind(std::size_t i) const {
    return i < parser.tokens.size() ? parser.tokens[i].kind : TokenKind::EndOfFile;
  }
  std::string_view text(std::size_t i) const { return parser.text(parser.tokens[i]); }
  void add(NameUse::Kind what, std::size_t i, std::string_view attribute = {}) {
    uses.push_back({what, text(i), attribute, parser.tokens[i].span});
  }
  void bind_all(std::size_t i) { uses.push_back({NameUse::Kind::Bind, "*", {}, parser.tokens[i].span}); }
  void mention(std::size_t i) {
    const bool has_attribute = kind(i + 1) == TokenKind::Dot && kind(i + 2) == TokenKind::Name;
    add(NameUse::Kind::Mention, i, has_attribute ? text(i + 2) : std::string_view{});
  }

  template <class Wanted> std::size_t find(std::size_t i, std::size_t end, const Wanted& wanted) const {
    return parser.find_outside(i, end, wanted);
  }
  std::size_t find(std::size_t i, std::size_t end, TokenKind wanted) const {
    return parser.find_outside(i, end, [&](TokenKind k) { return k == wanted; });
  }

  // ---- expressions ----

  // Code that binds names which are not written in it.
  bool binds_anything(std::size_t i) const {
    std::string_view name = text(i);
    bool after_dot = i > 0 && kind(i - 1) == TokenKind::Dot;
    if (after_dot) return name == "__dict__" || (name == "modules" && i > 1 && text(i - 2) == "sys");
    if (name == "exec" || name == "globals") return true;
    return (name == "vars" || name == "locals") && kind(i + 1) == TokenKind::LeftParen &&
           kind(i + 2) == TokenKind::RightParen;
  }

  // The names in the text of an f-string.
  void format_string(std::size_t i) {
    std::string_view all = text(i);
    auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             (c & 0x80);
    };
    for (std::size_t begin = all.find_first_of("'\""), end = 0; begin < all.size();
         begin = std::max(end, begin + 1)) {
      for (end = begin; end < all.size() && is_letter(all[end]);) ++end;
      if (end == begin) continue;
      std::size_t behind = std::min(all.find_first_not_of(' ', end), all.size());
      bool is_bound = all.substr(behind).starts_with(":=");
      uses.push_back({is_bound ? NameUse::Kind::Bind : NameUse::Kind::Mention,
                      all.substr(begin, end - begin),
                      {},
                      parser.tokens[i].span});
    }
  }

  void name(std::size_t i, bool is_first) {
    if (binds_anything(i)) bind_all(i);
    const TokenKind before = is_first ? TokenKind::Newline : kind(i - 1);
    const bool is_keyword =
        kind(i + 1) == TokenKind::Equal && is_any(before, {TokenKind::LeftParen, TokenKind::Comma});
    if (before == TokenKind::Dot || is_keyword) return;
    const bool sets = (text(i) == "setattr" || text(i) == "delattr") && kind(i + 1) == TokenKind::LeftParen &&
                      kind(i + 2) == TokenKind::Name;
    if (sets) add(NameUse::Kind::SetAttribute, i + 2, "*");
    kind(i + 1) == TokenKind::ColonEqual ? add(NameUse::Kind::Bind, i) : mention(i);
  }

  void mentions(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (kind(i) == TokenKind::FString) format_string(i);
      if (kind(i) == TokenKind::Name) name(i, i == begin);
    }
  }

  // ---- targets ----

  void targets(std::size_t i, std::size_t end) {
    while (i < end) {
      const std::size_t first = i++;
      if (kind(first) != TokenKind::Name) continue;
      if (binds_anything(first)) bind_all(first);
      std::size_t dots = 0, brackets = 0;
      while (i < end && (kind(i) == TokenKind::Dot || opens_bracket(kind(i)))) {
        const bool is_dot = kind(i) == TokenKind::Dot;
        const std::size_t behind = is_dot ? i + 2 : parser.behind_bracket(i, end);
        if (!is_dot) mentions(i + 1, behind);
        if (is_dot && kind(i + 1) == TokenKind::Name && binds_anything(i + 1)) bind_all(i + 1);
        ++(is_dot ? dots : brackets);
        i = behind;
      }
      if (dots + brackets == 0)
        add(NameUse::Kind::Bind, first);
      else if (dots == 1 && brackets == 0 && kind(first + 2) == TokenKind::Name)
        add(NameUse::Kind::SetAttribute, first, text(first + 2));
      else
        mention(first);
    }
  }

  // ---- statements ----

  // import a.b as c, d   from m import (a as b, c): names that are not bound are recorded too, which does no harm.
  void import(std::size_t begin, std::size_t end) {
    for (std::size_t i = find(begin, end, TokenKind::Import); i < end; ++i) {
      if (kind(i) == TokenKind::Star) bind_all(i);
      if (kind(i) == TokenKind::Name) add(NameUse::Kind::Bind, i);
    }
  }

  // The decorators and parameters of a definition; what its parameters are called is its own.
  void definition(std::size_t begin, std::size_t end) {
    const std::size_t keyword =
        find(begin, end, [](TokenKind k) { return is_any(k, {TokenKind::Def, TokenKind::Class}); });
    mentions(begin, keyword);
    std::size_t depth = 0;
    for (std::size_t i = keyword + 2; i < end; ++i) {
      depth += opens_bracket(kind(i));
      depth -= closes_bracket(kind(i)) && depth > 0;
      const bool is_param =
          kind(keyword) == TokenKind::Def && depth == 1 &&
          is_any(kind(i - 1), {TokenKind::LeftParen, TokenKind::Comma, TokenKind::Star, TokenKind::StarStar});
      if (kind(i) == TokenKind::Name && !is_param) name(i, false);
    }
  }

  // Expressions, with what `as` behind them binds.
  void managers(std::size_t i, std::size_t end) {
    while (i < end) {
      std::size_t as = i;
      while (as < end && kind(as) != TokenKind::As) ++as;
      mentions(i, as);
      i = find(as + 1, end, [](TokenKind k) { return is_any(k, {TokenKind::Comma, TokenKind::RightParen}); });
      targets(as + 1, i);
    }
  }

  // The head of a clause or definition that begins at i; returns the place behind its colon.
  std::size_t head(std::size_t i, std::size_t end) {
    const std::size_t colon = find(i, end, TokenKind::Colon);
    if (is_any(kind(i), {TokenKind::At, TokenKind::Async, TokenKind::Def, TokenKind::Class})) {
      definition(i, colon);
    } else if (kind(i) == TokenKind::For) {
      const std::size_t in = find(i, colon, TokenKind::In);
      targets(i + 1, in);
      mentions(in, colon);
    } else if (kind(i) == TokenKind::Name && text(i) == "case") {
      // A dotted name and the name of a class are read.
      for (std::size_t k = i + 1; k < colon; ++k)
        if (kind(k) == TokenKind::Name && kind(k - 1) != TokenKind::Dot &&
            !is_any(kind(k + 1), {TokenKind::Dot, TokenKind::LeftParen}))
          add(NameUse::Kind::Bind, k);
    } else {
      managers(i + 1, colon);
    }
    return colon + 1;
  }

  // [target =]... expression, or with an annotation or an augmented assignment behind the first target
  void assignment(std::size_t i, std::size_t end) {
    while (i < end) {
      const std::size_t stop = find(i, end, ends_target);
      if (stop == end) return mentions(i, end);
      const bool is_in_place = !is_any(kind(stop), {TokenKind::Equal, TokenKind::Colon});
      if (is_in_place) mentions(i, stop);
      targets(i, stop);
      i = stop + 1;
      if (kind(stop) != TokenKind::Colon) continue;
      // An annotation is no target.
      const std::size_t equal = find(i, end, TokenKind::Equal);
      mentions(i, equal);
      i = equal + 1;
    }
  }

  // The statements of a line, or of its part before a semicolon: clauses may stand before the last one.
  void line(std::size_t i, std::size_t end) {
    while (i < end) {
      const TokenKind first = kind(i);
      const bool is_soft = first == TokenKind::Name && (text(i) == "case" || text(i) == "match") &&
                           !is_any(kind(i + 1), {TokenKind::Equal, TokenKind::Dot});
      if (is_any(first, {TokenKind::Def, TokenKind::Class})) add(NameUse::Kind::Bind, i + 1);
      if (first == TokenKind::Async) {
        ++i;
      } else if (begins_clause(first) || is_soft) {
        i = head(i, end);
      } else {
        if (is_any(first, {TokenKind::Global, TokenKind::Nonlocal})) bind_all(i);
        if (is_any(first, {TokenKind::Import, TokenKind::From})) return import(i, end);
        if (is_any(first, {TokenKind::Del, TokenKind::Global, TokenKind::Nonlocal}))
          return targets(i + 1, end);
        return first == TokenKind::At ? mentions(i + 1, end) : assignment(i, end);
      }
    }
  }
};

} // namespace

std::span<const NameUse> Parser::names_in_head(std::size_t begin, std::size_t end) const {
  Scan scan{*this};
  scan.head(begin, end);
  return arena.copy(scan.uses);
}

std::span<const NameUse> Parser::names_in_statements(std::size_t begin, std::size_t end) const {
  Scan scan{*this};
  for (std::size_t i = begin; i < end;) {
    const std::size_t stop =
        scan.find(i, end, [](TokenKind k) { return is_layout(k) || k == TokenKind::Semicolon; });
    scan.line(i, stop);
    i = stop + 1;
  }
  return arena.copy(scan.uses);
}

} // namespace kern

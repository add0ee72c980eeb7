// Finds how host code uses the names of its module. It goes by the tokens, since the code may be any Python;
// if they leave a doubt, the stronger use is recorded: a name that may be bound is bound.
#include <optional>
#include <set>

#include "compiler/parse/parser.h"
#include "compiler/support/limits.h"

namespace kern {

using ast::NameUse;
using Uses = std::vector<NameUse>;

namespace {

// Functions that keep nothing of what they are given.
constexpr std::string_view reading_functions[] = {
    "len", "sum", "min",   "max", "tuple", "list",      "sorted", "set", "range",
    "any", "all", "print", "str", "repr",  "enumerate", "zip",    "id",  "isinstance"};
constexpr std::string_view reading_methods[] = {
    "index",   "count",  "keys",   "get",     "sum",     "prod",    "mean",   "std",
    "var",     "min",    "max",    "any",     "all",     "dot",     "argmax", "argmin",
    "argsort", "astype", "tolist", "tobytes", "item",    "cumsum",  "round",  "nonzero",
    "conj",    "repeat", "clip",   "trace",   "cumprod", "flatten", "ptp"};
constexpr std::string_view reading_attributes[] = {"size",     "shape",   "dtype", "ndim",
                                                   "itemsize", "strides", "nbytes"};
// Methods and attributes that give a view of an array, or an object with the same elements.
constexpr std::string_view viewing_members[] = {"T",         "reshape", "ravel", "view",     "transpose",
                                                "swapaxes",  "squeeze", "real",  "imag",     "diagonal",
                                                "__array__", "values",  "items", "as_array", "base"};
// Functions of Python whose result holds the elements of what they are given.
constexpr std::string_view regrouping_functions[] = {"tuple",     "list", "sorted", "set",
                                                     "enumerate", "zip",  "min",    "max"};

template <std::size_t N> bool holds(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool opens(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace;
}

bool closes(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}

bool is_layout(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Indent || kind == TokenKind::Dedent;
}

bool is_augmented(TokenKind kind) {
  for (TokenKind each :
       {TokenKind::PlusEqual, TokenKind::MinusEqual, TokenKind::StarEqual, TokenKind::SlashEqual,
        TokenKind::SlashSlashEqual, TokenKind::PercentEqual, TokenKind::StarStarEqual, TokenKind::AtEqual,
        TokenKind::LessLessEqual, TokenKind::GreaterGreaterEqual, TokenKind::AmpersandEqual,
        TokenKind::BarEqual, TokenKind::CaretEqual})
    if (kind == each) return true;
  return false;
}

bool begins_block(TokenKind kind) {
  for (TokenKind each :
       {TokenKind::If, TokenKind::Elif, TokenKind::Else, TokenKind::For, TokenKind::While, TokenKind::Try,
        TokenKind::Except, TokenKind::Finally, TokenKind::With, TokenKind::Class, TokenKind::Def})
    if (kind == each) return true;
  return false;
}

// Says whether a list beside this token is only read: it is compared, added, searched.
bool reads_operand(TokenKind kind) {
  for (TokenKind each : {TokenKind::Plus,         TokenKind::Minus,
                         TokenKind::Star,         TokenKind::StarStar,
                         TokenKind::Slash,        TokenKind::SlashSlash,
                         TokenKind::Percent,      TokenKind::At,
                         TokenKind::LessLess,     TokenKind::GreaterGreater,
                         TokenKind::Ampersand,    TokenKind::Bar,
                         TokenKind::Caret,        TokenKind::Tilde,
                         TokenKind::In,           TokenKind::EqualEqual,
                         TokenKind::BangEqual,    TokenKind::Less,
                         TokenKind::LessEqual,    TokenKind::Greater,
                         TokenKind::GreaterEqual, TokenKind::Not})
    if (kind == each) return true;
  return false;
}

struct Scan {
  Parser& parser;
  Uses uses{};
  std::set<std::string_view> globals{}; // that this function declares
  std::vector<ast::InnerFunction>* inner_functions = nullptr;
  bool jit_above = false;                 // of the definition to come
  std::size_t depth = 0;                  // of definitions around this code
  std::set<std::size_t> of_module{};      // places in `uses` of what the `global` of an inner function binds
  std::set<std::string_view> nonlocals{}; // that this function declares
  std::set<std::size_t> of_function{}; // places in `uses` of what the `nonlocal` of an inner function binds
  bool binds = false;                  // the statement here gives names to what its expressions are
  bool is_loop = false;                // it is a `for`
  bool changes_params = false;         // a definition went over whose parameters may be changed by it

  TokenKind kind(std::size_t i) const {
    return i < parser.tokens.size() ? parser.tokens[i].kind : TokenKind::EndOfFile;
  }
  std::string_view text(std::size_t i) const { return parser.text(parser.tokens[i]); }
  void add(NameUse::Kind what, std::size_t i, std::string_view attribute = {}) {
    uses.push_back({what, text(i), attribute, parser.tokens[i].span});
  }
  void bind_all(std::size_t i) { uses.push_back({NameUse::Kind::Bind, "*", {}, parser.tokens[i].span}); }

  // Returns the place behind the bracket that is closed for the one opened at i.
  std::size_t behind_bracket(std::size_t i, std::size_t end) const {
    std::size_t depth = 0;
    for (; i < end; ++i) {
      depth += opens(kind(i));
      depth -= closes(kind(i)) && depth > 0;
      if (depth == 0) return i + 1;
    }
    return end;
  }

  // Returns the first place from i on, in no bracket, at which a token is wanted.
  template <class Wanted> std::size_t find(std::size_t i, std::size_t end, Wanted wanted) const {
    while (i < end && !wanted(kind(i))) i = opens(kind(i)) ? behind_bracket(i, end) : i + 1;
    return std::min(i, end);
  }

  // The same, but for the colons of `lambda`s.
  template <class Wanted> std::size_t find_plain(std::size_t i, std::size_t end, Wanted wanted) const {
    std::size_t lambdas = 0;
    return find(i, end, [&](TokenKind k) {
      if (k == TokenKind::Lambda) ++lambdas;
      bool is_of_lambda = k == TokenKind::Colon && lambdas > 0;
      if (is_of_lambda) --lambdas;
      return !is_of_lambda && wanted(k);
    });
  }

  std::size_t behind_block(std::size_t i, std::size_t end) const {
    std::size_t depth = 0;
    for (; i < end; ++i) {
      depth += kind(i) == TokenKind::Indent;
      depth -= kind(i) == TokenKind::Dedent && depth > 0;
      if (depth == 0) return i + 1;
    }
    return end;
  }

  // ---- expressions ----

  // The subscripts, members and calls behind the name of an object, and where they end.
  struct Chain {
    std::size_t end;
    bool only_reads = false, changes = false; // whatever is done with the result
    bool is_part = false, is_copy = false;
    std::string_view attribute = {}; // the first one
  };

  bool has_slice(std::size_t open, std::size_t close) const {
    return find(open + 1, close - 1, [](TokenKind k) { return k == TokenKind::Colon; }) < close - 1;
  }

  Chain chain(std::size_t i, std::size_t end) const {
    Chain result{i + 1};
    for (std::size_t& k = result.end; k < end;) {
      if (kind(k) == TokenKind::LeftBracket) {
        std::size_t close = behind_bracket(k, end);
        result.is_part = result.is_part || !has_slice(k, close);
        k = close;
      } else if (kind(k) == TokenKind::Dot && kind(k + 1) == TokenKind::Name) {
        std::string_view member = text(k + 1);
        bool is_call = kind(k + 2) == TokenKind::LeftParen, is_first = result.attribute.empty();
        if (is_first) result.attribute = member;
        k = is_call ? behind_bracket(k + 2, end) : k + 2;
        result.is_copy = result.is_copy || (is_call && member == "copy");
        result.only_reads = is_call ? holds(reading_methods, member) : holds(reading_attributes, member);
        // The attribute may be a module or a class, which only the members behind it tell.
        bool is_view = holds(viewing_members, member) || result.is_copy || (!is_call && member != "flat");
        result.changes = !result.only_reads && !is_view;
        if (result.only_reads || result.changes) return result;
      } else {
        // A call of the object itself.
        result.only_reads = kind(k) == TokenKind::LeftParen;
        return result;
      }
    }
    return result;
  }

  // Returns the function whose call is around a place, of the brackets that are open there: "np.dot"; nothing
  // where there is none, "" where it has no name.
  std::optional<std::string_view> callee_at(const std::vector<std::size_t>& open) const {
    for (std::size_t k = open.size(); k-- > 0;) {
      std::size_t at = open[k];
      if (kind(at) != TokenKind::LeftParen || at == 0) continue;
      std::size_t last = at - 1;
      if (closes(kind(last))) return "";
      if (kind(last) != TokenKind::Name) continue;
      std::size_t first = last;
      while (first >= 2 && kind(first - 1) == TokenKind::Dot && kind(first - 2) == TokenKind::Name)
        first -= 2;
      if (first > 0 && kind(first - 1) == TokenKind::Dot) return "";
      return parser.sources.text(cover(parser.tokens[first].span, parser.tokens[last].span));
    }
    return std::nullopt;
  }

  // Says whether the brackets around a place are those of a subscript.
  bool is_index(const std::vector<std::size_t>& open) const {
    if (open.empty() || kind(open.back()) != TokenKind::LeftBracket || open.back() == 0) return false;
    TokenKind before = kind(open.back() - 1);
    return before == TokenKind::Name || closes(before);
  }

  NameUse use_of(std::size_t i, std::size_t end, const std::vector<std::size_t>& open) const {
    NameUse use{NameUse::Kind::Read, text(i), {}, parser.tokens[i].span};
    TokenKind before = i > 0 ? kind(i - 1) : TokenKind::Newline;
    if (kind(i + 1) == TokenKind::ColonEqual) use.kind = NameUse::Kind::Bind;
    Chain links = chain(i, end);
    TokenKind next = kind(links.end);
    use.attribute = links.attribute;
    use.is_part = links.is_part;
    use.is_copy = links.is_copy;
    if (use.kind == NameUse::Kind::Bind || links.only_reads) return use;
    use.kind = NameUse::Kind::HandOn;
    if (links.changes) return use;
    bool is_test = (before == TokenKind::If || before == TokenKind::While) && next == TokenKind::Colon;
    bool is_row = before == TokenKind::In && (open.empty() ? is_loop : binds);
    std::optional<std::string_view> callee = callee_at(open);
    bool is_output = before == TokenKind::Equal && i > 1 && text(i - 2) == "out";
    bool regroups = callee && holds(regrouping_functions, *callee);
    if (is_row || regroups) use.is_part = true;
    bool only_reads = !is_row && (reads_operand(next) || reads_operand(before) || is_test || is_index(open) ||
                                  (callee && holds(reading_functions, *callee) && !(regroups && binds)));
    if (only_reads) use.kind = NameUse::Kind::Read;
    if (only_reads || is_output) return use;
    if (callee && !regroups)
      use.callee = *callee;
    else if (binds)
      use.kind = NameUse::Kind::Alias;
    return use;
  }

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
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      while (end < all.size() && is_letter(all[end])) ++end;
      if (end > begin) {
        std::size_t behind = std::min(all.find_first_not_of(' ', end), all.size());
        bool is_bound = all.substr(behind).starts_with(":=");
        NameUse use{is_bound ? NameUse::Kind::Bind : NameUse::Kind::HandOn,
                    all.substr(begin, end - begin),
                    {},
                    parser.tokens[i].span};
        // A method may be called there.
        if (!all.substr(behind).starts_with(".")) use.callee = "format";
        uses.push_back(use);
      }
      begin = std::max(end, begin + 1);
    }
  }

  // The attribute that `setattr(name, "attribute", ...)` names, from its first comma on.
  std::string_view attribute_set(std::size_t comma) const {
    bool is_written = kind(comma) == TokenKind::Comma && kind(comma + 1) == TokenKind::String &&
                      (kind(comma + 2) == TokenKind::Comma || kind(comma + 2) == TokenKind::RightParen);
    std::string_view quoted = is_written ? text(comma + 1) : std::string_view{};
    bool is_plain = quoted.size() > 2 && quoted.front() == quoted.back() && quoted[1] != quoted[0] &&
                    quoted.find('\\') == std::string_view::npos && (quoted[0] == '"' || quoted[0] == '\'');
    return is_plain ? quoted.substr(1, quoted.size() - 2) : "*";
  }

  void expression(std::size_t begin, std::size_t end) {
    std::vector<std::size_t> open;
    for (std::size_t i = begin; i < end; ++i) {
      if (opens(kind(i))) open.push_back(i);
      if (closes(kind(i)) && !open.empty()) open.pop_back();
      if (kind(i) == TokenKind::FString) format_string(i);
      if (kind(i) != TokenKind::Name) continue;
      if (binds_anything(i)) bind_all(i);
      if (i > begin && kind(i - 1) == TokenKind::Dot) continue;
      bool is_keyword = kind(i + 1) == TokenKind::Equal && i > begin &&
                        (kind(i - 1) == TokenKind::LeftParen || kind(i - 1) == TokenKind::Comma);
      if (is_keyword) continue;
      bool sets = (text(i) == "setattr" || text(i) == "delattr") && kind(i + 1) == TokenKind::LeftParen &&
                  kind(i + 2) == TokenKind::Name;
      if (sets) add(NameUse::Kind::SetAttribute, i + 2, attribute_set(i + 3));
      uses.push_back(use_of(i, end, open));
    }
  }

  // ---- targets ----

  void targets(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      if (kind(i) != TokenKind::Name) {
        ++i;
        continue;
      }
      if (binds_anything(i)) bind_all(i);
      std::size_t behind = i + 1, links = 0;
      std::string_view attribute, first;
      bool only_attributes = true;
      for (; behind < end; ++links) {
        if (kind(behind) == TokenKind::Dot) {
          if (kind(behind + 1) == TokenKind::Name) {
            if (links == 0) first = text(behind + 1);
            attribute = parser.sources.text(cover(parser.tokens[i + 2].span, parser.tokens[behind + 1].span));
          }
          behind += 2;
        } else if (opens(kind(behind))) {
          std::size_t close = behind_bracket(behind, end);
          expression(behind + 1, close);
          only_attributes = false;
          behind = close;
        } else {
          break;
        }
      }
      if (links == 0)
        add(NameUse::Kind::Bind, i);
      else if (only_attributes && !first.empty())
        add(NameUse::Kind::SetAttribute, i, attribute);
      else
        add(NameUse::Kind::HandOn, i, first);
      i = std::max(behind, i + 1);
    }
  }

  // ---- statements ----

  // import a.b as c, d   from m import (a as b, c)
  void import(std::size_t begin, std::size_t end) {
    bool from = kind(begin) == TokenKind::From;
    std::size_t i =
        from ? find(begin, end, [](TokenKind k) { return k == TokenKind::Import; }) + 1 : begin + 1;
    bool first = true;
    for (; i < end; ++i) {
      if (kind(i) == TokenKind::Star) bind_all(i);
      if (kind(i) == TokenKind::Comma) first = true;
      if (kind(i) != TokenKind::Name) continue;
      bool renamed = kind(i + 1) == TokenKind::As;
      if (first && !renamed) add(NameUse::Kind::Bind, i);
      // In `import a.b as c` the name behind `as` alone is bound; `a` is then recorded too, which does no
      // harm.
      first = renamed;
      if (renamed) ++i;
    }
  }

  // The names that `as` introduces in the head of a `with` or an `except`.
  void head_with_as(std::size_t begin, std::size_t end) {
    std::size_t from = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (kind(i) != TokenKind::As) continue;
      expression(from, i);
      std::size_t stop = i + 1;
      while (stop < end && kind(stop) != TokenKind::Comma && kind(stop) != TokenKind::Colon) {
        if (kind(stop) == TokenKind::RightParen) break;
        stop = opens(kind(stop)) ? behind_bracket(stop, end) : stop + 1;
      }
      targets(i + 1, stop);
      from = stop;
      i = stop - 1;
    }
    expression(from, end);
  }

  void simple(std::size_t begin, std::size_t end) {
    if (kind(begin) == TokenKind::Import || kind(begin) == TokenKind::From) return import(begin, end);
    if (kind(begin) == TokenKind::Del) return targets(begin + 1, end);
    if (kind(begin) == TokenKind::Nonlocal || kind(begin) == TokenKind::Global) {
      std::set<std::string_view>& names = kind(begin) == TokenKind::Global ? globals : nonlocals;
      for (std::size_t i = begin + 1; i < end; ++i)
        if (kind(i) == TokenKind::Name) names.insert(text(i));
      return;
    }
    for (std::size_t i = begin; i < end;) {
      std::size_t stop = find_plain(i, end, [](TokenKind k) {
        return k == TokenKind::Equal || k == TokenKind::Colon || is_augmented(k);
      });
      if (stop == end) return expression(i, end);
      std::size_t known = uses.size();
      binds = true;
      targets(i, stop);
      for (std::size_t k = known; k < uses.size() && is_augmented(kind(stop)); ++k)
        uses[k].is_in_place = uses[k].kind == NameUse::Kind::Bind;
      if (is_augmented(kind(stop))) return expression(stop + 1, end);
      i = stop + 1;
      if (kind(stop) != TokenKind::Colon) continue;
      // An annotation is no target.
      std::size_t equal = find(i, end, [](TokenKind k) { return k == TokenKind::Equal; });
      expression(i, equal);
      i = equal + (equal < end);
    }
  }

  void head(std::size_t begin, std::size_t end) {
    if (kind(begin) == TokenKind::For) {
      std::size_t in = find(begin, end, [](TokenKind k) { return k == TokenKind::In; });
      targets(begin + 1, in);
      binds = is_loop = true;
      expression(in, end);
      return;
    }
    if (kind(begin) == TokenKind::With || kind(begin) == TokenKind::Except)
      return head_with_as(begin + 1, end);
    expression(begin, end);
  }

  // Names in the parentheses of a `def` that are parameters; what their defaults and annotations read is read
  // here.
  std::set<std::string_view> params(std::size_t open, std::size_t close) {
    std::set<std::string_view> names;
    bool at_name = true;
    std::size_t depth = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
      if (depth == 0 && at_name && kind(i) == TokenKind::Name) {
        names.insert(text(i));
        at_name = false;
        continue;
      }
      if (opens(kind(i))) ++depth;
      if (closes(kind(i)) && depth > 0) --depth;
      if (depth == 0 && kind(i) == TokenKind::Comma) at_name = true;
      bool is_read = kind(i) == TokenKind::Name && kind(i - 1) != TokenKind::Dot;
      if (is_read) uses.push_back(use_of(i, close, {}));
    }
    return names;
  }

  // A `def` or `class` whose keyword is at i; what its body does outside of itself goes to `inner`, and to
  // `of_outer` which of that binds a name of a function around it. Returns the place behind it.
  std::size_t definition(std::size_t i, std::size_t end, Uses& inner, std::set<std::size_t>& of_outer) {
    bool is_class = kind(i) == TokenKind::Class;
    std::set<std::string_view> own;
    std::size_t colon =
        find(i + 1, end, [](TokenKind k) { return k == TokenKind::Colon || k == TokenKind::Newline; });
    std::size_t open = find(i + 1, colon, [](TokenKind k) { return k == TokenKind::LeftParen; });
    if (open < colon && is_class) expression(open + 1, colon);
    if (open < colon && !is_class) own = params(open, behind_bracket(open, colon) - 1);
    const std::set<std::string_view> given = own;
    std::size_t body = std::min(colon + 1, end), stop = body;
    if (kind(body) == TokenKind::Newline && kind(body + 1) == TokenKind::Indent)
      stop = behind_block(body + 1, end);
    else
      stop = find(body, end, [](TokenKind k) { return k == TokenKind::Newline; });
    Scan scan{parser};
    scan.inner_functions = inner_functions;
    scan.depth = depth + 1;
    if (depth < limits::nesting)
      scan.statements(body, stop);
    else
      scan.bind_all(i); // deeper than anyone writes: it may do anything
    auto binds_outside = [&](std::size_t k) {
      std::string_view name = scan.uses[k].name;
      return name == "*" || scan.globals.contains(name) || scan.of_module.contains(k);
    };
    auto binds_outer = [&](std::size_t k) {
      return scan.of_function.contains(k) ||
             (scan.uses[k].kind == NameUse::Kind::Bind && scan.nonlocals.contains(scan.uses[k].name));
    };
    for (std::size_t k = 0; k < scan.uses.size(); ++k)
      if (scan.uses[k].kind == NameUse::Kind::Bind && !is_class && !binds_outside(k) && !binds_outer(k))
        own.insert(scan.uses[k].name);
    for (const NameUse& use : scan.uses) {
      bool only_names =
          use.kind == NameUse::Kind::Read || (use.kind == NameUse::Kind::Bind && !use.is_in_place);
      changes_params = changes_params || (!only_names && given.contains(use.name));
    }
    changes_params = changes_params || scan.changes_params;
    for (std::size_t k = 0; k < scan.uses.size(); ++k) {
      bool is_bind = scan.uses[k].kind == NameUse::Kind::Bind;
      // A class must learn what its methods do to it.
      bool is_of_class =
          depth > 0 && !is_class && given.contains(scan.uses[k].name) &&
          (scan.uses[k].name == "cls" || scan.uses[k].name == "self") &&
          (scan.uses[k].kind == NameUse::Kind::SetAttribute || scan.uses[k].kind == NameUse::Kind::HandOn);
      bool leaves = binds_outside(k) || ((!is_bind || binds_outer(k)) && !own.contains(scan.uses[k].name)) ||
                    is_of_class;
      if (leaves && is_bind && !binds_outside(k)) of_outer.insert(inner.size());
      if (leaves) inner.push_back(scan.uses[k]);
    }
    return stop;
  }

  // Says whether a decorator is `jit`, with whatever before and behind it.
  bool names_jit(std::size_t i, std::size_t end) const {
    while (i + 2 < end && kind(i) == TokenKind::Name && kind(i + 1) == TokenKind::Dot) i += 2;
    return i < end && kind(i) == TokenKind::Name && (text(i) == "jit" || text(i) == "kernel");
  }

  // A definition inside of other code: its body may run at any time from here on.
  std::size_t inner_definition(std::size_t i, std::size_t end) {
    if (kind(i + 1) == TokenKind::Name) {
      add(NameUse::Kind::Bind, i + 1);
      if (kind(i) == TokenKind::Def && inner_functions)
        inner_functions->push_back({text(i + 1), parser.tokens[i + 1].span, jit_above});
    }
    jit_above = false;
    Uses inner;
    std::set<std::size_t> of_outer;
    std::size_t stop = definition(i, end, inner, of_outer);
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (inner[k].kind == NameUse::Kind::Bind)
        (of_outer.contains(k) ? of_function : of_module).insert(uses.size());
      uses.push_back(inner[k]);
    }
    return stop;
  }

  // Returns the place behind the statement, or behind the head of a compound one.
  std::size_t statement(std::size_t i, std::size_t end) {
    binds = is_loop = false;
    if (kind(i) == TokenKind::Async) ++i;
    if (kind(i) == TokenKind::Def || kind(i) == TokenKind::Class) return inner_definition(i, end);
    auto is_end = [](TokenKind k) { return k == TokenKind::Newline || k == TokenKind::Semicolon; };
    std::size_t stop = find(i, end, is_end);
    if (kind(i) == TokenKind::At) {
      expression(i + 1, stop);
      jit_above = jit_above || names_jit(i + 1, stop);
      return stop;
    }
    jit_above = false;
    bool is_case = kind(i) == TokenKind::Name && (text(i) == "case" || text(i) == "match") &&
                   kind(i + 1) != TokenKind::Equal && kind(i + 1) != TokenKind::Dot;
    if (is_case || begins_block(kind(i))) {
      std::size_t colon = find_plain(i, stop, [](TokenKind k) { return k == TokenKind::Colon; });
      if (is_case && colon < stop) {
        for (std::size_t k = i + 1; k < colon; ++k) {
          if (kind(k) != TokenKind::Name || kind(k - 1) == TokenKind::Dot) continue;
          add(text(i) == "case" ? NameUse::Kind::Bind : NameUse::Kind::HandOn, k);
        }
        return colon + 1;
      }
      if (!is_case) {
        head(i, colon);
        return std::min(colon + 1, stop);
      }
    }
    simple(i, stop);
    return stop;
  }

  // Returns the kernel that a statement launches: k[1, 32](x)
  std::string_view launched_by(std::size_t i, std::size_t end) const {
    if (kind(i) != TokenKind::Name || kind(i + 1) != TokenKind::LeftBracket) return {};
    std::size_t behind = behind_bracket(i + 1, end);
    bool is_all =
        kind(behind) == TokenKind::LeftParen &&
        (behind_bracket(behind, end) >= end || kind(behind_bracket(behind, end)) == TokenKind::Newline);
    return is_all ? text(i) : std::string_view{};
  }

  void statements(std::size_t i, std::size_t end) {
    while (i < end) {
      bool is_between = is_layout(kind(i)) || kind(i) == TokenKind::Semicolon;
      i = is_between ? i + 1 : std::max(statement(i, end), i + 1);
    }
  }
};

// Says whether a decorator, between its `@` and the end of its line, leaves a function to be compiled at its
// first launch: it is a `jit`, and no signature stands in its brackets.
bool is_lazy_jit(const Scan& scan, std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  while (i + 2 < end && scan.kind(i) == TokenKind::Name && scan.kind(i + 1) == TokenKind::Dot) i += 2;
  if (i >= end || scan.kind(i) != TokenKind::Name) return false;
  std::string_view name = scan.text(i);
  if (name != "jit" && name != "njit" && name != "kernel" && name != "device") return false;
  if (i + 1 == end) return true;
  if (scan.kind(i + 1) != TokenKind::LeftParen) return false;
  for (std::size_t k = i + 2; k < end && scan.kind(k) != TokenKind::RightParen;) {
    bool named = scan.kind(k) == TokenKind::Name && scan.kind(k + 1) == TokenKind::Equal;
    if (!named || scan.text(k) == "signature") return false;
    std::size_t comma = k;
    while (comma < end && scan.kind(comma) != TokenKind::Comma && scan.kind(comma) != TokenKind::RightParen)
      comma = opens(scan.kind(comma)) ? scan.behind_bracket(comma, end) : comma + 1;
    k = scan.kind(comma) == TokenKind::Comma ? comma + 1 : comma;
  }
  return true;
}

} // namespace

void Parser::find_name_uses(std::size_t begin, ast::HostStatement& statement) {
  std::vector<ast::InnerFunction> inner_functions;
  Scan scan{*this};
  scan.inner_functions = &inner_functions;
  std::size_t end = position, i = begin;
  bool runs_early = false;
  while (i < end && scan.kind(i) == TokenKind::At) {
    std::size_t line = scan.find(i, end, [](TokenKind kind) { return kind == TokenKind::Newline; });
    scan.expression(i + 1, line);
    runs_early = runs_early || !is_lazy_jit(scan, i + 1, line);
    i = std::min(line + 1, end);
  }
  std::size_t keyword = scan.kind(i) == TokenKind::Async ? i + 1 : i;
  bool is_class = scan.kind(keyword) == TokenKind::Class, is_function = scan.kind(keyword) == TokenKind::Def;
  if (!is_class && !is_function) {
    statement.launched = scan.launched_by(i, end);
    scan.statements(i, end);
    statement.uses = arena.copy(scan.uses);
    statement.inner = arena.copy(inner_functions);
    return;
  }
  statement.kind = is_class ? ast::HostStatement::Kind::Class : ast::HostStatement::Kind::Function;
  if (scan.kind(keyword + 1) == TokenKind::Name) {
    statement.name = scan.text(keyword + 1);
    statement.name_span = tokens[keyword + 1].span;
  }
  Uses inner;
  std::set<std::size_t> of_outer;
  scan.definition(keyword, end, inner, of_outer);
  statement.inner = arena.copy(inner_functions);
  if (is_class) scan.uses.insert(scan.uses.end(), inner.begin(), inner.end());
  if (is_function && runs_early)
    scan.uses.push_back({NameUse::Kind::HandOn, statement.name, {}, statement.name_span});
  statement.uses = arena.copy(is_class ? scan.uses : inner);
  statement.changes_params = scan.changes_params;
  if (is_function) statement.head_uses = arena.copy(scan.uses);
}

} // namespace kern

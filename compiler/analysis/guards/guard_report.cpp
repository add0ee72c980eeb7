// The words of a proof, and `kernc --emit=guards`. A proof that rests on the program names the places; one by
// ranges alone shows them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "compiler/analysis/guards/guard_walk.h"
#include "compiler/analysis/guards/guards.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/print.h"
#include "compiler/ir/walk.h"

namespace kern {

namespace {

std::string number_text(Wide value) { return fmt::format("{}", static_cast<std::int64_t>(value)); }

// Returns "3" or "0..15".
std::string range_text(Interval range) {
  if (range.low == range.high) return number_text(range.low);
  return number_text(range.low) + ".." + number_text(range.high);
}

bool fits_i64(Interval range) { return contains(type_interval(types::i64), range); }

// Returns the text of a place up to the end of its line; of a loop, whose place is its variable or its
// condition, the line.
std::string source_text(const SourceManager& sources, const Reason& reason) {
  std::string_view text = sources.text(reason.span);
  if (reason.kind == Reason::Kind::Loop) text = sources.line_text(reason.span.file, reason.span.begin);
  text = text.substr(0, text.find('\n'));
  auto is_margin = [](char c) { return c == ' ' || c == '\t' || c == ':'; };
  while (!text.empty() && is_margin(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_margin(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string place_text(const SourceManager& sources, Span span) {
  Location location = sources.locate(span);
  return fmt::format("{}:{}", location.line, location.column);
}

std::string reason_words(Reason::Kind kind) {
  switch (kind) {
  case Reason::Kind::Always: return "";
  case Reason::Kind::Test: return "a test before it";
  case Reason::Kind::Loop: return "the loop around it";
  case Reason::Kind::Guard: return "a guard before it";
  case Reason::Kind::Block: return "block=";
  case Reason::Kind::Launch: return "the limits of a launch";
  case Reason::Kind::Fact: return "a fact of the launch";
  }
  return "";
}

// The sources and the function that the words of a proof may name: without sources they name no places, and
// without a function no facts.
struct Names {
  const SourceManager* sources = nullptr;
  const ir::Function* function = nullptr;
};

std::string reason_text(const Reason& reason, const Names& names) {
  const SourceManager* sources = names.sources;
  if (names.function && reason.kind == Reason::Kind::Fact)
    return fmt::format("the fact `{}`",
                       to_string(names.function->facts[reason.fact], ir::block_names(*names.function)));
  if (!sources || !is_place(reason) || reason.span == Span{}) return reason_words(reason.kind);
  std::string place = place_text(*sources, reason.span);
  if (reason.kind == Reason::Kind::Guard) return "the guard at " + place;
  return fmt::format("`{}` at {}", source_text(*sources, reason), place);
}

// Returns "3 < 4" or "0..15 < 16", of a fit "0..9 in u8"; nothing where the ranges do not tell.
std::string ranges_text(const GuardReasons& guard, const ir::Fit* fit) {
  const bool is_index =
      guard.extent.low == guard.extent.high && guard.index.low >= 0 && guard.index.high < guard.extent.low;
  if (!fits_i64(guard.index) || !(fit ? contains(guard.extent, guard.index) : is_index)) return "";
  std::string range = guard.index.low == guard.index.high ? "constant " : "";
  range += range_text(guard.index);
  return fit ? fmt::format("{} in {}", range, to_string(fit->type))
             : fmt::format("{} < {}", range, range_text(guard.extent));
}

// Returns what proved a guard, or a fit.
std::string proof_text(const GuardReasons& guard, const ir::Fit* fit, const Names& names) {
  std::vector<std::string> words;
  bool by_program = std::ranges::any_of(guard.reasons, [](const Reason& reason) {
    return is_place(reason) || reason.kind == Reason::Kind::Fact;
  });
  for (bool places : {true, false}) {
    for (const Reason& reason : guard.reasons) {
      // The limits of a launch go without saying where the program did more.
      bool skip = is_place(reason) != places || (by_program && reason.kind == Reason::Kind::Launch);
      std::string text = skip ? "" : reason_text(reason, names);
      if (!text.empty() && std::ranges::find(words, text) == words.end()) words.push_back(text);
    }
  }
  std::string by = fmt::format("{}", fmt::join(words, " and "));
  std::string range = ranges_text(guard, fit);
  if (by_program || range.empty()) return by.empty() ? "arithmetic" : by;
  return by.empty() ? range : range + " by " + by;
}

// A guard or a fit, of those that a function holds.
struct Listed {
  const ir::Guard* guard;
  const ir::Fit* fit;

  ir::SiteId site() const { return guard ? guard->site : fit->site; }
  ir::GuardForm form() const { return guard ? guard->form : fit->form; }
  Span loop() const { return guard ? guard->loop : fit->loop; }
};

std::optional<Listed> listed(const ir::Stmt& stmt) {
  const Listed found{std::get_if<ir::Guard>(&stmt.node), std::get_if<ir::Fit>(&stmt.node)};
  return found.guard || found.fit ? std::optional(found) : std::nullopt;
}

// Returns "y[0] i", with the index as it is written; if the compiler wrote it itself, as the IR has it. Of a fit
// "fit `y[i]`, a u8".
std::string listed_text(const Listed& node, const ir::Site& site, const ir::Function& function,
                        const SourceManager& sources) {
  if (node.fit) return "fit " + site.array;
  std::string index = source_text(sources, {Reason::Kind::Always, site.span});
  if (index.empty()) index = ir::print(node.guard->index, function);
  return fmt::format("{}[{}] {}", site.array, node.guard->axis, index);
}

std::string guard_line(const Listed& node, GuardReasons guard, const ir::Module& module,
                       const ir::Function& function, const SourceManager& sources) {
  const ir::Site& site = module.sites[static_cast<std::size_t>(node.site())];
  // A test that the compiler made for the subscript itself is no news.
  std::erase_if(guard.reasons,
                [&](const Reason& reason) { return is_place(reason) && reason.span == site.span; });
  std::string state =
      node.form() == ir::GuardForm::Hoisted
          ? fmt::format("hoisted before the loop at {}: its first and last index are tested",
                        place_text(sources, node.loop()))
      : node.form() == ir::GuardForm::Deferred
          ? fmt::format("deferred to the end of the loop at {}: {} instead, and then the loop runs again",
                        place_text(sources, node.loop()),
                        node.fit ? "the low bits are taken" : "element 0 is read")
      : guard.proved         ? "proved by " + proof_text(guard, node.fit, {&sources, &function})
      : guard.fails_if_empty ? "kept, fails only if empty"
                             : "kept";
  return fmt::format("{} {}: {}\n", place_text(sources, site.span),
                     listed_text(node, site, function, sources), state);
}

} // namespace

GuardProofs prove_guards(const ir::Module& module, ir::FunctionId id) {
  const ir::Function& function = module.function(id);
  GuardFindings findings = find_guards(module, function);
  GuardProofs proofs{{}, std::move(findings.selects), std::move(findings.exact_by)};
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    const std::optional<Listed> node = listed(stmt);
    if (!node) return;
    const GuardReasons& guard = findings.guards[proofs.guards.size()];
    proofs.guards.push_back({node->site(), node->guard ? node->guard->axis : 0,
                             guard.proved ? proof_text(guard, node->fit, {}) : "", guard.fails_if_empty});
    for (const Reason& reason : guard.reasons)
      if (reason.kind == Reason::Kind::Fact) proofs.guards.back().facts.push_back(reason.fact);
  });
  return proofs;
}

std::vector<bool> find_proved_guards(const ir::Module& module, const ir::Function& function) {
  std::vector<bool> proved;
  for (const GuardReasons& guard : find_guards(module, function).guards) proved.push_back(guard.proved);
  return proved;
}

// Writes the lines of a body; what stands in a loop as it was written is listed with the loop's copy.
static void list_guards(const ir::Body& body, const std::vector<GuardReasons>& guards, std::size_t& next,
                        bool is_listed, const std::function<void(const Listed&, const GuardReasons&)>& list) {
  for (const ir::Stmt& stmt : body) {
    if (const std::optional<Listed> node = listed(stmt)) {
      const GuardReasons& guard = guards[next++];
      if (is_listed) list(*node, guard);
    }
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    ir::visit_bodies(stmt, [&](const ir::Body& inner) {
      bool is_rerun = branch && branch->is_rerun && &inner == &branch->then_body;
      list_guards(inner, guards, next, is_listed && !is_rerun, list);
    });
  }
}

// The states of a guard in the list are `proved by ...`, `kept`, `hoisted before ...` and `deferred to ...`.
std::string print_guards(const ir::Module& module, const SourceManager& sources) {
  std::string text;
  for (const ir::Function& function : module.functions) {
    const std::vector<GuardReasons> guards = find_guards(module, function).guards;
    std::array<std::size_t, 3> left{}; // by form
    std::size_t count = 0, proved = 0, next = 0;
    std::string lines;
    for (const Expression& fact : function.facts)
      lines += fmt::format("taken where {}\n", to_string(fact, ir::block_names(function)));
    list_guards(function.body, guards, next, true, [&](const Listed& node, const GuardReasons& guard) {
      ++count;
      ++left[static_cast<std::size_t>(node.form())];
      proved += guard.proved && node.form() == ir::GuardForm::InPlace;
      lines += guard_line(node, guard, module, function, sources);
    });
    text += fmt::format("{}: {} of {} proved", function.symbol, proved, count);
    if (std::size_t hoisted = left[static_cast<std::size_t>(ir::GuardForm::Hoisted)])
      text += fmt::format(", {} hoisted", hoisted);
    if (std::size_t deferred = left[static_cast<std::size_t>(ir::GuardForm::Deferred)])
      text += fmt::format(", {} deferred", deferred);
    text += "\n" + lines;
  }
  return text;
}

} // namespace kern

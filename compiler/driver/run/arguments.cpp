// Reads the words of a command line that give arguments:
//
//     word  = [name ("." field)* "="] value
//     value = "None" | "(" value ("," value)* ","? ")" | "@" path | name ":" rest | [type ":"] list | array | scalar
//
// `like:` and `copy:` need another argument first, so values are made on demand, and one that needs itself is an
// error.
#include "compiler/driver/run/arguments.h"

#include <algorithm>
#include <utility>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/data/files.h"
#include "compiler/driver/run/fill.h"
#include "compiler/driver/run/list.h"
#include "compiler/driver/session/modules.h"
#include "compiler/support/limits.h"
#include "compiler/support/nearest.h"
#include "compiler/support/split.h"
#include "compiler/types/names.h"

namespace kern {

namespace {

using Value = std::variant<Scalar, HostArray, HostArray*>;

// Each stream before the first takes as long as one that is made.
constexpr std::int64_t most_random_start = 1'000'000;

// The words that were given for one parameter, and what has become of them so far.
struct Given {
  std::string param;
  std::string text;
  std::optional<ScalarKind> element = {}; // of the arrays that the parameter takes, where it says so
  bool present = false;
  enum class State { Untouched, Open, Done, Wrong } state = State::Untouched;
  std::optional<Value> value = {};
  HostArray* copied_from = nullptr;
  std::optional<ElementOf> element_of = {};
  std::size_t owner = 0; // the parameter, of which a tuple has several elements
  TupleBrackets brackets = {};
  bool is_field = false;          // `p.x=1`, of a record
  std::vector<Given> fields = {}; // such ones of a parameter
};

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c & 0x80);
  });
}

class Reader {
public:
  Reader(std::vector<Given>& given, std::span<const EarlierArray> earlier, Dialect dialect)
      : given_(given), earlier_(earlier), dialect_(dialect) {}

  // Makes the value of a parameter, and first those that it is made from.
  Result<bool> make(Given& given) {
    if (given.state == Given::State::Done) return true;
    if (given.state == Given::State::Wrong) return failure("its value is wrong");
    if (given.state == Given::State::Open) return failure("it is made from itself");
    given.state = Given::State::Open;
    Result<Value> value = parse(given);
    given.state = Given::State::Wrong;
    if (!value) return failure("{}", value.error());
    given.value = std::move(*value);
    given.state = Given::State::Done;
    return true;
  }

private:
  Result<Value> parse(Given& given) {
    std::string_view text = given.text;
    if (text.starts_with('@')) return array(read_array_file(std::string(text.substr(1))));
    if (text.starts_with('[')) return array(read_list(text, given.element));
    if (std::size_t open = text.find('['); text.ends_with(']') && find_earlier(text.substr(0, open)))
      return parse_element(text, open, given);
    std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      if (HostArray* found = find_earlier(text); found && !parse_number(text)) return Value(found);
      return parse_scalar(text);
    }
    std::string_view head = text.substr(0, colon), rest = text.substr(colon + 1);
    if (head == "like" || head == "copy") return array(from_other(head == "copy", rest, given));
    for (std::string_view maker : {"zeros", "ones", "full", "arange", "uniform"})
      if (head == maker) return array(parse_maker(head, rest));
    if (head == "xoroshiro") return array(random_states(rest));
    Result<ScalarKind> kind = parse_type(head);
    if (!kind) return failure("{}", kind.error());
    if (rest.starts_with('[')) return array(read_list(rest, *kind));
    return typed_scalar(*kind, rest);
  }

  static Result<Value> array(Result<HostArray> made) {
    if (!made) return failure("{}", made.error());
    return Value(std::move(*made));
  }

  HostArray* find_earlier(std::string_view name) const {
    auto found = std::ranges::find(earlier_, name, &EarlierArray::name);
    return found == earlier_.end() ? nullptr : found->array;
  }

  // element = array "[" index ("," index)* "]"; negative ones count from the end.
  Result<Value> parse_element(std::string_view text, std::size_t open, Given& given) const {
    HostArray* array = find_earlier(text.substr(0, open));
    std::vector<std::string_view> parts = split(text.substr(open + 1, text.size() - open - 2), ',');
    if (parts.size() != array->extents.size())
      return failure("it gives {} indices of {}, and a scalar is one element", parts.size(),
                     describe(*array));
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
      Result<Number> number = parse_number(parts[axis]);
      std::int64_t extent = array->extents[axis];
      if (!number || number->kind != Number::Kind::Signed) return failure("`{}` is no index", parts[axis]);
      std::int64_t index = number->integer < 0 ? number->integer + extent : number->integer;
      if (index < 0 || index >= extent)
        return failure("index {} is out of range for axis {} of {}", parts[axis], axis, describe(*array));
      place = place * extent + index;
    }
    given.element_of = ElementOf{array, place};
    return Value(Scalar{load_number(array->element, array->at(place)), std::nullopt, array->element});
  }

  Result<Value> parse_scalar(std::string_view text) const {
    Result<Number> number = parse_number(text);
    if (!number && earlier_.empty()) return failure("{}", number.error());
    if (!number) {
      std::vector<std::string_view> names;
      for (const EarlierArray& each : earlier_) names.push_back(each.name);
      std::string_view similar = most_similar(text, names);
      return failure("{}, and no stage before has an array of that name{}", number.error(),
                     similar.empty() ? "" : fmt::format("; did you mean `{}`?", similar));
    }
    ScalarKind standard = number->kind == Number::Kind::Real      ? ScalarKind::F64
                          : number->kind == Number::Kind::Complex ? ScalarKind::C128
                                                                  : ScalarKind::I64;
    if (number->kind == Number::Kind::Unsigned) standard = ScalarKind::U64;
    if (std::string_view("TtFf").find(text[0]) != std::string_view::npos)
      standard = ScalarKind::Bool; // True, false
    return Value(Scalar{*number, std::nullopt, standard});
  }

  static Result<Value> typed_scalar(ScalarKind kind, std::string_view text) {
    Result<Number> number = parse_number(text);
    if (!number) return failure("{}", number.error());
    std::uint64_t words[2];
    if (!store_number(kind, words, *number)) return failure("{} does not fit {}", text, name_of(kind));
    return Value(Scalar{load_number(kind, words), kind, kind});
  }

  Result<ScalarKind> parse_type(std::string_view name) {
    if (dialect_ == Dialect::Numba)
      if (std::string_view clear = clashing_name(name); !clear.empty())
        return failure("`{}` means two things in a .py file; write {}", name, clear);
    if (std::optional<ScalarKind> kind = find_scalar(name)) return *kind;
    return failure(
        "`{}` is no type, no `zeros`, `ones`, `full`, `arange`, `uniform`, `xoroshiro`, `like` or `copy`",
        name);
  }

  // count (":" ("seed=" | "start=") number)*
  static Result<HostArray> random_states(std::string_view rest) {
    std::vector<std::string_view> parts = split(rest, ':');
    Result<std::vector<std::int64_t>> count = parse_extents(parts[0]);
    std::uint64_t seed = 0, start = 0;
    bool is_right = count && count->size() == 1;
    for (std::size_t i = 1; i < parts.size() && is_right; ++i) {
      bool is_seed = parts[i].starts_with("seed=");
      Result<Number> number =
          parse_number(parts[i].substr(std::min(parts[i].find('='), parts[i].size() - 1) + 1));
      bool is_word =
          number && (number->kind == Number::Kind::Unsigned || number->kind == Number::Kind::Signed);
      is_right = is_word && (is_seed || (parts[i].starts_with("start=") && number->integer >= 0 &&
                                         number->integer <= most_random_start));
      if (is_right) (is_seed ? seed : start) = static_cast<std::uint64_t>(number->integer);
    }
    if (!is_right)
      return failure("write `xoroshiro:STREAMS`, with `:seed=N` and `:start=N` (0 to {}) behind it, as in "
                     "`xoroshiro:1000:seed=1`",
                     most_random_start);
    Result<HostArray> made = make_array(ScalarKind::U64, {count->front(), 2});
    if (made) fill_random_states(*made, seed, start);
    return made;
  }

  // maker ":" type ":" extents [":" parameter]
  Result<HostArray> parse_maker(std::string_view maker, std::string_view rest) {
    std::vector<std::string_view> parts = split(rest, ':');
    bool takes_more = maker == "full" || maker == "uniform";
    if (parts.size() < 2 || parts.size() > (takes_more ? 3u : 2u) || (maker == "full" && parts.size() != 3))
      return failure("write `{}:TYPE:EXTENTS{}`, as in `{}:f32:1000x3{}`", maker,
                     maker == "full" ? ":VALUE" : "", maker, maker == "full" ? ":1.5" : "");
    Result<ScalarKind> kind = parse_type(parts[0]);
    Result<std::vector<std::int64_t>> extents = parse_extents(parts[1]);
    const bool may_be_record = (maker == "zeros" || maker == "ones") && is_name(parts[0]) && extents;
    if (!kind && may_be_record && !find_scalar(parts[0])) return unknown_records(maker, parts[0], *extents);
    if (!kind) return failure("{}", kind.error());
    if (!extents) return failure("{}", extents.error());
    Result<HostArray> made = make_array(*kind, *extents);
    if (!made) return made;
    Result<bool> filled = fill(*made, maker, parts.size() > 2 ? parts[2] : "");
    if (!filled) return failure("{}", filled.error());
    return made;
  }

  // Records of a type that the program has, or has not.
  static Result<HostArray> unknown_records(std::string_view maker, std::string_view name,
                                           const std::vector<std::int64_t>& extents) {
    HostArray array;
    array.element = ScalarKind::U8;
    array.extents = extents;
    array.records.name = name;
    array.records.is_ones = maker == "ones";
    return array;
  }

  static std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
      parts.push_back(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
  }

  static Result<std::vector<std::int64_t>> parse_extents(std::string_view text) {
    std::vector<std::int64_t> extents;
    for (std::string_view part : split(text, 'x')) {
      Result<Number> number = parse_number(part);
      bool digits = !part.empty() && part.find_first_not_of("0123456789_") == std::string_view::npos;
      if (!digits || !number || number->kind != Number::Kind::Signed)
        return failure("`{}` gives no extents; write them as 1000 or 1000x3", text);
      extents.push_back(number->integer);
    }
    if (extents.size() > static_cast<std::size_t>(limits::array_rank))
      return failure("an array has at most {} axes", limits::array_rank);
    return extents;
  }

  static Result<bool> fill(HostArray& array, std::string_view maker, std::string_view text) {
    if (maker == "ones") return fill_with(array, "1");
    if (maker == "full") return fill_with(array, text);
    if (maker == "arange") return fill_arange(array);
    if (maker == "uniform") return fill_uniform(array, text);
    return true; // zeros
  }

  Result<HostArray> from_other(bool copied, std::string_view name, Given& given) {
    auto other =
        std::find_if(given_.begin(), given_.end(), [&](const Given& each) { return each.param == name; });
    HostArray* earlier = find_earlier(name);
    if (earlier && (other == given_.end() || &*other == &given)) {
      if (copied) given.copied_from = earlier;
      return copied ? copy_array(*earlier) : make_like(*earlier);
    }
    if (other == given_.end() || !other->present) return failure("there is no argument `{}`", name);
    Result<bool> made = make(*other);
    if (!made) return failure("`{}`: {}", name, made.error());
    const auto* array = std::get_if<HostArray>(&*other->value);
    if (auto* found = std::get_if<HostArray*>(&*other->value)) array = *found;
    if (!array) return failure("`{}` is no array", name);
    if (array->records.are_unknown()) {
      HostArray same;
      same.element = array->element;
      same.extents = array->extents;
      same.records = array->records;
      same.records.is_ones = copied && array->records.is_ones;
      return same;
    }
    if (copied)
      given.copied_from =
          other->value->index() == 2 ? *std::get_if<HostArray*>(&*other->value) : other->copied_from;
    return copied ? copy_array(*array) : make_like(*array);
  }

  std::vector<Given>& given_;
  std::span<const EarlierArray> earlier_;
  Dialect dialect_;
};

} // namespace

// Reports a parameter that is given twice; `in_order` is the word that has no name, where that is the second.
static void report_repeated(Diagnostics& diagnostics, const Given& target, std::string_view in_order) {
  auto builder = diagnostics.report({}, diag::repeated_argument, target.param);
  if (!in_order.empty())
    builder.note("`{0}` has no name, and is `{1}` by its place; write `NAME={0}` for another parameter",
                 in_order, target.param);
}

// Takes `p.x=1`, a field of a record; false where the word is none, or no parameter has that name.
static bool take_field(std::vector<Given>& given, std::string_view name, std::string_view text,
                       Diagnostics& diagnostics) {
  std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return false;
  for (std::string_view rest = name; !rest.empty();) {
    std::string_view part = rest.substr(0, rest.find('.'));
    bool is_index = !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_name(part) && !is_index) return false;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  auto target = std::ranges::find(given, name.substr(0, dot), &Given::param);
  if (target == given.end()) return false;
  bool is_whole = target->present && target->fields.empty();
  if (is_whole || std::ranges::find(target->fields, name, &Given::param) != target->fields.end()) {
    diagnostics.report({}, diag::repeated_argument, is_whole ? target->param : std::string(name));
    return true;
  }
  Given field{std::string(name), std::string(text), std::nullopt, true};
  field.is_field = true;
  target->fields.push_back(std::move(field));
  target->present = true;
  return true;
}

// Puts each word at its parameter. Those that are left at the end are the elements of `*args`, where a kernel has it.
static void distribute(std::vector<Given>& given, const ast::FunctionDef& function,
                       std::span<const std::string> words, Diagnostics& diagnostics) {
  std::string_view kernel = function.name;
  bool has_rest = !function.params.empty() && function.params.back().kind == ast::ParamKind::VarArgs;
  std::string rest;
  std::size_t next = 0;
  for (const std::string& word : words) {
    std::size_t equal = word.find('=');
    if (equal != std::string::npos && take_field(given, std::string_view(word).substr(0, equal),
                                                 std::string_view(word).substr(equal + 1), diagnostics))
      continue;
    bool named = equal != std::string::npos && is_name(std::string_view(word).substr(0, equal));
    std::string name = named ? word.substr(0, equal) : "";
    std::string text = named || word.starts_with('=') ? word.substr(equal + 1) : word;
    auto target = given.begin() + static_cast<std::ptrdiff_t>(std::min(next, given.size()));
    if (named)
      target =
          std::find_if(given.begin(), given.end(), [&](const Given& each) { return each.param == name; });
    if (named && target == given.end()) {
      std::vector<std::string_view> names;
      for (const Given& each : given) names.push_back(each.param);
      auto builder = diagnostics.report({}, diag::unknown_argument, kernel, name);
      if (std::string_view similar = most_similar(name, names); !similar.empty())
        builder.note("did you mean `{}`?", similar);
      continue;
    }
    if (!named) ++next;
    if (!named && has_rest && next >= given.size()) {
      rest += text + ", ";
      continue;
    }
    if (target == given.end())
      diagnostics.report({}, diag::too_many_arguments, text, kernel);
    else if (target->present)
      report_repeated(diagnostics, *target, named ? "" : text);
    else
      target->text = text, target->present = true;
  }
  if (has_rest && !given.back().present) {
    given.back().text = rest.empty() ? "None" : fmt::format("({})", rest.substr(0, rest.size() - 1));
    given.back().present = true;
  }
}

// The elements of "a, (b, c)"; a last comma ends nothing.
static std::vector<std::string> split_elements(std::string_view text) {
  const std::vector<std::string_view> parts = split_at_commas(text);
  std::vector<std::string> elements(parts.begin(), parts.end());
  if (elements.back().empty()) elements.pop_back();
  return elements;
}

// Says whether a value is a tuple: in brackets, with a comma.
static bool is_tuple_text(std::string_view text) {
  bool in_brackets = text.starts_with('(') && text.ends_with(')');
  return in_brackets && split_at_commas(text.substr(1, text.size() - 2)).size() > 1;
}

// Adds a value, or the elements of a tuple one by one: a kernel has a parameter for each.
static void add_leaves(std::vector<Given>& leaves, Given whole) {
  if (whole.text == "None") return; // a constant of the kernel's instance
  if (!is_tuple_text(whole.text)) {
    leaves.push_back(std::move(whole));
    return;
  }
  std::vector<std::string> parts =
      split_elements(std::string_view(whole.text).substr(1, whole.text.size() - 2));
  std::size_t first = leaves.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Given element{fmt::format("{}.{}", whole.param, i), parts[i], whole.element, whole.present};
    element.owner = whole.owner;
    element.is_field = whole.is_field;
    add_leaves(leaves, std::move(element));
  }
  if (leaves.size() == first) return;
  leaves[first].brackets.before = "(" + leaves[first].brackets.before;
  leaves.back().brackets.after += parts.size() == 1 ? ",)" : ")";
}

// The element type of an array annotation that names it: f32 of `f32[:]`.
static std::optional<ScalarKind> element_of(const ast::Param& param) {
  const auto* array = ast::as<ast::Subscript>(param.annotation);
  const auto* name = array ? ast::as<ast::Name>(array->value) : nullptr;
  return name ? find_scalar(name->text) : std::nullopt;
}

std::vector<Argument> read_arguments(const ast::FunctionDef& kernel, const DefaultText& default_text,
                                     Dialect dialect, std::span<const std::string> words,
                                     std::span<const EarlierArray> earlier, Diagnostics& diagnostics) {
  std::vector<Given> given;
  for (const ast::Param& param : kernel.params)
    given.push_back(
        {std::string(param.name), "", dialect == Dialect::Kern ? element_of(param) : std::nullopt});
  distribute(given, kernel, words, diagnostics);
  if (diagnostics.has_errors()) return {};
  auto is_made = [&](std::size_t i) { return kernel.generated && i >= kernel.generated->inputs; };
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].present || is_made(i)) continue;
    const ast::Expr* standard = kernel.params[i].default_value;
    std::optional<std::string> text = standard ? default_text(*standard) : std::nullopt;
    if (standard && standard->kind == ast::Kind::NoneLiteral) text = "None";
    if (text)
      given[i].text = *text, given[i].present = true;
    else if (standard)
      diagnostics.report({}, diag::bad_argument, given[i].param, "its default is no number; give a value");
    else
      diagnostics.report({}, diag::missing_argument, given[i].param);
  }
  std::vector<Argument> arguments;
  if (diagnostics.has_errors()) return arguments;
  std::vector<Given> leaves;
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i].owner = i;
    for (Given& field : given[i].fields) {
      field.owner = i;
      add_leaves(leaves, std::move(field));
    }
    if (given[i].fields.empty()) add_leaves(leaves, std::move(given[i]));
  }
  given = std::move(leaves);
  Reader reader(given, earlier, dialect);
  for (Given& each : given) {
    if (!each.present) continue;
    Result<bool> made = reader.make(each);
    if (!made)
      diagnostics.report({}, diag::bad_argument, fmt::format("{}={}", each.param, each.text), made.error());
  }
  if (diagnostics.has_errors()) return arguments;
  for (Given& each : given) {
    if (each.present)
      arguments.push_back({each.param, each.text, std::move(*each.value), each.copied_from, each.element_of,
                           each.owner, each.brackets, false, each.is_field});
    else
      arguments.push_back(
          {.param = each.param, .text = "", .value = HostArray{}, .owner = each.owner, .is_made = true});
  }
  return arguments;
}

std::string type_text(const Argument& argument) {
  const HostArray* array = argument.array();
  if (!array) return std::string(long_name_of(std::get<Scalar>(argument.value).standard));
  if (array->is_point) return std::string(long_name_of(array->element)) + "[()]";
  std::string text(long_name_of(array->element));
  std::size_t rank = array->extents.size();
  if (array->records.are_unknown()) text = array->records.name;
  if (!array->records.dtype.empty()) text = fmt::format("from_dtype({})", array->records.dtype), --rank;
  text += "[:";
  for (std::size_t axis = 1; axis < rank; ++axis) text += ", :";
  return text + "]";
}

} // namespace kern

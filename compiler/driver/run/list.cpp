// list = "[" [item ("," item)*] "]"; item = number | list. Spaces mean nothing.
#include "compiler/driver/run/list.h"

#include <algorithm>

#include "compiler/support/limits.h"

namespace kern {

namespace {

class ListReader {
public:
  explicit ListReader(std::string_view text) : rest_(text) {}

  // Returns why it is no list, or "".
  std::string read() {
    if (!read_list(0)) return why_;
    skip_spaces();
    return rest_.empty() ? "" : fmt::format("`{}` stands behind the list", rest_);
  }

  std::vector<std::int64_t> extents;
  std::vector<Number> numbers;
  std::vector<bool> is_boolean;

private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool read_list(std::size_t axis) {
    if (axis == static_cast<std::size_t>(limits::array_rank))
      return fail(fmt::format("an array has at most {} axes", limits::array_rank));
    take('[');
    bool is_first = axis == extents.size(); // along this axis: it says how long the others are
    if (is_first) extents.push_back(-1);
    std::int64_t count = 0;
    for (bool more = !take(']'); more; ++count) {
      if (!read_item(axis)) return false;
      more = take(',');
      if (!more && !take(']')) return fail("a list ends in `]`, and its items have `,` between them");
    }
    if (extents[axis] == -1) extents[axis] = count;
    if (extents[axis] == count) return true;
    return fail(fmt::format("its rows differ in length: {} and {}", extents[axis], count));
  }

  bool read_item(std::size_t axis) {
    skip_spaces();
    if (rest_.starts_with('[')) {
      if (rank_ != 0 && axis + 1 >= rank_) return fail("a list stands where others have a number");
      return read_list(axis + 1);
    }
    std::string_view word = rest_.substr(0, rest_.find_first_of(",[] "));
    rest_.remove_prefix(word.size());
    if (word.empty()) return fail("a number is missing in the list");
    Result<Number> number = parse_number(word);
    if (!number) return fail(number.error());
    if (rank_ == 0) rank_ = extents.size();
    if (axis + 1 != rank_) return fail("a number stands where others have a list");
    numbers.push_back(*number);
    is_boolean.push_back(std::string_view("TtFf").find(word[0]) != std::string_view::npos);
    return true;
  }

  std::string_view rest_;
  std::string why_;
  std::size_t rank_ = 0; // 0: no number has been read
};

// Returns the type of the numbers where nothing says it, as in NumPy.
ScalarKind common_kind(const ListReader& list) {
  auto any = [&](Number::Kind kind) {
    return std::ranges::any_of(list.numbers, [&](const Number& number) { return number.kind == kind; });
  };
  if (any(Number::Kind::Complex)) return ScalarKind::C128;
  if (any(Number::Kind::Real)) return ScalarKind::F64;
  if (std::ranges::all_of(list.is_boolean, [](bool is) { return is; })) return ScalarKind::Bool;
  return any(Number::Kind::Unsigned) ? ScalarKind::U64 : ScalarKind::I64;
}

} // namespace

Result<HostArray> read_list(std::string_view text, std::optional<ScalarKind> element) {
  ListReader list(text);
  if (std::string why = list.read(); !why.empty()) return failure("{}", why);
  if (!element && list.numbers.empty()) return failure("an empty list has no type; write f32:[]");
  ScalarKind kind = element ? *element : common_kind(list);
  Result<HostArray> made = make_array(kind, list.extents);
  if (!made) return made;
  for (std::size_t i = 0; i < list.numbers.size(); ++i)
    if (!store_number(kind, made->data() + i * made->element_bytes(), list.numbers[i])) {
      const Number& number = list.numbers[i];
      ScalarKind shown = number.kind == Number::Kind::Real ? ScalarKind::F64 : ScalarKind::C128;
      return failure("{} does not fit {}", to_string(number, shown), name_of(kind));
    }
  return made;
}

} // namespace kern

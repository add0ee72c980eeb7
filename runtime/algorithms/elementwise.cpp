#include "runtime/algorithms/elementwise.h"

#include <algorithm>
#include <array>

namespace kern::algorithms {

static std::string number(std::size_t value) { return std::to_string(value); }

std::vector<std::string> kernel_names(const Formula& formula) {
  // What the sources call by a name where the arguments have theirs.
  static constexpr std::array<std::string_view, 30> taken = {
      "grid",        "gridsize",     "gridDim",       "threadIdx",   "range",     "operation",
      "elementwise", "reduction",    "scanning",      "combine",     "value",     "value_at",
      "value_of",    "store",        "sources",       "result_",     "state",     "row_",
      "k_",          "joined_",      "THREADS",       "GROUP",       "GROUPS",    "blocks",
      "tiles",       "reduce_range", "first_segment", "reduce_grid", "scan_grid", "exclusive_scan_grid"};
  std::vector<std::string> names = names_of(formula);
  for (std::string& name : names) {
    const bool is_taken = std::ranges::find(taken, name) != taken.end() || name.starts_with("extent");
    if (!is_taken) continue;
    std::string other = name;
    while (std::ranges::find(names, other) != names.end()) other += "_";
    name = other;
  }
  return names;
}

std::string element_text(const std::string& name, const kern_argument& argument, const Axes& axes,
                         std::span<const std::string> index, bool flat) {
  if (!is_array(argument)) return name;
  std::string text = name + "[";
  for (std::size_t axis = 0; axis < argument.rank; ++axis)
    text += (axis ? ", " : "") + (flat                     ? index[axis]
                                  : axes.is_repeated[axis] ? "0"
                                                           : index[axis + axes.skipped]);
  return text + "]";
}

namespace {

class Writer {
public:
  Writer(const Formula& formula, const Shape& shape, std::span<const kern_argument> arguments, bool flat)
      : formula_(formula), shape_(shape), arguments_(arguments), flat_(flat), names_(kernel_names(formula)) {}

  std::string file() {
    operation();
    text_ += "\n\n@kernel\ndef elementwise(";
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      text_ += (i ? ", " : "") + names_[i] + ": " + parameter_type(arguments_[i]);
    text_ += "):\n";
    contracts();
    flat_ ? flat_body() : body();
    return std::move(text_);
  }

private:
  std::size_t axes() const { return flat_ ? 1 : shape_.extents.size(); }

  // The formula's own lines stand in a function, so that errors show them as they were given.
  void operation() {
    text_ = "@device\ndef operation(i";
    for (const Name& name : formula_.names)
      if (name.is_read) text_ += ", " + name.text;
    text_ += "):\n    ";
    for (char c : formula_.text) text_ += c == '\n' ? "\n    " : std::string(1, c);
    text_ += "return " + results([](const Name& name, std::size_t) { return name.text; });
  }

  std::string results(const auto& text_of) const {
    std::string list;
    for (std::size_t i = 0; i < formula_.names.size(); ++i)
      if (formula_.names[i].is_written) list += (list.empty() ? "" : ", ") + text_of(formula_.names[i], i);
    return list;
  }

  // The first result has the whole shape.
  std::size_t whole() const {
    return static_cast<std::size_t>(std::ranges::find(formula_.names, true, &Name::is_written) -
                                    formula_.names.begin());
  }

  // What the host has seen of the extents the kernel is told, and needs no guards for.
  void contracts() {
    const std::string& first = names_[whole()];
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (!is_array(arguments_[i]) || i == whole()) continue;
      for (std::size_t axis = 0; axis < arguments_[i].rank; ++axis) {
        const Axes& axes = shape_.arrays[i];
        const std::string extent = names_[i] + ".shape[" + number(axis) + "]";
        const bool is_repeated = !flat_ && axes.is_repeated[axis];
        const std::size_t common = flat_ ? axis : axis + axes.skipped;
        text_ += "    assert " + extent +
                 (is_repeated ? " == 1" : " == " + first + ".shape[" + number(common) + "]") + "\n";
      }
    }
  }

  std::string element(std::size_t i, std::span<const std::string> index) const {
    return element_text(names_[i], arguments_[i], shape_.arrays[i], index, flat_);
  }

  void store(const std::string& indent, std::span<const std::string> index, const std::string& place) {
    text_ += indent + results([&](const Name&, std::size_t i) { return element(i, index); }) +
             " = operation(" + place;
    for (std::size_t i = 0; i < formula_.names.size(); ++i)
      if (formula_.names[i].is_read) text_ += ", " + element(i, index);
    text_ += ")\n";
  }

  // Names of the kernel's own must be none of the formula's.
  std::string own(std::string name) const {
    while (std::ranges::find(names_, name) != names_.end()) name += "_";
    return name;
  }

  void flat_body() {
    const std::string at = own("at");
    text_ += "    " + at + " = grid(1)\n    if " + at + " < " + names_[whole()] + ".size:\n";
    store("        ", std::array{at}, at);
  }

  void body() {
    const std::string& first = names_[whole()];
    const std::string column = own("column"), row = own("row"), rest = own("rest"), start = own("start");
    auto extent = [&](std::size_t axis) { return first + ".shape[" + number(axis) + "]"; };
    const std::size_t last = axes() - 1;
    std::string rows = "1";
    for (std::size_t axis = 0; axis < last; ++axis) rows = axis ? rows + " * " + extent(axis) : extent(axis);
    text_ += "    " + column + ", " + start + " = grid(2)\n";
    text_ += "    if " + column + " < " + extent(last) + ":\n";
    text_ += "        for " + row + " in range(" + start + ", " + rows + ", gridsize(2)[1]):\n";
    std::vector<std::string> index(axes());
    index[last] = column;
    std::string left = row;
    for (std::size_t axis = last; axis-- > 1;) {
      index[axis] = own("at" + number(axis));
      text_ += "            " + index[axis] + " = " + left + " % " + extent(axis) + "\n";
      text_ += "            " + rest + number(axis) + " = " + left + " // " + extent(axis) + "\n";
      left = rest + number(axis);
    }
    if (last > 0) index[0] = left;
    store("            ", index, row + " * " + extent(last) + " + " + column);
  }

  const Formula& formula_;
  const Shape& shape_;
  std::span<const kern_argument> arguments_;
  bool flat_;
  std::vector<std::string> names_; // of the arguments, in the kernel
  std::string text_;
};

} // namespace

std::string elementwise_source(const Formula& formula, const Shape& shape,
                               std::span<const kern_argument> arguments, bool flat) {
  return Writer(formula, shape, arguments, flat).file();
}

} // namespace kern::algorithms

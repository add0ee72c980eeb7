// What lists, dicts and arrays hold.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

bool is_named_tuple(const Value& of) {
  const auto* made = as<values::Class>(of);
  const auto* term = as<values::Term>(of);
  return path_name(of) == "typing.NamedTuple" ||
         (term && path_name(term->data->callee) == "collections.namedtuple") ||
         (made && std::ranges::any_of(made->bases, is_named_tuple));
}

std::optional<std::size_t> place_of_key(std::span<const Value> pairs, const Value& key) {
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const std::optional<bool> equal = values::compare(ast::CompareOp::Equal, pairs[i], key);
    if (equal == false && !values::is_same(pairs[i], key)) continue; // NaN is another one, or the same
    return equal == true ? std::optional(i + 1) : std::nullopt;
  }
  return pairs.size() + 1;
}

Value Interpreter::unknown(Why why, Span where, std::string_view name) {
  in_doubt = true;
  return values::Unknown{why, where, name.empty() ? nullptr : arena.make<values::Doubt>(arena.copy(name))};
}

Value Interpreter::frozen(const Value& value) {
  std::size_t left = limits.elements;
  return frozen(value, 0, left);
}

// A list may hold itself, or the same one twice, and so on.
Value Interpreter::frozen(const Value& value, std::size_t depth_of_lists, std::size_t& left) {
  const auto* dict = values::as<values::Dict>(value);
  const auto* list = values::as<values::List>(value);
  const auto* whole = values::as<values::Tuple>(value);
  const auto* term = values::as<values::Term>(value);
  if (term && term->data->object && !content(*term->data->object).is_known)
    return unknown(Why::Changed, content(*term->data->object).where);
  if (!dict && !list && !whole) return value;
  constexpr std::size_t deepest = 50;
  if (depth_of_lists > deepest) return unknown(Why::NotComputed, here);
  if (!whole) {
    const Content& held = content(dict ? dict->object : list->object);
    if (!held.is_known) return unknown(Why::Changed, held.where);
  }
  const std::span<const Value> elements = whole  ? whole->elements
                                          : list ? content(list->object).elements
                                                 : content(dict->object).elements;
  std::vector<Value> result;
  if (elements.size() > left) return unknown(Why::NotComputed, here);
  left -= elements.size();
  for (const Value& each : elements) result.push_back(frozen(each, depth_of_lists + 1, left));
  if (dict) return new_dict(result);
  return values::Tuple{arena.copy(result), list || (whole && whole->was_list)};
}

Value Interpreter::make_term(const Value& callee, const Arguments& args, bool is_object) {
  auto* data = arena.make<values::TermData>();
  std::vector<Value> positional;
  for (const Value& each : args.positional) positional.push_back(frozen(each));
  std::vector<values::NamedValue> keywords;
  for (const values::NamedValue& each : args.keywords) keywords.push_back({each.name, frozen(each.value)});
  data->callee = callee;
  data->args = arena.copy(positional);
  data->keywords = arena.copy(keywords);
  data->call = args.call;
  if (is_object) {
    data->object = ObjectId{next_object++};
    set_content(*data->object, {});
  }
  return values::Term{data};
}

Value Interpreter::new_list(const std::vector<Value>& elements) {
  const ObjectId object{next_object++};
  set_elements(object, elements);
  return values::List{object};
}

Value Interpreter::new_dict(const std::vector<Value>& pairs) {
  return values::Dict{values::as<values::List>(new_list(pairs))->object};
}

const Content& Interpreter::content(ObjectId object) const {
  static const Content nothing{}, unknown = [] {
    Content content;
    content.is_known = false;
    return content;
  }();
  if (summary && object < first_own_object) return unknown;
  const Content* found = store.contents.find(static_cast<std::uint64_t>(object));
  return found ? *found : nothing;
}

void Interpreter::set_elements(ObjectId object, const std::vector<Value>& elements) {
  Content changed;
  changed.elements = kept(elements);
  set_content(object, changed);
}

void Interpreter::append(ObjectId object, std::span<const Value> more) {
  Content changed = content(object);
  const std::size_t before = changed.elements.size(), after = before + more.size();
  const bool fits = changed.room && changed.elements.data() == changed.room->first &&
                    before == changed.room->used && after <= changed.room->capacity;
  if (!fits) {
    std::vector<Value> all(changed.elements.begin(), changed.elements.end());
    all.resize(std::max<std::size_t>(2 * after, 8));
    steps += before / 64;
    const std::span<Value> place = arena.copy(all);
    changed.room = arena.make<Room>(place.data(), before, place.size());
  }
  std::ranges::copy(more, changed.room->first + before);
  changed.room->used = after;
  changed.elements = {changed.room->first, after};
  set_content(object, changed);
}

void Interpreter::set_content(ObjectId object, const Content& content) {
  Content placed = content;
  if (placed.is_known) placed.where = here;
  store.contents.set(arena, static_cast<std::uint64_t>(object), placed);
}

void Interpreter::forget(ObjectId object, Span where) {
  const Content* known = store.contents.find(static_cast<std::uint64_t>(object));
  if (known && !known->is_known) return;
  Content changed;
  changed.is_known = false;
  changed.where = where;
  set_content(object, changed);
}

// The names of the elements of what a class, or a call of `namedtuple`, makes: "x y", "x, y" or a list.
std::vector<std::string_view> Interpreter::field_names(const Value& of) {
  std::vector<std::string_view> result;
  const Binding* annotated = class_member(of, "__annotations__");
  const auto* dict = annotated ? values::as<values::Dict>(annotated->value) : nullptr;
  const auto* term = values::as<values::Term>(of);
  const Value* list = term && term->data->args.size() > 1 ? &term->data->args[1] : nullptr;
  std::vector<Value> names;
  if (dict || (list && values::as<values::Tuple>(*list)))
    names = iterate(dict ? annotated->value : *list).value_or(std::vector<Value>{});
  for (const Value& each : names)
    if (const auto* name = values::as<values::Text>(each)) result.push_back(name->text);
  const auto* text = list ? values::as<values::Text>(*list) : nullptr;
  for (std::size_t i = 0; text && i < text->text.size();) {
    const std::size_t first = text->text.find_first_not_of(" ,", i);
    if (first == std::string_view::npos) break;
    i = std::min(text->text.find_first_of(" ,", first), text->text.size());
    result.push_back(text->text.substr(first, i - first));
  }
  const auto* made = values::as<values::Class>(of);
  if (result.empty() && made && !made->bases.empty()) return field_names(made->bases.front());
  return result;
}

// The elements of a named tuple: those that are given, then what its class gives the others.
std::optional<std::span<const Value>> Interpreter::named_elements(const values::TermData& made) {
  if (!is_named_tuple(made.callee)) return std::nullopt;
  const std::vector<std::string_view> fields = field_names(made.callee);
  std::vector<Value> elements(made.args.begin(), made.args.end());
  if (fields.empty() || elements.size() > fields.size()) return std::nullopt;
  for (std::size_t i = elements.size(); i < fields.size(); ++i) {
    const auto given = std::ranges::find(made.keywords, fields[i], &values::NamedValue::name);
    const Binding* otherwise = class_member(made.callee, fields[i]);
    if (given == made.keywords.end() && !otherwise) return std::nullopt;
    elements.push_back(given != made.keywords.end() ? given->value : otherwise->value);
  }
  return arena.copy(elements);
}

std::optional<ObjectId> object_of(const Value& value) {
  if (const auto* list = values::as<values::List>(value)) return list->object;
  if (const auto* dict = dict_of(value)) return dict->object;
  if (const auto* array = values::as<values::Array>(value)) return array->object;
  const auto* term = values::as<values::Term>(value);
  return term ? term->data->object : std::nullopt;
}

const values::Dict* dict_of(const Value& value) {
  const bool is_view = values::callee_name(value).starts_with("dict.");
  return values::as<values::Dict>(is_view ? values::as<values::Term>(value)->data->args.front() : value);
}

std::optional<std::span<const Value>> Interpreter::elements_of(const Value& value) {
  if (const auto* tuple = values::as<values::Tuple>(value)) return tuple->elements;
  if (const auto* term = values::as<values::Term>(value)) return named_elements(*term->data);
  const auto* list = values::as<values::List>(value);
  if (!list || !content(list->object).is_known) return std::nullopt;
  return content(list->object).elements;
}

std::optional<std::vector<Value>> Interpreter::iterate(const Value& value) {
  if (const auto elements = elements_of(value)) return std::vector<Value>(elements->begin(), elements->end());
  std::vector<Value> result;
  if (const auto* array = values::as<values::Array>(value); array && !array->form->extents.empty()) {
    const values::ArrayForm& form = *array->form;
    for (std::int64_t i = 0; i < form.extents[0]; ++i) {
      if (!content(array->object).is_known || result.size() > limits.elements) return std::nullopt;
      const auto* row = arena.make<values::ArrayForm>(
          form.type, form.extents.subspan(1), form.strides.subspan(1), form.first + i * form.strides[0]);
      result.push_back(element_or_view(values::Array{array->object, row}));
    }
    return result;
  }
  if (const auto* range = values::as<values::Range>(value)) {
    for (std::int64_t i = range->start; range->step > 0 ? i < range->stop : i > range->stop;
         i += range->step) {
      if (result.size() > limits.elements) return std::nullopt;
      result.emplace_back(static_cast<WideInt>(i));
    }
    return result;
  }
  if (const auto* dict = dict_of(value); dict && content(dict->object).is_known) {
    const std::string_view part = values::callee_name(value);
    const std::span<const Value> pairs = content(dict->object).elements;
    for (std::size_t i = 0; i < pairs.size(); i += 2)
      result.push_back(part == "dict.items"    ? tuple({pairs[i], pairs[i + 1]})
                       : part == "dict.values" ? pairs[i + 1]
                                               : pairs[i]);
    return result;
  }
  if (const auto* string = values::as<values::Text>(value)) {
    for (std::size_t i = 0; i < string->text.size(); ++i) {
      if (string->text[i] & 0x80) return std::nullopt;
      result.push_back(values::Text{string->text.substr(i, 1)});
    }
    return result;
  }
  return std::nullopt;
}

std::optional<bool> Interpreter::truth(const Value& value) {
  const auto* dict = values::as<values::Dict>(value);
  if (dict && content(dict->object).is_known) return !content(dict->object).elements.empty();
  if (const auto elements = elements_of(value)) return !elements->empty();
  if (const auto answer = asked("bool", std::span(&value, 1))) return values::truth_of(*answer);
  return values::truth_of(value);
}

static bool has_foreign(std::span<const Value> values) {
  return std::ranges::any_of(values, [](const Value& each) {
    const auto* tuple = values::as<values::Tuple>(each);
    return values::as<values::Foreign>(each) || (tuple && has_foreign(tuple->elements));
  });
}

// Returns what a function of Python or of a module gives for arguments that only who calls knows.
std::optional<Value> Interpreter::asked(std::string_view path, std::span<const Value> args) {
  return ask && (has_foreign(args) || path == "isinstance") ? (*ask)(path, args) : std::nullopt;
}

} // namespace kern::python

// The last `.` before the `=` separates: an inner kernel is named by its dotted path.
#include "compiler/driver/session/specialization.h"

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/data/array.h"

namespace kern {

static std::nullopt_t refuse(const std::string& text, std::string_view why, Diagnostics& diagnostics) {
  diagnostics.report({}, diag::bad_specialization, text, why);
  return std::nullopt;
}

std::optional<SpecializationRequest> parse_specialization(const std::string& text, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  const std::size_t dot = equals == std::string::npos ? equals : text.rfind('.', equals);
  if (dot == std::string::npos || dot == 0 || dot + 1 == equals)
    return refuse(text, "it takes KERNEL.NAME=VALUE, with an integer or bool parameter NAME or `block`",
                  diagnostics);
  SpecializationRequest request{text, text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), {}};
  std::string_view rest = std::string_view(text).substr(equals + 1);
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = rest.find(',');
    Result<Number> number = parse_number(rest.substr(0, comma));
    if (!number || number->kind == Number::Kind::Real || number->kind == Number::Kind::Complex)
      return refuse(text, "a value is an integer, True or False", diagnostics);
    request.values.push_back(number->integer);
    request.is_unsigned |= number->kind == Number::Kind::Unsigned;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  constexpr std::size_t most_axes = 3;
  const std::size_t most = request.name == "block" ? most_axes : 1;
  if (request.values.size() > most)
    return refuse(text, most == 1 ? "a parameter has one value" : "a block has up to three extents",
                  diagnostics);
  return request;
}

} // namespace kern

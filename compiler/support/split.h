// Lists in text, "a, (b, c)[:, 2]", and source text in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kern {

// Returns a text without the spaces at its ends.
std::string_view trimmed(std::string_view text);

// Splits at the commas that stand in no parentheses or square brackets; the parts are without the spaces
// round them, and one more than there are such commas.
std::vector<std::string_view> split_at_commas(std::string_view list);

// Returns a source text on one line, or "..." where it is too long for a message.
std::string short_text(std::string_view text);

} // namespace kern

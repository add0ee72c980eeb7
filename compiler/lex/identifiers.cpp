// Python names follow the XID properties of Unicode, whose tables are thousands of ranges. Kern accepts every
// code point beyond ASCII except those in the short list below: spaces, punctuation, symbols, private and
// unassigned planes. So it accepts all names that Python does, and a few more that nobody writes.
#include "compiler/lex/identifiers.h"

#include <algorithm>
#include <iterator>

namespace kern {

struct Range {
  char32_t first, last;
};

// Ascending. Holes in a row of symbols are code points that are letters.
static constexpr Range no_letters[] = {
    {0x80, 0xA9},        {0xAB, 0xB4},     {0xB6, 0xB6},     {0xB8, 0xB9},     {0xBB, 0xBF},
    {0xD7, 0xD7},        {0xF7, 0xF7},     {0x37E, 0x37E},   {0x387, 0x387},   {0x589, 0x58A},
    {0x60C, 0x60D},      {0x61B, 0x61F},   {0x66A, 0x66D},   {0x964, 0x965},   {0x1680, 0x1680},
    {0x2000, 0x203E},    {0x2041, 0x2053}, {0x2055, 0x2070}, {0x2072, 0x207E}, {0x2080, 0x208F},
    {0x20A0, 0x20CF},    {0x2100, 0x2101}, {0x2190, 0x2BFF}, {0x2E00, 0x3004}, {0x3008, 0x3020},
    {0x3030, 0x3030},    {0x303D, 0x3040}, {0xD800, 0xF8FF}, {0xFD3E, 0xFD3F}, {0xFE10, 0xFE1F},
    {0xFE30, 0xFE32},    {0xFE35, 0xFE4C}, {0xFE50, 0xFE6F}, {0xFEFF, 0xFF0F}, {0xFF1A, 0xFF20},
    {0xFF3B, 0xFF3E},    {0xFF40, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FBEF},
    {0xE0000, 0x10FFFF},
};

// Marks and digits that go on with a name but do not begin one.
static constexpr Range only_inside[] = {
    {0xB7, 0xB7},   {0x300, 0x36F}, {0x387, 0x387},   {0x483, 0x487},
    {0x660, 0x669}, {0x966, 0x96F}, {0xFF10, 0xFF19}, {0xE0100, 0xE01EF},
};

template <std::size_t N> static bool holds(const Range (&ranges)[N], char32_t value) {
  auto after = std::upper_bound(std::begin(ranges), std::end(ranges), value,
                                [](char32_t sought, const Range& range) { return sought < range.first; });
  return after != std::begin(ranges) && value <= std::prev(after)->last;
}

bool is_name_start(char32_t value) {
  if (value < 0x80) return (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z') || value == '_';
  return !holds(no_letters, value) && !holds(only_inside, value);
}

bool is_name_continue(char32_t value) {
  return is_name_start(value) || (value >= '0' && value <= '9') || holds(only_inside, value);
}

} // namespace kern

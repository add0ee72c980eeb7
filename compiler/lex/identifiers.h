// Which code points a name may hold.
#pragma once

namespace kern {

// Says whether a name may begin with this code point.
bool is_name_start(char32_t value);
// Says whether a name may go on with this code point.
bool is_name_continue(char32_t value);

} // namespace kern

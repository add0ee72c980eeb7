// Debian has no libfmt.a: this is one. Every function of the header-only form is kept
// (-fkeep-inline-functions), so that all other files include the form whose code is elsewhere, which compiles
// in half the time.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

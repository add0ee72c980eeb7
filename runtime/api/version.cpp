// Says which version the linked runtime is, because the headers that a program was compiled with may be of
// another one.
#include "kern/version.h"

const char* kern_version() { return KERN_VERSION_STRING; }

uint32_t kern_version_number() { return KERN_VERSION_NUMBER; }

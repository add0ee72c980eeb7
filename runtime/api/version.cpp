// What version the linked runtime is of.
#include "kern/version.h"

const char* kern_version() { return KERN_VERSION_STRING; }

uint32_t kern_version_number() { return KERN_VERSION_NUMBER; }

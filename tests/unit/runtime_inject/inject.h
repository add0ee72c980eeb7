// Calls of the system that fail on demand: malloc and what is made of it (operator new), pthread_create, open, mmap and write,
// of the whole process and its C++ library; memory that is gone: malloc and mmap fail from some call on; and malloc of a thread
// that has a lock or makes a function's static: an exception through code that does not know of exceptions leaves it so, and who
// comes next waits for ever.
#pragma once

#include <cstdint>

enum class Call { Malloc, Thread, Open, Map, Write, Memory, Held, Count };
const char* name_of(Call call);

// From now on the `number`-th such call fails, from 1, and all others do not, but for Memory: there all later ones do.
void fail_call(Call call, std::uint64_t number);
// No call fails any more; says whether one did.
bool stop_failing();

// Whether a process is the one in which something was made.
#pragma once

namespace kern::runtime {

// Counts the forks that led to this process: cheaper to read than its id, which is a system call.
unsigned fork_count();

} // namespace kern::runtime

// The program kernc: a thin shell over the library. What ends it from inside (an assertion, a bad access) is
// a bug in kernc, and says so with exit code 70; but where memory ends, no program can help it.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <vector>

#include "compiler/driver/session/output.h"
#include "compiler/driver/session/streams.h"

static void on_crash(int signal) {
  // Only what is safe in a signal handler.
  std::string_view text =
      "kernc: this is a bug in kernc; please report it with the command line and the source\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  if (std::getenv("KERN_CORE")) {
    ::signal(signal, SIG_DFL);
    raise(signal);
  }
  _exit(static_cast<int>(kern::ExitCode::Bug));
}

static const std::terminate_handler usual_end = std::get_terminate();

// Memory may run out anywhere, LLVM's code included, which no exception passes.
[[noreturn]] static void on_exception() {
  try {
    if (std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    std::string_view text = "kernc: error: there is not enough memory\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    _exit(static_cast<int>(kern::ExitCode::NoDevice));
  } catch (...) {
    usual_end();
  }
  std::abort();
}

// A file that is opened would take the number of a standard stream that is closed, and get what is meant for
// that; so it is one that can be neither read nor written.
static void fill_closed_streams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char** argv) {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, on_crash);
  std::set_terminate(on_exception);
  std::vector<std::string> words(argv + 1, argv + argc);
  std::ios::sync_with_stdio(false);
  fill_closed_streams();
  kern::DescriptorBuffer buffer(STDOUT_FILENO);
  std::ostream out(&buffer);
  kern::Streams streams{std::cin, out, std::cerr, isatty(STDERR_FILENO) == 1};
  return static_cast<int>(kern::run_kernc(words, streams));
}

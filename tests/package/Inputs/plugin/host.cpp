// Loads each plugin, runs it, and unloads it, several times; all of them at once, where everybody sees the symbols of all.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> plugins;
    for (int i = 1; i < argc; ++i) {
      plugins.push_back(dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL));
      if (!plugins.back()) return std::printf("%s\n", dlerror()), 1;
    }
    for (void* plugin : plugins) {
      auto run = reinterpret_cast<float (*)()>(dlsym(plugin, "plugin_run"));
      auto version = reinterpret_cast<const char* (*)()>(dlsym(plugin, "plugin_version"));
      // A thread that ends, and one that stays.
      float there = 0;
      std::thread([&] { there = run(); }).join();
      std::printf("%s: %g %g\n", version(), there, run());
    }
    for (void* plugin : plugins)
      if (dlclose(plugin) != 0) return 2;
    // A thread that still ran code of a plugin would crash now.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::printf("done\n");
}

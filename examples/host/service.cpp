// A service of many threads over one table. Some clients send an index that is not there: the fault reaches
// the thread that asked, with the index; every other request is answered, and the service goes on.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "lookup.kern.hpp"

static constexpr std::int64_t table_size = 1000, request_size = 256;
static constexpr int threads = 8, requests = 100;

struct Counts {
  std::atomic<int> answered = 0, refused = 0, wrong = 0;
};

// Serves the requests of one client; every tenth has a bad index.
static void serve(const lookup::Kernels& library, const kern::Buffer<float>& table, int client,
                  Counts& counts) {
  std::vector<std::int64_t> index(request_size);
  std::vector<float> value(request_size);
  for (int request = 0; request < requests; ++request) {
    for (std::int64_t i = 0; i < request_size; ++i) index[i] = (client * 37 + request + i) % table_size;
    bool is_bad = request % 10 == 0;
    if (is_bad) index[request] = table_size + client;
    try {
      library.lookup(kern::over(request_size), table, kern::in(index), kern::out(value));
      ++counts.answered;
      for (std::int64_t i = 0; i < request_size; ++i)
        if (is_bad || value[i] != static_cast<float>(index[i])) ++counts.wrong;
    } catch (const kern::KernelFault& fault) {
      ++counts.refused;
      if (!is_bad || fault.index != table_size + client) ++counts.wrong;
    }
  }
}

int main() {
  kern::Device device = kern::Device::best();
  auto library = lookup::load(device);
  std::vector<float> values(table_size);
  for (std::int64_t i = 0; i < table_size; ++i) values[i] = static_cast<float>(i);
  const kern::Buffer<float> table = kern::copy_of<float>(device, values);
  Counts counts;
  {
    std::vector<std::jthread> clients;
    for (int client = 0; client < threads; ++client)
      clients.emplace_back([&, client] { serve(library, table, client, counts); });
  }
  std::printf("on %s: %d answered, %d refused, %d wrong\n", device.name().c_str(), counts.answered.load(),
              counts.refused.load(), counts.wrong.load());
  return counts.wrong == 0 && counts.answered + counts.refused == threads * requests ? 0 : 1;
}

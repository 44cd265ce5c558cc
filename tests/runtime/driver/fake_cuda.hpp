// tests/runtime/driver/fake_cuda.hpp - what a test may ask of and set in the fake driver library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake {

/// One a loaded copy of the library; reached through its exported `fake_cuda_state()`.
struct state {
  std::mutex mutex;
  int version = 13000;
  int devices = 2;
  std::map<std::string, int> fails;  ///< symbol -> status that it returns instead of working
  std::vector<std::string> calls;    ///< symbols, in the order called
  std::multiset<std::string> live;   ///< kinds of things made and not yet destroyed
  std::vector<std::string> misuse;   ///< calls without a context, frees of what does not live
  void* last_launch_stream = nullptr;
  unsigned last_grid[3] = {0, 0, 0}, last_block[3] = {0, 0, 0}, last_shared = 0;
  bool last_cooperative = false;
  unsigned last_cluster = 0;
  long last_argument = 0;  ///< first argument of the last launch, read as a long
  unsigned last_host_flags = 0;
  unsigned last_stream_flags = 0;
  std::size_t global_bytes = 8;  ///< size of every global variable of a library
  std::vector<unsigned char>
      global;  ///< which are all the same one; it is made when it is asked for
  std::function<void()>
      on_launch{};  ///< called by a launch instead of reading its arguments; must not call the driver
  std::function<void()>
      on_retain{};  ///< called before a context is given; must not call the driver
};

}  // namespace fake

extern "C" fake::state* fake_cuda_state();

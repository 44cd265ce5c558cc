// tests/kernels/mini_std/device_unit.hpp - the cases as a device unit, with their files among the
//   headers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/jit/compile.hpp"

namespace mini_std {

namespace jit = perdure::runtime::jit;

/// The library's headers and the files of cases/; nothing else, so that other edits leave the
///   cache good.
class case_headers {
 public:
  case_headers() {
    for (const auto& h : jit::embedded_headers()) {
      const std::string_view name{h.name};
      if (!name.starts_with("kernels/") && !name.starts_with("perdure/")) all_.push_back(h);
    }
    for (const char* name :
         {"sink.cuh", "types.cuh", "values.cuh", "algorithms.cuh", "numbers.cuh", "all.cuh"}) {
      std::ifstream in{std::string{CASES_DIR "/"} + name, std::ios::binary};
      texts_.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
      all_.push_back({name, texts_.back().c_str()});
    }
  }
  const std::vector<jit::header>& all() const { return all_; }

 private:
  std::deque<std::string> texts_;  // a deque: the headers point into them
  std::vector<jit::header> all_;
};

/// Unoptimised: what is tested is the library.
inline perdure::result<jit::cubin> compile(const std::string& source, const char* arch) {
  const case_headers headers;
  jit::compile_options how;
  how.headers = headers.all();
  how.extra = {"--device-debug"};
  how.cache_dir = CASES_CACHE;
  return jit::compile(source, "mini_std_cases.cu", arch, how);
}

}  // namespace mini_std

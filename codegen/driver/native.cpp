// codegen/driver/native.cpp - see native.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/driver/native.hpp"

#include <set>

#include "runtime/driver/context.hpp"
#include "runtime/jit/nvrtc.hpp"

namespace perdure::codegen {

native_architectures find_native() {
  const auto cuda = driver::api::load();
  if (!cuda) return {};
  const auto count = driver::device_count(**cuda);
  if (!count) return {};
  std::set<std::string> here;
  for (int i = 0; i < *count; ++i) {
    if (const auto device = driver::describe(**cuda, i)) here.insert(device->architecture());
  }
  const auto compiler = runtime::jit::nvrtc::open();
  if (!compiler) return {{}, compiler.error().message()};
  const auto capabilities = compiler->architectures();
  if (!capabilities) return {{}, capabilities.error().message()};
  std::set<std::string> known;
  for (const int one : *capabilities) known.insert("sm_" + std::to_string(one));
  native_architectures found;
  for (const std::string& arch : here) {
    if (known.contains(arch)) {
      found.archs.push_back(arch);
    } else {
      found.note = "NVRTC " + compiler->version() + " cannot compile for " + arch;
    }
  }
  return found;
}

}  // namespace perdure::codegen

// runtime/driver/kernel.cpp - loads cubins, finds kernels, launches them.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/kernel.hpp"

#include "runtime/driver/call.hpp"

namespace perdure::driver {

result<kernel_attributes> kernel::attributes() const {
  kernel_attributes a;
  using f = abi::function_attribute;
  const std::pair<f, int*> wanted[] = {
      {f::registers, &a.registers},
      {f::local_bytes, &a.local_bytes},
      {f::static_shared_bytes, &a.static_shared_bytes},
      {f::max_dynamic_shared_bytes, &a.max_dynamic_shared_bytes},
      {f::max_threads_per_block, &a.max_threads_per_block},
      {f::binary_version, &a.binary_version},
  };
  for (auto [attribute, into] : wanted) {
    auto done = detail::in_context(in_, "cuFuncGetAttribute", name_, [&] {
      return in_.cuda->cuFuncGetAttribute(into, attribute, handle_);
    });
    if (!done) return done.error();
  }
  return a;
}

result<void> kernel::allow_dynamic_shared(std::size_t bytes) const {
  return detail::in_context(
      in_, "cuFuncSetAttribute",
      name_ + ", " + std::to_string(bytes) + " bytes of dynamic shared memory", [&] {
        return in_.cuda->cuFuncSetAttribute(
            handle_, abi::function_attribute::max_dynamic_shared_bytes, static_cast<int>(bytes));
      });
}

result<int> kernel::blocks_per_processor(int threads, std::size_t dynamic_shared_bytes) const {
  int blocks = 0;
  auto done = detail::in_context(in_, "cuOccupancyMaxActiveBlocksPerMultiprocessor", name_, [&] {
    return in_.cuda->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle_, threads,
                                                                 dynamic_shared_bytes);
  });
  if (!done) return done.error();
  return blocks;
}

namespace {

/// A launch as the driver takes it; `attributes` outlives the result.
abi::launch_config config_of(const launch_shape& shape, abi::launch_attribute (&attributes)[2]) {
  abi::launch_config config{};
  for (std::size_t d = 0; d < 3; ++d) {
    config.grid[d] = shape.grid[d];
    config.block[d] = shape.block[d];
  }
  config.shared_bytes = shape.dynamic_shared_bytes;
  config.attributes = attributes;
  if (shape.cooperative) {
    auto& a = attributes[config.attribute_count++];
    a.id = abi::launch_attribute::cooperative;
    a.value.flag = 1;
  }
  if (shape.cluster > 1) {
    auto& a = attributes[config.attribute_count++];
    a.id = abi::launch_attribute::cluster;
    a.value.dim[0] = shape.cluster;
    a.value.dim[1] = 1;
    a.value.dim[2] = 1;
  }
  return config;
}

}  // namespace

result<int> kernel::clusters(const launch_shape& shape) const {
  abi::launch_attribute attributes[2]{};
  const abi::launch_config config = config_of(shape, attributes);
  int found = 0;
  auto done = detail::in_context(in_, "cuOccupancyMaxActiveClusters", name_, [&] {
    return in_.cuda->cuOccupancyMaxActiveClusters(&found, handle_, &config);
  });
  if (!done) return done.error();
  return found;
}

result<void> kernel::launch_raw(const launch_shape& shape, const stream& on,
                                std::span<void*> arguments) const {
  abi::launch_attribute attributes[2]{};
  abi::launch_config config = config_of(shape, attributes);
  config.stream = on.handle();
  const std::string what =
      name_ + ", " + std::to_string(shape.grid[0]) + " blocks of " + std::to_string(shape.block[0]);
  return detail::in_context(in_, "cuLaunchKernelEx", what, [&] {
    return in_.cuda->cuLaunchKernelEx(&config, handle_, arguments.data(), nullptr);
  });
}

result<code_library> code_library::load(context_view in, std::span<const std::byte> image,
                                        const std::string& name) {
  abi::library handle = nullptr;
  auto done = detail::in_context(
      in, "cuLibraryLoadData", name + ", " + std::to_string(image.size()) + " bytes", [&] {
        return in.cuda->cuLibraryLoadData(&handle, image.data(), nullptr, nullptr, 0, nullptr,
                                          nullptr, 0);
      });
  if (!done) return done.error();
  return code_library{in, handle, name};
}

code_library::~code_library() {
  if (handle_ != nullptr)
    detail::teardown(in_, "cuLibraryUnload", [&] { return in_.cuda->cuLibraryUnload(handle_); });
}

result<kernel> code_library::find(const char* entry) const {
  abi::kernel found = nullptr;
  abi::function function = nullptr;
  const std::string what = std::string{entry} + " of " + name_;
  const api& cuda = *in_.cuda;
  auto done = detail::in_context(in_, "cuLibraryGetKernel", what,
                                 [&] { return cuda.cuLibraryGetKernel(&found, handle_, entry); });
  if (done)
    done = detail::in_context(in_, "cuKernelGetFunction", what,
                              [&] { return cuda.cuKernelGetFunction(&function, found); });
  if (done)
    done = detail::in_context(in_, "cuFuncLoad", what, [&] { return cuda.cuFuncLoad(function); });
  if (!done) return done.error();
  return kernel{in_, function, entry};
}

result<global_variable> code_library::find_global(const char* variable) const {
  global_variable g{};
  auto done = detail::in_context(
      in_, "cuLibraryGetGlobal", std::string{variable} + " of " + name_,
      [&] { return in_.cuda->cuLibraryGetGlobal(&g.at, &g.bytes, handle_, variable); });
  if (!done) return done.error();
  return g;
}

}  // namespace perdure::driver
